"""A side of a comparison: its samples and everything that decides what may be said about them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.identity.environment import variant_of
from ledger import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.evals.arm import Arm
    from atlas.evals.run_record import RunRecord

_GPU_OUTPUT = ("arch", "device_index")


@dataclass(frozen=True, slots=True)
class Side:
    """One series and its identity; None is unknown.

    Attributes:
        samples: values of the metric, one per process, in the order they ran.
        metric: what was measured.
        host: host name.
        device: ``{arch, device_index, visible}`` as far as told.
        command_digest: see `atlas.evals.command.Command.digest`.
        env: variant variables, without device, profiling and warm-up.
        binary_md5: digest of the program; ``binary_kind``: elf, script, other or missing.
        code_objects: digest of the folder of code objects; ``none`` where the program is known to
            use none that could be named.
        profiled: launches were serialised.
        weak: accepted with fewer than 4 runs.
        session_id: recording command.
        changed: identity fields that changed between runs of this very series.
    """

    samples: tuple[float, ...]
    metric: str
    host: str | None = None
    device: dict[str, Any] | None = None
    command_digest: str | None = None
    env: dict[str, str] | None = None
    binary_md5: str | None = None
    binary_kind: str | None = None
    code_objects: str | None = None
    profiled: bool = False
    weak: bool = False
    session_id: str | None = None
    changed: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """The form in documents and events."""
        return {
            "samples": list(self.samples),
            "host": self.host,
            "device": self.device,
            "command_digest": self.command_digest,
            "env": self.env,
            "binary_md5": self.binary_md5,
            "binary_kind": self.binary_kind,
            "code_objects": self.code_objects,
            "profiled": self.profiled,
            "session_id": self.session_id,
        }


def side_of(
    arm: Arm, records: Sequence[RunRecord], metric: str, host: str, session_id: str
) -> Side:
    """The side that measured runs of an arm make."""
    last = records[-1] if records else None
    return Side(
        samples=tuple(one.value for one in records if one.value is not None),
        metric=metric,
        host=host,
        device=last.device if last else None,
        command_digest=arm.command.digest,
        env=variant_of(last.env) if last else None,
        binary_md5=last.binary.get("md5") if last else None,
        binary_kind=("script" if arm.command.shell else last.binary.get("kind")) if last else None,
        code_objects=_code_objects(last) if last else None,
        profiled=any(one.profiled for one in records),
        session_id=session_id,
        changed=tuple(_changed(records)),
    )


def side_from_json(values: dict[str, Any], metric: str, *, weak: bool) -> Side:
    """The side of a document; what older ones don't carry is unknown."""
    env, device = values.get("env"), values.get("device")
    return Side(
        samples=tuple(v for v in values.get("samples") or () if isinstance(v, int | float)),
        metric=metric,
        host=_text(values.get("host")),
        device=device if isinstance(device, dict) else None,
        command_digest=_text(values.get("command_digest")),
        env=env if isinstance(env, dict) else None,
        binary_md5=_text(values.get("binary_md5")),
        binary_kind=_text(values.get("binary_kind")),
        code_objects=_text(values.get("code_objects")),
        profiled=values.get("profiled") is True,
        weak=weak,
        session_id=_text(values.get("session_id")),
    )


def env_digest(env: dict[str, str]) -> str:
    """Sha256 over variables."""
    return hashlib.sha256(canonical.dumps(env)[0].encode()).hexdigest()


def _code_objects(last: RunRecord) -> str | None:
    """A program that names no GPU and no kernel cache has no code objects one could compare."""
    digest = last.code_objects.get("digest")
    named = last.code_objects.get("folder") or any(last.device.get(n) for n in _GPU_OUTPUT)
    return digest or (None if named else "none")


def _changed(records: Sequence[RunRecord]) -> list[str]:
    """Identity that was not the same for all runs; a folder of code objects may have grown."""
    changed = []
    if len({one.binary.get("md5") for one in records}) > 1:
        changed.append("binary_md5")
    if len({canonical.dumps(one.device)[0] for one in records}) > 1:
        changed.append("device")
    seen: dict[str, str] = {}
    for one in records:
        entries = {str(name): str(md5) for name, md5 in one.code_objects.get("entries") or ()}
        if any(entries.get(name) != md5 for name, md5 in seen.items()):
            changed.append("code_objects")
            break
        seen = entries
    return changed


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
