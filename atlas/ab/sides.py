"""Running two sides, and what is told about each and about both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.evals.figures import MAX_REL_SPREAD
from atlas.evals.noise import noise_of
from atlas.evals.outcome import series_of
from atlas.evals.resume import refuse_other_treatment, unfinished
from atlas.evals.runner import Runner, Runs, provenance_of
from atlas.evals.side import Side, side_of
from atlas.evals.verdict import Terms, compare_sides
from ledger.envelope import Draft

if TYPE_CHECKING:
    from atlas.evals.arm import Arm, Experiment, Slot
    from atlas.evals.run_record import RunRecord
    from atlas.evals.tools import Tools


@dataclass(frozen=True, slots=True)
class Compared:
    """An A/B that was run.

    Attributes:
        status: ``pass``, ``fail``, ``unstable``, or ``interrupted`` (what ended is recorded).
        document: what is told about it; empty when it was interrupted.
    """

    status: str
    document: dict[str, Any]


class TwoSides:
    """Runs the plan of an A/B and judges it.

    Args:
        experiment: its sides are base and candidate, in that order.
        tools: ledger, queries, observer.
    """

    def __init__(self, experiment: Experiment, tools: Tools) -> None:
        self.experiment = experiment
        self.base, self.candidate = experiment.arms
        self._tools = tools

    def run(self, plan: list[Slot], *, resume: bool) -> Runs:
        """Run what is not in the ledger yet; with ``resume`` runs that ended early count.

        Raises:
            BadInput: a side can't be run as it stands.
            AnswerIsNo: the tree has changed since the runs that were to be resumed.
        """
        for arm in self.experiment.arms:
            arm.command.with_prompt(arm.cwd, arm.prompt_md5)
        done = self._resumed(resume=resume)
        runner = Runner(self.experiment, self._tools.ledger, self._tools.observer)
        trees = {arm.name: runner.git(arm) for arm in self.experiment.arms}
        refuse_other_treatment(list(done.values()), trees)
        return runner.run_all(plan, done)

    def judge(self, runs: Runs, terms: Terms) -> dict[str, Any]:
        """Sides and verdict of the measured runs.

        Returns:
            ``sides{a, b}``, each with samples, summary, stability and identity, and ``verdict``.
        """
        a, b = self._measured(runs, self.base), self._measured(runs, self.candidate)
        with self._tools.ledger.reader() as reader:
            noise = noise_of(reader, self._tools.catalog, b)
        floored = Terms(
            factor=terms.factor,
            goal=self.experiment.goal,
            order=terms.order,
            max_rel_spread=terms.max_rel_spread,
            floor_s=None if terms.factor == "aa" else noise.floor(terms.order),
            same_command=terms.factor != "code",
            incorrect=terms.incorrect,
        )
        told = {
            name: self._told(arm, side, runs)
            for name, arm, side in (("a", self.base, a), ("b", self.candidate, b))
        }
        return {"sides": told, "verdict": compare_sides(a, b, floored)}

    def record(self, document: dict[str, Any], records: list[RunRecord]) -> str:
        """Make the comparison durable; gives the id of its event."""
        payload = {
            "session_id": self.experiment.session_id,
            "runs": [one.event_id for one in records],
            "document": document,
        }
        envelope = provenance_of(records[-1]) if records else {}
        draft = Draft("ab", payload, self.experiment.host, envelope)
        return self._tools.ledger.record([draft]).event_ids[0]

    def _resumed(self, *, resume: bool) -> dict[tuple[str, str, int], RunRecord]:
        from dataclasses import replace

        if not resume:
            return {}
        with self._tools.ledger.reader() as reader:
            known, records = unfinished(reader, self._tools.catalog, self.experiment.contract)
        if known:
            self._tools.observer.remark(f"resuming: {len(records)} runs are in the ledger")
            self.experiment = replace(self.experiment, **known)
        else:
            self._tools.observer.remark("nothing to resume for this contract: starting afresh")
        return {one.key: one for one in records}

    def _measured(self, runs: Runs, arm: Arm) -> Side:
        experiment = self.experiment
        records = runs.of("measured", arm.name)
        return side_of(arm, records, experiment.metric, experiment.host, experiment.session_id)

    def _told(self, arm: Arm, side: Side, runs: Runs) -> dict[str, Any]:
        series = series_of(runs.of("measured", arm.name), self.experiment.metric, MAX_REL_SPREAD)
        return {
            **arm.as_json(),
            **side.as_json(),
            "metrics": series.metrics,
            "summary": series.summary,
            "stability": series.stability,
        }


def status_of(runs: Runs, told: dict[str, Any]) -> tuple[str, list[str]]:
    """The status and its reasons: a failed process fails, a side that spreads is unstable."""
    failed = [
        f"{one.role} {one.index + 1} of {one.arm}: {one.message}"
        for one in runs.records
        if one.reason
    ]
    if failed:
        return "fail", failed
    loose = [
        f"side {name}: spread {side['stability']['rel_spread']:.3f} of the median"
        for name, side in told["sides"].items()
        if side["stability"]["status"] == "unstable"
    ]
    return ("unstable", loose) if loose else ("pass", [])


def tree_json(record: RunRecord | None) -> dict[str, Any]:
    """``provenance`` of a document: state of the tree and program."""
    git = record.git if record else {}
    return {
        "git_sha": git.get("sha"),
        "git_dirty": git.get("dirty"),
        "git_state": git.get("state"),
        "diff_md5": git.get("diff_md5"),
        "tree_md5": git.get("tree_md5"),
        "binary_md5": record.binary.get("md5") if record else None,
    }
