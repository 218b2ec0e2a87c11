"""Below a heading or in a tag that stays the same stands other text: looked-up passages, or the text of a file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from promptlint.matchers._blocks import Blocks, marks, other_blocks, set_equal
from promptlint.matchers._frames import Frame, frames, inserted, stripped, trimmed
from promptlint.matchers._passages import have_little_in_common
from promptlint.matchers._sites import Site, found, text_site
from promptlint.matchers._values import compiled
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import Section
from promptlint.model.source import Span

FACTS = frozenset({"frame", "removed", "added", "kept"})

_WORD = re.compile(r"[^\W\d_]{3,}")
# Marks of a search result: numbers in brackets, sources, scores, addresses of pages.
_CHUNK = (
    r"(?m)^\s*(?:\[\d{1,3}\]|<(?:doc|document|passage|chunk|result|source|item|memory|snippet)\b|"
    r"(?:source|title|url|score|relevance|similarity|distance|chunk|document|passage|page|from)\s*(?:\d{1,3}\s*)?[:=#])"
    r"|\((?:score|relevance|similarity|distance)[:=\s]"
)
_FEW_WORDS = 2  # fewer of them are a value and no passage
_FEW_CHUNKS = 2
_DEPTH = 3  # frames that are looked at, from the innermost out
_WEIGHT = 300
PATTERNS = (_CHUNK,)


@dataclass(frozen=True, slots=True)
class Params:
    """Patterns of frame titles for each way in which the text below may differ.

    `titles`: in whichever way; `exchanged`: other passages of that kind; `grown`: there are only more or only fewer;
    `edited`: the same lines in other words. `unlike`: titles that are never meant. `loose`: where the text has the
    marks of a search result, any title will do for `exchanged`.
    """

    titles: tuple[str, ...] = ()
    exchanged: tuple[str, ...] = ()
    grown: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines that only one side has, and how many both have; the spans run from the first differing line to the last."""

    before: Span
    after: Span
    removed: tuple[str, ...]
    added: tuple[str, ...]
    kept: int


def match(change: Change, params: Params) -> Match | None:
    blocks = other_blocks(change)
    if blocks is not None:
        return _whole_blocks(change, blocks, params)
    site = text_site(change)
    if site is None or site.section is not Section.SYSTEM:
        return None
    best: Match | None = None
    weight = 0
    for depth, frame in enumerate((*inserted(site), *islice(frames(site), _DEPTH))):
        difference = _difference(site, frame)
        if not difference.removed and not difference.added:
            if difference.before.end == difference.before.start and difference.after.end == difference.after.start:
                continue  # it ends before the difference
            return None  # the same lines: only their order differs
        if _fits(params, frame.title, difference, site.after[frame.start : frame.end_after]):
            # The innermost title says best what it is, the widest frame what belongs to it (all documents of a list).
            weight = weight or _WEIGHT - depth
            best = found(change, site, difference.before, difference.after, _facts(frame.title, difference), weight)
    return best


def _facts(title: str, difference: Difference) -> dict[str, str]:
    counts = {"removed": len(difference.removed), "added": len(difference.added), "kept": difference.kept}
    return {"frame": title[:60], **{name: str(count) for name, count in counts.items()}}


def _whole_blocks(change: Change, blocks: Blocks, params: Params) -> Match | None:
    """Blocks of the system text that only one side has, titled in their first line."""
    after, before = marks(change, blocks)
    sides = [
        (components[mark.index].text if mark else "")
        for components, mark in ((change.after, after), (change.before, before))
    ]
    title = (sides[0] or sides[1]).lstrip().partition("\n")[0].strip(" #<>*:=-")[:120]
    came, went = (tuple(filter(None, map(stripped, text.split("\n")))) for text in sides)
    difference = Difference(Span(0, 0), Span(0, 0), went, came, 0)
    if not title or not _fits(params, title, difference, sides[0] or sides[1]):
        return None
    facts = _facts(title, difference)
    return Match(after, before, set_equal(change, blocks), facts, _WEIGHT)


def _difference(site: Site, frame: Frame) -> Difference:
    before, after = trimmed(site, frame)
    old, new = _lines(site.before, before), _lines(site.after, after)
    frames = (
        _lines(site.before, Span(frame.start, frame.end_before)),
        _lines(site.after, Span(frame.start, frame.end_after)),
    )
    kept = sum((frames[0] & frames[1]).values())
    return Difference(before, after, tuple((old - new).elements()), tuple((new - old).elements()), kept)


def _lines(text: str, span: Span) -> Counter[str]:
    return Counter(filter(None, map(stripped, text[span.start : span.end].split("\n"))))


def _fits(params: Params, title: str, difference: Difference, text: str) -> bool:
    titles = (*params.titles, *getattr(params, _kind(difference)))
    title = title.replace("_", " ")
    if any(compiled(pattern).search(title) for pattern in params.unlike):
        return False
    if any(compiled(pattern).search(title) for pattern in titles):
        return True
    marks = len(list(islice(compiled(_CHUNK).finditer(text, 0, len(text)), _FEW_CHUNKS)))
    return params.loose and _kind(difference) == "exchanged" and marks == _FEW_CHUNKS


def _kind(difference: Difference) -> str:
    """`grown`, `exchanged` (what came has little in common with what went) or `edited`."""
    if not difference.removed or not difference.added:
        return "grown"
    went, came = " ".join(difference.removed), " ".join(difference.added)
    words = [_WORD.findall(text.lower()) for text in (went, came)]
    if min(map(len, words)) < _FEW_WORDS or _one_label(difference):
        return "edited"
    return "exchanged" if have_little_in_common(went, came) else "edited"


def _one_label(difference: Difference) -> bool:
    """Whether a single line `label: value` has another value."""
    if len(difference.removed) != 1 or len(difference.added) != 1:
        return False
    labels = {line.partition(":")[0] for line in (difference.removed[0], difference.added[0]) if ":" in line}
    label = labels.pop() if len(labels) == 1 else ""
    return bool(label) and len(label.split()) <= 4 and not set(label) & set("[{")
