"""Requests without a marker, and markers on too little."""

from __future__ import annotations

from typing import Any

import pytest
from request_pairs import BEDROCK_CLAUDE, EXPLICIT, LONG, MARK, POINT, Body, assistant, claude, found, paths, text, user

GREETING = user(text("Is the indoor pool open today?"))
MORE = GREETING, assistant(text("It is.")), user(text("Until when?"))


def gpt(mode: str, *blocks: Body) -> Body:
    system = {"role": "system", "content": list(blocks)}
    return {"model": "gpt-5.6-sol", "prompt_cache_options": {"mode": mode}, "messages": [system, GREETING]}


def bedrock(model: str, words: int, *mark: Body) -> Body:
    return {"modelId": model, "system": [{"text": "word " * words}, *mark], "messages": [user({"text": "Hi"})]}


@pytest.mark.parametrize(
    ("provider", "body", "path"),
    [
        ("anthropic", claude(GREETING, system=LONG), "system"),
        ("vertex-anthropic", claude(GREETING, system=[text("Hi."), text(LONG)]), "system[1].text"),
        ("bedrock", bedrock(BEDROCK_CLAUDE, 2000), "system[0].text"),
        ("openai", gpt("explicit", text(LONG)), "messages[0].content[0].text"),
        ("openai", gpt("implicit", text(LONG)), ""),
        ("openai", gpt("explicit", text(LONG, **EXPLICIT)), ""),
        ("openai", gpt("implicit", text(LONG)) | {"model": "gpt-5.1"}, ""),
        ("dashscope", gpt("implicit", text(LONG)) | {"model": "qwen3.8-max"}, ""),
        ("anthropic", claude(GREETING, system="Be brief."), ""),
        ("anthropic", claude(GREETING, system=LONG, cache_control={"type": "ephemeral"}), ""),
    ],
)
def test_one_request_without_a_marker(provider: str, body: Body, path: str) -> None:
    assert paths(found("PL502", None, body, provider)) == ([path] if path else [])


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (claude(GREETING, system=LONG), claude(*MORE, system=LONG), True),
        # another cause stands before the stable text: both are to be mended
        (claude(GREETING, system=[text("At 9"), text(LONG)]), claude(*MORE, system=[text("At 10"), text(LONG)]), True),
        (claude(GREETING, system="At 9. " + LONG), claude(*MORE, system="At 10. " + LONG), True),
        (
            claude(
                GREETING, tools=[{"name": "a", "description": LONG, "input_schema": {"type": "object", "title": "A"}}]
            ),
            claude(*MORE, tools=[{"name": "a", "description": LONG, "input_schema": {"title": "A", "type": "object"}}]),
            True,
        ),
        # the two have nothing in common
        (claude(GREETING, system=LONG), claude(user(text("Book?")), system="Quiet please, readers! " * 400), False),
        (claude(GREETING), claude(*MORE), False),
    ],
)
def test_a_pair_without_a_marker(old: Body, new: Body, wanted: bool) -> None:
    assert (found("PL502", old, new) != []) is wanted


def test_a_long_history_counts() -> None:
    long = user(text(LONG))
    (finding,) = found("PL502", claude(long), claude(long, assistant(text("Yes.")), user(text("So?"))))
    assert finding.location.path == "messages[0].content[0].text"


@pytest.mark.parametrize(
    ("provider", "body", "wanted"),
    [
        ("anthropic", claude(GREETING, system=[text("word " * 600, **MARK)]), True),
        ("anthropic", claude(GREETING, system=[text("word " * 900, **MARK)]), False),  # near: counts are estimates
        ("anthropic", claude(GREETING, system=[text("word " * 900, **MARK)], model="claude-haiku-4-5"), True),
        ("anthropic", claude(GREETING, system=[text("word " * 400, **MARK)], model="claude-opus-5"), False),
        ("anthropic", claude(GREETING, system=[text("word " * 1700, **MARK)], model="claude-opus-4-7"), False),
        ("bedrock", bedrock("anthropic.claude-opus-4-7-v1:0", 1700, POINT), True),
        ("openai", gpt("explicit", text("word " * 600, **EXPLICIT)), True),
        ("dashscope", gpt("implicit", text("word " * 600, **MARK)) | {"model": "qwen3.8-max"}, True),
        ("minimax", claude(GREETING, system=[text("word " * 300, **MARK)], model="MiniMax-M2"), True),
    ],
)
def test_markers_on_too_little(provider: str, body: Body, wanted: bool) -> None:
    assert (found("PL510", None, body, provider) != []) is wanted


def test_a_conflict_of_sources_is_named() -> None:
    (finding,) = found("PL510", None, bedrock("anthropic.claude-opus-4-7-v1:0", 1700, POINT), "bedrock")
    assert "for Opus 4.7 litellm gives 2,048" in finding.message
    (sure,) = found("PL510", None, claude(GREETING, system=[text("Hi.", **MARK)]))
    assert "(" not in sure.message
    unsure: dict[str, Any] = claude(GREETING, system=[text("Hi.", **MARK)], model="claude-fable-5-2")
    assert found("PL510", None, unsure)[0].confidence == "low"


def test_the_breakpoint_of_the_provider_itself_counts() -> None:
    body = gpt("implicit", text("word " * 600, **EXPLICIT))
    body["messages"].append(user(text("word " * 600)))
    assert found("PL510", None, body, "openai") == []
