"""Files, folders and standard input become sources, or one clear error."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.errors import InputError, Problems
from promptlint.model.prompt import Skip
from promptlint.sources.files import Found, decode, expand, read_all, read_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_newlines_stay_as_they_are() -> None:
    Path("a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n\xc3\xa9")
    assert read_file("a.md").text == "\ufeffone\r\ntwo\rthree\né"


def test_bad_byte_has_line_and_column_in_code_points() -> None:
    Path("a.md").write_bytes("one\ntwö ".encode() + b"\xff rest")
    with pytest.raises(InputError) as caught:
        read_file("a.md")
    error = caught.value
    assert (error.name, error.line, error.column) == ("a.md", 2, 5)
    assert "0xff" in error.message
    assert "UTF-8" in error.message


@given(st.text(), st.sampled_from([b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf5"]))
def test_bad_byte_is_placed_right_after_any_text(text: str, bad: bytes) -> None:
    with pytest.raises(InputError) as caught:
        decode("x", text.encode() + bad + b"a")
    lines = text.split("\n")
    assert (caught.value.line, caught.value.column) == (len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_named(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    with pytest.raises(InputError, match="is UTF-16"):
        decode("a.md", (mark + "hello").encode(encoding))


def test_what_cannot_be_read() -> None:
    Path("folder").mkdir()
    for name, message in [
        ("folder", "folder: is a directory"),
        ("gone.md", "gone.md: no such file"),
        ("a\0b", "is no file name"),
        ("folder/a/b", "no such file"),
    ]:
        with pytest.raises(InputError, match=message):
            read_file(name)


def test_a_file_below_a_file() -> None:
    Path("a.md").write_text("x")
    with pytest.raises(InputError, match="cannot be read"):
        read_file("a.md/b")


def test_all_errors_at_once() -> None:
    with pytest.raises(Problems) as caught:
        read_all([Found("one.md", walked=False), Found("two.md", walked=False)])
    assert [error.name for error in caught.value.errors] == ["one.md", "two.md"]


def test_standard_input_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é\r\n".encode())))
    with pytest.raises(InputError, match="read once"):
        read_all([Found("-", walked=False), Found("-", walked=False)])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é\r\n".encode())))
    assert read_file("-").text == "é\r\n"


def test_walk_takes_prompt_files_in_order_and_named_files_always() -> None:
    for name in ["p/b.md", "p/a.txt", "p/B/c.JSON", "p/x.c", "p/.git/d.md", "p/node_modules/e.md", "p/.hidden.md"]:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    found = expand(["p/x.c", "p", "p/./b.md"])
    assert found == [
        Found("p/x.c", walked=False),
        Found("p/a.txt", walked=True),
        Found("p/B/c.JSON", walked=True),
        Found("p/./b.md", walked=False),
    ]
    assert expand(["p/.hidden.md", "p/node_modules"])[0] == Found("p/.hidden.md", walked=False)
    assert [found.name for found in expand(["."])] == ["p/a.txt", "p/b.md", "p/B/c.JSON"]


def test_expand_names_all_that_is_missing() -> None:
    with pytest.raises(Problems, match=r"(?s)x\.md: no such file or directory.*y"):
        expand(["x.md", "y"])


def test_walked_file_that_is_no_text_is_skipped() -> None:
    Path("p").mkdir()
    Path("p/a.txt").write_bytes(b"\xff")
    Path("p/b.txt").write_text("good")
    sources, skips = read_all(expand(["p"]))
    assert [(source.name, source.walked) for source in sources] == [("p/b.txt", True)]
    assert [skip.what for skip in skips] == ["p/a.txt"]
    assert isinstance(skips[0], Skip)
    assert "UTF-8" in skips[0].why
