"""Tags of a Jinja template with their places in the file.

jinja2 keeps line numbers only, and drops blanks that it trims. So every tag is given lines of its own (a newline behind
its opening and before its closing sign, where blanks mean nothing), and a line leads back to a tag or to the text
behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from promptlint.model.source import Span

_NEWLINE = re.compile(r"\r\n|\r|\n")  # as jinja2 counts lines
_OPEN = re.compile(r"\{([#%{])[-+]?")
_RAW = re.compile(r"\s*raw\s*[-+]?%\}")
_END_RAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_UNIT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^'\"\[\](){}%+-]+|.", re.DOTALL)
_CLOSE = {"%": re.compile(r"[-+]?%\}"), "{": re.compile(r"-?\}\}")}
_DEPTH = {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Regions:
    """`text` is the template with tags on lines of their own; `spans[i]` is what begins at line `lines[i]` of it.

    Spans count in the template as it was written. Tags and the texts between them take turns.
    """

    text: str
    lines: tuple[int, ...]
    spans: tuple[Span, ...]

    def at(self, line: int) -> Span:
        """The tag or text that begins at or before a line of `text`."""
        return self.spans[max(0, bisect_right(self.lines, line) - 1)]

    def tag_at(self, line: int) -> Span:
        """The tag at a line, or the one before the text there: the closing sign of a tag has the line of that text."""
        index = max(0, bisect_right(self.lines, line) - 1)
        return self.spans[index - 1 if index and index % 2 == 0 else index]


def regions(template: str) -> Regions:
    """Finds all tags; from one that is not closed on, the rest is one text (jinja2 says what is wrong)."""
    parts: list[str] = []
    lines, spans = [1], [Span(0, 0)]
    line, seen = 1, 0

    def take(end: int, more: str = "") -> None:
        nonlocal line, seen
        piece = template[seen:end] + more
        parts.append(piece)
        line += len(_NEWLINE.findall(piece))
        seen = end

    for start, inner, inner_end, end in _tags(template):
        spans[-1] = _trimmed(template, spans[-1].start, start)
        take(inner, "\n")
        lines.append(line)
        spans.append(Span(start, end))
        take(inner_end, "\n")
        lines.append(line)
        spans.append(Span(end, end))
        take(end)
    spans[-1] = _trimmed(template, spans[-1].start, len(template))
    take(len(template))
    return Regions("".join(parts), tuple(lines), tuple(spans))


def _trimmed(template: str, start: int, end: int) -> Span:
    """A text between two tags without the blanks around it."""
    text = template[start:end]
    lead = len(text) - len(text.lstrip())
    return Span(start + lead, start + max(lead, len(text.rstrip()))) if text.strip() else Span(start, end)


def _tags(template: str) -> list[tuple[int, int, int, int]]:
    """Start of each tag, start and end of what stands in it, and its end."""
    found = []
    place = 0
    while opened := _OPEN.search(template, place):
        inner = opened.end()
        raw = _RAW.match(template, inner) if opened[1] == "%" else None
        close = _CLOSE.get(opened[1])
        closed = _tag_end(template, inner, close) if close else _comment_end(template, inner)
        if closed is None:
            break
        found.append((opened.start(), inner, *closed))
        place = closed[1]
        if raw:
            over = _END_RAW.search(template, place)
            if over is None:
                break
            place = over.end()
    return found


def _comment_end(template: str, inner: int) -> tuple[int, int] | None:
    end = template.find("#}", inner)
    if end < 0:
        return None
    return (end - 1 if template[end - 1] in "-+" and end > inner else end), end + 2


def _tag_end(template: str, inner: int, close: re.Pattern[str]) -> tuple[int, int] | None:
    """Where the content of a tag ends, and the tag; no bracket or string is open there."""
    depth, place = 0, inner
    while unit := _UNIT.match(template, place):
        if depth <= 0 and (closed := close.match(template, place)):
            return closed.span()
        depth += _DEPTH.get(unit[0], 0)
        place = unit.end()
    return None
