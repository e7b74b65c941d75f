"""Which program a command line starts, seen through assignments, launchers and interpreters."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_OPERATORS = "();<>|&\n"

# Programs that start another one: options that take the next word, and words before the program.
_LAUNCHERS: dict[str, tuple[frozenset[str], int]] = {
    "chrt": (frozenset({"-T", "-P", "-D"}), 1),
    "command": (frozenset(), 0),
    "doas": (frozenset({"-u", "-C"}), 0),
    "env": (frozenset({"-u", "--unset", "-C", "--chdir"}), 0),
    "exec": (frozenset({"-a"}), 0),
    "ionice": (frozenset({"-c", "-n", "--class", "--classdata"}), 0),
    "nice": (frozenset({"-n", "--adjustment"}), 0),
    "nohup": (frozenset(), 0),
    "numactl": (
        frozenset({"-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind"})
        | {"--interleave", "--preferred"},
        0,
    ),
    "setsid": (frozenset(), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}), 0),
    "sudo": (frozenset({"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U"}), 0),
    "taskset": (frozenset(), 1),
    "time": (frozenset({"-f", "-o", "--format", "--output"}), 0),
    "timeout": (frozenset({"-k", "-s", "--kill-after", "--signal"}), 1),
}
# Profilers take any options; the program follows ``--``, or is the first that exists.
_WRAPPERS_WITH_DASHES = frozenset(
    {"rocprofv3", "rocprof", "perf", "omnitrace-run", "rocprof-sys-run", "strace", "valgrind"}
)
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_INTERPRETER = re.compile(r"(python|pypy)[0-9.]*|perl|ruby|node|lua[0-9.]*")
_INTERPRETER_VALUED = frozenset({"-W", "-X", "--require"})
_KEYWORDS = frozenset({"!", "{", "do", "elif", "else", "if", "then", "until", "while"})
_HOUSEHOLD = (
    "[ [[ . : alias awk basename break case cat cd chmod continue cp cut date declare dirname done"
    " echo esac eval exit export false fi find for function getopts grep head hostname id install"
    " kill let ln local ls make mkdir mktemp mv popd printf ps pushd pwd read readlink readonly"
    " realpath return rm rmdir sed select seq set shift shopt sleep sort source stat tail tee test"
    " touch tr trap true type typeset ulimit umask uname uniq unset wait wc which whoami xargs }"
)
# Builtins and tools of scripts: nothing worth measuring.
HOUSEKEEPING = frozenset(_HOUSEHOLD.split())


@dataclass(frozen=True, slots=True)
class Started:
    """What a command starts.

    Attributes:
        program: the word that names the program; None when there is none.
        script: the script file an interpreter is given, as written.
        inline: the program is an interpreter with code or a module in its arguments.
        text: shell text handed to a shell by ``-c``.
        folder: folder the command changed to first, as written.
        candidates: words behind a profiler without ``--``, one of which is the program.
    """

    program: str | None = None
    script: str | None = None
    inline: bool = False
    text: str | None = None
    folder: str | None = None
    candidates: tuple[str, ...] = ()


def started_by(command: Sequence[str] | str) -> Started:
    """Find the program of an argv, or the first worthwhile program of shell text.

    Leading assignments and launchers (``env``, ``sudo``, ``taskset 3``, ``timeout 60``, …) are
    passed over, and in text also ``cd FOLDER &&`` and other housekeeping. Text that no shell could
    read is split at blanks.
    """
    if not isinstance(command, str):
        return _of_argv(_program_words(list(command)))
    folder = None
    for words in simple_commands(command):
        rest = _program_words(words)
        if rest[:1] == ["cd"] and len(rest) > 1 and "$" not in rest[1]:
            folder = str(PurePath(folder or "", rest[1]))
        elif rest and rest[0] not in HOUSEKEEPING:
            return replace(_of_argv(rest), folder=folder)
    return Started(folder=folder)


def simple_commands(text: str) -> list[list[str]]:
    """Split shell text at its operators into lists of words without quotes and redirections."""
    commands: list[list[str]] = [[]]
    skip = False
    for token in _tokens(text.replace("\\\n", " ")):
        if token and not token.strip(_OPERATORS):
            skip = "<" in token or ">" in token
            if not skip:
                commands.append([])
        elif skip:
            skip = False
        else:
            commands[-1].append(token)
    return [words for words in commands if words]


def is_launcher(name: str) -> bool:
    """Tell whether a program only starts others: a launcher, profiler, shell or interpreter."""
    base = PurePath(name).name
    known = base in _LAUNCHERS or base in SHELLS or base in _WRAPPERS_WITH_DASHES
    return known or _INTERPRETER.fullmatch(base) is not None


def _tokens(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _program_words(words: list[str]) -> list[str]:
    """Drop leading assignments, shell keywords, and launchers with their options."""
    while words:
        if words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        name = PurePath(words[0]).name
        if name in _WRAPPERS_WITH_DASHES and "--" in words:
            words = words[words.index("--") + 1 :]
        elif name in _LAUNCHERS and len(words) > 1:
            words = _after_launcher(words[1:], *_LAUNCHERS[name])
        else:
            break
    return words


def _after_launcher(words: list[str], valued: frozenset[str], positionals: int) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            at += 1
            break
        at += 2 if words[at] in valued else 1
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return words[at + positionals :]


def _of_argv(words: list[str]) -> Started:
    if not words:
        return Started()
    program, name = words[0], PurePath(words[0]).name
    if name in _WRAPPERS_WITH_DASHES:
        return Started(program, candidates=tuple(words[1:]))
    if name in SHELLS:
        return _of_shell(program, words[1:])
    if _INTERPRETER.fullmatch(name):
        return _of_interpreter(program, words[1:])
    return Started(program)


def _of_shell(program: str, arguments: list[str]) -> Started:
    for at, word in enumerate(arguments):
        if re.fullmatch(r"-[a-z]*c", word):
            return Started(program, inline=True, text=" ".join(arguments[at + 1 : at + 2]))
        if not word.startswith(("-", "+")):
            return Started(program, script=word)
    return Started(program, inline=True)


def _of_interpreter(program: str, arguments: list[str]) -> Started:
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] in {"-c", "-m", "-e", "-"}:
            return Started(program, inline=True)
        at += 2 if arguments[at] in _INTERPRETER_VALUED else 1
    script = arguments[at] if at < len(arguments) else None
    return Started(program, script=script, inline=script is None)
