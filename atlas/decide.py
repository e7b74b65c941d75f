"""Later facts about earlier ones: what a person decided about evidence, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.ask import ask, find_one
from atlas.errors import AnswerIsNo, BadUsage
from atlas.select import LATEST, select
from ledger.envelope import Draft

if TYPE_CHECKING:
    from ledger.reader import Reader
    from queries.catalog import Catalog

DISPOSITIONS = ("exploratory", "measured", "historical", "rejected", "promotion_candidate")


class Refused(AnswerIsNo):
    """The rules of evidence forbid what was asked."""

    code = "refused"


def annotation(reader: Reader, catalog: Catalog, text: str, disposition: str, why: str) -> Draft:
    """The event that says what was decided about a row, or about an event that holds no rows.

    Raises:
        NotFound: there is no such thing.
        BadUsage: the id is ambiguous, or no reason is given.
        Refused: the evidence can't be that: a promotion candidate that is not of a clean
            worktree, or is partial or quarantined; a row as measured with incomplete identity.
    """
    found = select(reader, catalog, text or LATEST)
    target = found.rows[0]["row_id"] if found.rows else found.event_id
    state = ask(reader, catalog, "decidable", id=target).dicts()[0]
    reason = _forbidden(disposition, state)
    if reason:
        raise Refused(
            f"{target} can't be {disposition}: {reason}", hint="collect again, then decide"
        )
    return Draft(
        "annotation",
        {"target": target, "disposition": disposition, "why": _reason(why)},
        _host(),
    )


def retraction(
    reader: Reader, catalog: Catalog, prefix: str, why: str
) -> tuple[Draft, list[dict[str, Any]]]:
    """The event that takes another one back, and what rests on that one.

    Returns:
        The draft, and ``{event_id, kind, about, how}`` for whatever is shaken by it.

    Raises:
        NotFound: there is no such event.
        BadUsage: the id is ambiguous or a row's, or no reason is given.
        Refused: it was taken back already.
    """
    one = find_one(reader, catalog, prefix)
    if one["is_row"]:
        raise BadUsage(
            f"{one['id']} is a row: events are retracted",
            hint=f"its event is {one['event_id']}; `atlas annotate` rejects a single row",
        )
    target = one["id"]
    if ask(reader, catalog, "decidable", id=target).dicts()[0]["standing"] == "retracted":
        raise Refused(f"{target} is retracted already", hint=f"`atlas show {target[:8]}`")
    shaken = ask(reader, catalog, "consequences", id=target).dicts()
    return Draft("retraction", {"target": target, "why": _reason(why)}, _host()), shaken


def _forbidden(disposition: str, state: dict[str, Any]) -> str | None:
    if disposition == "promotion_candidate":
        if state["git_state"] == "dirty":
            return "its worktree was dirty"
        if state["git_state"] != "clean":
            return "the state of its worktree is unknown, which is never clean"
        if state["status"] != "ok":
            return f"it is {state['status']}"
    if disposition == "measured" and state["missing"]:
        return f"it lacks {', '.join(state['missing'])}"
    return None


def _reason(why: str) -> str:
    if not why.strip():
        raise BadUsage("a reason is needed", hint='--why "…"')
    return why.strip()


def _host() -> str:
    from atlas.identity.host import observe_host

    return observe_host().hostname or "unknown"
