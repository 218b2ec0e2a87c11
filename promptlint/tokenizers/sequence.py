"""A rendering to one sequence of token ids, with the place where each of its slots ends."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, groupby

from promptlint.model.errors import InputError
from promptlint.model.rendering import Piece, PieceKind, Rendering, Slot
from promptlint.model.tokens import SYNTHETIC, TokenSequence
from promptlint.tokenizers.base import Vocabulary
from promptlint.tokenizers.choice import Choice


def tokenize(rendering: Rendering, choice: Choice, *, specials: bool = False) -> TokenSequence:
    """The ids of a rendering, every one of them in exactly one slot.

    `specials` counts for joined renderings: the output of a chat template holds special tokens, a text file does
    not. A token that reaches over the end of a slot belongs to the slot in which it begins. Raises InputError.
    """
    tokenizer = choice.tokenizer
    ids, ends = _joined(rendering, tokenizer, specials) if rendering.joined else _apart(rendering, tokenizer)
    reasons = [] if rendering.exact else [rendering.reason]
    reasons += [] if choice.exact else [choice.reason]
    return TokenSequence(ids, ends, tokenizer.name, not reasons, "; ".join(filter(None, reasons)))


def texts(rendering: Rendering) -> list[str]:
    """What `tokenize` gives to the tokenizer, a text at a time."""
    if rendering.joined:
        return [_text(run) for opaque, run in _runs(rendering) if not opaque]
    return [piece.text for _, piece in _placed(rendering) if piece.kind is PieceKind.TEXT]


@lru_cache(maxsize=1 << 16)
def synthetic(text: str) -> int:
    """An id for a text that no vocabulary encodes: the same in every process and at least SYNTHETIC."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return SYNTHETIC | int.from_bytes(digest, "big")


def _apart(rendering: Rendering, tokenizer: Vocabulary) -> tuple[array[int], array[int]]:
    ids, ends = array("I"), array("I")
    for slot in rendering.slots:
        for piece in slot.pieces:
            ids.extend(_encode(tokenizer, piece.text, slot) if piece.kind is PieceKind.TEXT else _own(piece))
        ends.append(len(ids))
    return ids, ends


def _encode(tokenizer: Vocabulary, text: str, slot: Slot, specials: bool = False) -> array[int]:
    try:
        return tokenizer.encode(text, specials=specials)
    except InputError as problem:
        source, start = slot.component.location.source, slot.component.location.span.start
        place = source.position(start)
        raise InputError(problem.message, name=source.name, line=place.line, column=place.column) from None


def _own(piece: Piece) -> array[int]:
    return array("I", [synthetic(piece.text)]) * (1 if piece.kind is PieceKind.MARKER else piece.tokens)


def _joined(rendering: Rendering, tokenizer: Vocabulary, specials: bool) -> tuple[array[int], array[int]]:
    """Runs of text are encoded as a whole; opaque pieces stand between them."""
    ids, ends = array("I"), array("I", bytes(4 * len(rendering.slots)))
    for opaque, run in _runs(rendering):
        slots, pieces = zip(*run, strict=True)
        if opaque:
            for slot, piece in run:
                ids.extend(_own(piece))
                ends[slot] = len(ids)
            continue
        text = _text(run)
        encoded = _encode(tokenizer, text, rendering.slots[slots[0]], specials)
        stops = tuple(accumulate(len(piece.text) for piece in pieces))[:-1]
        for slot, count in zip(slots, tokenizer.begun(text, encoded, stops), strict=False):
            ends[slot] = len(ids) + count
        ids.extend(encoded)
        ends[slots[-1]] = len(ids)
    return ids, array("I", accumulate(ends, max))


def _runs(rendering: Rendering) -> Iterator[tuple[bool, list[tuple[int, Piece]]]]:
    """Pieces one after another that are opaque, or are not."""
    for opaque, run in groupby(_placed(rendering), key=lambda placed: placed[1].kind is PieceKind.OPAQUE):
        yield opaque, list(run)


def _text(run: Iterable[tuple[int, Piece]]) -> str:
    return "".join(piece.text for _, piece in run)


def _placed(rendering: Rendering) -> Iterator[tuple[int, Piece]]:
    return ((index, piece) for index, slot in enumerate(rendering.slots) for piece in slot.pieces)
