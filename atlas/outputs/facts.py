"""Identity hints a program prints about itself: card, model, settings, digests.

Facts are what stands in the output, not what is true: the caller weighs them against what it knows.
Names: ``arch``, ``archs`` (all distinct ones, when several were printed), ``hip_version``,
``device_index``, ``kv_mode`` (lower case), ``model_path``, ``draft_path``, ``model_hint`` (the name
in a report's heading), ``heading``, ``model_bytes``, ``model_size_gib``, ``prefill_tokens``,
``prefill_runs``, ``warmup``, ``gen_tokens``, ``max_tokens``, ``ctx``, ``max_seq``, ``runs``,
``prompt_md5``, ``rendered_prompt_md5``, ``graph_blob_count``, ``vram_gb``, ``weights_loaded_s``,
``visible_devices``, ``env``, ``command``, and settings under the name they were printed with.

Of several architectures the one behind ``GPU:`` wins, then ``gpu:``, then ``GPU dev``: the first
card of a host is often not the one that was used. A tie is no answer: ``arch`` stays unknown, a
finding says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atlas.outputs.key_values import pairs
from atlas.outputs.numbers import NUMBER, number
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from atlas.outputs.segments import Line

    Facts = dict[str, Any]

_VISIBILITY = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_GFX = re.compile(r"\s*(GPU:|gpu:|GPU dev (\d{1,4}):|arch:)\s+(gfx[0-9a-f]{3,5})\b(.*)")
_HIP = re.compile(r"\bHIP (\d+(?:\.\d+)*)")
_VRAM_GB = re.compile(rf"\(({NUMBER}) GB VRAM")
_PRECEDENCE = ("GPU:", "gpu:", "GPU dev", "arch:")
_RENAMED = {"prefill": "prefill_tokens", "gen": "gen_tokens", "max": "max_tokens"}
_ENV = re.compile(r"\b(HIPFIRE_\w+|\w+_VISIBLE_DEVICES|HSA_OVERRIDE_GFX_VERSION)=(\S+)")
_COMMAND = re.compile(r"\bhipfire +bench +\S")
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")


def _plain(name: str) -> Callable[[re.Match[str]], Facts]:
    return lambda match: {name: match[1].strip()}


def _numbers(*names: str) -> Callable[[re.Match[str]], Facts]:
    def read(match: re.Match[str]) -> Facts:
        values = {
            name: number(text) for name, text in zip(names, match.groups(), strict=True) if text
        }
        return {name: value for name, value in values.items() if value is not None}

    return read


def _lower(name: str) -> Callable[[re.Match[str]], Facts]:
    return lambda match: {name: match[1].lower()}


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Facts]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\s*(?:kv_mode|KV mode|KV cache|kv_cache):\s+([A-Za-z]\w*)", _lower("kv_mode")),
        (
            r"\s*Model size:\s+(\S+) GiB(?: \((\S+) bytes\))?",
            _numbers("model_size_gib", "model_bytes"),
        ),
        (r"\s*Weights loaded in ([0-9.,]+)s", _numbers("weights_loaded_s")),
        (r"\s*[Mm]odel:\s+(?!\d+ layers\b)(\S.*?)(?:\s+\[\w+\])?\s*$", _plain("model_path")),
        (r"\s*target:\s+(\S.*)", _plain("model_path")),
        (r"\s*Loading (\S.*?)\.\.\.\s*$", _plain("model_path")),
        (r"\s*(?:draft|mtp-head):\s+(\S*[/\\.]\S*)\s*$", _plain("draft_path")),
        (
            r"\s*decoding \(max (\d+) tokens(?:, block_size (\d+))?",
            _numbers("max_tokens", "block_size"),
        ),
        (r"\s*prompt[ _]md5:\s+([0-9a-f]{32})\b", _plain("prompt_md5")),
        (r".*\brendered_md5=([0-9a-f]{32})\b", _plain("rendered_prompt_md5")),
        (r"\s*rendered_prompt_md5:\s+([0-9a-f]{32})\b", _plain("rendered_prompt_md5")),
        (
            r".*\[(?:hipGraph|verify-graph)\] captured (?:for B=\d+ with )?(\d+) blobs",
            _numbers("graph_blob_count"),
        ),
        (
            r"\s*vram:\s+(\S+) MB loaded(?:\s+\(([0-9.,]+)/([0-9.,]+) MB free\))?",
            _numbers("vram_loaded_mb", "vram_free_mb", "vram_total_mb"),
        ),
        (r"\s*max_seq:\s+(\d+)\s*$", _numbers("max_seq")),
        (r"\s*runs:\s+(\d+)\s*$", _numbers("runs")),
        (r"\s*mode:\s+(\w+)\s*$", _plain("mode")),
        (r"=== prefill \((\d+) tokens\) ===", _numbers("prefill_tokens")),
    )
)


def read_facts(lines: Iterable[Line]) -> tuple[Facts, list[Finding]]:
    """Facts of one segment, and what was ambiguous about them. The last printed value counts."""
    facts: Facts = {}
    cards: list[tuple[str, int | None, str]] = []
    for line in lines:
        text = line.text
        if card := _GFX.match(text):
            kind = "GPU dev" if card[2] else card[1]
            cards.append((kind, int(card[2]) if card[2] else None, card[3]))
            facts |= _card_details(card[4])
        else:
            facts |= _settings(text)
            for pattern, read in _RULES:
                if match := pattern.match(text):
                    facts |= read(match)
    findings = _choose_card(cards, facts)
    return facts, findings


def _settings(text: str) -> Facts:
    """What the command line, the ``Phases`` or ``max=`` line, or a heading says."""
    stripped = text.strip()
    if stripped.startswith("Phases:") or re.match(r"max=\d", stripped):
        values = {_RENAMED.get(key, key): number(value) or value for key, value in pairs(text)}
        return values | {key: 0 for key, value in values.items() if value == "0"}
    if heading := _HEADING.match(stripped):
        hint = re.search(r"`([^`]+)`", stripped)
        return {"heading": heading[1]} | ({"model_hint": hint[1]} if hint else {})
    if _COMMAND.search(stripped):
        return _command(stripped)
    return {}


def _command(text: str) -> Facts:
    env = dict(_ENV.findall(text))
    facts: Facts = {"command": text}
    visible = {name: value for name, value in env.items() if name.endswith("_VISIBLE_DEVICES")}
    if visible:
        facts["visible_devices"] = visible
    if rest := {name: value for name, value in env.items() if name not in visible}:
        facts["env"] = rest
    return facts


def _card_details(rest: str) -> Facts:
    facts: Facts = {}
    if hip := _HIP.search(rest):
        facts["hip_version"] = hip[1]
    if vram := _VRAM_GB.search(rest):
        facts["vram_gb"] = number(vram[1])
    return {name: value for name, value in facts.items() if value is not None}


def _choose_card(cards: list[tuple[str, int | None, str]], facts: Facts) -> list[Finding]:
    archs = list(dict.fromkeys(arch for _, _, arch in cards))
    if len(archs) > 1:
        facts["archs"] = archs
    best = next((kind for kind in _PRECEDENCE if any(card[0] == kind for card in cards)), None)
    chosen = list(dict.fromkeys(arch for kind, _, arch in cards if kind == best))
    if len(chosen) == 1:
        facts["arch"] = chosen[0]
    indices = {index for _, index, arch in cards if index is not None and arch in chosen}
    index = _physical_index(indices, facts.get("visible_devices", {}))
    if index is not None:
        facts["device_index"] = index
    if len(chosen) > 1:
        return [
            Finding(
                "arch_ambiguous",
                f"several cards are named, none as the one used: {', '.join(chosen)}",
            )
        ]
    return []


def _physical_index(printed: set[int], visible: dict[str, str]) -> int | None:
    """The host's index of the card: a printed index counts within the visible devices only."""
    if len(printed) > 1:
        return None
    index = next(iter(printed), None)
    for name in _VISIBILITY:
        entries = visible.get(name, "").split(",")
        if not all(entry.isascii() and entry.isdigit() and len(entry) < 5 for entry in entries):
            continue
        if index is None and len(entries) == 1:
            index = 0
        if index is not None:
            index = int(entries[index]) if index < len(entries) else None
    return index
