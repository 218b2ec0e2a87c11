# ruff: noqa: E501  # snapshots stand as the test run writes them
from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from promptlint import readers
from promptlint.model.prompt import Prompt, Section
from promptlint.model.rendering import Piece, PieceKind, Rendering
from promptlint.model.source import Source
from promptlint.render import cache_order, render

ORDER = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
SYSTEM_FIRST = (Section.SYSTEM, Section.TOOLS, Section.MESSAGES)
TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
PICTURE = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}

Read = Callable[..., Prompt]


def pieces(rendering: Rendering) -> list[Piece]:
    return list(chain.from_iterable(slot.pieces for slot in rendering.slots))


def anthropic(*content: Any, **more: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": item} for index, item in enumerate(content)]
    return {"model": "claude-sonnet-4-6", "max_tokens": 8, "messages": messages, **more}


def hosted(prompt: Prompt) -> Rendering:
    return render(prompt, ORDER)


def test_layout_of_a_request(prompt_of: Read) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "x"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}
    body = anthropic("hi", [{"type": "thinking", "thinking": "hm", "signature": "s"}, call], [result])
    rendering = hosted(prompt_of({**body, "system": "Be brief.", "tools": [TOOL]}, "anthropic"))
    assert rendering.text() == snapshot(
        '<|tool|>{"name":"look","description":"Looks.","input_schema":{"type":"object"}}<|system|>Be brief.<|start|>user<|message|>hi<|end|><|start|>assistant<|message|><|reasoning|>hm<|block|><|call|>toolu_1<|field|>look<|field|>{"at":"x"}<|end|><|start|>user<|message|><|call|>toolu_1<|field|>seen<|end|>'
    )
    assert not rendering.joined
    assert not rendering.exact
    assert rendering.reason == "the provider's layout of roles and tools is not public"


def test_a_server_of_ones_own_has_a_template_that_could_be_given(prompt_of: Read) -> None:
    prompt = prompt_of(anthropic("hi"), "anthropic")
    rendering = render(prompt, SYSTEM_FIRST, hosted=False)
    assert not rendering.exact
    assert "--chat-template" in rendering.reason


def test_components_stand_in_the_order_of_the_provider(prompt_of: Read) -> None:
    prompt = prompt_of({**anthropic("hi"), "system": "Be brief.", "tools": [TOOL]}, "anthropic")
    sections = [component.section for component in cache_order(prompt, SYSTEM_FIRST)]
    assert sections[0] is Section.SYSTEM
    assert sections[1] is Section.TOOLS
    assert [slot.component for slot in render(prompt, SYSTEM_FIRST).slots] == list(cache_order(prompt, SYSTEM_FIRST))


def test_a_string_renders_as_a_list_of_one_block(prompt_of: Read) -> None:
    block = {"type": "text", "text": "hi"}
    text = hosted(prompt_of({**anthropic("hi"), "system": "hi"}, "anthropic"))
    blocks = hosted(prompt_of({**anthropic([block]), "system": [block]}, "anthropic"))
    assert pieces(text) == pieces(blocks)


def test_a_result_as_string_renders_as_a_list_of_one_block(prompt_of: Read) -> None:
    def body(content: object) -> dict[str, Any]:
        return {"model": "gpt-5", "messages": [{"role": "tool", "tool_call_id": "c", "content": content}]}

    assert pieces(hosted(prompt_of(body("x")))) == pieces(hosted(prompt_of(body([{"type": "text", "text": "x"}]))))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([{"type": "text", "text": "A"}, {"type": "text", "text": "B"}], "AB"),
        ([{"type": "text", "text": "A"}, {"type": "text", "text": "B"}], "A<|block|>B"),
        ([{"type": "tool_use", "id": "A", "name": "B", "input": {}}], "AB{}"),
        (
            [{"type": "tool_use", "id": "A", "name": "BC", "input": {}}],
            [{"type": "tool_use", "id": "AB", "name": "C", "input": {}}],
        ),
        ([{"type": "thinking", "thinking": "A", "signature": ""}], "A"),
    ],
)
def test_fields_do_not_run_into_each_other(prompt_of: Read, left: object, right: object) -> None:
    assert pieces(hosted(prompt_of(anthropic("q", left), "anthropic"))) != pieces(
        hosted(prompt_of(anthropic("q", right), "anthropic"))
    )


def test_an_image_counts_its_tokens(prompt_of: Read) -> None:
    rendering = hosted(prompt_of(anthropic([{"type": "image", "source": PICTURE}]), "anthropic"))
    (opaque,) = [piece for piece in pieces(rendering) if piece.kind is PieceKind.OPAQUE]
    assert opaque.tokens > 0
    assert opaque.text.startswith("sha256:")


def test_empty_text_keeps_its_slot(prompt_of: Read) -> None:
    rendering = hosted(prompt_of(anthropic(""), "anthropic"))
    kinds = [piece.kind for piece in rendering.slots[-1].pieces]
    assert rendering.slots[-1].component.text == ""
    assert PieceKind.TEXT not in kinds


def test_text_and_raw_completions_stand_as_they_are(prompt_of: Read) -> None:
    for prompt in (readers.read(Source("p.md", "a\r\n\tb ")), prompt_of({"model": "m", "prompt": "a\r\n\tb "})):
        rendering = render(prompt, ORDER)
        assert rendering.joined
        assert rendering.exact
        assert pieces(rendering) == [Piece(PieceKind.TEXT, "a\r\n\tb ", 0)]


def openai(texts: list[str]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}]
    for index, text in enumerate(texts):
        call = {"id": f"c{index}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        turns = (
            {"role": "user", "content": text},
            {"role": "assistant", "content": text or None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{index - 1}", "content": [{"type": "text", "text": text}] * 2},
        )
        messages.append(turns[index % 3])
    return {"model": "gpt-5", "messages": messages}


def responses(texts: list[str]) -> dict[str, Any]:
    items = [
        ({"role": "user", "content": text}, {"type": "function_call", "call_id": text, "name": "f", "arguments": "{}"})[
            i % 2
        ]
        for i, text in enumerate(texts)
    ]
    return {"model": "gpt-5", "instructions": "s", "input": items}


def gemini(texts: list[str]) -> dict[str, Any]:
    contents = [{"role": ("user", "model")[i % 2], "parts": [{"text": text}]} for i, text in enumerate(texts)]
    return {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": contents}


def bedrock(texts: list[str]) -> dict[str, Any]:
    messages = [{"role": ("user", "assistant")[i % 2], "content": [{"text": text}]} for i, text in enumerate(texts)]
    return {"modelId": "anthropic.claude", "system": [{"text": "s"}], "messages": messages}


WIRES: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "anthropic": lambda texts: anthropic(*texts, system="s", tools=[TOOL]),
    "openai-chat": openai,
    "openai-responses": responses,
    "gemini": gemini,
    "bedrock": bedrock,
}


@pytest.mark.parametrize("wire", WIRES)
@given(texts=st.lists(st.text("ab <|>\n", max_size=5), min_size=1, max_size=6), cut=st.integers(1, 6))
def test_a_longer_conversation_begins_with_the_shorter_one(
    prompt_of: Read, wire: str, texts: list[str], cut: int
) -> None:
    shorter = pieces(hosted(prompt_of(WIRES[wire](texts[:cut]), wire)))
    longer = pieces(hosted(prompt_of(WIRES[wire](texts), wire)))
    assert longer[: len(shorter)] == shorter


blocks = st.lists(st.text("ab", max_size=3), min_size=1, max_size=4)


@given(texts=blocks, others=blocks)
def test_different_blocks_render_differently(prompt_of: Read, texts: list[str], others: list[str]) -> None:
    def rendered(blocks: list[str]) -> list[Piece]:
        return pieces(hosted(prompt_of(anthropic([{"type": "text", "text": block} for block in blocks]), "anthropic")))

    assert (rendered(texts) == rendered(others)) == (texts == others)
