"""One finished process of an experiment: what is kept of it, and how it becomes an event."""

from __future__ import annotations

import math
import signal
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.collect.session import printed_archs, read_streams
from atlas.outputs.metric import find_metric
from atlas.outputs.text import decode

if TYPE_CHECKING:
    from atlas.outputs.reading import Reading
    from atlas.rows.context import RunEnd

_TAIL_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A process that is over; its JSON form is ``run`` of the payload of an ``eval_run`` event.

    Attributes:
        role, arm, index: its place in the plan, see `atlas.evals.arm.Slot`.
        command: stored form; ``shell``: bash ran it.
        returncode: exit code, minus the signal that ended it, None when it never ran to an end.
        reason: why it counts as failed: ``timeout``, ``exit_nonzero``, ``metric_missing`` …
        message: the same as a sentence.
        output_tail: the end of what it printed; the whole is kept as blobs.
        metrics: finite numbers it printed, by v0 name.
        value: the experiment's metric; None when it was not printed.
        env: recorded variables of the process.
        profiled: profiling was on.
        device: ``{arch, device_index, visible}`` as far as they were told.
        binary, code_objects, git: identities as JSON.
        route: the runtime route it took, where the output tells a KV mode.
        started_us, ended_us: UTC microseconds.
        event_id: its event; empty before it is recorded.
    """

    role: str
    arm: str
    index: int
    command: list[str] | str
    shell: bool
    returncode: int | None
    reason: str | None = None
    message: str = ""
    output_tail: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    value: float | None = None
    env: dict[str, str] = field(default_factory=dict)
    profiled: bool = False
    device: dict[str, Any] = field(default_factory=dict)
    binary: dict[str, Any] = field(default_factory=dict)
    code_objects: dict[str, Any] = field(default_factory=dict)
    git: dict[str, Any] = field(default_factory=dict)
    route: dict[str, Any] = field(default_factory=dict)
    started_us: int = 0
    ended_us: int = 0
    event_id: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What a resumed plan knows it by."""
        return self.role, self.arm, self.index

    def as_json(self) -> dict[str, Any]:
        """Everything but the id of its own event."""
        return {name: value for name, value in asdict(self).items() if name != "event_id"}

    def as_document(self) -> dict[str, Any]:
        """The form in ``result.json``."""
        told = {
            "command": self.command,
            "shell": self.shell,
            "returncode": self.returncode,
            "output_tail": self.output_tail,
            "metrics": self.metrics,
        }
        more = {"reason": self.reason, "message": self.message, "event_id": self.event_id}
        return told | {name: value for name, value in more.items() if value}

    @classmethod
    def from_json(cls, values: dict[str, Any], event_id: str) -> RunRecord:
        """The record of an event; fields of newer versions are left out."""
        known = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        return cls(**{**known, "event_id": event_id})


@dataclass(frozen=True, slots=True)
class Said:
    """What the output of a process says."""

    reading: Reading
    metrics: dict[str, float]
    value: float | None
    tail: str

    @property
    def archs(self) -> list[str]:
        """Architectures it names."""
        return printed_archs(self.reading)

    def fact(self, name: str) -> Any:
        """The last fact of that name, None when none was printed."""
        told = [s.facts[name] for s in self.reading.segments if s.facts.get(name) is not None]
        return told[-1] if told else None

    @property
    def profiled(self) -> bool:
        """It printed a kernel table: launches were serialised."""
        return any(one.profile for s in self.reading.segments for one in s.observations)


def read_run(stdout: bytes, stderr: bytes, metric: str) -> Said:
    """Look for the metric and everything else in the whole output of a process."""
    text = decode(b"\n".join(part for part in (stderr, stdout) if part))[0]
    reading = read_streams(stderr, stdout, "ar")
    metrics: dict[str, float] = {}
    for segment in reading.segments:
        for one in segment.observations:
            metrics |= {name: float(n) for name, n in one.metrics.items() if _finite(n)}
    value = find_metric(text, metric)
    if value is not None:
        metrics[metric] = value
    else:
        metrics.pop(metric, None)
    return Said(reading, metrics, value, text[-_TAIL_CHARACTERS:])


def returncode_of(end: RunEnd) -> int | None:
    """Exit code as a shell script's caller knows it: negative for a signal."""
    if end.exit_code is not None or end.signal is None:
        return end.exit_code
    return -int(signal.Signals[end.signal])


def _finite(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value)
