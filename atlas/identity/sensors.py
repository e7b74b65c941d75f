"""Clocks, power and temperature of the GPUs, read where a tool for it exists."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SENSOR_SECONDS = 10

# amd-smi metric --json: where a value stands → the name it is known by.
_AMD_SMI = {
    ("power", "socket_power"): "power",
    ("power", "current_socket_power"): "power",
    ("power", "average_socket_power"): "power_average",
    ("temperature", "edge"): "temperature_edge",
    ("temperature", "hotspot"): "temperature_hotspot",
    ("temperature", "mem"): "temperature_memory",
    ("clock", "gfx_0", "clk"): "clock_gfx",
    ("clock", "mem_0", "clk"): "clock_memory",
    ("clock", "gfx_0", "cur_clk"): "clock_gfx",
    ("clock", "mem_0", "cur_clk"): "clock_memory",
}
# rocm-smi --json: flat texts whose wording varies between versions.
_ROCM_SMI = (
    (re.compile(r"(?i)temperature \(sensor edge\)"), "temperature_edge"),
    (re.compile(r"(?i)temperature \(sensor (junction|hotspot)\)"), "temperature_hotspot"),
    (re.compile(r"(?i)temperature \(sensor mem"), "temperature_memory"),
    (re.compile(r"(?i)current socket graphics package power"), "power"),
    (re.compile(r"(?i)average graphics package power"), "power_average"),
    (re.compile(r"(?i)sclk clock speed"), "clock_gfx"),
    (re.compile(r"(?i)mclk clock speed"), "clock_memory"),
)


@dataclass(frozen=True, slots=True)
class SensorReading(Record):
    """One reading of all devices.

    Attributes:
        tool: ``amd-smi`` or ``rocm-smi``.
        devices: device index → name → value exactly as printed (a number, a text, or an object with
            its unit); names are ``clock_gfx, clock_memory, power, power_average,
            temperature_edge, temperature_hotspot,
            temperature_memory``, each only where it was printed.
    """

    tool: str
    devices: Mapping[str, Mapping[str, Any]]


def observe_sensors() -> SensorReading | None:
    """Read the sensors with the first tool that answers; None without one. May take seconds."""
    commands: tuple[tuple[list[str], Callable[[Any], dict[str, dict[str, Any]]]], ...] = (
        (["amd-smi", "metric", "--json"], read_amd_smi),
        (["rocm-smi", "--showclocks", "--showpower", "--showtemp", "--json"], read_rocm_smi),
    )
    for command, read in commands:
        devices = read(_document(command))
        if devices:
            return SensorReading(command[0], devices)
    return None


def read_amd_smi(document: Any) -> dict[str, dict[str, Any]]:
    """Pick the known values out of ``amd-smi metric --json``: a list, or one below ``gpu_data``."""
    gpus = document.get("gpu_data") if isinstance(document, dict) else document
    devices = {}
    for position, gpu in enumerate(gpus if isinstance(gpus, list) else []):
        if isinstance(gpu, dict):
            found = {name: value for path, name in _AMD_SMI.items() for value in _at(gpu, path)}
            devices[str(gpu.get("gpu", position))] = found
    return {index: values for index, values in devices.items() if values}


def read_rocm_smi(document: Any) -> dict[str, dict[str, Any]]:
    """Pick the known values out of ``rocm-smi --json``: ``card0``, ``card1``, … with flat texts."""
    devices: dict[str, dict[str, Any]] = {}
    for card, texts in document.items() if isinstance(document, dict) else ():
        match = re.fullmatch(r"card(\d+)", card)
        if match is None or not isinstance(texts, dict):
            continue
        found = {
            name: value
            for label, value in texts.items()
            for pattern, name in _ROCM_SMI
            if pattern.match(label) and _is_printed(value)
        }
        if found:
            devices[match[1]] = found
    return devices


def _at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """Yield the value at a path, if it is there and was measured."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    measured = value.get("value") if isinstance(value, dict) else value
    if _is_printed(measured):
        yield value


def _is_printed(value: Any) -> bool:
    """Tell a value from the ways of these tools to say that there is none."""
    if isinstance(value, str):
        return value.strip().lower() not in {"", "n/a", "none", "unknown"}
    return isinstance(value, int | float) and not isinstance(value, bool)


def _document(command: list[str]) -> Any:
    """Run a tool and parse the JSON it prints, passing over remarks; None when it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SENSOR_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    text = done.stdout.decode("utf-8", "replace")
    for start in (match.start() for match in re.finditer(r"(?m)^[\[{]", text)):
        try:
            return json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    return None
