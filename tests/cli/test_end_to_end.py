"""The real command line on real files: a git repository, a terminal, a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

VALIDATOR = Draft202012Validator(json.loads((files("promptlint.reporters") / "report.schema.json").read_text("utf-8")))
RULES = "".join(f"Rule {number}: answer question {number} in plain words and cite the page.\n" for number in range(80))


def request(clock: str, *turns: str) -> str:
    body: dict[str, Any] = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "system": [
            {"type": "text", "text": f"Now: 2026-11-30 {clock}\n{RULES}", "cache_control": {"type": "ephemeral"}}
        ],
        "messages": [{"role": "user", "content": turn} for turn in turns],
    }
    return json.dumps(body, indent=2)


def run(folder: Path, *arguments: str, status: int, **options: Any) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "promptlint", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **options,
    )
    assert done.returncode == status, done
    assert done.stderr == ""
    return str(done.stdout)


def report(folder: Path, *arguments: str, status: int) -> dict[str, Any]:
    shown = run(folder, *arguments, "--format", "json", status=status)
    assert shown == run(folder, *arguments, "--format", "json", status=status), "same input, same bytes"
    found: dict[str, Any] = json.loads(shown)
    VALIDATOR.validate(found)
    return found


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    (tmp_path / "before.json").write_text(request("10:00:07", "Hello"), "utf-8")
    (tmp_path / "after.json").write_text(request("10:00:42", "Hello"), "utf-8")
    (tmp_path / "grown.json").write_text(request("10:00:07", "Hello", "And then?"), "utf-8")
    return tmp_path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "desk agent.md").write_text(f"You work at the desk.\n{RULES}", "utf-8")
    (prompts / "package.json").write_text('{"name": "left-pad"}', "utf-8")
    (prompts / "same.md").write_text("Nothing changes here.\n", "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_diff(pair: Path) -> None:
    found = report(pair, "diff", "before.json", "after.json", status=1)
    (comparison,) = found["comparisons"]
    divergence = comparison["divergence"]
    assert divergence["path"] == "system[0].text"
    assert divergence["char"] == len("Now: 2026-11-30 10:00:")
    assert divergence["before"].startswith("07\n")
    assert divergence["after"].startswith("42\n")
    line = (pair / "after.json").read_text("utf-8").split("\n")[divergence["line"] - 1]
    assert line[divergence["column"] - 1 :].startswith("42")
    assert "PL101" in {finding["code"] for finding in found["findings"]}
    assert found["summary"]["findings"]["error"] >= 1


def test_growth(pair: Path) -> None:
    found = report(pair, "diff", "before.json", "grown.json", status=0)
    (comparison,) = found["comparisons"]
    assert comparison["divergence"] is None
    assert comparison["tokens"]["shared"] == comparison["tokens"]["before"]


def test_standard_input(pair: Path) -> None:
    text = (pair / "after.json").read_text("utf-8")
    shown = run(pair, "diff", "before.json", "-", "--format", "json", status=1, input=text)
    assert json.loads(shown)["comparisons"][0]["after"]["file"] == "-"


def test_a_pipe_never_wraps(pair: Path) -> None:
    shown = run(pair, "diff", "before.json", "after.json", status=1, env={**os.environ, "COLUMNS": "40"})
    assert "\x1b" not in shown
    assert any(len(row) > 100 for row in shown.split("\n"))
    assert any(
        row.startswith("after.json:") and row.endswith("error PL101 timestamp-in-prefix") for row in shown.split("\n")
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}])
def test_a_terminal_of_80_columns(pair: Path, variables: dict[str, str]) -> None:
    import pty

    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80", **variables}
    main_end, other_end = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "promptlint", "diff", "before.json", "after.json"],
        cwd=pair,
        env=environment,
        stdout=other_end,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(other_end)
        shown = b""
        while chunk := _read(main_end):
            shown += chunk
    os.close(main_end)
    assert process.returncode == 1
    text = shown.decode("utf-8").replace("\r\n", "\n")
    assert ("\x1b[" in text) == (not variables)
    if variables:
        assert max(len(row) for row in text.split("\n")) <= 80


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux reports the closed other end so
        return b""


def test_check_since_a_revision(repository: Path) -> None:
    path = repository / "prompts" / "desk agent.md"
    assert report(repository, "check", "prompts", "--since", "HEAD", status=0)["comparisons"] == []
    path.write_text(path.read_text("utf-8").replace("Rule 40:", "Rule 40, new:"), "utf-8")
    (repository / "prompts" / "new.md").write_text("A new prompt.\n", "utf-8")
    found = report(repository, "check", "prompts", "--since", "HEAD", "--fail-on", "never", status=0)
    (comparison,) = found["comparisons"]
    assert comparison["before"]["file"] == "HEAD:prompts/desk agent.md"
    assert comparison["after"]["file"] == "prompts/desk agent.md"
    assert comparison["scope"] == "release"
    assert (comparison["divergence"]["line"], comparison["divergence"]["column"]) == (42, 8)
    assert found["summary"]["files"] == 2


def test_check_staged_content(repository: Path) -> None:
    path = repository / "prompts" / "desk agent.md"
    text = path.read_text("utf-8")
    path.write_text("You work at the front desk.\n" + text, "utf-8")
    git(repository, "add", "-A")
    path.write_text(text, "utf-8")
    (comparison,) = report(repository, "check", "prompts", "--staged", "--fail-on", "never", status=0)["comparisons"]
    assert comparison["divergence"]["line"] == 1


def test_an_edited_page_of_the_project_is_no_edited_prompt_unless_it_is_named_or_included(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    page, prompt = tmp_path / "README.md", tmp_path / "desk.md"
    page.write_text("The tide tables are kept in a shed.\n" * 400, "utf-8")
    prompt.write_text("You are the clerk of a ferry line.\n" * 400, "utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "both")
    for path in (page, prompt):
        path.write_text("Now. " + path.read_text("utf-8"), "utf-8")

    def found(*arguments: str) -> list[str]:
        shown = report(tmp_path, "check", *arguments, "--since", "HEAD", "--fail-on", "never", status=0)
        return [each["location"]["file"] for each in shown["findings"]]

    assert found(".") == ["desk.md"]
    assert found("README.md") == ["README.md"]
    (tmp_path / "promptlint.toml").write_text('include = ["README.md"]\n', "utf-8")
    assert found(".") == ["README.md", "desk.md"]


def test_a_walked_file_that_is_no_request_is_skipped_and_a_named_one_is_an_error(repository: Path) -> None:
    found = report(repository, "check", "prompts", "--fail-on", "never", status=0)
    assert "prompts/package.json" in {skip["what"] for skip in found["skipped"]}
    done = subprocess.run(
        [sys.executable, "-m", "promptlint", "check", "prompts/package.json"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("promptlint: prompts/package.json:")
