"""``atlas compare``: verdicts about two sides, or a refusal that names the fields."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state
from atlas.errors import BadUsage

if TYPE_CHECKING:
    from atlas.compare.sides import Compared


@click.command()
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--by", default="code", show_default=True, help="code, env:NAME, host or aa.")
@click.option("--a", "runs_a", help="Runs of the base, 1,2,3: no ledger is asked.")
@click.option("--b", "runs_b", help="Runs of the candidate.")
@click.option("--jsonl", type=click.File(), help="Judge base_runs against var_runs of each line.")
@click.option("--goal", type=click.Choice(["maximize", "minimize"]), help="Of bare numbers.")
@click.option("--delta", type=float, help="Smallest change of interest, a fraction.")
@click.option("--explain", is_flag=True, help="How the verdict was reached.")
@click.option("--allow-mismatch", is_flag=True, help="Show both sides where nothing is comparable.")
@format_options
@pass_state
def compare(state: State, /, a: str | None, b: str | None, **options: Any) -> None:
    """Two rows, events or selections: faster, slower, the same, or not to be told.

    A and B are ids, `latest`, or selections k=v,k=v; A is the base. Exit code 0 whatever the
    verdict is, 1 when the rules of evidence forbid the comparison.

    \b
    Example:
      atlas compare git_sha=3f2a git_sha=9b41 --by code
    """
    bare = options["runs_a"], options["runs_b"]
    ways = [a is not None or b is not None, any(bare), options["jsonl"] is not None]
    if sum(ways) != 1:
        raise BadUsage("give two sides, or --a and --b, or --jsonl", hint="one of the three")
    if options["jsonl"] is not None:
        _judge_file(state, options["jsonl"], options)
    elif bare[0] and bare[1]:
        _judge_bare(state, options)
    elif a is not None and b is not None:
        _compare(state, (a, b), options)
    else:
        raise BadUsage("the second side is missing", hint="`atlas compare A B`")


def _compare(state: State, sides: tuple[str, str], options: dict[str, Any]) -> None:
    from atlas.compare import sides as comparing
    from atlas.compare.told import released

    question = comparing.Question(options["by"], options["delta"], options["explain"])
    with state.ledger().reader() as reader:
        compared = comparing.compare(reader, state.catalog, sides, question)
    if not options["allow_mismatch"]:
        comparing.refuse(compared)
    _show(state, released(compared), explain=options["explain"])


def _show(state: State, compared: Compared, *, explain: bool) -> None:
    from atlas.compare.told import COLUMNS, explained, fields, lines

    if state.format == "json":
        single = compared.overall is None
        document = {"comparisons": compared.pairs, "overall": compared.overall}
        emit_object(compared.pairs[0] if single else document)
    elif state.format != "table" or compared.overall is not None:
        emit_rows(state, COLUMNS, lines(compared))
    else:
        pair = compared.pairs[0]
        emit_rows(state, ("", ""), [*fields(pair), *(explained(pair) if explain else ())])
    if compared.overall is not None and state.format != "json":
        click.echo(_overall(compared.overall), err=True)


def _overall(told: dict[str, Any]) -> str:
    if told["ratio"] is None:
        return "no workload in common has a ratio"
    return f"geometric mean {told['ratio']:.4f} over {told['n']}, {told['left_out']} left out"


def _judge_bare(state: State, options: dict[str, Any]) -> None:
    from atlas.compare.bare import judge_text

    told = judge_text(
        options["runs_a"], options["runs_b"], explain=options["explain"], **_flags(options)
    )
    if state.format == "json" or (state.format == "table" and not sys.stdout.isatty()):
        emit_object(told)
    elif state.format == "table":
        emit_rows(state, ("", ""), told.items())
    else:
        emit_rows(state, tuple(told), [tuple(told.values())])


def _judge_file(state: State, file: IO[str], options: dict[str, Any]) -> None:
    from atlas.compare.bare import SHOWN, judge_file

    if state.format == "table" and not sys.stdout.isatty():
        state.format = "jsonl"
    found = judge_file(file, file.name, **_flags(options))
    emit_rows(state, SHOWN, [tuple(told.values()) for told in found])


def _flags(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("goal", "delta") if options[name] is not None}
