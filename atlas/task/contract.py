"""What a row's own command, environment and metric make of an eval's contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.evals.child_env import without_profiling
from atlas.evals.figures import goal_of
from atlas.identity.environment import VISIBILITY_VARIABLES

if TYPE_CHECKING:
    from atlas.task.row_source import SourceRow

UNKNOWN = "unknown"
_TARGET = ("host", "arch", "workload", "phase", "shape_bucket", "model_size", "quant")


@dataclass(frozen=True, slots=True)
class RowContract:
    """The contract of a row.

    Attributes:
        target: where and on what it was measured; ``unknown`` where that is not known.
        metric: its headline metric; ``goal``: maximize or minimize.
        command: as stored; empty when the row carries none.
        env: its variables without profiling, with its device.
        row_env: all its variables; ``stripped``: the profiling ones among them.
        profiled: its numbers say where time goes, not how fast the program is.
        prompt_md5: digest of the prompt it was measured with.
    """

    target: dict[str, str]
    metric: str
    goal: str
    command: list[str]
    env: dict[str, str]
    row_env: dict[str, str]
    stripped: list[str]
    profiled: bool
    prompt_md5: str | None

    @property
    def requires_fresh_baseline(self) -> bool:
        """Its own numbers are no reference."""
        return bool(self.stripped) or self.profiled


def contract_of(source: SourceRow) -> RowContract:
    """The contract that a row's own command and environment make."""
    known = source.known
    told = source.part("variant").get("env")
    row_env = {str(n): str(v) for n, v in told.items()} if isinstance(told, dict) else {}
    env, stripped = without_profiling(row_env | _device_env(known.get("visible"), row_env))
    command = source.row.get("command")
    return RowContract(
        target={name: known[name] or UNKNOWN for name in _TARGET},
        metric=known["metric"],
        goal=goal_of(known["metric"]),
        command=[str(word) for word in command] if isinstance(command, list) else [],
        env=env,
        row_env=row_env,
        stripped=stripped,
        profiled=bool(known["profiled"]),
        prompt_md5=known["prompt_md5"],
    )


def _device_env(visible: str | None, row_env: dict[str, str]) -> dict[str, str]:
    """Visibility variables of the row's device identity, which its variant may not hold."""
    if not visible or not VISIBILITY_VARIABLES.isdisjoint(row_env):
        return {}
    pairs = (word.partition("=") for word in visible.split())
    return {name: value for name, mark, value in pairs if mark and name in VISIBILITY_VARIABLES}


def row_provenance(source: SourceRow) -> dict[str, Any]:
    """What the row was measured with, and which row it is."""
    row, model = source.row, source.part("model")
    told = {
        **source.part("provenance"),
        "row_id": source.row_id,
        "event_id": source.known["event_id"],
        "captured_at_utc": row.get("captured_at_utc"),
        "git_sha": row.get("git_sha"),
        "model_path": model.get("path"),
        "model_md5": model.get("md5"),
        "prompt_md5": source.known["prompt_md5"],
        "prompt_file": source.part("artifacts").get("prompt_file"),
    }
    return {name: value for name, value in told.items() if value is not None}
