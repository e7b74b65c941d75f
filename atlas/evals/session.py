"""The eval of a task: correctness, warm-up, measured runs, verdict, documents and events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from atlas.evals import documents
from atlas.evals.baseline import Baseline, named_baseline, newest_baseline, task_baseline
from atlas.evals.bounds import Bounds, check_bounds
from atlas.evals.noise import noise_floor
from atlas.evals.outcome import Outcome, Series, failures_of, outcome_of, series_of, speedup
from atlas.evals.resume import refuse_other_treatment, unfinished
from atlas.evals.runner import Runner, Runs, provenance_of
from atlas.evals.setup import experiment_of, own_files, plan_of
from atlas.evals.side import Side, side_of
from atlas.evals.verdict import Terms, compare_sides
from ledger.envelope import Draft

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.arm import Arm
    from atlas.evals.options import EvalOptions
    from atlas.evals.task_file import Task
    from atlas.evals.tools import Tools
    from ledger.reader import Reader


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an eval left behind.

    Attributes:
        status: of the eval; ``interrupted`` when the user ended it (what ended is recorded).
        result: the document.
        result_path: where it lies.
    """

    status: str
    result: dict[str, Any]
    result_path: Path


def evaluate(task: Task, options: EvalOptions, tools: Tools) -> Evaluated:
    """Run a task's contract.

    Raises:
        BadUsage: options that don't fit together.
        BadInput: the contract can't be run as it stands, or ``--baseline`` names none.
        AnswerIsNo: ``--resume`` after the tree has changed.
        LedgerError: the ledger can't be read, or a result could not be made durable.
    """
    options.check()
    return _Eval(task, options, tools).go()


class _Eval:
    """One eval, step by step."""

    def __init__(self, task: Task, options: EvalOptions, tools: Tools) -> None:
        self.task = task
        self.options = options
        self.tools = tools
        self.own = own_files(task, options, tools.ledger)
        self.experiment = experiment_of(task, options)
        self.arms = self.experiment.arms

    def go(self) -> Evaluated:
        for arm in self.arms:
            arm.command.with_prompt(arm.cwd, arm.prompt_md5)
        if self.options.baseline is not None:
            with self.tools.ledger.reader() as reader:
                self._named(reader)
        bounds = check_bounds(
            self.task.cut,
            self.task.allowed,
            self.options.cwd,
            self.own,
            waived=self.options.allow_out_of_bounds,
        )
        done = self._resumed()
        runner = Runner(self.experiment, self.tools.ledger, self.tools.observer, self.own)
        refuse_other_treatment(list(done.values()), {a.name: runner.git(a) for a in self.arms})
        runs = runner.run_all(plan_of(self.task, self.options, self.arms), done)
        path = self.options.output_dir / documents.RESULT
        if runs.interrupted:
            return Evaluated("interrupted", {}, path)
        result, drafts = self._judge(runs, bounds, runner)
        self.tools.ledger.record(drafts)
        self._write(path, result, drafts)
        return Evaluated(result["status"], result, path)

    def _resumed(self) -> dict[tuple[str, str, int], Any]:
        """Finished runs to go on from."""
        with self.tools.ledger.reader() as reader:
            known, records = unfinished(reader, self.tools.catalog, self.experiment.contract)
        observer = self.tools.observer
        if not self.options.resume:
            if records:
                observer.remark(
                    f"an earlier eval of this contract ended early after {len(records)} runs;"
                    " --resume goes on with it"
                )
            return {}
        if not known:
            observer.remark("nothing to resume for this contract: starting afresh")
            return {}
        observer.remark(f"resuming: {len(records)} runs are in the ledger")
        self.experiment = replace(self.experiment, **known)
        return {one.key: one for one in records}

    def _judge(
        self, runs: Runs, bounds: Bounds, runner: Runner
    ) -> tuple[dict[str, Any], list[Draft]]:
        experiment, options = self.experiment, self.options
        measured = runs.of("measured", "candidate")
        series = series_of(measured, experiment.metric, options.max_rel_spread)
        side = self._side(self.arms[-1], measured)
        incorrect = any(one.reason for one in runs.of("correctness", "candidate"))
        with self.tools.ledger.reader() as reader:
            baseline = self._baseline(reader, side, series, runs)
            floor = noise_floor(reader, self.tools.catalog, side)
        terms = Terms(
            goal=experiment.goal,
            order=options.interleave,
            max_rel_spread=options.max_rel_spread,
            floor_pair_s=floor,
            same_command=not options.interleave,
            incorrect=incorrect,
        )
        outcome = outcome_of(failures_of(runs.records, bounds), series, baseline, options)
        verdict = None if baseline.side is None else compare_sides(baseline.side, side, terms)
        captured = documents.now_utc()
        result = documents.headline(experiment, self.task, outcome, captured) | {
            "metrics": series.metrics,
            "summary": series.summary,
            "stability": series.stability,
            "samples": list(side.samples),
            "baseline": baseline.as_json(),
            "delta": self._delta(series, baseline, verdict),
            "verdict": verdict,
            "bounds": bounds.as_json(),
            "correctness": [o.as_document() for o in runs.of("correctness", "candidate")],
            "warmup_runs": [o.as_document() for o in runs.records if o.role == "warmup"],
            "benchmark_runs": [one.as_document() for one in measured],
            "baseline_runs": [one.as_document() for one in runs.of("measured", "baseline")],
            "benchmark": measured[-1].as_document() if measured else {},
            "unset_env": list(self.arms[-1].child.unset),
            "arms": [arm.as_json() for arm in self.arms],
            "side": side.as_json(),
            "provenance": documents.provenance_json(side, runner.git(self.arms[-1])),
        }
        return result, self._drafts(result, series, side, outcome)

    def _side(self, arm: Arm, records: list[Any]) -> Side:
        experiment = self.experiment
        return side_of(arm, records, experiment.metric, experiment.host, experiment.session_id)

    def _named(self, reader: Reader) -> Baseline:
        return named_baseline(
            reader, self.tools.catalog, str(self.options.baseline), self.experiment.metric
        )

    def _baseline(self, reader: Reader, side: Side, series: Series, runs: Runs) -> Baseline:
        """The first that applies: interleaved, refreshed, named, the newest one, the task's own."""
        if self.options.interleave:
            measured = runs.of("measured", "baseline")
            base = series_of(measured, self.experiment.metric, self.options.max_rel_spread)
            other = self._side(self.arms[0], measured)
            return Baseline("interleaved", base.metrics, base.summary, other)
        if self.options.refresh_baseline:
            return Baseline("refreshed", series.metrics, series.summary)
        if self.options.baseline is not None:
            return self._named(reader)
        known = newest_baseline(reader, self.tools.catalog, self.task.task_id, side)
        return known or task_baseline(self.task)

    def _delta(
        self, series: Series, baseline: Baseline, verdict: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Ratio of medians for old readers; none where identities differ or with itself."""
        metric = self.experiment.metric
        refused = bool(verdict and (verdict["differs"] or verdict["verdict"] == "incomparable"))
        ratio = None
        if baseline.source != "refreshed" and not refused:
            ratio = speedup(metric, self.experiment.goal, series.metrics, baseline.metrics)
        return {
            "metric": metric,
            "candidate": series.metrics.get(metric),
            "baseline": None if refused else baseline.metrics.get(metric),
            "speedup": ratio,
        }

    def _drafts(
        self, result: dict[str, Any], series: Series, side: Side, outcome: Outcome
    ) -> list[Draft]:
        shared = {"session_id": self.experiment.session_id}
        runs = [one.event_id for one in series.records]
        last = series.records[-1] if series.records else None
        envelope = provenance_of(last) if last else {}
        host = self.experiment.host
        drafts = [Draft("eval", {**shared, "runs": runs, "document": result}, host, envelope)]
        if outcome.makes_baseline:
            document = documents.baseline_document(result, series, side, weak=outcome.weak)
            payload = {**shared, "runs": runs, "document": document}
            drafts.append(Draft("baseline", payload, host, envelope))
        return drafts

    def _write(self, path: Path, result: dict[str, Any], drafts: list[Draft]) -> None:
        folder = path.parent
        documents.write_json(path, result)
        documents.add_line(folder / documents.LINES, documents.ledger_line(result))
        for draft in drafts:
            if draft.kind == "baseline":
                documents.write_json(folder / documents.BASELINE, draft.payload["document"])
