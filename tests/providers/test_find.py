"""Which policy a request falls under."""

from __future__ import annotations

import pytest

from promptlint import providers
from promptlint.model.errors import ConfigError


@pytest.mark.parametrize(
    ("wire", "model", "family"),
    [
        ("anthropic", "claude-opus-5", "anthropic"),
        ("anthropic", "", "anthropic"),
        ("anthropic", "MiniMax-M2.7", "minimax"),
        ("anthropic", "kimi-k3", "moonshot"),
        ("anthropic", "house-model", "anthropic"),
        ("bedrock", "", "bedrock"),
        ("gemini", "gemini-2.5-pro", "gemini"),
        ("openai-responses", "", "openai"),
        ("openai-chat", "gpt-5.6-sol", "openai"),
        ("openai-chat", "o3-mini", "openai"),
        ("openai-chat", "gpt-oss-120b", "generic"),
        ("openai-chat", "openai/gpt-oss-120b", "generic"),
        ("openai-chat", "deepseek-chat", "deepseek"),
        ("openai-chat", "deepseek-ai/DeepSeek-V3", "generic"),
        ("openai-chat", "qwen3.8-max", "dashscope"),
        ("openai-chat", "Qwen/Qwen3-8B", "generic"),
        ("openai-chat", "mistral-large-latest", "mistral"),
        ("openai-chat", "codestral-2508", "mistral"),
        ("openai-chat", "mistralai/Mistral-7B-v0.3", "generic"),
        ("openai-chat", "kimi-k2-thinking", "moonshot"),
        ("openai-chat", "grok-4.5", "xai"),
        ("openai-chat", "glm-5.3", "zai"),
        ("openai-chat", "MiniMax-M2", "minimax"),
        ("openai-chat", "anthropic/claude-opus-5", "openrouter"),
        ("openai-chat", "openai/gpt-5.6", "openrouter"),
        ("openai-chat", "meta-llama/Llama-3.1-8B", "generic"),
        ("openai-chat", "olmo-3", "generic"),
        ("openai-chat", "", "generic"),
        ("openai-chat", "us.anthropic.claude-opus-5-20260101-v1:0", "bedrock"),
        ("text", "", "generic"),
        ("text", "claude-opus-5", "anthropic"),
        ("text", "gpt-5.6", "openai"),
        ("text", "gemini-2.5-pro", "gemini"),
        ("text", "deepseek-chat", "deepseek"),
        ("text", "amazon.nova-pro-v1:0", "bedrock"),
        ("text", "house-model", "generic"),
        ("parts", "claude-opus-5", "anthropic"),
        ("openai-completions", "gpt-5.6", "generic"),
    ],
)
def test_family_from_wire_and_model(wire: str, model: str, family: str) -> None:
    assert providers.find(None, wire, model).family == family


@pytest.mark.parametrize(
    ("provider", "model", "policy"),
    [
        ("anthropic", "claude-opus-5", "anthropic-opus-5"),
        ("anthropic", "claude-opus-5-20260801", "anthropic-opus-5"),
        ("anthropic", "claude-opus-5@20260801", "anthropic-opus-5"),
        ("anthropic", "claude-opus-5-5", "anthropic-opus-5.5"),
        ("anthropic", "claude-sonnet-5", "anthropic-1024"),
        ("anthropic", "claude-sonnet-5-5-20261007", "anthropic-sonnet-5.5"),
        ("anthropic", "claude-opus-4-20250514", "anthropic-1024"),
        ("anthropic", "claude-opus-4@20250514", "anthropic-1024"),
        ("anthropic", "claude-opus-4-1-20250805", "anthropic-1024"),
        ("anthropic", "claude-opus-4-5", "anthropic-4096"),
        ("anthropic", "claude-opus-4.5", "anthropic-4096"),
        ("anthropic", "claude-opus-4-7", "anthropic-2048"),
        ("anthropic", "claude-3-5-haiku-latest", "anthropic-2048"),
        ("anthropic", "Claude-Haiku-5-5", "anthropic-haiku-5.5"),
        ("anthropic", "anthropic/claude-opus-4-7", "anthropic-2048"),
        ("vertex-anthropic", "claude-opus-4-7@20260101", "vertex-anthropic-2048"),
        ("bedrock", "anthropic.claude-opus-4-7-20260101-v1:0", "bedrock-claude-4096"),
        ("bedrock", "us.anthropic.claude-opus-5-20260101-v1:0", "bedrock-claude-512"),
        ("bedrock", "global.anthropic.claude-sonnet-5", "bedrock-claude-1024"),
        ("bedrock", "bedrock/eu.anthropic.claude-sonnet-5-20260301-v1:0", "bedrock-claude-1024"),
        ("bedrock", "us.anthropic.claude-sonnet-5-5-v1:0", "bedrock-claude-512"),
        ("bedrock", "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-pro-v1:0", "bedrock-nova"),
        ("bedrock", "claude-opus-4-8", "bedrock-claude-1024"),
        ("bedrock", "openai.gpt-5.6-sol", "bedrock-openai-5.6"),
        ("openai", "gpt-5.6", "openai-gpt-5.6-plus"),
        ("openai", "gpt-6.2-luna", "openai-gpt-5.6-plus"),
        ("openai", "gpt-5.5-pro", "openai-gpt-5.5"),
        ("openai", "gpt-5.5-2026-04-23", "openai-gpt-5.5"),
        ("openai", "gpt-5-mini", "openai-pre-5.5"),
        ("openai", "gpt-5-2025-08-07", "openai-pre-5.5"),
        ("openai", "ft:gpt-4.1-mini:acme::abc", "openai-pre-5.5"),
        ("azure-openai", "gpt-5.6-sol", "azure-openai-5.6-plus"),
        ("azure-openai", "gpt-5.5", "azure-openai-pre-5.6"),
        ("gemini", "gemini-2.5-flash", "gemini-implicit-2.5"),
        ("gemini", "models/gemini-3.8-flash", "gemini-implicit-3.x"),
        ("moonshot", "kimi-k2.5", "kimi-k2"),
        ("groq", "openai/gpt-oss-20b", "groq"),
        ("vllm", "Qwen/Qwen3-8B", "vllm"),
        ("vllm-cpu", "Qwen/Qwen3-8B", "vllm-cpu"),
        ("qwen", "qwen3.8-max", "qwen-implicit"),
        ("google", "gemini-4-argon", "gemini-implicit-4"),
        ("Kimi", "kimi-k3.1-pro", "kimi-k3"),
        ("llama_cpp", "", "llama.cpp"),
        ("llama_cpp_python", "", "llama-cpp-python"),
        ("qwen-session", "qwen3.8-max", "qwen-session"),
        ("gemini-explicit", "gemini-3.8-flash", "gemini-explicit"),
        ("anthropic-4096", "claude-opus-5", "anthropic-4096"),
        ("vertex-anthropic-opus-5", "", "vertex-anthropic-opus-5"),
    ],
)
def test_policy_from_provider_and_model(provider: str, model: str, policy: str) -> None:
    found = providers.find(provider, "openai-chat", model)
    assert found.id == policy
    assert not any("assumed" in note for note in found.notes)


def test_every_id_and_family_is_a_provider() -> None:
    for policy in providers.all_policies():
        assert providers.find(policy.id, "text", "").id == policy.id or policy.id == policy.family
    for family in providers.families():
        assert providers.find(family, "text", "").family == family


def test_markers_choose_the_explicit_entry() -> None:
    assert providers.find("dashscope", "openai-chat", "qwen3.8-max", has_markers=True).id == "qwen-explicit"
    assert providers.find("dashscope", "openai-chat", "qwen3.8-max").id == "qwen-implicit"
    assert providers.find("minimax", "anthropic", "MiniMax-M2.7", has_markers=True).id == "minimax-explicit"
    assert providers.find("minimax", "anthropic", "MiniMax-M2.7").id == "minimax-passive"
    assert providers.find("minimax", "anthropic", "MiniMax-M3", has_markers=True).id == "minimax-passive"
    assert providers.find("dashscope", "openai-chat", "", has_markers=True).id == "qwen-explicit"


def test_a_model_outside_the_table_gets_the_default_and_a_note() -> None:
    found = providers.find("anthropic", "anthropic", "claude-opus-9")
    assert found.id == "anthropic-opus-5"
    assert "model 'claude-opus-9' is not in the table of anthropic: the rules of anthropic-opus-5 are assumed" in (
        found.notes
    )
    assert any("no model is named" in note for note in providers.find("openai", "text", "").notes)


def test_values_by_model() -> None:
    def read(provider: str, model: str) -> float | None:
        return providers.find(provider, "openai-chat", model).read_multiplier

    assert read("openai", "gpt-6.1-sol") == 0.05
    assert read("openai", "gpt-6.1-luna") == 0.1
    assert read("openai", "gpt-4o-mini-2024-07-18") == 0.5
    assert read("openai", "gpt-4.1") == 0.25
    assert read("bedrock", "us.anthropic.claude-opus-5-5-v1:0") == 0.05
    assert read("deepseek", "deepseek-v4-pro") == 0.0333
    assert read("minimax", "MiniMax-M2.7") is None
    assert providers.find("gemini-explicit", "gemini", "gemini-2.5-pro").min_tokens == 2048
    assert providers.find("gemini-explicit", "gemini", "gemini-3.8-flash").min_tokens == 4096


def test_openrouter_passes_the_rules_of_the_provider_behind_it_through() -> None:
    found = providers.find("openrouter", "openai-chat", "anthropic/claude-opus-4.5")
    assert (found.id, found.family, found.min_tokens, found.breakpoints_max) == ("openrouter", "openrouter", 4096, 4)
    assert "the rules of anthropic-4096 hold behind openrouter" in found.notes
    assert found.routing_key == "session_id"
    unknown = providers.find("openrouter", "openai-chat", "someone/some-model")
    assert (unknown.min_tokens, unknown.block) == (0, None)


def test_an_unknown_provider() -> None:
    with pytest.raises(ConfigError) as caught:
        providers.find("antropic", "text", "")
    assert "unknown provider 'antropic'; did you mean anthropic" in caught.value.message
    assert "`promptlint providers list`" in caught.value.message
    with pytest.raises(ConfigError) as caught:
        providers.policies("zzzz")
    assert caught.value.message == "unknown provider 'zzzz'; `promptlint providers list` shows all"
    for odd in ("", "../x", "a/b", "*"):
        with pytest.raises(ConfigError):
            providers.find(odd, "text", "")


def test_aliases_lead_to_families() -> None:
    assert set(providers.ALIASES.values()) <= set(providers.families())
    assert not set(providers.ALIASES) & set(providers.families())
