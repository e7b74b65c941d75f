"""``atlas isa`` and ``atlas isa diff``: what kernels are made of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state
from atlas.render.text import printable

if TYPE_CHECKING:
    from atlas.isa.scan import Inspection

_COLUMNS = (
    *("kernel", "arch", "vgpr", "agpr", "sgpr", "spills", "lds", "scratch", "waves", "code"),
    *("instructions", "matrix", "valu", "vmem", "wait", "file"),
)
_SORTS = ("path", "kernel", "vgpr", "sgpr", "spills", "lds", "scratch", "waves", "instructions")


class _WithDiff(click.Command):
    """``atlas isa PATH…``, and ``atlas isa diff A B`` beside it."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **_: Any
    ) -> click.Context:
        """The context of the comparison when ``diff`` comes first."""
        if args[:1] == ["diff"]:
            return isa_diff.make_context("isa diff", args[1:], parent)
        return super().make_context(info_name, args, parent)


@click.command(cls=_WithDiff)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--arch", help="Only images for this processor.")
@click.option("--filter", "pattern", help="Expression searched in paths of files in folders.")
@click.option("--limit", type=click.IntRange(0), help="At most so many files.")
@click.option(
    "--sort",
    type=click.Choice(_SORTS),
    default="path",
    show_default=True,
    help="Column the kernels are ordered by, the costliest first.",
)
@click.option("--verify-with", metavar="TOOL", help="Compare with llvm-objdump, or a path to one.")
@format_options
@pass_state
def isa(state: State, /, **given: Any) -> int:
    """Inspect code objects: registers, spills, memory and instructions of every kernel.

    Reads bundles, compressed bundles, device and host ELF files; folders give .hsaco, .co and .o
    files. What was inspected before is only hashed. JSON is the manifest. `waves` is a static
    limit from registers, not measured occupancy. `atlas isa diff A B` compares two builds.

    \b
    Example:
      atlas isa .hipfire_kernels/gfx1100 --sort spills
    """
    from atlas.isa.scan import ScanOptions
    from atlas.manifests.isa import inspect, known_payloads
    from atlas.manifests.recording import record_inspected

    ledger = state.ledger(make_folder=True)
    options = ScanOptions(given["arch"], given["pattern"], given["limit"])
    known = known_payloads(given["paths"], options, ledger, state.catalog)
    found = inspect(given["paths"], options, known, state.observer)
    record_inspected(found, ledger)
    if state.format == "json":
        emit_object(found.manifest)
    else:
        emit_rows(state, _COLUMNS, _lines(found.manifest, given["sort"]))
    _tell(found.inspection)
    differs = given["verify_with"] and _verify(found.inspection, given["verify_with"])
    return found.inspection.exit_code or int(bool(differs))


def _lines(manifest: dict[str, Any], sort: str) -> list[tuple[Any, ...]]:
    from atlas.isa.diff import MEASURES

    lines = []
    for image in manifest["objects"]:
        for kernel in image["kernels"]:
            limit = kernel["static_wave_limit"]
            mix = kernel["instruction_summary"]["category_counts"]
            resources = (kernel["vgpr_count"], kernel["agpr_count"], kernel["sgpr_count"])
            memory = (kernel["group_segment_fixed_size"], kernel["private_segment_fixed_size"])
            counts = (mix.get("matrix", 0), mix.get("valu", 0) + mix.get("dot", 0))
            line = (
                *(kernel["name"], image["arch"], *resources, MEASURES["spills"](kernel), *memory),
                limit and limit["waves_per_simd"],
                kernel.get("code_bytes"),
                kernel["instruction_summary"]["instruction_count"],
                *(*counts, mix.get("vmem", 0), mix.get("wait", 0), image["path"]),
            )
            lines.append(line)
    return _sorted(lines, sort)


def _sorted(lines: list[tuple[Any, ...]], sort: str) -> list[tuple[Any, ...]]:
    """Largest first; few waves and unknowns are what to look at last and first, respectively."""
    if sort == "path":
        return lines
    place = _COLUMNS.index(sort)
    if sort == "kernel":
        return sorted(lines, key=lambda line: line[place])
    sign = 1 if sort == "waves" else -1
    known = [line for line in lines if line[place] is not None]
    unknown = [line for line in lines if line[place] is None]
    return sorted(known, key=lambda line: (sign * line[place], line[0])) + unknown


def _tell(inspection: Inspection) -> None:
    for finding in inspection.findings:
        said = f"{finding.where}: {finding.code}: {finding.message}"
        click.echo(f"atlas: {printable(said)}", err=True)
    for reason, count in Counter(one.reason for one in inspection.skipped).items():
        files = "1 file" if count == 1 else f"{count} files"
        click.echo(f"atlas: skipped {files}: {printable(reason)}", err=True)
    if inspection.beyond_limit:
        click.echo(f"atlas: {inspection.beyond_limit} more files are beyond --limit", err=True)


def _verify(inspection: Inspection, tool: str) -> bool:
    """Compare with a disassembler; say what was compared, and whether anything differs."""
    from atlas.isa.files import read_file
    from atlas.isa.verify import verify

    compared = 0
    differences = []
    for file in inspection.objects:
        made = verify(read_file(file.path), tool)
        compared += made.compared
        differences += [(file.path, finding) for finding in made.findings]
    for path, finding in differences[:20]:
        said = f"{path}: {finding.where}: {finding.code}: {finding.message}"
        click.echo(f"atlas: {printable(said)}", err=True)
    said = f"{compared} instructions compared with {tool}, {len(differences)} differences"
    click.echo(f"atlas: {printable(said)}", err=True)
    return bool(differences)


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--fail-on", metavar="MEASURES", default="", help="spills,vgpr: exit 1 on more.")
@click.option("--all", "everything", is_flag=True, help="Show identical kernels too.")
@format_options
@pass_state
def isa_diff(state: State, first: str, second: str, fail_on: str, everything: bool) -> int:
    """Compare two builds, kernel by kernel: registers, spills, memory, mix, identical or not.

    A and B are code objects, folders, manifest files, or, from the ledger, a row, an ISA manifest
    or its beginning. Measures for --fail-on: spills, vgpr, agpr, sgpr, lds, scratch, code,
    instructions, waves. Exit 1: a kernel got worse in one of them.

    \b
    Example:
      atlas isa diff build-a/ build-b/ --fail-on spills,vgpr
    """
    from atlas.isa.diff import diff_manifests, regressions
    from atlas.manifests.builds import Builds
    from atlas.render.isa_diff import COLUMNS, diff_lines

    with Builds(state.ledger(), state.catalog, state.observer) as builds:
        diffs = diff_manifests(builds.manifest(first), builds.manifest(second))
    worse = regressions(diffs, [name.strip() for name in fail_on.split(",") if name.strip()])
    emit_rows(state, COLUMNS, diff_lines(diffs, everything=everything))
    for one in worse:
        said = f"{one.kernel} ({one.arch}): {one.measure} {one.before} -> {one.after}"
        click.echo(f"atlas: worse: {printable(said)}", err=True)
    return 1 if worse else 0
