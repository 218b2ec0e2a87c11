"""`promptlint init` in real repositories: what it finds out, what it leaves alone, and that what it writes works."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import ROOT, Run

TOOLS = [{"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}]
REQUEST = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}
FILES = {
    "README.md": "# A project\n",
    "package.json": '{"name": "x", "scripts": {}}\n',
    "docs/one.md": "one\n",
    "docs/deep/two.md": "two\n",
    "app/agent.py": 'MODEL = "claude-sonnet-4-5"\nTEXT = open("texts/desk.md").read()\n',
    "app/other.py": 'MODEL = "claude-sonnet-4-5"\nENCODING = "o200k_base"\n',
    "app/third.py": 'MODEL = "gpt-4o"\n',
    "texts/desk.md": "You answer.\n",
    "prompts/system.md": "You answer.\n",
    "prompts/tools.json": json.dumps(TOOLS),
    "prompts/data/list.json": "[1, 2]\n",
    "tests/request.json": json.dumps(REQUEST),
    "tests/notes.txt": "Notes.\n",
    "tests/table [1].json": "{}\n",
}


class Repo:
    def __init__(self, folder: Path, promptlint: Callable[..., Run]) -> None:
        self.folder = folder
        self._promptlint = promptlint
        self.git("init", "-q", "-b", "trunk")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True, capture_output=True)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, *arguments: str, status: int = 0, at: str = ".") -> str:
        done = self._promptlint(*arguments, cwd=self.folder / at)
        assert done.status == status, (done.out, done.err)
        return done.out if status < 2 else done.err

    def files(self) -> set[str]:
        found = (path for path in self.folder.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(self.folder).as_posix() for path in found}

    def yaml(self, name: str) -> Any:
        return yaml.safe_load((self.folder / name).read_text("utf-8"))


@pytest.fixture
def repo(tmp_path: Path, promptlint: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    made = Repo(tmp_path, promptlint)
    made.write(FILES)
    return made


NEW = {"promptlint.toml", ".pre-commit-config.yaml", ".github/workflows/promptlint.yml"}


def test_it_finds_out_what_there_is(repo: Repo) -> None:
    said = repo.run("init", at="docs/deep")
    assert repo.files() == {*FILES, *NEW}
    assert "4 prompt files, 3 source files; claude-sonnet-4-5 (anthropic)" in said
    text = (repo.folder / "promptlint.toml").read_text("utf-8")
    config = tomllib.loads(text)
    assert (config["provider"], config["model"]) == ("anthropic", "claude-sonnet-4-5")
    assert "# Named in app/agent.py and 1 more.\n# Also named: gpt-4o.\n" in text
    assert config["exclude"] == [
        "/README.md",
        "/docs/",
        "/package.json",
        "/prompts/data/",
        "/tests/**/*.txt",
        "/tests/table [[]1].json",
    ]
    assert '# [prompts.agent]\n# parts = [\n#     "prompts/tools.json",\n#     "prompts/system.md",\n# ]\n' in text
    assert repo.yaml(".github/workflows/promptlint.yml")[True]["push"] == {"branches": ["trunk"]}


def test_the_check_that_follows_looks_at_prompts_only(repo: Repo) -> None:
    repo.run("init")
    shown = repo.run("check", ".", "--show-files").split()
    assert {name for name in shown if not name.endswith(".py")} == {
        "prompts/system.md",
        "prompts/tools.json",
        "tests/request.json",
        "texts/desk.md",
    }


def test_a_chat_template_is_looked_at(repo: Repo) -> None:
    repo.write(
        {"models/served.jinja": "{% for message in messages %}{{ message.content }}{% endfor %}", "web/page.j2": "x"}
    )
    repo.run("init")
    shown = repo.run("check", ".", "--show-files").split()
    assert "models/served.jinja" in shown
    assert "web/page.j2" not in shown


def test_templates_whose_names_say_nothing_are_prompts_unless_they_make_pages(repo: Repo) -> None:
    pages = {
        "templates/page.j2": '{% extends "base.html" %}Hello {{ name }}',
        "templates/mail.hbs": "<p>Hello {{name}},</p>\n<p>Bye.</p>",
        "templates/fixed.mustache": "Nothing is filled in.",
        "templates/list.html.j2": "{{ name }}",
    }
    repo.write(
        {**pages, "templates/desk.j2": "<rules>\nBe kind.\n</rules>\n{{ name }}", "mail/draft.erb": "<%= name %>"}
    )
    assert "6 prompt files" in repo.run("init")
    shown = repo.run("check", ".", "--show-files").split()
    assert {"templates/desk.j2", "mail/draft.erb"} <= set(shown)
    assert not set(pages) & set(shown)


def test_a_second_run_changes_nothing(repo: Repo) -> None:
    repo.run("init")
    before = {name: (repo.folder / name).read_bytes() for name in repo.files()}
    said = repo.run("init")
    assert "promptlint.toml: holds a configuration already" in said
    assert ".pre-commit-config.yaml: exists; add this to its list of repos\n      - repo: local\n" in said
    assert ".github/workflows/promptlint.yml: exists\n" in said
    assert before == {name: (repo.folder / name).read_bytes() for name in repo.files()}


def test_a_dry_run_shows_and_writes_nothing(repo: Repo) -> None:
    said = repo.run("init", "--dry-run")
    assert repo.files() == set(FILES)
    assert all(f"{name}: would be written\n" in said for name in NEW)
    assert '    provider = "anthropic"\n' in said


def test_a_table_in_pyproject_is_a_configuration(repo: Repo) -> None:
    repo.write({"pyproject.toml": "[tool.promptlint]\n"})
    assert "pyproject.toml: holds a configuration already" in repo.run("init")
    assert "promptlint.toml" not in repo.files()


@pytest.mark.parametrize("there", [True, False])
def test_gitlab(repo: Repo, there: bool) -> None:
    if there:
        repo.write({".gitlab-ci.yml": "stages: [test]\n"})
        assert ".gitlab-ci.yml: exists; add this job to it\n    promptlint:\n" in repo.run("init")
        assert repo.yaml(".gitlab-ci.yml") == {"stages": ["test"]}
        return
    repo.git("remote", "add", "origin", "git@gitlab.example.org:desk/agent.git")
    repo.run("init")
    example = yaml.safe_load((ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text("utf-8"))
    job = repo.yaml(".gitlab-ci.yml")["promptlint"]
    assert job["script"][1] == example["promptlint"]["script"][1]
    assert {**job, "script": []} == {**example["promptlint"], "script": []}
    assert ".github/workflows/promptlint.yml" not in repo.files()


def test_the_hook_is_the_one_of_the_manifest(repo: Repo) -> None:
    repo.run("init")
    (entry,) = repo.yaml(".pre-commit-config.yaml")["repos"]
    (hook,) = entry["hooks"]
    (manifest,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    added = {"additional_dependencies": hook["additional_dependencies"]}
    left_out = {"description", "minimum_pre_commit_version"}
    assert hook == {name: value for name, value in manifest.items() if name not in left_out} | added


def test_one_file_is_not_several(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    repo = Repo(tmp_path, promptlint)
    repo.write({"prompts/desk.md": "You are a clerk.\n"})
    assert "1 prompt file, 0 source files; no model is named" in repo.run("init")


def test_an_empty_repository(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    repo = Repo(tmp_path, promptlint)
    said = repo.run("init")
    assert "No prompt files were found" in said
    text = (tmp_path / "promptlint.toml").read_text("utf-8")
    assert tomllib.loads(text) == {}
    assert "# No file names a model." in text
    repo.run("check", ".")


def test_outside_of_a_repository(
    tmp_path: Path, promptlint: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = promptlint("init", cwd=tmp_path)
    assert (done.status, list(tmp_path.iterdir())) == (2, [])
    assert "not in a git repository" in done.err


def test_all_or_nothing(repo: Repo) -> None:
    repo.write({".github": "a file where a folder would be\n"})
    said = repo.run("init", status=2)
    assert said.startswith("promptlint: .github/workflows/promptlint.yml: cannot be written: ")
    assert repo.files() == {*FILES, ".github"}
    assert not list(repo.folder.glob(".promptlint-*"))


def test_what_git_does_not_list_is_not_overwritten_either(repo: Repo) -> None:
    repo.write({".gitignore": "promptlint.toml\n", "promptlint.toml": "# mine\n"})
    assert "promptlint.toml: cannot be written: exists already; nothing was changed" in repo.run("init", status=2)
    assert (repo.folder / "promptlint.toml").read_text() == "# mine\n"
    assert ".pre-commit-config.yaml" not in repo.files()
