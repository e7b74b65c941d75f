"""Running the command line in a folder of its own, within this process or in one of its own."""

import atexit
import contextlib
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

from atlas.cli.boundary import run
from ledger.place import Place
from ledger.store import Ledger
from queries.catalog import Catalog

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "atlas" / "demo" / "data" / "bench_qwen35_mq4"
CASES = ROOT.parent / "shared" / "cases" / "inputs"


class Host:
    """A working directory with a ledger, and the environment commands run in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = folder / "atlas.duckdb"
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("HIPFIRE_", "ATLAS_"))},
            "ATLAS_LEDGER": str(self.ledger),
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def command(self, *words: str) -> list[str]:
        """The argv of ``atlas WORDS``."""
        return [sys.executable, "-m", "atlas", *words]

    def atlas(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, within this process: a fifth of the time."""
        with self.inside(env), _captured() as (out, err):
            code = run(list(words))
        return subprocess.CompletedProcess(list(words), code, out(), err())

    @contextlib.contextmanager
    def inside(self, env: dict[str, str]) -> Iterator[None]:
        """The folder and environment of this host, for the length of a command."""
        before = Path.cwd()
        _template()
        os.chdir(self.folder)
        try:
            with (
                mock.patch.dict(os.environ, self.env | env, clear=True),
                mock.patch("ledger.connection._make", copied),
            ):
                yield
        finally:
            os.chdir(before)

    def process(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end in a process of its own."""
        return subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env=self.env | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def json(self, *words: str) -> Any:
        """What a command prints with ``--format json``; it must succeed."""
        done = self.atlas(*words, "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def sql(self, statement: str) -> list[dict[str, Any]]:
        """Rows of a statement."""
        return self.json("sql", statement)

    def collect(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the AR collector with the stand-in bench; calls are counted in ``calls``."""
        return self.atlas(*self.collect_words(*words), **self.collect_env(), **env)

    def collect_words(self, *words: str) -> tuple[str, ...]:
        """Arguments of such a collection."""
        model = self.folder / "m.mq4"
        model.write_bytes(b"model")
        return ("collect-ar", "--bench", str(BENCH), "--model", str(model), *words)

    def collect_env(self) -> dict[str, str]:
        """Its environment."""
        return {"STANDIN_LOG": str(self.folder / "calls")}

    def calls(self) -> int:
        """How often the stand-in was started."""
        log = self.folder / "calls"
        return len(log.read_text().splitlines()) if log.exists() else 0


def copied(place: Place) -> None:
    """A new ledger as a copy of one that was made for real, but for its origin.

    Defining all views takes seconds; a suite makes hundreds of ledgers.
    """
    if not place.file.exists():
        shutil.copyfile(_template(), place.file)
        place.file.chmod(0o600)


@functools.cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="atlas-test-"))
    atexit.register(shutil.rmtree, folder)
    ledger = Ledger(folder / "template.duckdb", Catalog())
    ledger.create()
    with duckdb.connect(str(ledger.place.file)) as connection:
        connection.execute("DELETE FROM meta")
    return ledger.place.file


@contextlib.contextmanager
def _captured() -> Iterator[tuple[Any, Any]]:
    """Standard streams that can be read as text afterwards; they take bytes as real ones do."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]

    def text(stream: io.TextIOWrapper) -> str:
        stream.flush()
        return stream.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]

    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        yield (lambda: text(streams[0]), lambda: text(streams[1]))
