"""The steps of the demo, each a command that a user could type."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from atlas.errors import AtlasError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class DemoFailed(AtlasError):
    """A step of the demo did not do what it shows."""

    code = "demo_failed"
    exit_code = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the demo.

    Attributes:
        why: what it shows, in one sentence.
        words: the command line behind ``atlas``.
        expected: exit codes it may end with.
        edit: (file, text, other text): an edit that is made before the command runs.
    """

    why: str
    words: tuple[str, ...]
    expected: tuple[int, ...] = (0,)
    edit: tuple[str, str, str] | None = None


COLLECT = ("collect-ar", "--bench", "./bench_qwen35_mq4", "--model", "models/qwen3.5-4b.mq4")
INSPECTED = ("--isa-dir", "kernels", "--dispatch-provenance", "--dispatch-root", "tree")

TASK = ("task-pytorch", "--eval-command", f"{sys.executable} dot.py", "--output-dir", "task")
BOUNDED = ("--allowed-file", "dot.py")
ANSWER = (0, 1)
"""On a busy machine a real measurement may be unstable and make no baseline: an answer too."""
EVAL = ("eval", "--task", "task/task.json", "--runs", "4")
SLOW = """    total = 0.0
    for n in range(len(a)):
        total += a[n] * b[n]
    return total
"""
BETTER = ("dot.py", SLOW, "    return sum(map(operator.mul, a, b))\n")

STORY = (
    Step(
        "Measure: four processes; every run is an event the moment it ends.",
        (*COLLECT, "--prefill", "32", "--runs", "4", "--hash-models"),
    ),
    Step(
        "Measure with profiling on: it tells where time goes, and never counts as speed.",
        (*COLLECT, "--prefill", "32", "--profile-decode"),
    ),
    Step("Keep a log that somebody saved weeks ago.", ("ingest", "dflash.log")),
    Step("The same log again adds nothing.", ("ingest", "dflash.log")),
    Step("What has been measured?", ("query", "latest")),
    Step("Where does the time go?", ("query", "hot-kernels", "--limit", "3")),
    Step("Which rows are no evidence, and why?", ("query", "missing-identity", "--limit", "3")),
    Step("How much do equal runs differ here?", ("query", "noise-floor")),
    Step(
        "Ask anything, read-only.", ("sql", "SELECT phase, count(*) AS n FROM rows GROUP BY phase")
    ),
    Step("What are the kernels made of?", ("isa", "kernels", "--sort", "spills")),
    Step(
        "Profile again, and inspect what the program loaded and where its source tree names it.",
        (*COLLECT, "--prefill", "32", "--profile-decode", *INSPECTED),
    ),
    Step("How does that code sit on the card?", ("render-fit", "latest")),
    Step("What to try next on that row?", ("suggest", "latest", "--format", "table")),
    Step(
        "A bounded experiment, measured for real: a small kernel on this CPU.",
        (
            *TASK,
            "--name",
            "dot",
            "--op",
            "dot",
            "--input-shape",
            "20000",
            "--allowed-file",
            "dot.py",
        ),
    ),
    Step("Its baseline: four fresh processes.", (*EVAL, "--refresh-baseline"), ANSWER),
    Step("Edit the kernel, measure again: a verdict with its interval.", EVAL, ANSWER, BETTER),
    Step("What has been tried?", ("query", "tried")),
    Step("Is every event still what was recorded?", ("audit", "chain")),
)
"""The day of a user, in order."""

_CLOSING = """
The bench's output was recorded: the stand-in measures nothing. Only dot.py was measured here. On
your own machine, inside the repository of the program you measure:

  atlas collect-ar --model MODEL --prefill 128 --runs 4 --hash-models
  atlas query latest
  atlas doctor        what this host lacks, and what to do about it
"""


def tell(folder: Path, say: Callable[[str], None]) -> None:
    """Run the story in ``folder``, which holds the ledger and the data afterwards.

    Raises:
        DemoFailed: a step ended with another exit code than it should.
    """
    _lay_out(folder)
    environ = {**os.environ, "ATLAS_LEDGER": str(folder / "atlas.duckdb"), "COLUMNS": "110"}
    environ["STANDIN_LOG"] = str(folder / ".calls")
    for step in STORY:
        if step.edit is not None:
            file, old, new = step.edit
            (folder / file).write_text((folder / file).read_text().replace(old, new))
        say(f"\n# {step.why}\n$ {shlex.join(('atlas', *step.words))}")
        argv = [sys.executable, "-m", "atlas", *_shown(step)]
        done = subprocess.run(
            argv, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        say((done.stdout + done.stderr).rstrip())
        if done.returncode not in step.expected:
            raise DemoFailed(
                f"`atlas {' '.join(step.words)}` ended with {done.returncode}",
                hint="run `atlas doctor`, and report what it says",
            )
    say(_CLOSING)


def _shown(step: Step) -> tuple[str, ...]:
    """Collectors print JSONL where no terminal is; a file makes them print their table."""
    return (*step.words, "--output", "rows.jsonl") if step.words[0] == "collect-ar" else step.words


def _lay_out(folder: Path) -> None:
    with as_file(files("atlas") / "demo" / "data") as data:
        for name in ("bench_qwen35_mq4", "dflash.log", "dot.py"):
            shutil.copy(data / name, folder / name)
        for name in ("kernels", "tree"):
            shutil.copytree(data / name, folder / name, dirs_exist_ok=True)
    (folder / "bench_qwen35_mq4").chmod(0o755)
    (folder / "models").mkdir(exist_ok=True)
    (folder / "models" / "qwen3.5-4b.mq4").write_bytes(b"stands in for a model\n")
    if shutil.which("git"):
        _commit(folder)


def _commit(folder: Path) -> None:
    """Make the folder a repository with one commit: without one, no row can be evidence."""
    (folder / ".gitignore").write_text("*\n!bench_qwen35_mq4\n!dot.py\n!tree/\n!tree/**\n")
    who = ("-c", "user.name=Demo", "-c", "user.email=demo@example.invalid")
    for words in (("init", "--quiet"), ("add", "."), (*who, "commit", "--quiet", "-m", "Demo")):
        subprocess.run(("git", *words), cwd=folder, check=True, capture_output=True)
