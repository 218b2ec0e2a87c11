"""File patterns as in .gitignore: `*` stays within a folder, `**` crosses folders, a plain name matches anywhere."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern names a file, or a folder that the file lies in; `path` has slashes and no leading one.

    A pattern without a slash (a trailing one aside) may match at any depth; every other counts from the root.
    """
    return _compiled(pattern, True).match(path) is not None


def names_file(pattern: str, path: str) -> bool:
    """Whether a pattern names this very file, counted from the root (parts of a prompt are not looked for deeper)."""
    return _compiled(pattern, False).match(path) is not None


def is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in "*?[")


def fixed_folder(pattern: str) -> str:
    """The folder in which all files lie that a glob can match: what stands before its first wildcard."""
    steps = []
    for step in pattern.split("/")[:-1]:
        if is_glob(step):
            break
        steps.append(step)
    return "/".join(steps)


@lru_cache(maxsize=512)
def _compiled(pattern: str, loose: bool) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").removesuffix("/")
    start = "(?:.*/)?" if loose and "/" not in plain else ""
    body = _translated(plain.removeprefix("/"))
    return re.compile(f"{start}{body}(?:/.*)?\\Z" if loose else f"{body}\\Z", re.DOTALL)


def _translated(pattern: str) -> str:
    parts = []
    for token in re.findall(r"\*\*/|/\*\*\Z|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", pattern, re.DOTALL):
        if token == "**/":
            parts.append("(?:.*/)?")
        elif token in ("/**", "**"):
            parts.append("/.*" if token == "/**" else ".*")
        elif token == "*":
            parts.append("[^/]*")
        elif token == "?":
            parts.append("[^/]")
        elif token.startswith("[") and len(token) > 2:
            inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[^{inner[1:]}/]" if inner.startswith("!") else f"[{inner}]")
        else:
            parts.append(re.escape(token))
    return "".join(parts)
