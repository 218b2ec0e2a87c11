"""A value that changes reaches a part of a prompt in source code."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.flow import Flow

FACTS = frozenset({"what", "target", "behind"})


@dataclass(frozen=True, slots=True)
class Params:
    """`kinds` of what changes (clock, date, random, …) and the `parts` of a prompt that it may not reach."""

    kinds: tuple[str, ...]
    parts: tuple[str, ...]


def applies(flow: Flow, params: Params) -> bool:
    return flow.kind in params.kinds and flow.sink in params.parts
