"""The first divergence of two tokenized renderings."""

from __future__ import annotations

from collections.abc import Sequence

from promptlint.diff.locate import point, token_point
from promptlint.model.common import common_prefix
from promptlint.model.divergence import Divergence, Point
from promptlint.model.rendering import PieceKind, Rendering, Slot
from promptlint.model.tokens import Tokenizer, TokenSequence


def first_difference(before: Sequence[Slot], after: Sequence[Slot]) -> int | None:
    """Index of the first slot that differs; None where one side only continues the other."""
    for index, (left, right) in enumerate(zip(before, after, strict=False)):
        if left.pieces != right.pieces:
            grown = _continues(before[index:], after[index:]) or _continues(after[index:], before[index:])
            return None if grown else index
    return None


def _continues(before: Sequence[Slot], after: Sequence[Slot]) -> bool:
    """Whether one run of plain text goes on where the other ends, wherever slots part it.

    Through a chat template the opening of the answer closes the earlier prompt and stands inside the later one.
    """
    text, longer = _plain(before), _plain(after)
    return text is not None and longer is not None and longer.startswith(text)


def _plain(slots: Sequence[Slot]) -> str | None:
    pieces = [piece for slot in slots for piece in slot.pieces]
    return "".join(piece.text for piece in pieces) if all(piece.kind is PieceKind.TEXT for piece in pieces) else None


def first_divergence(
    before: Rendering, after: Rendering, before_tokens: TokenSequence, after_tokens: TokenSequence, tokenizer: Tokenizer
) -> Divergence | None:
    """The first divergent token and the first differing character of both sides; None for equality and pure growth.

    `shift` is the difference of the two lengths; explaining the causes refines it.
    """
    index = first_difference(before.slots, after.slots)
    if index is None:
        return None
    token = common_prefix(before_tokens.ids, after_tokens.ids)
    left, right = _points(before.slots, after.slots, index)
    return Divergence(
        token=token,
        before=left,
        after=right,
        token_before=token_point(before, before_tokens, token, tokenizer),
        token_after=token_point(after, after_tokens, token, tokenizer),
        shift=len(after_tokens) - len(before_tokens),
    )


def _points(before: Sequence[Slot], after: Sequence[Slot], index: int) -> tuple[Point, Point]:
    """The first differing character of two slots, counted in each component's text.

    Where both texts are equal, what stands behind them differs: a part came or went, and the next component is meant.
    """
    left, right = before[index], after[index]
    place_before, place_after, behind = _first_places(left, right)
    if behind and index + 1 < min(len(before), len(after)):
        return point(index + 1, before[index + 1].component, 0), point(index + 1, after[index + 1].component, 0)
    return (
        point(index, left.component, min(place_before, len(left.component.text))),
        point(index, right.component, min(place_after, len(right.component.text))),
    )


def _first_places(before: Slot, after: Slot) -> tuple[int, int, bool]:
    """The offsets of the first difference in each component's text, and whether it is behind both whole texts."""
    place_before = place_after = 0
    for left, right in zip(before.pieces, after.pieces, strict=False):
        if left == right:
            if left.offset >= 0:
                place_before = left.offset + len(left.text)
                place_after = right.offset + len(right.text)
            continue
        if left.kind is right.kind is PieceKind.TEXT:
            shared = common_prefix(left.text, right.text)
            place_before = left.offset + shared if left.offset >= 0 else place_before
            place_after = right.offset + shared if right.offset >= 0 else place_after
        break
    whole = before.component.text == after.component.text
    return place_before, place_after, whole and place_before == len(before.component.text) > 0
