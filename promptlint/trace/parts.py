"""A part of a request that was read before: what it became, and whether a value is that part again."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from promptlint.jsonspans import MAX_DEPTH
from promptlint.model.errors import InputError
from promptlint.model.policy import Block
from promptlint.model.prompt import Component, Section, Setting


@dataclass(slots=True)
class Unit:
    """A part of a prompt; `on` are the switches it turns on.

    `at` is the index that its value had when it was read (-1: it stands in no list), `said` the number of its message
    (-1: it is none). `leading`: only system messages have come so far. `tokens` and `blocks`, which end at tokens
    counted from the unit's own start, are known once its chunks are encoded; until then, `components` end after `ends`
    chunks, or `like` is the unit that this one is made like.
    """

    section: Section
    rank: int
    chunks: array[int]
    on: frozenset[str]
    components: Sequence[Component] = ()
    ends: Sequence[int] = ()
    like: Unit | None = None
    tokens: int = -1
    blocks: tuple[Block, ...] = ()
    marked: bool = False
    said: int = -1
    leading: bool = True
    at: int = -1
    settings: tuple[Setting, ...] = ()


class Item:
    """A value that was read, what it became, and which one came next the last time.

    `raw` is the value, `latest` an equal one that came last: many lines may share it. Both may be dropped.
    """

    __slots__ = ("latest", "leading", "next", "placed", "raw", "unit")

    def __init__(self, raw: Any, unit: Unit, leading: bool = True) -> None:
        self.raw = raw
        self.latest: Any = None
        self.unit = unit
        self.leading = leading
        self.next: Item | None = None
        self.placed: tuple[int, int, tuple[Block, ...]] = (-1, -1, ())


@dataclass(frozen=True, slots=True)
class Parts:
    """A body: its parts in cache order, each with its index in a list (-1: in none), and what is left, the settings.

    `body` is the same with values that earlier bodies have, so that what repeats is held once.
    """

    items: list[tuple[int, Item]]
    rest: Item
    body: dict[str, Any]


def packed(value: Any) -> bytes:
    """The JSON of a value; equal for values that are written alike."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate, a number of more than 64 bits, or deep nesting
        pass
    try:
        return json.dumps(value).encode()
    except RecursionError:
        raise InputError(f"nested deeper than {MAX_DEPTH} levels, which no provider reads") from None


def placed_blocks(item: Item, offset: int, index: int) -> tuple[Block, ...]:
    """The item's blocks as they stand in a prompt, `offset` tokens from its start and at `index` in its list."""
    if item.placed[0] != offset or item.placed[1] != index:
        unit = item.unit
        at, here = f"[{unit.at}]", f"[{index}]"
        blocks = tuple(
            moved(
                block,
                offset,
                block.path if unit.at < 0 else block.path.replace(at, here, 1),
                index if min(index, block.message) >= 0 else block.message,
            )
            for block in unit.blocks
        )
        item.placed = (offset, index, blocks)
    return item.placed[2]


def moved(block: Block, by: int, path: str, message: int) -> Block:
    """The block `by` tokens further behind; dataclasses.replace takes four times as long."""
    return Block(block.end + by, block.section, path, block.marked, block.run, block.eligible, block.speaker, message)


def same(left: Any, right: Any) -> bool:
    """Whether two parsed JSON values would be written alike: unlike `==`, keys have an order and 1 is not 1.0."""
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return len(left) == len(right) and all(
            one == other and same(left[one], right[other]) for one, other in zip(left, right, strict=True)
        )
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
