"""A prompt of several files: one prompt, every component at home in its own file."""

from __future__ import annotations

import json

import pytest

from promptlint.diff.locate import point
from promptlint.model.errors import InputError, Problems
from promptlint.model.prompt import Kind, Section
from promptlint.model.source import Source
from promptlint.readers.parts import read

TOOLS = Source(
    "tools.json",
    json.dumps(
        [
            {"type": "function", "function": {"name": "one", "parameters": {"type": "object"}}},
            {"name": "two", "description": "Finds it.", "cache_control": {"type": "ephemeral"}},
            {"toolSpec": {"name": "three"}},
        ],
        indent=2,
    ),
)
SYSTEM = Source("system.md", "You help.\n")
SHOTS = Source("shots.json", '[{"role": "user", "content": "Hi"},\n {"role": "assistant", "content": "Hello"}]')


def test_tools_texts_and_messages() -> None:
    prompt = read("desk", [TOOLS, SYSTEM, Source("end.yaml", "- a\n"), SHOTS, SHOTS])
    rows = [(each.section, each.kind, each.name, each.message, each.block) for each in prompt.components]
    assert rows[:5] == [
        (Section.TOOLS, Kind.TOOL, "one", -1, 0),
        (Section.TOOLS, Kind.TOOL, "two", -1, 1),
        (Section.TOOLS, Kind.TOOL, "three", -1, 2),
        (Section.SYSTEM, Kind.TEXT, "", -1, 0),
        (Section.SYSTEM, Kind.TEXT, "", -1, 1),
    ]
    assert [(each.role, each.message, each.text) for each in prompt.components[5:] if each.kind is Kind.TEXT] == [
        ("user", 0, "Hi"),
        ("assistant", 1, "Hello"),
        ("user", 2, "Hi"),
        ("assistant", 3, "Hello"),
    ]
    assert (prompt.source.name, prompt.wire) == ("desk", "parts")
    assert [each.breakpoint is not None for each in prompt.components[:3]] == [False, True, False]


def test_every_character_is_found_in_its_own_file() -> None:
    prompt = read("desk", [SYSTEM, TOOLS, SHOTS])
    tool = next(each for each in prompt.components if each.name == "two")
    place = point(0, tool, tool.text.index("Finds"))
    assert (tool.location.source.name, place.path) == ("tools.json", "[1].description")
    assert TOOLS.text.startswith("Finds", place.offset)
    answer = prompt.components[-1]
    place = point(0, answer, 0)
    assert SHOTS.text.startswith("Hello", place.offset)


def test_declared_markers() -> None:
    prompt = read("desk", [TOOLS, SYSTEM], {"system.md"})
    marked = [each for each in prompt.components if each.breakpoint]
    assert [each.location.source.name for each in marked] == ["tools.json", "system.md"]


@pytest.mark.parametrize("text", ["[]", '["a"]', '{"a": 1}', "3"])
def test_other_json_is_text(text: str) -> None:
    (component,) = read("desk", [Source("a.json", text)]).components
    assert (component.section, component.text) == (Section.SYSTEM, text)


def test_all_errors_at_once() -> None:
    with pytest.raises(Problems) as caught:
        read("desk", [Source("a.json", "[{"), Source("b.json", '[{"role": 3, "content": "x"}]')])
    assert [error.name for error in caught.value.errors] == ["a.json", "b.json"]
    with pytest.raises(InputError, match=r"b\.json:1:11"):
        read("desk", [Source("b.json", '[{"role": 3, "content": "x"}]')])
