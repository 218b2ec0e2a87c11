"""Prompt files paired with their version in a git revision: only what changed is read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.errors import InputError, PromptlintError
from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.sources.files import STDIN, decode, is_walked, raise_all, read_file
from promptlint.sources.git import Change
from promptlint.sources.history import History, new


@dataclass(frozen=True, slots=True)
class Versions:
    """Pairs of (earlier version or None for a new file, later version), in path order; and what was left out."""

    pairs: tuple[tuple[Source | None, Source], ...]
    skipped: tuple[Skip, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A path the user gave: as typed, and relative to the top of the repository (`.` is the top itself)."""

    typed: str
    path: str

    def below(self, path: str) -> str | None:
        """The rest of a path that lies in this folder."""
        if self.path == ".":
            return path
        return path[len(self.path) + 1 :] if path.startswith(self.path + "/") else None

    def reaches(self, path: str) -> bool:
        """Whether walking this folder finds the file."""
        rest = self.below(path)
        return rest is not None and is_walked(rest.split("/"))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A changed file. `name` is what the user would type; `prompt`: its name says that it is one."""

    change: Change
    name: str
    walked: bool
    prompt: bool = True


def read_versions(names: Sequence[str], *, since: str | None, staged: bool) -> Versions:
    """Changed files among `names` (files or folders) against revision `since` (HEAD where it is left out).

    `staged`: the later side is the index, as a commit would take it. Raises InputError or Problems.
    """
    history = History(since, staged=staged)
    chosen, skips = choose(history, names)
    return read(history, chosen, skips)


def choose(history: History, names: Sequence[str]) -> tuple[list[Chosen], list[Skip]]:
    """Every changed file that the user named, or that lies in a folder the user named; deleted ones, too."""
    wanted = [_wanted(history, name) for name in names]
    changes = dict(history.changes)
    skips = _check_named(history, wanted, changes)
    named = {each.path: each for each in wanted if each.path in changes}
    folders = [each for each in wanted if each.path not in changes]
    found = []
    for path, change in sorted(changes.items()):
        if path in named:
            found.append(Chosen(change, named[path].typed, walked=False))
        elif folder := next((each for each in folders if each.below(path)), None):
            name = os.path.normpath(Path(folder.typed, folder.below(path) or ""))
            found.append(Chosen(change, name, walked=True, prompt=folder.reaches(path)))
    return found, skips


def _wanted(history: History, name: str) -> _Wanted:
    if name == STDIN:
        raise InputError("standard input has no earlier version in git; give a file", name=name)
    return _Wanted(name, history.path_of(name))


def _check_named(history: History, wanted: Sequence[_Wanted], changes: dict[str, Change]) -> list[Skip]:
    """Named files that git does not list as changed: unchanged, ignored (then new), not staged, or not there."""
    skips: list[Skip] = []
    errors: list[PromptlintError] = []
    for each in wanted:
        inner = [path for path in history.submodules if each.below(path) is not None]
        skips += [Skip(history.name_of(path), "is a submodule; run promptlint inside of it") for path in inner]
        outer = next((path for path in history.submodules if f"{each.path}/".startswith(f"{path}/")), None)
        if outer is not None:
            message = f"belongs to the submodule {outer}; run promptlint inside of it"
            errors.append(InputError(message, name=each.typed))
        elif each.path in changes or each.path in history.repository_files or _is_folder(each, changes):
            continue
        elif not os.path.lexists(each.typed):
            errors.append(InputError("no such file or directory", name=each.typed))
        elif history.staged:
            skips.append(Skip(each.typed, "is not staged"))
        else:
            changes[each.path] = new(each.path)
    raise_all(errors)
    return skips


def read(history: History, chosen: Sequence[Chosen], skips: Sequence[Skip]) -> Versions:
    """The chosen files with their earlier versions; a prompt that is gone breaks no cache."""
    chosen = [each for each in chosen if not each.change.deleted and each.prompt]
    sides = [each.change.old_blob for each in chosen]
    sides += [each.change.new_blob for each in chosen if history.staged]
    blobs = history.blobs(blob for blob in sides if blob)
    pairs: list[tuple[Source | None, Source]] = []
    errors: list[PromptlintError] = []
    skips = list(skips)
    for each in chosen:
        if not each.change.regular or (history.staged and each.change.new_blob is None):
            skips.append(Skip(each.name, "is a symbolic link, a submodule or an unresolved merge"))
            continue
        try:
            later = _later(each, blobs, staged=history.staged)
        except InputError as error:
            if each.walked:
                skips.append(Skip(each.name, error.message))
            else:
                errors.append(error)
            continue
        try:
            pairs.append((_earlier(each, blobs, history.label), later))
        except InputError as error:  # nobody can mend a past version
            skips.append(Skip(f"{history.label}:{each.name}", error.message))
    raise_all(errors)
    return Versions(tuple(pairs), tuple(skips))


def _later(each: Chosen, blobs: dict[str, bytes], *, staged: bool) -> Source:
    if staged and each.change.new_blob is not None:
        return decode(each.name, blobs[each.change.new_blob], walked=each.walked)
    return read_file(each.name, walked=each.walked)


def _earlier(each: Chosen, blobs: dict[str, bytes], revision: str) -> Source | None:
    if each.change.old_blob is None:
        return None
    name = each.name if each.change.old_path == each.change.path else each.change.old_path
    return decode(f"{revision}:{name}", blobs[each.change.old_blob])


def _is_folder(each: _Wanted, changes: dict[str, Change]) -> bool:
    """Whether a name is that of a folder, or of one that is gone."""
    return Path(each.typed).is_dir() or any(each.below(path) for path in changes)
