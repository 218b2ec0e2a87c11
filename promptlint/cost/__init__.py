"""What a divergence costs: money at list prices, prefill work, and time to first token."""

from promptlint.cost.estimate import one_off, recurring, unit_prices
from promptlint.cost.hf_config import shape_from_config
from promptlint.cost.prefill import kv_bytes, prefill_flops
from promptlint.cost.prices import DEFAULT_TTL, Prices, prices_for
from promptlint.cost.shapes import Mla, ModelShape, shape_for

__all__ = [
    "DEFAULT_TTL",
    "Mla",
    "ModelShape",
    "Prices",
    "kv_bytes",
    "one_off",
    "prefill_flops",
    "prices_for",
    "recurring",
    "shape_for",
    "shape_from_config",
    "unit_prices",
]
