"""The text around a divergence: what of it differs, and where both sides are common again."""

from __future__ import annotations

import pytest

from promptlint import pipeline
from promptlint.model.source import Source

LINES = [f"Rule {number}: answer request {number} in plain words.\n" for number in range(50)]
NEW = "Be brief. "


@pytest.mark.parametrize(
    ("old", "new", "differing"),
    [
        (LINES[20], NEW + LINES[20], ("", NEW)),
        (NEW + LINES[20], LINES[20], (NEW, "")),
        (LINES[20], LINES[20].replace("plain", "other"), ("plain", "other")),
        (LINES[20], "x" * 60 + "\n" + LINES[20], ("", "x" * 40)),
    ],
    ids=["insertion", "deletion", "replacement", "long insertion"],
)
def test_only_the_edit_differs(old: str, new: str, differing: tuple[str, str]) -> None:
    before = "".join([*LINES[:20], old, *LINES[21:]])
    after = "".join([*LINES[:20], new, *LINES[21:]])
    (comparison,) = pipeline.diff([Source("a.md", before), Source("b.md", after)], pipeline.Options()).comparisons
    excerpt = comparison.excerpt
    assert excerpt is not None
    assert excerpt.before_differs is not None and excerpt.after_differs is not None
    assert (excerpt.before[: excerpt.before_differs], excerpt.after[: excerpt.after_differs]) == differing


def test_two_kinds_of_component_are_not_compared() -> None:
    body = '{"model": "gpt-5.1", "messages": [%s]}'
    call = '{"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": %s}]}'
    before = body % '{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}'
    after = body % ('{"role": "user", "content": "Hello"}, ' + call % '{"name": "f", "arguments": "{}"}')
    (comparison,) = pipeline.diff([Source("a.json", before), Source("b.json", after)], pipeline.Options()).comparisons
    assert comparison.excerpt is not None
    assert comparison.excerpt.before_differs is None
