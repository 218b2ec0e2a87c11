"""The same lines, or the same items of a list on one line, in another order."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from promptlint.matchers._frames import stripped
from promptlint.matchers._repairs import all_mark
from promptlint.matchers._sites import Site, found, text_site, tool_site
from promptlint.matchers._values import compiled
from promptlint.model.matching import Change, FromAfter, Match, Repair
from promptlint.model.prompt import Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"count", "unit"})

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Where a list begins on its line: behind a label, a bracket or the verb.
_LIST_START = r"[:=({\[]\s{0,3}|\b(?:are|is|include|includes|including|contains?|of|from|use|with|for|to|like)\s"
# What parts items, the surest first. Items between blanks only count behind a label, and three of them.
_SEPARATORS = (
    r"\s{0,3};\s{0,3}",
    r"\s{0,3}\|\s{0,3}",
    r"\s{0,3}[,、，]\s{0,3}(?:(?:and|or|und|oder|et|ou|y|e)\s)?|\s(?:and|or|und|oder|et|ou|y)\s",
    r"\s[/·•]\s|[·•]",
    r"\s+",
)
_BEHIND_LISTS = " \t<)]}\"'.;:!?"
_EDGES = " \t.()[]{}\"'`“”„;,"
_MOST_WORDS = 12  # in an item
_LONGEST_LINE = 20_000
PATTERNS = (_LIST_START, *_SEPARATORS)


@dataclass(frozen=True, slots=True)
class Params:
    """`max_lines` bounds the region that is looked at."""

    max_lines: int = 100_000


def match(change: Change, params: Params) -> Match | None:
    blocks = _whole_blocks(change)
    if blocks is not None:
        return blocks
    site = text_site(change) or tool_site(change)
    if site is None:
        return None
    region = _lines(site, params.max_lines) or _items(site)
    if region is None:
        return None
    old, new, count, unit = region
    return found(change, site, old, new, {"count": str(count), "unit": unit}, len(new))


_Region = tuple[Span, Span, int, str]


def _whole_blocks(change: Change) -> Match | None:
    """The blocks of the system text come in another order."""
    texts = []
    for components in (change.before, change.after):
        places = [
            index
            for index, component in enumerate(components)
            if component.section is Section.SYSTEM and component.kind is Kind.TEXT and index >= change.at_after
        ]
        texts.append((places, [components[index].text for index in places]))
    (old, left), (new, right) = texts
    if change.at_after not in new or left == right or Counter(left) != Counter(right) or len(set(left)) < 2:
        return None
    later = dict[str, list[int]]()
    for index in new:
        later.setdefault(change.after[index].text, []).append(index)
    # Components between the blocks (roles) stay where they are.
    order = iter(later[text].pop(0) for text in left)
    parts = tuple(FromAfter(next(order) if index in new else index) for index in range(new[0], new[-1] + 1))
    return Match(
        after=all_mark(change.at_after, change.after[change.at_after]),
        before=all_mark(old[0], change.before[old[0]]),
        repair=Repair(new[0], new[-1] + 1, parts),
        facts={"count": str(len(new)), "unit": "blocks"},
        weight=len(right[0]),
    )


def _lines(site: Site, limit: int) -> _Region | None:
    """The shortest run of lines from the first difference on that holds the same lines on both sides."""
    before, after = site.before, site.after
    start = before.rfind("\n", 0, site.first) + 1
    # The first line of either side must stand on the other one too: seldom so, and quickly seen.
    heads = [stripped(match[0]) for text in (before, after) if (match := _LINE.match(text, start))]
    if len(heads) < 2 or after.find(heads[0], start) < 0 or before.find(heads[1], start) < 0:
        return None
    balance: Counter[str] = Counter()
    open_lines = filled = 0
    ends = [start, start]
    pairs = zip(_LINE.finditer(before, start), _LINE.finditer(after, start), strict=False)
    for count, (old, new) in enumerate(pairs, 1):
        kept = _shared_end(old[0], new[0]) if open_lines == 2 else 0
        if kept and balance[_key(new[0], kept)] == 1 and balance[_key(old[0], kept)] == -1:
            # The last of them goes on with text that stays where it is.
            filled += 1
            ends, open_lines = [old.end() - kept, new.end() - kept], 0
            break
        for text, step in ((old[0], 1), (new[0], -1)):
            key = _key(text)
            open_lines += abs(balance[key] + step) - abs(balance[key])
            balance[key] += step
            filled += bool(key) and step > 0
        ends = [old.end(), new.end()]
        if open_lines == 0:
            break
        if count >= limit:
            return None
    # Two runs of different length may still balance: the shorter one ended first.
    if open_lines or filled < 2:
        return None
    return _trimmed(before, Span(start, ends[0])), _trimmed(after, Span(start, ends[1])), filled, "lines"


def _key(line: str, kept: int = 0) -> str:
    return stripped(line[: len(line) - kept].rstrip("\r\n,"))


def _trimmed(text: str, span: Span) -> Span:
    return Span(span.start, span.start + len(text[span.start : span.end].rstrip("\r\n")))


def _items(site: Site) -> _Region | None:
    """The same for the items of a list on one line."""
    begin = site.after.rfind("\n", 0, site.first) + 1
    ends = [text.find("\n", site.first) for text in (site.before, site.after)]
    old_end, new_end = (
        len(text) if end < 0 else end for text, end in zip((site.before, site.after), ends, strict=True)
    )
    if max(old_end, new_end) - begin > _LONGEST_LINE:
        return None
    kept = _shared_end(site.before[site.first : old_end], site.after[site.first : new_end])
    old_end, new_end = old_end - kept, new_end - kept
    lead = site.after[begin : site.first]
    starts = [match.end() for match in compiled(_LIST_START).finditer(lead, 0, len(lead))]
    for start in (*reversed(starts[-8:]), _word_start(lead), 0):
        labelled = lead[:start].rstrip()[-1:] in (":", "=", "[", "(", "{")
        for separator in _SEPARATORS if labelled else _SEPARATORS[:-1]:
            region = _moved(site, Span(begin + start, old_end), Span(begin + start, new_end), separator)
            if region is not None:
                return region
    return None


def _word_start(lead: str) -> int:
    start = len(lead)
    while start > 0 and lead[start - 1].isalnum():
        start -= 1
    return start


def _shared_end(before: str, after: str) -> int:
    """Characters at the end, from a word's start, that both lines share: what follows the list."""
    kept = 0
    while kept < min(len(before), len(after)) and before[-1 - kept] == after[-1 - kept]:
        kept += 1
    while kept and after[len(after) - kept] not in _BEHIND_LISTS:
        kept -= 1
    return kept


def _moved(site: Site, before: Span, after: Span, separator: str) -> _Region | None:
    """The items between two separators that stand in another order, from the first to the last that moved."""
    old, new = _split(site.before, before, separator), _split(site.after, after, separator)
    if len(old) != len(new):
        return None
    left_words = [site.before[item.start : item.end].strip(_EDGES) for item in old]
    right_words = [site.after[item.start : item.end].strip(_EDGES) for item in new]
    differing = [index for index, pair in enumerate(zip(left_words, right_words, strict=True)) if pair[0] != pair[1]]
    if not differing:
        return None
    first, last = differing[0], differing[-1] + 1
    words = right_words[first:last]
    if Counter(left_words[first:last]) != Counter(words) or max(len(item.split()) for item in words) > _MOST_WORDS:
        return None
    if last - first < (3 if separator == _SEPARATORS[-1] else 2):
        return None
    spans = [
        Span(_core(text, items[first]).start, _core(text, items[last - 1]).end)
        for text, items in ((site.before, old), (site.after, new))
    ]
    return spans[0], spans[1], last - first, "items"


def _split(text: str, span: Span, separator: str) -> list[Span]:
    items = []
    start = span.start
    for match in compiled(separator).finditer(text, span.start, span.end):
        items.append(Span(start, match.start()))
        start = match.end()
    return [*items, Span(start, span.end)]


def _core(text: str, item: Span) -> Span:
    """An item without the brackets, quotes and full stop around it."""
    words = text[item.start : item.end]
    start = item.start + len(words) - len(words.lstrip(_EDGES))
    return Span(start, max(start, item.start + len(words.rstrip(_EDGES))))
