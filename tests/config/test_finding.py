"""Which configuration a file falls under, and how patterns match."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptlint.cli.known import KNOWN
from promptlint.config import Config, Finder
from promptlint.config.globs import fixed_folder, matches, names_file
from promptlint.model.errors import ConfigError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "repo"
    (top / ".git").mkdir(parents=True)
    (top / "a/b").mkdir(parents=True)
    (tmp_path / "promptlint.toml").write_text("model = 'outside'")
    monkeypatch.chdir(top)
    return top


def model(config: Config) -> str | None:
    return config.settings.model


def test_the_nearest_file_wins_and_the_repository_ends_the_search(root: Path) -> None:
    assert model(Finder(KNOWN).for_file("a/b/x.md")) is None
    Path("pyproject.toml").write_text("[tool.promptlint]\nmodel = 'top'\n")
    Path("a/pyproject.toml").write_text("[project]\nname = 'promptlint-user'\n")  # no table of ours: passed over
    assert model(Finder(KNOWN).for_file("a/b/x.md")) == "top"
    Path("a/promptlint.toml").write_text("model = 'a'")
    finder = Finder(KNOWN)
    assert [model(finder.for_file(name)) for name in ("a/b/x.md", "a/x.md", "x.md", "-")] == ["a", "a", "top", "top"]
    assert finder.for_file("a/b/x.md") is finder.for_file("a/x.md")
    Path("promptlint.toml").write_text("model = 'own'")  # beats the shared file beside it
    assert model(Finder(KNOWN).for_file("x.md")) == "own"
    assert Finder(KNOWN).for_file("a/b/x.md").root == str(root / "a")


def test_a_given_file_and_none_at_all(root: Path) -> None:
    Path("promptlint.toml").write_text("model = 'own'")
    Path("other.toml").write_text("model = 'other'")
    Path("a/pyproject.toml").write_text("[tool.promptlint]\nmodel = 'a'\n")
    assert model(Finder(KNOWN, "other.toml").for_file("x.md")) == "other"
    assert model(Finder(KNOWN, "a/pyproject.toml").for_file("x.md")) == "a"
    assert model(Finder(KNOWN, isolated=True).for_file("x.md")) is None
    with pytest.raises(ConfigError, match="exclude each other"):
        Finder(KNOWN, "other.toml", isolated=True)
    with pytest.raises(ConfigError, match=r"gone\.toml: no such file"):
        Finder(KNOWN, "gone.toml").for_file("x.md")
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(ConfigError, match=r"has no table \[tool\.promptlint\]"):
        Finder(KNOWN, "pyproject.toml").for_file("x.md")


def test_a_file_of_a_parent_that_cannot_be_read(root: Path) -> None:
    Path("a/promptlint.toml").mkdir()
    with pytest.raises(ConfigError, match=r"a/promptlint\.toml: cannot be read"):
        Finder(KNOWN).for_file("a/b/x.md")
    Path("a/promptlint.toml").rmdir()
    Path("a/promptlint.toml").write_bytes(b"model = 'x'\n# \xff")
    with pytest.raises(ConfigError, match=r"a/promptlint\.toml:2:3: is no UTF-8"):
        Finder(KNOWN).for_file("a/b/x.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_of_a_parent_without_permission(root: Path) -> None:
    Path("a/promptlint.toml").write_text("")
    Path("a/promptlint.toml").chmod(0)
    with pytest.raises(ConfigError, match="Permission denied"):
        Finder(KNOWN).for_file("a/b/x.md")


@pytest.mark.parametrize(
    ("pattern", "path", "result"),
    [
        ("*.md", "a.md", True),
        ("*.md", "x/a.md", True),
        ("x/*.md", "x/a.md", True),
        ("x/*.md", "x/y/a.md", False),
        ("x/**/*.md", "x/a.md", True),
        ("x/**/*.md", "x/y/z/a.md", True),
        ("x/**", "x/y/a.md", True),
        ("drafts/", "drafts/a.md", True),
        ("drafts", "x/drafts/a.md", True),
        ("./x/a.md", "x/a.md", True),
        ("/a.md", "x/a.md", False),
        ("a?.md", "ab.md", True),
        ("a[bc].md", "ac.md", True),
        ("a[!bc].md", "ac.md", False),
        ("a+(b).md", "a+(b).md", True),
        ("*.md", "line\nbreak.md", True),
    ],
)
def test_patterns(pattern: str, path: str, result: bool) -> None:
    assert matches(pattern, path) is result


def test_parts_are_counted_from_the_root_only() -> None:
    assert names_file("a.md", "a.md") and not names_file("a.md", "x/a.md")
    assert names_file("x/*.yaml", "x/a.yaml") and not names_file("x/*", "x/y/a.yaml")
    assert [fixed_folder(pattern) for pattern in ("a/b/*.md", "*.md", "a/[b]/c.md")] == ["a/b", "", "a"]
