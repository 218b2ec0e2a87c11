"""Suppressions in the comment syntax of each type of file."""

from __future__ import annotations

import pytest

from promptlint.model.finding import Finding, Place, Scope, Severity
from promptlint.model.source import Source
from promptlint.suppressions import comments


def finding(file: str, line: int, code: str = "PL304", name: str = "stable-text-edited") -> Finding:
    return Finding(code, name, Severity.INFO, "high", Scope.UNKNOWN, "m", Place(file, "", line, 1, line, 2))


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("a.md", "<!-- promptlint: ignore[PL304] -->"),
        ("a.md", "{# promptlint: ignore[PL304] because #}"),
        ("a.j2", "{#- promptlint: ignore[PL3] -#}"),
        ("a.txt", "# promptlint: ignore[stable-text-edited]"),
        ("a.prompt", "# promptlint: ignore"),
        ("a.prompty", "{# promptlint: ignore PL304 #}"),
        ("a.hbs", "{{! promptlint: ignore[PL304] }}"),
        ("a.mustache", "{{!-- promptlint: ignore --}}"),
        ("a.prompt", "{{! promptlint: ignore[PL304] }}"),
        ("a.erb", "<%# promptlint: ignore[PL304] %>"),
        ("a.py", "# promptlint: ignore[PL101, PL304]"),
        ("a.yaml", "# promptlint:ignore[pl304]"),
        ("a.ts", "// promptlint: ignore[PL304] - reason"),
        ("a.go", "/* promptlint: ignore[PL304] */"),
        ("a.rs", "// promptlint: ignore"),
    ],
)
def test_alone_on_its_line_it_is_about_the_next(name: str, comment: str) -> None:
    (found,) = comments(Source(name, f"one\n{comment}\nthree\nfour\n"))
    assert (found.line, found.target) == (2, 3)
    assert found.silences(finding(name, 3))
    assert not found.silences(finding(name, 4))
    assert not found.silences(finding("other", 3))


def test_beside_code_it_is_about_its_own_line() -> None:
    (found,) = comments(Source("a.py", "x = 1\ny = now()  # promptlint: ignore[PL1]\nz = 3\n"))
    assert (found.line, found.target) == (2, 2)
    assert found.silences(finding("a.py", 2, "PL101", "timestamp-in-prefix"))
    assert not found.silences(finding("a.py", 2, "PL304"))
    assert not found.silences(finding("a.py", 3, "PL101"))


def test_a_whole_file() -> None:
    (found,) = comments(Source("a.md", "text\n<!-- promptlint: ignore-file[PL3] -->\n"))
    assert found.silences(finding("a.md", 99))
    assert not found.silences(finding("a.md", 99, "PL101", "timestamp-in-prefix"))
    assert str(found) == "promptlint: ignore-file[PL3]"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"a": "# promptlint: ignore"}'),
        ("a.txt", "say # promptlint: ignore"),
        ("a.md", "# promptlint: ignore"),
        ("a.py", "// promptlint: ignore"),
        ("a.md", "<!-- promptlint: ignored -->"),
        ("a.md", "promptlint: ignore"),
    ],
)
def test_what_is_no_comment(name: str, text: str) -> None:
    assert comments(Source(name, text)) == []
