"""When a measurement holds one-time work, such as compiling kernels: it is tagged ``cold``."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from atlas.outputs.numbers import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atlas.outputs.numbers import Number

_SLOW_FIRST = 1.5
_OVERHEAD_PCT = 20.0
_SHORT_PROMPT = 16.0


def slow_first(times: Sequence[float]) -> bool:
    """Whether the first of several times is at least 1.5 times the median of the later ones."""
    return len(times) > 1 and median(times[1:]) > 0 and times[0] >= _SLOW_FIRST * median(times[1:])


def cold_overhead(metrics: Mapping[str, Number]) -> bool:
    """Whether the bench itself printed a cold overhead above 20 %."""
    overhead = finite(metrics.get("cold_overhead_pct"))
    return overhead is not None and overhead > _OVERHEAD_PCT


def slow_prefill(metrics: Mapping[str, Number]) -> bool:
    """Whether a demo's prefill ran slower, per token, than its decode.

    A prefill takes the whole prompt in batches and so outruns decoding, which goes a few tokens at
    a time; when it doesn't, it paid for something else, as a cold kernel cache. Prompts below 16
    tokens prove nothing: they are no batch.
    """
    prefill = finite(metrics.get("prefill_tok_s"))
    decode = finite(metrics.get("decode_tok_s"))
    prompt = finite(metrics.get("prompt_tokens"))
    if prefill is None or decode is None or prompt is None:
        return False
    return prompt >= _SHORT_PROMPT and 0 < prefill < decode
