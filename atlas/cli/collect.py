"""``atlas collect-ar`` and ``atlas collect-dflash``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.manifest_options import manifest_options, manifests_of
from atlas.cli.output import emit_rows
from atlas.cli.state import State, pass_state
from atlas.errors import BadInput, BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.collect.plan import Labels, Plan
    from atlas.collect.session import Collected

_BENCH = "./target/release/examples/bench_qwen35_mq4"
_DEMO = "./target/release/examples/dflash_spec_demo"
_COLUMNS = ("phase", "shape", "run", "metric", "value", "status")
_INTERRUPTED = 130


def _pairs(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        pairs[name] = value
    return pairs


def common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that both collectors have."""
    for option in reversed(
        (
            click.option(
                "--hash-models", is_flag=True, help="Take the md5 of model files (cached)."
            ),
            click.option("--env", multiple=True, callback=_pairs, help="NAME=VALUE for the runs."),
            click.option("--arch", help="Architecture, when the output prints none."),
            click.option("--hostname", help="Name of this host in the rows."),
            click.option("--git-sha", help="Commit to record instead of the observed one."),
            click.option(
                "--output",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Append the v0 rows to this JSONL file too.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.option("--bench", default=_BENCH, show_default=True, type=click.Path(path_type=Path))
@click.option("--model", required=True, type=click.Path(path_type=Path), help="The model file.")
@click.option("--workload", default="qwen3.5", show_default=True, help="Name of the workload.")
@click.option("--model-size", default="unknown", show_default=True, help="Size label.")
@click.option("--quant", default="mq4", show_default=True, help="Quantisation label.")
@click.option(
    "--prefill", multiple=True, type=click.IntRange(1), help="Length; repeatable. [32, 128]"
)
@click.option("--prefill-runs", default=1, show_default=True, help="Prefill runs in one process.")
@click.option("--gen", default=50, show_default=True, help="Tokens to generate.")
@click.option("--warmup", default=5, show_default=True, help="Tokens of warm-up.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--kv-mode", default="asym3", show_default=True, help="KV cache mode.")
@click.option("--dpm-warmup-secs", default="3", show_default=True, help="Seconds to warm clocks.")
@click.option("--graph", is_flag=True, help="Set HIPFIRE_GRAPH=1.")
@click.option("--profile-prefill", is_flag=True, help="Set HIPFIRE_PROFILE=1.")
@click.option("--profile-decode", is_flag=True, help="Set HIPFIRE_PROFILE_DECODE=1.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds a run may take.")
@common_options
@manifest_options
@pass_state
def collect_ar(state: State, /, **given: Any) -> int:
    """Run the AR bench for each prefill length; one event per run, the moment it ends.

    A run that fails, hangs or prints nothing useful becomes an error record that keeps whatever
    valid row it printed; the other runs go on, and the exit code is 1.

    \b
    Example:
      atlas collect-ar --model qwen3.5-9b.mq4 --prefill 128 --runs 4 --hash-models
    """
    from atlas.collect.plan import ArRuns, Plan, ar_requests, executable

    bench, model = executable(given["bench"]), given["model"]
    names = ArRuns.__dataclass_fields__
    wanted = ArRuns(**{name: given[name] for name in names if name in given})
    wanted = wanted if wanted.prefill else ArRuns(**_without_prefill(given))
    plan = Plan(
        kind="ar",
        program=bench,
        requests=ar_requests(bench, model, wanted),
        labels=_labels(given),
        timeout=given["timeout"],
        model=model,
        hash_models=given["hash_models"],
    )
    return _run(state, plan, given)


@click.command()
@click.option("--demo", default=_DEMO, show_default=True, type=click.Path(path_type=Path))
@click.option("--target", required=True, type=click.Path(path_type=Path), help="Target model.")
@click.option("--draft", required=True, type=click.Path(path_type=Path), help="Draft model.")
@click.option(
    "--prompt-file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Text that is sent, whole.",
)
@click.option("--workload", default="qwen3.5-dflash", show_default=True, help="Name.")
@click.option("--model-size", default="unknown", show_default=True, help="Size label.")
@click.option("--quant", default="mq4", show_default=True, help="Quantisation label.")
@click.option("--max-tokens", default=256, show_default=True, help="Tokens to generate.")
@click.option("--ctx", default=2048, show_default=True, help="Context length.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--kv-mode", default="q8", show_default=True, help="q8, fwht2, fwht3 or fwht4.")
@click.option("--dpm-warmup-secs", default="10", show_default=True, help="Seconds to warm clocks.")
@click.option("--chatml/--no-chatml", default=False, show_default=True, help="Wrap in ChatML.")
@click.option("--timeout", default=900.0, show_default=True, help="Seconds a run may take.")
@common_options
@manifest_options
@pass_state
def collect_dflash(state: State, /, **given: Any) -> int:
    """Run the DFlash demo; one event per run, the moment it ends.

    \b
    Example:
      atlas collect-dflash --target t.mq4 --draft d.hfq --prompt-file p.txt --runs 4
    """
    from atlas.collect.plan import DflashRuns, Plan, dflash_requests, executable

    demo = executable(given["demo"])
    text = _prompt(given["prompt_file"])
    names = DflashRuns.__dataclass_fields__
    wanted = DflashRuns(**{name: given[name] for name in names})
    models = (given["target"], given["draft"])
    plan = Plan(
        kind="dflash",
        program=demo,
        requests=dflash_requests(demo, models, (text, given["prompt_file"]), wanted),
        labels=_labels(given),
        timeout=given["timeout"],
        model=given["target"],
        draft=given["draft"],
        prompt=text.encode(),
        prompt_file=given["prompt_file"],
        hash_models=given["hash_models"],
    )
    return _run(state, plan, given)


def _without_prefill(given: dict[str, Any]) -> dict[str, Any]:
    from atlas.collect.plan import ArRuns

    names = set(ArRuns.__dataclass_fields__) - {"prefill"}
    return {name: given[name] for name in names}


def _labels(given: dict[str, Any]) -> Labels:
    from atlas.collect.plan import Labels

    return Labels(**{name: given[name] for name in Labels.__dataclass_fields__})


def _prompt(path: Path) -> str:
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise BadInput(
            f"{path}: {error.strerror}", hint="name a prompt with --prompt-file"
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}", hint="convert it") from error
    if "\0" in text:
        raise BadUsage(f"{path}: holds a NUL byte, which no command line can carry")
    return text


def _run(state: State, plan: Plan, given: dict[str, Any]) -> int:
    from atlas.collect.session import collect

    output: Path | None = given["output"]
    ledger = state.ledger(make_folder=True)
    collected = collect(plan, ledger, state.observer, manifests_of(state, ledger, given))
    if output is not None:
        with output.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in collected.rows)
    ledger.drain()
    _show(state, collected, to_file=output is not None)
    if collected.interrupted:
        return _INTERRUPTED
    return 1 if collected.errors else 0


def _show(state: State, collected: Collected, *, to_file: bool) -> None:
    """A table for people; v0 rows as JSONL where a program reads, unless a file got them."""
    if sys.stdout.isatty() or to_file:
        emit_rows(state, _COLUMNS, (_line(row) for row in collected.rows))
        return
    for row in collected.rows:
        click.echo(json.dumps(row))


def _line(row: dict[str, Any]) -> tuple[Any, ...]:
    metrics = row.get("metrics", {})
    for metric in ("gen_tok_s", "decode_tok_s", "prefill_tok_s"):
        if metric in metrics:
            value = metrics[metric]
            return row["phase"], row.get("shape_bucket"), row.get("run_index"), metric, value, "ok"
    status = row.get("reason", row.get("status"))
    return row["phase"], row.get("shape_bucket"), row.get("run_index"), None, None, status
