"""``atlas parse``: what is read from a saved output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from atlas.cli.output import emit_object
from atlas.errors import AnswerIsNo, BadInput


@click.group()
def parse() -> None:
    """Show what is read from a saved output, as JSON; writes nothing.

    \b
    Example:
      atlas parse bench run.log
    """


@parse.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
def bench(file: Path) -> None:
    """Read the output of the AR bench; FILE may be - for stdin.

    \b
    Example:
      ./bench_qwen35_mq4 model.mq4 2>&1 | atlas parse bench -
    """
    _parse(file, "bench")


@parse.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
def dflash(file: Path) -> None:
    """Read the output of a DFlash or MTP demo; FILE may be - for stdin.

    \b
    Example:
      atlas parse dflash demo.log
    """
    _parse(file, "dflash")


def _parse(file: Path, hint: Literal["bench", "dflash"]) -> None:
    from atlas.outputs import read_output

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}", hint="name a file, or - for stdin") from error
    reading = read_output(data, hint=hint)
    emit_object(reading.as_json())
    if not any(segment.observations for segment in reading.segments):
        raise AnswerIsNo(f"{file}: no measurement in it", hint="the JSON says what was found")
