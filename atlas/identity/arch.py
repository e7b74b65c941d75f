"""The GPU architecture of a run: as the program printed it, else as it was told or found."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ARCH_VARIABLES = ("HIPFIRE_BASELINE_ARCH", "HIPFIRE_TARGET_ARCH")
PROBES = ("amdgpu-arch", "offload-arch", "/opt/rocm/bin/amdgpu-arch")
OVERRIDE_VARIABLE = "HSA_OVERRIDE_GFX_VERSION"
PROBE_SECONDS = 10
_ARCH = re.compile(r"gfx[0-9a-f]{3,5}")
# In the order in which they act: each selects among what the one before left.
_SELECTORS = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "HIPFIRE_DEVICES")


@dataclass(frozen=True, slots=True)
class ArchIdentity(Record):
    """An architecture and how it was found.

    Attributes:
        arch: such as ``gfx1201``, target features (``:xnack-``) left out; None when unknown.
        source: ``printed``, ``--arch``, the name of a variable, or the tool that was asked.
        conflicts: every source and its value when another contradicts what was printed; such a row
            is in conflict about its identity. Empty when nothing does.
        override: value of HSA_OVERRIDE_GFX_VERSION, which makes the runtime report another
            architecture.
        reason: why ``arch`` is unknown.
    """

    arch: str | None = None
    source: str | None = None
    conflicts: Mapping[str, str] = field(default_factory=dict)
    override: str | None = None
    reason: str | None = None


def resolve_arch(
    printed: Sequence[str],
    option: str | None,
    environ: Mapping[str, str],
    probe: Callable[[str], str | None],
) -> ArchIdentity:
    """Resolve the architecture of a run.

    Args:
        printed: architectures the program printed for the device it used; they win.
        option: what ``--arch`` said.
        environ: environment of the run.
        probe: runs one of the PROBES and gives its output, None when it is not there; called only
            when nothing else tells.
    """
    override = environ.get(OVERRIDE_VARIABLE) or None
    told = {"--arch": option or ""} | {name: environ.get(name, "") for name in ARCH_VARIABLES}
    told = {source: arch for source, text in told.items() if (arch := normal_arch(text))}
    shown = sorted({arch for text in printed if (arch := normal_arch(text))})
    if len(shown) > 1:
        reason = f"the output names several architectures: {', '.join(shown)}"
        return ArchIdentity(override=override, reason=reason)
    if shown:
        against = {source: arch for source, arch in told.items() if arch != shown[0]}
        conflicts = {"printed": shown[0], **against} if against else {}
        return ArchIdentity(shown[0], "printed", conflicts, override)
    for source, arch in told.items():
        return ArchIdentity(arch, source, override=override)
    return _probed(environ, probe, override)


def normal_arch(text: str) -> str | None:
    """Give an architecture in lower case without target features; None for what is none."""
    arch = text.strip().lower().partition(":")[0]
    return arch if _ARCH.fullmatch(arch) else None


def run_probe(tool: str) -> str | None:
    """Run a tool that lists architectures, one line a device; None if that fails or hangs."""
    try:
        done = subprocess.run(
            [tool],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")


def _probed(
    environ: Mapping[str, str], probe: Callable[[str], str | None], override: str | None
) -> ArchIdentity:
    reason = "nothing printed, no --arch, no variable, and no tool tells the architecture"
    for tool in PROBES:
        lines = (probe(tool) or "").splitlines()
        devices = [arch for line in lines if (arch := normal_arch(line))]
        if not devices:
            continue
        arch = _selected(devices, environ)
        if arch is not None:
            return ArchIdentity(arch, tool, override=override)
        reason = f"{tool} lists {', '.join(devices)}, and no single one is selected"
    return ArchIdentity(override=override, reason=reason)


def _selected(devices: list[str], environ: Mapping[str, str]) -> str | None:
    """Give the architecture of the one visible device, or the one that all visible devices have.

    A tool that honours the variables itself prints one line: then no variable is applied a second
    time.
    """
    if len(devices) == 1:
        return devices[0]
    for name in _SELECTORS:
        value = environ.get(name)
        if value is None:
            continue
        indices = value.replace(" ", "").split(",")
        if not all(index.isdecimal() and int(index) < len(devices) for index in indices):
            return None
        devices = [devices[int(index)] for index in indices]
    return devices[0] if len(set(devices)) == 1 else None
