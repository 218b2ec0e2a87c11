"""Labelled values: `label: value` lines and phrases, what a label says, what the block around it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, pair_of
from promptlint.model.source import Span

# A label ends in a colon, an equals sign, a tag's bracket, a table's bar or a verb; the value follows.
_LABEL_END = r"[\"'`*_]{0,3}\s{0,3}(?:[:=：|>]|\b(?:is|are|was|named|called)\b)[\"'`*_]{0,3}\s{0,3}[\"'`(]?"
_STOP = re.compile(
    r"[\n\"<>|`;]|,(?=\s|$)|(?<!\b[A-Z])(?<!\b[DM]r)(?<!\bMs)(?<!\bMrs)(?<!\bSt)[.!?](?=\s|$)|"
    r"\s(?=and\s|on\s(?:branch|port|host)\s)|\s(?=[\w-]{2,20}=)|[)\]}](?=\W|$)|'(?=\W|$)"
)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
LABEL_LINE = (
    r"(?m)^[ \t]*(?:[-*•|]\s+)?[*_`\"'<]{0,3}([A-Za-zÀ-ÿ][\w .'’/()-]{0,40}?)[*_`\"']{0,3}\s?(?:[:=>|]|:\*\*)\s*\S"
)
_BLOCK_TITLE = (
    r"(?m)^(?:#{1,6}\s+(.{1,80})|[ \t]*<([A-Za-z][\w:.-]{1,40})[^<>\n]{0,80}>|([^\n:]{1,60}):|"
    r"\[([^\]\n]{2,50})\])[ \t]*$"
)
_HOLDER = r"(?:\"([\w-]{2,30})\"\s?:\s?\{|<([\w-]{2,30})>\s?<)[^{}]{0,120}$"
PATTERNS = (_HOLDER, _LABEL_END, LABEL_LINE, _BLOCK_TITLE)
_VALUE = 200  # longest value
_FEW_WORDS = 6
_MOST_WORDS = 12  # of a value; what is longer is a sentence that follows a label by chance


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value that differs and the words of the label before it (lower case).

    `own_line`: label and value are the whole line. `verb`: the label ends in `is` or the like, so it may be prose.
    """

    pair: ValuePair
    words: frozenset[str]
    own_line: bool
    verb: bool


def words_of(label: str) -> frozenset[str]:
    """`userFullName`, `user_full_name` and `User full name` give the same words."""
    return frozenset(word.lower() for word in _CAMEL.findall(label))


def labelled(site: Site) -> Iterator[Labelled]:
    """Values that hold the first difference and follow a label on the same line, the nearest label first."""
    line = site.line_start()
    lead = site.after[line : site.first]
    ends = [match for match in compiled(_LABEL_END).finditer(lead, 0, len(lead)) if match.end() <= len(lead)]
    for match in reversed(ends):
        label = _words_before(lead[: match.start()])
        if not label:
            continue
        start = line + match.end()
        heads = not lead[: match.start()].replace(label, "").strip(" -*•_`\"'|<")
        for old, new in _extents(site, start, heads):
            if not go_on_alike(site, old.end, new.end):
                continue
            pair = pair_of(site, old, new)
            if pair.before_text == pair.after_text or _length(pair) > _MOST_WORDS or ";" in pair.after_text:
                continue  # nothing differs, a sentence, a row of settings that have labels of their own
            own = heads and site.after[new.end : new.end + 2].removeprefix(",")[:1] in ("", "\n", "\r")
            yield Labelled(
                pair, words_of(label) | words_of(_holder(lead[: match.start()])), own, match[0].strip().isalpha()
            )
            break


def _extents(site: Site, start: int, heads: bool) -> Iterator[tuple[Span, Span]]:
    """Where a value may end: at a mark of punctuation, with the line, or where the texts agree again.

    A short value ends at its mark; a long one is more likely one that running text follows without a mark.
    """
    marked = _value(site.before, start, site.first), _value(site.after, start, site.first)
    agreeing = _until_agreed(site, start)
    line = (_rest_of_line(site.before, start, site.first), _rest_of_line(site.after, start, site.first))
    short = all(span and len(text[span.start : span.end].split()) <= _FEW_WORDS for text, span in _sides(site, marked))
    rest = (line,) if heads else ()
    for old, new in (marked, *rest, agreeing) if short else (agreeing, marked, *rest):
        if old and new:
            yield old, new


def _sides(site: Site, spans: tuple[Span | None, Span | None]) -> tuple[tuple[str, Span | None], ...]:
    return (site.before, spans[0]), (site.after, spans[1])


def _until_agreed(site: Site, start: int) -> tuple[Span | None, Span | None]:
    ends = site.end_before, site.end_after
    if min(ends) <= start or max(ends) > start + 80:
        return None, None
    if any(_STOP.search(text, start, end) for text, end in zip((site.before, site.after), ends, strict=True)):
        return None, None
    return Span(start, ends[0]), Span(start, ends[1])


def _length(pair: ValuePair) -> int:
    return max(len(pair.before_text.split()), len(pair.after_text.split()))


def _holder(lead: str) -> str:
    """The key of the object, or the tag, that holds a labelled value on the same line."""
    found = next(compiled(_HOLDER).finditer(lead[-160:], 0, 160), None)
    return "" if found is None else found[1] or found[2]


def _words_before(lead: str) -> str:
    """The label: up to five words at the end of a text."""
    clause = re.split(r"[,;(<{\[]\s*|[.!?]\s|\band\b", lead[-60:])[-1].strip(" -*•_`\"'|")
    return " ".join(clause.split()[-5:])


def _value(text: str, start: int, first: int) -> Span | None:
    """The value that begins at an offset: up to a quote, a comma, the end of the sentence or of the line."""
    stop = _STOP.search(text, start, start + _VALUE)
    end = stop.start() if stop else min(len(text), start + _VALUE)
    while end > start and text[end - 1] in " \t\r.":
        end -= 1
    return Span(start, end) if first <= end and end > start else None


def _rest_of_line(text: str, start: int, first: int) -> Span | None:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return Span(start, end) if first <= end <= start + 80 and end > start else None


def block_titles(text: str, at: int) -> list[str]:
    """The title of the block that holds a place (heading, tag, line with a colon), and the labels of its lines."""
    line = text.rfind("\n", 0, at) + 1
    before = text[max(0, line - 2000) : line]
    titles = list(compiled(_BLOCK_TITLE).finditer(before, 0, len(before)))
    return [next(group for group in match.groups() if group) for match in titles[-1:]]


def neighbour_labels(text: str, at: int) -> list[frozenset[str]]:
    """The labels of the lines around a place, up to the next blank line on each side."""
    start = max(text.rfind("\n\n", 0, at) + 1, at - 1500)
    end = text.find("\n\n", at)
    end = min(len(text) if end < 0 else end, at + 1500)
    here = (text.rfind("\n", 0, at) + 1, text.find("\n", at))
    stop = here[1] if here[1] >= 0 else len(text)
    lines = compiled(LABEL_LINE).finditer(text, start, end)
    return [words_of(match[1]) for match in lines if not here[0] <= match.start() < stop]
