"""A value of a given kind or shape stands in the same place on both sides and differs: a clock, an id, a name."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._live import FINDERS, narrowest
from promptlint.matchers._sites import Site, found, text_site
from promptlint.matchers._values import ValuePair, compiled, labelled_pairs, value_pairs
from promptlint.model.errors import RuleError
from promptlint.model.matching import Change, Match

FACTS = frozenset({"before_value", "after_value"})


@dataclass(frozen=True, slots=True)
class Params:
    """`value`: a kind that promptlint knows, by its shape and the words around it (clock, date, id, identity,
    environment, counter). Or `patterns`, enough on their own, and `labelled`: values that begin where one of `labels`
    ends; `unlike`: never where the text before the value matches. `sections` limits where (names of Section).
    """

    value: str = ""
    patterns: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.value and self.value not in FINDERS:
            raise RuleError(f"'value' must be one of {', '.join(FINDERS)}")


def match(change: Change, params: Params) -> Match | None:
    site = text_site(change)
    if site is None or (params.sections and site.section.value not in params.sections):
        return None
    best = narrowest(site, params.value) if params.value else _of_patterns(site, params)
    if best is None:
        return None
    pair, weight = best
    facts = {"before_value": pair.before_text, "after_value": pair.after_text}
    return found(change, site, pair.before, pair.after, facts, weight)


def _of_patterns(site: Site, params: Params) -> tuple[ValuePair, int] | None:
    pairs = [*value_pairs(site, params.patterns), *labelled_pairs(site, params.labels, params.labelled)]
    pairs = [pair for pair in pairs if not any(compiled(pattern).search(pair.lead) for pattern in params.unlike)]
    longest = max(pairs, key=lambda pair: len(pair.after), default=None)
    return (longest, len(longest.after)) if longest else None
