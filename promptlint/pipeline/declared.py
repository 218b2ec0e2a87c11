"""The files of a declared prompt, on either side of a comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from promptlint.config import Config, Declaration, Part
from promptlint.config.globs import fixed_folder, is_glob, names_file
from promptlint.model.errors import ConfigError, PromptlintError
from promptlint.model.prompt import Skip
from promptlint.sources.files import raise_all

Listing = Callable[[str], Iterable[str]]  # a pattern to the files it names, from the configuration's folder


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a prompt in its order, each once; `marked` end with a cache marker. From the config's folder."""

    paths: tuple[str, ...]
    marked: frozenset[str]
    empty: tuple[Part, ...] = ()


def resolve(declared: Declaration, listing: Listing) -> Files:
    """The files of all parts; those of a glob in sorted order. A file counts where it is named first."""
    paths: dict[str, None] = {}
    marked, empty = set(), []
    for part in declared.parts:
        named = sorted(listing(part.pattern))
        found = [path for path in named if path not in paths]
        paths |= dict.fromkeys(found)
        if not named:
            empty.append(part)
        elif found and part.pattern in map(_plain, declared.breakpoints):
            marked.add(found[-1])
    return Files(tuple(paths), frozenset(marked), tuple(empty))


def check(config: Config, resolved: Sequence[tuple[Declaration, Files]]) -> list[Skip]:
    """Raises ConfigError or Problems for files that are not there; a glob that names none is a skip."""
    errors: list[PromptlintError] = []
    skips = []
    for declared, files in resolved:
        for part in files.empty:
            what = f"part {part.pattern!r} of prompt {declared.name!r}"
            if is_glob(part.pattern):
                skips.append(Skip(what, "names no file"))
            else:
                message = f"{what}: no such file"
                errors.append(ConfigError(message, name=config.file, line=part.line, column=part.column))
    raise_all(errors)
    return skips


def on_disk(config: Config) -> Listing:
    """The files of the working tree. A link that leads out of the configuration's folder is none of them."""

    def listing(pattern: str) -> Iterable[str]:
        if not is_glob(pattern):
            return [pattern] if Path(config.root, pattern).is_file() else []
        top = Path(config.root, fixed_folder(pattern))
        below = (Path(parent, file) for parent, _, files in os.walk(top) for file in files)
        paths = (os.path.relpath(path, config.root).replace(os.sep, "/") for path in below)
        return [path for path in paths if names_file(pattern, path)]

    return listing


def among(paths: Iterable[str]) -> Listing:
    """The files of a list, counted from the configuration's folder."""
    known = frozenset(paths)

    def listing(pattern: str) -> Iterable[str]:
        if not is_glob(pattern):
            return [pattern] if pattern in known else []
        return [path for path in known if names_file(pattern, path)]

    return listing


def _plain(pattern: str) -> str:
    return os.path.normpath(pattern).replace(os.sep, "/")
