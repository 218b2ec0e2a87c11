"""Look-back and reach: the last written position as the later request's markers see it."""

from __future__ import annotations

from typing import Any

import pytest
from request_pairs import BEDROCK_CLAUDE, EXPLICIT, LONG, MARK, POINT, Body, assistant, claude, found, paths, text, user

CALL = {"type": "tool_use", "id": "t", "name": "n", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}


def letters(count: int) -> list[Body]:
    return [text(chr(97 + index % 26)) for index in range(count)]


def before(**body: Any) -> Body:
    return claude(user(text("Hello", **MARK)), system=LONG, **body)


def later(*answer: Body, **body: Any) -> Body:
    return claude(user(text("Hello")), assistant(*answer), user(text("Open?", **MARK)), system=LONG, **body)


@pytest.mark.parametrize(("between", "reached"), [(1, True), (17, True), (18, True), (19, False), (40, False)])
@pytest.mark.parametrize("provider", ["anthropic", "vertex-anthropic", "minimax"])
def test_twenty_positions_with_the_marker_as_the_first(between: int, reached: bool, provider: str) -> None:
    model = {"model": "MiniMax-M2"} if provider == "minimax" else {}
    findings = found("PL504", before(**model), later(*letters(between), **model), provider)
    assert (findings == []) is reached
    if findings:
        assert findings[0].message.startswith(f"{between + 1} blocks since the last written breakpoint")
        assert findings[0].location.path == "messages[2].content[0].cache_control"
    assert found("PL507", before(**model), later(*letters(between), **model), provider) == []


def test_a_run_of_calls_counts_once_on_the_claude_api_only() -> None:
    messages = user(text("Hello")), assistant(*[CALL] * 15), user(*[RESULT] * 15, text("Go on.", **MARK))
    new = claude(*messages, system=LONG)
    assert found("PL504", before(), new) == []
    (finding,) = found("PL504", before(), new, "vertex-anthropic")
    assert "31 blocks since the last written breakpoint (3 positions" in finding.message


def test_both_counts_are_named() -> None:
    answer = [block for letter in letters(12) for block in (letter, CALL)]
    new = claude(user(text("Hello")), assistant(*answer), user(*[RESULT] * 11, {**RESULT, **MARK}), system=LONG)
    (finding,) = found("PL504", before(), new)
    assert "36 blocks since the last written breakpoint (25 positions" in finding.message


def test_what_an_earlier_marker_still_reads_is_not_lost() -> None:
    system = [text(LONG, **MARK)]
    new = later(*letters(30)) | {"system": system}
    (alone,), (beside,) = (
        found("PL504", before(), later(*letters(30))),
        found("PL504", before() | {"system": system}, new),
    )
    assert alone.tokens_lost is not None and beside.tokens_lost is not None
    assert alone.tokens_lost > 1000 > beside.tokens_lost > 0


def test_a_second_marker_inside_the_turn_is_enough() -> None:
    answer = [*letters(15), text("half", **MARK), *letters(15)]
    assert found("PL504", before(), later(*answer)) == []


def test_bedrock() -> None:
    def body(*messages: Body) -> Body:
        return {"modelId": BEDROCK_CLAUDE, "system": [{"text": LONG}], "messages": list(messages)}

    old = body(user({"text": "Hello"}, POINT))
    new = body(user({"text": "Hello"}), assistant(*[{"text": "a"}] * 25), user({"text": "Open?"}, POINT))
    assert paths(found("PL504", old, new, "bedrock")) == ["messages[2].content[1].cachePoint"]


def gpt(*messages: Body, mode: str = "explicit") -> Body:
    system = {"role": "system", "content": LONG}
    return {"model": "gpt-5.6-sol", "prompt_cache_options": {"mode": mode}, "messages": [system, *messages]}


def test_openai_looks_at_its_own_breakpoints_only() -> None:
    old = gpt(user(text("Hello", **EXPLICIT)))
    slid = user(text("Hello")), assistant(text("Hi")), user(text("Open?", **EXPLICIT))
    (finding,) = found("PL507", old, gpt(*slid), "openai")
    assert finding.location.path == "messages[1].content[0].text"
    assert "looks nowhere else" in finding.message
    kept = user(text("Hello", **EXPLICIT)), *slid[1:]
    assert found("PL507", old, gpt(*kept), "openai") == []
    assert found("PL507", gpt(*slid[:1], mode="implicit"), gpt(*slid, mode="implicit"), "openai") == []


def test_openai_looks_at_so_many() -> None:
    old = gpt(user(text("Hello", **EXPLICIT)))
    many = [user(text(str(index), **EXPLICIT)) for index in range(80)]
    assert paths(found("PL504", old, gpt(user(text("Hello", **EXPLICIT)), *many), "openai")) == [
        "messages[81].content[0].prompt_cache_breakpoint"
    ]
    assert found("PL504", old, gpt(user(text("Hello", **EXPLICIT)), *many[1:]), "openai") == []


def test_markers_that_are_gone() -> None:
    new = claude(user(text("Hello")), assistant(text("Hi")), user(text("Open?")), system=LONG)
    (finding,) = found("PL507", before(), new)
    assert "has no marker any more" in finding.message
    assert found("PL502", before(), new) == []  # one finding, not two


def test_the_last_marker_stands_before_it() -> None:
    system = [text(LONG, **MARK)]
    new = claude(user(text("Hello")), assistant(text("Hi")), user(text("Open?")), system=system)
    (finding,) = found("PL507", before() | {"system": system}, new)
    assert finding.location.path == "messages[0].content[0].text"
    assert "stands before it" in finding.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # too short to have been written
        (
            claude(user(text("Hello", **MARK))),
            claude(user(text("Hello")), assistant(*letters(30)), user(text("a", **MARK))),
        ),
        # another conversation
        (before(), claude(user(text("Where do I return a book?")), system=LONG)),
        # the marked text itself is another one
        (before(), claude(user(text("Hallo")), assistant(*letters(30)), user(text("a", **MARK)), system=LONG)),
        # nothing was marked
        (claude(user(text("Hello")), system=LONG), later(*letters(30))),
    ],
)
@pytest.mark.parametrize("code", ["PL504", "PL507"])
def test_nothing_to_say(code: str, old: Body, new: Body) -> None:
    assert found(code, old, new) == []


def test_many_messages() -> None:
    turns = [message for _ in range(5_000) for message in (user(text("Hello")), assistant(text("Hi")))]
    old = claude(*turns, user(text("More?", **MARK)), system=LONG)
    new = claude(*turns, user(text("More?")), assistant(*letters(40)), user(text("a", **MARK)), system=LONG)
    assert len(found("PL504", old, new)) == 1
