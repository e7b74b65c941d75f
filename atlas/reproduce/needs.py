"""What a row was measured with, each piece compared with what this host has."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from atlas.identity.git import observe_git
from atlas.identity.host import observe_host
from atlas.identity.redaction import REPLACEMENT
from atlas.reproduce.places import MISSING, Seen, look_at_file, look_for_commits

if TYPE_CHECKING:
    from collections.abc import Iterator

State = Literal["present", "differs", "missing", "unknown"]
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True, slots=True)
class Need:
    """One thing it takes to measure a row again.

    Attributes:
        what: host, commit, diff, binary, command, env, a variable, model, draft, prompt, objects.
        recorded: what the row says.
        here: what this host has.
        state: ``present``; ``differs``: something else is there; ``missing``: it isn't there;
            ``unknown``: the row doesn't say, or it can't be checked.
    """

    what: str
    recorded: str | None
    here: str | None
    state: State


@dataclass(frozen=True, slots=True)
class Measured:
    """A row as it was recorded.

    Attributes:
        row_id: its id.
        row: the v0 row.
        context: what its event tells of the circumstances; empty for imported rows.
        cwd: folder whose repository counts where the row names none.
    """

    row_id: str
    row: dict[str, Any]
    context: dict[str, Any] = field(default_factory=dict)
    cwd: Path = Path()

    def part(self, *names: str) -> dict[str, Any]:
        """An object within the row; empty when it is none."""
        return _inner(self.row, names)

    def told(self, *names: str) -> dict[str, Any]:
        """An object within the context; empty when it is none."""
        return _inner(self.context, names)

    @property
    def root(self) -> Path:
        """The working tree it was measured in, as far as that is known."""
        named = self.told("git").get("root")
        return Path(named) if isinstance(named, str) and Path(named).is_dir() else self.cwd

    @property
    def commit(self) -> str | None:
        """Its commit; None when it is no commit id."""
        named = self.row.get("git_sha")
        return named if isinstance(named, str) and _COMMIT.fullmatch(named) else None

    @property
    def is_dirty(self) -> bool | None:
        """Whether there was an uncommitted change; None when that is unknown."""
        provenance = self.part("provenance")
        state = provenance.get("git_state")
        if state in ("clean", "dirty"):
            return bool(state == "dirty")
        dirty = provenance.get("git_dirty")
        return dirty if isinstance(dirty, bool) else None

    @property
    def env(self) -> dict[str, str]:
        """Recorded variables."""
        given = self.part("variant", "env").items()
        return {name: value for name, value in given if isinstance(value, str)}

    @property
    def command(self) -> list[str]:
        """Its argv; empty when it was not recorded."""
        words = self.row.get("command")
        return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def needs_of(measured: Measured) -> list[Need]:
    """All it takes to measure a row again, checked against this host."""
    return [
        _host(measured),
        _commit(measured),
        _diff(measured),
        *_files(measured),
        _command(measured),
        *_env(measured),
    ]


def is_open(value: str) -> bool:
    """Tell whether a word or value was recorded as it was, rather than with a secret replaced."""
    return REPLACEMENT not in value


def _inner(document: Any, names: tuple[str, ...]) -> dict[str, Any]:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _host(measured: Measured) -> Need:
    recorded, here = _text(measured.row.get("hostname")), observe_host().hostname
    if recorded in (None, "unknown"):
        return Need("host", recorded, here, "unknown")
    return Need("host", recorded, here, "present" if recorded == here else "differs")


def _commit(measured: Measured) -> Need:
    commit = measured.commit
    if commit is None:
        return Need("commit", _text(measured.row.get("git_sha")), None, "unknown")
    seen = look_for_commits(str(measured.root), [commit])[0]
    if seen.found is None:
        return Need("commit", commit, f"not in {measured.root}", "missing")
    return Need("commit", commit, f"in {measured.root}", "present")


def _diff(measured: Measured) -> Need:
    recorded = _text(measured.part("provenance").get("diff_md5"))
    if measured.is_dirty is None:
        return Need("diff", recorded, None, "unknown")
    if not measured.is_dirty:
        return Need("diff", "none: the tree was clean", None, "present")
    git = observe_git(measured.root)
    if recorded is None:
        return Need("diff", "uncommitted, not digested", git.diff_md5, "unknown")
    is_here = git.diff_md5 == recorded and (git.sha or "").startswith(measured.commit or "?")
    # A ledger keeps the digest of a change, not the change.
    return Need("diff", recorded, git.diff_md5, "present" if is_here else "missing")


def _files(measured: Measured) -> Iterator[Need]:
    provenance, artifacts = measured.part("provenance"), measured.part("artifacts")
    model = measured.part("model")
    prompt = measured.told("prompt").get("file_md5") or artifacts.get("prompt_md5")
    yield _file("binary", provenance.get("binary_path"), provenance.get("binary_md5"))
    yield _file("model", model.get("path"), model.get("md5"), model.get("bytes"))
    if measured.row.get("workload_kind") == "dflash":
        yield _file("draft", artifacts.get("draft"), artifacts.get("draft_md5"))
        yield _file("prompt", artifacts.get("prompt_file"), prompt)
    folder = measured.told("code_objects")
    if folder.get("entries"):
        yield _objects(folder)


def _file(what: str, path: Any, md5: Any, size: Any = None) -> Need:
    if not isinstance(path, str) or not path:
        return Need(what, _text(md5), None, "unknown")
    seen = look_at_file(what, path, md5 is not None)
    recorded = f"{path} {md5 or 'without a digest'}"
    if seen.why == MISSING:
        return Need(what, recorded, "nothing lies there", "missing")
    if md5 is None and (size is None or size == seen.bytes):
        return Need(what, recorded, f"{seen.bytes} bytes", "unknown")
    here = seen.found or f"{seen.bytes} bytes" if seen.bytes is not None else seen.why
    return Need(what, recorded, here, _state(seen, md5))


def _state(seen: Seen, md5: Any) -> State:
    if seen.bytes is None:
        return "unknown"
    return "present" if md5 is not None and seen.found == str(md5).lower() else "differs"


def _objects(folder: dict[str, Any]) -> Need:
    entries = [(str(one[0]), one[1]) for one in folder["entries"]]
    root = str(folder.get("folder"))
    kept = [look_at_file("objects", f"{root}/{name}", True).found == md5 for name, md5 in entries]
    state: State = "present" if all(kept) else "differs" if any(kept) else "missing"
    return Need("objects", f"{len(kept)} files in {root}", f"{sum(kept)} as recorded", state)


def _command(measured: Measured) -> Need:
    words = measured.command
    if not words:
        return Need("command", None, None, "unknown")
    hidden = sum(not is_open(word) for word in words)
    here = f"{hidden} word(s) hold a secret that was not kept" if hidden else None
    return Need("command", " ".join(words), here, "missing" if hidden else "present")


def _env(measured: Measured) -> Iterator[Need]:
    env = measured.env
    known = [f"{name}={value}" for name, value in sorted(env.items()) if is_open(value)]
    yield Need("env", " ".join(known) or "no variables", None, "present")
    for name in sorted(env):
        if not is_open(env[name]):
            yield Need(name, REPLACEMENT, "its value was not kept", "missing")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
