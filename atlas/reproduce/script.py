"""The bash script that measures a row again, as far as it was recorded how."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.reproduce.needs import is_open

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from atlas.reproduce.needs import Measured, Need

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PREFIXES = ("HIPFIRE_", "HSA_")


def script_of(measured: Measured, needs: Sequence[Need]) -> str:
    """The script: a working tree at the commit, checks of the files, variables, the command.

    It can be run again: what it made stays. Nothing a row says can end its quotes or its comments.
    """
    lines = [
        "#!/usr/bin/env bash",
        *_comments(measured, needs),
        "set -euo pipefail",
        *_tree(measured, needs),
        *_checks(measured, needs),
        *_env(measured),
        *_command(measured, needs),
    ]
    return "\n".join(lines) + "\n"


def quoted(word: str) -> str:
    """A word for bash; one with control characters is spelled, so that no terminal obeys it."""
    if not _CONTROL.search(word):
        return shlex.quote(word)
    inner = word.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + _CONTROL.sub(_spelled, inner) + "'"


def _spelled(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _comment(text: str) -> str:
    return "# " + _CONTROL.sub(" ", text)


def _comments(measured: Measured, needs: Sequence[Need]) -> Iterator[str]:
    row = measured.row
    what = " ".join(str(row[name]) for name in ("workload", "phase", "quant") if row.get(name))
    yield _comment(f"Measures row {measured.row_id} again: {what} on {row.get('hostname')}.")
    for need in needs:
        if need.state != "present":
            told = f" ({need.here})" if need.here else ""
            yield _comment(f"{need.what} {need.state}: {need.recorded or 'not recorded'}{told}")


def _tree(measured: Measured, needs: Sequence[Need]) -> Iterator[str]:
    root = quoted(str(measured.root))
    if measured.commit is None:
        yield "# the commit is not known: this runs where it is started"
        yield "tree=$PWD"
        return
    yield f'tree="${{TREE:-${{TMPDIR:-/tmp}}/atlas-{quoted(measured.row_id)}}}"'
    yield f'[ -d "$tree" ] || git -C {root} worktree add --detach "$tree" {measured.commit} >&2'
    yield 'cd "$tree"'
    if measured.is_dirty and _is(needs, "diff", "present"):
        yield f"git -C {root} diff --binary HEAD -- | git apply --allow-empty"
        yield "# untracked files of that tree are not copied"
    elif measured.is_dirty:
        yield "# the uncommitted change was not kept: apply it here"


def _checks(measured: Measured, needs: Sequence[Need]) -> Iterator[str]:
    artifacts = measured.part("artifacts")
    prompt = measured.told("prompt").get("file_md5") or artifacts.get("prompt_md5")
    model = measured.part("model")
    files = [
        (model.get("path"), model.get("md5")),
        (artifacts.get("draft"), artifacts.get("draft_md5")),
        (artifacts.get("prompt_file"), prompt),
    ]
    if _is(needs, "binary", "present"):
        provenance = measured.part("provenance")
        files.insert(0, (provenance["binary_path"], provenance["binary_md5"]))
    for path, md5 in files:
        # The digest of a folder is no md5 of one file.
        if isinstance(path, str) and path and md5 and not Path(path).is_dir():
            yield f"md5sum --check --quiet <<< {quoted(f'{md5}  {path}')}"


def _env(measured: Measured) -> Iterator[str]:
    hidden = sorted(name for name, value in measured.env.items() if not is_open(value))
    names = [name for name in hidden if _NAME.fullmatch(name)]
    for name in names:
        yield f': "${{{name}:?set it: its value was not recorded}}"; export {name}'
    kept = "".join(f" | grep -vx {name}" for name in names)
    some = " ".join(f'"${{!{prefix}@}}"' for prefix in _PREFIXES)
    if kept:
        yield f"unset $(printf '%s\\n' {some}{kept} || true)"
    else:
        yield f"unset {some}"
    for name, value in sorted(measured.env.items()):
        if is_open(value) and _NAME.fullmatch(name):
            yield f"export {name}={quoted(value)}"


def _command(measured: Measured, needs: Sequence[Need]) -> Iterator[str]:
    words = list(measured.command)
    if not words:
        yield "# the command was not recorded"
        yield "exit 1"
        return
    shown = [quoted(word) for word in words]
    if not _is(needs, "binary", "present"):
        shown[0] = yield from _build(measured, words[0])
    place = words.index("--prompt") + 1 if "--prompt" in words else len(words)
    if place < len(words) and words[place].startswith("@"):
        # $(…) takes newlines off the end; the point keeps them.
        yield f"prompt=$(cat -- {quoted(words[place][1:])}; printf .)"
        shown[place] = '"${prompt%.}"'
    hidden = [word for word in words if not is_open(word)]
    if hidden:
        yield from (_comment(f"a secret in this word was not kept: {word}") for word in hidden)
        yield 'echo "put the secrets back into the command, and take this line out" >&2; exit 1'
    yield f"exec {' '.join(shown)}"


def _build(measured: Measured, program: str) -> Generator[str, None, str]:
    """Ask for the program to be built; gives the word that runs it."""
    root = f"{measured.told('git').get('root')}/"
    word = f'"$tree"/{quoted(program.removeprefix(root))}'
    if not program.startswith(root):
        word = quoted(program)
    yield f'[ -x {word} ] || {{ echo "build it in $tree, then run this again" >&2; exit 1; }}'
    return word


def _is(needs: Sequence[Need], what: str, state: str) -> bool:
    return any(need.what == what and need.state == state for need in needs)
