"""Text for terminals that show ASCII only: every sign that promptlint draws with has one that stands in for it."""

from __future__ import annotations

_SIGNS = {
    **dict(zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)),
    **dict.fromkeys("▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", ":"),
    **dict.fromkeys("▒▓", "+"),
    "░": ".",
    "─": "-",
    "│": "|",
    "├": "|",
    "└": "`",
    "·": "-",
    "…": "...",
    "→": "->",
    "–": "-",
    "⏎": "\\n",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
}
_TABLE = str.maketrans(_SIGNS)


def in_ascii(text: str) -> str:
    """The text with these signs replaced; characters of other origin stay and are the stream's to escape."""
    return text.translate(_TABLE)
