"""``atlas ingest``: append what people already have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from atlas.cli.output import emit_rows, format_options
from atlas.cli.state import State, pass_state
from atlas.render.text import printable

if TYPE_CHECKING:
    from atlas.ingest.run import FileReport

_COLUMNS = ("file", "what", "new", "known", "rows", "errors", "findings")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_options
@pass_state
def ingest(state: State, paths: tuple[Path, ...]) -> int:
    """Append rows, logs and manifests that you already have.

    What a file is, is recognised by its content. The same file again adds nothing. What is not
    understood yet is kept whole. A broken file is reported and not recorded, the others are; the
    exit code is then 2.

    \b
    Example:
      atlas ingest results/*.jsonl logs/
    """
    from atlas.ingest.run import ingest as run_ingest

    reports = run_ingest(paths, state.ledger(make_folder=True), state.observer)
    emit_rows(state, _COLUMNS, (_line(report) for report in reports))
    for report in reports:
        if report.refused:
            click.echo(f"atlas: refused: {printable(report.refused)}", err=True)
    if state.format == "table":
        click.echo(_summary(reports))
    return 2 if any(report.refused for report in reports) else 0


def _line(report: FileReport) -> tuple[object, ...]:
    what = "refused" if report.refused and not report.new + report.known else report.what
    codes = Counter(one.code for one in report.findings)
    told = ", ".join(code if n == 1 else f"{code} x{n}" for code, n in codes.items())
    if report.waiting:
        told = ", ".join([f"{report.waiting} events wait in the outbox", *filter(None, [told])])
    counts = (report.new, report.known, report.rows, report.errors)
    return (report.name, what, *counts, told)


def _summary(reports: list[FileReport]) -> str:
    new, known = sum(one.new for one in reports), sum(one.known for one in reports)
    if not new and known:
        return f"nothing new; events that were here already: {known}"
    return f"events: {new} new, {known} known already; files: {len(reports)}"
