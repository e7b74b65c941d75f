"""``atlas dispatch``: where a source tree mentions kernels."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state
from atlas.errors import NotFound
from atlas.render.text import printable

if TYPE_CHECKING:
    from ledger.store import Ledger

_COLUMNS = ("kernel", "op", "top_source", "sources", "top_reference", "references", "env_controls")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Kernels to search for, their operations, and the row whose profile names them."""

    names: list[str]
    ops: dict[str, Any]
    arch: str | None = None
    row_id: str | None = None


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="here",
    help="The source tree.",
)
@click.option("--arch", help="Architecture whose files rank first.")
@click.option("--dispatch-ref-limit", default=8, show_default=True, help="Files and lines each.")
@format_options
@pass_state
def dispatch(
    state: State, /, names: tuple[str, ...], root: Path, arch: str | None, dispatch_ref_limit: int
) -> int:
    """Find the files and lines of a source tree that mention kernels.

    Without names: the profiled kernels of the newest row that has a profile. What is found are
    places to look, and proves no branch. JSON is the manifest.

    \b
    Example:
      atlas dispatch gemv_hfq4g256_residual --root ~/hipfire
    """
    from atlas.identity.host import observe_host
    from atlas.manifests.dispatch import dispatch_draft, scan

    ledger = state.ledger(make_folder=True)
    wanted = _wanted(state, ledger, names)
    arch = arch or wanted.arch
    manifest = scan(
        root,
        wanted.names,
        arch=arch,
        ref_limit=dispatch_ref_limit,
        ops=wanted.ops,
        observer=state.observer,
    )
    host = observe_host().hostname
    ledger.record([dispatch_draft(manifest, str(uuid.uuid4()), host, wanted.row_id)])
    if state.format == "json":
        emit_object(manifest)
    else:
        emit_rows(state, _COLUMNS, map(_line, manifest["entries"]))
    for finding in manifest["findings"]:
        said = f"{finding['where']}: {finding['message']}".removeprefix(": ")
        click.echo(f"atlas: {printable(said)}", err=True)
    click.echo(f"atlas: {manifest['note']}", err=True)
    return 0


def _wanted(state: State, ledger: Ledger, names: tuple[str, ...]) -> _Wanted:
    from atlas.ask import ask
    from atlas.manifests.dispatch import ops_of
    from ledger.errors import LedgerMissing
    from ledger.passing import passing

    try:
        with ledger.reader() as reader:
            if names:
                return _Wanted(list(names), ops_of(reader, state.catalog, names))
            newest = ask(reader, state.catalog, "newest_row", profiled=True).dicts()
            if newest:
                row_id, arch = newest[0]["row_id"], newest[0]["arch"]
                hot = dict(ask(reader, state.catalog, "hot_of_row", row_id=row_id).rows)
                return _Wanted(list(hot), hot, arch, row_id)
    except LedgerMissing:
        if names:
            with passing(state.catalog, []) as reader:
                return _Wanted(list(names), ops_of(reader, state.catalog, names))
    raise NotFound("no row has a profile", hint="name kernels, or collect with --profile-decode")


def _line(entry: dict[str, Any]) -> tuple[Any, ...]:
    sources, refs, op = entry["source_files"], entry["dispatch_refs"], entry["op"]
    return (
        entry["name"],
        f"{op['family']}.{op['role']}" if op else None,
        sources[0]["path"] if sources else None,
        len(sources),
        f"{refs[0]['path']}:{refs[0]['line']}" if refs else None,
        len(refs),
        ", ".join(entry["env_controls"]),
    )
