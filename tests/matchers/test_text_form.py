"""White space and Unicode drift: whole texts, several places, and beside other causes in the same text."""

from __future__ import annotations

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
