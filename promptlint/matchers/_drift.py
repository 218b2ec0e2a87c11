"""Texts that are equal but for white space, or but for the form of their characters, and where they are not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from promptlint.matchers._edits import Spans, middle
from promptlint.model.folding import fold
from promptlint.model.history import alike_texts
from promptlint.model.source import Span
from promptlint.model.walk import blocks

# Blanks and line ends. A no-break space is another character for a blank, not another blank.
_BLANKS = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_NO_BLANKS = str.maketrans("", "", _BLANKS)
_CONTENT = re.compile(f"[^{_BLANKS}](?:[^\\n\\r]*[^{_BLANKS}])?")  # a line without the blanks around it
_TOKEN = re.compile(r"\s+|\S+")
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_ESCAPED_BLANKS = (r"\n", r"\r", r"\t")


def is_blank(text: str) -> bool:
    """Whether a text is nothing but blanks and line ends."""
    return not text.strip(_BLANKS)


def equal_but_for(before: str, after: str, ignoring: str) -> bool:
    """Whether two texts differ, and only in `whitespace` or only in `unicode` form."""
    return before != after and _key(before, ignoring) == _key(after, ignoring)


def equal_but_for_escaped_blanks(before: str, after: str) -> bool:
    """Whether two JSON texts differ only in white space inside their strings, where it is escaped."""
    if before[:1] not in ("{", "[") or before[:1] != after[:1] or before == after:
        return False
    keys = [_ESCAPE.sub(lambda unit: "" if unit[0] in _ESCAPED_BLANKS else unit[0], text) for text in (before, after)]
    return _key(keys[0], "whitespace") == _key(keys[1], "whitespace") and is_json(before) and is_json(after)


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def escaped_blanks(text: str, at: int) -> Span:
    """The run of escaped white space in a JSON text that a place stands in or at."""
    start = at - 1 if text[at - 1 : at + 1] in _ESCAPED_BLANKS and text[at - 2 : at] != r"\\" else at
    while text[start - 2 : start] in _ESCAPED_BLANKS:
        start -= 2
    end = start
    while text[end : end + 2] in _ESCAPED_BLANKS:
        end += 2
    return Span(start, end)


def _key(text: str, ignoring: str) -> str:
    return text.translate(_NO_BLANKS) if ignoring == "whitespace" else fold(text)


def differing(before: str, after: str) -> int:
    """Index of the first differing character."""
    return middle(before, after)[0].start


def drift_spans(before: str, after: str, ignoring: str) -> Spans:
    """Where lines drifted that are equal but for blanks and form, in texts that differ elsewhere, too."""
    old, new = list(_CONTENT.finditer(before)), list(_CONTENT.finditer(after))
    keys = [[_key(fold(line[0]), "whitespace") for line in lines] for lines in (old, new)]
    found: list[tuple[Span, Span]] = []
    last = (-1, -1)  # the pair of lines before: what stands between neighbours is compared, too
    for left, to_left, right, to_right, is_gap in blocks(*keys):
        if to_left - left != to_right - right:
            continue
        for here, there in zip(range(left, to_left), range(right, to_right), strict=True):
            if ignoring == "whitespace" and (here, there) == (last[0] + 1, last[1] + 1):
                other = is_gap and not _one_line(old[here][0], new[there][0])
                found += _between(before, after, (old, new), (here, there), indented=not other)
            last = (here, there)
            if not is_gap and old[here][0] != new[there][0]:
                found += _in_line(old[here][0], new[there][0], old[here].start(), new[there].start(), ignoring)
    if ignoring == "whitespace" and last == (len(old) - 1, len(new) - 1):
        found += _between(before, after, (old, new), (len(old), len(new)), indented=True)
    return tuple(found)


def _one_line(before: str, after: str) -> bool:
    """Whether two lines are versions of one."""
    return alike_texts(" ".join(before.split()), " ".join(after.split()))


def _between(
    before: str, after: str, lines: tuple[list[re.Match[str]], list[re.Match[str]]], at: tuple[int, int], *,
    indented: bool,
) -> list[tuple[Span, Span]]:  # fmt: skip
    """(of the later text, of the earlier one) of the blanks before a line, where they differ.

    Not `indented`: only the line ends, as another line has an indentation of its own.
    """
    spans = []
    for text, found, index in zip((before, after), lines, at, strict=True):
        start = found[index - 1].end() if index else 0
        stop = found[index].start() if index < len(found) else len(text)
        spans.append(Span(start, stop if indented else text.rfind("\n", start, stop) + 1 or start))
    old, new = spans
    return [] if before[old.start : old.end] == after[new.start : new.end] else [(new, old)]


def _in_line(before: str, after: str, start: int, other: int, ignoring: str) -> Iterator[tuple[Span, Span]]:
    """(of the later text, of the earlier one) of the words or blanks of one line that drifted."""
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    left = right = 0
    while left < len(old) or right < len(new):
        here, there = old[left][0] if left < len(old) else None, new[right][0] if right < len(new) else None
        blank = (here is not None and here.isspace(), there is not None and there.isspace())
        if blank == (False, False) and not _same_form(here, there):
            return  # blanks within a word: the tokens do not answer to each other any more
        took = here if not blank[1] or blank[0] else None, there if not blank[0] or blank[1] else None
        at_old = start + (old[left].start() if left < len(old) else len(before))
        at_new = other + (new[right].start() if right < len(new) else len(after))
        if took[0] != took[1] and _same_form(*took) is (ignoring == "unicode"):
            yield Span(at_new, at_new + len(took[1] or "")), Span(at_old, at_old + len(took[0] or ""))
        left, right = left + (took[0] is not None), right + (took[1] is not None)


def _same_form(before: str | None, after: str | None) -> bool:
    """Whether two words, or two runs of blanks, are the same but for the form of their characters."""
    return before is not None and after is not None and fold(before) == fold(after)
