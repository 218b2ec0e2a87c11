"""A text in a tool's definition holds a value that is read at run time, or a list whose members change."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from promptlint.matchers._frames import differing_lines, stripped
from promptlint.matchers._live import FINDERS, narrowest
from promptlint.matchers._sites import Site, found, tool_site
from promptlint.matchers._values import compiled
from promptlint.model.history import went_on
from promptlint.model.matching import Change, Match
from promptlint.model.source import Span

FACTS = frozenset({"tool", "what", "before_value", "after_value"})

_ITEM = (
    r"[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+\S[^\n]{0,400}|[ "
    r"\t]*<(\w[\w-]{0,40})(?:\s[^\n<>]{0,200})?>[^\n]{0,400}(?:</\1>|/>)[ \t]*"
)
_LIST_LABEL = (
    r"\b(?:available|known|current(?:ly)?|configured|connected|installed|registered|existing|enabled|active|supported|"
    r"agents?|subagents?|skills?|servers?|files?|models?|commands?|channels?|users?|projects?|tables?|datasets?|"
    r"collections?|sources?|types?|names?|rooms?|devices?|workflows?)\b[^\n:]{0,40}(?::|\bare\b)\s*$"
)
_WORDS = {"clock": "a clock", "date": "a date", "counter": "a counter", "environment": "the surroundings",
          "identity": "an identity", "id": "an id"}  # fmt: skip
_WEIGHT = 40
_NUMBER = r"\d+(?:[.,:]\d+)*"
PATTERNS = (_ITEM, _LIST_LABEL, _NUMBER)


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    site = tool_site(change)
    if site is None:
        return None
    for kind in FINDERS:
        best = narrowest(site, kind)
        if best is not None:
            pair, weight = best
            facts = _facts(change, _WORDS[kind], pair.before_text, pair.after_text)
            return found(change, site, pair.before, pair.after, facts, weight)
    spans, what = _lines(site) or _inline(site), "a list"
    if spans is None:
        spans, what = _numbers(change, site), "a number"
    if spans is None:
        return None
    old, new = spans
    facts = _facts(change, what, site.before[old.start : old.end], site.after[new.start : new.end])
    return found(change, site, old, new, facts, _WEIGHT)


def _facts(change: Change, what: str, old: str, new: str) -> dict[str, str]:
    assert change.component_after is not None
    return {"tool": change.component_after.name, "what": what, "before_value": old, "after_value": new}


def _lines(site: Site) -> tuple[Span, Span] | None:
    """Lines of a list that came or went, while the list kept others."""
    start = site.after.rfind("\n", 0, site.first) + 1
    old, new = _items(site.before, start), _items(site.after, start)
    above = compiled(_ITEM).fits(site.after[site.after.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)])
    left, right = Counter(map(_head, old)), Counter(map(_head, new))
    if left == right or not (above or left & right):
        return None
    ends = [start + sum(len(line) + 1 for line in lines) for lines in (old, new)]
    return differing_lines(
        site, Span(start, min(len(site.before), ends[0])), Span(start, min(len(site.after), ends[1]))
    )


def _numbers(change: Change, site: Site) -> tuple[Span, Span] | None:
    """The first number that differs, of two texts of one conversation that are equal but for their numbers."""
    number = compiled(_NUMBER)
    sides = [[match.span() for match in number.finditer(text, 0, len(text))] for text in (site.before, site.after)]
    if len(sides[0]) != len(sides[1]) or not (site.same_conversation and went_on(change.before, change.after)):
        return None
    words = [_between(text, spans) for text, spans in zip((site.before, site.after), sides, strict=True)]
    pairs = zip(*sides, strict=True)
    spans = next(((old, new) for old, new in pairs if max(old[1], new[1]) > site.first), None)
    return (Span(*spans[0]), Span(*spans[1])) if words[0] == words[1] and spans else None


def _between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """What stands between some spans of a text."""
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _head(line: str) -> str:
    """The name of an entry: two lines of one name are an edited entry, not another one."""
    return re.split(r"[:(–—]|\s-\s", stripped(line), maxsplit=1)[0].strip(" *`")


def _items(text: str, start: int) -> list[str]:
    lines = []
    for line in text[start : start + 40_000].split("\n"):
        if not compiled(_ITEM).fits(line):
            break
        lines.append(line)
    return lines


def _inline(site: Site) -> tuple[Span, Span] | None:
    """`Available agents: a, b, c` with other members."""
    line = site.line_start()
    lead = site.after[line : site.first]
    label = next(compiled(_LIST_LABEL.removesuffix("$")).finditer(lead, 0, len(lead)), None)
    if label is None:
        return None
    start = line + label.end()
    spans = []
    for text in (site.before, site.after):
        end = re.compile(r"\.(?=\s|$)|\n|$").search(text, start)
        spans.append(Span(start, end.start() if end else len(text)))
    members = [
        {item.strip(" `\"'") for item in re.split(r",|\band\b", text[span.start : span.end])}
        for text, span in zip((site.before, site.after), spans, strict=True)
    ]
    if members[0] & members[1] - {""} and max(map(len, members)) >= 2:
        return spans[0], spans[1]
    return None
