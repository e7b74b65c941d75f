"""Suggestions as markdown, for people and agents that read before they act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.render.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator


def as_markdown(document: dict[str, Any]) -> str:
    """The whole document; names from input can't start markup or reach the terminal."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    target, read = document["target"], document["fit_read"]
    yield f"# Suggestions for {_code(document['row_id'])}"
    yield ""
    yield " · ".join(_plain(target[name]) for name in target)
    yield ""
    yield f"- Fit read: {_plain(read['likely_limit'] or 'none is offered')}"
    if read["left_on_table"]:
        yield f"- Left to try: {_plain(read['left_on_table'])}"
    if read["quant_question"]:
        yield f"- About the quantisation: {_plain(read['quant_question'])}"
    counts = ", ".join(f"{n.replace('_', ' ')} {v}" for n, v in document["history"].items())
    yield f"- History: {counts}"
    yield f"- {document['note']} A suggestion forecasts nothing."
    for one in document["suggestions"]:
        yield ""
        yield from _suggestion(one)


def _suggestion(one: dict[str, Any]) -> Iterator[str]:
    yield f"## {one['rank']}. {_plain(one['title'])}"
    yield ""
    before = one.get("score_before_history")
    score = f"{one['score']:g}" + (f", {before:g} before history" if before is not None else "")
    yield (
        f"{one['lever_type']} · score {score} · risk {one['risk']} · "
        f"impact {one['expected_impact']} · {_code(one['id'])}"
    )
    yield ""
    yield from (f"- {_plain(line)}" for line in one["rationale"])
    yield from (f"{place}. {_plain(step)}" for place, step in enumerate(one["candidate_steps"], 1))
    if one["allowed_files"]:
        yield f"- Files: {', '.join(_code(name) for name in one['allowed_files'])}"
    for command in one["correctness_commands"]:
        yield f"- Correctness: {_code(command)}"


def _plain(text: Any) -> str:
    shown = " ".join(printable(str(text)).split())
    return shown.translate({ord(mark): f"\\{mark}" for mark in "\\`*[]<>|"})


def _code(text: Any) -> str:
    shown = " ".join(printable(str(text)).split()).replace("`", "'")
    return f"`{shown}`"
