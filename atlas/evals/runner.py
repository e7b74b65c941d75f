"""Runs the processes of a plan one after the other, each an event the moment it ends."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from atlas.collect.process import Finished, run
from atlas.evals.child_env import profiles_itself
from atlas.evals.run_record import RunRecord, Said, read_run, returncode_of
from atlas.identity.arch import resolve_arch
from atlas.identity.binary import observe_binary
from atlas.identity.code_objects import observe_code_objects
from atlas.identity.environment import observe_environment
from atlas.identity.git import observe_git
from atlas.identity.redaction import scrub, secret_values
from atlas.identity.route import route
from atlas.task.cut import source_sha256
from ledger.envelope import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from atlas.evals.arm import Arm, Experiment, Slot
    from atlas.rows.context import RunEnd
    from ledger.observer import Observer
    from ledger.store import Ledger


@dataclass(slots=True)
class Runs:
    """The finished processes of an experiment.

    Attributes:
        records: in the order of the plan.
        interrupted: the user ended it before all were done; what ended is recorded.
    """

    records: list[RunRecord] = field(default_factory=list)
    interrupted: bool = False

    def of(self, role: str, arm: str) -> list[RunRecord]:
        """Those of one role and side, in order."""
        return [one for one in self.records if (one.role, one.arm) == (role, arm)]


class Runner:
    """Runs slots of an experiment and records them.

    Args:
        experiment: what the runs have in common.
        ledger: where each run is made durable.
        observer: progress and remarks.
        own: files and folders this program writes: no part of what is measured.
    """

    def __init__(
        self,
        experiment: Experiment,
        ledger: Ledger,
        observer: Observer,
        own: Sequence[Path] = (),
    ) -> None:
        self._experiment = experiment
        self._ledger = ledger
        self._observer = observer
        self._git = _git_of(experiment.arms, own)

    def git(self, arm: Arm) -> dict[str, Any]:
        """The state of the source tree a side runs in, as it was when the plan began."""
        return self._git[str(arm.cwd)]

    def run_all(self, plan: Sequence[Slot], done: dict[tuple[str, str, int], RunRecord]) -> Runs:
        """Run what of the plan is not done yet; a process that fails doesn't stop the rest.

        Raises:
            LedgerUnwritable: a result could not be made durable; the plan ends there.
        """
        runs = Runs()
        self._observer.begin("runs", len(plan))
        try:
            for slot in plan:
                known = done.get(slot.key)
                record = known or self._run(slot)
                runs.records.append(record)
                self._observer.advance()
                if record.reason and not known:
                    self._observer.remark(f"{slot.label}: {record.message}")
                if record.reason == "interrupted":
                    runs.interrupted = True
                    break
        finally:
            self._observer.end()
        return runs

    def _run(self, slot: Slot) -> RunRecord:
        environ = slot.arm.child.variables
        binary = observe_binary(slot.command.words, slot.arm.cwd, environ).as_json()
        sent = slot.command.with_prompt(slot.arm.cwd, slot.arm.prompt_md5)
        finished = run(sent.argv, environ, self._experiment.timeout, slot.arm.cwd)
        secrets = secret_values(environ)
        stdout, found_out = scrub(finished.stdout, secrets)
        stderr, found_err = scrub(finished.stderr, secrets)
        record = self._record(slot, replace(finished, stdout=stdout, stderr=stderr), binary)
        streams = {"stdout": stdout, "stderr": stderr}
        payload = {
            "session_id": self._experiment.session_id,
            "experiment": self._told(),
            "run": record.as_json(),
            "output": {
                name: {"sha256": _sha256(body), "n_bytes": len(body)}
                for name, body in streams.items()
                if body
            },
            "findings": [one.as_json() for one in (*found_out, *found_err)],
        }
        draft = Draft("eval_run", payload, self._experiment.host, provenance_of(record))
        blobs = {_sha256(body): body for body in streams.values() if body}
        return replace(record, event_id=self._ledger.record([draft], blobs).event_ids[0])

    def _told(self) -> dict[str, Any]:
        experiment = self._experiment
        return {
            "id": experiment.experiment_id,
            "kind": experiment.kind,
            "contract": experiment.contract,
            "task_id": experiment.task_id,
            "metric": experiment.metric,
            "goal": experiment.goal,
        }

    def _record(self, slot: Slot, done: Finished, binary: dict[str, Any]) -> RunRecord:
        environ = slot.arm.child.variables
        said = read_run(done.stdout, done.stderr, self._experiment.metric)
        seen = observe_environment(environ, slot.arm.contract)
        arch = resolve_arch(said.archs, None, environ, lambda _tool: None).arch
        reason, message = _failure(slot, done.end, said)
        return RunRecord(
            role=slot.role,
            arm=slot.arm.name,
            index=slot.index,
            command=slot.command.stored(),
            shell=slot.command.shell,
            returncode=returncode_of(done.end),
            reason=reason,
            message=message,
            output_tail=said.tail,
            metrics=said.metrics if slot.role != "correctness" else {},
            value=said.value if slot.role != "correctness" else None,
            env=dict(seen.variables),
            profiled=seen.profiled or said.profiled or profiles_itself(slot.command),
            device=_device(said, arch, dict(seen.visibility)),
            binary=binary,
            code_objects=_objects(environ, slot.arm.cwd, arch),
            git=self.git(slot.arm),
            route=_route(said, environ),
            started_us=done.started_us,
            ended_us=done.ended_us,
        )


def provenance_of(record: RunRecord) -> dict[str, str | None]:
    """Envelope columns of a run."""
    git = record.git
    return {
        "git_sha": git.get("sha"),
        "diff_md5": git.get("diff_md5"),
        "tree_md5": git.get("tree_md5"),
        "binary_md5": record.binary.get("md5"),
        "arch": record.device.get("arch"),
    }


def _git_of(arms: tuple[Arm, ...], own: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """The tree of each side: its identity, and a digest that own output doesn't change."""
    folders = {str(arm.cwd): arm.cwd for arm in arms}
    return {
        name: {**observe_git(folder).as_json(), "source_sha256": source_sha256(folder, own)}
        for name, folder in folders.items()
    }


def _failure(slot: Slot, end: RunEnd, said: Said) -> tuple[str | None, str]:
    if end.reason is not None:
        return end.reason, end.message
    if slot.role == "measured" and said.value is None:
        return "metric_missing", "the metric is not in its output"
    return None, ""


def _device(said: Said, arch: str | None, visibility: dict[str, str]) -> dict[str, Any]:
    visible = " ".join(f"{name}={visibility[name]}" for name in sorted(visibility)) or None
    told = {"arch": arch, "device_index": said.fact("device_index"), "visible": visible}
    return {name: value for name, value in told.items() if value is not None}


def _objects(environ: dict[str, str], cwd: Path, arch: str | None) -> dict[str, Any]:
    """The folder of code objects a process used, looked at after it: it may compile into it."""
    return observe_code_objects(environ, cwd, arch).as_json()


def _route(said: Said, environ: dict[str, str]) -> dict[str, Any]:
    mode = said.fact("kv_mode") or environ.get("HIPFIRE_KV_MODE")
    return route(str(mode), environ, said.fact("graph_blob_count")) if mode else {}


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
