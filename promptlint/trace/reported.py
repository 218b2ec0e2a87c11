"""Losses beside those of the unbounded cache: as reported where there are no prompts, refused hits, evictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from promptlint.model.finding import Finding, Severity
from promptlint.model.strand import LogNote, Succession, Turn, surely_warm
from promptlint.model.traced import Waste
from promptlint.trace.causes import Key, Part
from promptlint.trace.step import Step
from promptlint.trace.usage import turn_of


class Reported:
    """Splits what was reported as not cached. Holds the last request of each session and model."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Turn] = {}

    def split(self, step: Step) -> list[Part]:
        """Parts of the prompt tokens that were not cached, for a request without text. Empty where nothing is known.

        What the one before it held is taken to be repeated: more cannot be known from numbers.
        """
        turn = turn_of(step)
        if turn is None:
            return []
        before = self._last.get((turn.session, turn.model))
        self._last[turn.session, turn.model] = turn
        lost = turn.input - turn.cached
        again = 0
        parts = []
        if before is not None and turn.known and before.input <= turn.input:
            succession = Succession(before, turn, turn.policy.ttl_default)
            again = min(lost, succession.lost)
            parts.append(Part(Key(_reason(succession)), again))
        parts.append(Part(Key("new"), lost - again))
        return [part for part in parts if part.tokens]

    def missed(self, step: Step) -> list[Part]:
        """What the simulated cache held of a request, and the provider reported as no hit at all."""
        turn = turn_of(step)
        if turn is None or turn.expected is None or not step.policy.hosted or not step.tokens:
            return []
        warm = surely_warm(step.unused if step.previous is None else step.idle, step.policy.ttl_default)
        if not warm or turn.expected.low < turn.slack or turn.cached * 10 >= turn.expected.low:
            return []
        read = round(turn.cached * step.tokens / turn.input) if turn.input else 0
        return [Part(Key("provider"), max(0, turn.expected.tokens - read))] if turn.expected.tokens > read else []


def _reason(succession: Succession) -> str:
    if succession.lost < succession.turn.slack or not succession.long_enough:
        return "rules"
    return "ttl" if succession.expired else "unexplained"


def evicted(step: Step) -> list[Part]:
    """What the request's own engine would have dropped, where it was replayed with a stated capacity."""
    if step.reuse is None:
        return []
    bounded = (other for name, other in step.others.items() if name.startswith(f"{step.policy.family}:"))
    lost = next((step.reuse.tokens - other.tokens for other in bounded), 0)
    return [Part(Key("capacity"), lost)] if lost > 0 else []


def named(waste: Sequence[Waste], said: Sequence[tuple[Finding, LogNote]]) -> list[Waste]:
    """The waste with what numbers alone leave unexplained given to the rules on logs that name a cause for it."""
    kept = {each.kind: each for each in waste}
    left = kept.get("unexplained")
    found = []
    for finding, note in said:
        lost = finding.tokens_lost or 0
        if left is None or finding.severity is not Severity.ERROR or note.turn.expected is not None or not lost:
            continue
        share = min(lost, left.tokens)
        part = replace(left, kind="rule", code=finding.code, name=finding.name, path="usage", avoidable=True)
        part = replace(part, message=finding.message, place=finding.location, requests=note.requests)
        found.append(_share(part, share, left.tokens))
        left = _share(left, left.tokens - share, left.tokens) if share < left.tokens else None
    if not found:
        return list(waste)
    others = [each for each in waste if each.kind != "unexplained"]
    ranked = [*others, *found, *([left] if left else [])]
    return sorted(ranked, key=lambda each: (each.kind == "new", -each.tokens))


def _share(waste: Waste, tokens: int, of: int) -> Waste:
    dollars = None if waste.dollars is None else waste.dollars * tokens / of
    return replace(waste, tokens=tokens, dollars=dollars)
