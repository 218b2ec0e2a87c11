"""The numbers of every entry, pinned; and what every entry must carry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptlint import providers
from promptlint.model.errors import ConfigError
from promptlint.model.policy import CachePolicy, Matching
from promptlint.model.prompt import Section
from promptlint.providers import load

# id: minimum (a pair where sources disagree), block, default lifetime in seconds
NUMBERS: dict[str, tuple[int | tuple[int, int], int | None, int | None]] = {
    "anthropic-1024": (1024, None, 300),
    "anthropic-2048": (2048, None, 300),
    "anthropic-4096": (4096, None, 300),
    "anthropic-512-fable-mythos-5": (512, None, 300),
    "anthropic-512-fable-mythos-5.1": (512, None, 300),
    "anthropic-fable-mythos-5.2": (512, None, 300),
    "anthropic-haiku-5.5": (512, None, 300),
    "anthropic-opus-5": (512, None, 300),
    "anthropic-opus-5.5": (512, None, 300),
    "anthropic-sonnet-5.5": (512, None, 300),
    "azure-openai-5.6-plus": (1024, None, 1800),
    "azure-openai-pre-5.6": (1024, 128, None),
    "bedrock-claude-1024": (1024, None, 300),
    "bedrock-claude-4096": (4096, None, 300),
    "bedrock-claude-512": (512, None, 300),
    "bedrock-nova": (1000, None, 300),
    "bedrock-openai-5.6": (1024, None, 1800),
    "deepseek": (64, 64, None),
    "dynamo": (0, 64, None),
    "fireworks": (0, None, None),
    "gemini-explicit": (4096, None, 3600),
    "gemini-implicit-2.5": (2048, None, None),
    "gemini-implicit-3.x": (4096, None, None),
    "gemini-implicit-4": ((4096, 6144), None, None),
    "generic": (0, None, None),
    "groq": ((128, 1024), 128, 7200),
    "kimi-k2": (256, 256, None),
    "kimi-k3": (256, 256, 300),
    "llama-cpp-python": (0, 1, None),
    "llama.cpp": (0, 1, None),
    "llm-d": (0, 16, None),
    "lmcache": (0, 256, None),
    "lmdeploy": (0, 64, None),
    "minimax-explicit": (512, None, 300),
    "minimax-passive": (512, None, None),
    "mistral": (64, 64, None),
    "mlc-llm": (0, 1, None),
    "ollama": (0, 1, None),
    "openai-gpt-5.5": ((1024, 2048), 2048, 86400),
    "openai-gpt-5.6-plus": (1024, None, 1800),
    "openai-pre-5.5": (1024, 128, None),
    "openrouter": (0, None, None),
    "qwen-explicit": (1024, None, 300),
    "qwen-implicit": ((256, 1024), None, None),
    "qwen-session": (1024, None, 300),
    "sglang": (0, 1, None),
    "tensorrt-llm": (0, None, None),
    "tgi": (0, 1, None),
    "tgi-flashdecoding": (0, 256, None),
    "together": (0, None, 3600),
    "vllm": (0, 16, None),
    "vllm-cpu": (0, 128, None),
    "xai": (0, None, None),
    "zai": (0, None, None),
}
SELF_HOSTED = {
    "dynamo",
    "llama.cpp",
    "llm-d",
    "lmcache",
    "lmdeploy",
    "mlc-llm",
    "ollama",
    "sglang",
    "tensorrt-llm",
    "tgi",
    "vllm",
}
every_policy = pytest.mark.parametrize("policy", providers.all_policies(), ids=lambda policy: policy.id)


def test_the_numbers_of_every_entry() -> None:
    found = {
        policy.id: (
            policy.min_tokens if policy.min_tokens_high is None else (policy.min_tokens, policy.min_tokens_high),
            policy.block,
            policy.ttl_default,
        )
        for policy in providers.all_policies()
        if policy.family != "vertex-anthropic"
    }
    assert found == NUMBERS


def test_vertex_differs_from_the_claude_api_only_where_it_is_said() -> None:
    for ours, theirs in zip(providers.policies("vertex-anthropic"), providers.policies("anthropic"), strict=True):
        assert ours.id == f"vertex-{theirs.id}"
        assert (ours.models, ours.min_tokens, ours.read_multiplier) == (
            theirs.models,
            theirs.min_tokens,
            theirs.read_multiplier,
        )
        assert (ours.key_order_matters, theirs.key_order_matters) == (True, False)
        assert any("organization" in note for note in ours.notes)
        assert not any("workspace." in note and "not by" not in note for note in ours.notes)


@every_policy
def test_every_entry_has_sources_and_a_day(policy: CachePolicy) -> None:
    assert policy.fact.sources
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", policy.fact.checked)
    assert policy.fact.as_of or policy.family == "generic"
    assert sorted(policy.order, key=lambda section: section.value) == sorted(Section, key=lambda section: section.value)
    assert policy.models
    assert any(invalidator.setting in ("model", "modelId") for invalidator in policy.invalidators)


@every_policy
def test_an_uncertain_number_is_said_in_the_notes(policy: CachePolicy) -> None:
    for status in (policy.min_tokens_status, policy.block_status):
        assert status == "confirmed" or any(status in note for note in policy.notes)


@every_policy
def test_each_way_of_matching_has_what_it_needs(policy: CachePolicy) -> None:
    if policy.matching is Matching.BREAKPOINT:
        assert policy.breakpoints_max
        assert policy.ttl_default in policy.ttl_options or not policy.ttl_options
        assert set(policy.write_multipliers) <= {*policy.ttl_options, policy.ttl_default}
        assert policy.block is None
        assert policy.breakpoints_overflow in ("refused", "latest")
    else:
        assert not policy.breakpoints_max
    assert policy.last_token is not policy.hosted


def test_self_hosted_engines_warn_about_hybrid_models() -> None:
    assert {policy.family for policy in providers.all_policies() if not policy.hosted} == SELF_HOSTED
    for policy in providers.all_policies():
        warned = any("hybrid or sliding-window" in note for note in policy.notes)
        assert warned is not policy.hosted


def levels(policy_id: str) -> dict[str, Section | None]:
    return {item.setting: item.level for item in providers.find(policy_id, "text", "").invalidators}


def test_what_splits_the_cache() -> None:
    assert levels("anthropic") == {
        "model": None,
        "speed": Section.SYSTEM,
        "tool_choice": Section.MESSAGES,
        "disable_parallel_tool_use": Section.MESSAGES,
        "thinking": Section.MESSAGES,
        "output_config.effort": Section.MESSAGES,
        "output_config.format": Section.MESSAGES,
        "output_format": Section.MESSAGES,
        "images": Section.MESSAGES,
        "citations": Section.SYSTEM,
    }
    everything = dict.fromkeys(
        [
            "model",
            "parallel_tool_calls",
            "text.format",
            "response_format",
            "reasoning.effort",
            "reasoning_effort",
            "text.verbosity",
            "verbosity",
        ]
    )
    for policy in (*providers.policies("openai"), *providers.policies("azure-openai")):
        named_by_the_diagnosis = {"service_tier": None} if policy.family == "openai" else {}
        assert levels(policy.id) == everything | named_by_the_diagnosis
        assert policy.routing_key == "prompt_cache_key"
    assert levels("vllm") == {"model": None, "cache_salt": None}
    assert levels("sglang") == {"model": None, "cache_salt": None, "extra_key": None, "lora_path": None}
    assert levels("deepseek") == {"model": None, "user_id": None}


def test_rules_of_breakpoints() -> None:
    claude = providers.find("anthropic", "anthropic", "claude-opus-5")
    assert (claude.breakpoints_max, claude.lookback_blocks, claude.lookback_runs) == (4, 20, True)
    assert (claude.breakpoints_overflow, claude.ttl_options, claude.implicit_breakpoints) == (
        "refused",
        (300, 3600),
        False,
    )
    assert claude.order == (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
    gpt = providers.find("openai", "openai-chat", "gpt-5.6")
    assert (gpt.breakpoints_max, gpt.lookback_blocks, gpt.lookups_max) == (4, None, 80)
    assert (gpt.breakpoints_overflow, gpt.implicit_breakpoints, gpt.ttl_minimum) == ("latest", True, True)
    assert Section.TOOLS not in gpt.marker_sections
    qwen = providers.find("qwen-explicit", "openai-chat", "")
    assert (qwen.breakpoints_overflow, qwen.lookback_blocks) == ("latest", 20)
    assert providers.find("azure-openai", "openai-chat", "gpt-5.6").lookups_max == 50


def test_the_order_of_sections() -> None:
    tools_first = {"anthropic", "vertex-anthropic", "bedrock", "openai", "azure-openai", "minimax"}
    for policy in providers.all_policies():
        assert (policy.order[0] is Section.TOOLS) is (policy.family in tools_first)
        assert policy.order[-1] is Section.MESSAGES


def test_vendor_reasons() -> None:
    assert dict(providers.policies("anthropic")[0].vendor_reasons) == {
        "tools": "tools_changed",
        "system": "system_changed",
        "messages": "messages_changed",
        "model": "model_changed",
        "speed": "model_changed",
        "tool_choice": "unavailable",
        "thinking": "unavailable",
    }
    assert not providers.policies("vertex-anthropic")[0].vendor_reasons
    reasons = providers.policies("openai")[0].vendor_reasons
    assert set(reasons) >= {"tools", "system", "messages", "model", "text_format", "reasoning_effort", "verbosity"}
    assert reasons["prompt_cache_key"] == "prompt_cache_key_changed"


def test_every_family_says_what_it_is() -> None:
    assert all(providers.summary(family) for family in providers.families())


def test_bedrock_names_the_fields_of_both_of_its_apis() -> None:
    found = levels("bedrock-claude-1024")
    assert found["modelId"] is None
    assert found["toolConfig.toolChoice"] is found["tool_choice"] is Section.MESSAGES
    assert found["additionalModelRequestFields.thinking"] is found["thinking"] is Section.MESSAGES
    nova = providers.find("bedrock-nova", "text", "")
    assert Section.TOOLS not in nova.marker_sections
    assert providers.find("bedrock-openai-5.6", "text", "").implicit_breakpoints


def test_an_entry_with_a_word_that_no_policy_knows_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = "id: x\n    matching: longest-prefix\n    order: [system]\n    sources: [a]\n    checked: 2026-11-30\n"
    (tmp_path / "odd.yaml").write_text(f"summary: x\ndefault: x\nentries:\n  - {entry}    colour: red\n")
    monkeypatch.setattr(load, "DATA", tmp_path)
    with pytest.raises(ConfigError, match=r"odd\.yaml: entry 'x': .*colour"):
        load.family("odd")
