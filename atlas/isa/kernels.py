"""One device image → facts about its kernels and device functions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.isa import elf
from atlas.isa.code import CodeFacts, CodeReader, reader_for, without_listing
from atlas.isa.crosscheck import disagreements, fields_of_descriptor
from atlas.isa.extents import Extent, Layout
from atlas.isa.limits import static_wave_limit
from atlas.isa.metadata import KERNEL_FIELDS, Metadata, read_metadata
from atlas.isa.mix import summary
from atlas.isa.problem import MAX_CODE_BYTES, MAX_FUNCTIONS, ObjectProblem
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atlas.isa.container import Image

_LIST_FIELDS = frozenset({"reqd_workgroup_size"})
_FLAG_FIELDS = frozenset({"workgroup_processor_mode", "uses_dynamic_stack"})
_KNOWN = frozenset({"name", "symbol", "args", *KERNEL_FIELDS})


@dataclass(slots=True)
class Budget:
    """What may still be read of one file: bytes of code, kernels and device functions."""

    code: int = MAX_CODE_BYTES
    functions: int = MAX_FUNCTIONS

    def take_function(self) -> None:
        """Count one kernel or function, or refuse it."""
        self.functions -= 1
        if self.functions < 0:
            message = f"More than {MAX_FUNCTIONS} kernels and functions in one file."
            raise ObjectProblem("elf_too_many", message)


@dataclass(slots=True)
class _Reading:
    """An image while it is read."""

    layout: Layout
    metadata: Metadata
    reader: CodeReader
    budget: Budget
    findings: list[Finding]
    decoded: dict[Extent, CodeFacts] = field(default_factory=dict)

    def code(self, extent: Extent, name: str) -> CodeFacts:
        """Read an extent once, however many names it has."""
        known = self.decoded.get(extent)
        if known is None:
            known = self.decoded[extent] = self._read(extent, name)
        return known

    def _read(self, extent: Extent, name: str) -> CodeFacts:
        code = self.layout.code(extent)
        if len(code) < extent.size:
            message = f"{len(code)} of the {extent.size} bytes of code are in the file."
            self.findings.append(Finding("elf_truncated", message, name))
        had, self.budget.code = self.budget.code, self.budget.code - len(code)
        if self.budget.code < 0:
            if had >= 0:
                message = f"Beyond {MAX_CODE_BYTES} bytes of code, no more of this file is decoded."
                self.findings.append(Finding("code_too_big", message, name))
            return without_listing(code, None)
        return self.reader.read(code, trim=extent.inferred)


def inspect_image(image: Image, budget: Budget) -> dict[str, Any]:
    """Facts about one device image; what cannot be read becomes a finding in it."""
    findings: list[Finding] = []
    facts: dict[str, Any] = {"bundle_target": image.target, "kernels": [], "device_functions": []}
    try:
        _inspect(image, budget, facts, findings)
    except ObjectProblem as problem:
        findings.append(problem.finding)
    facts.setdefault("amdhsa_target", "")
    facts.setdefault("arch", (image.target or "").split(":")[0])
    facts.setdefault("code_object_version", None)
    facts.setdefault("instruction_summary", summary(Counter(), []))
    facts["findings"] = [finding.as_json() for finding in findings]
    return facts


def _inspect(image: Image, budget: Budget, facts: dict[str, Any], findings: list[Finding]) -> None:
    file = elf.Elf(image.data)
    if file.machine != elf.MACHINE_AMDGPU:
        raise ObjectProblem("not_amdgpu", f"An ELF file for machine {file.machine}.")
    metadata = _metadata(file, findings)
    facts["amdhsa_target"] = metadata.target
    facts["arch"] = metadata.processor or (image.target or "").split(":")[0]
    facts["code_object_version"] = metadata.code_object_version
    reader = reader_for(facts["arch"])
    if reader is None:
        message = f"No table for {facts['arch'] or 'this processor'}: its code is not decoded."
        findings.append(Finding("no_table", message))
    reading = _Reading(Layout(file), metadata, reader or CodeReader(None), budget, findings)
    try:
        for kernel in _kernels(reading):
            facts["kernels"].append(kernel)
        facts["device_functions"] = _device_functions(reading, facts["kernels"])
    finally:
        facts["instruction_summary"] = _whole(reading, facts["kernels"])


def _metadata(file: elf.Elf, findings: list[Finding]) -> Metadata:
    """The note; where it is damaged, what e_flags say, so that the code is still read."""
    found = Metadata()
    try:
        read_metadata(file, found)
    except ObjectProblem as problem:
        findings.append(problem.finding)
    findings.extend(found.warnings)
    return found


def _kernels(reading: _Reading) -> Iterator[dict[str, Any]]:
    """Kernels the note names, then those that only have a descriptor."""
    named: set[str] = set()
    for position, entry in enumerate(reading.metadata.kernels):
        reading.budget.take_function()
        symbol = entry.get(".symbol")
        name = entry.get(".name")
        if not isinstance(name, str):
            message = f"Kernel {position} of the note has no name."
            reading.findings.append(Finding("metadata_msgpack", message))
            continue
        symbol = symbol if isinstance(symbol, str) else f"{name}.kd"
        named.add(symbol)
        yield _kernel(reading, name, symbol, entry)
    for symbol in reading.layout.descriptors:
        if symbol not in named:
            reading.budget.take_function()
            yield _kernel(reading, symbol.removesuffix(".kd"), symbol, None)


def _kernel(
    reading: _Reading, name: str, symbol: str, entry: dict[Any, Any] | None
) -> dict[str, Any]:
    descriptor = reading.layout.descriptor(symbol)
    facts: dict[str, Any] = {"name": name, "symbol": symbol, "metadata_from": "note"}
    if entry is not None:
        facts |= _noted_fields(entry, reading.findings, name)
        if descriptor:
            reading.findings.extend(disagreements(name, facts, descriptor, reading.metadata))
    else:
        facts |= dict.fromkeys(KERNEL_FIELDS)
        facts["metadata_from"] = "descriptor" if descriptor else "nothing"
        if descriptor:
            facts |= fields_of_descriptor(descriptor, reading.metadata.processor)
    processor = reading.metadata.processor
    facts["static_wave_limit"] = static_wave_limit(
        processor, facts["wavefront_size"], facts["vgpr_count"]
    )
    extent = reading.layout.extent(symbol)
    if extent is None:
        reading.findings.append(Finding("no_code", "There is no code for this kernel.", name))
        return facts | {"instruction_summary": summary(Counter(), [name])}
    return facts | _code_facts(reading.code(extent, name), extent, [name])


def _noted_fields(entry: dict[Any, Any], findings: list[Finding], name: str) -> dict[str, Any]:
    """Known fields of a note entry, checked; scalar unknown ones under ``other``."""
    facts: dict[str, Any] = {}
    for key in KERNEL_FIELDS:
        value = entry.get(f".{key}")
        if value is not None and not _is_plausible(key, value):
            findings.append(Finding("metadata_msgpack", f".{key} is {value!r:.40}.", name))
            value = None
        facts[key] = value
    facts["other"] = {
        key: value
        for key, value in entry.items()
        if isinstance(key, str) and key.removeprefix(".") not in _KNOWN and _is_plain(value)
    }
    return facts


def _is_plausible(key: str, value: object) -> bool:
    if key in _LIST_FIELDS:
        return isinstance(value, list) and len(value) == 3 and all(map(_is_count, value))
    if key in _FLAG_FIELDS:
        return isinstance(value, bool) or value in (0, 1)
    return _is_count(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 32


def _is_plain(value: object) -> bool:
    """Whether a value stands in JSON as it is: a scalar or a short list of scalars."""
    if isinstance(value, list):
        return len(value) <= 16 and all(isinstance(part, (str, int, bool)) for part in value)
    return isinstance(value, (str, int, bool))


def _code_facts(code: CodeFacts, extent: Extent, symbols: list[str]) -> dict[str, Any]:
    return {
        "address": extent.address,
        "code_bytes": code.size,
        "code_sha256": code.sha256,
        "inferred": extent.inferred,
        "undecoded": code.undecoded,
        "loops": code.loops,
        "instruction_summary": {"kernel_symbols": symbols, **code.mix},
    }


def _device_functions(reading: _Reading, kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Functions that are no kernels: own body only, callees are not added up."""
    names = {kernel["symbol"].removesuffix(".kd") for kernel in kernels}
    functions: list[dict[str, Any]] = []
    for name, symbol in reading.layout.functions.items():
        if name in names:
            continue
        reading.budget.take_function()
        extent = reading.layout.extent_of(symbol)
        code = reading.code(extent, name)
        functions.append({"name": name, **_code_facts(code, extent, [])})
    return functions


def _whole(reading: _Reading, kernels: list[dict[str, Any]]) -> dict[str, Any]:
    """Every instruction of the image once: kernels and device functions, no padding."""
    total: Counter[str] = Counter()
    undecoded = 0
    for code in reading.decoded.values():
        total.update(code.opcodes)
        undecoded += code.undecoded
    if undecoded:
        message = f"{undecoded} dwords are no instructions of {reading.metadata.processor}."
        reading.findings.append(Finding("undecoded", message))
    return summary(total, [kernel["name"] for kernel in kernels])
