"""What holds for all prompts: exact shared prefixes, growth, symmetry, places, and repairs that add up."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from promptlint import pipeline, providers, readers, render, tokenizers
from promptlint.model.common import common_prefix
from promptlint.model.prompt import Section
from promptlint.model.report import Comparison
from promptlint.model.source import Source

TEXT = st.text(alphabet="abc 12:\n.é—{}\"'", max_size=80)
ORDER = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
FAMILIES = providers.families()


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """An Anthropic request with tools, system blocks and a few turns."""
    names = draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=4))
    tools = [{"name": name, "description": draw(TEXT), "input_schema": {"type": "object"}} for name in names]
    turns = [
        {"role": ("user", "assistant")[index % 2], "content": text or "-"}
        for index, text in enumerate(draw(st.lists(TEXT, min_size=1, max_size=5)))
    ]
    system = [{"type": "text", "text": text or "-"} for text in draw(st.lists(TEXT, max_size=3))]
    return {"model": "claude-sonnet-4-5", "max_tokens": 1, "tools": tools, "system": system, "messages": turns}


def compared(before: object, after: object, provider: str | None = None) -> Comparison:
    sources = [Source("a.json", json.dumps(before)), Source("b.json", json.dumps(after))]
    return pipeline.diff(sources, pipeline.Options(provider=provider)).comparisons[0]


def ids(body: object) -> Any:
    prompt = readers.read(Source("x.json", json.dumps(body)))
    rendering = render.render(prompt, ORDER)
    return tokenizers.tokenize(rendering, tokenizers.choose("claude-sonnet-4-5")).ids


@given(requests(), requests())
def test_shared_is_the_common_prefix_of_two_full_encodes(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert compared(before, after).tokens.shared == common_prefix(ids(before), ids(after))


@given(requests(), requests())
def test_the_same_from_both_sides(before: dict[str, Any], after: dict[str, Any]) -> None:
    forth, back = compared(before, after), compared(after, before)
    assert forth.tokens.shared == back.tokens.shared
    assert (forth.divergence is None) == (back.divergence is None)
    if forth.divergence and back.divergence:
        assert forth.divergence.token == back.divergence.token
        assert forth.divergence.before.path == back.divergence.after.path


@given(requests(), st.lists(TEXT, min_size=1, max_size=3))
def test_growth_is_no_divergence(body: dict[str, Any], texts: list[str]) -> None:
    more = [{"role": "user", "content": text or "-"} for text in texts]
    grown = compared(body, {**body, "messages": [*body["messages"], *more]})
    assert grown.divergence is None
    assert grown.repairs == ()
    assert grown.tokens.shared == grown.tokens.before


@given(TEXT, TEXT)
def test_growth_of_plain_text_is_no_divergence(text: str, more: str) -> None:
    sources = [Source("a.txt", text), Source("b.txt", text + more)]
    assert pipeline.diff(sources, pipeline.Options()).comparisons[0].divergence is None


@given(requests(), requests(), st.sampled_from(FAMILIES))
def test_reusable_never_exceeds_shared(before: dict[str, Any], after: dict[str, Any], provider: str) -> None:
    tokens = compared(before, after, provider).tokens
    assert 0 <= tokens.reusable_low <= tokens.reusable <= tokens.reusable_high <= tokens.shared
    assert tokens.lost == tokens.after - tokens.reusable


@given(requests())
def test_every_token_maps_to_a_component(body: dict[str, Any]) -> None:
    prompt = readers.read(Source("x.json", json.dumps(body)))
    rendering = render.render(prompt, ORDER)
    tokens = tokenizers.tokenize(rendering, tokenizers.choose("claude-sonnet-4-5"))
    assert len(tokens.slot_ends) == len(rendering.slots)
    assert list(tokens.slot_ends) == sorted(tokens.slot_ends)
    assert tokens.slot_ends[-1] == len(tokens.ids)


@given(requests(), requests())
def test_repairs_add_up_and_never_overlap(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = compared(before, after)
    if not found.repairs:
        return
    shared = found.tokens.shared
    for step in found.repairs:
        assert step.recovers >= 0
        assert step.cumulative == shared + step.recovers
        shared = step.cumulative
    assert shared <= found.tokens.before
