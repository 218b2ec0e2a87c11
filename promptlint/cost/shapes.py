"""The shape of a model, as far as prefill work and the size of its cached state depend on it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from promptlint.cost.pricebook import DATA, LONGEST_NAME

# What a name may carry after the model's own name without changing its shape: tuning, date, precision, file format.
_QUALIFIER = re.compile(
    r"instruct|chat|it|base|hf|thinking|latest|v\d+|\d{4}|\d{8}|"
    r"(nv|mx)?fp[48]|[bf]+p?16|int[48]|awq|gptq|bnb|[48]bit|w\d+a\d+|dynamic|quantized|ud|i?q\d\w*|k|[sml]|x[sl]|[01]"
)
_VENDOR = re.compile(r"^(meta|nvidia|google|microsoft)-(?=llama|gemma|phi)")


@dataclass(frozen=True, slots=True)
class Mla:
    """Multi-head latent attention: one compressed vector per token and layer is cached instead of keys and values."""

    kv_lora_rank: int
    rope_dim: int
    nope_dim: int
    v_dim: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Layers by kind of attention, head counts and dimensions, and weights.

    `active_matmul`: weights that each prompt token is multiplied with (embedding and output head left out; of the
    experts those that a token visits). `window`: tokens that a sliding-window layer sees. `params`: all weights,
    None where not stated. `verified` false: written down from memory, only the number of parameters was checked.
    """

    name: str
    heads: int
    kv_heads: int
    head_dim: int
    full_layers: int
    swa_layers: int
    window: int | None
    linear_layers: int
    active_matmul: int
    params: int | None
    mla: Mla | None
    source: str
    checked: str = ""
    verified: bool = True

    @property
    def layers(self) -> int:
        return self.full_layers + self.swa_layers + self.linear_layers

    def kv_bytes_per_layer(self, dtype_bytes: int) -> int:
        """State of one token in one attention layer: keys and values, or the latent vector and rotary key of MLA."""
        if self.mla:
            return (self.mla.kv_lora_rank + self.mla.rope_dim) * dtype_bytes
        return 2 * self.kv_heads * self.head_dim * dtype_bytes

    def attention_flops_per_layer(self) -> int:
        """FLOPs of one token that attends to one other in one layer: its score, and its share of the value sum."""
        if self.mla:
            return 2 * self.heads * (self.mla.nope_dim + self.mla.rope_dim + self.mla.v_dim)
        return 4 * self.heads * self.head_dim


def shape_for(model: str) -> ModelShape | None:
    """Shape of a known open-weight model, or None. The publisher, tuning, date and precision in a name are ignored."""
    name = _plain(model)
    best = max((alias for alias in _table() if _names(name, alias)), key=len, default=None)
    return None if best is None else _table()[best]


@cache
def _table() -> dict[str, ModelShape]:
    data = json.loads((DATA / "models.json").read_bytes())
    return {alias: _shape(row, data["checked"]) for row in data["models"] for alias in row["aliases"]}


def _shape(row: dict[str, Any], checked: str) -> ModelShape:
    return ModelShape(
        name=row["name"],
        heads=row["heads"],
        kv_heads=row["kv_heads"],
        head_dim=row["head_dim"],
        full_layers=row["full_layers"],
        swa_layers=row["swa_layers"],
        window=row["window"],
        linear_layers=row["linear_layers"],
        active_matmul=_billions(row["active_matmul_b"]),
        params=_billions(row["params_b"]),
        mla=Mla(**row["mla"]) if "mla" in row else None,
        source=row["source"],
        checked=checked,
        verified=row.get("verified", True),
    )


def _billions(text: str) -> int:
    return int(Decimal(text) * 10**9)


def _plain(model: str) -> str:
    if len(model) > LONGEST_NAME:
        return ""
    name = model.lower().rstrip("/").rsplit("/", 1)[-1].removesuffix(".gguf").removesuffix("-gguf")
    return _VENDOR.sub("", re.sub(r"[\s_:@]+", "-", name))


def _names(name: str, alias: str) -> bool:
    rest = name.removeprefix(alias)
    if len(rest) == len(name) or (rest and not rest.startswith("-")):
        return False
    return all(_QUALIFIER.fullmatch(word) for word in rest.split("-") if word)
