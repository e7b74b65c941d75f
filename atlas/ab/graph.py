"""Graph A/B: a row's command with graph capture off and on."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ab.sides import Compared, TwoSides, status_of, tree_json
from atlas.errors import BadInput
from atlas.evals.arm import Arm, Experiment, Slot, in_turn
from atlas.evals.child_env import contract_environment
from atlas.evals.command import Command, command_from_json
from atlas.evals.documents import NOTE, now_utc
from atlas.evals.verdict import Terms
from atlas.identity.host import observe_host
from atlas.identity.redaction import redact_env

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.run_record import RunRecord
    from atlas.evals.runner import Runs
    from atlas.evals.tools import Tools
    from atlas.task.contract import RowContract

SCHEMA = "hipfire.kernel_atlas.graph_ab.v0"
VARIABLE = "HIPFIRE_GRAPH"
FACTOR = f"env:{VARIABLE}"
_DELTAS = ("p50_ms", "avg_ms", "prefill_tok_s", "bw_gib_s")
_HEADLINE = 2


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Options of `atlas graph-ab`.

    Attributes:
        cwd: where commands run.
        correctness: texts that bash runs with graph capture on; they have to end with 0.
        timeout: seconds a process may take.
        runs: measured processes a side, in turn, after a first one each; 1: two passes a side,
            the second of which counts.
        resume: go on with the newest one of this contract that was ended early.
    """

    cwd: Path
    correctness: tuple[str, ...] = ()
    timeout: float = 600.0
    runs: int = 1
    resume: bool = False

    @property
    def order(self) -> str | None:
        """Blocks of ABBA need four of them to say anything, else pairs do."""
        if self.runs == 1:
            return None
        return "abba" if self.runs >= 8 and self.runs % 2 == 0 else "ab"


def run_graph_ab(contract: RowContract, options: GraphOptions, tools: Tools) -> Compared:
    """Measure a row's command with graph capture off and on.

    The first pass of each side warms up and is kept; the second is the headline.

    Raises:
        BadInput: the row carries no command, or its prompt is not there.
        AnswerIsNo: ``--resume`` after the tree has changed.
    """
    if not contract.command:
        raise BadInput("the row carries no command", hint="collect it with `atlas collect-ar`")
    base_env = {name: v for name, v in contract.env.items() if name != VARIABLE}
    experiment = _experiment(contract, base_env, options)
    sides = TwoSides(experiment, tools)
    runs = sides.run(_plan(experiment, options), resume=options.resume)
    if runs.interrupted:
        return Compared("interrupted", {})
    correctness = [one for one in runs.records if one.role == "correctness"]
    terms = Terms(factor=FACTOR, order=options.order, incorrect=any(c.reason for c in correctness))
    told = sides.judge(runs, terms)
    status, reasons = status_of(runs, told)
    off, on = (_report(runs, arm, told["sides"][n], options) for arm, n in _named(experiment))
    document = {
        "schema": SCHEMA,
        "note": NOTE,
        "experiment_id": sides.experiment.experiment_id,
        "captured_at_utc": now_utc(),
        "status": status,
        "reasons": reasons,
        "metric": contract.metric,
        "goal": contract.goal,
        "factor": FACTOR,
        "order": options.order,
        "aa": False,
        "target": contract.target,
        "command": experiment.arms[0].command.stored(),
        "row_env": redact_env(contract.row_env)[0],
        "base_env": redact_env(base_env)[0],
        "stripped_env_keys": contract.stripped,
        "graph_off": off,
        "graph_on": on,
        "delta": _delta(contract.metric, off["metrics"], on["metrics"]),
        "route_changes": _route_changes(off["route"], on["route"]),
        **told,
        "correctness": [one.as_document() for one in correctness],
        "provenance": tree_json(runs.records[-1] if runs.records else None),
    }
    sides.record(document, runs.records)
    return Compared(status, document)


def _experiment(
    contract: RowContract, base_env: dict[str, str], options: GraphOptions
) -> Experiment:
    command = command_from_json(contract.command, "the row's command")

    def arm(name: str, value: str) -> Arm:
        env = {**base_env, VARIABLE: value}
        child = contract_environment(os.environ, env)
        return Arm(name, command, env, child, options.cwd.resolve(), contract.prompt_md5)

    return Experiment(
        kind="graph_ab",
        experiment_id=str(uuid.uuid4()),
        session_id=str(uuid.uuid4()),
        metric=contract.metric,
        goal=contract.goal,
        arms=(arm("graph_off", "0"), arm("graph_on", "1")),
        host=observe_host().hostname,
        timeout=options.timeout,
        shape={"order": options.order, "correctness": list(options.correctness)},
    )


def _named(experiment: Experiment) -> tuple[tuple[Arm, str], tuple[Arm, str]]:
    return (experiment.arms[0], "a"), (experiment.arms[1], "b")


def _plan(experiment: Experiment, options: GraphOptions) -> list[Slot]:
    """Correctness with graph on; then off twice and on twice, or a first pass each and turns."""
    off, on = experiment.arms
    checks = [
        Slot("correctness", on, at, Command(text)) for at, text in enumerate(options.correctness)
    ]
    if options.order:
        firsts = [Slot("warmup", arm, 0, arm.command) for arm in (off, on)]
        return [*checks, *firsts, *in_turn((off, on), options.runs, options.order)]
    passes = [
        Slot(role, arm, 0, arm.command) for arm in (off, on) for role in ("warmup", "measured")
    ]
    return [*checks, *passes]


def _report(runs: Runs, arm: Arm, side: dict[str, Any], options: GraphOptions) -> dict[str, Any]:
    """One side as documents have it: its passes in order, and what counts of them."""
    passes = [*runs.of("warmup", arm.name), *runs.of("measured", arm.name)]
    return {
        "env": redact_env(arm.contract)[0],
        "passes": [_pass(at, one) for at, one in enumerate(passes, start=1)],
        "headline_pass": _HEADLINE if options.order is None else None,
        "headline": "pass 2" if options.order is None else "median of all passes but the first",
        "metrics": side["metrics"],
        "route": passes[-1].route if passes else {},
    }


def _pass(index: int, record: RunRecord) -> dict[str, Any]:
    return {"pass_index": index, **record.as_document()}


def _delta(metric: str, off: dict[str, float], on: dict[str, float]) -> dict[str, Any]:
    """What graph capture changed; ``lift`` is on / off."""
    base, other = off.get(metric), on.get(metric)
    both = base is not None and other is not None
    told: dict[str, Any] = {
        "metric": metric,
        "graph_off": base,
        "graph_on": other,
        "absolute": other - base if both else None,  # type: ignore[operator]  # both are numbers
        "lift": other / base if both and base else None,  # type: ignore[operator]  # as above
    }
    for name in _DELTAS:
        here = name in off and name in on
        told[f"{name}_delta"] = on[name] - off[name] if here else None
    return told


def _route_changes(off: dict[str, Any], on: dict[str, Any]) -> list[str]:
    """Every field of the runtime route that is not the same on both sides, in words."""
    names = [name for name in (off | on) if off.get(name) != on.get(name)]
    return [f"{name}: {off.get(name)} -> {on.get(name)}" for name in names]
