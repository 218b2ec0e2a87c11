"""Every cause of a divergence, in render order: explain the first, set it equal, look for the next."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from promptlint.diff.conversation import is_tail
from promptlint.diff.divergence import first_difference
from promptlint.diff.hunks import first_hunk
from promptlint.model.common import common_prefix
from promptlint.model.finding import Scope
from promptlint.model.known import Known
from promptlint.model.matching import Change, Match
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Component, Prompt, Section, Skip
from promptlint.model.rendering import Rendering, Slot
from promptlint.model.tokens import TokenSequence
from promptlint.rulebook.repair import apply
from promptlint.rulebook.rule import Rule, Rulebook

_MOST_CAUSES = 60  # beyond it a comparison is of two different prompts, and the rest is in `skipped`


@dataclass(frozen=True, slots=True)
class Step:
    """One cause. `shared` tokens were shared before this repair and `cumulative` after it, out of `total` before it.

    `slots` is the later prompt with this cause and all before it repaired.
    """

    rule: Rule
    match: Match
    change: Change
    total: int
    shared: int
    cumulative: int
    slots: tuple[Slot, ...]
    tokens: TokenSequence

    def units(self) -> set[tuple[Section, int, int]]:
        """The content blocks of the later prompt in which it shows."""
        marks = (self.match.after, *(after for after, _ in self.match.also))
        return {self.change.after[mark.index].unit for mark in marks if mark is not None}


@dataclass(frozen=True, slots=True)
class Explanation:
    steps: tuple[Step, ...]
    skipped: tuple[Skip, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """What stays the same while causes are looked for."""

    prompt_before: Prompt
    prompt_after: Prompt
    policy: CachePolicy
    scope: Scope
    known: Known = field(default_factory=Known)


@dataclass(frozen=True, slots=True)
class _Progress:
    """Where a cause was found: component, character, and the rule that explained it."""

    component: int
    char: int
    rule: Rule

    def beyond(self, last: _Progress) -> bool:
        """Two causes may show at one place (a tool came, and the others moved); one rule must get on."""
        here, before = (self.component, self.char), (last.component, last.char)
        return here > before or (here == before and self.rule is not last.rule)


@dataclass(frozen=True, slots=True)
class _Covering:
    """A cause with whose repair the prompts part even earlier, at what it stood before; `slots` are those before it."""

    step: Step
    slots: tuple[Slot, ...]
    tokens: TokenSequence

    def behind(self, covered: Step) -> tuple[Step, Step]:
        """Both causes the other way round: the covered one's repair alone recovers nothing, the second one all."""
        shared, total = self.step.shared, self.step.total
        first = replace(covered, total=total, shared=shared, cumulative=shared, slots=self.slots, tokens=self.tokens)
        second = replace(
            self.step,
            total=total + len(covered.tokens) - covered.total,
            cumulative=covered.cumulative,
            slots=covered.slots,
            tokens=covered.tokens,
        )
        return first, second


def explain(
    before: Rendering,
    after: Rendering,
    situation: Situation,
    book: Rulebook,
    tokens_of: Callable[[Rendering], TokenSequence],
) -> Explanation:
    """The causes of all divergences that are worth a finding; empty for growth and for new input at the end."""
    old_ids = tokens_of(before).ids
    tokens = tokens_of(after)
    rules = by_rank(book.on("divergence"))
    steps, skips = list[Step](), list[Skip]()
    last: _Progress | None = None
    covering: _Covering | None = None
    while (change := change_of(before.slots, after.slots, situation)) is not None:
        found = narrowest(change, rules)
        if found is None:
            skips += () if is_tail(change) else (_unexplained(change, "no rule explains this difference"),)
            break
        rule, match = found
        here = _Progress(change.at_after, change.hunk.first if change.hunk else 0, rule)
        if len(steps) >= _MOST_CAUSES or (last and covering is None and not here.beyond(last)):
            skips.append(_unexplained(change, "there are too many further differences"))
            break
        last = here
        repaired = replace(after, slots=apply(match.repair, before.slots, after.slots))
        step = _step(found, change, old_ids, tokens, repaired.slots, tokens_of(repaired))
        if covering is None and step.cumulative < step.shared:
            covering = _Covering(step, after.slots, tokens)
        elif covering is not None and step.cumulative < covering.step.shared:
            break
        else:
            told = covering.behind(step) if covering else (step,)
            skips += (_unexplained(change, match.harmless),) if match.harmless else ()
            steps += told[1:] if match.harmless else told
            covering = None
        after, tokens = repaired, step.tokens
    if covering is not None:
        skips.append(_unexplained(covering.step.change, f"{covering.step.rule.code} does not explain what follows"))
    return Explanation(tuple(steps), tuple(skips))


def _step(
    found: tuple[Rule, Match],
    change: Change,
    old_ids: array[int],
    tokens: TokenSequence,
    slots: tuple[Slot, ...],
    repaired: TokenSequence,
) -> Step:
    """One cause, and what its repair makes of `tokens`."""
    shared, cumulative = (common_prefix(old_ids, each.ids) for each in (tokens, repaired))
    return Step(*found, change, len(tokens), shared, cumulative, slots, repaired)


def change_of(before: tuple[Slot, ...], after: tuple[Slot, ...], situation: Situation) -> Change | None:
    """The first difference that is left, as matchers see it."""
    index = first_difference(before, after)
    if index is None:
        return None
    left, right = before[index].component, after[index].component
    return Change(
        before=tuple(slot.component for slot in before),
        after=tuple(slot.component for slot in after),
        at_before=index,
        at_after=index,
        hunk=first_hunk(left.text, right.text) if _comparable(left, right) else None,
        scope=situation.scope,
        prompt_before=situation.prompt_before,
        prompt_after=situation.prompt_after,
        policy=situation.policy,
        known=situation.known,
    )


def _comparable(before: Component, after: Component) -> bool:
    """Whether two components fill the same slot, so that their texts can be compared."""
    same = (before.section, before.kind, before.role) == (after.section, after.kind, after.role)
    return same and not before.opaque and not after.opaque


def narrowest(change: Change, rules: Sequence[Rule]) -> tuple[Rule, Match] | None:
    """The rule that explains a change best: not outranked by another that matches, then by weight, then by code."""
    tail = is_tail(change)
    matches: list[tuple[Rule, Match]] = []
    for rule in rules:  # those that outrank others come first, so that what they outrank is not even tried
        if (tail and not rule.tail) or not applies(rule, change.policy, change.scope):
            continue
        if any(other.outranks(rule) for other, _ in matches):
            continue
        match = rule.matcher.match(change, rule.params)
        if match is not None:
            matches = [(other, found) for other, found in matches if not rule.outranks(other)]
            matches.append((rule, match))
    return min(matches, key=lambda item: (-item[1].weight, item[0].code)) if matches else None


def by_rank(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Rules that outrank others before those, else by code."""
    order = _order(tuple((rule.code, rule.beats) for rule in rules))
    return tuple(rules[index] for index in order)


@lru_cache(maxsize=8)  # the same rulebook for every pair of a run
def _order(ranks: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[int, ...]:
    """For the codes of rules and what each of them beats: the places of the rules in the order of their ranks."""
    above = [
        {other for other, (_, beats) in enumerate(ranks) if other != index and code.startswith(beats)}
        for index, (code, _) in enumerate(ranks)
    ]
    left, ordered = list(range(len(ranks))), list[int]()
    while left:
        free = [index for index in left if above[index].isdisjoint(left)] or left[:1]
        ordered += free
        left = [index for index in left if index not in free]
    return tuple(ordered)


def applies(rule: Rule, policy: CachePolicy, scope: Scope) -> bool:
    """Whether a rule is about this provider and this relation of two prompts."""
    if rule.providers and policy.family not in rule.providers:
        return False
    if scope is Scope.GATEWAY and Scope.SAME_CONVERSATION in rule.scopes:
        return True  # both sides are one conversation
    return not rule.scopes or scope in rule.scopes


def _unexplained(change: Change, why: str) -> Skip:
    component = change.component_after or change.component_before
    return Skip(component.location.path if component else "end of the prompt", why)
