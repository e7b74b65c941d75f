"""A command of a contract: an argv that never meets a shell, or text that bash runs."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput
from atlas.identity.redaction import redact_argv, redact_text
from ledger import canonical

if TYPE_CHECKING:
    from pathlib import Path

_OPERATORS = frozenset({"&&", "||", ";", "|", ">", ">>", "<"})
_PLAIN = re.compile(r"[\w\s./:,@%+=-]+")
_PROMPT_IN_TEXT = re.compile(r"(--prompt(?:=|[ \t]+))@(\S+)")


@dataclass(frozen=True, slots=True)
class Command:
    """What a contract runs.

    Attributes:
        value: argv, or the text that is handed to ``bash -c``.
    """

    value: tuple[str, ...] | str

    @property
    def shell(self) -> bool:
        """A shell runs it."""
        return isinstance(self.value, str)

    @property
    def argv(self) -> tuple[str, ...]:
        """The argv that is started."""
        return ("bash", "-c", self.value) if isinstance(self.value, str) else self.value

    @property
    def words(self) -> list[str] | str:
        """The form `atlas.identity.binary.observe_binary` looks through."""
        return self.value if isinstance(self.value, str) else list(self.value)

    @property
    def digest(self) -> str:
        """Sha256 over the stored form: equal digests, equal command."""
        return hashlib.sha256(canonical.dumps(self.stored())[0].encode()).hexdigest()

    def stored(self) -> list[str] | str:
        """The form that is written down: secrets replaced, a prompt as ``@FILE``."""
        if isinstance(self.value, str):
            return redact_text(self.value)[0]
        return list(redact_argv(self.value)[0])

    def with_prompt(self, cwd: Path, prompt_md5: str | None) -> Command:
        """The command with ``@FILE`` after ``--prompt`` replaced by the text of that file.

        Args:
            cwd: where relative names start.
            prompt_md5: what the text must hash to; None where the row names none.

        Raises:
            BadInput: the file can't be read, or is not the prompt the row was measured with.
        """
        if isinstance(self.value, str):
            return Command(
                _PROMPT_IN_TEXT.sub(
                    lambda m: m[1] + shlex.quote(_prompt_text(cwd, m[2], prompt_md5)), self.value
                )
            )
        words = list(self.value)
        for at, word in enumerate(words):
            if at and words[at - 1] == "--prompt" and word.startswith("@"):
                words[at] = _prompt_text(cwd, word[1:], prompt_md5)
            elif word.startswith("--prompt=@"):
                words[at] = "--prompt=" + _prompt_text(cwd, word.partition("@")[2], prompt_md5)
        return Command(tuple(words))


def command_from_json(value: Any, where: str) -> Command:
    """The command of a document.

    Older tasks wrote shell text as a list of words: a word that is an operator tells.

    Raises:
        BadInput: it is neither text nor a list of texts, or empty.
    """
    if isinstance(value, str) and value.strip():
        return Command(value)
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        if _OPERATORS.isdisjoint(value):
            return Command(tuple(value))
        return Command(" ".join(_for_shell(word) for word in value))
    raise BadInput(f"{where}: no command", hint="an argv of texts, or one text that bash runs")


def command_from_text(text: str) -> Command:
    """The command somebody typed: an argv when no character of it means anything to a shell."""
    if _PLAIN.fullmatch(text) and not re.match(r"\s*\w+=", text):
        return Command(tuple(text.split()))
    return Command(text)


def _for_shell(word: str) -> str:
    """Quote what can't have been a bare word; operators, variables and globs stay as they are."""
    return shlex.quote(word) if word == "" or re.search(r"[\s'\"]", word) else word


def _prompt_text(cwd: Path, name: str, prompt_md5: str | None) -> str:
    try:
        data = (cwd / name).read_bytes()
        text = data.decode()
    except OSError as error:
        raise BadInput(
            f"prompt file {name}: {error.strerror}", hint="put it back, or run with --cwd"
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"prompt file {name}: not UTF-8 at byte {error.start}") from error
    found = hashlib.md5(data, usedforsecurity=False).hexdigest()
    if prompt_md5 and found != prompt_md5:
        raise BadInput(
            f"prompt file {name} has md5 {found}, the row was measured with {prompt_md5}",
            hint="use the same prompt, or cut a new task",
        )
    return text
