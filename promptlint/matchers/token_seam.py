"""Text was only appended, and yet the tokens at the join are others than before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.model.matching import Note, Pair
from promptlint.model.source import Span

FACTS = frozenset({"seam"})

_CONTEXT = 40  # characters on each side of the join that a finding points at, at most


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    """Only where the whole rendering is one text, as hosted layouts part their pieces by special tokens."""
    total = pair.ends_before[-1] if pair.ends_before else 0
    if not pair.appended or pair.shared >= total or not pair.components_before:
        return
    index = max((at for at, part in enumerate(pair.components_before) if part.text), default=None)
    if index is None or index >= len(pair.components_after):
        return
    before, after = pair.components_before[index], pair.components_after[index]
    if not after.text.startswith(before.text) or _new_line(before.text, after.text):
        return
    span = _around(after.text, len(before.text))
    yield Note(component=after, span=span, setting=None, facts={"seam": f"{total - pair.shared:,}"})


def _around(text: str, join: int) -> Span:
    """The word, or the run of blanks, that goes over the join."""
    start, stop, blank = join, join, text[join - 1 : join].isspace()
    while start > max(0, join - _CONTEXT) and text[start - 1].isspace() is blank:
        start -= 1
    while stop < min(len(text), join + _CONTEXT) and text[stop].isspace() is blank:
        stop += 1
    return Span(start, stop)


def _new_line(before: str, after: str) -> bool:
    """Whether a file without a last newline got further lines: its last mark and the newline are then one token."""
    return after[len(before) : len(before) + 1] in ("\n", "\r") and not before[-1:].isspace()
