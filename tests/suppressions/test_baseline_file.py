"""The baseline file: sorted, stable, whole or not at all, and read strictly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptlint.model.errors import ConfigError, InputError
from promptlint.suppressions import Accepted, Baseline, Known, load, save


def test_written_sorted_and_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "b.json")
    one, two = Known("a.md", "PL1", "n", "2"), Known("a.md", "PL1", "n", "1")
    odd = Accepted("\udcff.md", "PL304", "c", "why\nnot é")
    save(path, Baseline((one, two, one), (odd,)))
    first = Path(path).read_bytes()
    assert load(path) == Baseline((two, one), (odd,))
    save(path, Baseline((two, one), (odd, odd)))
    assert Path(path).read_bytes() == first
    assert first.isascii() and first.endswith(b"\n")
    assert [each.name for each in tmp_path.iterdir()] == ["b.json"]
    assert load(path).reason("\udcff.md", "c") == "why\nnot é"
    assert load(path).reason("\udcff.md", "d") is None


def test_no_file_is_an_empty_baseline(tmp_path: Path) -> None:
    assert load(str(tmp_path / "none.json")) == Baseline()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "is no valid JSON"),
        (b"<<<<<<< HEAD\n{}", "is no valid JSON"),
        (b"[]", "is no promptlint baseline"),
        (b'{"version": 2}', "is no promptlint baseline of version 1"),
        (b'{"version": 1, "findings": {}}', "'findings' must be a list"),
        (b'{"version": 1, "accepted": [{"file": "a"}]}', r"accepted\[0\] must have the texts"),
        (b"\xff", "is no UTF-8"),
        (b"[" * 100_000, "is no"),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(text)
    with pytest.raises(ConfigError, match=message):
        load(str(path))


def test_what_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(str(tmp_path))
    with pytest.raises(InputError, match="cannot be written"):
        save(str(tmp_path / "gone" / "b.json"), Baseline())
    assert json.loads("[]") == [] and list(tmp_path.iterdir()) == []
