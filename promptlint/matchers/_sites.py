"""The two texts that part at a divergence: a component's own, or one string inside a tool's JSON, decoded."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from promptlint.matchers._repairs import splice
from promptlint.model.finding import Scope
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Kind, Section
from promptlint.model.source import Span

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_TEXT_KINDS = (Kind.TEXT, Kind.TOOL_RESULT)
_LINE_REST = 80  # characters behind a value that tell whether the texts go on alike
_NEXT_WORD = re.compile(r"\W*\w+").match


@dataclass(frozen=True, slots=True)
class Site:
    """`first` is the first differing character; the first differing words end at `end_before` and `end_after`.

    `starts_*` map a decoded string's offsets to those of its JSON.
    """

    before: str
    after: str
    first: int
    end_before: int
    end_after: int
    scope: Scope
    section: Section
    starts_before: tuple[int, ...] = ()
    starts_after: tuple[int, ...] = ()

    @property
    def same_conversation(self) -> bool:
        return self.scope is Scope.SAME_CONVERSATION

    def line_start(self, limit: int = 240) -> int:
        """Where the line with the first difference begins (at most `limit` characters before it)."""
        return max(self.after.rfind("\n", 0, self.first) + 1, self.first - limit)


def text_site(change: Change) -> Site | None:
    """The texts of a divergence inside prompt text; None for anything else."""
    before, after, hunk = change.component_before, change.component_after, change.hunk
    if before is None or after is None or hunk is None or after.kind not in _TEXT_KINDS:
        return None
    return Site(before.text, after.text, hunk.first, hunk.before.end, hunk.after.end, change.scope, after.section)


def tool_site(change: Change) -> Site | None:
    """The decoded string of a tool's definition in which both sides part; None where they part outside of one."""
    before, after, hunk = change.component_before, change.component_after, change.hunk
    if before is None or after is None or hunk is None or after.kind is not Kind.TOOL or before.name != after.name:
        return None
    old, new = _literal(before.text, hunk.first), _literal(after.text, hunk.first)
    if old is None or new is None or old.start != new.start:
        return None
    starts_before, starts_after = _starts(before.text, old), _starts(after.text, new)
    first = bisect_right(starts_after, hunk.first) - 1
    return Site(
        before=_decoded(before.text, old),
        after=_decoded(after.text, new),
        first=min(first, len(starts_before) - 1),
        end_before=_inner(hunk.before.end, starts_before),
        end_after=_inner(hunk.after.end, starts_after),
        scope=change.scope,
        section=after.section,
        starts_before=starts_before,
        starts_after=starts_after,
    )


def found(change: Change, site: Site, before: Span, after: Span, facts: dict[str, str], weight: int) -> Match:
    """A match on spans of a site: they are marked, and they are what the repair sets equal."""
    old, new = _outer(before, site.starts_before), _outer(after, site.starts_after)
    return Match(
        after=Mark(change.at_after, new),
        before=Mark(change.at_before, old),
        repair=splice(change, old, new),
        facts=facts,
        weight=weight,
    )


def go_on_alike(site: Site, old_end: int, new_end: int) -> bool:
    """Whether both texts go on alike behind a pair of values: one value differs, not the whole passage around it."""
    rest = [_rest(text, end) for text, end in ((site.before, old_end), (site.after, new_end))]
    words = [_NEXT_WORD(text) for text in rest]
    if words[0] and words[1] and words[0][0] == words[1][0]:
        return True
    if rest[0] == rest[1]:
        return True
    shapes = [_shape(text) for text in rest]
    length = min(24, *map(len, shapes))
    return shapes[0][:length] == shapes[1][:length]


def _rest(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : min(len(text) if end < 0 else end, start + _LINE_REST)]


def _shape(text: str) -> str:
    """Digits as 0, letters as a, runs as one: what two values of one kind have in common."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))


def _literal(text: str, first: int) -> Span | None:
    """The string literal that holds a character, without its quotes."""
    for match in _STRING.finditer(text):
        if match.start() < first < match.end():
            return Span(match.start() + 1, match.end() - 1)
        if match.start() >= first:
            return None
    return None


def _starts(text: str, span: Span) -> tuple[int, ...]:
    """Where each decoded character of a literal begins, and where the literal ends."""
    return (*(match.start() for match in _UNIT.finditer(text, span.start, span.end)), span.end)


def _decoded(text: str, span: Span) -> str:
    # Units, not json.loads: an escaped pair of surrogates would become one character.
    parts = _UNIT.findall(text, span.start, span.end)
    return "".join(str(json.loads(f'"{part}"', strict=False)) if part[0] == "\\" else part for part in parts)


def _inner(offset: int, starts: tuple[int, ...]) -> int:
    return min(bisect_left(starts, offset), len(starts) - 1)


def _outer(span: Span, starts: tuple[int, ...]) -> Span:
    return Span(starts[span.start], starts[span.end]) if starts else span
