"""The environment a program ran in: knobs, visible devices, profiling, and no secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.identity.record import Record
from atlas.identity.redaction import redact_env

if TYPE_CHECKING:
    from collections.abc import Mapping

# Rules of evidence: with one of these on, launches are serialised; such a row never says how fast.
PROFILING_VARIABLES = frozenset(
    {
        "HIPFIRE_PROFILE",
        "HIPFIRE_PROFILE_DECODE",
        "HIPFIRE_HOST_TIMING",
        "HIPFIRE_PROMPT_TOKEN_HEAT",
        "HIPFIRE_PROMPT_HEAT_JSON",
        "HIPFIRE_ROCPROF_CSV",
        "HIPFIRE_ROCPROF_CHILD",
        "HIPFIRE_PROFILE_NO_ROCPROF",
    }
)
# They choose the device, and belong to its identity rather than to the variant.
VISIBILITY_VARIABLES = frozenset(
    {
        "CUDA_VISIBLE_DEVICES",
        "GPU_DEVICE_ORDINAL",
        "HIPFIRE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES",
    }
)
WARMUP_VARIABLES = frozenset({"HIPFIRE_DPM_WARMUP_SECS"})
_RECORDED_PREFIXES = ("HIPFIRE_", "HSA_")
_OFF = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class EnvironmentIdentity(Record):
    """What was set, inherited or passed. All values are redacted.

    Attributes:
        variables: every HIPFIRE_*, HSA_* and device-visibility variable, and all that were passed.
        variant: those that make the variant: without visibility, profiling and warm-up.
        visibility: the device-visibility variables.
        profiled: whether a profiling variable was on.
        redacted: names whose values were replaced.
    """

    variables: Mapping[str, str]
    variant: Mapping[str, str]
    visibility: Mapping[str, str]
    profiled: bool
    redacted: tuple[str, ...] = ()


def observe_environment(
    environ: Mapping[str, str], extra: Mapping[str, str]
) -> EnvironmentIdentity:
    """Observe an environment.

    Args:
        environ: what the program inherits; an inherited knob changes the result as much as a passed
            one.
        extra: what is passed on top of it, recorded whatever its name.
    """
    recorded = {name: value for name, value in environ.items() if is_recorded(name)} | dict(extra)
    variables, findings = redact_env(dict(sorted(recorded.items())))
    return EnvironmentIdentity(
        variables=variables,
        variant=variant_of(variables),
        visibility={
            name: value for name, value in variables.items() if name in VISIBILITY_VARIABLES
        },
        profiled=is_profiled(recorded),
        redacted=tuple(finding.where for finding in findings),
    )


def is_recorded(name: str) -> bool:
    """Tell whether an inherited variable is part of a measurement."""
    return name.startswith(_RECORDED_PREFIXES) or name in VISIBILITY_VARIABLES


def variant_of(variables: Mapping[str, str]) -> dict[str, str]:
    """Leave out what chooses the device, profiles, or warms up."""
    aside = VISIBILITY_VARIABLES | PROFILING_VARIABLES | WARMUP_VARIABLES
    return {name: value for name, value in variables.items() if name not in aside}


def is_profiled(variables: Mapping[str, str]) -> bool:
    """Tell whether a profiling variable is on: set to anything but empty, 0, false, no or off."""
    return any(variables.get(name, "").strip().lower() not in _OFF for name in PROFILING_VARIABLES)
