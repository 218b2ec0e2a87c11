"""Each wire format: components, breakpoints, settings and skips of one request; errors name their place."""

from __future__ import annotations

import json

import pytest
import reader_checks

from promptlint import readers
from promptlint.model.errors import ConfigError, InputError, Problems
from promptlint.model.prompt import Component, Kind, Prompt, Section
from promptlint.model.source import Form, Source

PNG = "iVBORw0KGgoAAAANSUhEUgAABLAAAAMgCAIAAAA="  # 1,200 x 800
MARK = {"type": "ephemeral"}


def read(body: object, wire: str | None = None, family: str | None = None) -> Prompt:
    prompt = readers.read(Source("request.json", json.dumps(body, ensure_ascii=False, indent=1)), wire, family)
    reader_checks.check(prompt)
    return prompt


def rows(prompt: Prompt) -> list[tuple[str, str, str]]:
    return [(part.kind.value, part.location.path, part.text) for part in prompt.components]


def part(prompt: Prompt, path: str) -> Component:
    [component] = [component for component in prompt.components if component.location.path == path]
    return component


def marks(prompt: Prompt) -> list[tuple[str, str, int | None]]:
    """(path of the component, path of the marker, seconds) of each breakpoint."""
    return [
        (part.location.path, part.breakpoint.location.path, part.breakpoint.ttl_seconds)
        for part in prompt.components
        if part.breakpoint
    ]


ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "messages": [
        {"role": "user", "content": "Check it."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "AAAA"},
                {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"ref": 'A"1', "cache_control": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [
                        {"type": "text", "text": "Found."},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                    ],
                    "is_error": False,
                    "cache_control": {"type": "ephemeral", "ttl": "1h"},
                },
                {"type": "text", "text": "And?", "cache_control": MARK},
            ],
        },
    ],
    "system": [{"type": "text", "text": "Be kind."}, {"type": "text", "text": "Be brief.", "cache_control": MARK}],
    "tools": [
        {
            "name": "get",
            "input_schema": {"type": "object", "properties": {"cache_control": {"type": "string"}}},
            "cache_control": {"type": "ephemeral", "ttl": "5m"},
        }
    ],
    "thinking": {"type": "enabled", "budget_tokens": 2048},
    "max_tokens": 100,
}


def test_anthropic_components() -> None:
    prompt = read(ANTHROPIC)
    assert prompt.wire == "anthropic" and prompt.model == "claude-sonnet-4-5"
    schema = '{"type":"object","properties":{"cache_control":{"type":"string"}}}'
    sha = part(prompt, "messages[2].content[0].content[1].source.data").text
    redacted = part(prompt, "messages[1].content[1].data").text
    assert rows(prompt) == [
        ("tool", "tools[0]", '{"name":"get","input_schema":' + schema + "}"),
        ("text", "system[0].text", "Be kind."),
        ("text", "system[1].text", "Be brief."),
        ("role", "messages[0].role", "user"),
        ("text", "messages[0].content", "Check it."),
        ("role", "messages[1].role", "assistant"),
        ("reasoning", "messages[1].content[0].thinking", "Let me see."),
        ("reasoning", "messages[1].content[1].data", redacted),
        ("call-id", "messages[1].content[2].id", "toolu_1"),
        ("call-name", "messages[1].content[2].name", "get"),
        ("arguments", "messages[1].content[2].input", '{"ref":"A\\"1","cache_control":1}'),
        ("role", "messages[2].role", "user"),
        ("call-id", "messages[2].content[0].tool_use_id", "toolu_1"),
        ("tool-result", "messages[2].content[0].content[0].text", "Found."),
        ("image", "messages[2].content[0].content[1].source.data", sha),
        ("field", "messages[2].content[0].is_error", '"is_error":false'),
        ("text", "messages[2].content[1].text", "And?"),
    ]
    assert sha.startswith("sha256:") and redacted.startswith("sha256:")


def test_anthropic_places_and_names() -> None:
    prompt = read(ANTHROPIC)
    arguments = part(prompt, "messages[1].content[2].input")
    assert (arguments.message, arguments.block, arguments.role) == (1, 2, "assistant")
    assert (arguments.call_id, arguments.name, arguments.location.form) == ("toolu_1", "get", Form.JSON_VALUE)
    inner = part(prompt, "messages[2].content[0].content[0].text")
    assert (inner.block, inner.call_id, inner.name, inner.section) == (0, "toolu_1", "get", Section.MESSAGES)
    image = part(prompt, "messages[2].content[0].content[1].source.data")
    assert (image.opaque_tokens, image.name, image.block) == (1280, "image/png", 0)
    assert part(prompt, "tools[0]").name == "get"
    assert part(prompt, "system[1].text").unit == (Section.SYSTEM, -1, 1)


def test_anthropic_breakpoints_settings_and_skips() -> None:
    prompt = read(ANTHROPIC)
    assert marks(prompt) == [
        ("tools[0]", "tools[0].cache_control", 300),
        ("system[1].text", "system[1].cache_control", None),
        ("messages[2].content[0].is_error", "messages[2].content[0].cache_control", 3600),
        ("messages[2].content[1].text", "messages[2].content[1].cache_control", None),
    ]
    assert [(setting.path, setting.value) for setting in prompt.settings] == [
        ("model", '"claude-sonnet-4-5"'),
        ("thinking", '{"type":"enabled","budget_tokens":2048}'),
        ("thinking.type", '"enabled"'),
        ("thinking.budget_tokens", "2048"),
        ("max_tokens", "100"),
    ]
    assert prompt.key_order == ("model", "messages", "system", "tools", "thinking", "max_tokens")
    assert [skip.what for skip in prompt.skipped] == ["signature"]


def test_anthropic_automatic_breakpoint_walks_back_to_what_can_be_cached() -> None:
    ending = [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": ""}]},
    ]
    prompt = read({"model": "claude-x", "cache_control": {"type": "ephemeral", "ttl": "1h"}, "messages": ending})
    assert marks(prompt) == [("messages[0].content[1].text", "cache_control", 3600)]
    assert part(prompt, "messages[0].content[1].text").breakpoint.automatic  # type: ignore[union-attr]
    assert prompt.setting("cache_control") is not None
    nothing = read({"model": "claude-x", "cache_control": MARK, "messages": []})
    assert [skip.what for skip in nothing.skipped] == ["cache_control"]


def test_an_unknown_block_keeps_its_type_and_fields() -> None:
    block = {"type": "brand_new", "body": {"a": [1], "cache_control": MARK}, "cache_control": MARK, "nothing": None}
    prompt = read({"model": "claude-x", "system": "s", "messages": [{"role": "user", "content": [block]}]})
    assert rows(prompt)[2:] == [
        ("field", "messages[0].content[0].body", '"body":{"a":[1]}'),
        ("field", "messages[0].content[0].type", '"type":"brand_new"'),
    ]
    assert marks(prompt) == [("messages[0].content[0].type", "messages[0].content[0].cache_control", None)]


def test_openai_chat() -> None:
    arguments = '{"b": 1,\n "a": "\u00e9\U0001f600"}'
    body = {
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "developer", "content": [{"type": "text", "text": "Brief.", "cache_control": MARK}]},
            {
                "role": "user",
                "name": "ann",
                "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png"}}],
            },
            {
                "role": "assistant",
                "content": "Calling.",
                "reasoning_content": "Hm.",
                "refusal": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get", "arguments": arguments}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Done."},
            {"role": "system", "content": "Late."},
        ],
        "tools": [{"type": "function", "function": {"name": "get", "parameters": {}, "cache_control": MARK}}],
        "reasoning_effort": "low",
    }
    prompt = read(body)
    assert prompt.wire == "openai-chat"
    image = part(prompt, "messages[2].content[0].image_url.url")
    assert rows(prompt) == [
        ("tool", "tools[0]", '{"type":"function","function":{"name":"get","parameters":{}}}'),
        ("role", "messages[0].role", "system"),
        ("text", "messages[0].content", "Be kind."),
        ("role", "messages[1].role", "developer"),
        ("text", "messages[1].content[0].text", "Brief."),
        ("role", "messages[2].role", "user"),
        ("field", "messages[2].name", '"name":"ann"'),
        ("image", "messages[2].content[0].image_url.url", image.text),
        ("role", "messages[3].role", "assistant"),
        ("reasoning", "messages[3].reasoning_content", "Hm."),
        ("text", "messages[3].content", "Calling."),
        ("call-id", "messages[3].tool_calls[0].id", "c1"),
        ("call-name", "messages[3].tool_calls[0].function.name", "get"),
        ("arguments", "messages[3].tool_calls[0].function.arguments", arguments),
        ("role", "messages[4].role", "tool"),
        ("call-id", "messages[4].tool_call_id", "c1"),
        ("tool-result", "messages[4].content", "Done."),
        ("role", "messages[5].role", "system"),
        ("text", "messages[5].content", "Late."),
    ]
    assert [path for path, _, _ in marks(prompt)] == ["tools[0]", "messages[1].content[0].text"]
    call = part(prompt, "messages[3].tool_calls[0].function.arguments")
    assert (call.block, call.location.form, call.name, call.call_id) == (1, Form.JSON_STRING, "get", "c1")
    assert part(prompt, "messages[4].content").name == "get"
    assert image.opaque_tokens == 765
    sections = [component.section for component in prompt.components if component.kind is Kind.ROLE]
    assert sections == [Section.SYSTEM] * 2 + [Section.MESSAGES] * 4


def test_openai_chat_breakpoint_and_low_detail() -> None:
    url = f"data:image/png;base64,{PNG}"
    image = {"type": "image_url", "image_url": {"url": url, "detail": "low"}}
    mark = {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}}
    prompt = read({"model": "gpt-6", "messages": [{"role": "user", "content": [{**image, **mark}]}]})
    assert part(prompt, "messages[0].content[0].image_url.url").opaque_tokens == 85
    assert marks(prompt) == [
        ("messages[0].content[0].image_url.detail", "messages[0].content[0].prompt_cache_breakpoint", 1800)
    ]


def test_openai_responses() -> None:
    body = {
        "model": "gpt-5.1",
        "instructions": "Be kind.",
        "input": [
            {"role": "developer", "content": "Brief."},
            {"type": "message", "role": "user", "id": "m1", "content": [{"type": "input_text", "text": "Hi"}]},
            {
                "type": "reasoning",
                "id": "r1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "gAAA",
            },
            {"type": "function_call", "call_id": "c1", "name": "get", "arguments": "{}", "status": "completed"},
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "Done."}]},
            {"type": "item_reference", "id": "m0"},
        ],
        "text": {"format": {"type": "text"}, "verbosity": "low"},
        "previous_response_id": "resp_1",
    }
    prompt = read(body)
    assert prompt.wire == "openai-responses"
    assert rows(prompt) == [
        ("text", "instructions", "Be kind."),
        ("role", "input[0].role", "developer"),
        ("text", "input[0].content", "Brief."),
        ("role", "input[1].role", "user"),
        ("text", "input[1].content[0].text", "Hi"),
        ("role", "input[2].type", "reasoning"),
        ("reasoning", "input[2].summary[0].text", "Hm."),
        ("role", "input[3].type", "function_call"),
        ("call-id", "input[3].call_id", "c1"),
        ("call-name", "input[3].name", "get"),
        ("arguments", "input[3].arguments", "{}"),
        ("role", "input[4].type", "function_call_output"),
        ("call-id", "input[4].call_id", "c1"),
        ("tool-result", "input[4].output[0].text", "Done."),
        ("role", "input[5].type", "item_reference"),
        ("field", "input[5].id", '"id":"m0"'),
    ]
    assert prompt.setting("text.verbosity") is not None and prompt.setting("text.format") is not None
    assert [skip.what for skip in prompt.skipped] == ["previous_response_id", "input[5]", "encrypted_content"]
    assert [part(prompt, path).role for path in ("input[3].arguments", "input[4].output[0].text")] == [
        "assistant",
        "tool",
    ]
    assert part(prompt, "input[0].content").section is Section.SYSTEM


def test_openai_responses_with_a_string_as_input() -> None:
    assert rows(read({"model": "gpt-5.1", "input": "Hi"})) == [("role", "input", "user"), ("text", "input", "Hi")]


def test_gemini_in_both_spellings() -> None:
    body = {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "tools": [{"functionDeclarations": [{"name": "get"}, {"name": "put"}]}, {"googleSearch": {}}],
        "contents": [
            {"parts": [{"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True, "thoughtSignature": "c2ln"},
                    {"functionCall": {"name": "get", "args": {"a": 1}}},
                ],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "get", "response": {"r": "ok"}}}]},
        ],
        "generationConfig": {"temperature": 0, "responseSchema": {"type": "OBJECT"}},
        "cachedContent": "cachedContents/1",
    }
    prompt = read(body)
    image = part(prompt, "contents[0].parts[1].inlineData.data")
    expected = [
        ("tool", "tools[0].functionDeclarations[0]", '{"name":"get"}'),
        ("tool", "tools[0].functionDeclarations[1]", '{"name":"put"}'),
        ("tool", "tools[1].googleSearch", '"googleSearch":{}'),
        ("text", "systemInstruction.parts[0].text", "Be kind."),
        ("role", "contents[0].role", "user"),
        ("text", "contents[0].parts[0].text", "Hi"),
        ("image", "contents[0].parts[1].inlineData.data", image.text),
        ("role", "contents[1].role", "model"),
        ("reasoning", "contents[1].parts[0].text", "Hm."),
        ("call-name", "contents[1].parts[1].functionCall.name", "get"),
        ("arguments", "contents[1].parts[1].functionCall.args", '{"a":1}'),
        ("role", "contents[2].role", "user"),
        ("call-name", "contents[2].parts[0].functionResponse.name", "get"),
        ("tool-result", "contents[2].parts[0].functionResponse.response", '{"r":"ok"}'),
    ]
    assert rows(prompt) == expected
    assert prompt.wire == "gemini" and image.opaque_tokens == 4 * 258
    assert [component.block for component in prompt.components[:3]] == [0, 1, 2]
    assert prompt.setting("generationConfig.responseSchema") is not None
    assert [skip.what for skip in prompt.skipped] == ["cachedContent", "thoughtSignature"]
    snake = json.dumps(body)
    for camel, other in (
        ("systemInstruction", "system_instruction"),
        ("functionDeclarations", "function_declarations"),
        ("functionCall", "function_call"),
        ("functionResponse", "function_response"),
        ("inlineData", "inline_data"),
        ("mimeType", "mime_type"),
    ):
        snake = snake.replace(camel, other)
    assert [row[::2] for row in rows(read(json.loads(snake)))] == [row[::2] for row in expected]


def test_bedrock() -> None:
    point = {"cachePoint": {"type": "default"}}
    body = {
        "modelId": "anthropic.claude-x",
        "system": [{"text": "Be kind."}, point],
        "messages": [
            {
                "role": "user",
                "content": [{"text": "Hi"}, {"image": {"format": "png", "source": {"bytes": PNG}}}, point],
            },
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "get", "input": {"a": 1}}}]},
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "t1", "content": [{"text": "ok"}, {"json": {"n": 1}}]}},
                    {"cachePoint": {"type": "default", "ttl": "1h"}},
                ],
            },
        ],
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "get", "inputSchema": {"json": {}}}}, point],
            "toolChoice": {"auto": {}},
        },
        "inferenceConfig": {"maxTokens": 5},
    }
    prompt = read(body)
    assert prompt.wire == "bedrock" and prompt.model == "anthropic.claude-x"
    assert [row[:2] for row in rows(prompt)] == [
        ("tool", "toolConfig.tools[0]"),
        ("text", "system[0].text"),
        ("role", "messages[0].role"),
        ("text", "messages[0].content[0].text"),
        ("image", "messages[0].content[1].image.source.bytes"),
        ("role", "messages[1].role"),
        ("call-id", "messages[1].content[0].toolUse.toolUseId"),
        ("call-name", "messages[1].content[0].toolUse.name"),
        ("arguments", "messages[1].content[0].toolUse.input"),
        ("role", "messages[2].role"),
        ("call-id", "messages[2].content[0].toolResult.toolUseId"),
        ("tool-result", "messages[2].content[0].toolResult.content[0].text"),
        ("tool-result", "messages[2].content[0].toolResult.content[1].json"),
    ]
    assert [mark[0] for mark in marks(prompt)] == [
        "toolConfig.tools[0]",
        "system[0].text",
        "messages[0].content[1].image.source.bytes",
        "messages[2].content[0].toolResult.content[1].json",
    ]
    assert marks(prompt)[-1][1:] == ("messages[2].content[1].cachePoint", 3600)
    assert part(prompt, "toolConfig.tools[0]").name == "get"
    assert prompt.setting("toolConfig.toolChoice") is not None
    assert [skip.what for skip in read({"modelId": "x", "system": [point], "messages": []}).skipped] == [
        "system[0].cachePoint"
    ]


def test_raw_completions() -> None:
    prompt = read({"model": "m", "prompt": "Once upon", "n_predict": 4})
    assert prompt.wire == "openai-completions" and rows(prompt) == [("text", "prompt", "Once upon")]
    with pytest.raises(InputError, match="not supported yet"):
        read({"prompt": [1, 2, 3]})


@pytest.mark.parametrize("name", ["prompt.md", "prompt.txt", "-", "HEAD:prompt.md"])
def test_text_stays_as_it_is(name: str) -> None:
    text = "\ufeff{{ name }}\r\n  Hi \t\n"
    prompt = readers.read(Source(name, text))
    assert prompt.wire == "text" and rows(prompt) == [("text", "", text)]
    reader_checks.check(prompt)


def test_crlf_files_keep_places() -> None:
    source = Source("request.json", '{\r\n  "model": "gpt-5.1",\r\n  "input": "one\\r\\ntwo"\r\n}\r\n')
    prompt = readers.read(source)
    reader_checks.check(prompt)
    text = prompt.components[1]
    place = source.position(text.location.span.start)
    assert (text.text, place.line, place.column) == ("one\r\ntwo", 3, 12)


def test_names_decide_what_is_a_request() -> None:
    body = '{"messages": [{"role": "user", "content": "Hi"}]}'
    assert readers.read(Source("HEAD:request.JSON", body)).wire == "openai-chat"
    assert readers.read(Source("-", body)).wire == "openai-chat"
    assert readers.read(Source("prompt.txt", body)).wire == "text"
    assert readers.read(Source("request.json", body), "text").wire == "text"
    assert readers.read(Source("one.jsonl", f"{body}\n")).wire == "openai-chat"
    for name in ("two.jsonl", "two.txt", "-"):
        with pytest.raises(InputError, match=f"`promptlint trace {name}`"):
            readers.read(Source(name, f"{body}\n{body}\n"))
    for text in (body, f"{body}\n{body}\n"):  # found in a folder: examples, or a data set
        assert readers.read(Source("few_shots.jsonl", text, walked=True)).wire == "text"
    assert readers.read(Source("few_shots.jsonl", '{"q": "1"}\n{"q": "2"}\n')).wire == "text"
    with pytest.raises(ConfigError, match="unknown wire format 'xml'"):
        readers.read(Source("request.json", body), "xml")


@pytest.mark.parametrize(
    ("body", "family", "wire"),
    [
        ({"messages": [{"role": "user", "content": "Hi"}]}, None, "openai-chat"),
        ({"messages": [{"role": "user", "content": "Hi"}]}, "vertex-anthropic", "anthropic"),
        ({"messages": [{"role": "user", "content": "Hi"}], "model": "claude-opus-4-5"}, None, "anthropic"),
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}, None, "bedrock"),
        ({"messages": [], "system": [{"text": "x"}]}, None, "bedrock"),
        ({"messages": [{"role": "user", "content": "Hi"}], "system": "x"}, "dashscope", "anthropic"),
        ({"messages": [{"role": "system", "content": "x"}], "model": "anthropic/claude-x"}, "bedrock", "openai-chat"),
        ({"messages": [{"role": "user", "content": "Hi"}], "thinking": {"type": "enabled"}}, None, "openai-chat"),
        ({"messages": [], "tools": [{"name": "t", "input_schema": {}}]}, None, "anthropic"),
        ({"contents": []}, None, "gemini"),
        ({"input": []}, None, "openai-responses"),
        ({"prompt": ""}, None, "openai-completions"),
    ],
)
def test_the_format_is_found_from_the_body(body: object, family: str | None, wire: str) -> None:
    if wire == "openai-chat" and family == "bedrock":
        body = {**body, "tools": [{"type": "function", "function": {"name": "t"}}]}  # type: ignore[dict-item]
    assert read(body, family=family).wire == wire


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '"messages"', "\n 12"])
def test_json_that_is_no_request(text: str) -> None:
    with pytest.raises(InputError, match="not a request of a known wire format: expected one of") as caught:
        readers.read(Source("data.json", text))
    assert caught.value.line == 1 + text.count("\n")


def test_a_forced_format_does_not_make_a_list_a_request() -> None:
    with pytest.raises(InputError, match="not a request of a known wire format"):
        readers.read(Source("data.json", "[]"), "anthropic")


@pytest.mark.parametrize(
    ("body", "wire", "words"),
    [
        ({"messages": {}}, "anthropic", "messages must be a list, not an object"),
        ({"messages": [7]}, "anthropic", "messages[0] must be an object, not a number"),
        ({"messages": [{"content": "x"}]}, "anthropic", "messages[0] has no role"),
        ({"messages": [{"role": 1, "content": "x"}]}, "openai-chat", "messages[0].role must be a string"),
        ({"messages": [{"role": "user", "content": 7}]}, "anthropic", "messages[0].content must be a string or a list"),
        (
            {"messages": [{"role": "user", "content": 7}]},
            "openai-chat",
            "messages[0].content must be a string or a list",
        ),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "anthropic", "messages[0].content[0] must be an object"),
        (
            {"messages": [{"role": "u", "content": [{"type": "text", "text": 1}]}]},
            "anthropic",
            "content[0].text must be",
        ),
        ({"messages": [{"role": "u", "tool_calls": {}}]}, "openai-chat", "messages[0].tool_calls must be a list"),
        ({"messages": [{"role": "u", "content": "Hi"}]}, "bedrock", "messages[0].content must be a list, not a string"),
        ({"messages": [{"role": "u", "content": [{"image": 1}]}]}, "bedrock", "content[0].image must be an object"),
        ({"contents": [{"parts": "x"}]}, "gemini", "contents[0].parts must be a list, not a string"),
        ({"input": 7}, "openai-responses", "input must be a string or a list of items, not a number"),
        ({"input": [{"content": "x"}]}, "openai-responses", "input[0] has neither a type nor a role"),
        ({"model": 7, "messages": []}, "openai-chat", "model must be a string, not a number"),
        ({"tools": "x", "messages": []}, "openai-chat", "tools must be a list, not a string"),
        (
            {"system": [{"type": "text", "text": "x", "cache_control": 1}]},
            "anthropic",
            "system[0].cache_control must be",
        ),
    ],
)
def test_a_field_of_the_wrong_type_names_its_place(body: object, wire: str, words: str) -> None:
    with pytest.raises((InputError, Problems)) as caught:
        readers.read(Source("request.json", json.dumps(body)), wire)
    first = caught.value.errors[0] if isinstance(caught.value, Problems) else caught.value
    assert words in first.message
    assert first.name == "request.json" and first.line == 1 and (first.column or 0) > 1


def test_a_file_full_of_errors_shows_the_first_ones() -> None:
    with pytest.raises(Problems) as caught:
        readers.read(Source("request.json", json.dumps({"messages": [7] * 1_060}, indent=1)), "anthropic")
    assert len(caught.value.errors) == 51
    assert str(caught.value.errors[-1]) == "request.json: 1,010 more errors like these"


def test_all_errors_of_a_file_come_at_once_and_in_order() -> None:
    text = '{"tools": 1,\n "messages": [{"role": "user", "content": 7},\n {"content": "x"}],\n "system": 2}'
    with pytest.raises(Problems) as caught:
        readers.read(Source("request.json", text), "anthropic")
    assert [(error.line, error.column) for error in caught.value.errors] == [(1, 11), (2, 43), (3, 2), (4, 12)]
