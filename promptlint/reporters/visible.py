"""Text from prompts and file names made harmless and visible before a person or a CI log sees it."""

from __future__ import annotations

import re

# Azure and old GitHub runners take `##[…]` and `##vso[…]` as commands anywhere in a line; `::…` only where it begins.
_LEADING_COLONS = re.compile(r"^(\s*)::")
_RUNNER_COMMAND = re.compile(r"##(\w*)\[")


def visible(text: str) -> str:
    r"""One line of printable characters: newlines as ⏎, controls and bidi marks as `\x1b`, `\u202e`, no CI commands."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else _shown(character) for character in text)
    text = _LEADING_COLONS.sub(r"\1\\x3a:", text)
    return _RUNNER_COMMAND.sub(r"##\1\\x5b", text)


def _shown(character: str) -> str:
    if character == "\n":
        return "⏎"
    return character.encode("ascii", "backslashreplace").decode() if ord(character) > 127 else ascii(character)[1:-1]
