"""Markers on blocks that change, and markers that only move on."""

from __future__ import annotations

import pytest
from request_pairs import BEDROCK_CLAUDE, EXPLICIT, LONG, MARK, POINT, Body, assistant, claude, found, paths, text, user

QUESTION = "Is the indoor pool next to the library open on a public holiday?"
REMINDER = "Keep in mind that guests want short and friendly answers."


def system(*blocks: Body) -> Body:
    return claude(user(text("Hi")), system=list(blocks))


def test_each_provider_with_markers() -> None:
    def bedrock(value: str) -> Body:
        blocks = [{"text": LONG}, {"text": value}, POINT]
        return {"modelId": BEDROCK_CLAUDE, "system": blocks, "messages": [user({"text": "Hi"})]}

    def chat(model: str, value: str, mark: Body) -> Body:
        content = [text(LONG), text(value, **mark)]
        return {"model": model, "messages": [{"role": "system", "content": content}, user(text("Hi"))]}

    for provider, old, new, path in [
        (
            "anthropic",
            system(text(LONG), text("It is now 09:14:07.", **MARK)),
            system(text(LONG), text("It is now 10:31:55.", **MARK)),
            "system[1].cache_control",
        ),
        ("bedrock", bedrock("It is now 09:14:07."), bedrock("It is now 10:31:55."), "system[2].cachePoint"),
        (
            "dashscope",
            chat("qwen3.8-max", "It is now 09:14:07.", MARK),
            chat("qwen3.8-max", "It is now 10:31:55.", MARK),
            "messages[0].content[1].cache_control",
        ),
        (
            "openai",
            chat("gpt-5.6-sol", "It is now 09:14:07.", EXPLICIT),
            chat("gpt-5.6-sol", "It is now 10:31:55.", EXPLICIT),
            "messages[0].content[1].prompt_cache_breakpoint",
        ),
    ]:
        assert paths(found("PL501", old, new, provider)) == [path], provider


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the stable text has a marker of its own
        (
            system(text(LONG, **MARK), text("It is now 09:14:07.", **MARK)),
            system(text(LONG, **MARK), text("It is now 10:31:55.", **MARK)),
        ),
        # the marker stands before what changes
        (
            system(text(LONG, **MARK), text("It is now 09:14:07.")),
            system(text(LONG, **MARK), text("It is now 10:31:55.")),
        ),
        # what changes stands in an earlier block
        (
            system(text("It is now 09:14:07."), text(LONG, **MARK)),
            system(text("It is now 10:31:55."), text(LONG, **MARK)),
        ),
        # the stable text is too short to be cached
        (
            system(text("Be brief."), text("It is now 09:14:07.", **MARK)),
            system(text("Be brief."), text("It is now 10:31:55.", **MARK)),
        ),
        # most of the text is in the block that differs: it was edited
        (system(text(LONG), text(LONG * 2, **MARK)), system(text(LONG), text(LONG * 2 + "New.", **MARK))),
        # one block, with the value inside
        (system(text(LONG + " It is now 09:14:07.", **MARK)), system(text(LONG + "It is now 10:31:55.", **MARK))),
    ],
)
def test_markers_in_their_place(old: Body, new: Body) -> None:
    assert found("PL501", old, new) == []


def test_a_reminder_that_moves_on_with_its_marker() -> None:
    old = claude(user(text(QUESTION)), {"role": "system", "content": [text(REMINDER, **MARK)]}, system=LONG)
    new = claude(
        user(text(QUESTION)),
        assistant(text("Yes.")),
        user(text("Until?")),
        {"role": "system", "content": [text(REMINDER, **MARK)]},
        system=LONG,
    )
    assert paths(found("PL501", old, new)) == ["messages[3].content[0].cache_control"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the newest message has the marker, each time
        ([user(text("Open?", **MARK))], [user(text("Open?")), assistant(text("Yes.")), user(text("Until?", **MARK))]),
        # the reminder is replayed where it was sent
        (
            [user(text("Open?"), text(REMINDER, **MARK))],
            [
                user(text("Open?"), text(REMINDER)),
                assistant(text("Yes.")),
                user(text("Until?"), text(REMINDER, **MARK)),
            ],
        ),
        # the question was put in other words, and nothing followed yet
        ([user(text("Open?"), text(REMINDER + " 1", **MARK))], [user(text("Open?"), text(REMINDER + " 2", **MARK))]),
        # an old message was edited
        ([user(text("Open?", **MARK))], [user(text("Closed?")), assistant(text("Yes.")), user(text("Until?", **MARK))]),
    ],
)
def test_markers_in_messages_in_their_place(old: list[Body], new: list[Body]) -> None:
    assert found("PL501", claude(*old, system=LONG), claude(*new, system=LONG)) == []


def test_other_changes_before_it_do_not_hide_it() -> None:
    old, new = (
        system(text(LONG + "One."), text("It is now 09:14:07.", **MARK)),
        system(text(LONG + "Two."), text("It is now 10:31:55.", **MARK)),
    )
    assert paths(found("PL501", old, new)) == ["system[1].cache_control"]


@pytest.mark.parametrize("value", ["Answer in French.", "  Answer   in English. ", "English in answer."])
def test_an_edit_is_no_value_that_changes_each_time(value: str) -> None:
    old, new = system(text(LONG), text("Answer in English.", **MARK)), system(text(LONG), text(value, **MARK))
    assert found("PL501", old, new) == []
