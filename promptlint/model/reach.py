"""Where a request with breakpoints writes and where it looks, by a policy's own way of counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from promptlint.model.policy import Block, CachePolicy


@dataclass(frozen=True, slots=True)
class Reach:
    """`marked`: indices of the blocks with a marker. `writes`: those that are written, implicit ones included.

    `looks`: for the end (in tokens) of each block that is looked at or counted, how many positions before a
    breakpoint it lies, that one counted. `refused`: the request has more markers than the provider takes.
    """

    marked: tuple[int, ...]
    writes: tuple[int, ...]
    looks: Mapping[int, int]
    refused: bool


def limit(policy: CachePolicy) -> int:
    """The greatest number of positions in `looks` that still counts."""
    return 1 if policy.lookback_blocks is None else policy.lookback_blocks


def reach(policy: CachePolicy, blocks: Sequence[Block]) -> Reach:
    """What a request with these blocks writes and looks at; nothing where the provider refuses it."""
    marked = tuple(index for index, block in enumerate(blocks) if block.marked is not None)
    eligible = [index for index, block in enumerate(blocks) if block.eligible]
    if len(marked) > policy.breakpoints_max and policy.breakpoints_overflow == "refused":
        return Reach(marked, (), {}, refused=True)
    implicit = eligible[-1:]
    effective = latest(marked, policy.breakpoints_max - len(implicit))
    if policy.lookback_blocks is not None:
        looks = _looks_back(policy, blocks, effective)
    else:
        own = sorted({*marked, *eligible})
        most = len(own) if policy.lookups_max is None else policy.lookups_max
        looks = {blocks[index].end: 1 for index in latest(own, most)}
    return Reach(marked, tuple(sorted({*implicit, *effective})), looks, refused=False)


def _looks_back(policy: CachePolicy, blocks: Sequence[Block], marked: Sequence[int]) -> dict[int, int]:
    looks: dict[int, int] = {}
    for start in marked:
        for position, block in positions(blocks[: start + 1], runs=policy.lookback_runs):
            looks[block.end] = min(position, looks.get(block.end, position))
    return looks


def positions(blocks: Sequence[Block], *, runs: bool) -> list[tuple[int, Block]]:
    """Blocks from the last one back, each with its position counted from 1; with `runs` a run of calls is one."""
    found: list[tuple[int, Block]] = []
    position, run = 0, ""
    for block in reversed(blocks):
        if not (runs and block.run and block.run == run):
            position += 1
        run = block.run
        found.append((position, block))
    return found


def latest(indices: Sequence[int], count: int) -> Sequence[int]:
    return indices[max(0, len(indices) - count) :]
