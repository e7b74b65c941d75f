"""The task bundle: one document, its identity, its folder and its event."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.evals.documents import cannot_write, now_utc, write_json
from atlas.evals.task_file import SCHEMA
from atlas.identity.git_command import GitSaysNo, git_line
from atlas.identity.redaction import redact_json
from atlas.task.markdown import task_markdown
from atlas.where import FOLDER
from ledger import canonical
from ledger.envelope import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.store import Ledger

TASK_JSON, TASK_MD = "task.json", "TASK.md"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A written task.

    Attributes:
        task: the document.
        task_json: its file; ``task_md``: the same contract in plain words.
        event_id: its event; None when nothing was recorded.
    """

    task: dict[str, Any]
    task_json: Path
    task_md: Path
    event_id: str | None = None


def finished_task(body: dict[str, Any], prefix: str, task_id: str | None) -> dict[str, Any]:
    """A task with its schema, id and time.

    The id is the prefix and 12 hex digits of sha256 over the canonical task without id and time,
    so that equal contracts have equal ids.
    """
    body = redact_json({"schema": SCHEMA, **body})[0]
    text, _ = canonical.dumps(body)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    head = {"schema": SCHEMA, "task_id": task_id or f"{prefix}{digest}"}
    whole = {**head, "created_at_utc": now_utc(), **body}
    plain: dict[str, Any] = canonical.loads(canonical.dumps(whole)[0].encode())[0]
    return {name: plain[name] for name in whole}


def write_bundle(
    task: dict[str, Any], output_dir: Path | None, ledger: Ledger | None, host: str
) -> Bundle:
    """Write ``task.json`` and ``TASK.md``, and record the task.

    Args:
        task: see `finished_task`.
        output_dir: where to; by default the task's own folder below the working directory.
        ledger: where the task is recorded; None for rows that were only read from files.
        host: this host.

    Raises:
        BadUsage: the folder can't be written.
    """
    event_id = None
    if ledger is not None:
        draft = Draft("task", {"document": task}, host, {"git_sha": task["cut"].get("git_sha")})
        event_id = ledger.record([draft]).event_ids[0]
    folder = output_dir or FOLDER / "tasks" / str(task["task_id"])
    write_json(folder / TASK_JSON, task)
    try:
        (folder / TASK_MD).write_text(task_markdown(task), encoding="utf-8")
    except OSError as error:
        raise cannot_write(folder / TASK_MD, error) from error
    return Bundle(task, folder / TASK_JSON, folder / TASK_MD, event_id)


def from_root(names: Sequence[str], cwd: Path) -> list[str]:
    """Files as the top of the working tree knows them; outside git, and from there, as given."""
    try:
        root = Path(git_line(cwd, "rev-parse", "--show-toplevel")).resolve()
    except GitSaysNo:
        return list(names)
    told = []
    for name in names:
        here = (cwd / name).resolve()
        below = here.is_relative_to(root) and (Path(name).is_absolute() or here.exists())
        told.append(str(here.relative_to(root)) if below else name)
    return list(dict.fromkeys(told))
