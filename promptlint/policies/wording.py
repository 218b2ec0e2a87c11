"""Words and bounds that the caches share."""

from __future__ import annotations

import math

# Counts from a vocabulary that is not the model's own: this close to a threshold they may lie on either side of it.
_MARGIN = 0.15


def bounds(low: int, high: int | None, exact: bool) -> tuple[int, int]:
    """The least and the greatest that a minimum of `low` (to `high`, where sources disagree) may mean in our tokens."""
    high = low if high is None else max(low, high)
    if exact:
        return low, high
    return math.floor(low * (1 - _MARGIN)), math.ceil(high * (1 + _MARGIN))


def duration(seconds: float) -> str:
    """`6 minutes`, `1 hour 30 minutes`, `45 seconds`: whole units, at most the two largest."""
    whole = round(seconds)
    sizes = (("hour", 3600), ("minute", 60), ("second", 1))
    parts = []
    for name, size in sizes:
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count} {name}" if count == 1 else f"{count} {name}s")
    return " ".join(parts[:2]) or "0 seconds"
