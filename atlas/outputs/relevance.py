"""Which lines of a log can mean something: one cheap decision per line.

Logs run to hundreds of megabytes, nearly all of it text that no format knows. Substring tests and a
set of first words decide; patterns run on what passes them.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from atlas.outputs.profile_rows import looks_like_row


class Relevance(Enum):
    """How much a line can mean."""

    NONE = auto()
    CONTEXT = auto()
    """Shaped like something printed with a measurement, or about compiling; no known word in it."""
    KNOWN = auto()
    """Holds a word that the formats use."""
    TABLE_ROW = auto()
    """A row of a kernel table."""


_WORD = re.compile(r"\w+")
_KEYS = frozenset(
    [
        "gen_tok_s",
        "prefill_tok_s",
        "decode_tok_s",
        "tok_s",
        "bw_gib_s",
        "avg_ms",
        "p50_ms",
        "decode_tau",
        "prefill_secs",
        "decode_tokens_emitted",
        "decode_secs",
        "accepted_mtp_total",
        "ttft_ms",
        "prompt_md5",
        "rendered_md5",
        "rendered_prompt_md5",
        "token_sha256",
        "kv_mode",
        "kv_cache",
        "prefill_runs",
    ]
)
_FIRST_WORDS = frozenset(
    [
        "gpu:",
        "GPU:",
        "GPU",
        "arch:",
        "KV",
        "kv_cache:",
        "kv_mode:",
        "Model",
        "Model:",
        "model:",
        "target:",
        "draft:",
        "mtp-head:",
        "Weights",
        "Loading",
        "vram:",
        "runs:",
        "mode:",
        "max_seq:",
        "median:",
        "prompt",
        "decoding",
        "Phases:",
        "TTFT",
        "TOTAL",
        "WALL",
        "BLINDSPOTS",
        "BLINDSPOTS:",
        "blindspot",
        "rocprof",
        "internal",
        "histogram:",
        "mean",
        "emitted:",
        "cycles:",
        "committed:",
        "accepted:",
        "kernel",
        "seeding",
        "prefilling",
        "prefill:",
    ]
)
_STARTS = re.compile(
    r"\s*(?:[a-zA-Z_-]+:|GPU dev \d|KV (?:mode|cache):|Model size:|Weights loaded|Loading \S+\.\.\."
    r"|prompt md5:|decoding \(|kernel\s+calls\s|(?:rocprof|internal|blindspot) total:|BLINDSPOTS"
    r"|mean\s+min\s|seeding |prefilling |TTFT\s|TOTAL\s|WALL\s)"
)
_IDENTITY = re.compile(
    r"\s*(?:gpu:|GPU:|GPU dev \d|KV cache:|Loading \S|pre-compiled|Model:"
    r"|Weights loaded|Model size:)"
)
_MEASUREMENT = re.compile(r"SUMMARY|tok/s|tok_s|\btau\b|τ=")
_JIT = re.compile(r"\bJIT\b|\bhipcc\b|(?<!pre-)\b[Cc]ompil(?:e|es|ed|ing|ation)\b")
_SHAPED = re.compile(r"\s*[A-Za-z_]\w*\s{0,8}[:=]\s{0,20}\S")


def relevance(text: str) -> Relevance:
    """How much a cleaned line can mean; never more than linear in its length."""
    if ("%" in text or "ms" in text) and looks_like_row(text):
        return Relevance.TABLE_ROW
    if _is_known(text):
        return Relevance.KNOWN
    if is_jit(text) or "tail kernels" in text or text[0] == "#":
        return Relevance.CONTEXT
    return (
        Relevance.CONTEXT
        if (":" in text or "=" in text) and _SHAPED.match(text)
        else Relevance.NONE
    )


def _is_known(text: str) -> bool:
    if "===" in text or "SUMMARY" in text or "tok/s" in text or "hipfire" in text:
        return True
    if "_" in text and not _KEYS.isdisjoint(_WORD.findall(text)):
        return True
    if "tau" in text and ("tau=" in text or "tau:" in text):
        return True
    if "τ=" in text or "p50=" in text or " blobs" in text or "AR-BASELINE MODE" in text:
        return True
    first = text.split(None, 1)
    return bool(first) and first[0] in _FIRST_WORDS and _STARTS.match(text) is not None


def is_identity(text: str) -> bool:
    """Whether a line says what is loaded or which card is used."""
    return _IDENTITY.match(text) is not None


def is_measurement(text: str) -> bool:
    """Whether a line that is known holds a result."""
    return _MEASUREMENT.search(text) is not None


def is_jit(text: str) -> bool:
    """Whether a line says that a kernel is being compiled now."""
    return ("JIT" in text or "hipcc" in text or "ompil" in text) and _JIT.search(text) is not None
