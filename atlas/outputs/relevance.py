"""Which lines of a log can mean something: one cheap decision per line, so that huge logs stay cheap."""

from __future__ import annotations

import re
from enum import Enum, auto

from atlas.outputs.profile_rows import looks_like_row


class Relevance(Enum):
    """How much a line can mean."""

    NONE = auto()
    CONTEXT = auto()
    """Shaped like something printed with a measurement; no known word in it."""
    KNOWN = auto()
    """Holds a word that the formats use."""
    TABLE_ROW = auto()
    """A row of a kernel table."""


_WORD = re.compile(r"\w+")

_KNOWN_WORDS = frozenset(
    """
    PREFILL_SUMMARY SUMMARY PROFILE COVERAGE METRICS MODE BLINDSPOTS blindspot rocprof
    gen_tok_s prefill_tok_s decode_tok_s tok_s bw_gib_s avg_ms p50_ms p50 decode_tau tau τ
    decode_tokens_emitted decode_secs prefill_secs accepted_mtp_total
    histogram blobs tok stdev TTFT TOTAL WALL prompt_md5 rendered_md5 rendered_prompt_md5 token_sha256
    kv_mode kv_cache hipfire Phases max_seq md5 prefill_runs
    """.split()
)

_KNOWN_STARTS = re.compile(
    r"\s*(?:gpu:|GPU:|GPU dev \d|arch:\s+gfx|KV (?:mode|cache):|kv_cache:|Model size:|Model:|model:|target:|draft:"
    r"|mtp-head:|Weights loaded|Loading \S+\.\.\.|vram:|runs:|median:|prompt md5:|decoding \(|max=\d|internal total:|kernel\s+calls\s"
    r"|(?:emitted|cycles|committed|accepted):|===)"
)
_IDENTITY = re.compile(
    r"\s*(?:gpu:|GPU:|GPU dev \d|KV cache:|Loading \S|pre-compiled|Model:|Weights loaded|Model size:)"
)
_MEASUREMENT = re.compile(r"SUMMARY|tok/s|tok_s|\btau\b|τ=")
_JIT = re.compile(r"\bJIT\b|\bhipcc\b|(?<!pre-)\b[Cc]ompil(?:e|es|ed|ing|ation)\b")
_SHAPED = re.compile(r"\s*[A-Za-z_]\w*\s{0,8}[:=]\s{0,20}\S|#|\s*\w+=\S")


def relevance(text: str) -> Relevance:
    """How much a cleaned line can mean; never more than linear in its length."""
    words = _WORD.findall(text)
    if not words:
        return Relevance.KNOWN if text.startswith("===") else Relevance.NONE
    if ("%" in text or "ms" in text) and looks_like_row(text):
        return Relevance.TABLE_ROW
    if not _KNOWN_WORDS.isdisjoint(words) or "SUMMARY" in text or _KNOWN_STARTS.match(text):
        return Relevance.KNOWN
    return Relevance.CONTEXT if _SHAPED.match(text) or is_jit(text) else Relevance.NONE


def is_identity(text: str) -> bool:
    """Whether a line says what is loaded or which card is used."""
    return _IDENTITY.match(text) is not None


def is_measurement(text: str) -> bool:
    """Whether a line that is known holds a result."""
    return _MEASUREMENT.search(text) is not None


def is_jit(text: str) -> bool:
    """Whether a line says that a kernel is being compiled now."""
    return ("JIT" in text or "hipcc" in text or "ompil" in text) and _JIT.search(text) is not None
