"""Replaces secret values before anything is hashed or written.

This is the one exception to keeping all that was seen.

A name is secret when it ends in ``_TOKEN``, ``_KEY``, ``_SECRET`` or ``_PASSWORD``, in any case.
Each function returns a new value and its findings; what holds no secret comes back equal, and
redacting twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ledger.finding import Finding

REPLACEMENT = "***"
_ENDINGS = ("_TOKEN", "_KEY", "_SECRET", "_PASSWORD")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*_(?i:TOKEN|KEY|SECRET|PASSWORD)"
_WORD = re.compile(rf"((?:-{{1,2}}[A-Za-z-]+=)?(?<![A-Za-z0-9_])({_NAME})=)(.+)", re.DOTALL)
_IN_TEXT = re.compile(
    rf"""((?<![A-Za-z0-9_])({_NAME})=)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"';&|<>\\]|\\.|["'].*)+)"""
)
_ENV_KEYS = frozenset({"env", "row_env", "base_env", "environ", "environment"})
_COMMAND_KEYS = frozenset({"command", "argv", "benchmark_command", "eval_command"})
_COMMAND_LIST_KEYS = frozenset({"correctness_commands"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})


def is_secret(name: str) -> bool:
    """Tell whether a variable's name says that its value is secret."""
    return name.upper().endswith(_ENDINGS)


def may_hold_secrets(document: str) -> bool:
    """Tell cheaply whether canonical JSON could hold anything to redact; False is certain."""
    return any(map(document.upper().__contains__, _ENDINGS))


def redact_env(env: Mapping[str, Any], where: str = "") -> tuple[dict[str, Any], list[Finding]]:
    """Redact a mapping of variables; a finding's ``where`` is the place and the variable."""
    hidden = {name for name, value in env.items() if is_secret(name) and _is_open(value)}
    findings = [
        _finding(name, f"{where}.{name}" if where else name) for name in env if name in hidden
    ]
    return {name: REPLACEMENT if name in hidden else value for name, value in env.items()}, findings


def redact_argv(argv: Sequence[Any], where: str = "") -> tuple[list[Any], list[Finding]]:
    """Redact ``NAME=VALUE`` and ``--env=NAME=VALUE`` in an argv, and a shell's ``-c`` text."""
    words: list[Any] = []
    findings: list[Finding] = []
    shell = any(isinstance(word, str) and PurePath(word).name in _SHELLS for word in argv)
    for at, word in enumerate(argv):
        place = f"{where}[{at}]"
        if not isinstance(word, str):
            words.append(word)
            continue
        as_text = shell and at and re.fullmatch(r"-[a-z]*c", str(argv[at - 1]))
        redacted, found = (redact_text if as_text else _redact_word)(word, place)
        words.append(redacted)
        findings += found
    return words, findings


def redact_text(text: str, where: str = "") -> tuple[str, list[Finding]]:
    """Redact ``NAME=VALUE`` wherever it stands in shell text; a quoted value goes as a whole."""
    found = [match[2] for match in _IN_TEXT.finditer(text) if _is_open(match[3])]
    return _IN_TEXT.sub(rf"\g<1>{REPLACEMENT}", text), [_finding(name, where) for name in found]


def redact_json(value: Any, where: str = "") -> tuple[Any, list[Finding]]:
    """Redact a document such as a v0 row: its env objects and commands at any depth.

    Outside env objects a key is taken for a variable only when it is written in capitals.
    """
    holder: list[Any] = [value]
    findings: list[Finding] = []
    # A stack instead of recursion: documents of strangers may be nested deeper than Python calls.
    waiting: list[tuple[Any, Any, str, str]] = [(holder, 0, "", where)]
    while waiting:
        parent, slot, key, place = waiting.pop()
        item, found = _redact_here(key, parent[slot], place)
        findings += found
        if isinstance(item, Mapping):
            item = dict(item)
            waiting += [
                (item, name, str(name), f"{place}.{name}" if place else str(name)) for name in item
            ][::-1]
        elif isinstance(item, list | tuple):
            item = list(item)
            # A list within a list of words is an argv too.
            keys = [key if isinstance(member, list | tuple) else "" for member in item]
            waiting += [(item, at, keys[at], f"{place}[{at}]") for at in range(len(item))][::-1]
        parent[slot] = item
    return holder[0], findings


def secret_values(*environments: Mapping[str, str]) -> tuple[str, ...]:
    """List values of secret variables that are long enough to be sought, longest first."""
    values = {value for env in environments for name, value in env.items() if is_secret(name)}
    return tuple(sorted((value for value in values if len(value) >= 6), key=lambda v: (-len(v), v)))


def scrub(output: bytes, secrets: Sequence[str]) -> tuple[bytes, list[Finding]]:
    """Replace secret values in raw output, in case a program printed its environment."""
    findings = []
    for secret in secrets:
        if (needle := secret.encode("utf-8", "surrogateescape")) in output:
            output = output.replace(needle, REPLACEMENT.encode())
            findings.append(
                Finding("redacted", "a secret value in the output was replaced", "output")
            )
    return output, findings


def _redact_here(key: str, value: Any, where: str) -> tuple[Any, list[Finding]]:
    """Redact one member by its key; what lies deeper is left to the walk."""
    if is_secret(key) and key.isupper() and _is_open(value):
        return REPLACEMENT, [_finding(key, where)]
    if key in _ENV_KEYS and isinstance(value, Mapping):
        return redact_env(value, where)
    if key in _COMMAND_KEYS and isinstance(value, str):
        return redact_text(value, where)
    if key in _COMMAND_LIST_KEYS and isinstance(value, list | tuple):
        return _redact_commands(value, where)
    if key in _COMMAND_KEYS | _ENV_KEYS and isinstance(value, list | tuple):
        return redact_argv(value, where)
    return value, []


def _redact_commands(commands: Sequence[Any], where: str) -> tuple[list[Any], list[Finding]]:
    """Redact a list of commands, each text or an argv."""
    done: list[Any] = []
    findings: list[Finding] = []
    for at, command in enumerate(commands):
        redacted, found = _redact_here("command", command, f"{where}[{at}]")
        done.append(redacted)
        findings += found
    return done, findings


def _redact_word(word: str, where: str) -> tuple[str, list[Finding]]:
    match = _WORD.fullmatch(word)
    if match is None:
        return redact_text(word, where)
    if not _is_open(match[3]):
        return word, []
    return match[1] + REPLACEMENT, [_finding(match[2], where)]


def _is_open(value: Any) -> bool:
    return value not in ("", None, REPLACEMENT)


def _finding(name: str, where: str) -> Finding:
    return Finding("redacted", f"the value of {name} was replaced", where)
