"""Source code that builds prompts: which changing values reach a system prompt, tools or history, and on which way."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from promptlint.model.flow import Additions, Flow
from promptlint.model.prompt import Skip
from promptlint.model.source import Source

if TYPE_CHECKING:
    from promptlint.readers.code.words import Stems

__all__ = ["SUFFIXES", "Additions", "Files", "Reader", "is_code", "speaks"]

# Suffix → the module that reads the language.
SUFFIXES = {
    ".py": "python",
    ".ipynb": "python",
    ".ts": "javascript",
    ".mts": "javascript",
    ".cts": "javascript",
    ".tsx": "javascript",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".go": "go",
    ".rs": "rust",
}
# Languages that build prompts as well and are not read; a file of theirs is skipped with this reason.
UNREAD = frozenset(
    {".java", ".kt", ".cs", ".rb", ".php", ".swift", ".scala", ".ex", ".exs", ".cpp", ".cc", ".c", ".lua", ".dart"}
)

MOST_BYTES = 2_000_000
_LONGEST_LINE = 20_000

_IS_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testdata|testing|fixtures|spec)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:py|go|rs)$|\.(?:test|spec)\.[cm]?[jt]sx?$|_tests?\.rs$"
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files that imports may lead to. `text` gives the text of a file, None where it cannot be read.

    `top` is the folder of its repository; `inside` says whether a path, its links followed, lies in a folder.
    """

    exists: Callable[[str], bool]
    text: Callable[[str], str | None]
    listing: Callable[[str], list[str]]
    top: Callable[[str], str]
    inside: Callable[[str, str], bool]


def is_code(name: str) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix in SUFFIXES or suffix in UNREAD


class Reader:
    """Reads the source files of one run, which may import one another."""

    def __init__(self, files: Files, additions: Additions | None = None) -> None:
        self._files, self._additions = files, additions or Additions()

    def read(self, sources: Sequence[Source]) -> list[tuple[list[Flow], list[Skip]]]:
        """For each file what reaches a prompt in it, and why it was not looked into where it was not.

        What two files reach in one place is told once, of the first.
        """
        looked = [self._not_read(source) for source in sources]
        chosen = [source for source, reason in zip(sources, looked, strict=True) if reason is None]
        if not chosen:
            return [([], reason or []) for reason in looked]
        from promptlint.readers.code import parts

        found = iter(parts.read(self._files, self._additions, chosen))
        told: set[tuple[str, str, str, tuple[int, int]]] = set()
        result = []
        for reason in looked:
            flows, skips = ([], reason) if reason is not None else next(found)
            keys = [(flow.kind, flow.sink, flow.source.name, flow.span) for flow in flows]
            result.append(([flow for flow, key in zip(flows, keys, strict=True) if key not in told], skips))
            told.update(keys)
        return result

    def _not_read(self, source: Source) -> list[Skip] | None:
        """None for a file to read, else what is to be said of it, which may be nothing."""
        suffix = PurePosixPath(source.name).suffix.lower()
        if suffix in UNREAD:
            return [Skip(source.name, f"source code in this language ({suffix}) is not read")]
        if _IS_TEST.search(source.name.replace("\\", "/")) or not speaks(source, self._additions):
            return []
        reason = _too_much(source.text.encode("utf-8", "surrogatepass"))
        return [Skip(source.name, reason)] if reason else None


def speaks(source: Source, additions: Additions) -> bool:
    """Whether a file has any word of a part of a prompt; without one nothing in it goes to a model."""
    return _stems(additions).found(source.text.encode("utf-8", "surrogatepass").lower())


@functools.cache
def _stems(additions: Additions) -> Stems:
    from promptlint.readers.code.words import LANDS, Stems

    return Stems({**LANDS, **{name.rpartition(".")[2].lower(): "" for _, name in additions.sinks}})


def _too_much(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        return f"has {len(data):,} bytes of source; files above {MOST_BYTES:,} are not read"
    longest = max(map(len, data.split(b"\n")), default=0)
    if longest > _LONGEST_LINE and longest * 2 > len(data):
        return "is minified: most of it is one line"
    return ""
