"""One look at a repository: the base to compare with, what has changed since, and the contents of both sides."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from promptlint.model.errors import InputError
from promptlint.sources.git import Change, Repository


class History:
    """The later side is the working tree, or the index where `staged`; the earlier one a commit.

    `since`: a revision, compared at its merge base with HEAD, so that only this side's changes count; None: HEAD.
    Paths are relative to the top of the repository. Raises InputError.
    """

    def __init__(self, since: str | None, *, staged: bool) -> None:
        self.repository = Repository(".")
        self.staged = staged
        self.label = since or "HEAD"
        self.note = ""
        if since is None:
            self.commit = self.repository.head_or_nothing()
            return
        named = self.repository.resolve(since)
        self.commit = self.repository.merge_base(named, since)
        if self.commit != named:
            self.label = self.commit[:10]
            self.note = f"{since} is compared at its merge base with HEAD, {self.label}."

    @cached_property
    def changes(self) -> dict[str, Change]:
        """All files that differ, and (unless the index is asked) those that git does not know yet."""
        found = {change.path: change for change in self.repository.changes(self.commit, staged=self.staged)}
        if not self.staged:
            found |= {path: new(path) for path in self.repository.untracked() if path not in found}
        return found

    @cached_property
    def old_files(self) -> dict[str, str]:
        """Object ids of the regular files of the earlier side."""
        return self.repository.tree(self.commit)

    @cached_property
    def new_files(self) -> frozenset[str]:
        """The files of the later side, links included."""
        known = self.repository_files
        if self.staged:
            return frozenset(known)
        gone = {path for path, change in self.changes.items() if change.deleted}
        return frozenset((known | set(self.repository.untracked())) - gone)

    @cached_property
    def repository_files(self) -> set[str]:
        """The files in the index."""
        return self.repository.tracked()

    @cached_property
    def staged_files(self) -> dict[str, str]:
        """Object ids of the regular files of the index."""
        return self.repository.staged_files()

    def trailers(self, key: str) -> list[tuple[str, str]]:
        """(commit, value) of each trailer of that name in the commits since the base."""
        return self.repository.trailers(self.commit, key)

    def text_at(self, commit: str, path: str) -> str | None:
        """A file as it was in a commit; None where it was not there, or is no UTF-8."""
        blob = self.repository.tree(commit).get(path)
        if blob is None:
            return None
        try:
            return self.blobs([blob])[blob].decode("utf-8")
        except UnicodeDecodeError:
            return None

    @cached_property
    def submodules(self) -> frozenset[str]:
        if not os.path.lexists(os.path.join(self.repository.top, ".gitmodules")):  # noqa: PTH118
            return frozenset()
        return self.repository.submodules()

    def path_of(self, name: str) -> str:
        """A name as the user typed it, as a path in the repository (`.` is its top). Raises InputError outside."""
        typed = Path(name)
        # Git knows no files behind a link to a folder; the link to a file is what it keeps.
        real = os.path.realpath(typed) if typed.is_dir() else Path(os.path.realpath(typed.parent), typed.name)
        path = os.path.relpath(real, os.path.realpath("."))
        inside = os.path.normpath(Path(self.repository.prefix, path)).replace(os.sep, "/")
        if inside == ".." or inside.startswith("../"):
            raise InputError(f"is outside the git repository {self.repository.top}", name=name)
        return inside

    def name_of(self, path: str) -> str:
        """A path in the repository as the user would type it."""
        return os.path.relpath(Path(path), self.repository.prefix or ".")

    def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        return self.repository.blobs(ids)


def new(path: str) -> Change:
    """A file that has no earlier side."""
    return Change(path, path, old_blob=None, new_blob=None, deleted=False, regular=True)
