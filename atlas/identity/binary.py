"""The program that was measured: the ELF a command runs, found through wrapper scripts too."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from atlas.identity.command import (
    HOUSEKEEPING,
    SHELLS,
    Started,
    is_launcher,
    simple_commands,
    started_by,
)
from atlas.identity.elf import build_id, is_elf
from atlas.identity.files import FileIdentity, observe_file
from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SCRIPT_BYTES = 256 * 1024
_MAX_WORDS = 4000
_LIBRARY = re.compile(r"\.(?:so(?:\.[0-9.]+)?|hsaco|co|o|a)$")
_WORD = re.compile(r"""\"([^"\n]*)\"|'([^'\n]*)'|([^\s"'`;|&<>(),=\[\]]+)""")
_SELF = r"""(?:\$0|\$\{?BASH_SOURCE(?:\[0\])?\}?)"""
_OWN_FOLDER = re.compile(
    rf"""\$\(dirname (?:-- )?"?{_SELF}"?\)|\$\{{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}}"""
)
_ENTERED = re.compile(
    r"""\$\(cd (?:-- )?"?([^"$()&]+)"?(?: >/dev/null(?: 2>&1)?)? && pwd(?: -P)?\)"""
)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))")
_NO_SHELL = re.compile(r"#!.*(python|perl|ruby|node|lua)")
_SET = re.compile(
    r"""^[ \t]*(?:export |local |readonly )?([A-Za-z_]\w*)="""
    r"""(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&|]*))""",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class BinaryIdentity(Record):
    """The program of a command.

    Attributes:
        kind: ``elf``: the command runs this file; ``script``: it runs a script, so that equal
            digests do not mean that equal code ran; ``other``: neither ELF nor text; ``missing``.
        path: the ELF, or without one the script itself.
        md5: digest of ``path``.
        bytes: size of ``path``.
        mtime_us: time of its last change, UTC microseconds.
        build_id: its GNU build id, hex.
        script: the script, when one stands between the command and the ELF.
        reason: why something above is unknown.
    """

    kind: Literal["elf", "script", "other", "missing"]
    path: str | None = None
    md5: str | None = None
    bytes: int | None = None
    mtime_us: int | None = None
    build_id: str | None = None
    script: FileIdentity | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Places:
    """Where words of a command are looked up, and with which variables."""

    cwd: Path
    script_folder: Path | None
    environ: Mapping[str, str]

    def file(self, word: str) -> Path | None:
        """Find a file relative to the working directory or the script's folder."""
        for folder in (self.cwd, self.script_folder):
            if folder is not None and word and _is_file(folder / word):
                return folder / word
        return None

    def program(self, word: str) -> Path | None:
        """Find a program as a shell would: by path if it has a slash, else on PATH."""
        if "/" in word:
            return self.file(os.path.expanduser(word))  # noqa: PTH111  # a word, not yet a path
        found = shutil.which(word, path=self.environ.get("PATH", os.defpath))
        return self.cwd / found if found else None


def observe_binary(
    command: Sequence[str] | str, cwd: Path, environ: Mapping[str, str] | None = None
) -> BinaryIdentity:
    """Observe the program a command runs.

    Args:
        command: argv, or text that a shell runs.
        cwd: where it runs.
        environ: its environment (PATH and variables in wrapper scripts); default this process's.

    Returns:
        The ELF itself; behind a script the first ELF that the script names; for a script that names
        none the interpreter it was given to, or the script's own digest. Never raises for what is
        on disk.
    """
    places = _Places(cwd, None, os.environ if environ is None else environ)
    started = started_by(command)
    if started.text is not None:
        return _inline(observe_binary(started.text, cwd, environ))
    if started.folder:
        places = _Places(cwd / started.folder, None, places.environ)
    if started.program is None:
        return BinaryIdentity("missing", reason="the command names no program")
    program = started.program
    if isinstance(command, str):
        program = _fill(program, places.environ) or program
    found = places.program(program)
    if found is None:
        return BinaryIdentity("missing", program, reason="no such program")
    if started.candidates:
        return _behind_profiler(found, started.candidates, places)
    return _observe(found, started, places)


def _observe(program: Path, started: Started, places: _Places) -> BinaryIdentity:
    if started.script is not None:
        script = places.file(started.script)
        if script is None:
            return _file(program, "script", reason=f"no such script: {started.script}")
        return _behind_script(script, places, interpreter=program)
    if started.inline:
        return _file(program, "script", reason="the program is in the interpreter's arguments")
    if is_elf(program):
        return _file(program, "elf")
    text = _script_text(program)
    if text is None:
        return _file(program, "other", reason="neither an ELF file nor a script")
    return _behind_script(program, places, interpreter=None)


def _behind_profiler(profiler: Path, words: Sequence[str], places: _Places) -> BinaryIdentity:
    files = (places.file(word) for word in words)
    elf = next((path for path in files if path is not None and is_elf(path)), None)
    if elf is None:
        return BinaryIdentity("missing", reason=f"no program was found behind {profiler.name}")
    return _file(elf, "elf")


def _inline(seen: BinaryIdentity) -> BinaryIdentity:
    """Shell text in an argv hides what else runs, unless it came down to one missing program."""
    if seen.kind == "missing":
        return seen
    return replace(seen, kind="script")


def _behind_script(script: Path, places: _Places, interpreter: Path | None) -> BinaryIdentity:
    own = observe_file(script)
    text = _script_text(script) or ""
    within = _Places(places.cwd, script.absolute().parent, places.environ)
    in_shell = not _NO_SHELL.match(text) and (interpreter is None or interpreter.name in SHELLS)
    elf = next(_elves_named(text, within, in_shell=in_shell), None)
    if elf is not None:
        return _file(elf, "script", script=own)
    return _file(interpreter or script, "script", script=own, reason="the script names no ELF file")


def _elves_named(text: str, places: _Places, *, in_shell: bool) -> Iterator[Path]:
    """Yield the ELF files a script names: by path, then (shell scripts) as a command on PATH."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("#", "//"))]
    code = _own_folder_filled("\n".join(lines), places.script_folder)
    yield from _elves_by_path(code, places)
    if in_shell:
        yield from _elves_by_name(lines, places)


def _elves_by_path(code: str, places: _Places) -> Iterator[Path]:
    values = {**places.environ, **_assigned(code)}
    for match in islice(_WORD.finditer(code), _MAX_WORDS):
        word = next(filter(None, match.groups()), "")
        for part in (word, *word.split()) if " " in word else (word,):
            filled = _fill(part, values)
            path = places.file(filled) if filled else None
            if path is None or is_launcher(path.name) or _LIBRARY.search(path.name):
                continue
            if is_elf(path) and not (path.name in HOUSEKEEPING and part.startswith("/")):
                yield path


def _elves_by_name(lines: list[str], places: _Places) -> Iterator[Path]:
    for command in (words for line in lines for words in simple_commands(line)):
        name = started_by(command).program
        if name is None or is_launcher(name) or name in HOUSEKEEPING or "\0" in name:
            continue
        path = places.program(name)
        if path is not None and is_elf(path):
            yield path


def _own_folder_filled(text: str, folder: Path | None) -> str:
    """Replace the usual ways a script spells its own folder."""
    text = _OWN_FOLDER.sub(lambda _: str(folder), text)
    return _ENTERED.sub(lambda match: match[1], text.replace(f'"{folder}"', str(folder)))


def _assigned(code: str) -> dict[str, str]:
    """Read the plain assignments of a shell script; what stays unresolved is left out."""
    values: dict[str, str] = {}
    for match in _SET.finditer(code):
        value = _fill(
            next((group for group in match.groups()[1:] if group is not None), ""), values
        )
        if value is not None:
            values[match[1]] = value
    return values


def _fill(word: str, values: Mapping[str, str]) -> str | None:
    """Fill in known variables; None when one is unknown or the word is no possible path."""
    filled = _VARIABLE.sub(
        lambda match: values.get(match[1] or match[3], match[2] or match[0]), word
    )
    return None if "$" in filled or "\0" in filled or len(filled) > 4096 else filled


def _script_text(path: Path) -> str | None:
    """Read the head of a text file; None for binary content."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_SCRIPT_BYTES)
    except OSError:
        return None
    return None if b"\0" in head else head.decode(errors="replace")


def _file(
    path: Path,
    kind: Literal["elf", "script", "other"],
    *,
    script: FileIdentity | None = None,
    reason: str | None = None,
) -> BinaryIdentity:
    seen = observe_file(path)
    facts = (seen.path, seen.md5, seen.bytes, seen.mtime_us, build_id(path))
    return BinaryIdentity(kind, *facts, script, seen.reason or reason)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
