"""Marks of a request: blocks, markers, runs, implicit breakpoints and the keys of settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from promptlint import providers
from promptlint.model.policy import CachePolicy, Invalidator, Marks
from promptlint.model.prompt import Breakpoint, Component, Kind, Section, Setting
from promptlint.model.source import Location, Source, Span
from promptlint.policies.marks import marks

HERE = Location(Source("x", ""), Span(0, 0), "")
CLAUDE = providers.find("anthropic", "anthropic", "claude-opus-4-8")
GPT = providers.find("openai", "openai-chat", "gpt-5.6-sol")


def component(
    section: Section, kind: Kind, *, role: str = "", message: int = -1, block: int = -1, marker: int | None = -1
) -> Component:
    """`marker`: -1 none, None one without a lifetime."""
    location = Location(HERE.source, HERE.span, f"{section.value}[{message}][{block}].{kind.value}")
    mark = None if marker == -1 else Breakpoint(HERE, marker)
    return Component(section, kind, "x", location, role, message, block, breakpoint=mark)


def tool(index: int, marker: int | None = -1) -> Component:
    return component(Section.TOOLS, Kind.TOOL, block=index, marker=marker)


def system(index: int, marker: int | None = -1) -> Component:
    return component(Section.SYSTEM, Kind.TEXT, role="system", block=index, marker=marker)


def message(index: int, role: str, *blocks: Sequence[Kind], marker: int | None = -1) -> list[Component]:
    """A message; the marker stands on the last component of its last block."""
    parts = [component(Section.MESSAGES, Kind.ROLE, role=role, message=index)]
    for number, kinds in enumerate(blocks):
        parts += [component(Section.MESSAGES, kind, role=role, message=index, block=number) for kind in kinds]
    if marker != -1:
        parts[-1] = replace(parts[-1], breakpoint=Breakpoint(HERE, marker))
    return parts


TEXT = (Kind.TEXT,)
CALL = (Kind.CALL_ID, Kind.CALL_NAME, Kind.ARGUMENTS)
RESULT = (Kind.CALL_ID, Kind.TOOL_RESULT)


def of(components: Sequence[Component], policy: CachePolicy, *settings: tuple[str, str], model: str = "") -> Marks:
    """Ten tokens a component."""
    ends = [10 * (index + 1) for index in range(len(components))]
    return marks(components, ends, [Setting(path, value, HERE) for path, value in settings], policy, model=model)


CHAT = [
    tool(0),
    tool(1),
    system(0),
    system(1),
    *message(0, "user", TEXT),  # role, text
    *message(1, "assistant", TEXT, CALL, CALL),
    *message(2, "user", RESULT, RESULT),
    *message(3, "user", TEXT, TEXT),
]


def test_a_block_is_a_unit_and_a_role_is_none() -> None:
    found = of(CHAT, CLAUDE)
    assert [block.end for block in found.blocks] == [10, 20, 30, 40, 60, 80, 110, 140, 170, 190, 210, 220]
    assert [block.section for block in found.blocks[:5]] == [Section.TOOLS] * 2 + [Section.SYSTEM] * 2 + [
        Section.MESSAGES
    ]
    assert [block.run for block in found.blocks] == [""] * 6 + ["tool_use"] * 2 + ["tool_result"] * 2 + [""] * 2
    assert found.blocks[6].path == "messages[1][1].call-id"
    assert not any(block.eligible or block.marked is not None for block in found.blocks)


def test_a_result_without_content_is_still_a_result() -> None:
    found = of(message(0, "user", (Kind.CALL_ID,)), CLAUDE)
    assert [block.run for block in found.blocks] == ["tool_result"]


def test_markers() -> None:
    found = of([tool(0, None), system(0, 3600), *message(0, "user", TEXT, RESULT, marker=300)], CLAUDE)
    assert [block.marked for block in found.blocks] == [300, 3600, None, 300]


def test_a_marker_where_the_provider_takes_none_is_none() -> None:
    nova = providers.find("bedrock-nova", "bedrock", "")
    found = of([tool(0, None), system(0, None)], nova)
    assert [block.marked for block in found.blocks] == [None, 300]


def test_implicit_breakpoints() -> None:
    found = of(CHAT, GPT)
    assert [block.end for block in found.blocks if block.eligible] == [40, 60, 190, 220]
    later = [system(0), *message(0, "user", TEXT), *message(1, "developer", TEXT)]
    assert [block.end for block in of(later, GPT).blocks if block.eligible] == [10, 30]


def test_explicit_mode_leaves_breakpoints_to_the_caller() -> None:
    found = of(CHAT, GPT, ("prompt_cache_options.mode", '"explicit"'))
    assert not any(block.eligible for block in found.blocks)
    parent = of(CHAT, GPT, ("prompt_cache_options", '{"mode":"explicit"}'))
    assert not any(block.eligible for block in parent.blocks)
    implicit = of(CHAT, GPT, ("prompt_cache_options.mode", '"implicit"'))
    assert any(block.eligible for block in implicit.blocks)


@pytest.mark.parametrize(
    ("setting", "value", "position"),
    [
        ("model", '"claude-opus-5"', 0),
        ("speed", '"fast"', 20),
        ("tool_choice", '{"type":"any"}', 40),
        ("thinking", '{"type":"enabled"}', 40),
        ("output_config.effort", '"low"', 40),
        ("output_config.format", "{}", 40),
    ],
)
def test_a_setting_splits_from_its_level_on(setting: str, value: str, position: int) -> None:
    assert of(CHAT, CLAUDE, (setting, value)).keys == ((position, setting, value),)


@pytest.mark.parametrize(
    "settings",
    [
        (),
        (("temperature", "0"),),
        (("thinking", "null"),),
        (("output_config.effort", '"high"'),),
        (("output_config", '{"effort":"high"}'), ("output_config.effort", '"high"')),
        (("output_config", "{}"),),
    ],
)
def test_settings_that_split_nothing(settings: tuple[tuple[str, str], ...]) -> None:
    assert of(CHAT, CLAUDE, *settings).keys == ()


def test_a_setting_found_above_or_below_its_path() -> None:
    above = of(CHAT, GPT, ("reasoning", '{"effort":"low","summary":"auto"}'))
    assert above.keys == ((0, "reasoning.effort", '"low"'),)
    below = of(CHAT, CLAUDE, ("thinking.type", '"enabled"'), ("thinking.budget_tokens", "1024"))
    assert below.keys == ((40, "thinking", 'thinking.type="enabled";thinking.budget_tokens=1024'),)
    both = of(CHAT, CLAUDE, ("thinking", "{}"), ("thinking.type", '"enabled"'))
    assert both.keys == ((40, "thinking", "{}"),)
    deep = of(
        CHAT,
        providers.find("bedrock", "bedrock", "anthropic.claude-opus-4-8"),
        ("additionalModelRequestFields", '{"output_config":{"effort":"low"}}'),
        ("additionalModelRequestFields.output_config", '{"effort":"low"}'),
    )
    assert deep.keys == ((40, "additionalModelRequestFields.output_config.effort", '"low"'),)


def test_the_model_counts_where_the_body_names_none() -> None:
    assert of(CHAT, CLAUDE, model="a").keys == ((0, "model", "a"),)
    assert of(CHAT, CLAUDE, ("model", '"b"'), model="a").keys == ((0, "model", '"b"'),)


def test_images_split_the_messages() -> None:
    with_image = [*CHAT, *message(4, "user", (Kind.IMAGE,))]
    assert of(with_image, CLAUDE).keys == ((40, "images", "true"),)


def test_the_level_of_a_section_that_the_prompt_lacks() -> None:
    speed = replace(CLAUDE, invalidators=(Invalidator("speed", Section.SYSTEM),))
    assert of([tool(0), *message(0, "user", TEXT)], speed, ("speed", "1")).keys == ((10, "speed", "1"),)
    assert of([tool(0), tool(1)], speed, ("speed", "1")).keys == ((20, "speed", "1"),)
    assert of([], speed, ("speed", "1")).keys == ((0, "speed", "1"),)


def test_estimates_are_passed_on() -> None:
    assert of(CHAT, CLAUDE).exact
    assert not marks([], [], [], CLAUDE, exact=False).exact
