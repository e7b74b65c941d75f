"""Checkpoints: what a chain alone can't show, and signatures over them."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.auditing import quick_audit
from support.histories import add, copied, host
from support.toy import plainly, rows, toy_ledger

from ledger import signing
from ledger.checkpoint import Checkpoint, checkpoint, compare, read_checkpoint, signature_faults
from ledger.errors import SigningFailed, SourceDamaged
from ledger.store import Ledger

needs_ssh = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen here")


def text(ledger: Ledger) -> str:
    with ledger.reader() as reader:
        return checkpoint(reader)


def faults(ledger: Ledger, old: str) -> list[tuple[str, int]]:
    with ledger.reader() as reader:
        return [(row[1], row[3]) for row in compare(reader, read_checkpoint(old)).rows]


def chain_faults(ledger: Ledger) -> list[object]:
    with plainly(ledger.place.file, read_only=True) as con:
        return list(quick_audit(con))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Four events of its own, two merged ones."""
    ledger = host(tmp_path / "one", 1, 4)
    ledger.merge([host(tmp_path / "two", 10, 2).place.file])
    return ledger


def test_the_form(ledger: Ledger) -> None:
    lines = text(ledger).splitlines()
    assert lines[0] == "atlas-checkpoint-1"
    heads = rows(
        ledger.place.file,
        "SELECT origin || ' ' || count(*) || ' ' || arg_max(hash, seq) FROM events GROUP BY origin",
    )
    assert lines[1:] == sorted(head for (head,) in heads)
    assert text(toy_ledger(ledger.place.file.parent)) == text(ledger)


def test_printing_appends_nothing(ledger: Ledger) -> None:
    before = ledger.place.file.read_bytes()
    text(ledger)
    assert ledger.place.file.read_bytes() == before


def test_what_was_added_since_is_no_fault(ledger: Ledger) -> None:
    old = text(ledger)
    add(ledger, 5, 6)
    assert faults(ledger, old) == []


def test_a_cut_off_end_is_found_with_it_and_not_without(ledger: Ledger) -> None:
    old = text(ledger)
    with plainly(ledger.place.file) as con:
        con.execute("DELETE FROM events WHERE seq = 3")
    assert faults(ledger, old) == [("truncated", 3)]
    assert chain_faults(ledger) == []


def test_an_old_copy_put_back_is_found(ledger: Ledger, tmp_path: Path) -> None:
    old = copied(ledger, tmp_path / "old")
    add(ledger, 5)
    assert faults(old, text(ledger)) == [("truncated", 4)]


def test_a_rewritten_end_is_found(ledger: Ledger, tmp_path: Path) -> None:
    """The end is cut off and written anew: a sound chain, and another one."""
    other = copied(ledger, tmp_path / "other")
    add(ledger, 5, 6)
    old = text(ledger)
    add(other, 7, 8, 9)
    assert faults(other, old) == [("rewritten", 5)]
    assert chain_faults(other) == []


def test_a_removed_origin_is_found(ledger: Ledger) -> None:
    old = text(ledger)
    with plainly(ledger.place.file) as con:
        con.execute(
            "DELETE FROM events WHERE origin = (SELECT origin FROM events GROUP BY origin"
            " HAVING count(*) = 2)"
        )
    assert faults(ledger, old) == [("removed origin", 1)]
    assert chain_faults(ledger) == []


def test_a_forked_origin_has_an_end_for_each_branch(ledger: Ledger, tmp_path: Path) -> None:
    """Whichever branch lies where, the text is the same, and both branches are held to it."""
    other = copied(ledger, tmp_path / "other")
    add(ledger, 5)
    add(other, 6, 7)
    ours, theirs = text(ledger), text(other)
    ledger.merge([other.place.file])
    other.merge([ledger.place.file])
    assert text(ledger) == text(other)
    assert len(text(ledger).splitlines()) == 4
    assert faults(other, ours) == faults(ledger, theirs) == []


@pytest.mark.parametrize(
    "bad", ["", "hello", "atlas-checkpoint-1\nx 1 y\n", "atlas-checkpoint-1\n\n", "\x00"]
)
def test_what_is_no_checkpoint(bad: str) -> None:
    with pytest.raises(SourceDamaged):
        read_checkpoint(bad)


def _key(folder: Path, name: str) -> Path:
    key = folder / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)], check=True
    )
    return key


@needs_ssh
def test_signatures(ledger: Ledger, tmp_path: Path) -> None:
    lab, other = _key(tmp_path, "lab"), _key(tmp_path, "other")
    signers = tmp_path / "signers"
    signers.write_text(f"lab@example {lab.with_suffix('.pub').read_text()}")
    plain = text(ledger)
    signed = read_checkpoint(plain + signing.sign(plain, lab))
    foreign = read_checkpoint(plain + signing.sign(plain, other))
    altered = Checkpoint((), signed.text.replace(" 4 ", " 3 "), signed.signature)

    def wrong(one: Checkpoint, file: Path | None) -> list[str]:
        return [row[5] for row in signature_faults(one, file)]

    assert signed.text == plain
    assert wrong(signed, None) == wrong(signed, signers) == wrong(foreign, None) == []
    assert wrong(foreign, signers) == ["checkpoint: it is of nobody among the allowed signers"]
    assert len(wrong(altered, None)) == len(wrong(altered, signers)) == 1
    assert wrong(read_checkpoint(plain), signers) == ["checkpoint: it is not signed"]
    assert wrong(read_checkpoint(plain), None) == []
    with pytest.raises(SigningFailed, match="can't sign"):
        signing.sign(plain, tmp_path / "nokey")


def test_without_ssh_keygen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningFailed, match="can't be run"):
        signing.sign("x", tmp_path / "key")
