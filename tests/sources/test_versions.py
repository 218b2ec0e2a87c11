"""Prompt files against git revisions, in real repositories."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from promptlint.model.errors import InputError
from promptlint.sources.git import Repository
from promptlint.sources.versions import Versions, read_versions

IDENTITY = {"name": "Nobody", "email": "nobody@example.invalid"}


class Repo:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        settings = [part for key, value in IDENTITY.items() for part in ("-c", f"user.{key}={value}")]
        command = ["git", *settings, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def write(self, name: str, text: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    return Repo(tmp_path)


def shown(versions: Versions) -> list[tuple[str | None, str | None, str, str]]:
    return [(old.name if old else None, old.text if old else None, new.name, new.text) for old, new in versions.pairs]


def read(*names: str, since: str | None = "HEAD", staged: bool = False) -> Versions:
    return read_versions(names, since=since, staged=staged)


def test_only_changed_files_with_newlines_kept(repo: Repo) -> None:
    repo.write("p/a.md", "one\r\ntwo\n")
    repo.write("p/same.md", "same")
    repo.write("p/code.c", "x = 1")
    repo.commit()
    repo.write("p/a.md", "one\r\nthree\n")
    repo.write("p/code.c", "x = 2")
    repo.write("p/new.md", "new")
    assert shown(read("p")) == [
        ("HEAD:p/a.md", "one\r\ntwo\n", "p/a.md", "one\r\nthree\n"),
        (None, None, "p/new.md", "new"),
    ]
    assert shown(read("p/same.md")) == []
    assert shown(read("p/code.c")) == [("HEAD:p/code.c", "x = 1", "p/code.c", "x = 2")]
    assert [pair[1].walked for pair in read("p", "p/a.md").pairs] == [False, True]


@pytest.mark.parametrize("name", ["a b.md", "-a.md", "--staged.md", "line\nbreak.md", "ü.md", '"quoted"\t.md', ":x.md"])
def test_odd_names(repo: Repo, name: str) -> None:
    repo.write(name, "old")
    repo.commit()
    repo.write(name, "new")
    assert shown(read(name)) == [(f"HEAD:{name}", "old", name, "new")]
    assert shown(read(".")) == [(f"HEAD:{name}", "old", name, "new")]


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")
def test_name_that_is_no_utf8(repo: Repo) -> None:
    name = os.fsdecode(b"\xff.md")
    repo.write(name, "old")
    repo.commit()
    repo.write(name, "new")
    assert shown(read(".")) == [(f"HEAD:{name}", "old", name, "new")]


def test_renamed_file_keeps_its_old_version(repo: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    repo.write("old.md", text)
    repo.commit()
    repo.git("mv", "old.md", "new.md")
    repo.write("new.md", text + "more\n")
    assert shown(read("new.md", staged=False)) == [("HEAD:old.md", text, "new.md", text + "more\n")]
    repo.git("add", "-A")
    assert shown(read(".", staged=True)) == [("HEAD:old.md", text, "new.md", text + "more\n")]


def test_staged_reads_the_index_and_not_the_working_tree(repo: Repo) -> None:
    repo.write("a.md", "one")
    repo.write("b.md", "one")
    repo.commit()
    repo.write("a.md", "two")
    repo.git("add", "a.md")
    repo.write("a.md", "three")
    repo.write("b.md", "unstaged")
    repo.write("c.md", "untracked")
    versions = read("a.md", "b.md", "c.md", since=None, staged=True)
    assert shown(versions) == [("HEAD:a.md", "one", "a.md", "two")]
    assert [(skip.what, skip.why) for skip in versions.skipped] == [("c.md", "is not staged")]
    (repo.folder / "a.md").unlink()
    assert shown(read("a.md", since=None, staged=True)) == [("HEAD:a.md", "one", "a.md", "two")]


def test_first_commit_has_only_new_files(repo: Repo) -> None:
    repo.write("a.md", "one")
    repo.git("add", "-A")
    assert shown(read(".", since=None, staged=True)) == [(None, None, "a.md", "one")]


def test_from_a_subfolder_and_with_absolute_paths(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("sub/a.md", "one")
    repo.write("b.md", "one")
    repo.commit()
    repo.write("sub/a.md", "two")
    repo.write("b.md", "two")
    monkeypatch.chdir(repo.folder / "sub")
    assert [row[2] for row in shown(read("."))] == ["a.md"]
    assert [row[2] for row in shown(read(".."))] == ["../b.md", "../sub/a.md"]
    full = str(repo.folder / "b.md")
    assert shown(read(full)) == [(f"HEAD:{full}", "one", full, "two")]


def test_ignored_files_only_when_named(repo: Repo) -> None:
    repo.write(".gitignore", "out/\n")
    repo.commit()
    repo.write("out/a.md", "x")
    assert shown(read(".")) == []
    assert shown(read("out/a.md")) == [(None, None, "out/a.md", "x")]


def test_deleted_file_is_no_break_and_a_missing_one_is_an_error(repo: Repo) -> None:
    repo.write("a.md", "one")
    repo.commit()
    (repo.folder / "a.md").unlink()
    assert shown(read("a.md")) == []
    with pytest.raises(InputError, match=r"gone\.md: no such file"):
        read("gone.md")


def test_link_is_skipped_and_unreadable_sides_are_told(repo: Repo) -> None:
    repo.write("a.md", b"\xff")
    repo.write("b.md", "good")
    repo.commit()
    repo.write("a.md", "good now")
    repo.write("b.md", b"bad \xff")
    (repo.folder / "c.md").symlink_to("a.md")
    repo.git("add", "-A")
    versions = read(".")
    assert versions.pairs == ()
    assert [skip.what for skip in versions.skipped] == ["HEAD:a.md", "b.md", "c.md"]
    with pytest.raises(InputError, match=r"b\.md:1:5: is no UTF-8"):
        read("b.md")


@pytest.mark.parametrize("revision", ["nope", "-x", "--help", "HEAD~9", "HEAD:a.md", "", "a b"])
def test_unknown_revision(repo: Repo, revision: str) -> None:
    repo.write("a.md", "one")
    repo.commit()
    with pytest.raises(InputError, match="revision"):
        read("a.md", since=revision)


def test_shallow_clone_says_so(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in "one", "two":
        repo.write("a.md", text)
        repo.commit()
    repo.git("clone", "-q", "--depth=1", repo.folder.as_uri(), "clone")
    monkeypatch.chdir(repo.folder / "clone")
    with pytest.raises(InputError, match="shallow"):
        read("a.md", since="HEAD~1")


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(InputError, match="not in a git repository"):
        read("a.md")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="git is not installed"):
        read("a.md")


def test_outside_the_repository_and_standard_input(repo: Repo) -> None:
    with pytest.raises(InputError, match="outside the git repository"):
        read("../x.md", since=None)
    with pytest.raises(InputError, match="standard input"):
        read("-", since=None)


def test_surprising_environment_and_configuration(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.md", "one")
    repo.commit()
    repo.write("a.md", "two")
    repo.git("config", "diff.external", "false")
    repo.git("config", "diff.relative", "true")
    repo.git("config", "diff.renames", "false")
    repo.git("config", "core.fsmonitor", "touch fsmonitor-ran; false")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert shown(read("a.md")) == [("HEAD:a.md", "one", "a.md", "two")]
    assert not (repo.folder / "fsmonitor-ran").exists()


def test_the_index_of_a_hook_is_used(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("sub/a.md", "one")
    repo.commit()
    (repo.folder / "other-index").write_bytes((repo.folder / ".git/index").read_bytes())
    repo.write("sub/a.md", "two")
    repo.git("add", "-A")
    monkeypatch.setenv("GIT_INDEX_FILE", "other-index")  # `git commit PATH` gives hooks an index of its own
    assert shown(read(".", since=None, staged=True)) == []
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert len(read(".", since=None, staged=True).pairs) == 1


def test_many_large_files_through_one_process(repo: Repo) -> None:
    names = [f"{number}.md" for number in range(40)]
    for name in names:
        repo.write(name, name * 20_000)
    repo.commit()
    for name in names:
        repo.write(name, "new")
    pairs = read(".").pairs
    assert {old.text for old, _ in pairs if old} == {name * 20_000 for name in names}


def test_missing_object(repo: Repo) -> None:
    with pytest.raises(InputError, match="lacks the object"):
        Repository(".").blobs(["1" * 40])
