"""What survives of a pair: under the rules that apply to it, and side by side under those of every provider."""

from __future__ import annotations

from dataclasses import replace

from promptlint import policies, providers
from promptlint.model.common import common_prefix
from promptlint.model.policy import CachePolicy, Reuse
from promptlint.model.prompt import Prompt, Section
from promptlint.model.report import Survival
from promptlint.pipeline import markers
from promptlint.pipeline.prepare import Prepared, Workshop

# A later request comes within every cache's lifetime, as the user who asks about this pair means it.
_LATER = 1.0

_Pair = tuple[Prepared, Prepared]


def reused(old: Prepared, new: Prepared, policy: CachePolicy) -> Reuse:
    """What the later request takes from a cache that holds the earlier one: a trace of two requests."""
    cache = policies.cache_for(policy)
    cache.store(old.tokens.ids, old.marks, 0.0)
    return cache.lookup(new.tokens.ids, new.marks, _LATER)


def side_by_side(old: Prepared, new: Prepared, policy: CachePolicy, workshop: Workshop) -> tuple[Survival, ...]:
    """The pair under `policy`, which was chosen for it, then under each other family's, by family name."""
    before, after = _as_read(old.prompt), _as_read(new.prompt)
    rendered: dict[tuple[Section, ...], _Pair] = {}
    if before is old.prompt and after is new.prompt:
        rendered[policy.order] = (old, new)
    found = [_under(policy, old, new)]
    for family in providers.families():
        if family == policy.family:
            continue
        other = _policy(family, after, workshop)
        if other.order not in rendered:  # only another order makes another rendering
            rendered[other.order] = (workshop.prepare(before, other), workshop.prepare(after, other))
        found.append(_under(other, *(_ready(each, other, workshop) for each in rendered[other.order])))
    return tuple(found)


def _as_read(prompt: Prompt) -> Prompt:
    """Without the markers that were assumed under another policy; the same object where none were."""
    if not any(component.breakpoint and component.breakpoint.assumed for component in prompt.components):
        return prompt
    plain = (replace(c, breakpoint=None) if c.breakpoint and c.breakpoint.assumed else c for c in prompt.components)
    return replace(prompt, components=tuple(plain))


def _policy(family: str, prompt: Prompt, workshop: Workshop) -> CachePolicy:
    """The entry of a family that this request would fall under."""
    marked = any(component.breakpoint for component in prompt.components)
    return providers.find(family, prompt.wire, workshop.model(prompt), has_markers=marked)


def _ready(each: Prepared, policy: CachePolicy, workshop: Workshop) -> Prepared:
    """The same tokens with the marks that count under `policy`."""
    own = markers.assumed(each.prompt, policy)
    if own is not each.prompt:
        return workshop.prepare(own, policy)
    marks = workshop.marks(each.rendering, each.tokens, each.prompt, policy)
    return Prepared(each.prompt, each.rendering, each.tokens, marks)


def _under(policy: CachePolicy, old: Prepared, new: Prepared) -> Survival:
    found = reused(old, new, policy)
    return Survival(
        provider=policy.family,
        policy=policy.id,
        shared=common_prefix(old.tokens.ids, new.tokens.ids),
        reusable=found.tokens,
        low=found.low,
        high=found.high,
        after=len(new.tokens),
        why=found.why,
    )
