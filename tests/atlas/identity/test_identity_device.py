from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from atlas.identity import arch as arch_module
from atlas.identity import sensors as sensors_module
from atlas.identity.arch import PROBES, ArchIdentity, normal_arch, resolve_arch, run_probe
from atlas.identity.host import observe_host
from atlas.identity.route import route
from atlas.identity.sensors import observe_sensors, read_amd_smi, read_rocm_smi

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def probe(**outputs: str) -> Callable[[str], str | None]:
    return lambda tool: outputs.get(tool.replace("-", "_").replace("/", "_"))


def never(tool: str) -> str | None:
    pytest.fail(f"{tool} was asked although the arch was known")


def test_what_the_bench_printed_wins() -> None:
    assert resolve_arch(["gfx1201", "GFX1201"], "gfx1201", {}, never).as_json() == {
        "arch": "gfx1201",
        "source": "printed",
        "conflicts": {},
    }
    seen = resolve_arch(
        ["gfx1201"],
        "gfx1100",
        {"HIPFIRE_BASELINE_ARCH": "gfx1201", "HIPFIRE_TARGET_ARCH": "gfx906"},
        never,
    )
    assert (seen.arch, seen.source) == ("gfx1201", "printed")
    assert seen.conflicts == {
        "printed": "gfx1201",
        "--arch": "gfx1100",
        "HIPFIRE_TARGET_ARCH": "gfx906",
    }


def test_two_printed_archs_are_unknown() -> None:
    seen = resolve_arch(["gfx1201", "gfx1100"], "gfx1201", {}, never)
    assert (seen.arch, seen.source) == (None, None)
    assert "gfx1100, gfx1201" in str(seen.reason)


def test_the_order_of_what_is_told() -> None:
    environ = {"HIPFIRE_BASELINE_ARCH": "gfx1100", "HIPFIRE_TARGET_ARCH": "gfx906"}
    assert resolve_arch([], "gfx1201", environ, never).source == "--arch"
    assert resolve_arch([], "unknown", environ, never).source == "HIPFIRE_BASELINE_ARCH"
    del environ["HIPFIRE_BASELINE_ARCH"]
    assert resolve_arch([], None, environ, never) == ArchIdentity("gfx906", "HIPFIRE_TARGET_ARCH")


def test_the_order_of_the_tools() -> None:
    asked: list[str] = []

    def nothing(tool: str) -> None:
        asked.append(tool)

    seen = resolve_arch(["", "unknown"], None, {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}, nothing)
    assert (seen.arch, seen.override) == (None, "11.0.0")
    assert seen.reason
    assert tuple(asked) == PROBES
    found = resolve_arch([], None, {}, probe(offload_arch="gfx906:sramecc+:xnack-\n"))
    assert (found.arch, found.source) == ("gfx906", "offload-arch")


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"HIP_VISIBLE_DEVICES": "1"}, "gfx1151"),
        ({"ROCR_VISIBLE_DEVICES": "0"}, "gfx1100"),
        ({"ROCR_VISIBLE_DEVICES": "1,0", "HIP_VISIBLE_DEVICES": "0"}, "gfx1151"),
        ({"HIP_VISIBLE_DEVICES": "0,1"}, None),
        ({"HIP_VISIBLE_DEVICES": "0,2"}, "gfx1100"),
        ({"HIP_VISIBLE_DEVICES": "7"}, None),
        ({"ROCR_VISIBLE_DEVICES": "GPU-deadbeef"}, None),
        ({"HIP_VISIBLE_DEVICES": ""}, None),
    ],
)
def test_several_devices(environ: dict[str, str], expected: str | None) -> None:
    seen = resolve_arch([], None, environ, probe(amdgpu_arch="gfx1100\ngfx1151\ngfx1100\n"))
    assert seen.arch == expected
    assert (seen.reason is None) == (expected is not None)


@pytest.mark.parametrize("text", ["", "unknown", "gfx", "sm_90", "gfx12011111", "gfx1201; rm"])
def test_what_is_no_arch(text: str) -> None:
    assert normal_arch(text) is None


def tool(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_probes_that_answer_fail_hang_or_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_probe(str(tool(tmp_path, "good", "echo gfx90a"))) == "gfx90a\n"
    assert run_probe(str(tool(tmp_path, "bad", "echo gfx90a; exit 1"))) is None
    assert run_probe(str(tmp_path / "gone")) is None
    monkeypatch.setattr(arch_module, "PROBE_SECONDS", 0.2)
    assert run_probe(str(tool(tmp_path, "slow", "exec /bin/sleep 5"))) is None


AMD_SMI = [
    {
        "gpu": 0,
        "usage": {"gfx_activity": {"value": 3, "unit": "%"}},
        "power": {"socket_power": {"value": 21, "unit": "W"}, "gfx_voltage": "N/A"},
        "clock": {
            "gfx_0": {
                "clk": {"value": 45, "unit": "MHz"},
                "min_clk": {"value": 500, "unit": "MHz"},
            },
            "mem_0": {"clk": {"value": 96, "unit": "MHz"}},
        },
        "temperature": {
            "edge": {"value": 38, "unit": "C"},
            "hotspot": {"value": 41, "unit": "C"},
            "mem": "N/A",
        },
    },
    {"gpu": 1, "power": "N/A", "temperature": {"edge": "N/A"}},
]
ROCM_SMI = {
    "card0": {
        "Temperature (Sensor edge) (C)": "36.0",
        "Temperature (Sensor junction) (C)": "37.0",
        "Temperature (Sensor memory) (C)": "N/A",
        "sclk clock speed:": "(41Mhz)",
        "sclk clock level:": "0",
        "mclk clock speed:": "(96Mhz)",
        "Average Graphics Package Power (W)": "17.0",
    },
    "card10": {"Current Socket Graphics Package Power (W)": "30.5"},
    "system": {"Driver version": "6.7"},
}
FROM_AMD_SMI = {
    "0": {
        "power": {"value": 21, "unit": "W"},
        "clock_gfx": {"value": 45, "unit": "MHz"},
        "clock_memory": {"value": 96, "unit": "MHz"},
        "temperature_edge": {"value": 38, "unit": "C"},
        "temperature_hotspot": {"value": 41, "unit": "C"},
    }
}
FROM_ROCM_SMI = {
    "0": {
        "temperature_edge": "36.0",
        "temperature_hotspot": "37.0",
        "clock_gfx": "(41Mhz)",
        "clock_memory": "(96Mhz)",
        "power_average": "17.0",
    },
    "10": {"power": "30.5"},
}


def test_both_tools_are_read() -> None:
    assert read_amd_smi(AMD_SMI) == FROM_AMD_SMI
    assert read_amd_smi({"gpu_data": AMD_SMI}) == FROM_AMD_SMI
    assert read_rocm_smi(ROCM_SMI) == FROM_ROCM_SMI


@pytest.mark.parametrize("noise", [None, 1, "x", [], {}, [1], [[]], {"card0": 3}, {"gpu_data": {}}])
def test_noise_from_a_tool_is_nothing(noise: object) -> None:
    assert read_amd_smi(noise) == {}
    assert read_rocm_smi(noise) == {}


def test_sensors_by_the_tools_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    assert observe_sensors() is None
    check = '[ "$*" = "--showclocks --showpower --showtemp --json" ] || exit 9'
    text = json.dumps(ROCM_SMI)
    tool(tools, "rocm-smi", f"{check}\necho 'WARNING: low power'\necho '{text}'")
    seen = observe_sensors()
    assert seen is not None
    assert seen.as_json() == {"tool": "rocm-smi", "devices": FROM_ROCM_SMI}
    text = json.dumps(AMD_SMI, indent=4)
    amd = tool(tools, "amd-smi", f"[ \"$*\" = 'metric --json' ] || exit 9\necho '{text}'")
    seen = observe_sensors()
    assert seen is not None
    assert (seen.tool, seen.devices) == ("amd-smi", FROM_AMD_SMI)
    amd.write_text("#!/bin/sh\necho '{broken'\n")
    seen = observe_sensors()
    assert seen is not None
    assert seen.tool == "rocm-smi"


def test_a_tool_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path / "tools", "amd-smi", "exec /bin/sleep 5")
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    monkeypatch.setattr(sensors_module, "SENSOR_SECONDS", 0.2)
    assert observe_sensors() is None


@pytest.mark.parametrize(
    ("kv", "flash", "expected"),
    [
        ("Asym3", None, ("attention_flash_asym3", True, "static_kv_policy", "auto")),
        ("fwht4", "0", ("attention_flash_fwht4", True, "static_kv_policy", "never")),
        ("Q8", "2", ("attention_flash_q8_0", True, "forced_env", "always")),
        ("q8", "FORCE", ("attention_flash_q8_0", True, "forced_env", "always")),
        ("q8", None, ("attention_q8_0_kv", False, "short_context_default", "auto")),
        ("q8", "off", ("attention_q8_0_kv", False, "short_context_default", "never")),
        ("asym5", "always", ("unknown", None, "unknown", "always")),
        ("fp16", None, ("unknown", None, "unknown", "auto")),
        (None, None, ("unknown", None, "unknown", "auto")),
    ],
)
def test_the_route(kv: str | None, flash: str | None, expected: tuple[object, ...]) -> None:
    manifest = route(kv, {} if flash is None else {"HIPFIRE_ATTN_FLASH": flash}, None)
    keys = ("attention_impl", "flash_active", "route_confidence", "flash_requested")
    assert tuple(manifest[key] for key in keys) == expected
    assert manifest["kv_mode"] == (kv and kv.lower())
    assert manifest["graph_enabled"] is False
    assert manifest["graph_blob_count"] is None
    assert "warning" not in manifest


def test_graph_with_flash_q8_carries_a_warning() -> None:
    env = {"HIPFIRE_GRAPH": "1", "HIPFIRE_ATTN_FLASH": "always"}
    manifest = route("q8", env, 312)
    assert (manifest["graph_enabled"], manifest["graph_blob_count"]) == (True, 312)
    assert "answers" in manifest["warning"]
    assert "warning" not in route("asym3", env, 312)
    assert "warning" not in route("q8", {**env, "HIPFIRE_GRAPH": "0"}, None)


def test_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "bench-host")
    assert observe_host(tmp_path).as_json() == {"hostname": "bench-host"}
    (tmp_path / ".info").mkdir()
    (tmp_path / ".info" / "version").write_text("7.2.0-43\n")
    assert observe_host(tmp_path).rocm_version == "7.2.0-43"
    monkeypatch.setattr(socket, "gethostname", lambda: "")
    assert observe_host(tmp_path).hostname == "unknown"

    def fail() -> str:
        raise OSError

    monkeypatch.setattr(socket, "gethostname", fail)
    assert observe_host(tmp_path).hostname == "unknown"
