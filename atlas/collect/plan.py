"""What to run: options of a collector become an ordered list of run requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.errors import BadUsage, NotFound
from atlas.identity.redaction import redact_argv

if TYPE_CHECKING:
    from pathlib import Path

DFLASH_KV_MODES = ("q8", "fwht2", "fwht3", "fwht4")
"""KV cache modes the DFlash demo supports."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run that is asked for.

    Attributes:
        argv: what is executed.
        stored: the same as kept: secrets replaced, prompt text as ``@FILE``.
        env: variables set on top of the inherited ones.
        asked: what the command asks for, as told in the row's context.
        run_index: index among the runs of the same shape, from 0.
        label: for people.
    """

    argv: tuple[str, ...]
    stored: tuple[str, ...]
    env: dict[str, str]
    asked: dict[str, Any]
    run_index: int
    label: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What rows are called; ``hostname``, ``git_sha`` and ``arch`` override what is observed."""

    workload: str
    model_size: str | None = None
    quant: str | None = None
    hostname: str | None = None
    git_sha: str | None = None
    arch: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A collection: its runs and what they have in common.

    Attributes:
        kind: ``ar`` or ``dflash``.
        program: the executable.
        requests: runs in order.
        labels: names for the rows.
        timeout: seconds a run may take.
        model: the model; ``draft`` likewise, None where there is none.
        prompt: bytes that are sent; None where no prompt is used.
        prompt_file: the file they came from.
        hash_models: take the models' md5.
    """

    kind: str
    program: Path
    requests: tuple[RunRequest, ...]
    labels: Labels
    timeout: float
    model: Path
    draft: Path | None = None
    prompt: bytes | None = None
    prompt_file: Path | None = None
    hash_models: bool = False


@dataclass(frozen=True, slots=True)
class ArRuns:
    """The options of `collect-ar` that shape its runs."""

    prefill: tuple[int, ...] = (32, 128)
    prefill_runs: int = 1
    gen: int = 50
    warmup: int = 5
    runs: int = 1
    kv_mode: str = "asym3"
    dpm_warmup_secs: str = "3"
    graph: bool = False
    profile_prefill: bool = False
    profile_decode: bool = False
    env: dict[str, str] = field(default_factory=dict)


def ar_requests(bench: Path, model: Path, wanted: ArRuns) -> tuple[RunRequest, ...]:
    """Runs of the AR bench: every prefill length, each ``runs`` times."""
    env = {"HIPFIRE_KV_MODE": wanted.kv_mode, "HIPFIRE_DPM_WARMUP_SECS": wanted.dpm_warmup_secs}
    switches = {
        "HIPFIRE_GRAPH": wanted.graph,
        "HIPFIRE_PROFILE": wanted.profile_prefill,
        "HIPFIRE_PROFILE_DECODE": wanted.profile_decode,
    }
    env |= {name: "1" for name, on in switches.items() if on} | wanted.env
    requests = []
    for prefill in wanted.prefill:
        shape = {
            "prefill": prefill,
            "prefill_runs": wanted.prefill_runs,
            "warmup": wanted.warmup,
            "gen": wanted.gen,
        }
        flags = [w for name, n in shape.items() for w in (f"--{name.replace('_', '-')}", str(n))]
        argv = (str(bench), str(model), *flags)
        asked = {**shape, "kv_mode": wanted.kv_mode}
        for index in range(wanted.runs):
            label = f"prefill {prefill}, run {index + 1} of {wanted.runs}"
            requests.append(RunRequest(argv, _stored(argv), env, asked, index, label))
    return tuple(requests)


@dataclass(frozen=True, slots=True)
class DflashRuns:
    """The options of `collect-dflash` that shape its runs."""

    max_tokens: int = 256
    ctx: int = 2048
    runs: int = 1
    kv_mode: str = "q8"
    dpm_warmup_secs: str = "10"
    chatml: bool = False
    env: dict[str, str] = field(default_factory=dict)


def dflash_requests(
    demo: Path, models: tuple[Path, Path], prompt: tuple[str, Path], wanted: DflashRuns
) -> tuple[RunRequest, ...]:
    """Runs of the DFlash demo.

    Args:
        demo: the executable.
        models: target and draft.
        prompt: the text that is sent and the file it came from.
        wanted: the rest.

    Raises:
        BadUsage: a KV cache mode the demo doesn't support.
    """
    if wanted.kv_mode not in DFLASH_KV_MODES:
        raise BadUsage(
            f"the DFlash demo does not support --kv-mode {wanted.kv_mode}",
            hint=f"use one of {', '.join(DFLASH_KV_MODES)}",
        )
    text, file = prompt

    def argv_with(sent: str) -> tuple[str, ...]:
        flags = ("--target", str(models[0]), "--draft", str(models[1]), "--prompt", sent)
        shape = ("--max", str(wanted.max_tokens), "--ctx", str(wanted.ctx))
        chat = () if wanted.chatml else ("--no-chatml",)
        return (str(demo), *flags, *shape, "--kv-mode", wanted.kv_mode, *chat)

    env = {"HIPFIRE_KV_MODE": wanted.kv_mode, "HIPFIRE_DPM_WARMUP_SECS": wanted.dpm_warmup_secs}
    env |= wanted.env
    asked = {"max": wanted.max_tokens, "ctx": wanted.ctx, "kv_mode": wanted.kv_mode}
    stored = _stored(argv_with(f"@{file}"))
    return tuple(
        RunRequest(argv_with(text), stored, env, asked, index, f"run {index + 1} of {wanted.runs}")
        for index in range(wanted.runs)
    )


def executable(path: Path) -> Path:
    """``path`` as it can be executed from anywhere.

    Raises:
        NotFound: there is no such executable file.
    """
    import os

    absolute = path.absolute()
    if not absolute.is_file():
        raise NotFound(f"no program at {path}", hint="build it, or name it with --bench / --demo")
    if not os.access(absolute, os.X_OK):
        raise NotFound(f"{path} is not executable", hint=f"chmod +x {path}")
    return absolute


def _stored(argv: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(redact_argv(argv)[0])
