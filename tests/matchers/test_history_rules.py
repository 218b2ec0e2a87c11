"""The history rules on whole conversations in the five wire formats: one cause, several at once, and none."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from wire_histories import PROVIDERS, WIRES, Call, Talk, Turn, grown, page, talk

from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import Options, diff

Edit = Callable[[Talk], Talk]


def compared(before: Any, after: Any, provider: str) -> Report:
    sources = [
        Source(f"{name}.json", json.dumps(body, ensure_ascii=False))
        for name, body in (("before", before), ("after", after))
    ]
    return diff(sources, Options(provider=provider))


def run(wire: str, before: Talk, after: Talk) -> Report:
    return compared(before.body(wire), after.body(wire), PROVIDERS[wire])


def codes(report: Report) -> list[str]:
    """The causes, in render order; what rules on one request or on settings say is none of them."""
    return [step.code for step in report.comparisons[0].repairs]


def turn_of(edit: Callable[[Turn], Turn], *turns: int) -> Edit:
    def apply(given: Talk) -> Talk:
        found = list(given.turns)
        for index in turns:
            found[index] = edit(found[index])
        return replace(given, turns=tuple(found))

    return apply


def call_of(**fields: Any) -> Callable[[Turn], Turn]:
    return lambda turn: replace(turn, calls=tuple(replace(call, **fields) for call in turn.calls))


def each_call(edit: Callable[[Call], Call]) -> Callable[[Turn], Turn]:
    return lambda turn: replace(turn, calls=tuple(edit(call) for call in turn.calls))


def drop(first: int, count: int) -> Edit:
    return lambda given: replace(given, turns=given.turns[:first] + given.turns[first + count :])


def said(text: str, *turns: int) -> Edit:
    return turn_of(lambda turn: replace(turn, answer=text), *turns)


no_reasoning = turn_of(lambda turn: replace(turn, reasoning=""), 0, 1, 2)
cleared = turn_of(call_of(result="[tool result cleared]"), 0, 1)
cut = turn_of(each_call(lambda call: replace(call, result=call.result[:90] + " [cut]")), 1)
new_ids = turn_of(each_call(lambda call: replace(call, id=f"call_{call.id[5]}Zz9k2")), 0, 1, 2)
other_bytes = turn_of(
    each_call(lambda call: replace(call, arguments=json.dumps(dict(reversed(json.loads(call.arguments).items()))))),
    0,
    2,
)
stripped = turn_of(lambda turn: replace(turn, answer=f"{turn.answer}\n"), 0, 1)
curly = turn_of(
    lambda turn: replace(turn, user=tuple(text.replace("number", "nu\u200bmber") for text in turn.user)), 1, 2
)
reworded = said("Look at the saddle, it has come loose.", 1)
window = drop(0, 1)
CAUSES = {
    "PL401": reworded, "PL402": window, "PL404": no_reasoning, "PL405": cleared, "PL406": new_ids, "PL407": other_bytes,
    "PL409": stripped, "PL410": curly,
}  # fmt: skip


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("code", CAUSES)
def test_one_cause_in_every_format(code: str, wire: str) -> None:
    before = talk()
    report = run(wire, before, CAUSES[code](grown(before)))
    assert codes(report) == [code]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("first", "second"), [*itertools.combinations(CAUSES, 2)])
def test_two_causes_are_both_named(first: str, second: str, wire: str) -> None:
    before = talk()
    report = run(wire, before, CAUSES[first](CAUSES[second](grown(before))))
    assert sorted(set(codes(report))) == [first, second]
    steps = report.comparisons[0].repairs
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before
    assert steps[0].cumulative - steps[0].recovers == report.comparisons[0].tokens.shared


@pytest.mark.parametrize("wire", WIRES)
def test_a_conversation_that_only_grows_is_silent(wire: str) -> None:
    before = talk()
    assert codes(run(wire, before, grown(before))) == []
    assert codes(run(wire, before, grown(grown(before)))) == []


REMINDER = "\n\n<reminder>End with the page number.</reminder>"


def last_user(text: str) -> Edit:
    return turn_of(lambda turn: replace(turn, user=(turn.user[0] + text, *turn.user[1:])), -1)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "injected",
    [
        lambda turn: replace(turn, user=(turn.user[0] + REMINDER,)),
        lambda turn: replace(turn, user=(*turn.user, "<context>The shop opens at nine.</context>")),
        lambda turn: replace(turn, user=("Known so far: she rides a steel bike to work.", *turn.user)),
        lambda turn: replace(turn, user=(f"[now: Monday]\n{turn.user[0]}",)),
    ],
    ids=["appended", "block behind", "block before", "line before"],
)
def test_injected_text_is_gone_on_replay(injected: Callable[[Turn], Turn], wire: str) -> None:
    before = talk()
    newest = turn_of(injected, -1)
    report = run(wire, newest(before), newest(grown(before)))
    assert codes(report) == ["PL403"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before
    assert codes(run(wire, newest(before), grown(newest(before)))) == []


@pytest.mark.parametrize("wire", WIRES)
def test_reminders_taken_from_old_messages_are_one_cause(wire: str) -> None:
    everywhere = turn_of(lambda turn: replace(turn, user=(turn.user[0] + REMINDER,)), 0, 1, 2)
    report = run(wire, everywhere(talk()), grown(talk()))
    assert codes(report) == ["PL403"]
    (finding,) = [finding for finding in report.findings if finding.code == "PL403"]
    assert sum(related.message == "also here" for related in finding.related) == 2
    assert codes(run(wire, talk(), everywhere(grown(talk())))) == ["PL403"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "edit",
    [
        lambda turn: replace(turn, images=(b"\x89PNG two" * 9,)),
        lambda turn: replace(turn, images=()),
        lambda turn: replace(turn, images=(), user=(*turn.user, "[Image stored at cache/8841/1.png]")),
    ],
    ids=["encoded anew", "dropped", "pointer"],
)
def test_attachments(edit: Callable[[Turn], Turn], wire: str) -> None:
    with_image = turn_of(lambda turn: replace(turn, images=(b"\x89PNG one" * 9,)), 1)
    before = with_image(talk())
    report = run(wire, before, turn_of(edit, 1)(grown(before)))
    assert codes(report) == ["PL411"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


@pytest.mark.parametrize("wire", WIRES)
def test_an_attachment_moved_to_the_newest_message(wire: str) -> None:
    image = turn_of(lambda turn: replace(turn, images=(b"\x89PNG one" * 9,)), 1)
    moved = turn_of(lambda turn: replace(turn, images=(b"\x89PNG one" * 9,)), -1)
    assert codes(run(wire, image(talk()), moved(grown(talk())))) == ["PL411"]


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat", "openai-responses"])
@pytest.mark.parametrize("turn", [1, 3])
def test_a_late_note_is_moved_to_the_front(turn: int, wire: str) -> None:
    note = "From now on name the price of each part as well."
    before = talk().change(turn, note=note)
    after = grown(talk())
    report = run(wire, before, replace(after, system=f"{after.system}\n\n{note}"))
    assert codes(report) == ["PL412"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before
    assert codes(run(wire, before, grown(before))) == []
    assert codes(run(wire, before, cut(replace(after, system=f"{after.system}\n\n{note}")))) == ["PL412", "PL405"]


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5", "claude-opus-4-1-20250805", "claude-haiku-4-5", "claude-3-7-sonnet-latest"]
)
def test_models_that_drop_reasoning_themselves_are_no_cause(model: str) -> None:
    before = replace(talk(), model=model)
    report = run("anthropic", before, replace(no_reasoning(grown(talk())), model=model))
    assert codes(report) == []
    assert any("reasoning" in skip.why for skip in report.skipped)
    both = replace(cleared(no_reasoning(grown(talk()))), model=model)
    assert codes(run("anthropic", before, both)) == ["PL405"]


def test_reasoning_of_the_open_turn_counts_for_every_model() -> None:
    def body(reasoning: str) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at the bicycle and tell me what it needs."}]
        for number in (1, 2):
            thought = [{"type": "thinking", "thinking": reasoning, "signature": "c2ln"}] if reasoning else []
            use = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {"page": number}}
            result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": page(number)}
            messages += [{"role": "assistant", "content": [*thought, use]}, {"role": "user", "content": [result]}]
        return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}

    before = body("The manual says more.")
    before["messages"] = before["messages"][:3]
    assert codes(compared(before, body(""), "anthropic")) == ["PL404"]


# Histories that are related, or not


def chat(*texts: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    return {"model": "a-model", "messages": [{"role": "system", "content": "You answer."}, *messages]}


HELLO, HELP = "Hello", "Hello! How can I help you today?"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            (HELLO, HELP, "Is the pool open?", "It is closed for repairs.", "Until when?"),
            (
                HELLO,
                HELP,
                "Where do I return a book?",
                "At the desk on the first floor.",
                "Thanks",
                "Welcome.",
                "And CDs?",
            ),
        ),
        (
            (HELLO, HELP, "Is the pool open?"),
            (HELLO, HELP, "Where do I return a book?", "At the desk on the first floor.", "Thanks"),
        ),
        (
            (
                "Could you check the file HB-20417 for me?",
                "It lacks a letter.",
                "Which one?",
                "The one of May.",
                "Thanks",
            ),
            (
                "Could you check the file HB-20999 for me?",
                "All is there.",
                "Can it go out?",
                "Yes, by mail.",
                "Then do",
            ),
        ),
        (
            ("Is the pool open?", "Yes.", "Thanks", "Welcome.", "Bye"),
            ("A book?", "At the desk.", "Thanks", "Welcome.", "Bye"),
        ),
    ],
    ids=["greeting", "greeting alone", "same form of opening", "thanks"],
)
def test_two_conversations_are_not_one(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert codes(compared(chat(*before), chat(*after), "vllm")) == []


def test_a_regenerated_answer_is_a_rewritten_history() -> None:
    asked = ("Which gear fits a steep hill in winter?", "The smallest one.")
    before = chat(*asked, "Why is that so?")
    after = chat(asked[0], "Take thirty-four teeth or more.", "And in summer?", "The same.", "Fine")
    assert codes(compared(before, after, "vllm")) == ["PL401"]
    # Nothing but the question was cached: the answer to it is new on both sides.
    assert codes(compared(chat(asked[0]), after, "vllm")) == []


def test_a_retry_and_a_fork_at_the_newest_message_are_silent() -> None:
    told = (
        "Which gear fits a steep hill?",
        "The smallest one.",
        "Why is that so?",
        "Because of torque.",
        "And in winter?",
    )
    assert codes(compared(chat(*told), chat(*told), "vllm")) == []
    assert codes(compared(chat(*told), chat(*told[:4], "And what of summer?"), "vllm")) == []
    assert codes(compared(chat(*told), chat(*told[:2], "And what of summer?"), "vllm")) == []


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("pinned", [0, 1])
def test_a_summary_in_place_of_the_oldest_turns(pinned: int, wire: str) -> None:
    before = talk(6)
    summary = Turn(user=("Summary so far: bicycles were checked, several parts are worn.",), answer="Understood.")
    turns = grown(before).turns
    after = replace(before, turns=(*turns[:pinned], summary, *turns[pinned + 3 :]))
    report = run(wire, before, after)
    assert codes(report) == ["PL402"]
    (finding,) = [finding for finding in report.findings if finding.code == "PL402"]
    assert "summary" in finding.message
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


@pytest.mark.parametrize("wire", WIRES)
def test_parallel_results_are_aligned(wire: str) -> None:
    calls = tuple(
        Call(f"call_p{number}k3", "read_page", f'{{"page": {number}}}', page(number, 90)) for number in range(9)
    )
    several = turn_of(lambda turn: replace(turn, calls=calls), 1)
    before = several(talk())
    after = turn_of(
        lambda turn: replace(turn, calls=(*calls[:4], replace(calls[4], result="[cleared]"), *calls[5:])), 1
    )
    report = run(wire, before, after(grown(before)))
    assert codes(report) == ["PL405"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


def test_three_causes_add_up() -> None:
    for wire in WIRES:
        before = talk(7)
        after = window(stripped(other_bytes(cut(grown(before)))))
        report = run(wire, before, after)
        steps = report.comparisons[0].repairs
        assert sorted({step.code for step in steps}) == ["PL402", "PL405", "PL407", "PL409"]
        for earlier, later in itertools.pairwise(steps):
            assert later.cumulative - later.recovers == earlier.cumulative
        assert steps[-1].cumulative == report.comparisons[0].tokens.before
