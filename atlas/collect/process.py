"""One run of a program in its own process group, with its whole output."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from atlas.rows.context import RunEnd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over.

    Attributes:
        end: how it ended.
        stdout: all it printed there; ``stderr`` likewise.
        started_us: UTC microseconds; ``ended_us`` likewise.
    """

    end: RunEnd
    stdout: bytes
    stderr: bytes
    started_us: int
    ended_us: int


def run(argv: Sequence[str], env: Mapping[str, str], timeout: float, cwd: Path) -> Finished:
    """Run a program to its end, or end its whole process group when ``timeout`` seconds are over.

    Output goes to files, not pipes, so that a grandchild that survives can't make this hang. An
    interrupt by the user ends the program and is told in the result.
    """
    started = time.time_ns() // 1000
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                argv,
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            end = RunEnd(exit_code=None, failed_to_start=error.strerror or str(error))
        else:
            end = _await(process, timeout)
        return Finished(end, _all(out), _all(err), started, time.time_ns() // 1000)


def _await(process: subprocess.Popen[bytes], timeout: float) -> RunEnd:
    timed_out = interrupted = False
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        code = _end_group(process)
    except KeyboardInterrupt:
        interrupted = True
        code = _end_group(process)
    name = signal.Signals(-code).name if code < 0 else None
    return RunEnd(None if code < 0 else code, name, timed_out, interrupted)


def _end_group(process: subprocess.Popen[bytes]) -> int:
    """Ask the group to end, then make it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _all(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
