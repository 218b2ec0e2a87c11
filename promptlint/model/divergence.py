"""The first place where two token sequences part, named from both sides."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.prompt import Component


@dataclass(frozen=True, slots=True)
class Point:
    """A character in a component. `slot` is its index in the rendering; `char` counts in the component's text.

    `path` is the innermost field (`tools[0].input_schema.properties.id.type`), `value_char` counts in that field's
    decoded value and `offset` in the source file.
    """

    slot: int
    component: Component
    char: int
    path: str
    value_char: int
    offset: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """`token` ids are shared; the first differing character is at `before` and `after`.

    A merge can move the first differing token before the first differing character: `token_before` and
    `token_after` are the points where that token begins. A side that has ended points at its last component's end.
    """

    token: int
    before: Point
    after: Point
    token_before: Point
    token_after: Point
    shift: int  # tokens by which later positions move (after minus before, up to the next common part)
