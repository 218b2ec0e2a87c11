"""Reads a Hugging Face config.json into a `ModelShape`.

Field names as in transformers: grouped-query and latent (MLA) attention, sliding windows with their layer pattern,
chunked attention (Llama 4), mixtures of experts with shared experts and dense first layers, linear attention.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from promptlint.cost.shapes import Mla, ModelShape
from promptlint.model.errors import InputError

_MOST_LAYERS = 10_000
_LARGEST = 10**9
_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_LAYER_KINDS = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "swa",
    "chunked_attention": "swa",
    "linear_attention": "linear",
    "mamba": "linear",
    "mamba2": "linear",
    "conv": "linear",
    "recurrent": "linear",
}
# Models whose feed-forward block has two matrices; all others gate it with a third.
_UNGATED = frozenset({"bloom", "falcon", "gpt2", "gpt_neox", "gptj", "mpt", "nemotron", "opt", "phi", "starcoder2"})
_OLDER_NAMES = {
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "hidden_size": ("n_embd", "d_model"),
    "num_attention_heads": ("n_head", "n_heads"),
    "intermediate_size": ("n_inner", "ffn_hidden_size"),
    "num_experts_per_tok": ("experts_per_token", "moe_topk", "top_k_experts"),
}


class _Fields:
    """The text model's part of a config.json, with checked access. Errors are InputError naming file and field."""

    def __init__(self, data: dict[str, Any], name: str, prefix: str) -> None:
        self._data = data
        self._name = name
        self._prefix = prefix
        self.model_type = str(data.get("model_type", ""))

    def error(self, field: str, why: str) -> InputError:
        return InputError(f"{self._prefix}{field} {why}", name=self._name)

    def get(self, field: str) -> Any:
        names = (field, *_OLDER_NAMES.get(field, ()))
        return next((self._data[name] for name in names if self._data.get(name) is not None), None)

    def number(self, field: str, default: int | None = None) -> int:
        """A positive whole number; the default stands where the field is absent or null."""
        value = self.get(field)
        if value is None:
            if default is None:
                raise self.error(field, "is missing: give the config.json of a Hugging Face language model")
            return default
        most = _MOST_LAYERS if field == "num_hidden_layers" else _LARGEST
        if type(value) is not int or not 0 <= value <= most:
            raise self.error(field, f"must be a whole number up to {most:,}, not {json.dumps(value)[:40]}")
        if value == 0 and default != 0:
            raise self.error(field, "must not be 0")
        return value

    def hybrid_without_layout(self) -> str | None:
        """A field of a state-space hybrid whose layer layout is not given as layer_types."""
        if self.get("layer_types") is not None:
            return None
        return next((key for key in self._data if key.startswith(("mamba_", "ssm_", "hybrid_", "attn_layer_"))), None)


def shape_from_config(path: Path | str) -> ModelShape:
    """Shape of the model that a config.json describes. Raises InputError on a file that is no such description."""
    fields = _load(Path(path))
    layers = fields.number("num_hidden_layers")
    heads = fields.number("num_attention_heads")
    mla = _mla(fields)
    head_dim = fields.number("head_dim", max(1, fields.number("hidden_size") // heads))
    if mla:
        head_dim = mla.nope_dim + mla.rope_dim
    kinds = _layer_kinds(fields, layers)
    return ModelShape(
        name=Path(path).parent.name or str(path),
        heads=heads,
        kv_heads=fields.number("num_key_value_heads", heads),
        head_dim=head_dim,
        full_layers=kinds.count("full"),
        swa_layers=kinds.count("swa"),
        window=_window(fields) if "swa" in kinds else None,
        linear_layers=kinds.count("linear"),
        active_matmul=_active_matmul(fields, kinds, heads, head_dim, mla),
        params=None,
        mla=mla,
        source=str(path),
    )


def _load(path: Path) -> _Fields:
    name = str(path)
    try:
        raw = path.read_bytes()
        data = json.loads(raw.decode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", name=name) from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = len(raw[raw.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        raise InputError("is not valid UTF-8", name=name, line=line, column=column) from None
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", name=name, line=error.lineno, column=error.colno) from None
    except (RecursionError, ValueError):
        raise InputError("is nested too deeply or holds a number that is too long", name=name) from None
    if not isinstance(data, dict):
        raise InputError("must be a JSON object: give the config.json of a Hugging Face model", name=name)
    for part in _TEXT_PARTS:
        if "num_hidden_layers" not in data and isinstance(data.get(part), dict):
            return _Fields(data[part], name, f"{part}.")
    return _Fields(data, name, "")


def _mla(fields: _Fields) -> Mla | None:
    if fields.get("kv_lora_rank") is None:
        return None
    return Mla(
        kv_lora_rank=fields.number("kv_lora_rank"),
        rope_dim=fields.number("qk_rope_head_dim"),
        nope_dim=fields.number("qk_nope_head_dim"),
        v_dim=fields.number("v_head_dim"),
    )


def _window(fields: _Fields) -> int:
    return fields.number("attention_chunk_size" if fields.get("attention_chunk_size") else "sliding_window")


def _layer_kinds(fields: _Fields, layers: int) -> list[str]:
    """`full`, `swa` or `linear` for each layer."""
    types = fields.get("layer_types")
    if types is not None:
        if not isinstance(types, list) or len(types) != layers:
            raise fields.error("layer_types", f"must list the {layers} layers")
        for kind in types:
            if not isinstance(kind, str) or kind not in _LAYER_KINDS:
                raise fields.error("layer_types", f"names a kind of layer that is not known: {json.dumps(kind)[:40]}")
        return [_LAYER_KINDS[kind] for kind in types]
    hybrid = fields.hybrid_without_layout()
    if hybrid is not None:
        raise fields.error(hybrid, "belongs to a hybrid model: without layer_types its layers cannot be told apart")
    if fields.get("full_attention_interval") is not None:
        return _every(layers, fields.number("full_attention_interval"), "linear")
    if fields.get("attention_chunk_size") is not None:
        return _chunked(fields, layers)
    if fields.get("sliding_window") is None or fields.get("use_sliding_window") is False:
        return ["full"] * layers
    if fields.get("use_sliding_window") is True:  # Qwen: the first layers see everything
        first = min(layers, fields.number("max_window_layers", 0))
        return ["full"] * first + ["swa"] * (layers - first)
    pattern = fields.number("sliding_window_pattern", 2 if fields.model_type == "gemma2" else 0)
    return _every(layers, pattern, "swa") if pattern else ["swa"] * layers


def _every(layers: int, interval: int, others: str) -> list[str]:
    return ["full" if (layer + 1) % interval == 0 else others for layer in range(layers)]


def _chunked(fields: _Fields, layers: int) -> list[str]:
    rotary = fields.get("no_rope_layers")  # 1: rotary and chunked, 0: full attention; empty: every fourth is full
    if not rotary:
        return _every(layers, fields.number("no_rope_layer_interval", 4), "swa")
    if not isinstance(rotary, list) or len(rotary) != layers:
        raise fields.error("no_rope_layers", f"must list the {layers} layers")
    return ["swa" if one else "full" for one in rotary]


def _active_matmul(fields: _Fields, kinds: list[str], heads: int, head_dim: int, mla: Mla | None) -> int:
    hidden = fields.number("hidden_size")
    attention = _mla_weights(fields, hidden, heads, mla) if mla else _gqa_weights(fields, hidden, heads, head_dim)
    linear = _linear_weights(fields, hidden, attention)
    sparse = _sparse_layers(fields, len(kinds))
    return (
        sum(linear if kind == "linear" else attention for kind in kinds)
        + (_expert_weights(fields, hidden) * sum(sparse) if any(sparse) else 0)
        + (_dense_weights(fields, hidden) * (len(sparse) - sum(sparse)) if not all(sparse) else 0)
    )


def _gqa_weights(fields: _Fields, hidden: int, heads: int, head_dim: int) -> int:
    kv_heads = fields.number("num_key_value_heads", heads)
    gate = fields.get("attn_output_gate")
    gated = fields.model_type.startswith(("qwen3_next", "qwen3_5")) if gate is None else bool(gate)
    return hidden * head_dim * (heads * (3 if gated else 2) + 2 * kv_heads)


def _mla_weights(fields: _Fields, hidden: int, heads: int, mla: Mla) -> int:
    query = heads * (mla.nope_dim + mla.rope_dim)
    rank = fields.number("q_lora_rank", 0)
    queries = rank * (hidden + query) if rank else hidden * query
    keys_values = hidden * (mla.kv_lora_rank + mla.rope_dim) + mla.kv_lora_rank * heads * (mla.nope_dim + mla.v_dim)
    return queries + keys_values + heads * mla.v_dim * hidden


def _linear_weights(fields: _Fields, hidden: int, attention: int) -> int:
    """Projections of a gated delta-net layer; as many as in an attention layer where its sizes are not stated."""
    if fields.get("linear_num_value_heads") is None:
        return attention
    value_heads = fields.number("linear_num_value_heads")
    keys = fields.number("linear_num_key_heads") * fields.number("linear_key_head_dim")
    values = value_heads * fields.number("linear_value_head_dim")
    return hidden * (2 * keys + 3 * values + 2 * value_heads)


def _sparse_layers(fields: _Fields, layers: int) -> list[bool]:
    """Which layers are mixtures of experts."""
    if not _experts(fields) or fields.get("num_experts_per_tok") is None:
        return [False] * layers
    kinds = fields.get("mlp_layer_types")
    if isinstance(kinds, list) and len(kinds) == layers:
        return [kind == "sparse" for kind in kinds]
    chosen = fields.get("moe_layers")
    if isinstance(chosen, list):
        return [layer in chosen for layer in range(layers)]
    dense_first = fields.number("first_k_dense_replace", 0)
    every = fields.number("moe_layer_freq", 1)
    step = fields.number("decoder_sparse_step", fields.number("interleave_moe_layer_step", 1))
    dense = fields.get("mlp_only_layers") or []
    if not isinstance(dense, list):
        raise fields.error("mlp_only_layers", "must be a list of layers")
    return [
        layer >= dense_first and layer % every == 0 and (layer + 1) % step == 0 and layer not in dense
        for layer in range(layers)
    ]


def _experts(fields: _Fields) -> int:
    names = ("num_local_experts", "num_experts", "n_routed_experts")
    return next((fields.number(name, 0) for name in names if fields.get(name) is not None), 0)


def _expert_weights(fields: _Fields, hidden: int) -> int:
    """Router, routed experts that a token visits, and shared experts, of one layer."""
    size = fields.number("moe_intermediate_size", fields.number("intermediate_size", 0))
    if not size:
        raise fields.error("moe_intermediate_size", "is missing, and intermediate_size too")
    shared = fields.number("shared_expert_intermediate_size", fields.number("n_shared_experts", 0) * size)
    if fields.model_type.startswith("llama4"):  # always one, and no field says so
        shared = size
    return hidden * (_experts(fields) + 3 * (fields.number("num_experts_per_tok") * size + shared))


def _dense_weights(fields: _Fields, hidden: int) -> int:
    size = fields.number("intermediate_size_mlp", fields.number("intermediate_size", 0))
    if not size:
        raise fields.error("intermediate_size", "is missing")
    return hidden * size * (2 if fields.model_type in _UNGATED else 3)
