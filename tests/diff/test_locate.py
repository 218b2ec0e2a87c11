"""Tokens of joined renderings that hold images map to the component in which they begin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from promptlint import tokenizers
from promptlint.diff.locate import token_point
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.rendering import Piece, PieceKind, Rendering, Slot
from promptlint.model.source import Form, Location, Source, Span

CHOICE = tokenizers.choose("gpt-4o")


def component(text: str, kind: Kind = Kind.TEXT, tokens: int | None = None) -> Component:
    location = Location(Source("x.txt", text), Span(0, len(text)), "", Form.PLAIN)
    return Component(Section.MESSAGES, kind, text, location, opaque_tokens=tokens)


PIECES = st.one_of(
    st.text(alphabet="ab \n.é", min_size=1, max_size=20), st.integers(min_value=1, max_value=4)
)  # a text, or the tokens of an image


@given(st.lists(PIECES, min_size=1, max_size=6), st.booleans())
def test_every_token_begins_in_its_slot(parts: list[str | int], joined: bool) -> None:
    slots = []
    for index, part in enumerate(parts):
        if isinstance(part, str):
            slots.append(Slot(component(part), (Piece(PieceKind.TEXT, part, 0),)))
        else:
            image = component(f"sha256:{index}", Kind.IMAGE, part)
            slots.append(Slot(image, (Piece(PieceKind.OPAQUE, image.text, 0, part),)))
    rendering = Rendering(tuple(slots), joined=joined, exact=False, reason="a test")
    tokens = tokenizers.tokenize(rendering, CHOICE)
    for index in range(len(tokens)):
        point = token_point(rendering, tokens, index, CHOICE.tokenizer)
        slot = next(number for number, end in enumerate(tokens.slot_ends) if index < end)
        assert point.slot == slot
        assert 0 <= point.char <= len(point.component.text)
    last = token_point(rendering, tokens, len(tokens), CHOICE.tokenizer)
    assert last.slot == len(slots) - 1
