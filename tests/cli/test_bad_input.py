"""What cannot be done ends with exit status 2, one clear line on standard error, and nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REQUEST = {
    "model": "gpt-5.1",
    "messages": [{"role": "system", "content": "You help."}, {"role": "user", "content": "Hello"}],
}
ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "You help.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "Hello"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "good.json": json.dumps(REQUEST, indent=2).encode(),
        "anthropic.json": json.dumps(ANTHROPIC, indent=2).encode(),
        "broken.json": b'{\n  "model": "gpt-5.1",\n  "messages": [\n}\n',
        "other.json": b'{\n  "name": "left-pad",\n  "version": "1.0.0"\n}\n',
        "latin.md": "one\ntwo \xe9 three\n".encode("latin-1"),
        "good.md": b"You help.\n",
        "utf16.md": "You help.\n".encode("utf-16"),
        "log.jsonl": f"{json.dumps(REQUEST)}\n{json.dumps(REQUEST)}\n".encode(),
        "log.json": f"{json.dumps({'type': 'note'})}\n\n{json.dumps(REQUEST)}".encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "prompts").mkdir()
    return tmp_path


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "promptlint", *arguments],
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def failed(folder: Path, *arguments: str, **variables: str) -> str:
    """Runs, checks what holds for every failure, and gives the line on standard error."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = run(folder, *arguments, "--format", "json", "--format", "text=report.txt", **variables)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("promptlint: ")
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("diff", "broken.json", "good.json"), ("broken.json:4:1:",)),
        (("diff", "good.json", "other.json"), ("other.json:", "request")),
        (("diff", "good.json", "anthropic.json"), ("anthropic.json:1:1:", "good.json", "format")),
        (("diff", "good.md", "latin.md"), ("latin.md:2:5:", "UTF-8", "0xe9")),
        (("diff", "utf16.md", "good.md"), ("utf16.md:", "UTF-16", "UTF-8")),
        (("diff", "good.json", "good.json", "--provider", "antropic"), ("antropic", "anthropic")),
        (("diff", "good.json", "good.json", "--tokenizer", "no/such/tokenizer.json"), ("no/such/tokenizer.json",)),
        (("diff", "good.json", "good.json", "--select", "PL999"), ("PL999", "rules list")),
        (("check", "good.json", "--ignore", "no-such-rule"), ("no-such-rule",)),
        (("diff", "prompts", "good.md"), ("prompts:", "is a directory")),
        (("diff", "gone.md", "good.md"), ("gone.md: no such file",)),
        (("check", "gone.md"), ("gone.md: no such file or directory",)),
        (("check", "good.md", "--since", "HEAD"), ("not in a git repository",)),
        (("check", "good.md", "--staged"), ("not in a git repository",)),
        (("diff", "log.jsonl", "good.json"), ("log.jsonl:1:1: this is a log", "`promptlint trace log.jsonl`")),
        (("check", "log.jsonl"), ("log.jsonl:1:1: this is a log", "`promptlint trace log.jsonl`")),
        (("check", "log.json"), ("log.json:1:1: this is a log",)),
        (("diff", "-", "-"), ("-: standard input can be read once",)),
        (("diff", "good.md"), ("AFTER",)),
        (("diff", "good.md", "good.md", "--fail-on", "sometimes"), ("sometimes", "never")),
        (("diff", "good.md", "good.md", "--requests-per-day", "nan"), ("must be a number",)),
        (("diff", "good.md", "good.md", "--wat"), ("--wat", "promptlint diff --help")),
        (("nonsense",), ("nonsense", "--help")),
        (("chek", "good.md"), ("'chek'. Did you mean 'check'? (see",)),
        (("rules", "show", "PL999"), ("PL999",)),
        (("providers", "show", "nobody"), ("nobody",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_one_clear_line(folder: Path, arguments: tuple[str, ...], expected: tuple[str, ...]) -> None:
    shown = failed(folder, *arguments)
    for part in expected:
        assert part in shown


def test_unknown_revision(folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    shown = failed(folder, "check", "good.md", "--since", "no-such-branch")
    assert "git knows no revision no-such-branch" in shown


def test_git_is_missing(folder: Path) -> None:
    assert "git is not installed" in failed(folder, "check", "good.md", "--since", "HEAD", PATH=str(folder))


def test_every_unreadable_file_is_named(folder: Path) -> None:
    done = run(folder, "diff", "gone.md", "latin.md")
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("promptlint: gone.md: ")
    assert lines[1].startswith("promptlint: latin.md:2:5: ")


@pytest.mark.parametrize(
    ("formats", "expected"),
    [
        (("xml",), "xml: unknown format"),
        (("json", "text"), "only one report"),
        (("json=r.json", "text=./r.json"), "only one report"),
        (("json=",), "the file is missing"),
        (("json=no/such/r.json",), "folder does not exist"),
        (("json=prompts",), "is a directory"),
        (("json=good.md",), "is an input"),
    ],
)
def test_formats_that_cannot_be(folder: Path, formats: tuple[str, ...], expected: str) -> None:
    options = [part for value in formats for part in ("--format", value)]
    done = run(folder, "diff", "good.md", "good.md", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "r.json").exists()


def test_hostile_names_are_shown_as_text(folder: Path) -> None:
    shown = failed(folder, "diff", "a\n::error::\x1b[2J.md", "good.md")
    assert "a⏎::error::\\x1b[2J.md" in shown
