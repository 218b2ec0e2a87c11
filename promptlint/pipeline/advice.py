"""Advice: where the same edit would have cost little, because stable text stands behind it now."""

from __future__ import annotations

from dataclasses import replace

from promptlint.model.finding import Place, Related
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.rendering import Piece, PieceKind, Slot
from promptlint.model.source import Form
from promptlint.pipeline.prepare import Prepared, Workshop
from promptlint.pipeline.survival import reused
from promptlint.rulebook.explain import Step


def cheaper(step: Step, all_repaired: Prepared, old: Prepared, here: int, policy: CachePolicy, workshop: Workshop) -> (
    Related | None
):  # fmt: skip
    """Where the same text would have cost less than half of the `here` tokens that it makes to compute."""
    mark = step.match.after
    component = step.change.after[mark.index] if mark else None
    if mark is None or component is None or component.kind is not Kind.TEXT or component.section is Section.MESSAGES:
        return None
    lines = _whole_lines(component.text, mark.span.start, mark.span.end)
    slots = all_repaired.rendering.slots
    last = max((index for index, slot in enumerate(slots) if _takes(slot, component)), default=-1)
    # The end of the same text is where its author would look first.
    for target in dict.fromkeys((mark.index, last)):
        if lines.strip() and 0 <= target < len(slots) and _takes(slots[target], component):
            there = _cost(all_repaired, old, target, lines, policy, workshop)
            if there * 2 <= here:
                return _advised(slots[target].component, there, here)
    return None


def _cost(
    all_repaired: Prepared, old: Prepared, target: int, lines: str, policy: CachePolicy, workshop: Workshop
) -> int:
    """Tokens to compute if the lines stood at the end of slot `target`."""
    slots = list(all_repaired.rendering.slots)
    slots[target] = _appended(slots[target], lines)
    rendering = replace(all_repaired.rendering, slots=tuple(slots))
    tokens = workshop.tokenize(rendering, all_repaired.prompt)
    marks = workshop.marks(rendering, tokens, all_repaired.prompt, policy)
    moved = Prepared(all_repaired.prompt, rendering, tokens, marks)
    return len(tokens) - reused(old, moved, policy).tokens


def _advised(component: Component, there: int, here: int) -> Related:
    location = component.location
    position = location.source.position(max(location.span.start, location.span.end - 1))
    place = Place.between(location.source.name, location.path, position, position)
    return Related(f"after this line the same text would cost {there:,} tokens instead of {here:,}", place)


def _takes(slot: Slot, component: Component) -> bool:
    """Whether text of a component could stand at the end of a slot instead."""
    other = slot.component
    alike = (other.section, other.kind, other.role) == (component.section, component.kind, component.role)
    text = [piece for piece in slot.pieces if piece.kind is PieceKind.TEXT]
    return alike and other.location.form in (Form.PLAIN, Form.JSON_STRING) and len(text) == 1


def _appended(slot: Slot, lines: str) -> Slot:
    added = lines if slot.component.text.endswith("\n") else f"\n{lines}"
    pieces = tuple(
        Piece(piece.kind, piece.text + added, piece.offset) if piece.kind is PieceKind.TEXT else piece
        for piece in slot.pieces
    )
    return Slot(replace(slot.component, text=slot.component.text + added), pieces)


def _whole_lines(text: str, start: int, end: int) -> str:
    stop = text.find("\n", max(start, end - 1))
    return text[text.rfind("\n", 0, start) + 1 : len(text) if stop < 0 else stop + 1]
