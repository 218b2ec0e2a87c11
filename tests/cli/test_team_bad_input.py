"""What a team's repository may hold: bad configuration, shallow clones, submodules, links, odd names. Never silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = "".join(f"Rule {n}: answer question {n} in plain words and cite the page of the manual.\n" for n in range(200))


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "protocol.file.allow=always")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.md").write_text(TEXT)
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "promptlint", *arguments],
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=60,
        check=False,
    )


def failed(folder: Path, *arguments: str) -> str:
    """The one line of a run that could not be done."""
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith("promptlint: ")
    return line


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("selekt = []", "promptlint.toml:1:1: unknown key 'selekt'"),
        ("select = ['PL9999']", "promptlint.toml:1:11: unknown rule 'PL9999'"),
        ("provider = 'nobody'", "promptlint.toml:1:12: unknown provider 'nobody'"),
        ("budget.max-lost-share = 7", "promptlint.toml:1:25: 'max-lost-share' must be a share"),
        ("= 3", "promptlint.toml:1:1: not valid TOML"),
        ("prompts.desk.parts = ['gone.md']", "promptlint.toml:1:23: part 'gone.md' of prompt 'desk': no such file"),
    ],
)
@pytest.mark.parametrize("since", [(), ("--since", "HEAD")])
def test_configuration(repo: Path, config: str, expected: str, since: tuple[str, ...]) -> None:
    (repo / "promptlint.toml").write_text(config + "\n")
    assert expected in failed(repo, "check", ".", *since)


def test_all_errors_of_a_configuration_at_once(repo: Path) -> None:
    (repo / "promptlint.toml").write_text("selekt = []\nprovider = 'nobody'\n")
    done = run(repo, "check", ".")
    assert done.returncode == 2
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == ["promptlint.toml:1:1", "promptlint.toml:2:12"]


def test_a_configuration_above_that_cannot_be_read(repo: Path) -> None:
    (repo / "sub").mkdir()
    (repo / "sub/b.md").write_text(TEXT)
    (repo / "promptlint.toml").mkdir()
    assert "promptlint.toml: cannot be read" in failed(repo / "sub", "check", "b.md")
    assert "cannot be read" in failed(repo / "sub", "check", "b.md", "--config", "..")
    assert "exclude each other" in failed(repo, "check", "a.md", "--config", "x.toml", "--isolated")


def test_a_damaged_baseline(repo: Path) -> None:
    (repo / "promptlint-baseline.json").write_text("<<<<<<< HEAD\n")
    request = {"model": "claude-sonnet-4-5", "system": TEXT, "messages": [{"role": "user", "content": "Hello"}]}
    (repo / "r.json").write_text(json.dumps(request))
    assert "promptlint-baseline.json:1:1: is no valid JSON" in failed(repo, "check", "r.json")


def test_a_shallow_clone_without_the_base(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "feature")
    (repo / "a.md").write_text(TEXT + "one\n")
    commit(repo)
    (repo / "a.md").write_text(TEXT + "two\n")
    commit(repo)
    clone = repo.parent / "clone"
    git(repo, "clone", "-q", "--depth=1", "--branch=feature", repo.as_uri(), str(clone))
    assert "git fetch --unshallow" in failed(clone, "check", ".", "--since", "origin/main")
    git(clone, "fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    message = failed(clone, "check", ".", "--since", "origin/main")
    assert "no common ancestor of origin/main and HEAD" in message
    assert "fetch-depth: 0" in message


@pytest.mark.parametrize("revision", ["-x", "--help", "nowhere", ""])
def test_revisions_that_are_none(repo: Path, revision: str) -> None:
    assert "revision" in failed(repo, "check", ".", f"--since={revision}")
    assert "revision" in failed(repo, "accept", "a.md", "--reason", "x", f"--since={revision}")


def test_submodules(repo: Path) -> None:
    inner = repo.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    (inner / "p.md").write_text(TEXT)
    commit(inner)
    git(repo, "submodule", "--quiet", "add", str(inner), "sub")
    commit(repo)
    (repo / "sub/p.md").write_text(f"New.\n{TEXT}")
    for name in ("sub/p.md", "sub"):
        assert "belongs to the submodule sub" in failed(repo, "check", name, "--since", "HEAD")
    done = run(repo, "check", ".", "--since", "HEAD")
    assert done.returncode == 0
    assert "skipped sub: is a submodule" in done.stdout


def test_links_that_lead_out(repo: Path) -> None:
    secret = repo.parent / "secret.md"
    secret.write_text("The word is swordfish.\n")
    (repo / "link.md").symlink_to(secret)
    done = run(repo, "check", ".")
    assert done.returncode == 0
    assert "skipped link.md: is a symbolic link that leads out" in done.stdout
    (repo / "promptlint.toml").write_text("prompts.x.parts = ['link.md']\n")
    assert "link.md: a part of prompt 'x' is a symbolic link" in failed(repo, "check", ".")
    assert "link.md" in failed(repo, "check", ".", "--since", "HEAD")


def test_a_folder_behind_a_link_is_found_again(repo: Path) -> None:
    (repo / "real").mkdir()
    (repo / "real/p.md").write_text(TEXT)
    (repo / "door").symlink_to("real")
    commit(repo)
    (repo / "real/p.md").write_text(f"New.\n{TEXT}")
    for name in ("door", "door/p.md"):
        assert run(repo, "check", name, "--since", "HEAD").returncode == 1, name


ODD = ["a b.md", "-a.md", "line\nbreak.md", "ü.md", "[x].md", "*.md"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names(repo: Path, name: str) -> None:
    (repo / name).write_text(TEXT)
    (repo / "promptlint.toml").write_text(f"prompts.x.parts = [{json.dumps(name)}]\n")
    commit(repo)
    assert run(repo, "check", ".").returncode == 0
    (repo / name).write_text(f"New.\n{TEXT}")
    assert run(repo, "check", ".", "--since", "HEAD").returncode == 1
    assert run(repo, "accept", "--reason", "x", "--", name).returncode == 0
    assert run(repo, "check", ".", "--since", "HEAD").returncode == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")
def test_names_that_are_no_utf8(repo: Path) -> None:
    name = os.fsdecode(b"\xff.md")
    (repo / name).write_text(TEXT)
    commit(repo)
    (repo / name).write_text(f"New.\n{TEXT}")
    assert run(repo, "check", ".", "--since", "HEAD").returncode == 1
    assert run(repo, "accept", name, "--reason", "x").returncode == 0
    assert run(repo, "check", ".", "--since", "HEAD").returncode == 0


def test_a_folder_without_anything_to_check_is_named(repo: Path) -> None:
    (repo / "empty").mkdir()
    done = run(repo, "check", "empty")
    assert done.returncode == 0
    assert done.stderr.startswith("promptlint: empty: no prompt, template or source file is there")
    assert not run(repo, "check", "empty", "--since", "HEAD").stderr
