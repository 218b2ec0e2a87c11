"""Worked examples from the mechanism itself: what an edit costs is what follows it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest

from promptlint import pipeline, providers
from promptlint.model.report import Comparison
from promptlint.model.source import Source

TEXT = """
Answer in short plain sentences and name the source of every figure that you give and wait for the reply to each
question before the next one is asked of the person who called about the order
"""
WORDS = TEXT.split()
LONG = " ".join(f"{WORDS[index % len(WORDS)]}" for index in range(31_000))
HOSTED_AND_OWN = [policy.id for policy in providers.all_policies()]


def compared(before: str, after: str, provider: str | None = None, name: str = "prompt.txt") -> Comparison:
    sources = [Source(f"old/{name}", before), Source(f"new/{name}", after)]
    return pipeline.diff(sources, pipeline.Options(provider=provider)).comparisons[0]


def request(**body: Any) -> str:
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, **body})


@pytest.mark.parametrize("provider", HOSTED_AND_OWN)
def test_one_word_at_token_12_of_30_000(provider: str) -> None:
    words = LONG.split()
    words[12] = "purple"
    found = compared(LONG, " ".join(words), provider)
    assert found.tokens.before >= 30_000
    assert found.tokens.shared <= 13
    assert found.tokens.reusable <= 12


def test_the_same_edit_at_the_last_token_leaves_all_full_blocks() -> None:
    found = compared(LONG, LONG[: LONG.rindex(" ")] + " purple", "vllm")
    block = 16
    assert found.tokens.shared == found.tokens.before - 1
    assert found.tokens.reusable == found.tokens.shared // block * block


def test_a_date_at_the_top_shifts_every_position() -> None:
    found = compared(LONG, "2026-11-30\n" + LONG, "generic")
    assert found.tokens.reusable == 0
    assert found.divergence is not None
    assert found.divergence.shift == found.tokens.after - found.tokens.before > 0


def test_a_prepended_line_leaves_nothing() -> None:
    found = compared(LONG, "Be brief.\n" + LONG, "generic")
    assert found.tokens.shared == found.tokens.reusable == 0


def turns(count: int) -> list[Mapping[str, str]]:
    return [
        {"role": ("user", "assistant")[index % 2], "content": f"Turn {index}: {LONG[:200]}"} for index in range(count)
    ]


@pytest.mark.parametrize("provider", ["generic", "openai-pre-5.5", "vllm", "sglang", "llama.cpp"])
def test_an_appended_turn_costs_only_its_own_tokens(provider: str) -> None:
    body = {"model": "some-model", "messages": [{"role": "system", "content": LONG[:9000]}, *turns(3)]}
    longer = {**body, "messages": [*body["messages"], *turns(5)[3:]]}
    found = compared(json.dumps(body), json.dumps(longer), provider, "request.json")
    assert found.divergence is None
    assert found.tokens.shared == found.tokens.before
    block = {"openai-pre-5.5": 128, "vllm": 16}.get(provider, 1)
    assert found.tokens.reusable == found.tokens.before // block * block


CAFE = "the caf\u00e9 is open all day and all night long for everybody\n"


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("one line \nand more text that goes on here\n", "one line\nand more text that goes on here\n", ["PL409"]),
        (CAFE, unicodedata.normalize("NFD", CAFE), ["PL410"]),
        ("do not say 'no' to anybody who calls\n", "do not say \u2018no\u2019 to anybody who calls\n", ["PL410"]),
        ("first line of many\nsecond line of many\n", "first line of many\r\nsecond line of many\r\n", ["PL409"]),
    ],
    ids=["trailing space", "NFC and NFD", "curly quote", "CRLF"],
)
def test_text_that_looks_the_same_diverges_where_it_differs(before: str, after: str, codes: list[str]) -> None:
    sources = [Source("a.txt", before + LONG[:500]), Source("b.txt", after + LONG[:500])]
    report = pipeline.diff(sources, pipeline.Options())
    divergence = report.comparisons[0].divergence
    assert divergence is not None
    first = next(index for index, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    assert divergence.after.value_char == first
    assert divergence.token_after.char <= first
    assert [finding.code for finding in report.findings] == codes


def test_reserialised_json_diverges_at_the_key_that_moved() -> None:
    tool = {"name": "look_up", "input_schema": {"type": "object", "title": "A"}}
    moved = {"name": "look_up", "input_schema": {"title": "A", "type": "object"}}
    messages = [{"role": "user", "content": "Hello"}]
    found = compared(
        request(tools=[tool], messages=messages), request(tools=[moved], messages=messages), None, "request.json"
    )
    assert found.divergence is not None
    assert found.divergence.after.path.startswith("tools[0].input_schema")
    assert [step.code for step in found.repairs] == ["PL202"]


def test_white_space_and_key_order_of_the_body_are_no_content() -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "Be brief.", "messages": turns(1)}
    shuffled = json.dumps(dict(reversed(body.items())), indent=4)
    assert compared(json.dumps(body), shuffled, None, "request.json").divergence is None
