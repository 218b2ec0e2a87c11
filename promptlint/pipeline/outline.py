"""What a drawing of a comparison needs: sections, breakpoints, and where each cause stands with the text around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from promptlint.model.matching import Hunk
from promptlint.model.policy import CachePolicy, Matching
from promptlint.model.prompt import Component
from promptlint.model.report import Boundary, Comparison, Excerpt, Stretch
from promptlint.pipeline.prepare import Prepared, Workshop
from promptlint.pipeline.survival import side_by_side
from promptlint.rulebook.explain import Step
from promptlint.rulebook.findings import Cause

CONTEXT = 40  # characters of prompt text that a report shows on each side


def outlined(
    comparison: Comparison, old: Prepared, new: Prepared, policy: CachePolicy, workshop: Workshop
) -> Comparison:
    """The comparison with what a drawing of it needs; survival under other providers only where it was asked for."""
    return replace(
        comparison,
        sections=sections(new),
        marks=boundaries(old, new, comparison.tokens.shared, policy),
        block=policy.block if policy.matching is Matching.LONGEST_PREFIX else None,
        survival=side_by_side(old, new, policy, workshop) if workshop.options.survival else (),
    )


def sections(prepared: Prepared) -> tuple[Stretch, ...]:
    """Neighbouring slots of one section drawn together."""
    slots = zip(prepared.rendering.slots, prepared.tokens.slot_ends, strict=True)
    found: list[Stretch] = []
    start = 0
    for section, group in groupby(slots, key=lambda item: item[0].component.section):
        end = list(group)[-1][1]
        if end > start:
            found.append(Stretch(section.value, start, end))
        start = end
    return tuple(found)


def boundaries(old: Prepared, new: Prepared, shared: int, policy: CachePolicy) -> tuple[Boundary, ...]:
    """Breakpoints of the later request, and those that the earlier one wrote in what both share."""
    if policy.matching is not Matching.BREAKPOINT:
        return ()
    own, earlier = _breakpoints(new), _breakpoints(old)
    written = {token for token in earlier if token <= shared}  # behind it the earlier request holds something else
    found = {token: f"{label}, of the earlier request" for token, label in earlier.items() if token in written}
    found |= {token: f"{label}{', as in the earlier request' * (token in written)}" for token, label in own.items()}
    return tuple(Boundary(token, found[token]) for token in sorted(found))


def _breakpoints(prepared: Prepared) -> dict[int, str]:
    return {
        block.end: f"{'cache marker' if block.marked is not None else 'implicit breakpoint'} after {block.path}"
        for block in prepared.marks.blocks
        if block.marked is not None or block.eligible
    }


def token_of(cause: Cause, old: Prepared, new: Prepared) -> int:
    """Tokens of the later prompt before a cause, whose own position counts in the earlier one."""
    total = len(new.tokens)
    if cause.finding.tokens_lost is not None:
        return max(0, total - cause.finding.tokens_lost)
    ended = [stretch.name for stretch in sections(old) if stretch.end <= cause.position]
    return max((stretch.end for stretch in sections(new) if stretch.name in ended), default=0)


def excerpt_of(cause: Cause, steps: Sequence[Step]) -> Excerpt | None:
    """Text around the first difference that belongs to a cause; None for a setting, which stands in no text."""
    step = next((each for each in steps if each.rule is cause.rule and each.shared == cause.position), None)
    if cause.step is None or step is None:
        return None
    change = step.change
    first = change.hunk.first if change.hunk else 0
    return around(change.component_before, first, change.component_after, first, change.hunk)


def around(
    before: Component | None, before_char: int, after: Component | None, after_char: int, hunk: Hunk | None
) -> Excerpt:
    """The shared text before a difference, and how each side goes on; a side that has ended has no text.

    `hunk`: what differs there, where the two components are versions of one.
    """
    shared = after.text[max(0, after_char - CONTEXT) : after_char] if after else ""
    return Excerpt(
        shared=shared,
        before=before.text[before_char : before_char + CONTEXT] if before else "",
        after=after.text[after_char : after_char + CONTEXT] if after else "",
        before_differs=min(max(hunk.before.end - before_char, 0), CONTEXT) if hunk else None,
        after_differs=min(max(hunk.after.end - after_char, 0), CONTEXT) if hunk else None,
    )
