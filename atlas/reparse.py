"""Reading kept raw output again: a newer parser's rows supersede the older ones, by appending."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.collect.session import read_streams
from atlas.outputs import PARSER_NAME, PARSER_VERSION, read_output
from atlas.outputs.text import decode
from atlas.rows.assemble import Assembled, assemble
from atlas.rows.context import RunContext, RunEnd
from ledger.envelope import PROVENANCE, Draft

if TYPE_CHECKING:
    from ledger.observer import Observer
    from ledger.reader import Reader
    from ledger.store import Ledger
    from queries.catalog import Catalog

_END: dict[str, Any] = {
    "exit_code": None,
    "signal": None,
    "timed_out": False,
    "interrupted": False,
    "failed_to_start": None,
}
"""What a payload tells of a run's end; it leaves out what did not happen."""


@dataclass(frozen=True, slots=True)
class Reparsed:
    """What a reparse did.

    Attributes:
        read: outputs that were read again; ``rows``: entries they gave.
        new: readings that were not here yet.
        not_understood: outputs that still are not.
        missing: events whose raw output is not here.
    """

    read: int
    rows: int
    new: int
    not_understood: int
    missing: int


def reparse(ledger: Ledger, catalog: Catalog, observer: Observer, *, everything: bool) -> Reparsed:
    """Read every kept output that an older parser read last, and append what it gives now.

    Args:
        ledger: where to read and append.
        catalog: its queries.
        observer: progress.
        everything: read again even what this version has read already.
    """
    rows = not_understood = missing = 0
    drafts: list[Draft] = []
    with ledger.reader() as reader:
        older_than = PARSER_VERSION + 1 if everything else PARSER_VERSION
        found = ask(reader, catalog, "parse_inputs", older_than=older_than).dicts()
        observer.begin("outputs", len(found))
        for one in found:
            observer.advance()
            payload = json.loads(one["payload"])
            made = _read_again(reader, catalog, one["event_id"], payload)
            if made is None:
                missing += 1
            elif not made.entries:
                not_understood += 1
            else:
                event = ask(reader, catalog, "whole_event", id=one["event_id"]).dicts()[0]
                drafts.append(_draft(event, payload, made))
                rows += len(made.entries)
        observer.end()
    new = 0
    if drafts:
        ledger.record(drafts)
        new = len(ledger.drain().appended.new)
    return Reparsed(len(drafts), rows, new, not_understood, missing)


def _read_again(
    reader: Reader, catalog: Catalog, event_id: str, payload: dict[str, Any]
) -> Assembled | None:
    bodies = {
        one["stream"]: one["body"] for one in ask(reader, catalog, "output_of", id=event_id).dicts()
    }
    if None in bodies.values():
        return None
    context = RunContext.from_json(payload.get("context", {}))
    if "log" in bodies:
        reading = read_output(bodies["log"])
        return assemble(reading, context, payload["source"]["file_sha256"])
    stderr, stdout = bodies.get("stderr", b""), bodies.get("stdout", b"")
    reading = read_streams(stderr, stdout, context.workload_kind or "ar")
    run = payload["run"]
    ended = {name: run.get(name, default) for name, default in _END.items()}
    end = RunEnd(**ended)
    tail = decode(stderr or stdout)[0]
    return assemble(reading, context, run["run_id"], end=end, tail=tail)


def _draft(event: dict[str, Any], payload: dict[str, Any], made: Assembled) -> Draft:
    digests = [one["sha256"] for one in payload["output"].values()]
    kept: dict[str, Any] = {
        name: payload[name] for name in ("session_id", "run", "context") if name in payload
    }
    again = {
        **kept,
        "supersedes": event["event_id"],
        "source": {
            "file_sha256": digests[0],
            "ordinal": PARSER_VERSION,
            "adapter": f"reparse/{event['event_id']}",
            "adapter_version": 1,
            "name": payload.get("source", {}).get("name", "kept output"),
        },
        "parser": {"name": PARSER_NAME, "version": PARSER_VERSION},
        "rows": made.entries,
        "findings": [one.as_json() for one in made.findings],
    }
    provenance = {name: event[name] for name in PROVENANCE}
    return Draft("reparse", again, event["host"], provenance)
