"""Two prompts compared: divergence, survival, causes with what each repair recovers, and the cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from promptlint.diff.conversation import scope_of
from promptlint.diff.divergence import first_divergence
from promptlint.diff.hunks import first_hunk
from promptlint.model.common import common_prefix
from promptlint.model.divergence import Divergence
from promptlint.model.finding import Finding, Place, Scope
from promptlint.model.matching import Hunk, Note, Pair
from promptlint.model.policy import CachePolicy, Reuse
from promptlint.model.prompt import Component, Prompt, Setting, Skip
from promptlint.model.report import Comparison, Excerpt, RepairStep, TokenCounts
from promptlint.model.source import Position, Source
from promptlint.pipeline import markers
from promptlint.pipeline.costs import Pricing
from promptlint.pipeline.gateway import neutral_pair
from promptlint.pipeline.outline import around, excerpt_of, outlined, token_of
from promptlint.pipeline.prepare import Prepared, Workshop
from promptlint.pipeline.survival import reused
from promptlint.rulebook.explain import Explanation, Situation, applies, explain
from promptlint.rulebook.findings import Cause, causes, diagnosis, of_note
from promptlint.rulebook.rule import Rule

if TYPE_CHECKING:
    from promptlint.pipeline.release import Release


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one job gave. `included`: further files that findings are in, because a template includes them."""

    comparison: Comparison | None
    findings: tuple[Finding, ...]
    skipped: tuple[Skip, ...] = ()
    included: tuple[Source, ...] = ()


def compare(before: Prompt, after: Prompt, workshop: Workshop, scope: Scope | None = None) -> Outcome:
    """`scope`: how the two are related, where the caller knows (a release); found out from the requests otherwise."""
    policy = workshop.policy(after, *([before] if scope is Scope.GATEWAY else []))
    before, after = markers.assumed(before, policy), markers.assumed(after, policy)
    sent = after
    if scope is Scope.GATEWAY:
        before, after = neutral_pair(before, after)
    scope = scope or scope_of(before, after)
    old, new = workshop.prepare_both((before, after), policy)
    explanation = explain(
        old.rendering,
        new.rendering,
        Situation(before, after, policy, scope),
        workshop.book,
        lambda rendering: workshop.tokenize(rendering, after),
    )
    shared = common_prefix(old.tokens.ids, new.tokens.ids)
    pair = _pair(old, new, policy, scope, shared, explanation)
    noted = _noted(pair, workshop)
    found = causes(explanation.steps, noted, after, policy, scope)
    reuse = reused(old, new, policy)
    repairs = _repairs(found, explanation, old, new, policy, workshop)
    pricing = Pricing(workshop.options, policy, workshop.model(after), new.tokens, scope)
    comparison = _comparison(old, new, explanation, reuse, repairs, pricing, workshop)
    comparison = replace(comparison, vendor_reason=diagnosis(found, noted, policy))
    release = None
    if scope is Scope.RELEASE:
        from promptlint.pipeline.release import Release

        release = Release(old, new, reuse, repairs, found, pricing, workshop)
    findings = _findings(found, repairs, reuse, pricing, noted, after, policy, scope, workshop, release)
    skipped = explanation.skipped
    if release:
        findings += release.unexplained(comparison.place)
        skipped += tuple(release.skipped)
    single = new if sent is after else workshop.prepare(sent, policy)
    # Two versions of a file are no two requests, and neither are two forms of one.
    two_requests = scope not in (Scope.RELEASE, Scope.GATEWAY)
    findings += workshop.findings_on(single, policy, scope, pair if two_requests else None)
    return Outcome(outlined(comparison, old, new, policy, workshop), tuple(findings), skipped)


def _comparison(
    old: Prepared,
    new: Prepared,
    explanation: Explanation,
    reuse: Reuse,
    repairs: tuple[RepairStep, ...],
    pricing: Pricing,
    workshop: Workshop,
) -> Comparison:
    before, after, policy = old.prompt, new.prompt, pricing.policy
    tokenizer = workshop.choice(after).tokenizer
    divergence = first_divergence(old.rendering, new.rendering, old.tokens, new.tokens, tokenizer)
    return Comparison(
        before=before.source.name,
        after=after.source.name,
        provider=policy.family,
        policy=policy.id,
        model=pricing.model,
        scope=pricing.scope.value,
        tokens=_counts(old, new, common_prefix(old.tokens.ids, new.tokens.ids), reuse),
        why_reusable=reuse.why,
        notes=tuple(dict.fromkeys((*new.rendering.notes, *markers.notes(after), *reuse.notes, *policy.notes))),
        divergence=_with_shift(divergence, explanation, new),
        place=_place(divergence),
        excerpt=_excerpt(divergence, explanation),
        repairs=repairs,
        cost=pricing.of(repairs[-1].reusable - reuse.tokens) if repairs else None,
    )


def look_at(prompt: Prompt, workshop: Workshop) -> Outcome:
    """One prompt without an earlier version: only the rules that need no second one."""
    policy = workshop.policy(prompt)
    prepared = workshop.prepare(markers.assumed(prompt, policy), policy)
    return Outcome(None, tuple(workshop.findings_on(prepared, policy, Scope.UNKNOWN)))


def _pair(
    old: Prepared, new: Prepared, policy: CachePolicy, scope: Scope, shared: int, explanation: Explanation
) -> Pair:
    return Pair(
        before=old.prompt,
        after=new.prompt,
        components_before=tuple(slot.component for slot in old.rendering.slots),
        components_after=tuple(slot.component for slot in new.rendering.slots),
        ends_before=tuple(old.tokens.slot_ends),
        ends_after=tuple(new.tokens.slot_ends),
        marks_before=old.marks,
        marks_after=new.marks,
        scope=scope,
        policy=policy,
        shared=shared,
        appended=new.rendering.joined and new.rendering.text().startswith(old.rendering.text()),
        explained=tuple((step.rule.code, unit) for step in explanation.steps for unit in step.units()),
    )


def _noted(pair: Pair, workshop: Workshop) -> list[tuple[Rule, Note]]:
    """What the rules on pairs of requests say."""
    return [
        (rule, note)
        for rule in workshop.book.on("pair")
        if applies(rule, pair.policy, pair.scope)
        for note in rule.matcher.notes(pair, rule.params)
    ]


def _repairs(
    found: list[Cause],
    explanation: Explanation,
    old: Prepared,
    new: Prepared,
    policy: CachePolicy,
    workshop: Workshop,
) -> tuple[RepairStep, ...]:
    """What fixing each cause and those before it recovers: the numbers add up, because each starts where one ends."""
    if not found:
        return ()
    steps = explanation.steps
    end = steps[-1].cumulative if steps else common_prefix(old.tokens.ids, new.tokens.ids)
    positions = [cause.position for cause in found[1:]] + [end]
    repaired, settings = new, list(new.prompt.settings)
    repairs = []
    for cause, cumulative in zip(found, positions, strict=True):
        if cause.setting is not None:
            settings = _restored(settings, old.prompt, cause.setting)
        repaired = _after(cause, repaired, settings, policy, workshop)
        repairs.append(
            RepairStep(
                code=cause.rule.code,
                name=cause.rule.name,
                path=cause.path,
                recovers=cumulative - cause.position,
                cumulative=cumulative,
                reusable=reused(old, repaired, policy).tokens,
                token=token_of(cause, old, new),
                excerpt=excerpt_of(cause, steps),
            )
        )
    return tuple(repairs)


def _after(cause: Cause, done: Prepared, settings: list[Setting], policy: CachePolicy, workshop: Workshop) -> Prepared:
    """The later request with one more cause repaired."""
    rendering, tokens = done.rendering, done.tokens
    if cause.step is not None:
        rendering = replace(rendering, slots=cause.step.slots)
        tokens = cause.step.tokens
    marks = workshop.marks(rendering, tokens, done.prompt, policy, settings)
    return Prepared(done.prompt, rendering, tokens, marks)


def _restored(settings: list[Setting], earlier: Prompt, name: str) -> list[Setting]:
    """The settings with one of them (and what lies below it) as the earlier request had it."""

    def named(setting: Setting) -> bool:
        return setting.path == name or setting.path.startswith(f"{name}.")

    return [item for item in settings if not named(item)] + [item for item in earlier.settings if named(item)]


def _findings(
    found: list[Cause],
    repairs: tuple[RepairStep, ...],
    reuse: Reuse,
    pricing: Pricing,
    noted: list[tuple[Rule, Note]],
    later: Prompt,
    policy: CachePolicy,
    scope: Scope,
    workshop: Workshop,
    release: Release | None,
) -> list[Finding]:
    """One finding a cause, in render order; then those of rules on pairs that cost nothing by position."""
    findings = []
    reusable = reuse.tokens
    for cause, repair in zip(found, repairs, strict=True):
        if workshop.reported.holds(cause.rule):
            finding = replace(cause.finding, cost=pricing.of(repair.reusable - reusable))
            findings.append(release.judged(finding, cause, reusable) if release else finding)
        reusable = repair.reusable
    findings += [
        of_note(rule, note, later, policy, scope)
        for rule, note in noted
        if note.level_token is None and workshop.reported.holds(rule)
    ]
    return findings


def _counts(old: Prepared, new: Prepared, shared: int, reuse: Reuse) -> TokenCounts:
    return TokenCounts(
        before=len(old.tokens),
        after=len(new.tokens),
        shared=shared,
        reusable=reuse.tokens,
        reusable_low=reuse.low,
        reusable_high=reuse.high,
        lost=len(new.tokens) - reuse.tokens,
        exact=new.tokens.exact,
        vocabulary=new.tokens.vocabulary,
        reason=new.tokens.reason,
    )


def _with_shift(divergence: Divergence | None, explanation: Explanation, new: Prepared) -> Divergence | None:
    """The shift of what follows the first cause: how much longer it made the prompt."""
    if divergence is None or not explanation.steps:
        return divergence
    return replace(divergence, shift=len(new.tokens) - len(explanation.steps[0].tokens))


def _place(divergence: Divergence | None) -> Place | None:
    if divergence is None:
        return None
    source = divergence.after.component.location.source
    start = source.position(divergence.after.offset)
    end = Position(start.line, start.column + 1, start.utf16 + 1)
    return Place.between(source.name, divergence.after.path, start, end)


def _excerpt(divergence: Divergence | None, explanation: Explanation) -> Excerpt | None:
    if divergence is None:
        return None
    before, after = divergence.before, divergence.after
    hunk = _hunk(before.component, after.component, explanation)
    return around(before.component, before.char, after.component, after.char, hunk)


def _hunk(before: Component, after: Component, explanation: Explanation) -> Hunk | None:
    """What differs between the two components where the prompts part; None where they are no two versions of one."""
    for change in (step.change for step in explanation.steps[:1]):
        if change.component_before is before and change.component_after is after:
            return change.hunk
    alike = before.kind is after.kind and not before.opaque and not after.opaque
    return first_hunk(before.text, after.text) if alike else None
