"""What surrounds a process differs: a value (directory, branch, mode) or lines of a listing or status."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from promptlint.matchers._environment import drawn_segment, is_surrounding, on_surroundings
from promptlint.matchers._frames import differing_lines
from promptlint.matchers._labels import LABEL_LINE, block_titles, words_of
from promptlint.matchers._live import narrowest
from promptlint.matchers._sites import Site, found, text_site
from promptlint.matchers._values import compiled
from promptlint.model.matching import Change, Match
from promptlint.model.source import Span

FACTS = frozenset({"before_value", "after_value"})

_NAME = r"[\w.@+~$-]{1,120}"
_ENTRIES = (
    r"[ \t]*[│├└|`+\\ \t─-]{0,40}[├└|`+\\][─-]{1,3}[ \t]*\S[^\n]{0,160}",  # a tree
    r"[ \t]*(?:[MADRCUT?!]{1,2}|[ ]?[MADRCUT])[ \t]{1,3}\S{1,200}(?: -> \S{1,200})?",  # git status --short
    r"[ \t]*(?:modified|new file|deleted|renamed|untracked|both modified|copied)\s?:\s{1,10}\S[^\n]{0,200}",
    r"[d-][rwx-]{9}[^\n]{0,200}",  # ls -l
    r"[\w.-]{1,80}[ \t]+\d{1,4}/\d{1,4}[ \t]+[A-Z]\w{2,40}[^\n]{0,120}",  # kubectl get pods
    rf"[ \t]*(?:[-*•] )?[`'\"]?(?:\.{{0,2}}|~|"
    rf"[A-Za-z]:)?(?:[/\\]?{_NAME}){{0,1}}(?:[/\\]{_NAME}){{1,20}}[/\\]?[`'\"]?(?:[ \t]+[(\[][^\n]{{0,60}}|"
    rf"[ \t]+[\d.,]+ ?[kKMG]?B?)?",
    rf"[ \t]*(?:[-*•] )?[`'\"]?(?:{_NAME}/|[\w@+-][\w.@+-]{{0,100}}\.[A-Za-z]\w{{0,7}}|\.[a-z]\w{{2,20}}|"
    rf"Makefile|Dockerfile|LICENSE|README)[`'\"]?"
    r"(?:[ \t]+[(\[][^\n]{0,60}|[ \t]+[\d.,]+ ?[kKMG]?B?)?",
    r"[ \t]*[*|\\/ ]{0,6}[0-9a-f]{7,12} \S[^\n]{0,160}",  # git log --oneline
    r"(?:\#\# |On branch |HEAD detached |nothing to commit|Untracked files|Changes (?:not )?|Your branch )[^\n]{0,160}",
)  # fmt: skip
_TITLE = r"\b(?:git|status|files?|tree|director(?:y|ies)|folders?|listing|layout|structure|changes|changed|commits?)\b"
_NOTES = r"\.(?:mdc?|txt|rst|org)\b"  # a file whose lines somebody wrote, whatever they are about
_WEIGHT = 400
_MOST = 3000  # lines of a listing
PATTERNS = (*_ENTRIES, _TITLE, _NOTES)


@dataclass(frozen=True, slots=True)
class Params:
    """`sections`: names of sections that are looked at."""

    sections: tuple[str, ...] = ()


def match(change: Change, params: Params) -> Match | None:
    site = text_site(change)
    if site is None or (params.sections and site.section.value not in params.sections):
        return None
    lines = _listing(site) or _labelled_lines(site)
    if lines is not None:
        old, new = lines
        facts = {"before_value": _shown(site.before, old), "after_value": _shown(site.after, new)}
        return found(change, site, old, new, facts, _WEIGHT)
    best = narrowest(site, "environment")
    if best is None:
        return None
    pair, weight = best
    facts = {"before_value": pair.before_text, "after_value": pair.after_text}
    return found(change, site, pair.before, pair.after, facts, weight)


def _shown(text: str, span: Span) -> str:
    lines = text[span.start : span.end].strip("\n").split("\n")
    return (lines[0].strip()[:40] or "nothing") + (f" and {len(lines) - 1} more lines" if len(lines) > 1 else "")


def _listing(site: Site) -> tuple[Span, Span] | None:
    """The lines of a listing that differ; a listing has at least two lines that look like entries."""
    start = site.after.rfind("\n", 0, site.first) + 1
    old, new = _entries(site.before, start), _entries(site.after, start)
    above = _entry(site.after[site.after.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)])
    left, right = Counter(old), Counter(new)
    kept = sum((left & right).values())
    titled = any(compiled(_TITLE).search(title) for title in block_titles(site.after, start))
    if len(old) == len(new) == 1 and drawn_segment(old[0], new[0]):
        return None
    if left == right or above + kept + titled < 1 or (above + max(len(old), len(new)) < 2 and not titled):
        return None
    ends = [start + sum(len(line) + 1 for line in lines) for lines in (old, new)]
    return differing_lines(
        site, Span(start, min(len(site.before), ends[0])), Span(start, min(len(site.after), ends[1]))
    )


def _entry(line: str) -> bool:
    return bool(line.strip()) and any(compiled(pattern).fits(line.rstrip()) for pattern in _ENTRIES)


def _entries(text: str, start: int) -> list[str]:
    """The run of entries that begins at a line."""
    found: list[str] = []
    while start < len(text) and len(found) < _MOST:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > 400 or not _entry(text[start:end]):
            break
        found.append(text[start:end])
        start = end + 1
    return found


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : len(text) if end < 0 else end]


def _labelled_lines(site: Site) -> tuple[Span, Span] | None:
    """Lines such as `Git branch: main` that only one side has, in a block of such lines."""
    start = site.after.rfind("\n", 0, site.first) + 1
    if any(compiled(_NOTES).search(title) for title in block_titles(site.after, start)):
        return None
    for longer, shorter, swap in ((site.after, site.before, False), (site.before, site.after, True)):
        end = start
        while (line := compiled(LABEL_LINE).match(longer, end, min(len(longer), end + 300))) and line.start() == end:
            if not is_surrounding(words_of(line[1])) or _line(longer, end) == _line(shorter, start):
                break
            newline = longer.find("\n", end)
            end = len(longer) if newline < 0 else newline + 1
        if end > start and _line(longer, end) == _line(shorter, start) and on_surroundings(site):
            spans = Span(start, start), Span(start, end)
            return (spans[1], spans[0]) if swap else spans
    return None
