"""A collection session: every run becomes an event the moment it ends, whatever its end was."""

from __future__ import annotations

import hashlib
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.collect.observe import observe_after, observe_before, observe_standing
from atlas.collect.process import Finished, run
from atlas.identity.redaction import scrub, secret_values
from atlas.identity.sensors import observe_sensors
from atlas.outputs import PARSER_NAME, PARSER_VERSION, read_output
from atlas.outputs.text import decode
from atlas.rows.assemble import Assembled, assemble
from ledger.envelope import Draft

if TYPE_CHECKING:
    from atlas.collect.manifests import Manifests
    from atlas.collect.plan import Plan, RunRequest
    from atlas.outputs.reading import Reading
    from atlas.rows.context import RunContext
    from ledger.observer import Observer
    from ledger.store import Ledger


@dataclass(slots=True)
class Collected:
    """What a session recorded.

    Attributes:
        rows: v0 rows, error records included, in order.
        observations: how many of them are observations; ``errors``: how many are error records.
        interrupted: the user ended it before all runs were done.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    observations: int = 0
    errors: int = 0
    interrupted: bool = False

    def add(self, entries: list[dict[str, Any]]) -> None:
        """Count the entries of one run."""
        self.rows += [one["row"] for one in entries]
        failed = sum(one.get("status") == "error" for one in entries)
        self.errors += failed
        self.observations += len(entries) - failed


def collect(
    plan: Plan, ledger: Ledger, observer: Observer, manifests: Manifests | None = None
) -> Collected:
    """Run all requests of a plan, one after the other; a run that fails doesn't stop the rest.

    Args:
        plan: what to run.
        ledger: where every run becomes an event.
        observer: told of progress.
        manifests: makes the manifests that were asked for after each run.

    Raises:
        LedgerUnwritable: a result could not be made durable; the session ends there.
    """
    session_id = str(uuid.uuid4())
    standing = observe_standing(plan)
    collected = Collected()
    observer.begin("runs", len(plan.requests))
    try:
        for request in plan.requests:
            environ = {**os.environ, **request.env}
            context = observe_before(plan, request, standing, os.environ)
            sensors = [observe_sensors()]
            done = run(request.argv, environ, plan.timeout, Path.cwd())
            sensors.append(observe_sensors())
            recording = _Recording(plan, session_id, environ, done, context)
            if manifests is not None:
                recording.add_manifests(manifests)
            entries = recording.record(ledger, [s.as_json() if s else None for s in sensors])
            collected.add(entries)
            observer.advance()
            _tell(observer, request, done)
            if done.end.interrupted:
                collected.interrupted = True
                break
    finally:
        observer.end()
    return collected


def _tell(observer: Observer, request: RunRequest, done: Finished) -> None:
    if done.end.reason is not None:
        observer.remark(f"{request.label}: {done.end.message}; recorded as an error")


class _Recording:
    """The event of one run that is over."""

    def __init__(
        self,
        plan: Plan,
        session_id: str,
        environ: dict[str, str],
        done: Finished,
        context: RunContext,
    ) -> None:
        self.plan = plan
        self.session_id = session_id
        self.environ = environ
        self.done = done
        self.run_id = str(uuid.uuid4())
        secrets = secret_values(environ)
        self.stdout, found_out = scrub(done.stdout, secrets)
        self.stderr, found_err = scrub(done.stderr, secrets)
        self.findings = [*found_out, *found_err]
        self.reading = read_streams(self.stderr, self.stdout, plan.kind)
        self.context = observe_after(context, printed_archs(self.reading), environ)

    def add_manifests(self, manifests: Manifests) -> None:
        """Inspect what was asked for; what can't be inspected costs no run its event."""
        made = manifests.after_run(self.context, self.reading, self.session_id)
        self.context = made.context
        self.findings += made.findings

    def record(self, ledger: Ledger, sensors: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
        """Make the event durable; gives its entries."""
        tail = decode(self.stderr or self.stdout)[0]
        made = assemble(self.reading, self.context, self.run_id, end=self.done.end, tail=tail)
        blobs = {_sha256(body): body for body in (self.stdout, self.stderr) if body}
        draft = Draft(
            kind="collection",
            payload=self._payload(made, sensors),
            host=self.context.hostname,
            provenance=provenance(self.context, made),
        )
        ledger.record([draft], blobs)
        return made.entries

    def _payload(self, made: Assembled, sensors: list[dict[str, Any] | None]) -> dict[str, Any]:
        streams = {"stdout": self.stdout, "stderr": self.stderr}
        payload = {
            "session_id": self.session_id,
            "run": {
                "run_id": self.run_id,
                "program": str(self.plan.program),
                "command": self.context.command,
                "started_us": self.done.started_us,
                "ended_us": self.done.ended_us,
                **self.done.end.as_json(),
            },
            "context": self.context.as_json(),
            "parser": {"name": PARSER_NAME, "version": PARSER_VERSION},
            "rows": made.entries,
            "output": {
                name: {"sha256": _sha256(body), "n_bytes": len(body)}
                for name, body in streams.items()
                if body
            },
            "findings": [one.as_json() for one in (*self.findings, *made.findings)],
        }
        if any(sensors):
            payload["sensors"] = {"before": sensors[0], "after": sensors[1]}
        return payload


def read_streams(stderr: bytes, stdout: bytes, kind: str) -> Reading:
    """Read both streams of a run as one text: the bench speaks on stderr, demos on both."""
    joined = b"\n".join(part for part in (stderr, stdout) if part)
    return read_output(joined, hint="bench" if kind == "ar" else "dflash")


def printed_archs(reading: Reading) -> list[str]:
    """Architectures the output names, each once."""
    found: list[str] = []
    for segment in reading.segments:
        printed = segment.facts.get("archs") or [segment.facts.get("arch")]
        found += [arch for arch in printed if arch and arch not in found]
    return found


def provenance(context: RunContext, made: Assembled) -> dict[str, str | None]:
    """Envelope columns of a run."""
    arch = next((one["row"].get("arch") for one in made.entries if one["row"].get("arch")), None)
    return {
        "git_sha": context.git.get("sha"),
        "diff_md5": context.git.get("diff_md5"),
        "tree_md5": context.git.get("tree_md5"),
        "binary_md5": context.binary.get("md5"),
        "model_md5": context.model.get("md5"),
        "prompt_md5": context.prompt.get("md5"),
        "arch": arch,
    }


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
