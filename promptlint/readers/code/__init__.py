"""Source code that builds prompts: which changing values reach a system prompt, tools or history, and on which way."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from promptlint.model.flow import Additions, Flow
from promptlint.model.prompt import Skip
from promptlint.model.source import Source

if TYPE_CHECKING:
    from promptlint.readers.code.program import Program

__all__ = ["SUFFIXES", "Additions", "Files", "Reader", "is_code"]

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

# A file without any of these builds no prompt.
_SPEAKS_OF_PROMPTS = re.compile(
    rb"(?i)prompt|anthropic|openai|litellm|langchain|bedrock|genai|llm\b|[\"']system[\"']|instructions|"
    rb"tool_?(?:definitions|schemas|specs)|chat_?completion|\bdefinitions\(|messages\.(?:create|stream|new)|responses\.create|"
    rb"\.system\.(?:push|splice|unshift|append|insert)|preamble\(|get_?tools|bind_?tools|\brole[\"']?\s*[:=]|\btools\b[\"']?\s*[:=]"
)
_IS_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testdata|testing|fixtures|spec)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:py|go|rs)$|\.(?:test|spec)\.[cm]?[jt]sx?$|_tests?\.rs$"
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files that imports may lead to. `text` gives the text of a file, None where it cannot be read."""

    exists: Callable[[str], bool]
    text: Callable[[str], str | None]
    listing: Callable[[str], list[str]]


def is_code(name: str) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix in SUFFIXES or suffix in UNREAD


class Reader:
    """Reads the source files of one run, which may import one another."""

    def __init__(self, files: Files, additions: Additions | None = None) -> None:
        self._files, self._additions = files, additions or Additions()
        self._program: Program | None = None

    def read(self, source: Source) -> tuple[list[Flow], list[Skip]]:
        """What reaches a prompt in one file, and why the file was not looked into where it was not."""
        suffix = PurePosixPath(source.name).suffix.lower()
        if suffix in UNREAD:
            return [], [Skip(source.name, f"source code in this language ({suffix}) is not read")]
        data = source.text.encode("utf-8", "surrogatepass")
        if _IS_TEST.search(source.name.replace("\\", "/")) or not _SPEAKS_OF_PROMPTS.search(data):
            return [], []
        reason = _too_much(data)
        if reason:
            return [], [Skip(source.name, reason)]
        if self._program is None:
            from promptlint.readers.code.program import Program

            self._program = Program(self._files, self._additions)
        return self._program.read(source)


def _too_much(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        return f"has {len(data):,} bytes of source; files above {MOST_BYTES:,} are not read"
    longest = max(map(len, data.split(b"\n")), default=0)
    if longest > _LONGEST_LINE and longest * 2 > len(data):
        return "is minified: most of it is one line"
    return ""
