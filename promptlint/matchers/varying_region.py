"""A placeholder or loop of a template is filled with what changes, and what is to be shared stands behind it."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.template import Standing

FACTS = frozenset({"what", "behind", "move", "anchor", "saves"})


@dataclass(frozen=True, slots=True)
class Params:
    """`kinds` of what fills it (clock, date, identity, …); `tokens` of fixed text that must stand behind it.

    `history`: a history of the conversation behind it is enough as well.
    """

    kinds: tuple[str, ...]
    tokens: int = 40
    history: bool = False


def applies(standing: Standing, params: Params) -> bool:
    if standing.region.kind not in params.kinds:
        return False
    return standing.tokens >= params.tokens or (params.history and standing.history)
