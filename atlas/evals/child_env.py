"""The environment of a contract's processes: what the contract says, and nothing that reshapes it.

Rules of evidence: a measurement under profiling says nothing about speed, and an inherited knob
changes a result as much as one that was passed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.identity.environment import PROFILING_VARIABLES, VISIBILITY_VARIABLES
from atlas.identity.redaction import REPLACEMENT, is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atlas.evals.command import Command

_OFF = r"(?:0|false|no|off)?(?:\s|$)"
_PROFILING = re.compile(
    rf"(?:^|\s)(?:{'|'.join(sorted(PROFILING_VARIABLES))})=(?!{_OFF})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ChildEnv:
    """An environment for processes.

    Attributes:
        variables: all of it.
        unset: names that were inherited and taken out, sorted.
    """

    variables: dict[str, str]
    unset: tuple[str, ...] = ()


def contract_environment(inherited: Mapping[str, str], contract: Mapping[str, str]) -> ChildEnv:
    """The environment in which a contract is run.

    Profiling variables and every inherited ``HIPFIRE_*`` that the contract doesn't set are taken
    out; when the contract names a device by a visibility variable, the inherited ones go too.
    Secrets stay as inherited, whatever their name.
    """
    device_known = not VISIBILITY_VARIABLES.isdisjoint(contract)
    unset = {
        name
        for name in inherited
        if name not in contract and not is_secret(name) and _reshapes(name, device_known)
    }
    unset |= PROFILING_VARIABLES & inherited.keys()
    return _child(inherited, contract, unset)


def inherited_environment(inherited: Mapping[str, str], given: Mapping[str, str]) -> ChildEnv:
    """The user's own environment and what was given on top, without profiling variables."""
    return _child(inherited, given, set(PROFILING_VARIABLES & inherited.keys()))


def without_profiling(env: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """A row's variables for an eval, and the names of the profiling ones left out."""
    stripped = sorted(name for name in env if name in PROFILING_VARIABLES)
    return {name: env[name] for name in sorted(env) if name not in PROFILING_VARIABLES}, stripped


def profiles_itself(command: Command) -> bool:
    """The command switches profiling on within its own words."""
    text = command.value if isinstance(command.value, str) else "\n".join(command.value)
    return _PROFILING.search(text) is not None


def _reshapes(name: str, device_known: bool) -> bool:
    if name in VISIBILITY_VARIABLES:
        return device_known
    return name.startswith("HIPFIRE_")


def _child(inherited: Mapping[str, str], given: Mapping[str, str], unset: set[str]) -> ChildEnv:
    kept = {name: value for name, value in inherited.items() if name not in unset}
    said = {
        name: value
        for name, value in given.items()
        if name not in PROFILING_VARIABLES and not (is_secret(name) and value == REPLACEMENT)
    }
    return ChildEnv(kept | said, tuple(sorted(unset)))
