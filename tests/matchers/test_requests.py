"""Settings, routing keys, the order of the body, and side calls."""

from __future__ import annotations

from typing import Any

import pytest
from request_pairs import BEDROCK_CLAUDE, LONG, Body, assistant, claude, found, paths, text, user

from promptlint.model.finding import Severity


def grown(first: Body, second: Body, model: str = "gpt-5.1") -> tuple[Body, Body]:
    """Two requests of one conversation, each with settings of its own."""
    opening = {"role": "user", "content": "Hello"}
    more = [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Open?"}]
    return {"model": model, **first, "messages": [opening]}, {"model": model, **second, "messages": [opening, *more]}


SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object", "title": "A"}}}
SWAPPED = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"title": "A", "type": "object"}}}


@pytest.mark.parametrize(
    ("provider", "model", "first", "second", "path"),
    [
        (
            "anthropic",
            "claude-opus-5",
            {"thinking": {"type": "adaptive"}},
            {"thinking": {"type": "disabled"}},
            "thinking",
        ),
        (
            "anthropic",
            "claude-opus-5",
            {"thinking": {"type": "enabled", "budget_tokens": 1024}},
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
            "thinking",
        ),
        ("anthropic", "claude-opus-5", {"output_config": {"effort": "low"}}, {}, "output_config.effort"),
        (
            "anthropic",
            "claude-opus-5",
            {"tool_choice": {"type": "any"}},
            {"tool_choice": {"type": "auto"}},
            "tool_choice",
        ),
        ("anthropic", "claude-opus-5", {"speed": "fast"}, {}, "speed"),
        (
            "anthropic",
            "claude-opus-5",
            {},
            {"output_config": {"format": {"type": "json_schema", "schema": {}}}},
            "output_config.format",
        ),
        ("openai", "gpt-5.1", {"reasoning_effort": "low"}, {"reasoning_effort": "high"}, "reasoning_effort"),
        ("openai", "gpt-5.6-sol", {"verbosity": "low"}, {"verbosity": "high"}, "verbosity"),
        ("openai", "gpt-5.1", {}, {"response_format": SCHEMA}, "response_format"),
        ("openai", "gpt-5.1", {"response_format": SCHEMA}, {"response_format": SWAPPED}, "response_format"),
        ("openai", "gpt-5.1", {"parallel_tool_calls": False}, {}, "parallel_tool_calls"),
        ("vllm", "qwen", {"cache_salt": "a"}, {"cache_salt": "b"}, "cache_salt"),
        ("sglang", "qwen", {"lora_path": "a"}, {"lora_path": "b"}, "lora_path"),
        (
            "fireworks",
            "m",
            {"prompt_cache_isolation_key": "a"},
            {"prompt_cache_isolation_key": "b"},
            "prompt_cache_isolation_key",
        ),
        ("groq", "openai/gpt-oss-20b", {"tool_choice": "auto"}, {"tool_choice": "required"}, "tool_choice"),
    ],
)
def test_settings_that_split_the_cache(provider: str, model: str, first: Body, second: Body, path: str) -> None:
    (finding,) = found("PL602", *grown(first, second, model), provider)
    assert finding.location.path == path


@pytest.mark.parametrize(
    ("provider", "model", "first", "second"),
    [
        ("anthropic", "claude-opus-5", {"output_config": {"effort": "high"}}, {}),
        ("anthropic", "claude-opus-5", {"tool_choice": {"type": "auto"}}, {"tool_choice": None}),
        (
            "anthropic",
            "claude-opus-5",
            {"thinking": {"type": "enabled", "budget_tokens": 9}},
            {"thinking": {"budget_tokens": 9, "type": "enabled"}},
        ),
        ("anthropic", "claude-opus-5", {"temperature": 0, "max_tokens": 1}, {"temperature": 1, "max_tokens": 2}),
        ("openai", "gpt-5.1", {"tool_choice": "none"}, {"tool_choice": "auto"}),
        ("openai", "gpt-5.1", {"response_format": {"type": "text"}, "parallel_tool_calls": True}, {}),
        ("openai", "gpt-5.1", {"metadata": {"a": "b"}, "seed": 1}, {"seed": 2}),
        ("moonshot", "kimi-k3", {"tool_choice": "none"}, {"tool_choice": "auto"}),
    ],
)
def test_settings_that_do_not(provider: str, model: str, first: Body, second: Body) -> None:
    assert found("PL602", *grown(first, second, model), provider) == []


def test_citations_are_turned_on_or_off() -> None:
    def document(**more: Any) -> Body:
        return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}, **more}

    cited = document(citations={"enabled": True})
    turns = user(text("Is the indoor pool open today?")), assistant(text("It is."))
    old = claude(*turns, user(text("Until when is it?")), system=LONG)
    (finding,) = found(
        "PL602",
        old,
        claude(*turns, user(text("Until when is it?")), assistant(text("Nine.")), user(cited), system=LONG),
    )
    assert finding.location.path == "messages[4].content[0].citations"
    assert "the cache of system and what follows is lost" in finding.message
    for plain in (document(), document(citations={"enabled": False})):
        later = claude(*turns, user(text("Until when is it?")), assistant(text("Nine.")), user(plain), system=LONG)
        assert found("PL602", old, later) == []


def test_what_is_not_certain_is_said_with_less_confidence() -> None:
    (finding,) = found(
        "PL602", *grown({"reasoning_effort": "low"}, {"reasoning_effort": "high"}, "kimi-k3"), "moonshot"
    )
    assert finding.confidence == "low"


def test_a_setting_deep_in_the_body_has_its_place() -> None:
    def body(effort: str, *messages: Body) -> Body:
        more = {"additionalModelRequestFields": {"output_config": {"effort": effort}}}
        return {"modelId": BEDROCK_CLAUDE, **more, "messages": list(messages)}

    first = user({"text": "Hello"})
    later = body("max", first, assistant({"text": "Hi"}), user({"text": "Open?"}))
    (finding,) = found("PL602", body("low", first), later, "bedrock")
    assert finding.location.path == "additionalModelRequestFields.output_config.effort"
    assert finding.location.column > 1


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("claude-sonnet-4-5", "claude-haiku-4-5", Severity.WARNING),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-11-20", Severity.WARNING),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", Severity.INFO),
        ("openai/gpt-5.1", "gpt-5.1", Severity.INFO),
    ],
)
def test_models(old: str, new: str, severity: Severity) -> None:
    first, second = grown({"model": old}, {"model": new})
    (finding,) = found("PL601", first, second, "anthropic" if "claude" in old else "openai")
    assert finding.severity is severity
    assert finding.confidence == ("low" if severity is Severity.INFO else "high")


@pytest.mark.parametrize(
    ("provider", "key"),
    [
        ("openai", "prompt_cache_key"),
        ("azure-openai", "prompt_cache_key"),
        ("mistral", "prompt_cache_key"),
        ("xai", "prompt_cache_key"),
        ("moonshot", "prompt_cache_key"),
        ("together", "prompt_cache_key"),
        ("fireworks", "prompt_cache_key"),
        ("fireworks", "user"),
        ("openrouter", "session_id"),
        ("openrouter", "prompt_cache_key"),
    ],
)
def test_keys_that_change_within_a_conversation(provider: str, key: str) -> None:
    turns = [user(text("Hello")), assistant(text("Hi")), user(text("Open?"))]
    old: dict[str, Any] = {"model": "m", key: "a", "messages": turns}
    new = {"model": "m", key: "b", "messages": [*turns, assistant(text("Yes.")), user(text("Until?"))]}
    assert paths(found("PL603", old, new, provider)) == [key]
    assert found("PL603", old, {**new, key: "a"}, provider) == []
    assert found("PL603", old, {**new, "messages": [user(text("Where do I return the red book?"))]}, provider) == []


def test_only_the_key_that_counts_matters() -> None:
    old, new = grown({"session_id": "s", "prompt_cache_key": "a"}, {"session_id": "s", "prompt_cache_key": "b"})
    assert found("PL603", old, new, "openrouter") == []


@pytest.mark.parametrize(
    ("provider", "model", "wanted"),
    [
        ("openai", "gpt-5.1", True),
        ("openai", "gpt-5.6-sol", False),
        ("azure-openai", "gpt-5.6-sol", True),
        ("mistral", "mistral-large-latest", True),
        ("moonshot", "kimi-k3", True),
        ("openrouter", "openai/gpt-5.1", False),
        ("deepseek", "deepseek-chat", False),
        ("vllm", "m", False),
    ],
)
def test_keys_that_are_missing(provider: str, model: str, wanted: bool) -> None:
    body = {"model": model, "messages": [{"role": "system", "content": LONG}, {"role": "user", "content": "Hello"}]}
    assert (found("PL604", None, body, provider) != []) is wanted
    assert found("PL604", None, {**body, "prompt_cache_key": "a"}, provider) == []
    assert found("PL604", None, {**body, "messages": body["messages"][1:]}, provider) == []


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        (["messages", "model", "system", "tools"], "system"),
        (["messages", "tools", "system"], "tools[0].name"),
        (["tools", "messages", "system"], "system"),
        (["tools", "system", "messages"], ""),
        (["system", "tools", "messages"], ""),
    ],
)
def test_the_order_of_the_body(keys: list[str], path: str) -> None:
    whole = claude(user(text("Hello")), system="Be brief.", tools=[{"name": "a", "input_schema": {}}])
    body = {key: whole[key] for key in keys}
    assert paths(found("PL605", None, body, "vertex-anthropic")) == ([path] if path else [])
    assert found("PL605", None, body) == []


TURNS = [
    user(text("Is the indoor pool open today?")),
    assistant(text("It is open from seven in the morning.")),
    user(text("How much is a ticket for two children?")),
    assistant(text("Children under six pay nothing here.")),
    user(text("Thank you very much for your help.")),
]
TOOLS = [{"name": "get_record", "description": "Reads.", "input_schema": {"type": "object"}}]
MAIN = claude(*TURNS, system="You help the guests of a public pool.", tools=TOOLS)
FLAT = "Summarise.\n\n" + "\n".join(f"{turn['role']}: {turn['content'][0]['text']}" for turn in TURNS)
SUMMARY = user(text("Sum this conversation up."))


@pytest.mark.parametrize(
    "call",
    [
        claude(user(text(FLAT))),
        claude(user(text(FLAT)), system="You write summaries."),
        claude(user(text(FLAT)), system=MAIN["system"], tools=TOOLS),
        claude(user(text(FLAT)), model="claude-haiku-4-5"),
        claude(user(text("Conversation:")), user(text(FLAT))),
        claude(*TURNS, SUMMARY),
        claude(*TURNS, SUMMARY, system="You write titles."),
    ],
)
def test_side_calls(call: Body) -> None:
    assert len(found("PL606", MAIN, call)) == 1


@pytest.mark.parametrize(
    "call",
    [
        claude(*TURNS, assistant(text("Bye.")), SUMMARY, system=MAIN["system"], tools=TOOLS),  # shares everything
        claude(*TURNS, SUMMARY, system=MAIN["system"]),  # another mode of the same agent: its tools are gone
        claude(*TURNS, SUMMARY, system="Plan first, act later.", tools=[{**TOOLS[0], "name": "plan"}]),
        claude(user(text("Where do I return a book?"))),
        claude(user(text("Where do I return a book?")), system=MAIN["system"], tools=TOOLS),
        claude(*TURNS[2:], SUMMARY, system=MAIN["system"], tools=TOOLS),  # a window
        claude(user(text("A guest asked when the pool is open.")), system="You write titles."),
    ],
)
def test_no_side_calls(call: Body) -> None:
    assert found("PL606", MAIN, call) == []


def test_a_long_history_as_one_text() -> None:
    turns = [user(text(f"What does ticket number {index} cost for me?")) for index in range(2_000)]
    flat = "\n".join(turn["content"][0]["text"] for turn in turns)
    assert len(found("PL606", claude(*turns), claude(user(text(flat))))) == 1
