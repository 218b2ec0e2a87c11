"""The first differing region of two texts, grown to whole words, found without aligning all that follows."""

from __future__ import annotations

import difflib
import re
from itertools import takewhile

from promptlint.model.common import shared_ends
from promptlint.model.effort import alignable
from promptlint.model.matching import Hunk
from promptlint.model.source import Span

# A word keeps what belongs to one value: 2026-11-30T14:05:12Z, a@example.org, src/app.py, 4.18.2.
_WORD = re.compile(r"\w+(?:[.:/@+\-]+\w+)*|\s+|[^\w\s]")
_INNER = ".:/@+-"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NEAR = 300  # items, of both sides together, within which two texts are looked for to go on alike
_RUN = 12  # items of such a run that are looked at
_RUN_CHARS = 5  # characters, without white space, that make such a run


def first_hunk(before: str, after: str) -> Hunk | None:
    """The first region in which `after` differs from `before`; None where the texts are equal.

    The region starts and ends at word boundaries, so that a value is seen as a whole.
    """
    if before == after:
        return None
    first, suffix = shared_ends(before, after)
    start = _word_start(before, first, after)
    suffix = _grow_suffix(before, after, start, suffix)
    middle_before, middle_after = before[start : len(before) - suffix], after[start : len(after) - suffix]
    lines = _items(_LINE, middle_before, middle_after)
    length_before, length_after = _first_region(*lines)
    if length_before and length_after:
        words = _items(_WORD, middle_before[:length_before], middle_after[:length_after])
        length_before, length_after = _first_region(*words)
    return Hunk(Span(start, start + length_before), Span(start, start + length_after), first)


def _word_start(before: str, first: int, after: str) -> int:
    """Start of the word (in either text) that holds the first differing character."""
    line = max(before.rfind("\n", 0, first) + 1, first - 200)
    for text in (before, after):
        for match in _WORD.finditer(text, line, min(len(text), first + 200)):
            if match.start() < first < match.end() and not match[0].isspace():
                return match.start()
            if match.start() >= first:
                break
    return first


def _grow_suffix(before: str, after: str, start: int, suffix: int) -> int:
    """Shorten the common suffix to where a word ends, so that the region holds whole words."""
    while suffix > 0 and any(_inside_word(text, len(text) - suffix, start) for text in (before, after)):
        suffix -= 1
    return suffix


def _inside_word(text: str, cut: int, start: int) -> bool:
    """Whether a word of `_WORD` goes on over a cut (its inner signs join what stands on both sides of them)."""
    if cut <= start or cut >= len(text):
        return False
    left, right = text[cut - 1], text[cut]
    if left.isalnum():
        return right.isalnum() or (right in _INNER and cut + 1 < len(text) and text[cut + 1].isalnum())
    return left in _INNER and right.isalnum() and cut - 2 >= start and text[cut - 2].isalnum()


def _items(pattern: re.Pattern[str], before: str, after: str) -> tuple[list[str], list[str]]:
    return pattern.findall(before), pattern.findall(after)


def _first_region(before: list[str], after: list[str]) -> tuple[int, int]:
    """Characters of the first differing run of items, from the start of both lists."""
    rows = _first_aligned(before, after) if alignable(before, after) else _first_anchor(before, after)
    return sum(map(len, before[: rows[0]])), sum(map(len, after[: rows[1]]))


def _first_aligned(before: list[str], after: list[str]) -> tuple[int, int]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    end = (0, 0)
    for tag, start_before, stop_before, _, stop_after in matcher.get_opcodes():
        if tag != "equal":
            end = (stop_before, stop_after)
        elif end != (0, 0) and not _glue(before[start_before:stop_before]):
            return end
    return end


def _glue(items: list[str]) -> bool:
    """Whether an equal run is too short to part two differing words: blanks, commas, one word of two letters."""
    text = "".join(items)
    return "\n" not in text and len(text.strip(" \t,.:;/-")) <= 2


def _first_anchor(before: list[str], after: list[str]) -> tuple[int, int]:
    """For long and repetitive texts: the nearest run of equal items, else the nearest that are unique in `after`."""
    for skipped in range(1, _NEAR):
        for step in range(skipped + 1):
            # From the middle outwards: as many items on one side as on the other are the likeliest.
            left = skipped // 2 + (-(step + 1) // 2 if step % 2 else step // 2)
            right = skipped - left
            if 0 <= left <= skipped and _parts_again(before[left : left + _RUN], after[right : right + _RUN]):
                return left, right
    return _first_unique(before, after)


def _parts_again(before: list[str], after: list[str]) -> bool:
    """Whether two texts go on alike from here, for more than a word or two."""
    run = list(takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    words = [item for item, _ in run if not item.isspace()]
    return len("".join(words)) >= _RUN_CHARS and (len(words) > 1 or "\n" in run[0][0])


def _first_unique(before: list[str], after: list[str]) -> tuple[int, int]:
    """The nearest pair of equal items of which the later text has only one."""
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for index, item in enumerate(after):
        if item in places:
            repeated.add(item)
        places.setdefault(item, index)
    best: tuple[int, int] | None = None
    for index, item in enumerate(before):
        if best is not None and index >= best[0] + best[1]:
            break
        other = places.get(item)
        if other is None or item in repeated or not item.strip():
            continue
        if best is None or index + other < best[0] + best[1]:
            best = (index, other)
    return best if best is not None else (len(before), len(after))
