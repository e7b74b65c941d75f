"""Any two commands or environments in turn; or one twice, to learn the host's own noise."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.ab.sides import Compared, TwoSides, status_of, tree_json
from atlas.errors import BadUsage
from atlas.evals.arm import Arm, Experiment, in_turn
from atlas.evals.child_env import inherited_environment
from atlas.evals.command import Command, command_from_text
from atlas.evals.documents import NOTE, now_utc
from atlas.evals.figures import goal_of
from atlas.evals.verdict import Terms
from atlas.identity.host import observe_host

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.tools import Tools

SCHEMA = "hipfire.kernel_atlas.ab.v0"


@dataclass(frozen=True, slots=True)
class AbOptions:
    """Options of `atlas ab`.

    Attributes:
        a: base command; ``b``: the other one, by default the same.
        metric: looked up in the whole output.
        cwd: where both run.
        env_a, env_b: variables of each side.
        order: ``abba`` or ``ab``.
        pairs: processes a side.
        is_aa: nothing differs: the pairs tell the host's own noise.
        goal: by the metric's name when None.
        timeout: seconds a process may take.
        resume: go on with the newest one of this contract that was ended early.
    """

    a: str
    metric: str
    cwd: Path
    b: str | None = None
    env_a: dict[str, str] = field(default_factory=dict)
    env_b: dict[str, str] = field(default_factory=dict)
    order: str = "abba"
    pairs: int = 8
    is_aa: bool = False
    goal: str | None = None
    timeout: float = 600.0
    resume: bool = False

    def check(self) -> None:
        """Refuse what doesn't fit together.

        Raises:
            BadUsage: names the options.
        """
        if self.order == "abba" and self.pairs % 2:
            raise BadUsage(
                f"--order abba runs blocks of two pairs, --pairs {self.pairs} is odd",
                hint="give an even --pairs (8 for a verdict), or --order ab",
            )
        same = self.b in (None, self.a) and self.env_b == self.env_a
        if self.is_aa and not same:
            raise BadUsage("--aa compares a command with itself", hint="leave out --b and --env-b")
        if not self.is_aa and same:
            raise BadUsage(
                "both sides are the same", hint="give --b or --env-b, or --aa for the host's noise"
            )
        if not self.cwd.is_dir():
            raise BadUsage(f"no folder {self.cwd}", hint="name one with --cwd")


def run_ab(options: AbOptions, tools: Tools) -> Compared:
    """Run both sides in turn, each process an event as it ends, and judge them.

    Raises:
        BadUsage: options that don't fit together.
        AnswerIsNo: ``--resume`` after the tree has changed.
    """
    options.check()
    experiment = _experiment(options)
    sides = TwoSides(experiment, tools)
    runs = sides.run(
        in_turn((sides.base, sides.candidate), options.pairs, options.order),
        resume=options.resume,
    )
    if runs.interrupted:
        return Compared("interrupted", {})
    factor = _factor(options)
    told = sides.judge(runs, Terms(factor=factor, order=options.order))
    status, reasons = status_of(runs, told)
    a, b = (told["sides"][name]["metrics"].get(options.metric) for name in "ab")
    document = {
        "schema": SCHEMA,
        "note": NOTE,
        "experiment_id": sides.experiment.experiment_id,
        "captured_at_utc": now_utc(),
        "status": status,
        "reasons": reasons,
        "metric": options.metric,
        "goal": experiment.goal,
        "factor": factor,
        "order": options.order,
        "pairs": options.pairs,
        "aa": options.is_aa,
        "delta": {"metric": options.metric, "a": a, "b": b, "lift": b / a if a and b else None},
        **told,
        "runs": [{"arm": one.arm, "index": one.index, **one.as_document()} for one in runs.records],
        "provenance": tree_json(runs.records[-1] if runs.records else None),
    }
    sides.record(document, runs.records)
    return Compared(status, document)


def _experiment(options: AbOptions) -> Experiment:
    commands = command_from_text(options.a), command_from_text(options.b or options.a)
    env_b = options.env_a if options.is_aa else options.env_b
    return Experiment(
        kind="ab",
        experiment_id=str(uuid.uuid4()),
        session_id=str(uuid.uuid4()),
        metric=options.metric,
        goal=options.goal or goal_of(options.metric),
        arms=(
            _arm("a", commands[0], options.env_a, options.cwd.resolve()),
            _arm("b", commands[1], env_b, options.cwd.resolve()),
        ),
        host=observe_host().hostname,
        timeout=options.timeout,
        shape={"order": options.order, "aa": options.is_aa},
    )


def _arm(name: str, command: Command, env: dict[str, str], cwd: Path) -> Arm:
    return Arm(name, command, env, inherited_environment(os.environ, env), cwd)


def _factor(options: AbOptions) -> str:
    """What differs between the sides: nothing, variables alone, or the commands."""
    if options.is_aa:
        return "aa"
    if options.b not in (None, options.a):
        return "code"
    names = sorted(
        name
        for name in options.env_a.keys() | options.env_b.keys()
        if options.env_a.get(name) != options.env_b.get(name)
    )
    return f"env:{','.join(names)}"


def describe(document: dict[str, Any]) -> list[tuple[str, Any]]:
    """Lines for people."""
    verdict = document["verdict"]
    names = ("verdict", "reason", "ratio", "lo", "hi", "n_a", "n_b", "delta", "mde", "runs_needed")
    return [
        ("status", document["status"]),
        ("metric", document["metric"]),
        ("a", document["delta"].get("a", document["delta"].get("graph_off"))),
        ("b", document["delta"].get("b", document["delta"].get("graph_on"))),
        ("factor", document["factor"]),
        *((name, verdict[name]) for name in (*names, "grade")),
    ]
