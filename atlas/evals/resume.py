"""Going on with an experiment that was ended early: its finished runs stand in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import AnswerIsNo
from atlas.evals.run_record import RunRecord
from ledger import canonical

if TYPE_CHECKING:
    from ledger.reader import Reader
    from queries.catalog import Catalog


def unfinished(
    reader: Reader, catalog: Catalog, contract: str
) -> tuple[dict[str, Any], list[RunRecord]]:
    """The newest experiment of a contract that has runs and no result.

    Returns:
        ``{experiment_id, session_id}`` and its runs in the order they ended; empty when there is
        none.
    """
    found = ask(reader, catalog, "unfinished_runs", contract=contract).dicts()
    if not found:
        return {}, []
    newest = found[0]["experiment_id"]
    records = []
    session_id = None
    for one in found:
        if one["experiment_id"] == newest:
            payload = canonical.loads(one["payload"].encode())[0]
            session_id = session_id or payload.get("session_id")
            records.append(RunRecord.from_json(payload["run"], one["event_id"]))
    usable = [one for one in records if one.reason != "interrupted"]
    return {"experiment_id": newest, "session_id": session_id}, usable[::-1]


def refuse_other_treatment(records: list[RunRecord], git: dict[str, dict[str, Any]]) -> None:
    """Refuse to mix runs of two states of the tree in one series.

    Args:
        records: what was measured before.
        git: side → the state of its tree now.

    Raises:
        AnswerIsNo: the tree has changed in between.
    """
    for one in records:
        now = git.get(one.arm, {})
        if one.git.get("source_sha256") != now.get("source_sha256"):
            raise AnswerIsNo(
                f"the tree of {one.arm} has changed since those runs:"
                " they would be one series of two programs",
                hint="start afresh without --resume; the old runs stay in the ledger",
            )
