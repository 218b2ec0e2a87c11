# ruff: noqa: E501  # snapshots stand as the test run writes them
from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from jinja2.sandbox import ImmutableSandboxedEnvironment

from promptlint.model.errors import InputError
from promptlint.model.prompt import Prompt, Section
from promptlint.model.rendering import PieceKind, Rendering
from promptlint.render import PINNED_DATE, ChatTemplate, render

ORDER = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
NAMES = ("chatml_tools", "headers", "late_tools", "spoken_roles", "reasoning")

Read = Callable[..., Prompt]
Named = Callable[[str], ChatTemplate]

CITY = {"type": "string", "description": "Name of the city"}
WEATHER = {
    "name": "get_weather",
    "description": 'Weather for a place.\nMetric "units".',
    "parameters": {"type": "object", "properties": {"city": CITY, "name": {"type": "string"}}, "required": ["city"]},
}
TOOLS = [
    {"type": "function", "function": WEATHER},
    {"type": "function", "function": {"name": "book", "description": "Book a café", "parameters": {"type": "object"}}},
]
CALL = {
    "id": "abcdefghi",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo", "name":"\\u00e9 ok"}'},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a front desk. "},
    {"role": "user", "content": "What is it like in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "abcdefghi", "content": '4 °C\n"windy"'},
    {"role": "assistant", "content": "<think>\nlet me see\n</think>\n\nCold. \n", "reasoning_content": "it was four"},
    {"role": "user", "content": "ok"},
]
BODY: dict[str, Any] = {"model": "m", "messages": MESSAGES, "tools": TOOLS}


def outline(rendering: Rendering) -> list[str]:
    """Path and pieces of each slot that has any; scaffolding in parentheses, `@` where a piece begins in its text."""
    lines = []
    for slot in rendering.slots:
        shown = [f"({piece.text})" if piece.offset < 0 else f"@{piece.offset} {piece.text}" for piece in slot.pieces]
        if shown:
            lines.append(f"{slot.component.location.path}: {' '.join(shown)!r}")
    return lines


def plain(template: ChatTemplate, body: dict[str, Any], **more: object) -> str:
    """The same template in jinja2's own sandbox, with arguments parsed and content that is missing empty."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    environment.globals["strftime_now"] = PINNED_DATE.strftime
    messages = []
    for message in body["messages"]:
        calls = [
            {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in message.get("tool_calls", [])
        ]
        given = {**message, "content": message["content"] or ""}
        messages.append({**given, "tool_calls": calls} if calls else given)
    source = template.source(tools=True).replace("{% generation %}", "").replace("{% endgeneration %}", "")
    return environment.from_string(source).render(
        messages=messages,
        tools=body.get("tools"),
        documents=None,
        **dict(template.specials),
        **{"add_generation_prompt": True, **more},
    )


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_what_jinja_prints(prompt_of: Read, template_named: Named, name: str, tools: bool) -> None:
    body = BODY if tools else {"model": "m", "messages": MESSAGES}
    rendering = render(prompt_of(body), ORDER, template_named(name))
    assert rendering.text() == plain(template_named(name), body)
    assert rendering.joined
    assert rendering.exact


def test_chatml_maps_back(prompt_of: Read, template_named: Named) -> None:
    assert outline(render(prompt_of(BODY), ORDER, template_named("chatml_tools"))) == snapshot(
        [
            "messages[0].role: '(<|im_start|>) @0 system'",
            "messages[0].content: '(\\n) @0 You are a front desk. '",
            'tools[0]: \'(\\n\\n## Functions\\n\\nThe user may need one of these:\\n<functions>\\n) @0 {"type": ( ) @8 "function", ( ) @19 "function": ( ) @30 {"name": ( ) @38 "get_weather", ( ) @52 "description": ( ) @66 "Weather for a place.\\\\nMetric \\\\"units\\\\".", ( ) @108 "parameters": ( ) @121 {"type": ( ) @129 "object", ( ) @138 "properties": ( ) @151 {"city": ( ) @159 {"type": ( ) @167 "string", ( ) @176 "description": ( ) @190 "Name of the city"}, ( ) @210 "name": ( ) @217 {"type": ( ) @225 "string"}}, ( ) @236 "required": ( ) @247 ["city"]}}}\'',
            'tools[1]: \'(\\n) @0 {"type": ( ) @8 "function", ( ) @19 "function": ( ) @30 {"name": ( ) @38 "book", ( ) @45 "description": ( ) @59 "Book a café", ( ) @73 "parameters": ( ) @86 {"type": ( ) @94 "object"}}}\'',
            'messages[1].role: "(\\n</functions>\\n\\nAnswer with the function\'s name and arguments.<|im_end|>\\n<|im_start|>) @0 user"',
            "messages[1].content: '(\\n) @0 What is it like in Oslo?'",
            "messages[2].role: '(<|im_end|>\\n<|im_start|>) @0 assistant'",
            'messages[2].tool_calls[0].function.name: \'(\\n<call>\\n{"name": ") @0 get_weather\'',
            'messages[2].tool_calls[0].function.arguments: \'(", "arguments": ) @0 {"city": ( ) @8 "Oslo", "name": ( ) @23 " (é) @30  ok"}\'',
            "messages[3].content: '(}\\n</call><|im_end|>\\n<|im_start|>user\\n<result>\\n) @0 4 °C\\n\"windy\"'",
            "messages[4].role: '(\\n</result><|im_end|>\\n<|im_start|>) @0 assistant'",
            "messages[4].content: '(\\n) @0 <think>\\nlet me see\\n</think>\\n\\nCold. \\n'",
            "messages[5].role: '(<|im_end|>\\n<|im_start|>) @0 user'",
            "messages[5].content: '(\\n) @0 ok (<|im_end|>\\n<|im_start|>assistant\\n)'",
        ]
    )


def test_tools_indented_in_the_first_user_turn_map_back(prompt_of: Read, template_named: Named) -> None:
    body = {**BODY, "tools": TOOLS[1:]}
    assert outline(render(prompt_of(body), ORDER, template_named("headers"))) == snapshot(
        [
            "messages[0].role: '(<s><|head|>) @0 system'",
            "messages[0].content: '(<|body|>\\n\\nToday: 01 Jan 2026\\n\\n) @0 You are a front desk.'",
            "messages[1].role: '(<|eot|><|head|>) @0 user'",
            'tools[0]: \'(<|body|>\\n\\nThe functions that help the user:\\n\\n) @0 { (\\n    ) @1 "type": ( ) @8 "function", (\\n    ) @19 "function": ( ) @30 { (\\n        ) @31 "name": ( ) @38 "book", (\\n        ) @45 "description": ( ) @59 "Book a café", (\\n        ) @73 "parameters": ( ) @86 { (\\n            ) @87 "type": ( ) @94 "object" (\\n        ) @102 } (\\n    ) @103 } (\\n) @104 }\'',
            "messages[1].content: '(\\n\\n) @0 What is it like in Oslo?'",
            "messages[2].role: '(<|eot|><|head|>) @0 assistant'",
            'messages[2].tool_calls[0].function.name: \'(<|body|>\\n\\n{"name": ") @0 get_weather\'',
            'messages[2].tool_calls[0].function.arguments: \'(", "parameters": ) @0 {"city": ( ) @8 "Oslo", "name": ( ) @23 " (é) @30  ok"}\'',
            'messages[3].content: \'(}<|eot|><|head|>ipython<|body|>\\n\\n") @0 4 °C @4 \\\\n @5 \\\\" @6 windy @11 \\\\"\'',
            "messages[4].role: '(\"<|eot|><|head|>) @0 assistant'",
            "messages[4].content: '(<|body|>\\n\\n) @0 <think>\\nlet me see\\n</think>\\n\\nCold.'",
            "messages[5].role: '(<|eot|><|head|>) @0 user'",
            "messages[5].content: '(<|body|>\\n\\n) @0 ok (<|eot|><|head|>assistant<|body|>\\n\\n)'",
        ]
    )


def test_system_and_tools_before_the_last_user_turn_map_back(prompt_of: Read, template_named: Named) -> None:
    body = {**BODY, "tools": TOOLS[1:]}
    assert outline(render(prompt_of(body), ORDER, template_named("late_tools"))) == snapshot(
        [
            "messages[1].content: '(<s>[INST]) @0 What is it like in Oslo?'",
            'messages[2].tool_calls[0].function.name: \'([/INST][CALLS][{"name": ") @0 get_weather\'',
            'messages[2].tool_calls[0].function.arguments: \'(", "arguments": ) @0 {"city": ( ) @8 "Oslo", "name": ( ) @23 " (é) @30  ok"}\'',
            'messages[2].tool_calls[0].id: \'(, "id": ") @0 abcdefghi\'',
            'messages[3].content: \'("}]</s>[RESULT]{"content": ") @0 4 °C @4 \\\\n @5 \\\\" @6 windy @11 \\\\"\'',
            'messages[3].tool_call_id: \'(", "call_id": ") @0 abcdefghi\'',
            "messages[4].content: '(\"}[/RESULT] ) @0 <think>\\nlet me see\\n</think>\\n\\nCold.'",
            'tools[0]: \'(</s>[TOOLS][) @0 {"type": ( ) @8 "function", ( ) @19 "function": ( ) @30 {"name": ( ) @38 "book", ( ) @45 "description": ( ) @59 "Book a café", ( ) @73 "parameters": ( ) @86 {"type": ( ) @94 "object"}}}\'',
            "messages[0].content: '(][/TOOLS][INST]) @0 You are a front desk. '",
            "messages[5].content: '(\\n\\n) @0 ok ([/INST])'",
        ]
    )


def test_reasoning_that_is_cut_from_the_content_maps_back(prompt_of: Read, template_named: Named) -> None:
    assert outline(render(prompt_of(BODY), ORDER, template_named("spoken_roles"))) == snapshot(
        [
            "messages[0].content: '(<s>) @0 You are a front desk. '",
            "messages[1].content: '(<|User|>) @0 What is it like in Oslo?'",
            "messages[2].tool_calls[0].function.name: '(<|Assistant|><|call|>) @0 get_weather'",
            'messages[2].tool_calls[0].function.arguments: \'(\\n```json\\n) @0 {"city": ( ) @8 "Oslo", "name": ( ) @23 " (é) @30  ok"}\'',
            "messages[3].content: '(\\n```<|end|></s><|output|>) @0 4 °C\\n\"windy\"'",
            "messages[4].content: '(<|end|><|Assistant|>) @29 Cold. \\n'",
            "messages[5].content: '(</s><|User|>) @0 ok (<|Assistant|>)'",
        ]
    )


def test_reasoning_is_kept_only_behind_the_last_user_turn(prompt_of: Read, template_named: Named) -> None:
    kept = render(prompt_of({"model": "m", "messages": MESSAGES[:5]}), ORDER, template_named("reasoning"))
    dropped = render(prompt_of({"model": "m", "messages": MESSAGES}), ORDER, template_named("reasoning"))
    assert "messages[4].reasoning_content: '(\\n<think>\\n) @0 it was four'" in outline(kept)
    assert not any("reasoning_content" in line for line in outline(dropped))
    paths = [slot.component.location.path for slot in dropped.slots]
    assert paths.index("messages[4].reasoning_content") == paths.index("messages[4].content") - 1


words = st.text('ab <>\n"\\é', max_size=8)
turns = st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), words, words), min_size=1, max_size=6)


def body_of(turns: list[tuple[str, str, str]], system: str) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for role, text, other in turns:
        call = {"id": "abcdefghi", "function": {"name": "f", "arguments": json.dumps({text: other, "n": 1})}}
        messages.append({"role": role, "content": text, **({"tool_call_id": "abcdefghi"} if role == "tool" else {})})
        if role == "assistant" and other:
            messages[-1] |= {"tool_calls": [call], "reasoning_content": other}
    messages.append({"role": "user", "content": "last"})
    return {"model": "m", "messages": messages, "tools": TOOLS}


@pytest.mark.parametrize("name", NAMES)
@given(turns=turns, system=words)
def test_pieces_join_to_the_output_and_say_where_they_begin(
    prompt_of: Read, template_named: Named, name: str, turns: list[tuple[str, str, str]], system: str
) -> None:
    prompt = prompt_of(body_of(turns, system))
    rendering = render(prompt, ORDER, template_named(name))
    assert rendering.text() == plain(template_named(name), body_of(turns, system))
    standing = [slot.component for slot in rendering.slots]
    assert sorted(map(id, standing)) == sorted(map(id, prompt.components))
    for slot in rendering.slots:
        for piece in slot.pieces:
            if piece.offset >= 0:
                left = slot.component.text[piece.offset :]
                assert left.startswith(piece.text) or json.dumps(left, ensure_ascii=False)[1:].startswith(piece.text)


def test_marks_that_change_the_output_give_way_to_search(prompt_of: Read, template_of: Named) -> None:
    template = template_of("{% for m in messages %}[{{ m.role }}]{{ m.content }}#{{ m.content | length }}{% endfor %}")
    rendering = render(prompt_of({"model": "m", "messages": MESSAGES[:2]}), ORDER, template)
    assert outline(rendering) == snapshot(
        [
            "messages[0].role: '([) @0 system'",
            "messages[0].content: '(]) @0 You are a front desk. '",
            "messages[1].role: '(#22[) @0 user'",
            "messages[1].content: '(]) @0 What is it like in Oslo? (#24)'",
        ]
    )


def test_a_text_printed_twice_has_one_place(prompt_of: Read, template_of: Named) -> None:
    template = template_of("{{ messages[0].content }}|{{ messages[0].content }}")
    rendering = render(prompt_of({"model": "m", "messages": [{"role": "user", "content": "again"}]}), ORDER, template)
    assert outline(rendering) == ["messages[0].content: '@0 again (|again)'"]


def test_text_blocks_are_joined_for_a_template_that_takes_strings(prompt_of: Read, template_of: Named) -> None:
    content = [{"type": "text", "text": "first one"}, {"type": "text", "text": "second"}]
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    assert render(prompt_of(body), ORDER, template_of("{{ messages[0].content }}")).text() == "first one\nsecond"
    looping = template_of("{% for c in messages[0].content %}<{{ c.text }}>{% endfor %}")
    assert outline(render(prompt_of(body), ORDER, looping)) == [
        "messages[0].content[0].text: '(<) @0 first one'",
        "messages[0].content[1].text: '(><) @0 second (>)'",
    ]


def test_an_image_stands_between_its_neighbours_and_is_an_estimate(prompt_of: Read, template_named: Named) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    content = [{"type": "text", "text": "look at"}, picture, {"type": "text", "text": "this"}]
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    rendering = render(prompt_of(body), ORDER, template_named("reasoning"))
    kinds = [piece.kind for slot in rendering.slots for piece in slot.pieces]
    assert kinds.count(PieceKind.OPAQUE) == 1
    assert kinds.index(PieceKind.OPAQUE) > 1
    assert not rendering.exact
    assert "estimate" in rendering.reason


def test_the_generation_prompt_is_a_choice(prompt_of: Read, template_named: Named) -> None:
    prompt, template = prompt_of(BODY), template_named("chatml_tools")
    with_prompt = render(prompt, ORDER, template).text()
    without = render(prompt, ORDER, template, add_generation_prompt=False).text()
    assert with_prompt == without + "<|im_start|>assistant\n"
    asked = prompt_of({**BODY, "add_generation_prompt": False})
    assert render(asked, ORDER, template).text() == without


def test_template_arguments_of_the_body_are_passed_on(prompt_of: Read, template_named: Named) -> None:
    body = {"model": "m", "messages": MESSAGES, "chat_template_kwargs": {"enable_thinking": False, "messages": []}}
    assert render(prompt_of(body), ORDER, template_named("reasoning")).text().endswith("<think>\n\n</think>\n\n")


def test_the_clock_is_pinned_and_said(prompt_of: Read, template_named: Named) -> None:
    prompt, template = prompt_of(BODY), template_named("headers")
    assert "Today: 01 Jan 2026" in render(prompt, ORDER, template).text()
    assert render(prompt, ORDER, template).notes == (
        "the chat template prints the date; it was given 2026-01-01 00:00",
    )
    assert "Today: 05 Mar 2027" in render(prompt, ORDER, template, now=datetime(2027, 3, 5)).text()
    assert render(prompt, ORDER, template_named("reasoning")).notes == ()


def test_json_keeps_keys_and_characters(prompt_of: Read, template_of: Named) -> None:
    template = template_of(
        "{{ messages[0] | tojson }}{{ {'b': '<é>'} | tojson(ensure_ascii=true, sort_keys=true, separators=(',',':')) }}"
    )
    prompt = prompt_of({"model": "m", "messages": [{"role": "user", "name": "z", "content": "<é>"}]})
    expected = '{"role": "user", "name": "z", "content": "<é>"}{"b":"<\\u00e9>"}'
    assert render(prompt, ORDER, template).text() == expected


def test_arguments_that_are_no_json_stay_a_string(prompt_of: Read, template_of: Named) -> None:
    template = template_of("{{ messages[0].tool_calls[0].function.arguments }}")
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{broken"}}
    body = {"model": "m", "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
    assert render(prompt_of(body), ORDER, template).text() == "{broken"


def test_other_wire_formats_take_no_template(prompt_of: Read, template_named: Named) -> None:
    prompt = prompt_of({"model": "claude-sonnet-4-6", "max_tokens": 1, "messages": MESSAGES[1:2]}, "anthropic")
    with pytest.raises(InputError, match="a chat template needs an OpenAI-shaped chat body, and this is 'anthropic'"):
        render(prompt, ORDER, template_named("reasoning"))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("{{ raise_exception('roles must alternate') }}", "refuses this request: roles must alternate", 1),
        ("a\n{% for %}", "has an error: Expected an expression", 2),
        ("a\n\n{{ 'x' | center(10) }}", "has an error: No filter named 'center'", 3),
        ("a\n\n\n{{ nothing.at.all }}", "failed: 'nothing' is undefined", 4),
        ("{% include 'other' %}", "failed: no loader", 1),
        ("\n{{ 1 // 0 }}", "failed: ", 2),
    ],
)
def test_errors_name_the_template_and_the_line(
    prompt_of: Read, template_of: Named, text: str, message: str, line: int
) -> None:
    template = template_of(text)
    with pytest.raises(InputError) as caught:
        render(prompt_of(BODY), ORDER, template)
    assert message in caught.value.message
    assert (caught.value.name, caught.value.line) == (template.name, line)
