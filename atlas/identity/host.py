"""The machine: its name and its ROCm installation."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

from atlas.identity.record import Record

ROCM = Path("/opt/rocm")


@dataclass(frozen=True, slots=True)
class HostIdentity(Record):
    """A host.

    Attributes:
        hostname: as reported, ``unknown`` when there is none.
        rocm_version: text of ROCm's version file; None without one.
    """

    hostname: str
    rocm_version: str | None = None


def observe_host(rocm: Path = ROCM) -> HostIdentity:
    """Observe the host and the ROCm installation in a folder."""
    return HostIdentity(_hostname(), _rocm_version(rocm))


def _hostname() -> str:
    try:
        return socket.gethostname().strip() or "unknown"
    except OSError:
        return "unknown"


def _rocm_version(rocm: Path) -> str | None:
    try:
        with (rocm / ".info" / "version").open(encoding="utf-8", errors="replace") as stream:
            return stream.readline(200).strip() or None
    except OSError:
        return None
