"""The sampled miss-ratio curve beside the exact one."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence

import pytest
from support import shared

from promptlint.readers import logs
from promptlint.trace.curve import Curve
from promptlint.trace.library import Library
from promptlint.trace.tree import Tree

BLOCK = 512


def exact(prompts: Sequence[Sequence[int]], tokens: int, capacity: int) -> float:
    """Share of tokens that a least-recently-used cache of `capacity` blocks gives, asked before it is written to."""
    cache: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for blocks in prompts:
        hits += sum(block in cache for block in blocks)
        for block in reversed(blocks):
            cache[block] = None
            cache.move_to_end(block)
        while len(cache) > capacity:
            cache.popitem(last=False)
    return hits * BLOCK / tokens


def test_sampled_within_two_points_of_exact() -> None:
    """Mooncake's synthetic trace: 120,000 uses of 42,000 blocks."""
    library = Library()
    tree, curve = Tree(library), Curve()
    prompts, total = [], 0
    for exchange in logs.read(str(shared("traces/mooncake_synthetic_trace.jsonl")), None, lambda bad: None):
        assert exchange.blocks is not None and exchange.usage is not None and exchange.usage.input is not None
        tokens = exchange.usage.input
        whole = exchange.blocks[: tokens // BLOCK]
        prompts.append(whole)
        total += tokens
        chunks = [library.block(name, BLOCK) for name in whole]
        if tokens % BLOCK:
            chunks.append(library.block(exchange.blocks[-1], tokens % BLOCK))
        nodes, _ = tree.add(array("I", chunks), tokens)
        curve.add(nodes, tokens, BLOCK)
    points = curve.result()
    assert len(points) > 10
    assert [point.tokens for point in points] == sorted(point.tokens for point in points)
    for point in points:
        assert point.rate == pytest.approx(exact(prompts, total, point.tokens // BLOCK), abs=0.02)
    assert points[-1].rate > 0.6 > points[-5].rate


def test_no_repetition_no_curve() -> None:
    assert Curve().result() == ()
