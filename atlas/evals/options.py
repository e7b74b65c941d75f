"""What may be chosen about an eval, checked before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.errors import BadUsage

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = ("abba", "ab")


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """Options of `atlas eval`.

    Attributes:
        output_dir: where result.json, ledger.jsonl and baseline.json go.
        cwd: where commands run.
        timeout: seconds one process may take.
        runs: measured processes a side.
        warmup_runs: processes before them that are kept and not measured.
        max_rel_spread: (max - min) / median above which the series is unstable.
        refresh_baseline: this series becomes the task's baseline.
        accept_weak_baseline: 2 or 3 runs are enough for that; nothing can be claimed against it.
        baseline: a file or an event id.
        interleave: ``abba`` or ``ab``: baseline and candidate take turns.
        baseline_command: what the baseline side runs; ``baseline_worktree``: or where it runs.
        resume: go on with the newest eval of this contract that was ended early.
        allow_out_of_bounds: record files outside the task's bounds, don't fail for them.
    """

    output_dir: Path
    cwd: Path
    timeout: float = 600.0
    runs: int = 1
    warmup_runs: int = 0
    max_rel_spread: float = 0.20
    refresh_baseline: bool = False
    accept_weak_baseline: bool = False
    baseline: str | None = None
    interleave: str | None = None
    baseline_command: str | None = None
    baseline_worktree: Path | None = None
    resume: bool = False
    allow_out_of_bounds: bool = False

    def check(self) -> None:
        """Refuse what doesn't fit together.

        Raises:
            BadUsage: names the options.
        """
        other = self.baseline_command is not None or self.baseline_worktree is not None
        if self.baseline_command is not None and self.baseline_worktree is not None:
            raise BadUsage("--baseline-command and --baseline-worktree: one of them")
        if bool(self.interleave) != other:
            raise BadUsage(
                "--interleave goes with --baseline-command or --baseline-worktree",
                hint="it needs to know what the baseline side runs",
            )
        if self.interleave and (self.refresh_baseline or self.baseline):
            raise BadUsage(
                "--interleave measures its own baseline",
                hint="leave out --refresh-baseline and --baseline",
            )
        if self.refresh_baseline and self.baseline:
            raise BadUsage("--refresh-baseline and --baseline: one of them")
        if self.interleave == "abba" and self.runs % 2:
            raise BadUsage(
                f"--interleave abba runs blocks of two a side, --runs {self.runs} is odd",
                hint="give an even --runs (8 for a verdict), or --interleave ab",
            )
        if not self.cwd.is_dir():
            raise BadUsage(f"no folder {self.cwd}", hint="name one with --cwd")
