"""What a file is, by its content: one JSON document, an array, JSONL, a log, or not known yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput
from atlas.identity.redaction import may_hold_secrets
from atlas.ingest.documents import document_kind, document_piece
from atlas.ingest.piece import Piece
from atlas.ingest.texts import log_piece, opaque_piece
from atlas.outputs import read_output
from atlas.outputs.text import decode
from ledger import canonical
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atlas.ingest.source import Source


def recognise(source: Source) -> tuple[str, Iterator[Piece]]:
    """What a file is, in words, and its pieces, made one at a time.

    Raises:
        BadInput: it is broken as a whole; says where. Nothing of it is recorded then.
    """
    if _is_jsonl(source.head):
        kinds = _line_kinds(source.lines())
        if kinds:
            return f"JSONL of {_plural(kinds)}", _jsonl_pieces(source, source.lines())
        return "JSONL", iter([opaque_piece(source, source.whole())])
    data = source.whole()
    plain = _utf8(data)
    if plain.lstrip()[:1] in (b"{", b"["):
        try:
            document, findings = canonical.loads(plain)
        except canonical.NotJson as error:
            return _broken(source, plain, error)
        return _document(source, plain, document, findings)
    return _text(source, data)


def _is_jsonl(head: bytes) -> bool:
    """The first line is a JSON object of its own, and there is more."""
    first, mark, rest = head.partition(b"\n")
    if not (mark and rest.strip() and first.lstrip().startswith(b"{")):
        return False
    try:
        canonical.loads(first)
    except canonical.NotJson:
        return False
    return True


def _line_kinds(lines: Iterable[bytes]) -> set[str]:
    """What is known among the lines; looked through until something is."""
    for line in lines:
        try:
            kind = document_kind(canonical.loads(line)[0]) if line.strip() else None
        except canonical.NotJson:
            continue
        if kind:
            return {kind}
    return set()


def _jsonl_pieces(source: Source, lines: Iterable[bytes]) -> Iterator[Piece]:
    for ordinal, raw in enumerate(lines):
        line = raw.strip()
        if not line:
            continue
        place = f"line {ordinal + 1}"
        try:
            document, text, findings = canonical.loads_canonical(line)
        except canonical.NotJson as error:
            said = f"broken at byte {error.offset}: {error}"
            yield Piece(findings=(Finding("line_broken", said, place),), refused=True)
            continue
        known = None if may_hold_secrets(text) else text
        yield _piece(source, ordinal, document, findings, known, place)


def _document(
    source: Source, text: bytes, document: Any, findings: list[Finding]
) -> tuple[str, Iterator[Piece]]:
    """One document, or an array of known ones."""
    kind = document_kind(document)
    if kind:
        return kind, iter([_piece(source, 0, document, findings, None, "document")])
    items = document if isinstance(document, list) else []
    kinds = {found for found in map(document_kind, items) if found}
    if not kinds:
        return "JSON", iter([opaque_piece(source, text)])
    pieces = (
        _piece(source, ordinal, item, [], None, f"item {ordinal + 1}")
        for ordinal, item in enumerate(items)
    )
    return f"array of {_plural(kinds)}", pieces


def _piece(
    source: Source,
    ordinal: int,
    document: Any,
    findings: list[Finding],
    text: str | None,
    place: str,
) -> Piece:
    piece = document_piece(source, ordinal, document, text, place)
    if not findings or piece.draft is None:
        return piece
    told = [Finding(one.code, one.message, f"{place} {one.where}") for one in findings]
    known = piece.draft.payload.get("findings", [])
    piece.draft.payload["findings"] = [*known, *(one.as_json() for one in told)]
    return Piece(
        piece.draft,
        piece.blobs,
        piece.rows,
        piece.errors,
        (*piece.findings, *told),
        piece.refused,
        piece.companions,
    )


def _broken(source: Source, text: bytes, error: canonical.NotJson) -> tuple[str, Iterator[Piece]]:
    """Text that begins like JSON and is none: a log, JSONL with a broken first line, or refused."""
    lines = text.split(b"\n")
    if _line_kinds(lines):
        return "JSONL", _jsonl_pieces(source, lines)
    reading = read_output(text)
    if reading.understood:
        return "log", iter([log_piece(source, text, reading)])
    how = "truncated" if error.truncated else "broken"
    raise BadInput(
        f"{source.name}: JSON {how} at byte {error.offset}: {error}",
        hint="nothing of it was recorded; write the file again",
    )


def _text(source: Source, data: bytes) -> tuple[str, Iterator[Piece]]:
    reading = read_output(data)
    if not reading.understood:
        return "unknown", iter([opaque_piece(source, data)])
    programs = [segment.program for segment in reading.segments if segment.program]
    named = ", ".join(dict.fromkeys(programs)) or "no header"
    return f"log ({named})", iter([log_piece(source, data, reading)])


def _utf8(data: bytes) -> bytes:
    """UTF-8 without BOM; UTF-16 is converted."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return decode(data)[0].encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def _plural(kinds: set[str]) -> str:
    return ", ".join(f"{kind}s" for kind in sorted(kinds))
