"""SSH signatures, made and checked by ``ssh-keygen -Y`` as git does it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from ledger.errors import SigningFailed

NAMESPACE = "kernel-atlas"
"""A signature for one purpose is none for another."""

_SECONDS = 60


def sign(text: str, key: Path) -> str:
    """Armoured signature of ``text``.

    Args:
        text: what is signed.
        key: a private key, or a public one whose private part the agent holds.

    Raises:
        SigningFailed: there is no ssh-keygen, or it refuses the key.
    """
    done = _keygen(["sign", "-f", str(key)], text)
    if done.returncode:
        raise SigningFailed(f"{key} can't sign: {_said(done)}", hint="name an SSH key")
    return done.stdout


def check(text: str, signature: str, signers: Path | None) -> str | None:
    """What is wrong with a signature; None when it is right.

    Args:
        text: what was signed.
        signature: armoured.
        signers: file of allowed signers (see ssh-keygen): the signature must be one of theirs.
            None: it must only fit the text, whoever's it is.

    Raises:
        SigningFailed: there is no ssh-keygen.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "signature"
        file.write_text(signature)
        if signers is None:
            done = _keygen(["check-novalidate", "-s", str(file)], text)
            return _said(done) if done.returncode else None
        allowed = ["-f", str(signers), "-s", str(file)]
        who = _keygen(["find-principals", *allowed], text)
        if who.returncode:
            return "it is of nobody among the allowed signers"
        name = who.stdout.splitlines()[0].split(",")[0]
        done = _keygen(["verify", "-I", name, *allowed], text)
        return _said(done) if done.returncode else None


def _keygen(arguments: list[str], text: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *arguments, "-n", NAMESPACE],
            input=text,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SigningFailed(f"ssh-keygen can't be run: {error}", hint="install OpenSSH") from error


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[0] if lines else f"ssh-keygen ended with {done.returncode}"
