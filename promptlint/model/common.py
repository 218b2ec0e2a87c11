"""How much two runs of tokens or characters have in common at their start and at their end."""

from __future__ import annotations

from array import array
from typing import TypeVar

Run = TypeVar("Run", "array[int]", str)


def common_prefix(before: Run, after: Run) -> int:
    """Number of leading ids or characters that two runs share (by bisection on slices: memcmp speed)."""
    low, high = 0, min(len(before), len(after))
    if before[:high] == after[:high]:
        return high
    while high - low > 1:  # invariant: [:low] equal, [:high] different
        middle = (low + high) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle
    return low


def shared_ends(before: str, after: str) -> tuple[int, int]:
    """Characters of the common start and, of what it leaves, of the common end."""
    head = common_prefix(before, after)
    return head, common_prefix(before[head:][::-1], after[head:][::-1])
