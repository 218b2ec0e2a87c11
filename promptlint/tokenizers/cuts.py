"""Where a text may be cut so that both halves encode, one by one, to the ids of the whole.

Holds for the pre-token patterns of cl100k, o200k (harmony too), Llama 3, Qwen and tekken. A cut is judged by the
character before it and the one after it alone:

- U: an ASCII letter or digit, then an ASCII blank or ASCII punctuation other than `'` (o200k's contractions go on
  with it); or an ASCII letter then a digit, or a digit then a letter.
- S1: a character that is no whitespace, then a space or tab; or an ASCII letter or digit, then a line break.
- S2: a line break, then a character that is neither whitespace nor `/` (o200k's punctuation goes on with slashes).

Why: matches are contiguous and no pattern looks back, so what follows a boundary depends on the text after it alone.
In U and S1 no alternative carries a piece of letters, digits or punctuation on over the cut, and its greedy classes
stop there as at the end of text; in S2 a whitespace run that ends in a line break is taken whole. Only `\\s` of Python
is wider than that of the patterns, so it may exclude a cut but never permit one.

Text that is encoded with its special tokens allows S1 and S2 only, as `<|end` `|>` would part under U; that needs
special tokens without whitespace, which those of all encodings here are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_U = r"(?<=[A-Za-z0-9])(?=[ \t\r\n!-&(-/:-@\[-`{-~])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
_S = r"(?<=\S)(?=[ \t])|(?<=[A-Za-z0-9])(?=[\r\n])|(?<=[\r\n])(?=[^\s/])"
_ORDINARY = re.compile(f"{_U}|{_S}")
_SPECIALS = re.compile(_S)
_WORD = re.compile(
    r"\s*+(?:\S++(?:[^\S \t]\s*+)?+)*+"
)  # up to the next S1 with a space or tab: words repeat, so they are cut further once


def next_cut(text: str, start: int, *, specials: bool = False) -> int | None:
    """The first safe cut at or after `start` that leaves text on both sides, or None."""
    found = (_SPECIALS if specials else _ORDINARY).search(text, start)
    return found.start() if found else None


def chunk_starts(text: str, size: int, *, specials: bool = False) -> Iterator[int]:
    """Where the chunks of a text begin: 0, then the first safe cut at least `size` characters on, and so forth."""
    start: int | None = 0
    while start is not None:
        yield start
        start = next_cut(text, start + size, specials=specials)


def parts(text: str) -> set[str]:
    """What stands between the safe cuts of a text, each piece once."""
    return {part for word in set(_WORD.findall(text)) for part in _ORDINARY.split(word)}
