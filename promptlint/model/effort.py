"""When difflib can align two lists in good time, so that no prompt can make a run hang."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_ITEMS = 1500  # a side
_PAIRS = 20_000  # pairs of equal items; on repetitive text difflib's work is cubic


def alignable(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether `difflib.SequenceMatcher` may be given these lists."""
    if len(before) > _ITEMS or len(after) > _ITEMS:
        return False
    left, right = Counter(before), Counter(after)
    return sum(count * right[item] for item, count in left.items()) <= _PAIRS
