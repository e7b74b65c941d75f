"""``atlas suggest``: ranked ideas for the next experiment on a row."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from atlas.cli.output import emit_object, emit_rows
from atlas.cli.row_options import open_row, row_options
from atlas.cli.state import State, pass_state

_FORMS = ("table", "json", "markdown")


def _remember(ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Errors are JSON when the suggestions are asked for as JSON."""
    if value == "json":
        ctx.ensure_object(State).format = "json"
    return value


@click.command()
@row_options
@click.option(
    "--max-suggestions",
    default=12,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="At most so many.",
)
@click.option(
    "--hot-limit",
    default=8,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Kernels of the profile that are looked at.",
)
@click.option(
    "--history",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Tasks and results of earlier tries, files or folders; repeatable.",
)
@click.option("--correctness-command", multiple=True, help="Told with each suggestion; repeatable.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    is_eager=True,
    callback=_remember,
    help="[default: table on a terminal, else json]",
)
@click.option("--pretty", is_flag=True, help="JSON on many lines in --output, too.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it there.")
@pass_state
def suggest(state: State, /, **given: Any) -> None:
    """Rank experiments for a row by its profile, its fit and what was tried before.

    ROW is an id prefix, `latest` (the default) or a selection such as arch=gfx1201.

    \b
    Example:
      atlas suggest latest --format markdown
    """
    from atlas.suggest.document import SuggestionWishes, suggestions_document
    from atlas.suggest.history import read_history

    wishes = SuggestionWishes(
        given["hot_limit"],
        given["max_suggestions"],
        read_history(state.catalog, given["history"], state.observer),
        given["correctness_command"],
    )
    with open_row(state, given) as source:
        document = suggestions_document(source, wishes)
    _show(state, document, given)


def _show(state: State, document: dict[str, Any], given: dict[str, Any]) -> None:
    stays_json = given["output"] is not None or given["row_file"] is not None
    form = given["form"] or ("json" if stays_json or not sys.stdout.isatty() else "table")
    if given["output"] is not None:
        _write(document, form, given["output"], pretty=given["pretty"])
    elif form == "json":
        emit_object(document)
    elif form == "markdown":
        from atlas.suggest.markdown import as_markdown

        click.echo(as_markdown(document), nl=False)
    else:
        columns = ("rank", "score", "lever_type", "title", "risk", "expected_impact", "id")
        rows = [tuple(one[name] for name in columns) for one in document["suggestions"]]
        emit_rows(state, columns, rows)


def _write(document: dict[str, Any], form: str, path: Path, *, pretty: bool) -> None:
    import json

    from atlas.evals.documents import cannot_write
    from atlas.render.values import plain
    from atlas.suggest.markdown import as_markdown

    if form == "markdown":
        text = as_markdown(document)
    else:
        indent = 1 if pretty else None
        text = json.dumps(plain(document), ensure_ascii=False, indent=indent) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(path, error) from error
