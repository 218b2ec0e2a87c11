"""Token ids kept on disk: the same answers without a vocabulary, and no harm from damage, rivals or a full disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.tokenizers import rankfile, store, tiktoken_bpe
from promptlint.tokenizers.store import FILE, Encoded, Store
from promptlint.tokenizers.tiktoken_bpe import TiktokenVocabulary
from promptlint.tokenizers.vocabularies import PUBLISHED

TEXTS = ("", "Plain.", "Grüße, 世界 👩‍🚀", "a\ud800b", "<|endoftext|> is text", "x " * 20_000)


@pytest.fixture(scope="module")
def plain() -> TiktokenVocabulary:
    return TiktokenVocabulary("o200k_base")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    made = TiktokenVocabulary("o200k_base", str(tmp_path))
    for text in TEXTS:
        made.encode(text)
    made.encode(TEXTS[4], specials=True)
    made.remember()
    return tmp_path


def no_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_: object) -> object:
        raise AssertionError("the vocabulary was loaded")

    monkeypatch.setattr(rankfile, "tokens", build)


def test_the_same_answers_without_the_vocabulary(
    filled: Path, plain: TiktokenVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [(plain.encode(text), text) for text in TEXTS]
    special = plain.encode(TEXTS[4], specials=True)
    no_vocabulary(monkeypatch)
    again = TiktokenVocabulary("o200k_base", str(filled))
    for ids, text in expected:
        assert again.encode(text) == ids
        for count in {0, len(ids) // 2, max(len(ids) - 1, 0), len(ids)}:
            assert again.char_end(text, ids, count) == plain.char_end(text, ids, count)
        ends = sorted({0, len(text) // 2, len(text)})
        assert again.begun(text, ids, ends) == plain.begun(text, ids, ends)
    assert again.encode(TEXTS[4], specials=True) == special != again.encode(TEXTS[4])
    assert again.char_end(TEXTS[4], special, 1) == plain.char_end(TEXTS[4], special, 1) == len("<|endoftext|>")


def test_another_vocabulary_has_entries_of_its_own(filled: Path) -> None:
    other = TiktokenVocabulary("cl100k_base", str(filled))
    assert other.encode("Grüße, 世界 👩‍🚀") == TiktokenVocabulary("cl100k_base").encode("Grüße, 世界 👩‍🚀")


def test_the_owner_alone_can_read_it(tmp_path: Path) -> None:
    made = TiktokenVocabulary("o200k_base", str(tmp_path / "new" / "folder"))
    made.encode("Plain.")
    made.remember()
    assert (tmp_path / "new" / "folder" / FILE).stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / "folder").stat().st_mode & 0o077 == 0


def test_a_damaged_entry_is_encoded_again(filled: Path, plain: TiktokenVocabulary) -> None:
    with sqlite3.connect(filled / FILE) as connection:
        connection.execute("UPDATE texts SET entry = substr(entry, 1, length(entry) - 1) || x'07'")
    connection.close()
    again = TiktokenVocabulary("o200k_base", str(filled))
    for text in TEXTS:
        assert again.encode(text) == plain.encode(text)


@given(st.binary(max_size=60))
def test_any_bytes_for_an_entry(entry: bytes) -> None:
    assert store._unpacked(entry) is None


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_begins_anew(
    tmp_path: Path, content: bytes, plain: TiktokenVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE).write_bytes(content)
    made = TiktokenVocabulary("o200k_base", str(tmp_path))
    assert made.encode("Plain.") == plain.encode("Plain.")
    made.remember()
    no_vocabulary(monkeypatch)
    assert TiktokenVocabulary("o200k_base", str(tmp_path)).encode("Plain.") == plain.encode("Plain.")


def test_a_file_that_another_run_holds_counts_as_absent(
    filled: Path, plain: TiktokenVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PATIENCE", 0.01)
    rival = sqlite3.connect(filled / FILE)
    rival.execute("BEGIN EXCLUSIVE")
    made = TiktokenVocabulary("o200k_base", str(filled))
    assert made.encode("Plain.") == plain.encode("Plain.")
    made.remember()
    rival.rollback()
    rival.close()
    assert Store(str(filled), tiktoken_bpe._identity(PUBLISHED["o200k_base"])).get("Plain.", False)


def test_a_folder_that_cannot_be_made(tmp_path: Path, plain: TiktokenVocabulary) -> None:
    (tmp_path / "file").touch()
    made = TiktokenVocabulary("o200k_base", str(tmp_path / "file" / "cache"))
    assert made.encode("Plain.") == plain.encode("Plain.")
    made.remember()


def test_a_file_that_grew_too_large_begins_anew(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LARGEST", 1)
    kept = Store(str(filled), "v")
    kept.put("text", False, Encoded(array("I", [1, 2]), b"\2\2"))
    kept.write()
    with sqlite3.connect(filled / FILE) as connection:
        assert connection.execute("SELECT count(*) FROM texts").fetchone() == (1,)
    connection.close()


def test_parallel_runs(tmp_path: Path) -> None:
    code = """
import sys
from promptlint.tokenizers.store import Encoded, Store
from array import array
for round in range(20):
    store = Store(sys.argv[1], "v")
    for number in range(20):
        text = f"{round} {number}"
        found = store.get(text, False)
        assert found is None or found.ids == array("I", [round, number]), text
        store.put(text, False, Encoded(array("I", [round, number]), bytes([len(str(round)), 1 + len(str(number))])))
    store.write()
"""
    runs = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE) for _ in range(4)]
    errors = [run.communicate(timeout=120)[1].decode() for run in runs]
    assert errors == [""] * 4
    kept = Store(str(tmp_path), "v")
    assert all(kept.get(f"{round} 7", False) for round in range(20))


def test_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", "/somewhere")
    assert store.folder() == "/somewhere"
    monkeypatch.setenv("PROMPTLINT_CACHE_DIR", "")
    assert store.folder() is None
    monkeypatch.delenv("PROMPTLINT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    monkeypatch.setattr(sys, "platform", "linux")
    assert store.folder() == os.path.join("/caches", "promptlint")  # noqa: PTH118
