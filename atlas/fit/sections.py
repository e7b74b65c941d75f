"""A fit document → sections of lines, tables and bars, in the order in which they are read."""

from __future__ import annotations

from typing import Any

from atlas.render.section import Bar, Bars, Lines, Part, Section, Table

_RESOURCES = (
    ("VGPR", "max_vgpr", 256),
    ("SGPR", "max_sgpr", 128),
    ("spills", "max_spills", 16),
)
"""Name, field, and what fills its bar."""

_KERNEL_COLUMNS = ("#", "kernel", "%", "calls", "us/call", "GiB/s")
_NEED_COLUMNS = ("#", "op", "VGPR", "SGPR", "LDS", "spills", "waves", "object")
_SCOPES = {
    "profile-matched": "profile-matched: only kernels that the profile names",
    "profile-unmatched": "profile-unmatched: none of the profile's kernels was inspected",
    "all-inspected": "all-inspected: the row has no profile",
    "none": "no ISA in scope",
}
_UNKNOWN = "unknown"


def sections(document: dict[str, Any]) -> list[Section]:
    """All sections of a fit view."""
    row, fit = document["row"], document["fit"]
    return [
        Section("", [Lines([_headline(fit)])]),
        Section("ISA scope", [Lines(_scope(fit))]),
        Section("Hot kernels", _hot(fit)),
        Section("Lanes", _lanes(fit)),
        Section("Resources", _resources(fit)),
        Section("Quant intent", [Lines(_quant(fit))]),
        Section("Runtime metrics", [Lines(_metrics(row))]),
        Section("Fit read", [Lines(_read(fit))]),
        Section("Provenance", [Lines(_provenance(row, fit))]),
        Section("Evidence", [Lines([*_evidence(row), *document["notes"]])]),
    ]


def _headline(fit: dict[str, Any]) -> str:
    quant = (fit["quant"] or _UNKNOWN).upper()
    parts = (fit["arch"], fit["workload"], quant, fit["phase"], fit["shape_bucket"])
    return " | ".join(str(part or _UNKNOWN) for part in parts)


def _scope(fit: dict[str, Any]) -> list[str]:
    lines = [_SCOPES[fit["scope"]]]
    if fit["scope"] != "none":
        lines.append(
            f"{fit['objects']} objects from its {fit['found_by']}, {fit['in_scope']} kernels and "
            f"{fit['instructions']} instructions in scope"
        )
    if fit["profiled"]:
        lines.append(f"{fit['matched']} of {fit['profiled']} profiled kernels have an object")
    if fit["unmatched"]:
        lines.append("without an object: " + ", ".join(fit["unmatched"]))
    return lines


def _hot(fit: dict[str, Any]) -> list[Part]:
    if not fit["hot"]:
        return [Lines(["no profile: collect with --profile-prefill or --profile-decode"])]
    parts: list[Part] = [
        Table(_KERNEL_COLUMNS, [_measured(at, hot) for at, hot in enumerate(fit["hot"], 1)]),
        Table(_NEED_COLUMNS, [_needed(at, hot) for at, hot in enumerate(fit["hot"], 1)]),
        Lines(["waves: static limit from registers, not measured occupancy"]),
    ]
    if any(hot["variants"] > 1 for hot in fit["hot"]):
        parts.append(Lines(["several codes of one name: the worst of each number is shown"]))
    places = [line for at, hot in enumerate(fit["hot"], 1) for line in _places(at, hot)]
    return [*parts, Lines(places)] if places else parts


def _measured(at: int, hot: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(at),
        hot["kernel"],
        _number(hot["pct"], 1),
        _number(hot["calls"], 0),
        _number(hot["avg_us"], 1),
        _number(hot["gib_s"], 1),
    )


def _needed(at: int, hot: dict[str, Any]) -> tuple[str, ...]:
    found = "none"
    if hot["matched"]:
        found = "1 code" if hot["variants"] == 1 else f"{hot['variants']} codes"
    return (
        str(at),
        f"{hot['family']}.{hot['role']}",
        *(_number(hot[name], 0) for name in ("vgpr", "sgpr", "lds", "spills")),
        _waves(hot["waves"], hot["max_waves"]),
        found,
    )


def _places(at: int, hot: dict[str, Any]) -> list[str]:
    known = (
        ("source", hot["top_source"]),
        ("dispatch", hot["top_ref"]),
        ("env", ", ".join(hot["env_controls"])),
    )
    told = [f"   {name}: {value}" for name, value in known if value]
    return [f"{at}  {hot['kernel']}", *told] if told else []


def _lanes(fit: dict[str, Any]) -> list[Part]:
    if not fit["lanes"]:
        return [Lines(["none: there is no ISA in scope"])]
    available = {True: "available", False: "not on this card", None: "not claimed"}
    bars = []
    for lane in fit["lanes"]:
        note = available[lane["available"]]
        bars.append(Bar(lane["lane"], "static", lane["static"], 1.0, _share(lane["static"]), note))
        bars.append(Bar("", "by time", lane["weighted"], 1.0, _share(lane["weighted"]), ""))
    return [Bars(bars), Lines(["all but scheduling hints and padding; each code counts once"])]


def _resources(fit: dict[str, Any]) -> list[Part]:
    if fit["scope"] == "none":
        return [Lines(["none: there is no ISA in scope"])]
    bars = [
        Bar(name, "max", _float(fit[field]), float(full), _number(fit[field], 0), f"of {full}")
        for name, field, full in _RESOURCES
    ]
    lanes = ", ".join(f"wave{size}" for size in fit["wavefronts"]) or _UNKNOWN
    waves = _waves(fit["min_waves"], fit["max_waves"])
    return [
        Bars(bars),
        Lines(
            [
                f"wavefront: {lanes} (card: {fit['card_wavefront']})",
                f"LDS: {_number(fit['max_lds'], 0)} bytes at most",
                f"waves per SIMD: {waves} (static limit from registers, not measured occupancy)",
            ]
        ),
    ]


def _quant(fit: dict[str, Any]) -> list[str]:
    name = fit["quant"] or _UNKNOWN
    return [
        f"{name}: bytes saved {fit['bytes_saved']}, unpack tax {fit['unpack_tax']}",
        f"question: {fit['question']}",
    ]


def _metrics(row: dict[str, Any]) -> list[str]:
    shown = [f"{name}: {_plain(value)}" for name, value in sorted(row["metrics"].items())]
    if row["profiled"]:
        shown.append("profiled: tells where time goes, not how fast the program is")
    return shown or ["none was printed"]


def _read(fit: dict[str, Any]) -> list[str]:
    if fit["limit_text"]:
        lines = [
            f"limit: {fit['limit_text']}",
            f"left: {fit['left_text']}",
            f"shares looked at: {fit['shares'] or 'none'}",
        ]
    else:
        lines = ["no reading is offered", f"to collect: {fit['collect']}"]
    remarks = [f"remark: {text}" for text in fit["remarks"]]
    return [*lines, *remarks, f"{fit['arch'] or 'unknown arch'}: {fit['arch_note']}"]


def _provenance(row: dict[str, Any], fit: dict[str, Any]) -> list[str]:
    state = row["git_state"]
    if state == "dirty":
        state += f" -> diff_md5 {row['diff_md5'] or _UNKNOWN}"
    told = (
        ("row", row["row_id"]),
        ("host", row["host"]),
        ("captured", row["captured"]),
        ("git sha", f"{row['git_sha'] or _UNKNOWN} ({state})"),
        ("binary md5", row["binary_md5"]),
        ("code objects", row["code_objects"]),
        ("ISA manifest", fit["manifest_event"]),
        ("dispatch manifest", fit["dispatch_event"]),
    )
    return [f"{name}: {value or _UNKNOWN}" for name, value in told]


def _evidence(row: dict[str, Any]) -> list[str]:
    missing = ", ".join(row["missing"])
    lines = [row["evidence"] + (f"; missing: {missing}" if missing else "")]
    if row["status"] != "ok":
        lines.append(f"{row['status']}: {', '.join(row['why'])}")
    return lines


def _waves(waves: int | None, most: int | None) -> str:
    return f"{waves}/{most}" if waves is not None and most is not None else "-"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _plain(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
