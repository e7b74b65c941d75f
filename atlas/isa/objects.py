"""One file's bytes → facts, addressed by content.

Facts are a JSON object that depends on the bytes, the tables and this schema alone, so whoever
holds facts for a key (md5, schema version, table version) need not inspect the bytes again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from atlas.errors import NotFound
from atlas.isa.container import open_container
from atlas.isa.kernels import Budget, inspect_image
from atlas.isa.problem import HARMLESS
from atlas.isa.tables import table_version
from ledger.finding import Finding

OBJECT_SCHEMA = "hipfire.kernel_atlas.isa_object.v1"
SCHEMA_VERSION = 1
"""Raised whenever the same bytes and tables would give other facts."""


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """What was read from one file.

    Attributes:
        payload: ``schema, schema_version, table_version, md5, size, container,
            bundle_targets[], images[], findings[]``. An image has ``bundle_target,
            amdhsa_target, arch, code_object_version, kernels[], device_functions[],
            instruction_summary, findings[]``.
    """

    payload: dict[str, Any]

    @property
    def md5(self) -> str:
        """Digest of the file."""
        return str(self.payload["md5"])

    @property
    def images(self) -> list[dict[str, Any]]:
        """Facts per device image, in file order."""
        images: list[dict[str, Any]] = self.payload["images"]
        return images

    @property
    def findings(self) -> list[Finding]:
        """Findings about the file, then those about its images."""
        found = [Finding(**finding) for finding in self.payload["findings"]]
        for image in self.images:
            found += [Finding(**finding) for finding in image["findings"]]
        return found

    @property
    def sound(self) -> bool:
        """Whether nothing worse was found than code without a table."""
        return all(finding.code in HARMLESS for finding in self.findings)

    @property
    def current(self) -> bool:
        """Whether today's tables and schema would give the same facts."""
        versions = (self.payload.get("schema_version"), self.payload.get("table_version"))
        return versions == (SCHEMA_VERSION, table_version())


def md5_of(data: bytes | memoryview) -> str:
    """Content address of a file."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def inspect_bytes(
    data: bytes | memoryview, *, arch: str | None = None, name: str = "", md5: str | None = None
) -> ObjectFacts:
    """Inspect every device image in a file's bytes.

    Args:
        data: the whole file.
        arch: keep only the images for this target; ``gfx90a`` means its variants too.
        name: what the file is called in errors.
        md5: digest of ``data``, when the caller has it already.

    Raises:
        NotFound: ``arch`` is not inside; the message lists what is.
    """
    view = memoryview(data)
    contents = open_container(view)
    budget = Budget()
    payload = {
        "schema": OBJECT_SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "table_version": table_version(),
        "md5": md5 or md5_of(view),
        "size": len(view),
        "container": contents.container,
        "bundle_targets": contents.targets,
        "images": [inspect_image(image, budget) for image in contents.images],
        "findings": [finding.as_json() for finding in contents.findings],
    }
    facts = ObjectFacts(payload)
    return facts if arch is None else only_arch(facts, arch, name)


def only_arch(facts: ObjectFacts, arch: str, name: str = "") -> ObjectFacts:
    """The facts with the images for one target only.

    Raises:
        NotFound: there is none.
    """
    images = [image for image in facts.images if matches(image, arch)]
    if not images and facts.images:
        inside = ", ".join(targets_inside(facts))
        raise NotFound(f"{name or facts.md5}: no {arch} inside.", hint=f"it holds {inside}")
    return ObjectFacts(facts.payload | {"images": images})


def targets_inside(facts: ObjectFacts) -> list[str]:
    """Targets of a file's images, such as ``gfx90a:xnack-``."""
    return sorted({_target(image) for image in facts.images})


def matches(image: dict[str, Any], arch: str) -> bool:
    """Whether an image is for ``arch``: a processor, or a processor with features.

    Features that are asked for must be those of the image; others may be anything.
    """
    wanted = arch.split(":")
    has = _target(image).split(":")
    return wanted[0] == has[0] and set(wanted[1:]) <= set(has[1:])


def _target(image: dict[str, Any]) -> str:
    target = str(image["amdhsa_target"])
    at = target.find("gfx")
    return target[at:] if at >= 0 else str(image["bundle_target"] or image["arch"])
