"""Two JSON values are equal as data and differ in their bytes: key order, list order, separators, escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._json_order import Arrangement, around, items_moved, keys_moved, tree
from promptlint.matchers._repairs import splice
from promptlint.matchers._sites import text_site
from promptlint.model.matching import Change, FromAfter, Mark, Match, Part, Rearranged, Repair
from promptlint.model.prompt import Component, Kind
from promptlint.model.source import Span

FACTS = frozenset({"count", "name"})

_OPEN = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: _Pairs(pairs))
_REACH = 200_000  # characters before the difference in which the value around it must begin
_WORK = 2_000_000  # characters that are decoded in search of it


class _Pairs(list[tuple[str, object]]):
    """An object with its keys in the order as written."""


@dataclass(frozen=True, slots=True)
class Params:
    """`differs`: `keys` (their order), `sets` (the order of lists that are sets, such as required and enum) or
    `form` (separators, escapes, indents; values and order are the same). `kinds`: names of component kinds.
    """

    differs: str
    kinds: tuple[str, ...]


def match(change: Change, params: Params) -> Match | None:
    component = change.component_after
    if component is None or change.hunk is None or component.kind.value not in params.kinds:
        return None
    return _in_tool(change, params) if component.kind is Kind.TOOL else _in_text(change, params)


def _in_tool(change: Change, params: Params) -> Match | None:
    """The definition of one tool, and of all later ones that drift in the same way: one serialiser does it."""
    before, after, hunk = change.component_before, change.component_after, change.hunk
    assert before is not None and after is not None and hunk is not None
    old, new = tree(before.text), tree(after.text)
    if old is None or new is None or before.name != after.name:
        return None
    keys = params.differs == "keys"
    holders = list(around(old, new, hunk.first))
    if keys:  # the innermost value that holds the difference must be an object whose keys moved
        holders = holders[-1:]
    moved = [
        (left, right)
        for key, left, right in holders
        if (keys_moved(left, right) if keys else items_moved(key, left, right))
    ]
    if not moved or params.differs == "form":
        return None
    left, right = moved[-1]
    parts, count = _parts(change, keys)
    return Match(
        after=Mark(change.at_after, Span(right.start, right.end)),
        before=Mark(change.at_before, Span(left.start, left.end)),
        repair=Repair(change.at_after, change.at_after + len(parts), tuple(parts)),
        facts={"count": f"{count} tools" if count > 1 else "one tool", "name": after.name},
        weight=1 if keys else 0,
    )


def _parts(change: Change, keys: bool) -> tuple[list[Part], int]:
    earlier: dict[str, int] = {}
    for index, component in enumerate(change.before):
        if component.kind is Kind.TOOL:
            earlier[component.name] = -1 if component.name in earlier else index
    parts: list[Part] = []
    count = 0
    for new in range(change.at_after, len(change.after)):
        after = change.after[new]
        if after.kind is not Kind.TOOL:
            break
        old = change.at_before if new == change.at_after else earlier.get(after.name, -1)
        spans = _arranged(change.before[old], after, keys) if old >= 0 else ()
        parts.append(Rearranged(new, old, spans) if spans else FromAfter(new))
        count += bool(spans)
    return parts, count


def _arranged(before: Component, after: Component, keys: bool) -> tuple[Span, ...]:
    if before.text == after.text:
        return ()
    old, new = tree(before.text), tree(after.text)
    if old is None or new is None:
        return ()
    arrangement = Arrangement(old, new, keys=keys)
    return tuple(arrangement.spans) if arrangement.moved else ()


def _in_text(change: Change, params: Params) -> Match | None:
    """A JSON value that stands in running text."""
    site = text_site(change)
    if site is None or params.differs == "sets":
        return None
    for start, old, new in _values_around(site.before, site.after, site.first):
        if _plain(old[0]) != _plain(new[0]):
            continue
        if (_ordered(old[0]) != _ordered(new[0])) is not (params.differs == "keys"):
            return None
        before, after = Span(start, old[1]), Span(start, new[1])
        return Match(
            after=Mark(change.at_after, after),
            before=Mark(change.at_before, before),
            repair=splice(change, before, after),
            facts={"count": "one value", "name": "JSON in the text"},
            weight=2000,
        )
    return None


_Decoded = tuple[object, int]


def _values_around(before: str, after: str, first: int) -> Iterator[tuple[int, _Decoded, _Decoded]]:
    """JSON objects and lists that hold the first difference in both texts, the outermost first."""
    work = _WORK
    position = max(0, first - _REACH)
    while work > 0 and (match := _OPEN.search(after, position, first)):
        start = match.start()
        decoded, used = _decode(after, start)
        work -= used
        if decoded is not None and decoded[1] <= first:
            position = decoded[1]
            continue
        position = start + 1
        if decoded is not None:
            other, used = _decode(before, start)
            work -= used
            if other is not None and other[1] > first:
                yield start, other, decoded


def _decode(text: str, start: int) -> tuple[_Decoded | None, int]:
    """The value that begins at an offset, and how many characters were looked at."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError as error:
        return None, getattr(error, "pos", start + 1) - start + 1
    except RecursionError:
        return None, _WORK
    return ((value, end) if value else None), end - start


def _plain(value: object) -> object:
    """Equal for values that are equal as data: 1, 1.0 and true are three things, key order is nothing."""
    if isinstance(value, _Pairs):
        return {key: _plain(item) for key, item in value}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return (type(value).__name__, value)


def _ordered(value: object) -> list[object]:
    """The keys of all objects in the order as written."""
    if isinstance(value, _Pairs):
        return [[key, _ordered(item)] for key, item in value]
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    return []
