"""The circumstances of a run: everything about a row that its output doesn't print."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class RunContext:
    """What was asked for and what was measured; kept in the event, so that rows can be made again.

    For output of unknown origin nearly everything is unknown.

    Attributes:
        hostname: host the program ran on.
        captured_at_utc: ISO-8601 time of the run's end.
        workload: name of the workload; ``model_size`` and ``quant`` are labels.
        workload_kind: ``ar`` or ``dflash``.
        command: argv as stored: secrets replaced, a prompt as ``@FILE``.
        request: what the command asked for: ``prefill``, ``gen``, ``max``, ``ctx``, ``kv_mode`` …
        run_index: index of the run within its collection, from 0.
        env: recorded variables.
        arch_option: what ``--arch`` said.
        arch_found: architecture that a tool of the host told, as ``{arch, source}``.
        git, binary, model, draft, prompt, code_objects, host: identities as JSON.
        isa, dispatch: the manifests that were made of this run, by their events.
    """

    hostname: str = "unknown"
    captured_at_utc: str | None = None
    workload: str | None = None
    workload_kind: str | None = None
    model_size: str | None = None
    quant: str | None = None
    command: list[str] = field(default_factory=list)
    request: dict[str, Any] = field(default_factory=dict)
    run_index: int | None = None
    env: dict[str, str] = field(default_factory=dict)
    arch_option: str | None = None
    arch_found: dict[str, Any] = field(default_factory=dict)
    git: dict[str, Any] = field(default_factory=dict)
    binary: dict[str, Any] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    draft: dict[str, Any] = field(default_factory=dict)
    prompt: dict[str, Any] = field(default_factory=dict)
    code_objects: dict[str, Any] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    isa: dict[str, Any] = field(default_factory=dict)
    dispatch: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The known fields."""
        named = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in named if value not in (None, {}, [])}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> RunContext:
        """The context of an event; fields of newer versions are left out."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended.

    Attributes:
        exit_code: exit code; None when a signal ended it.
        signal: name of that signal.
        timed_out: it was ended because it took too long.
        interrupted: it was ended because the user interrupted the collection.
        failed_to_start: why it could not be started.
    """

    exit_code: int | None = 0
    signal: str | None = None
    timed_out: bool = False
    interrupted: bool = False
    failed_to_start: str | None = None

    @property
    def reason(self) -> str | None:
        """Stable code of what went wrong; None for a good end."""
        if self.failed_to_start is not None:
            return "not_started"
        if self.interrupted:
            return "interrupted"
        if self.timed_out:
            return "timeout"
        if self.signal is not None:
            return "signal"
        return "exit_nonzero" if self.exit_code else None

    @property
    def message(self) -> str:
        """One sentence about a bad end."""
        sentences = {
            "not_started": f"could not be started: {self.failed_to_start}",
            "interrupted": "interrupted by the user",
            "timeout": "ended because it took too long",
            "signal": f"ended by {self.signal}",
            "exit_nonzero": f"exit code {self.exit_code}",
        }
        return sentences[self.reason] if self.reason else "ended well"

    def as_json(self) -> dict[str, Any]:
        """The known fields."""
        named = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in named if value is not None and value is not False}
