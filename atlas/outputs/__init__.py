"""Bytes a program printed → readings: facts, observations, errors and findings. Pure functions."""

from __future__ import annotations

from atlas.outputs.reader import read_output
from atlas.outputs.reading import (
    Coverage,
    Observation,
    OutputError,
    ProfileKernel,
    ProfileTable,
    Reading,
    Segment,
)

PARSER_NAME = "atlas-outputs"
"""Name stored with everything these modules read."""

PARSER_VERSION = 1
"""Grows whenever the same bytes may give another reading."""

__all__ = [
    "PARSER_NAME",
    "PARSER_VERSION",
    "Coverage",
    "Observation",
    "OutputError",
    "ProfileKernel",
    "ProfileTable",
    "Reading",
    "Segment",
    "read_output",
]
