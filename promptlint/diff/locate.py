"""From a token or a character of a rendering to its component, field path and place in the file."""

from __future__ import annotations

from bisect import bisect_right
from itertools import takewhile

from promptlint import jsonspans
from promptlint.model.divergence import Point
from promptlint.model.prompt import Component
from promptlint.model.rendering import PieceKind, Rendering
from promptlint.model.tokens import SYNTHETIC, Tokenizer, TokenSequence


def point(slot: int, component: Component, char: int) -> Point:
    """The place of a character of a component; offsets of spliced components are mapped back to the source."""
    origin = component.origin(char)
    path, value_char, offset = jsonspans.locate(component.location, component.text, origin)
    if component.opaque:  # of an image its block is meant: whatever says what it is, and not a character of its data
        path = path[: path.rfind("]") + 1] or path
    return Point(slot, component, char, path, value_char, offset)


def token_point(rendering: Rendering, tokens: TokenSequence, index: int, tokenizer: Tokenizer) -> Point:
    """The place where token `index` begins (the end of the last component for the index after the last token)."""
    slot_index = min(bisect_right(tokens.slot_ends, index), len(rendering.slots) - 1)
    if rendering.joined:
        return _joined_point(rendering, _joined_char(rendering, tokens, index, tokenizer))
    slot = rendering.slots[slot_index]
    left = index - (tokens.slot_ends[slot_index - 1] if slot_index else 0)
    place = 0
    for piece in slot.pieces:
        if piece.kind is PieceKind.TEXT:
            ids = tokenizer.encode(piece.text)
            if left < len(ids):
                return point(slot_index, slot.component, piece.offset + tokenizer.char_end(piece.text, ids, left))
            left -= len(ids)
            place = piece.offset + len(piece.text)
        else:
            count = piece.tokens if piece.kind is PieceKind.OPAQUE else 1
            if left < count:
                break
            left -= count
    return point(slot_index, slot.component, min(place, len(slot.component.text)))


def _joined_char(rendering: Rendering, tokens: TokenSequence, index: int, tokenizer: Tokenizer) -> int:
    """Offset in the joined text at which token `index` begins. Opaque pieces part the text into runs of their own."""
    pieces = [piece for slot in rendering.slots for piece in slot.pieces]
    start_token = start_char = 0
    while True:
        run = list(takewhile(lambda piece: piece.kind is not PieceKind.OPAQUE, pieces))
        text = "".join(piece.text for piece in run)
        opaque = pieces[len(run)] if len(run) < len(pieces) else None
        end = len(tokens) if opaque is None else _first_synthetic(tokens, start_token)
        if index < end or opaque is None:
            return start_char + tokenizer.char_end(text, tokens.ids[start_token:end], index - start_token)
        if index < end + opaque.tokens:
            return start_char + len(text)
        start_token, start_char = end + opaque.tokens, start_char + len(text) + len(opaque.text)
        pieces = pieces[len(run) + 1 :]


def _first_synthetic(tokens: TokenSequence, start: int) -> int:
    return next(index for index in range(start, len(tokens)) if tokens.ids[index] >= SYNTHETIC)


def _joined_point(rendering: Rendering, char: int) -> Point:
    """The place of a character of a joined rendering's text."""
    seen = 0
    last = len(rendering.slots) - 1
    for index, slot in enumerate(rendering.slots):
        for piece in slot.pieces:
            if char < seen + len(piece.text):
                inside = piece.offset + char - seen if piece.offset >= 0 else 0
                return point(index, slot.component, min(inside, len(slot.component.text)))
            seen += len(piece.text)
    component = rendering.slots[last].component
    return point(last, component, len(component.text))
