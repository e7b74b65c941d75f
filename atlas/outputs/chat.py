"""Chat logs: ``(12 tokens, 23.9 tok/s)`` behind every answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.outputs.numbers import NUMBER, read
from atlas.outputs.part import Part
from atlas.outputs.reading import Observation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.outputs.segments import Line

_ANSWER = re.compile(rf"\s*\((\d+) tokens, ({NUMBER}) tok/s\)\s*")


def read_chat(lines: Sequence[Line]) -> Part:
    """A ``decode_ar`` observation for every answer, numbered when there are several.

    The prompt's length is not printed, so they have no shape. An empty answer measures nothing.
    """
    part = Part()
    for line in lines:
        match = _ANSWER.fullmatch(line.text)
        tokens = read(match[1], "tokens", line.no, part.findings) if match else None
        if match is None or not tokens:
            continue
        rate = read(match[2], "tok/s", line.no, part.findings)
        if rate is not None:
            metrics = {"gen_tokens": tokens, "gen_tok_s": rate}
            part.observations.append(Observation("decode_ar", metrics=metrics))
    if len(part.observations) > 1:
        for index, observation in enumerate(part.observations, 1):
            observation.run_index = index
    if part.observations:
        part.workload_kind = "ar"
    return part
