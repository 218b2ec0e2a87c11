"""Where a cause stands in a request body: a place that is found again in other requests, to be set to one value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from promptlint.model.finding import Finding, Place

Path = tuple[str | int, ...]

_STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
_BEFORE, _AFTER = 32, 16  # characters of fixed text by which a region is found again
_FIXED_AFTER = re.compile(r"\W*\w*")


def parsed(path: str) -> Path:
    """`messages[4].content` as keys and indices."""
    return tuple(match[1] if match[1] is not None else int(match[2]) for match in _STEP.finditer(path))


def value_at(body: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        if isinstance(body, dict) and isinstance(step, str):
            body = body.get(step)
        elif isinstance(body, list) and isinstance(step, int) and step < len(body):
            body = body[step]
        else:
            return None
    return body


def with_value(body: Any, path: Path, value: Any) -> Any:
    """The body with another value at a path that it has; only what lies along the path is copied."""
    if not path:
        return value
    copy = body.copy()
    copy[path[0]] = with_value(body[path[0]], path[1:], value)
    return copy


@dataclass(frozen=True, slots=True)
class Region:
    """The text between the `ordinal`-th `before` (from 0) and the next `after`; empty: the text's start or end."""

    before: str
    ordinal: int
    after: str

    def span(self, text: str) -> tuple[int, int] | None:
        """Where it is in a text; None where the text has no such place."""
        start = 0
        if self.before:
            at = -1
            for _ in range(self.ordinal + 1):
                at = text.find(self.before, at + 1)
                if at < 0:
                    return None
            start = at + len(self.before)
        end = text.find(self.after, start) if self.after else len(text)
        return None if end < 0 else (start, end)


def regions(finding: Finding, source: str, text: str) -> list[Region]:
    """The marked places of a finding in a text value of its request, `source` being the compact JSON of that."""
    places = [finding.location, *(related.location for related in finding.related if related.message == "also here")]
    spans = [span for place in places if place.path == finding.location.path and (span := _span(place, source, text))]
    return [_region(text, start, end, [other for other, _ in spans]) for start, end in sorted(set(spans))]


def _span(place: Place, source: str, text: str) -> tuple[int, int] | None:
    """The characters of a text value that a place in the JSON stands for."""
    raw = json.dumps(text, ensure_ascii=False)[1:-1]
    start, end = place.column - 1, place.end_column - 1
    at = source.find(raw)
    while 0 <= at <= start and at + len(raw) < end:
        at = source.find(raw, at + 1)
    if not 0 <= at <= start or place.line != 1:
        return None
    return _decoded(raw[: start - at]), _decoded(raw[: end - at])


def _decoded(raw: str) -> int:
    return len(json.loads(f'"{raw}"'))


def _region(text: str, start: int, end: int, others: Sequence[int]) -> Region:
    """The region of a span. What stands before it is cut behind digits, as they may be of another value."""
    floor = max(0, start - _BEFORE, *(other for other in others if other < start), 0)
    before = re.split(r"[0-9]", text[floor:start])[-1]
    after = _FIXED_AFTER.match(text, end, end + _AFTER)
    ordinal = _count(text[:start], before) - 1 if before else 0
    return Region(before, ordinal, after[0] if after else "")


def _count(text: str, part: str) -> int:
    """Occurrences of a part, those that overlap included."""
    count, at = 0, text.find(part)
    while at >= 0:
        count += 1
        at = text.find(part, at + 1)
    return count
