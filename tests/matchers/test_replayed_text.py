"""Replays that differ in what programs do to old texts: placeholders, reminders in results, shapes, ids, seams."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import Options, diff

OPENING = "Look at the file of this case and fix the parser, please"


def compared(before: Any, after: Any, provider: str) -> Report:
    return diff(
        [Source("before.json", json.dumps(before)), Source("after.json", json.dumps(after))], Options(provider=provider)
    )


def codes(report: Report) -> list[str]:
    return [step.code for step in report.comparisons[0].repairs]


def noted(report: Report) -> set[str]:
    return {finding.code for finding in report.findings}


def chat(*texts: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {
        "model": "a-model",
        "messages": [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)],
    }


def test_output_that_is_sent_as_user_text_is_pruned_as_a_result_is() -> None:
    output = "\n".join(f"line {number} of the output" for number in range(30))
    before = chat(OPENING, "cat a.py", output, "cat b.py", output + ".", "cat c.py", output + "!")
    placeholder = "Old environment output: (30 lines omitted)"
    after = chat(OPENING, "cat a.py", placeholder, "cat b.py", placeholder, "cat c.py", output + "!", "done", "and d?")
    assert codes(compared(before, after, "vllm")) == ["PL405"]


@pytest.mark.parametrize(
    ("kept", "code"),
    [
        ("The file is long, and then there is more of it.", "PL403"),
        ("The file is long", "PL405"),
        (
            "The file is long, and then there is less of it.\n\n<system-reminder>Use the list.</system-reminder>",
            "PL401",
        ),
    ],
    ids=["reminder gone", "cut", "one word"],
)
def test_what_happened_to_a_result(kept: str, code: str) -> None:
    told = "The file is long, and then there is more of it.\n\n<system-reminder>Use the list.</system-reminder>"

    def body(result: str, *more: dict[str, Any]) -> dict[str, Any]:
        use = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": result}
        messages = [{"role": "user", "content": OPENING}, {"role": "assistant", "content": [use]}]
        return {"model": "claude-sonnet-4-6", "messages": [*messages, {"role": "user", "content": [answer]}, *more]}

    more = [{"role": "assistant", "content": "It is."}, {"role": "user", "content": "Go on"}]
    assert codes(compared(body(told), body(kept, *more), "anthropic")) == [code]


def test_ids_that_are_left_out_on_replay() -> None:
    def body(*, ids: bool, more: bool) -> dict[str, Any]:
        own = {"id": "a1x9"} if ids else {}
        contents: list[dict[str, Any]] = [
            {"role": "user", "parts": [{"text": OPENING}]},
            {"role": "model", "parts": [{"functionCall": {**own, "name": "read", "args": {"page": 1}}}]},
            {"role": "user", "parts": [{"functionResponse": {**own, "name": "read", "response": {"text": "Steel"}}}]},
        ]
        if more:
            contents += [
                {"role": "model", "parts": [{"text": "Steel."}]},
                {"role": "user", "parts": [{"text": "Go on"}]},
            ]
        return {"model": "gemini-2.5-pro", "contents": contents}

    report = compared(body(ids=True, more=False), body(ids=False, more=True), "gemini")
    assert codes(report) == ["PL406"]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_shape_that_flips_costs_no_tokens_and_is_named(swapped: bool) -> None:
    text, blocks = "It is the smallest.", [{"type": "text", "text": "It is the smallest."}]
    first, second = (blocks, text) if swapped else (text, blocks)
    report = compared(chat(OPENING, first, "Why?"), chat(OPENING, second, "Why?", "Torque.", "Ok"), "vllm")
    assert codes(report) == []
    assert "PL408" in noted(report)
    assert report.comparisons[0].divergence is None


def test_a_marker_that_moves_on_is_no_flip() -> None:
    marked = [{"type": "text", "text": OPENING, "cache_control": {"type": "ephemeral"}}]
    before, after = chat(marked), chat(OPENING, "Done.", [{**marked[0], "text": "Thanks"}])
    assert "PL408" not in noted(compared(before, after, "anthropic"))


@pytest.mark.parametrize(
    ("before", "more", "seam"),
    [
        ("Sort the mail and say wh", "ich", True),
        ("Sort the mail.\n", "\nThen go.", True),
        ("Sort the mail.", " Then go.", False),
        ("Sort the mail.", "\nThen go.", False),
        ("Sort the mail.\n", "Then go.", False),
    ],
)
def test_seams(before: str, more: str, seam: bool) -> None:
    report = diff([Source("before.txt", before), Source("after.txt", before + more)], Options())
    assert noted(report) == ({"PL901"} if seam else set())


def test_a_note_behind_the_question_that_moves_on() -> None:
    def body(*texts: str) -> dict[str, Any]:
        said = [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]
        return {"model": "gpt-5.1", "input": [*said, {"role": "developer", "content": "Answer within two lines."}]}

    found = compared(body(OPENING, "Done.", "And b?"), body(OPENING, "Done.", "And b?", "Done.", "And c?"), "openai")
    assert codes(found) == ["PL403"]
    divergence = found.comparisons[0].divergence
    assert divergence is not None
    assert (divergence.before.path, divergence.after.path) == ("input[3].role", "input[3].role")


def test_a_block_that_is_gone_is_where_prompts_part() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    words = {"type": "text", "text": OPENING}
    for first, path_before, path_after in [
        ([words, picture], "messages[0].content[1]", "messages[1].role"),
        ([picture, words], "messages[0].content[0]", "messages[0].content[0].text"),
    ]:
        before, after = ({**chat(*said), "model": "claude-sonnet-4-6"} for said in ([first], [[words], "Done.", "b?"]))
        found = compared(before, after, "anthropic")
        assert codes(found) == ["PL411"]
        divergence = found.comparisons[0].divergence
        assert divergence is not None
        assert (divergence.before.path, divergence.after.path) == (path_before, path_after)


def test_a_short_opening_and_an_answer_that_was_touched_are_one_conversation() -> None:
    call = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
    before = chat("Look.", f"I will look.\n{call}", "<tool_response>\na.go\n</tool_response>")
    after = chat("Look.", f"I will look.{call}", "<tool_response>\na.go\n</tool_response>", "One file.", "Open it.")
    assert codes(compared(before, after, "vllm")) == ["PL409"]
