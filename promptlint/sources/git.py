"""Git as a store of earlier versions: revisions, changed files and their contents, through git's own commands."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from promptlint.model.errors import InputError

_REGULAR = ("100644", "100755")
_KEPT = ("GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES")  # a commit hook's index; where the search for a repository ends


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs from a revision. Paths are relative to the top of the repository.

    `old_blob` and `new_blob` are object ids; None where the side does not exist, is no regular file, or (new side)
    is the working tree's. `deleted`: there is no new side. `regular`: the new side is a file, not a link or submodule.
    """

    path: str
    old_path: str
    old_blob: str | None
    new_blob: str | None
    deleted: bool
    regular: bool


class Repository:
    """The git repository around a folder: `top` is its first folder, `prefix` the way from there (`a/b/` or empty).

    Nothing is written or fetched. Raises InputError where git or a repository is missing.
    """

    def __init__(self, folder: str) -> None:
        self._environment = _environment(folder)
        self.top = folder
        self.prefix = os.fsdecode(self._run("rev-parse", "--show-prefix").removesuffix(b"\n"))
        self.top = os.fsdecode(self._run("rev-parse", "--show-toplevel").removesuffix(b"\n"))

    def resolve(self, revision: str) -> str:
        """The commit's id. Raises InputError for what names no commit."""
        if revision.startswith("-"):
            raise InputError(f"a revision does not begin with a dash: {revision}")
        done = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
        raise InputError(f"git knows no revision {revision}{self._shallow()}")

    def merge_base(self, commit: str, revision: str) -> str:
        """Where HEAD and a commit (named `revision` by the user) parted. Raises InputError where that is not known."""
        done = self._try("merge-base", commit, "HEAD")
        if done.returncode == 0:
            return done.stdout.decode().split()[0]
        raise InputError(f"git knows no common ancestor of {revision} and HEAD{self._shallow()}")

    def _shallow(self) -> str:
        """What to do where the clone may just lack the history."""
        if self._run("rev-parse", "--is-shallow-repository").strip() != b"true":
            return ""
        return "; this clone is shallow, so fetch more history (git fetch --unshallow; fetch-depth: 0 in CI)"

    def head_or_nothing(self) -> str:
        """The commit HEAD, or the empty tree before the first commit."""
        done = self._try("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
        return self._run("hash-object", "-t", "tree", "--stdin").decode().strip()

    def changes(self, commit: str, *, staged: bool) -> list[Change]:
        """Files of the working tree (or the index) that differ from a commit; renamed files keep their old side.

        The whole tree is asked, for a rename cannot be seen from the new name alone.
        """
        cached = ["--cached"] if staged else []
        options = ["--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-relative"]
        output = self._run("diff", *options, "--ignore-submodules", *cached, "--end-of-options", commit, "--")
        return [_change(*entry) for entry in _raw_entries(output)]

    def untracked(self) -> list[str]:
        """Files that are neither in the index nor ignored."""
        output = self._run("ls-files", "-z", "--others", "--exclude-standard")
        return [os.fsdecode(name) for name in output.split(b"\0") if name and not name.endswith(b"/")]

    def tracked(self) -> set[str]:
        """Files in the index."""
        return {os.fsdecode(name) for name in self._run("ls-files", "-z").split(b"\0") if name}

    def tree(self, commit: str) -> dict[str, str]:
        """Object ids of the regular files of a commit, by path."""
        entries = self._run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
        found = {}
        for entry in entries:
            head, _, path = entry.partition(b"\t")
            if head.split(b" ")[0].decode() in _REGULAR:
                found[os.fsdecode(path)] = head.split(b" ")[2].decode()
        return found

    def staged_files(self) -> dict[str, str]:
        """Object ids of the regular files of the index, by path."""
        return {path: blob for mode, blob, path in self._index() if mode in _REGULAR}

    def submodules(self) -> frozenset[str]:
        """The folders that belong to another repository."""
        return frozenset(path for mode, _, path in self._index() if mode == "160000")

    def _index(self) -> Iterator[tuple[str, str, str]]:
        for entry in self._run("ls-files", "-z", "--stage").split(b"\0"):
            head, _, path = entry.partition(b"\t")
            if path:
                mode, blob, _ = head.decode().split(" ")
                yield mode, blob, os.fsdecode(path)

    def default_branch(self) -> str:
        """The branch that origin's HEAD means, else `main` or `master`, else the one that is checked out."""
        done = self._try("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "replace").strip().partition("/")[2]
        for name in ("main", "master"):
            if self._try("rev-parse", "--verify", "--quiet", f"refs/heads/{name}").returncode == 0:
                return name
        done = self._try("symbolic-ref", "--quiet", "--short", "HEAD")
        return done.stdout.decode("utf-8", "replace").strip() or "main"

    def remotes(self) -> list[str]:
        """The addresses of all remotes."""
        done = self._try("config", "--get-regexp", r"^remote\..*\.url$")
        return [line.partition(" ")[2] for line in done.stdout.decode("utf-8", "replace").splitlines()]

    def trailers(self, since: str, key: str) -> list[tuple[str, str]]:
        """(commit, value) of each trailer of that name in the commits after `since`, the newest commit first."""
        form = f"%x1e%H%x00%(trailers:key={key},valueonly,unfold,separator=%x00)"
        done = self._try("log", f"--format={form}", f"{since}..HEAD")
        found = []
        for record in done.stdout.decode("utf-8", "surrogateescape").split("\x1e")[1:]:
            commit, *values = record.rstrip("\n").split("\0")
            found += [(commit, value) for value in values if value]
        return found

    def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Contents of objects, through one process. Raises InputError for what this clone lacks."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        output = self._run("cat-file", "--batch", given="".join(f"{each}\n" for each in wanted).encode())
        contents: dict[str, bytes] = {}
        start = 0
        for each in wanted:
            end = output.index(b"\n", start)
            header = output[start:end].split()
            if len(header) != 3:
                raise InputError(f"git lacks the object {each} (a partial clone?); run git fetch first")
            size = int(header[2])
            contents[each] = output[end + 1 : end + 1 + size]
            start = end + 1 + size + 1
        return contents

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._try(*arguments, given=given)
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
            if "not a git repository" in lines[0]:
                raise InputError("not in a git repository; run promptlint inside the one that holds the prompts")
            raise InputError(f"git {arguments[0]}: {lines[0].removeprefix('fatal: ')}")
        return done.stdout

    def _try(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = ["git", "--no-pager", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", *arguments]
        try:
            return subprocess.run(
                command, cwd=self.top, env=self._environment, input=given, capture_output=True, check=False
            )
        except FileNotFoundError as error:
            raise InputError("git is not installed or not on PATH") from error
        except OSError as error:
            raise InputError(f"git cannot be run: {error.strerror or error}") from error


def _environment(folder: str) -> dict[str, str]:
    """This process's environment without what would point git elsewhere, ask, page, translate, lock or fetch."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith("GIT_CONFIG")
    }
    if "GIT_INDEX_FILE" in kept:  # relative to the hook's folder, which is not where git is run below
        kept["GIT_INDEX_FILE"] = os.path.join(os.path.abspath(folder), kept["GIT_INDEX_FILE"])  # noqa: PTH100, PTH118
    return kept | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",  # versions before 2.44 do not know GIT_NO_LAZY_FETCH
    }


def _raw_entries(output: bytes) -> Iterator[tuple[list[str], list[str]]]:
    """Fields and paths of `git diff --raw -z`: `:mode mode id id status NUL path NUL`, two paths for a rename."""
    parts = iter(output.split(b"\0"))
    for head in parts:
        if not head:
            return
        fields = head.decode().removeprefix(":").split(" ")
        count = 2 if fields[4][0] in "RC" else 1
        yield fields, [os.fsdecode(next(parts)) for _ in range(count)]


def _change(fields: list[str], paths: list[str]) -> Change:
    old_mode, new_mode, old_id, new_id, status = fields
    return Change(
        path=paths[-1],
        old_path=paths[0],
        old_blob=old_id if old_mode in _REGULAR and old_id.strip("0") else None,
        new_blob=new_id if new_mode in _REGULAR and new_id.strip("0") else None,
        deleted=status == "D",
        regular=new_mode in _REGULAR,
    )
