"""What a template includes, from its own folder up to the top of its repository; never from outside of it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from promptlint.model.errors import InputError
from promptlint.model.source import Source

if TYPE_CHECKING:
    from promptlint.readers.template.nodes import Node

_FOLDERS = ("", "partials", "templates", "prompts", "_partials", "includes")
_MOST_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Files:
    """`text` gives the text of a file, None where it cannot be read; `top` the folder that includes may not leave.

    `inside` says whether a path, its links followed, lies in that folder.
    """

    text: Callable[[str], str | None]
    top: Callable[[str], str]
    inside: Callable[[str, str], bool]


class Includes:
    """Included files, each read and parsed once a run."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._parsed: dict[tuple[str, str], tuple[list[Node], Source] | None] = {}

    def loader(self, syntax: str) -> Callable[[str, Source], tuple[list[Node], Source] | None]:
        """Finds what a template in this syntax names."""

        def load(target: str, source: Source) -> tuple[list[Node], Source] | None:
            top = self._files.top(source.name)
            for path in _candidates(target, source.name, top):
                if (syntax, path) not in self._parsed:
                    self._parsed[syntax, path] = self._read(path, top, syntax)
                if (found := self._parsed[syntax, path]) is not None:
                    return found
            return None

        return load

    def _read(self, path: str, top: str, syntax: str) -> tuple[list[Node], Source] | None:
        text = self._files.text(path) if self._files.inside(path, top) else None
        if text is None or len(text) > _MOST_BYTES:
            return None
        from promptlint.readers.template import running
        from promptlint.readers.template.nodes import Node, Passage

        source = Source(path, text)
        passage = Passage(text, source)
        try:
            return running.parse_as(syntax, passage), source
        except InputError:  # reported where the file itself is checked
            return [Node("text", passage, 0, len(text), text)], source


def _candidates(target: str, name: str, top: str) -> Iterator[str]:
    """Where a named file may lie: beside the one that names it first, then nearer and nearer to the top."""
    suffix = PurePath(name).suffix
    own = PurePath(target).suffix
    names = [target] if own else [f"{target}{suffix}"]
    if not own:
        folder, base = posixpath.split(target)
        names += [posixpath.join(folder, f"_{base}{suffix}"), target]
    folder = PurePath(name).parent.as_posix()
    while True:
        for below in _FOLDERS:
            for each in names:
                yield posixpath.normpath(posixpath.join(folder, below, each.lstrip("/")))
        if posixpath.normpath(folder) == posixpath.normpath(top) or folder in ("/", ".", ""):
            return
        folder = posixpath.dirname(folder) or "."
