"""A task around any program that prints a score; nothing is extracted from PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.identity.host import observe_host
from atlas.task.bundle import finished_task, from_root
from atlas.task.contract import UNKNOWN
from atlas.task.cut import observe_cut
from atlas.task.hot_kernel import HotKernel

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Probe:
    """What was said about a probe on the command line.

    Attributes:
        name: of the workload.
        op: operation it is about.
        input_shapes: such as ``1x4096``.
        dtype: element type.
        eval_command: text that bash runs; prints ``score=…`` or ``score: …``.
        allowed_files: files that may be edited.
        task_id: instead of the one its content gives.
    """

    name: str
    op: str
    input_shapes: tuple[str, ...]
    dtype: str
    eval_command: str
    allowed_files: tuple[str, ...] = ()
    task_id: str | None = None


def task_from_probe(probe: Probe, cwd: Path) -> dict[str, Any]:
    """The task document of a probe."""
    op = {"family": "pytorch", "role": probe.op, "phase_hint": "probe"}
    body = {
        "producer": {
            "kind": "pytorch",
            "suggestion": {},
            "name": probe.name,
            "op": probe.op,
            "input_shapes": list(probe.input_shapes),
            "dtype": probe.dtype,
        },
        "target": {
            "host": observe_host().hostname,
            "arch": UNKNOWN,
            "workload": probe.name,
            "phase": "pytorch_probe",
            "shape_bucket": "|".join(probe.input_shapes) or UNKNOWN,
            "model_size": UNKNOWN,
            "quant": UNKNOWN,
        },
        "hot_kernel": HotKernel(name=probe.op, op=op).as_json(),
        "baseline": {
            "metrics": {},
            "command": probe.eval_command,
            "env": {},
            "row_env": {},
            "stripped_env_keys": [],
            "requires_fresh_baseline": False,
            "provenance": {},
        },
        "experiment": {
            "title": f"Optimize {probe.name}",
            "lever_type": "source_sweep",
            "risk": "medium",
            "expected_impact": UNKNOWN,
            "rationale": ["Nothing was extracted from PyTorch: the command prints its own score."],
            "candidate_steps": ["Change one knob at a time, and measure after each."],
        },
        "constraints": {"allowed_files": from_root(probe.allowed_files, cwd)},
        "cut": observe_cut(cwd),
        "eval": {
            "metric": "score",
            "goal": "maximize",
            "benchmark_command": probe.eval_command,
            "correctness_commands": [],
            "requires_fresh_baseline": False,
        },
    }
    return finished_task(body, "atlas-pytorch-", probe.task_id)
