"""Which file of the repository an import, or a path that is written out, means."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

from promptlint.readers.code import Files, ir

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts")
_MOST_FOLDERS = 30  # above a file in which a path that it reads may begin
_LONGEST = 1_000_000  # characters of a file that is a part of a prompt
_MOST_PARENTS = 4  # folders above the importing file in which a Python package may begin


class Resolver:
    """What was looked for is remembered."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._exists = functools.lru_cache(maxsize=100_000)(files.exists)
        self._known: dict[tuple[str, str, str | None], list[str]] = {}
        self.text = functools.lru_cache(maxsize=1_000)(self._text)

    def _text(self, path: str, reader: str) -> str | None:
        """The text of a file that another one reads; None where none is there, or it lies outside of the repository.

        A path is taken from the reader's folder, else from one above it: where the program will run is not known.
        """
        top = self._files.top(reader)
        folder = os.path.dirname(reader)  # noqa: PTH120
        for _ in range(_MOST_FOLDERS):
            name = os.path.normpath(os.path.join(folder, path))  # noqa: PTH118
            if self._files.exists(name):
                text = self._files.text(name) if self._files.inside(name, top) else None
                return text if text is not None and len(text) <= _LONGEST else None
            if os.path.isabs(path) or os.path.normpath(folder) == os.path.normpath(top):  # noqa: PTH117
                return None
            folder = os.path.join(folder, "..")  # noqa: PTH118
        return None

    def files(self, importer: str, language: str, imported: ir.Import) -> list[str]:
        """Files that may be meant, those that are there, the likeliest first."""
        folder = os.path.dirname(importer)  # noqa: PTH120 (paths as texts are ten times as fast)
        alone = imported.name if language == "python" and not imported.module.strip(".") else None
        key = (importer if language == "rust" else folder, imported.module, alone)
        if key not in self._known:
            candidates = {"python": _python, "javascript": _javascript, "rust": _rust}.get(language)
            names = candidates(importer, folder, imported) if candidates else ()
            self._known[key] = [path for name in names if self._exists(path := os.path.normpath(name))]
        return self._known[key]

    def neighbours(self, file: str) -> list[str]:
        """Other Go files of the same package."""
        key = (os.path.dirname(file), "", None)  # noqa: PTH120
        if key not in self._known:
            self._known[key] = [name for name in self._files.listing(file) if not name.endswith("_test.go")]
        return [name for name in self._known[key] if name != file]


def _python(importer: str, folder: str, imported: ir.Import) -> Iterator[str]:
    module = imported.module
    dots = len(module) - len(module.lstrip("."))
    path = module.lstrip(".").replace(".", "/")
    ups = [dots - 1] if dots else range(_MOST_PARENTS)
    for up in ups:
        base = "/".join([folder or ".", *[".."] * up])
        if path:
            yield f"{base}/{path}.py"
            yield f"{base}/{path}/__init__.py"
        elif imported.name:
            yield f"{base}/{imported.name}.py"


def _javascript(importer: str, folder: str, imported: ir.Import) -> Iterator[str]:
    if not imported.module.startswith("."):
        return
    base = f"{folder or '.'}/{imported.module}"
    stem, suffix = os.path.splitext(base)  # noqa: PTH122
    if suffix in (".js", ".jsx", ".mjs"):
        yield base
        base = stem
    for ending in _SUFFIXES:
        yield base + ending
    for ending in _SUFFIXES:
        yield f"{base}/index{ending}"


def _rust(importer: str, folder: str, imported: ir.Import) -> Iterator[str]:
    steps = [step for step in imported.module.split("::") if step not in ("crate", "self", "super", "")]
    if not steps:
        return
    path = "/".join(steps)
    stem = os.path.splitext(os.path.basename(importer))[0]  # noqa: PTH119, PTH122
    for base in (folder or ".", f"{folder or '.'}/..", f"{folder or '.'}/{stem}"):
        yield f"{base}/{path}.rs"
        yield f"{base}/{path}/mod.rs"
