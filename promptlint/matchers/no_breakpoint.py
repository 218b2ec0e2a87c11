"""The provider caches only what is marked, and the request marks nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._requests import one_conversation
from promptlint.model.history import alike_texts
from promptlint.model.matching import Note, Pair, Single
from promptlint.model.policy import Matching
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"stable", "minimum"})


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(single: Single, params: Params) -> Iterator[Note]:
    policy, pair = single.policy, single.pair
    if policy.matching is not Matching.BREAKPOINT or not policy.breakpoints_max:
        return
    if any(component.breakpoint for component in single.components):
        return
    if any(block.eligible for block in single.marks.blocks):
        return  # the provider places breakpoints on its own
    if pair and one_conversation(pair) and any(block.marked is not None for block in pair.marks_before.blocks):
        return  # they were there before: that they are gone is another rule's matter
    stable = _stable(single)
    if not stable or stable[-1][1] < max(1, policy.min_tokens):
        return
    anchors = [item for item in stable if item[0].section is not Section.MESSAGES and item[1] >= policy.min_tokens]
    component = (anchors or stable)[-1][0]
    yield Note(
        component=component,
        span=Span(0, len(component.text)),
        setting=None,
        facts={"stable": f"{stable[-1][1]:,}", "minimum": f"{policy.min_tokens:,}"},
    )


def _stable(single: Single) -> list[tuple[Component, int]]:
    """Components that stay, each with the stable tokens up to its end: tools and system text.

    Of two requests these are what both have in some version, and all that they share from the first token.
    """
    pair, found, total, start = single.pair, [], 0, 0
    for component, end in zip(single.components, single.ends, strict=True):
        shared = pair is not None and end <= pair.shared
        kept = component.section is not Section.MESSAGES and (pair is None or _known(component, pair))
        if shared or kept:
            total += end - start
            if component.text and not component.opaque:
                found.append((component, total))
        start = end
    return found


def _known(component: Component, pair: Pair) -> bool:
    """Whether the earlier request has this component, or another version of it."""
    others = [each for each in pair.components_before if each.section is component.section]
    if any(each.text == component.text or (component.name and each.name == component.name) for each in others):
        return True
    plain = " ".join(component.text.split())
    return component.kind is Kind.TEXT and any(alike_texts(" ".join(each.text.split()), plain) for each in others)
