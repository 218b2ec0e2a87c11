"""What a divergence costs, with the assumptions that the figures stand on."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """One cost. Money in US dollars, None where no price is known.

    `kind` is `recurring` (per request) or `one-off` (per warm cache entry, after a release); the two are never added.
    `per_event` is the extra cost of one miss against a hit; `per_day` needs traffic, `total` needs warm entries.
    For self-hosted models: `flops` of prefill recomputed, `kv_bytes` of state rebuilt, `seconds` to first token added.
    """

    kind: str
    tokens: int
    per_event: Decimal | None = None
    per_day: Decimal | None = None
    total: Decimal | None = None
    flops: float | None = None
    kv_bytes: int | None = None
    seconds: float | None = None
    price_source: str = ""
    price_date: str = ""
    assumptions: tuple[str, ...] = ()
