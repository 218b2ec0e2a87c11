"""Every marked prefix is shorter than what the model caches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.model.matching import Note, Single
from promptlint.model.policy import Matching

FACTS = frozenset({"marked", "minimum", "doubt"})


@dataclass(frozen=True, slots=True)
class Params:
    """`margin`: the factor by which the true count may exceed an estimate; within it the rule is silent."""

    margin: float = 1.35


def notes(single: Single, params: Params) -> Iterator[Note]:
    policy = single.policy
    if policy.matching is not Matching.BREAKPOINT or not policy.min_tokens:
        return
    marked = [
        (component, end)
        for component, end in zip(single.components, single.ends, strict=True)
        if component.breakpoint is not None and component.section in policy.marker_sections
    ]
    own = max((block.end for block in single.marks.blocks if block.eligible), default=0)
    if not marked:
        return
    component, end = marked[-1]
    if max(end, own) * (1 if single.exact else params.margin) >= policy.min_tokens:
        return
    status = policy.min_tokens_status
    yield Note(
        component=component,
        span=None,
        setting=None,
        facts={
            "marked": f"{end:,}",
            "minimum": f"{policy.min_tokens:,}",
            "doubt": "" if status == "confirmed" else f" ({status})",
        },
        confidence="low" if not status.startswith("confirmed") else "",
    )
