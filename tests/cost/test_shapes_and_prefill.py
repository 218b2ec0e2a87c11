"""Model shapes reproduce the published sizes, and prefill work is the sum over tokens that it stands for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.cost.prefill import kv_bytes, prefill_flops
from promptlint.cost.pricebook import DATA
from promptlint.cost.shapes import ModelShape, shape_for

# Published, 2026-11-30: layers; bytes of state a token (bf16) in full layers and in windowed ones; attention FLOPs of
# a token for each token before it, in full layers.
PUBLISHED = {
    "Llama-3.1-8B": (32, 131072, 0, 524288),
    "Llama-3.1-70B": (80, 327680, 0, 2621440),
    "Llama-3.1-405B": (126, 516096, 0, 8257536),
    "Llama-4-Scout-17B-16E": (48, 49152, 147456, 245760),
    "Llama-4-Maverick-17B-128E": (48, 49152, 147456, 245760),
    "Qwen2.5-7B": (28, 57344, 0, 401408),
    "Qwen2.5-72B": (80, 327680, 0, 2621440),
    "Qwen3-8B": (36, 147456, 0, 589824),
    "Qwen3-32B": (64, 262144, 0, 2097152),
    "Qwen3-30B-A3B": (48, 98304, 0, 786432),
    "Qwen3-235B-A22B": (94, 192512, 0, 3080192),
    "Qwen3.5-397B-A17B": (60, 30720, 0, 491520),
    "Mistral-7B-v0.3": (32, 131072, 0, 524288),
    "Mistral-Small-24B": (40, 163840, 0, 655360),
    "Mistral-Large-2407": (88, 360448, 0, 4325376),
    "Mixtral-8x7B": (32, 131072, 0, 524288),
    "Mixtral-8x22B": (56, 229376, 0, 1376256),
    "DeepSeek-V3/R1": (61, 70272, 0, 4997120),
    "Kimi-K2": (61, 70272, 0, 2498560),
    "gpt-oss-20b": (24, 24576, 24576, 196608),
    "gpt-oss-120b": (36, 36864, 36864, 294912),
    "Gemma-2-9B": (42, 172032, 172032, 344064),
    "Gemma-2-27B": (46, 188416, 188416, 376832),
    "Gemma-3-27B": (62, 81920, 425984, 163840),
    "Phi-4-14B": (40, 204800, 0, 819200),
    "Phi-4-mini": (32, 131072, 0, 393216),
    "GLM-4.5-355B-A32B": (92, 376832, 0, 4521984),
    "GLM-5": (78, 89856, 0, 5111808),
}
ROWS = {row["name"]: row for row in json.loads((DATA / "models.json").read_bytes())["models"]}


def known(model: str) -> ModelShape:
    shape = shape_for(model)
    assert shape is not None, model
    return shape


def test_the_table_holds_the_published_models() -> None:
    assert set(ROWS) == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_row_reproduces_the_published_sizes(name: str) -> None:
    layers, full_bytes, window_bytes, attention = PUBLISHED[name]
    row, shape = ROWS[name], known(ROWS[name]["aliases"][0])
    assert shape.layers == layers
    assert shape.full_layers * shape.kv_bytes_per_layer(2) == full_bytes == row["kv_bytes_per_token"]
    assert shape.swa_layers * shape.kv_bytes_per_layer(2) == window_bytes == row.get("kv_bytes_per_window_token", 0)
    assert shape.full_layers * shape.attention_flops_per_layer() == attention
    assert (shape.window is None) == (shape.swa_layers == 0)
    assert shape.params is not None and 0 < shape.active_matmul <= shape.params
    assert shape.source and shape.checked == "2026-11-30"


def test_what_was_written_from_memory_is_marked() -> None:
    unverified = {name for name, row in ROWS.items() if not row.get("verified", True)}
    assert unverified == {"Qwen2.5-72B", "Mistral-Small-24B", "Mistral-Large-2407", "Phi-4-14B"}
    assert unverified == {name for name, row in ROWS.items() if "from memory" in row["source"][:11]}
    assert not known("Qwen2.5-72B-Instruct").verified
    assert known("Qwen3-8B").verified


def test_published_checks_of_the_state_of_one_token() -> None:
    assert kv_bytes(known("meta-llama/Llama-3.1-70B"), 1, 0) == 327_680
    assert kv_bytes(known("deepseek-ai/DeepSeek-V3"), 1, 0) == 70_272
    assert kv_bytes(known("meta-llama/Llama-3.1-70B"), 1_000, 200, dtype_bytes=1) == 800 * 163_840


def test_an_alias_names_one_model() -> None:
    aliases = [alias for row in ROWS.values() for alias in row["aliases"]]
    assert len(aliases) == len(set(aliases))
    assert all(alias == alias.lower() for alias in aliases)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B"),
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("llama3.1:8b-instruct-q4_K_M", "Llama-3.1-8B"),
        ("/models/Qwen3-8B-Q4_K_M.gguf", "Qwen3-8B"),
        ("/models/Qwen3-8B/", "Qwen3-8B"),
        ("meta-llama/Meta-Llama-3.1-70B-Instruct-FP8", "Llama-3.1-70B"),
        ("deepseek-ai/DeepSeek-R1-0528", "DeepSeek-V3/R1"),
        ("moonshotai/Kimi-K2-Instruct-0905", "Kimi-K2"),
        ("microsoft/Phi-4-mini-instruct", "Phi-4-mini"),
        ("microsoft/phi-4", "Phi-4-14B"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "Mistral-7B-v0.3"),
        ("google/gemma-3-27b-it", "Gemma-3-27B"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", None),
        ("deepseek-ai/DeepSeek-V3.2", None),
        ("moonshotai/Kimi-K2.6", None),
        ("zai-org/GLM-4.5-Air", None),
        ("Qwen/Qwen3-80B", None),
        ("gpt-5.6-sol", None),
        ("", None),
        ("/", None),
        ("qwen3-8b" + "-instruct" * 100_000, None),
    ],
)
def test_names_are_matched_forgivingly_but_never_to_another_model(name: str, expected: str | None) -> None:
    shape = shape_for(name)
    assert (shape.name if shape else None) == expected


def test_prefill_by_hand() -> None:
    shape = known("meta-llama/Llama-3.1-8B")
    # 2·P·(n−c) + 2·L·H·d·(n²−c²)
    expected = 2 * 6.98e9 * 9_000 + 2 * 32 * 32 * 128 * (10_000**2 - 1_000**2)
    assert prefill_flops(shape, 10_000, 1_000) == pytest.approx(expected, rel=1e-12)


def test_prefill_of_latent_attention_by_hand() -> None:
    expected = 2 * 35.7e9 * 9_000 + 61 * 128 * (128 + 64 + 128) * (10_000**2 - 1_000**2)
    assert prefill_flops(known("DeepSeek-V3"), 10_000, 1_000) == pytest.approx(expected, rel=1e-12)


def test_linear_layers_have_no_context_term() -> None:
    shape = known("Qwen3.5-397B-A17B")
    expected = 2 * 14.72e9 * 10_000 + 2 * 15 * 32 * 256 * 10_000**2
    assert prefill_flops(shape, 10_000, 0) == pytest.approx(expected, rel=1e-12)


def test_a_window_bounds_both_work_and_state() -> None:
    shape = known("google/gemma-3-27b-it")
    assert kv_bytes(shape, 5_000, 0) == 5_000 * 81_920 + 1_024 * 425_984
    assert kv_bytes(shape, 5_000, 4_900) == 100 * (81_920 + 425_984)
    far = prefill_flops(shape, 50_001, 50_000) - prefill_flops(shape, 40_001, 40_000)
    assert far == pytest.approx(10_000 * 163_840, rel=1e-6)  # only the full layers see further


WINDOWED = st.sampled_from(["gpt-oss-20b", "Gemma-2-9B", "Llama-4-Scout", "Qwen3-8B", "GLM-5", "Qwen3.5-397B-A17B"])


@given(WINDOWED, st.integers(0, 20_000), st.integers(0, 20_000), st.integers(0, 20_000))
def test_work_adds_up_over_parts(name: str, one: int, two: int, three: int) -> None:
    shape = known(name)
    start, middle, end = sorted((one, two, three))
    whole = prefill_flops(shape, end, start)
    parts = prefill_flops(shape, end, middle) + prefill_flops(shape, middle, start)
    assert whole == pytest.approx(parts, rel=1e-9, abs=1.0)
    assert whole >= 2 * shape.active_matmul * (end - start)
    assert kv_bytes(shape, end, start) <= kv_bytes(shape, end, middle) + kv_bytes(shape, middle, start)


@given(WINDOWED, st.integers(1, 3_000))
def test_work_is_the_sum_over_tokens(name: str, tokens: int) -> None:
    """Each token attends to those before it, at most the window, and to half of itself (the integral's share)."""
    shape = known(name)
    reach = shape.window or tokens
    pairs = sum(shape.full_layers * (i + 0.5) + shape.swa_layers * min(i + 0.5, reach) for i in range(tokens))
    expected = 2 * shape.active_matmul * tokens + pairs * shape.attention_flops_per_layer()
    assert prefill_flops(shape, tokens, 0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("tokens", "cached"), [(10, 11), (10, -1), (-1, 0)])
def test_more_cached_than_there_is_cannot_be(tokens: int, cached: int) -> None:
    with pytest.raises(ValueError, match="cached tokens"):
        prefill_flops(known("Qwen3-8B"), tokens, cached)
    with pytest.raises(ValueError, match="cached tokens"):
        kv_bytes(known("Qwen3-8B"), tokens, cached)
