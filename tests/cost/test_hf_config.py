"""A config.json gives the shape that the table states, for every kind of attention and feed-forward block."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.cost.hf_config import shape_from_config
from promptlint.cost.shapes import ModelShape, shape_for
from promptlint.model.errors import InputError

LLAMA_8B: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "moe_layer_freq": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
LLAMA_4: dict[str, Any] = {
    "model_type": "llama4_text",
    "hidden_size": 5120,
    "intermediate_size": 8192,
    "intermediate_size_mlp": 16384,
    "num_hidden_layers": 48,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "num_experts_per_tok": 1,
    "attention_chunk_size": 8192,
}
QWEN_35: dict[str, Any] = {
    "model_type": "qwen3_5_moe_text",
    "hidden_size": 4096,
    "num_hidden_layers": 60,
    "num_attention_heads": 32,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "num_experts": 512,
    "num_experts_per_tok": 10,
    "moe_intermediate_size": 1024,
    "shared_expert_intermediate_size": 1024,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 128,
    "linear_num_value_heads": 64,
    "linear_value_head_dim": 128,
}
GPT_OSS: dict[str, Any] = {
    "model_type": "gpt_oss",
    "hidden_size": 2880,
    "intermediate_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "num_local_experts": 32,
    "experts_per_token": 4,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
}
GEMMA_2: dict[str, Any] = {
    "model_type": "gemma2",
    "hidden_size": 3584,
    "intermediate_size": 14336,
    "num_hidden_layers": 42,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 256,
    "sliding_window": 4096,
}
GEMMA_3: dict[str, Any] = {
    "hidden_size": 5376,
    "intermediate_size": 21504,
    "num_hidden_layers": 62,
    "num_attention_heads": 32,
    "num_key_value_heads": 16,
    "head_dim": 128,
    "sliding_window": 1024,
    "sliding_window_pattern": 6,
}
QWEN_30B: dict[str, Any] = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "sliding_window": None,
    "use_sliding_window": False,
}
MIXTRAL: dict[str, Any] = LLAMA_8B | {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2}
GLM_45: dict[str, Any] = {
    "model_type": "glm4_moe",
    "hidden_size": 5120,
    "intermediate_size": 12288,
    "moe_intermediate_size": 1536,
    "num_hidden_layers": 92,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "n_routed_experts": 160,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
}
GLM_5: dict[str, Any] = DEEPSEEK_V3 | {
    "model_type": "glm_moe_dsa",
    "hidden_size": 6144,
    "intermediate_size": 12288,
    "num_hidden_layers": 78,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "head_dim": 64,
    "q_lora_rank": 2048,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
}
ROTARY_3_OF_4 = [1, 1, 1, 0] * 12
CONFIGS: list[tuple[str, dict[str, Any]]] = [
    ("Llama-3.1-8B", LLAMA_8B),
    ("Qwen3-30B-A3B", QWEN_30B),
    ("Mixtral-8x7B", MIXTRAL),
    ("DeepSeek-V3", DEEPSEEK_V3),
    ("DeepSeek-V3", DEEPSEEK_V3 | {"first_k_dense_replace": 0, "mlp_layer_types": ["dense"] * 3 + ["sparse"] * 58}),
    ("Kimi-K2", DEEPSEEK_V3 | {"num_attention_heads": 64, "n_routed_experts": 384, "first_k_dense_replace": 1}),
    ("GLM-5", GLM_5),
    ("GLM-4.5", GLM_45),
    ("gpt-oss-20b", GPT_OSS),
    ("Gemma-2-9B", GEMMA_2),
    ("Gemma-3-27B", {"model_type": "gemma3", "text_config": GEMMA_3, "vision_config": {"hidden_size": 1152}}),
    ("Llama-4-Scout", {"text_config": LLAMA_4 | {"num_local_experts": 16, "interleave_moe_layer_step": 1}}),
    ("Llama-4-Maverick", LLAMA_4 | {"num_local_experts": 128, "interleave_moe_layer_step": 2}),
    ("Llama-4-Maverick", LLAMA_4 | {"num_local_experts": 128, "moe_layers": list(range(1, 48, 2))}),
    ("Llama-4-Scout", LLAMA_4 | {"num_local_experts": 16, "no_rope_layers": ROTARY_3_OF_4}),
]


def write(folder: Path, content: object) -> Path:
    path = folder / "config.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(folder: Path, content: object) -> ModelShape:
    return shape_from_config(write(folder, content))


def attention_of(shape: ModelShape) -> tuple[object, ...]:
    return (
        (shape.heads, shape.full_layers, shape.swa_layers, shape.linear_layers, shape.window, shape.mla),
        (shape.kv_bytes_per_layer(2), shape.attention_flops_per_layer()),
    )


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_a_config_reproduces_its_row(tmp_path: Path, name: str, config: dict[str, Any]) -> None:
    row, shape = shape_for(name), read(tmp_path, config)
    assert row is not None
    assert attention_of(shape) == attention_of(row)
    assert shape.active_matmul == pytest.approx(row.active_matmul, rel=0.005)
    assert shape.source.endswith("config.json")


@pytest.mark.parametrize(
    "layout",
    [{"full_attention_interval": 4}, {"layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 15}],
)
def test_linear_layers_are_recognised(tmp_path: Path, layout: dict[str, Any]) -> None:
    row, shape = shape_for("Qwen3.5-397B-A17B"), read(tmp_path, {"text_config": QWEN_35 | layout})
    assert row is not None
    assert attention_of(shape) == attention_of(row)
    # The table counts a linear layer's projections as those of an attention layer; the config knows them.
    assert shape.active_matmul == pytest.approx(row.active_matmul, rel=0.05)
    assert shape.active_matmul > row.active_matmul


def test_without_stated_sizes_a_linear_layer_counts_as_an_attention_layer(tmp_path: Path) -> None:
    types = ["linear_attention"] * 3 + ["full_attention"]
    plain = {key: value for key, value in QWEN_35.items() if not key.startswith("linear_")} | {
        "layer_types": types * 15
    }
    row = shape_for("Qwen3.5-397B-A17B")
    assert row is not None
    assert read(tmp_path, plain).active_matmul == pytest.approx(row.active_matmul, rel=0.005)


@pytest.mark.parametrize(
    ("extra", "full", "windowed", "window"),
    [
        ({"sliding_window": 4096}, 0, 32, 4096),
        ({"sliding_window": None}, 32, 0, None),
        ({"sliding_window": 4096, "use_sliding_window": False}, 32, 0, None),
        ({"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 28}, 28, 4, 4096),
        ({"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 99}, 32, 0, None),
        ({"sliding_window": 4096, "sliding_window_pattern": 4}, 8, 24, 4096),
        ({"attention_chunk_size": 64, "layer_types": ["chunked_attention"] * 32}, 0, 32, 64),
    ],
)
def test_windows(tmp_path: Path, extra: dict[str, Any], full: int, windowed: int, window: int | None) -> None:
    shape = read(tmp_path, LLAMA_8B | extra)
    assert (shape.full_layers, shape.swa_layers, shape.window) == (full, windowed, window)


def test_older_names_and_ungated_feed_forward(tmp_path: Path) -> None:
    shape = read(tmp_path, {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_inner": 3072})
    assert (shape.layers, shape.heads, shape.kv_heads, shape.head_dim) == (12, 12, 12, 64)
    assert shape.active_matmul == 12 * (4 * 768 * 768 + 2 * 768 * 3072)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ('{"num_hidden_layers": 32,\n  oops}', "config.json:2:3: is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"num_hidden_layers": ' + "9" * 5_000 + "}", "too long"),
        ("[1, 2]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('{"messages": []}', "num_hidden_layers is missing"),
        ({"text_config": {"num_hidden_layers": 4}}, "text_config.num_attention_heads is missing"),
        ({key: value for key, value in LLAMA_8B.items() if key != "intermediate_size"}, "intermediate_size is missing"),
        (LLAMA_8B | {"num_hidden_layers": 10**8}, "num_hidden_layers must be a whole number up to 10,000"),
        (LLAMA_8B | {"num_attention_heads": 0}, "num_attention_heads must not be 0"),
        (LLAMA_8B | {"num_attention_heads": -1}, "num_attention_heads must be"),
        (LLAMA_8B | {"num_key_value_heads": True}, "num_key_value_heads must be"),
        (LLAMA_8B | {"hidden_size": "4096"}, "hidden_size must be"),
        (LLAMA_8B | {"head_dim": 1e3}, "head_dim must be"),
        (LLAMA_8B | {"layer_types": ["full_attention"]}, "layer_types must list the 32 layers"),
        (LLAMA_8B | {"layer_types": ["sparse_attention"] * 32}, "a kind of layer that is not known"),
        (LLAMA_8B | {"layer_types": [None] * 32}, "a kind of layer that is not known"),
        (LLAMA_8B | {"layer_types": [[]] * 32}, "a kind of layer that is not known"),
        (LLAMA_8B | {"layer_types": ["sliding_attention"] * 32}, "sliding_window is missing"),
        (LLAMA_8B | {"mamba_d_state": 128}, "hybrid model"),
        (LLAMA_8B | {"kv_lora_rank": 512}, "qk_rope_head_dim is missing"),
        (LLAMA_4 | {"num_local_experts": 16, "no_rope_layers": [1]}, "no_rope_layers must list"),
        (MIXTRAL | {"intermediate_size": None}, "moe_intermediate_size is missing"),
        (MIXTRAL | {"moe_layer_freq": 0}, "moe_layer_freq must not be 0"),
        (QWEN_30B | {"mlp_only_layers": 3}, "mlp_only_layers must be a list"),
    ],
)
def test_what_is_no_config_is_an_input_error(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
    assert "config.json" in str(caught.value)


def test_bytes_that_are_no_text_name_the_place(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes('{"a":\n "é'.encode() + b'\xff"}')
    with pytest.raises(InputError, match="UTF-8") as caught:
        shape_from_config(path)
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        shape_from_config(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        shape_from_config(tmp_path / "absent.json")
