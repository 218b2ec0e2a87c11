"""Frames in prompt text: the heading, tag or title line that a place stands under, and where what it holds ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._realign import realigned
from promptlint.matchers._sites import Site
from promptlint.matchers._values import compiled
from promptlint.model.source import Span

# Lines that open, close or title something.
# Groups: heading marks, heading, closing tag, opening tag, title, rule, title in brackets, what has come to its end.
_STRUCTURE = (
    r"(?m)^(?:(#{1,6})[ \t]+([^\n]{1,120})"
    r"|[ \t]*</([A-Za-z][\w:.-]{0,60})>[ \t]*"
    r"|[ \t]*<([A-Za-z][^<>\n]{0,160})>(?=[ \t]*$|[^\n<]*$)"
    r"|(?:[^\n]{0,2000}[.!?][ ])?[ \t]*(?:[*_]{2}|`)?([^\W\d_](?:[^\n:|{}.!?]|\.(?=\S)){1,90}):(?:[*_]{2})?[ \t]*"
    r"|[ \t]*[-=#*~]{2,}[ \t]*([^\n=~]{2,80}?)[ \t]*[-=#*~]{2,}[ \t]*"
    r"|[ \t]*\[([A-Z][^\]\n]{2,60})\][ \t]*"
    r"|[ \t]*[(*_]{0,2}(end of (?:[\w./-]+[ ]){0,3}[\w/-][\w./-]*)[)*_]{0,2}[ \t]*)$"
)
PATTERNS = (_STRUCTURE,)
_LIST = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])[ \t]").match
# A paragraph behind a blank line, where the frame holds a list.
_PAST_LIST = re.compile(r"\n[ \t]*\n(?![ \t]|\s*(?:[-*•]|\d{1,3}[.)])[ \t])()\S").search
_RESULT = re.compile(r"\s*^\[\d{1,3}\][ \t]", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=\S)")
_REACH = 60_000  # characters before the difference in which its frame must begin
_CLOSE = 200_000  # and in which it must end
_LONG_RUN = 80  # characters of equal lines behind which another difference is another one
_ANCHOR = 60  # characters that must stand behind a frame that only one side has


@dataclass(frozen=True, slots=True)
class Frame:
    """`title` as written; the content begins at `start` in both texts and ends at `end_before` and `end_after`."""

    title: str
    start: int
    end_before: int
    end_after: int
    tag: bool


@dataclass(frozen=True, slots=True)
class _Line:
    kind: str  # heading, close, tag, title, end
    text: str
    level: int
    start: int
    end: int


def frames(site: Site) -> Iterator[Frame]:
    """The frames around the first difference, the innermost first. Both sides share all text before it."""
    begin = max(0, site.first - _REACH)
    line = site.after.rfind("\n", 0, site.first) + 1
    opened: list[_Line] = []
    for item in _lines(site.after, begin, line):
        if item.kind == "close":
            while opened and (opened.pop().text.split() or [""])[0] != item.text:
                pass
            continue
        if item.kind == "end":
            named = [index for index, other in enumerate(opened) if _ends(item, other)]
            del opened[named[-1] if named else len(opened) :]
            continue
        if item.kind != "tag":
            # A heading ends what stands below headings of its level; a title line ends the title line before it.
            while opened and opened[-1].kind != "tag" and opened[-1].level >= item.level:
                opened.pop()
        opened.append(item)
    for item in reversed(opened):
        ends = [_end(text, item, site.first) for text in (site.before, site.after)]
        ends = _past_results(site, item, ends)
        if min(ends) >= line:  # else it has ended before the difference
            yield Frame(item.text, item.end, ends[0], ends[1], item.kind == "tag")


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    for match in compiled(_STRUCTURE).finditer(text, start, end):
        marks, heading, close, tag, title, rule, bracket, ended = match.groups()
        if heading:
            yield _Line("heading", heading.strip(" #"), len(marks), match.start(), match.end())
        elif close:
            yield _Line("close", close, 0, match.start(), match.end())
        elif tag:
            yield _Line("tag", tag.rstrip("/ "), 0, match.start(), match.end())
        elif ended:
            yield _Line("end", ended, 0, match.start(), match.end())
        else:
            words = (title or rule or bracket).strip(" *_`-#")
            if words:  # else a line of marks below a heading
                yield _Line("title", words, 9 if title else 8, match.start(), match.end())


def _end(text: str, opener: _Line, first: int) -> int:
    """Where the content of a frame ends in one text: its closing tag, or the next heading that is not below it."""
    limit = min(len(text), first + _CLOSE)
    if opener.kind == "tag":
        here = max(opener.end, text.rfind("\n", 0, first) + 1)
        close = text.find(f"</{opener.text.split()[0]}>", here, limit)
        return close if close >= 0 else limit
    inside: list[str] = []  # tags that are opened below it
    for item in _lines(text, opener.end, limit):
        if item.kind == "tag":
            inside.append(item.text.split()[0])
        elif item.kind == "close" and item.text in inside:
            del inside[inside.index(item.text) :]
        elif item.start >= first and _ends(item, opener):
            limit = item.start
            break
    past = _PAST_LIST(text, opener.end, limit) if _LIST(text, opener.end) else None
    return past.start(1) if past else limit


def _ends(item: _Line, opener: _Line) -> bool:
    """Whether a line ends what stands below a heading or a title line."""
    if item.kind == "end":  # a title line, or the heading that it names
        return opener.kind == "title" or bool({*opener.text.lower().split()} & {*item.text.lower().split()[2:]})
    return item.kind == "close" or (item.kind != "tag" and item.level <= opener.level)


def _past_results(site: Site, opener: _Line, ends: list[int]) -> list[int]:
    """Where a paragraph that both sides have follows numbered results, which may have paragraphs of their own."""
    if opener.kind == "tag" or not _RESULT.match(site.after, opener.end):
        return ends
    starts: list[dict[str, int]] = []
    for text, end in zip((site.before, site.after), ends, strict=True):
        last = max((match.end() for match in _RESULT.finditer(text, opener.end, end)), default=opener.end)
        found = _PARAGRAPH.finditer(text, last, end)
        starts.append({text[match.end() : match.end() + _ANCHOR]: match.end() for match in found})
    return next(([starts[0][head], start] for head, start in starts[1].items() if head in starts[0]), ends)


def trimmed(site: Site, frame: Frame) -> tuple[Span, Span]:
    """What differs in a frame, as whole lines on both sides: from the first differing line to the last one."""
    start = max(frame.start, site.after.rfind("\n", 0, site.first) + 1)
    ends = realigned(site, start, _LONG_RUN) or (len(site.before), len(site.after))
    if ends[0] >= frame.end_before or ends[1] >= frame.end_after:
        ends = (frame.end_before, frame.end_after)
    return differing_lines(site, Span(start, ends[0]), Span(start, ends[1]))


def differing_lines(site: Site, before: Span, after: Span) -> tuple[Span, Span]:
    """Two runs of lines without the lines that they share at the end (nor the line end before those)."""
    old, new = site.before[before.start : before.end].split("\n"), site.after[after.start : after.end].split("\n")
    shared = 0
    while shared < min(len(old), len(new)) and old[-1 - shared] == new[-1 - shared]:
        shared += 1
    kept = sum(len(line) + 1 for line in new[len(new) - shared :]) - 1 if shared else 0
    kept += 0 < shared < min(len(old), len(new))
    return Span(before.start, before.end - kept), Span(after.start, after.end - kept)


def stripped(line: str) -> str:
    """A line without the number or bullet that a list gives it."""
    return re.sub(r"^\s*(?:[-*•]|\d{1,4}[.):]|\[\d{1,4}\])\s*", "", line).strip()


def inserted(site: Site) -> Iterator[Frame]:
    """A frame that stands on one side only, title and all, between text that is the same on both."""
    start = site.after.rfind("\n", 0, site.first) + 1
    for longer, shorter in ((site.after, site.before), (site.before, site.after)):
        item = next(_lines(longer, start, min(len(longer), site.first + 400)), None)
        if item is None or longer[start : item.start].strip() or item.kind in ("close", "end"):
            continue
        # What stands there at once on the shorter side follows the frame on the longer one.
        behind = shorter[start : start + _ANCHOR]
        end = longer.find(behind, item.end) if behind.strip() else len(longer)
        if end >= 0:
            ends = (start, end) if longer is site.after else (end, start)
            yield Frame(item.text, start, *ends, item.kind == "tag")
            return
