"""Values in text: where a pattern covers the first differing character on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from promptlint.matchers._sites import Site
from promptlint.model.errors import RuleError
from promptlint.model.source import Span

_WINDOW = 240  # characters around the first difference in which a value and its label may stand
_TIMEOUT = 1.0  # seconds for one look at one window


class Untrusted(str):
    """A pattern from a rule file that is not promptlint's own: it runs in `regex`, which can be stopped."""

    __slots__ = ()


class Pattern:
    """A rule's pattern, compiled once; case is ignored unless it says `(?-i:…)`. Raises RuleError.

    Bundled patterns run in `re`, which compiles ten times faster than `regex`; they see at most two windows of text,
    and tests show them hostile ones.
    """

    def __init__(self, pattern: str) -> None:
        self._stoppable = isinstance(pattern, Untrusted)
        try:
            self._compiled: Any = _regex(pattern) if self._stoppable else re.compile(pattern, re.IGNORECASE)
        except Exception as error:
            raise RuleError(f"pattern {pattern!r} does not compile: {error}") from None

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """All matches between two offsets. Raises TimeoutError."""
        if self._stoppable:
            yield from self._compiled.finditer(text, start, end, timeout=_TIMEOUT)
        else:
            yield from self._compiled.finditer(text, start, end)

    def match(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The match that begins at an offset. Raises TimeoutError."""
        options = {"timeout": _TIMEOUT} if self._stoppable else {}
        found: re.Match[str] | None = self._compiled.match(text, start, end, **options)
        return found

    def search(self, text: str) -> bool:
        """Whether the pattern occurs in a short text. Raises TimeoutError."""
        return next(self.finditer(text, 0, len(text)), None) is not None

    def fits(self, text: str, start: int = 0, end: int | None = None) -> bool:
        """Whether the pattern covers all of a short text, or of the part between two offsets. Raises TimeoutError."""
        options = {"timeout": _TIMEOUT} if self._stoppable else {}
        return self._compiled.fullmatch(text, start, len(text) if end is None else end, **options) is not None


def _regex(pattern: str) -> Any:
    import regex

    return regex.compile(pattern, regex.IGNORECASE | regex.VERSION1)


@lru_cache(maxsize=1024)
def _compiled(pattern: str, untrusted: bool) -> Pattern:
    return Pattern(Untrusted(pattern) if untrusted else pattern)


def compiled(pattern: str) -> Pattern:
    """A pattern, compiled once. Raises RuleError."""
    return _compiled(pattern, isinstance(pattern, Untrusted))


@dataclass(frozen=True, slots=True)
class ValuePair:
    """One value in both texts, with the text before and behind it on its line (of the later side)."""

    before: Span
    after: Span
    before_text: str
    after_text: str
    lead: str
    trail: str


def pair_of(site: Site, before: Span, after: Span) -> ValuePair:
    """A value of both texts with what stands around it."""
    old, new = site.before[before.start : before.end], site.after[after.start : after.end]
    return ValuePair(before, after, old, new, *_line_around(site.after, after))


def window(text: str, first: int) -> tuple[str, int]:
    """The text around the first difference with all digits as ASCII ones, and the offset at which it begins."""
    start = max(0, first - _WINDOW)
    cut = text[start : first + _WINDOW]
    if not cut.isascii():
        cut = "".join(_ascii_digit(char) if char > "\x7f" and char.isdecimal() else char for char in cut)
    return cut, start


def _ascii_digit(char: str) -> str:
    return str(int(char))


def value_pairs(site: Site, patterns: tuple[str, ...]) -> Iterator[ValuePair]:
    """Pairs of values of one pattern that hold the first difference on both sides and are not equal."""
    for pattern in map(compiled, patterns):
        try:
            olds = list(_around(site.before, site.first, pattern))
            news = list(_around(site.after, site.first, pattern))
        except TimeoutError:
            continue
        for old in olds:
            for new in news:
                # The text before both values is equal, so that they stand in the same place.
                pair = pair_of(site, old, new)
                if old.start == new.start and pair.before_text != pair.after_text:
                    yield pair


def _around(text: str, first: int, pattern: Pattern) -> Iterator[Span]:
    cut, base = window(text, first)
    for match in pattern.finditer(cut, 0, len(cut)):
        start, end = base + match.start(), base + match.end()
        if start <= first <= end and end > start:
            yield Span(start, end)
        elif start > first:
            return


def labelled_pairs(site: Site, labels: tuple[str, ...], patterns: tuple[str, ...]) -> Iterator[ValuePair]:
    """Pairs of values that begin where a label ends, before the first difference on its line, and hold it."""
    line = site.line_start(_WINDOW)
    starts: set[int] = set()
    for label in map(compiled, labels):
        try:
            starts.update(match.end() for match in label.finditer(site.after, line, site.first))
        except TimeoutError:
            continue
    for start in sorted(starts):
        for pattern in map(compiled, patterns):
            ends = [_value_end(text, start, site.first, pattern) for text in (site.before, site.after)]
            if None in ends:
                continue
            pair = pair_of(site, Span(start, ends[0] or 0), Span(start, ends[1] or 0))
            if pair.before_text != pair.after_text:
                yield pair


def _value_end(text: str, start: int, first: int, pattern: Pattern) -> int | None:
    """End of a value that begins at `start` and reaches the first difference."""
    try:
        match = pattern.match(text, start, min(len(text), first + _WINDOW))
    except TimeoutError:
        return None
    return match.end() if match and match.end() >= first and match.end() > start else None


def _line_around(text: str, span: Span) -> tuple[str, str]:
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - 120)
    end = text.find("\n", span.end)
    return text[start : span.start], text[span.end : min(len(text) if end < 0 else end, span.end + 120)]
