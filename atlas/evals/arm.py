"""Who runs: the sides of an experiment, and the single processes it consists of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ledger import canonical

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.child_env import ChildEnv
    from atlas.evals.command import Command


@dataclass(frozen=True, slots=True)
class Arm:
    """One side: a command in an environment and a folder.

    Attributes:
        name: ``candidate``, ``baseline``, ``a``, ``b``, ``graph_off`` or ``graph_on``.
        command: what is measured.
        contract: variables that the contract sets.
        child: the whole environment of its processes.
        cwd: where they run.
        prompt_md5: what a prompt file must hash to.
    """

    name: str
    command: Command
    contract: dict[str, str]
    child: ChildEnv
    cwd: Path
    prompt_md5: str | None = None

    def as_json(self) -> dict[str, Any]:
        """What makes this side what it is, without secrets."""
        from atlas.identity.redaction import redact_env

        return {
            "name": self.name,
            "command": self.command.stored(),
            "shell": self.command.shell,
            "env": redact_env(self.contract)[0],
            "cwd": str(self.cwd),
            "unset_env": list(self.child.unset),
        }


@dataclass(frozen=True, slots=True)
class Slot:
    """One process of a plan.

    Attributes:
        role: ``correctness``, ``warmup`` or ``measured``.
        arm: the side it belongs to.
        index: its place among those of the same role and side, from 0.
        command: what it runs.
    """

    role: str
    arm: Arm
    index: int
    command: Command

    @property
    def key(self) -> tuple[str, str, int]:
        """What a resumed plan knows it by."""
        return self.role, self.arm.name, self.index

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.arm.name}, {self.role} {self.index + 1}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """What the runs of one plan have in common.

    Attributes:
        kind: ``eval``, ``ab`` or ``graph_ab``.
        experiment_id: UUID of the eval or A/B, kept when it is resumed.
        session_id: UUID of the recording command that began it.
        metric: the metric that is looked up in the output.
        goal: ``maximize`` or ``minimize``.
        arms: the sides.
        host: host name.
        timeout: seconds a process may take.
        task_id: the task whose contract it is.
        shape: what else distinguishes its plan: the order in which sides take turns.
    """

    kind: str
    experiment_id: str
    session_id: str
    metric: str
    goal: str
    arms: tuple[Arm, ...]
    host: str
    timeout: float
    task_id: str | None = None
    shape: dict[str, Any] = field(default_factory=dict)

    @property
    def contract(self) -> str:
        """Sha256 over everything but how many runs are wanted: what may be resumed."""
        said = {
            "kind": self.kind,
            "task_id": self.task_id,
            "metric": self.metric,
            "host": self.host,
            "arms": [arm.as_json() for arm in self.arms],
            "shape": self.shape,
        }
        return hashlib.sha256(canonical.dumps(said)[0].encode()).hexdigest()


def in_turn(arms: tuple[Arm, Arm], runs: int, order: str) -> list[Slot]:
    """Measured slots of two sides that take turns, so that a drift of clocks hits both alike.

    Args:
        arms: base and candidate.
        runs: processes a side.
        order: ``abba`` (even ``runs``: blocks of two a side) or ``ab``.
    """
    first, second = arms
    slots: list[Slot] = []
    for index in range(runs):
        turn = (second, first) if order == "abba" and index % 2 else (first, second)
        slots += [Slot("measured", arm, index, arm.command) for arm in turn]
    return slots
