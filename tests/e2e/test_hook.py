"""`.pre-commit-hooks.yaml` beyond the walk-through: manifest, parts of any kind, named folders, bad configuration."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from hooking import REF_PINS, Hooks, Repository
from support import ROOT

RULES = "".join(f"Rule {n}: answer question {n} in plain words and cite page {n} of the manual.\n" for n in range(150))
CONFIG = '[prompts.desk]\nprovider = "openai"\nmodel = "gpt-5.1"\nparts = ["shots/*.yaml", "system.md"]\n'


@pytest.fixture
def repository(hooks: Hooks, tmp_path: Path) -> Repository:
    """With the hook installed; what it says about a commit is what the commit prints."""
    made = Repository(tmp_path, hooks.environment)
    made.write("promptlint.toml", CONFIG)
    made.write("shots/1.yaml", "- user: Hello\n  assistant: Good morning.\n")
    made.write("shots/2.yaml", "- user: Thanks\n  assistant: You are welcome.\n")
    made.write("system.md", RULES)
    made.commit("All")
    configure(made, hooks)
    return made


def configure(repository: Repository, hooks: Hooks, **more: object) -> None:
    revision = hooks.repository.run("git", "rev-parse", "HEAD").strip()
    entry = {"repo": str(hooks.repository.folder), "rev": revision, "hooks": [{"id": "promptlint", **more}]}
    repository.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [entry]}))
    repository.run("pre-commit", "install")


def test_the_manifest_is_one(hooks: Hooks) -> None:
    hooks.repository.run("pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))


def test_a_part_that_is_deleted_is_seen(repository: Repository) -> None:
    (repository.folder / "shots" / "1.yaml").unlink()
    said = repository.commit("Fewer", status=1)
    assert "cached tokens go cold" in said


def test_only_what_is_staged_counts(repository: Repository) -> None:
    repository.write("system.md", RULES + "More at the end.\n")
    repository.run("git", "add", "--all")
    repository.write("system.md", "Before it all.\n" + RULES)
    assert "Passed" in repository.run("git", "commit", "--message", "End")
    assert repository.read("system.md").startswith("Before it all."), "what was not staged is still there"


def test_the_folders_to_look_at_can_be_named(repository: Repository, hooks: Hooks) -> None:
    repository.write("other/alone.md", RULES)
    repository.commit("Another")
    repository.write("other/alone.md", "Before it all.\n" + RULES)
    assert "other/alone.md:1:1: error PL304" in repository.commit("Before", status=1)
    configure(repository, hooks, args=["shots"])
    assert "Passed" in repository.commit("Before")


def test_a_configuration_that_cannot_be_read_stops_the_commit(repository: Repository) -> None:
    repository.write("promptlint.toml", CONFIG + "budgte = {}\n")
    said = repository.commit("Typing error", status=1)
    assert "- exit code: 2" in said
    assert "promptlint: promptlint.toml:5:1: " in said


def test_the_hook_that_init_writes(hooks: Hooks, tmp_path: Path) -> None:
    """Its package comes from an index; here from a folder with the wheel of this tree."""
    build = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / "index"))
    hooks.repository.run(*build)
    repository = Repository(tmp_path / "work tree", hooks.environment | {"PIP_FIND_LINKS": str(tmp_path / "index")})
    repository.write("prompts/system.md", RULES)
    repository.write("app.py", 'MODEL = "gpt-5.1"\n')
    repository.run("promptlint", "init")
    repository.run("pre-commit", "validate-config")
    repository.run("pre-commit", "install")
    assert "Passed" in repository.commit("All")
    repository.write("prompts/system.md", "Before it all.\n" + RULES)
    said = repository.commit("Before", status=1)
    assert "prompts/system.md:1:1: error PL304" in said
    assert "gpt-5.1" in said


def test_the_workflow_that_init_writes(hooks: Hooks, tmp_path: Path) -> None:
    repository = Repository(tmp_path, hooks.environment)
    repository.write("prompts/system.md", RULES)
    repository.run("promptlint", "init")
    workflow = ".github/workflows/promptlint.yml"
    repository.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)
    repository.write("audit.yml", yaml.safe_dump(REF_PINS))
    repository.run("zizmor", "--offline", "--no-progress", "--config", "audit.yml", workflow)
    repository.commit("All", "--no-verify")
    repository.run("git", "switch", "--quiet", "--create", "feature")
    repository.write("prompts/system.md", "Before it all.\n" + RULES)
    repository.commit("Before", "--no-verify")
    *_, step = yaml.safe_load(repository.read(workflow))["jobs"]["promptlint"]["steps"]
    shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"])
    assert "::error" not in repository.run(*shell)  # a push
    repository.environment["BASE"] = repository.run("git", "rev-parse", "main").strip()
    assert "::error file=prompts/system.md,line=1," in repository.run(*shell, status=1)
