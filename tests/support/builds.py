"""A repository whose bench is an ELF file made by hand: it prints a text, whatever it is told."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

from support.cli import Host

if TYPE_CHECKING:
    from pathlib import Path

BASE = 0x400000
HEADERS = 64 + 56


def elf_that_prints(text: str) -> bytes:
    """A Linux x86-64 program that writes ``text`` on stdout and ends with 0."""
    said = text.encode()
    code = b"".join(
        [
            b"\xb8\x01\0\0\0\xbf\x01\0\0\0",  # eax = write, edi = stdout
            b"\x48\x8d\x35" + struct.pack("<i", 5 + 2 + 5 + 2 + 2),  # rsi = what follows the code
            b"\xba" + struct.pack("<I", len(said)) + b"\x0f\x05",
            b"\xb8\x3c\0\0\0\x31\xff\x0f\x05",  # eax = exit, edi = 0
        ]
    )
    size = HEADERS + len(code) + len(said)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, BASE + HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, 0x1000)
    return header + segment + code + said


def printed(gen_tok_s: float, arch: str = "gfx1100") -> str:
    """What the bench prints."""
    return (
        f"gpu: {arch}\n=== bench_qwen35_mq4 ===\nModel: qwen3.5-4b.mq4\n"
        f"Phases: prefill=32 prefill_runs=1 warmup=5 gen=50\nKV mode: asym3\n"
        f"SUMMARY  gen_tok_s={gen_tok_s}  bw_gib_s=211.4"
        "  prefill_tok_s=776.1  avg_ms=20.44  p50_ms=20.40\n"
    )


RUNS_HERE = sys.platform == "linux" and os.uname().machine == "x86_64"


class Lab:
    """A host with a repository ``src``, its program ``src/bench`` and a model.

    Commits and builds happen at times that are set, a minute apart.
    """

    def __init__(self, folder: Path) -> None:
        self.host = Host(folder)
        self.src = folder / "src"
        self.src.mkdir()
        self.clock = 1_700_000_000
        self.model = folder / "m.mq4"
        self.model.write_bytes(b"weights")
        self.git("init", "-q", "-b", "main")
        (self.src / ".gitignore").write_text("bench\n.hipfire_kernels\n")
        self.git("add", ".gitignore")

    def git(self, *words: str) -> str:
        """What git prints in the repository."""
        stamp = f"{self.clock} +0000"
        env = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
        }
        identity = ("-c", "user.name=Lab", "-c", "user.email=lab@example.org")
        done = subprocess.run(
            ["git", *identity, *words],
            cwd=self.src,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, source: str) -> str:
        """Change the source and commit it; gives the id."""
        self.clock += 60
        self.edit(source)
        self.git("add", "kernel.hip")
        self.git("commit", "-q", "-m", "A change")
        return self.git("rev-parse", "HEAD")

    def edit(self, source: str) -> None:
        """Change the source."""
        (self.src / "kernel.hip").write_text(source)

    def build(self, gen_tok_s: float) -> None:
        """Write the program; another speed is another program."""
        self.clock += 60
        bench = self.src / "bench"
        bench.write_bytes(elf_that_prints(printed(gen_tok_s)))
        bench.chmod(0o755)
        os.utime(bench, (self.clock, self.clock))

    def measure(self, *words: str, hashed: bool = True, **env: str) -> None:
        """Collect one run in the repository; its row is evidence but for the second run."""
        options = ["--prefill", "32", "--model", str(self.model), *words]
        options += ["--hash-models"] if hashed else []
        home, self.host.folder = self.host.folder, self.src
        try:
            done = self.host.atlas(
                "collect-ar", "--bench", str(self.src / "bench"), *options, **env
            )
        finally:
            self.host.folder = home
        assert done.returncode == 0, done.stdout + done.stderr
