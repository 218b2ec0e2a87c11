"""White space and Unicode drift: whole texts, several places, and beside other causes in the same text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import Options, diff

LINES = [f"Rule {number}: name the page of the manual that \u201cpart {number}\u201d is on." for number in range(40)]
TEXT = "\n".join(["You answer questions of a bicycle workshop.", *LINES, "Be brief."])


def compared(before: str, after: str) -> Report:
    return diff([Source("before.txt", before), Source("after.txt", after)], Options())


def codes(report: Report) -> list[str]:
    return [step.code for step in report.comparisons[0].repairs]


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("PL409", TEXT.replace("\n", "\r\n")),
        ("PL409", TEXT.replace("\n", "\n\n", 7)),
        ("PL409", TEXT.replace("Rule 9", "  Rule 9")),
        ("PL409", TEXT.replace(" name ", "  name ")),
        ("PL410", TEXT.replace("\u201c", '"').replace("\u201d", '"')),
        ("PL410", TEXT.replace("name the", "name\u00a0the")),
        ("PL410", TEXT.replace("manual", "man\u200bual")),
        ("PL410", TEXT.replace("manual", "m\u0430nual")),
        ("PL410", "\ufeff" + TEXT),
    ],
    ids=["crlf", "blank lines", "indent", "double blank", "quotes", "no-break", "zero width", "look-alike", "bom"],
)
def test_one_kind_of_drift_is_one_cause(code: str, after: str) -> None:
    report = compared(TEXT, after)
    assert codes(report) == [code]
    assert report.comparisons[0].repairs[0].cumulative == report.comparisons[0].tokens.before


@pytest.mark.parametrize(
    "after",
    [
        TEXT.replace("\n", "\r\n").replace("\u201c", '"').replace("\u201d", '"'),
        TEXT.replace("\u201c", '"').replace(" name ", "  name ").replace("\u201d", '"'),
        TEXT.replace("name the", "name\u00a0the").replace("\n", "\r\n"),
    ],
)
def test_both_kinds_in_one_text_are_two_causes(after: str) -> None:
    report = compared(TEXT, after)
    assert sorted(codes(report)) == ["PL409", "PL410"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


def test_line_ends_beside_an_edit_are_named_once() -> None:
    after = TEXT.replace("Rule 20: name the page", "Rule 20: never forget to give the page").replace("\n", "\r\n")
    report = compared(TEXT, after)
    assert codes(report) == ["PL409", "PL304"]
    assert report.comparisons[0].repairs[-1].cumulative == report.comparisons[0].tokens.before


@pytest.mark.parametrize("after", [TEXT + "\n", TEXT + "\n\nAnd be kind."])
def test_a_text_that_grew_has_no_drift(after: str) -> None:
    assert codes(compared(TEXT, after)) == []


def test_an_edit_is_no_drift() -> None:
    assert codes(compared(TEXT, TEXT.replace("Rule 20: name the page", "Rule 20: name pages"))) == ["PL304"]


def chat(*texts: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]}


def test_many_blank_lines_take_linear_time() -> None:
    before = "a\n" * 100_000
    report = compared(before + "End of it, and nothing more is said here at all.", before.replace("a\n", "a\n\n"))
    assert report.comparisons


@pytest.mark.parametrize("words", ["is on", "is on, and its number"])
def test_a_no_break_space_beside_an_edit(words: str) -> None:
    edited = TEXT.replace("of a bicycle", "of\u00a0a bicycle").replace(
        "\u201cpart 9\u201d is on", f"\u201cpart 9\u201d {words}"
    )
    assert codes(compared(TEXT, edited)) == (["PL410"] if words == "is on" else ["PL410", "PL304"])


def test_another_line_has_an_indentation_of_its_own() -> None:
    frame = "Git status:\n{}\n(end of status)\n" + TEXT
    assert codes(compared(frame.format(" M src/app.py"), frame.format("A  web/main.css\n D Makefile"))) == ["PL105"]


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("- one\r\n- two\r\n- three", "- one\n- two\n- three", "CRLF became LF"),
        ("- one\n- two\n- three", "- one\n- two\n- three\n", "nothing became LF"),
        ("- one\n- two\n- three", "- one\n\n- two\n- three", "LF became 2 blanks"),
    ],
)
def test_line_ends_in_a_result_that_is_an_object(before: str, after: str, what: str) -> None:
    report = diff([replied(before, "before"), replied(after, "after", "Go on.")], Options())
    (finding,) = report.findings
    assert finding.code == "PL409"
    assert what in finding.message
    assert finding.location.path.startswith("contents[2].parts[0].functionResponse.response")


def test_a_path_in_a_result_is_no_line_end() -> None:
    report = diff([replied(r"C:\new", "before"), replied(r"C:ew", "after", "Go on.")], Options())
    assert "PL409" not in codes(report)


def replied(output: str, name: str, *more: str) -> Source:
    """A Gemini request whose third message answers a call with an object."""
    call = {"functionCall": {"id": "c1", "name": "look", "args": {}}}
    answer = {"functionResponse": {"id": "c1", "name": "look", "response": {"output": output}}}
    contents: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "Which rules of the workshop hold on Sunday?"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [answer]},
        {"role": "model", "parts": [{"text": "All of them, as the manual says on its first page."}]},
        *({"role": "user", "parts": [{"text": text}]} for text in ("Why?", *more)),
    ]
    return Source(f"{name}.json", json.dumps({"contents": contents}))
