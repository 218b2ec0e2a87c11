"""Shapes of conversations, and the words for some of them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from promptlint.render.trials.conversations import (
    LOOP,
    REALISTIC,
    REASONING,
    SHORT,
    SYSTEM,
    TOOLS,
    Shape,
    lead,
    requests,
    shapes,
)
from promptlint.render.trials.wording import described

ALL = shapes(["enable_thinking"])


def test_a_conversation_only_grows() -> None:
    for shape in ALL:
        bodies = list(requests(shape, SHORT))
        for earlier, later in pairwise(bodies):
            assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        assert all(body["messages"][-1]["role"] in ("user", "tool") for body in bodies)


def test_a_realistic_one_has_twenty_user_turns_and_every_text_is_found_by_its_first_words() -> None:
    *_, body = requests(Shape(SYSTEM[0], TOOLS[0], LOOP[1], REASONING[1]), REALISTIC)
    roles = [message["role"] for message in body["messages"]]
    assert roles.count("user") == 20
    assert roles.count("tool") == 30
    leads = [lead(message) for message in body["messages"] if message["content"]]
    assert len(set(leads)) == len(leads)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (lambda shape: True, "in every shape of conversation"),
        (lambda shape: shape.tools == TOOLS[0], "with tools"),
        (lambda shape: shape.system == SYSTEM[1] and shape.tools == TOOLS[1], "without a system message without tools"),
        (lambda shape: shape.switch == ("enable_thinking", False), "with enable_thinking off"),
        (lambda shape: shape.switch != ("enable_thinking", True), "except with enable_thinking on"),
        (
            lambda shape: shape.loop == LOOP[1] and shape.reasoning == REASONING[1],
            "in a tool loop with reasoning in assistant turns",
        ),
    ],
)
def test_words_tell_the_shapes_from_all_others(chosen: object, words: str) -> None:
    assert callable(chosen)
    assert described([shape for shape in ALL if chosen(shape)], ALL) == words


def test_parts_without_a_common_trait_are_joined() -> None:
    chosen = [
        shape
        for shape in ALL
        if shape.switch == ("enable_thinking", False) and (shape.tools == TOOLS[1] or shape.loop == LOOP[1])
    ]
    parts = "without tools with enable_thinking off, or in a tool loop with enable_thinking off"
    assert described(chosen, ALL) == parts


def test_what_takes_too_many_parts_is_counted() -> None:
    assert described(ALL[::5], ALL).endswith(f" more of {len(ALL)} shapes")
