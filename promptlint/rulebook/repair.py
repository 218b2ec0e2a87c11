"""Setting a region equal: repairs applied to the slots of a rendering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from promptlint.model.matching import FromAfter, FromBefore, Rearranged, Repair, Spliced
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.rendering import Piece, PieceKind, Slot


def apply(repair: Repair, before: Sequence[Slot], after: Sequence[Slot]) -> tuple[Slot, ...]:
    """The later prompt's slots with the repair's region set equal to the earlier prompt."""
    parts: list[Slot] = []
    for part in repair.parts:
        if isinstance(part, FromAfter):
            parts.append(after[part.index])
        elif isinstance(part, FromBefore):
            parts.append(before[part.index])
        elif isinstance(part, Spliced):
            parts.append(_spliced(part, before, after))
        else:
            parts.append(_rearranged(part, before, after))
    rest = list(after[repair.stop :])
    index = repair.start + len(parts)
    if rest and index < len(before):
        rest[0] = _in_frame(rest[0], before[index])
    return (*after[: repair.start], *parts, *rest)


def _in_frame(slot: Slot, other: Slot) -> Slot:
    """A system block in the markers of the same block of the earlier prompt: the first block bears others."""
    ours, theirs = slot.component, other.component
    blocks = all(each.section is Section.SYSTEM and each.kind is Kind.TEXT for each in (ours, theirs))
    same = blocks and (ours.text, ours.message) == (theirs.text, theirs.message)
    return Slot(ours, other.pieces) if same and not ours.opaque else slot


def _spliced(part: Spliced, before: Sequence[Slot], after: Sequence[Slot]) -> Slot:
    slot, other = after[part.after], before[part.before]
    spans = [(part.after_span, part.before_span), *part.more]
    component = slot.component
    for ours, theirs in reversed(spans):
        text = other.component.text[theirs.start : theirs.end]
        component = _splice_component(component, ours.start, ours.end, text)
    component = replace(component, message=other.component.message, block=other.component.block)
    framed = _framed(component.text, slot, other)
    if framed is None:  # a template changed the text on its way (escapes, trimming): take the whole part
        return other if any(len(ours) or len(theirs) for ours, theirs in spans) else slot
    return Slot(component, framed)


def _framed(text: str, slot: Slot, other: Slot) -> tuple[Piece, ...] | None:
    """Pieces of the earlier prompt's slot with a text of the later one in it; None where that has no such place."""
    ours, theirs = _verbatim(slot), _verbatim(other)
    if ours is None and slot.component.text:
        return None
    frame, at = (other.pieces, theirs) if theirs is not None else (slot.pieces, ours)
    if at is None:
        return None
    if frame[at].kind is PieceKind.OPAQUE:
        content = [slot.pieces[ours]] if ours is not None else []
    else:
        content = [Piece(PieceKind.TEXT, text, 0)] if text else []
    return (*frame[:at], *content, *frame[at + 1 :])


def _verbatim(slot: Slot) -> int | None:
    """Index of the piece that is the component's own text."""
    for index, piece in enumerate(slot.pieces):
        if piece.offset == 0 and piece.text == slot.component.text:
            return index
    return None


def _splice_component(component: Component, start: int, end: int, text: str) -> Component:
    """The component with text[start:end] replaced; later offsets still map to the source as it was read."""
    stop = start + len(text)
    moved = len(text) - (end - start)
    if not moved and end == start:
        return component
    shifts = [shift for shift in component.shifts if shift[0] <= start]
    shifts.append((stop, component.origin(end) - stop))
    shifts += [(position + moved, delta - moved) for position, delta in component.shifts if position > end]
    return replace(component, text=component.text[:start] + text + component.text[end:], shifts=tuple(shifts))


def _rearranged(part: Rearranged, before: Sequence[Slot], after: Sequence[Slot]) -> Slot:
    slot = after[part.after]
    old = slot.component
    text = "".join(old.text[span.start : span.end] for span in part.spans)
    if [piece for piece in slot.pieces if piece.kind is PieceKind.TEXT] != [Piece(PieceKind.TEXT, old.text, 0)]:
        return before[part.before]  # a template changed the text on its way
    pieces = [Piece(PieceKind.TEXT, text, 0) if piece.kind is PieceKind.TEXT else piece for piece in slot.pieces]
    shifts = []
    position = 0
    for span in part.spans:
        for place in (span.start, *(place for place, _ in old.shifts if span.start < place < span.end)):
            here = position + place - span.start
            shifts.append((here, old.origin(place) - here))
        position += len(span)
    return Slot(replace(old, text=text, shifts=tuple(shifts)), tuple(pieces))
