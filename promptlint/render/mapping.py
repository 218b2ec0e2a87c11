"""From a chat template's output back to the prompt's components: which piece of it is which part of the request."""

from __future__ import annotations

import json
import re
from bisect import bisect, insort
from collections.abc import Iterator, Sequence
from itertools import groupby

from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.rendering import Piece, PieceKind, Slot
from promptlint.render.marks import Anchor
from promptlint.render.runs import Run, grow

_WORD = re.compile(r"\w").match
_SENTENCE = re.compile(r"[\w ]").match
_JSON_KINDS = frozenset({Kind.TOOL, Kind.ARGUMENTS, Kind.FIELD})


def place(components: Sequence[Component], output: str, anchors: Sequence[Anchor]) -> tuple[Slot, ...]:
    """Every component as one slot, in the order they stand in `output`; their pieces' texts joined are the output.

    What the template wrote between two components belongs to the one that follows, the rest to the last. A component
    that was not found has no pieces and stands beside its neighbour of the wire format; opaque ones keep their own
    piece there, which stands for content and is no part of the output.
    """
    found = _from_anchors(components, output, anchors)
    _Search(components, output, found).run()
    return _slots(components, output, found)


def _from_anchors(
    components: Sequence[Component], output: str, anchors: Sequence[Anchor]
) -> dict[int, tuple[Run, ...]]:
    """The runs of each component around its largest unbroken group of anchors (a text may be printed twice)."""
    best: dict[int, list[Anchor]] = {}
    for index, together in groupby(anchors, key=lambda anchor: anchor.index):
        group = list(together)
        if len({anchor.offset for anchor in group}) > len({anchor.offset for anchor in best.get(index, [])}):
            best[index] = group
    found: dict[int, tuple[Run, ...]] = {}
    groups = sorted(best.items(), key=lambda item: item[1][0].position)
    low = 0
    for number, (index, group) in enumerate(groups):
        high = groups[number + 1][1][0].position if number + 1 < len(groups) else len(output)
        pairs = [(anchor.position, anchor.offset) for anchor in group]
        is_json = components[index].kind in _JSON_KINDS
        runs = grow(output, components[index].text, pairs, low, high, json=is_json)
        if runs:
            found[index] = runs
            low = runs[-1].end
    return found


class _Search:
    """Looks for the components that no mark was found of: each between what was found before and after it."""

    def __init__(self, components: Sequence[Component], output: str, found: dict[int, tuple[Run, ...]]) -> None:
        self.components = components
        self.output = output
        self.found = found
        self.taken = sorted((runs[0].start, runs[-1].end) for runs in found.values())

    def run(self) -> None:
        """Adds to `found`. Tools on their own, as a template may put them anywhere; all else in one row."""
        tools = [i for i, component in enumerate(self.components) if component.section is Section.TOOLS]
        rest = [i for i, component in enumerate(self.components) if component.section is not Section.TOOLS]
        for row in (tools, rest):
            self._row(row)

    def _row(self, row: Sequence[int]) -> None:
        starts = self._next_starts(row)
        ends = [0]  # of what was found in earlier messages, in order; a template may print them later
        for _, together in groupby(row, key=lambda index: self.components[index].message):
            message = list(together)
            for index in message:
                component = self.components[index]
                if index not in self.found and component.text and not component.opaque:
                    near, far = starts[index]
                    high = near if component.kind is Kind.ROLE else far
                    self._look(index, ends[bisect(ends, high) - 1], high)
            for index in message:
                if index in self.found:
                    insort(ends, self.found[index][-1].end)

    def _next_starts(self, row: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Where the next found component begins, and the next one of a later message."""
        starts: dict[int, tuple[int, int]] = {}
        near = far = len(self.output)
        message = None
        for index in reversed(row):
            if self.components[index].message != message:
                message, far = self.components[index].message, near
            starts[index] = (near, far)
            if index in self.found:
                near = min(near, self.found[index][0].start)
        return starts

    def _look(self, index: int, low: int, high: int) -> None:
        component = self.components[index]
        spots = self._spots(component, low, high)
        if component.kind is Kind.ROLE:
            spots = reversed(list(spots))  # a role stands right before what was said
        for start in spots:
            limit = self._limit(start)
            runs = grow(self.output, component.text, [(start, 0)], start, limit, json=component.kind in _JSON_KINDS)
            if runs:
                self.found[index] = runs
                self.taken.insert(bisect(self.taken, (start, start)), (runs[0].start, runs[-1].end))
                return

    def _spots(self, component: Component, low: int, high: int) -> Iterator[int]:
        """Places where the text begins and nothing else stands, as a whole word; a role is no word of a sentence."""
        inside = _SENTENCE if component.kind is Kind.ROLE else _WORD
        for text in _spellings(component):
            start = self.output.find(text, low, high)
            while start >= 0:
                end = start + len(text)
                cuts = (text[0].isalnum() and inside(self.output[start - 1 : start])) or (
                    text[-1].isalnum() and inside(self.output[end : end + 1])
                )
                if not cuts and self._limit(start) >= end:
                    yield start
                start = self.output.find(text, start + 1, high)

    def _limit(self, start: int) -> int:
        """How far a text that begins at `start` may go; `start` itself where that is taken."""
        following = bisect(self.taken, (start, len(self.output)))
        if following and self.taken[following - 1][1] > start:
            return start
        return self.taken[following][0] if following < len(self.taken) else len(self.output)


def _spellings(component: Component) -> Iterator[str]:
    """The text, without blanks at its ends as templates trim it, and JSON as `tojson` writes it."""
    yield component.text
    if component.text.strip() not in ("", component.text):
        yield component.text.strip()
    if component.kind in _JSON_KINDS:
        try:
            yield json.dumps(json.loads(component.text), ensure_ascii=False)
        except (ValueError, RecursionError):
            return


def _slots(components: Sequence[Component], output: str, found: dict[int, tuple[Run, ...]]) -> tuple[Slot, ...]:
    order = sorted(range(len(components)), key=_standing(components, found).__getitem__)
    last = max((i for i in order if i in found), key=lambda i: found[i][0].start, default=order[-1])
    slots: list[Slot] = []
    done = 0
    for index in order:
        pieces: list[Piece] = []
        for run in found.get(index, ()):
            pieces += _text(output[done : run.start], -1) + _text(output[run.start : run.end], run.offset)
            done = run.end
        if index == last:
            pieces += _text(output[done:], -1)
        component = components[index]
        if component.opaque_tokens is not None:
            pieces.append(Piece(PieceKind.OPAQUE, component.text, 0, component.opaque_tokens))
        slots.append(Slot(component, tuple(pieces)))
    return tuple(slots)


def _text(text: str, offset: int) -> list[Piece]:
    return [Piece(PieceKind.TEXT, text, offset)] if text else []


def _standing(components: Sequence[Component], found: dict[int, tuple[Run, ...]]) -> list[tuple[int, int]]:
    """Sort keys. What was not found stands behind the component before it; a role before what its message says."""
    keys: list[tuple[int, int]] = []
    for index in range(len(components)):
        start = found[index][0].start if index in found else keys[-1][0] if keys else -1
        keys.append((start, index))
    for index in range(len(components) - 2, -1, -1):
        component, following = components[index], components[index + 1]
        if index not in found and component.kind is Kind.ROLE and following.message == component.message:
            keys[index] = (keys[index + 1][0], index)
    return keys
