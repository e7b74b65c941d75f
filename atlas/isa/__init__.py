"""Code objects → facts about their kernels, read natively: no ROCm and no LLVM at run time.

``container`` finds the device images in a file, ``elf`` and ``metadata`` read what an image says of
itself, ``extents`` where its code is, ``decoder`` what the code is made of, ``kernels`` puts this
together; ``scan`` does it for many files, ``manifest`` writes it down, ``diff`` compares two.
"""

from __future__ import annotations

from atlas.isa.diff import KernelDiff, Regression, diff_manifests, regressions
from atlas.isa.manifest import MANIFEST_SCHEMA, build_manifest
from atlas.isa.objects import OBJECT_SCHEMA, SCHEMA_VERSION, ObjectFacts, inspect_bytes
from atlas.isa.scan import Inspection, Observer, ScanOptions, inspect_paths
from atlas.isa.tables import processors, table_version

__all__ = [
    "MANIFEST_SCHEMA",
    "OBJECT_SCHEMA",
    "SCHEMA_VERSION",
    "Inspection",
    "KernelDiff",
    "ObjectFacts",
    "Observer",
    "Regression",
    "ScanOptions",
    "build_manifest",
    "diff_manifests",
    "inspect_bytes",
    "inspect_paths",
    "processors",
    "regressions",
    "table_version",
]
