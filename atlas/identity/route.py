"""The runtime route manifest: which attention path KV mode and environment select, if known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORCED = frozenset({"2", "always", "force", "forced"})
_NEVER = frozenset({"0", "never", "off", "false"})
_ON = frozenset({"1", "true", "on", "yes"})
_FLASH_KV = re.compile(r"(asym|fwht)[234]")
_WARNING = (
    "graph capture moved Q8 attention to the flash path: check that the answers are right"
    " before comparing speed"
)


def route(
    kv_mode: str | None, env: Mapping[str, str], graph_blob_count: int | None
) -> dict[str, Any]:
    """Derive the route manifest of a run.

    Args:
        kv_mode: as requested or printed, in any case; None when unknown.
        env: effective environment (``HIPFIRE_ATTN_FLASH``, ``HIPFIRE_GRAPH``).
        graph_blob_count: blobs the run said it captured; None when it said nothing.

    Returns:
        ``kv_mode, attention_impl, flash_active, flash_requested, route_confidence, graph_enabled,
        graph_blob_count``, and ``warning`` where one applies. ``flash_active`` is None for a mode
        that is not known.
    """
    mode = None if kv_mode is None else kv_mode.strip().lower() or None
    requested = _requested(env.get("HIPFIRE_ATTN_FLASH", ""))
    implementation, active, confidence = _attention(mode, requested)
    graph = env.get("HIPFIRE_GRAPH", "").strip().lower() in _ON
    manifest = {
        "kv_mode": mode,
        "attention_impl": implementation,
        "flash_active": active,
        "flash_requested": requested,
        "route_confidence": confidence,
        "graph_enabled": graph,
        "graph_blob_count": graph_blob_count,
    }
    if graph and implementation == "attention_flash_q8_0":
        manifest["warning"] = _WARNING
    return manifest


def _requested(value: str) -> str:
    word = value.strip().lower()
    if word in _FORCED:
        return "always"
    return "never" if word in _NEVER else "auto"


def _attention(mode: str | None, requested: str) -> tuple[str, bool | None, str]:
    if mode is not None and _FLASH_KV.fullmatch(mode):
        return f"attention_flash_{mode}", True, "static_kv_policy"
    if mode != "q8":
        return "unknown", None, "unknown"
    if requested == "always":
        return "attention_flash_q8_0", True, "forced_env"
    return "attention_q8_0_kv", False, "short_context_default"
