"""Which file of the repository an import means."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator

from promptlint.readers.code import ir

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts")
_MOST_PARENTS = 4  # folders above the importing file in which a Python package may begin


class Resolver:
    """`exists` says whether a file of that name is there; `listing` gives the files beside one."""

    def __init__(self, exists: Callable[[str], bool], listing: Callable[[str], list[str]]) -> None:
        self._exists = functools.lru_cache(maxsize=100_000)(exists)
        self._listing = listing
        self._known: dict[tuple[str, str, str | None], list[str]] = {}

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
            self._known[key] = [name for name in self._listing(file) if not name.endswith("_test.go")]
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
