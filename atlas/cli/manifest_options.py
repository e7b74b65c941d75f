"""Options of the collectors that inspect code objects and search source trees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.errors import BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.cli.state import State
    from atlas.collect.manifests import Manifests
    from ledger.store import Ledger

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--isa-dir", multiple=True, type=_FOLDER, help="Inspect this folder after runs."),
    click.option("--isa-file", multiple=True, type=_FILE, help="Inspect this code object too."),
    click.option("--isa-filter", help="Expression searched in paths of files in folders."),
    click.option("--isa-limit", type=click.IntRange(0), help="At most so many code objects."),
    click.option("--isa-output", type=_FILE, help="Write the ISA manifest there too."),
    click.option("--dispatch-provenance", is_flag=True, help="Search a tree for hot kernels."),
    click.option("--dispatch-root", type=_FOLDER, default=Path(), help="That tree.  [here]"),
    click.option("--dispatch-ref-limit", default=8, show_default=True, help="Lines a kernel."),
    click.option("--dispatch-output", type=_FILE, help="Write the manifest there; switches it on."),
)


def manifest_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def manifests_of(state: State, ledger: Ledger, given: dict[str, Any]) -> Manifests | None:
    """What makes the manifests that were asked for; None when none was.

    Raises:
        BadUsage: what was asked for can't be made; better said before the first run.
    """
    from atlas.collect.manifests import Manifests, Wanted

    wanted = Wanted(
        isa_paths=(*given["isa_dir"], *given["isa_file"]),
        isa_pattern=given["isa_filter"],
        isa_limit=given["isa_limit"],
        isa_output=given["isa_output"],
        dispatch=given["dispatch_provenance"] or given["dispatch_output"] is not None,
        dispatch_root=given["dispatch_root"],
        dispatch_ref_limit=given["dispatch_ref_limit"],
        dispatch_output=given["dispatch_output"],
    )
    if not wanted.isa_paths and not wanted.dispatch:
        return None
    if wanted.dispatch and not wanted.dispatch_root.is_dir():
        raise BadUsage(f"--dispatch-root {wanted.dispatch_root}: no such folder")
    try:
        re.compile(wanted.isa_pattern or "")
    except re.error as error:
        raise BadUsage(f"--isa-filter {wanted.isa_pattern!r}: {error}") from error
    return Manifests(wanted, ledger, state.catalog, state.observer)
