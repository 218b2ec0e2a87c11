"""The list of tools differs: the same tools in another order, or another set of tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.model.matching import Change, FromAfter, FromBefore, Mark, Match, Part, Repair
from promptlint.model.prompt import Component, Kind, Section

FACTS = frozenset({"count", "total", "added", "removed", "changes"})


@dataclass(frozen=True, slots=True)
class Params:
    """`difference`: `order` (tools that both sides have, moved) or `set` (names added or removed)."""

    difference: str


def match(change: Change, params: Params) -> Match | None:
    both = change.component_before, change.component_after
    if not any(map(_tool, both)) or not (
        _ended(change.before, change.at_before) and _ended(change.after, change.at_after)
    ):
        return None
    if both[0] and both[1] and both[0].kind is both[1].kind and both[0].name == both[1].name:
        return None  # the difference is inside a tool
    old, new = _tools(change.before), _tools(change.after)
    old_names = [change.before[index].name for index in old]
    new_names = [change.after[index].name for index in new]
    if params.difference == "order":
        common = Counter(old_names) & Counter(new_names)
        kept_old, kept_new = _kept(change.before, old, common), _kept(change.after, new, common)
        moved = [change.before[index].name for index in kept_old] != [change.after[index].name for index in kept_new]
        return _order(change, kept_old, kept_new) if moved else None
    return _set(change, old, new) if Counter(old_names) != Counter(new_names) else None


def _tool(component: Component | None) -> bool:
    return component is not None and component.kind is Kind.TOOL


def _ended(components: Sequence[Component], at: int) -> bool:
    """Whether a tool stands here or no tool follows: else something else came first that moved the tools."""
    return _tool(components[at] if at < len(components) else None) or not any(map(_tool, components[at:]))


def _tools(components: Sequence[Component]) -> list[int]:
    return [
        index
        for index, component in enumerate(components)
        if component.section is Section.TOOLS and component.kind is Kind.TOOL
    ]


def _kept(components: Sequence[Component], indices: list[int], common: Counter[str]) -> list[int]:
    """The tools that both sides have, as often as both have them."""
    left = Counter(common)
    kept = []
    for index in indices:
        if left[components[index].name] > 0:
            left[components[index].name] -= 1
            kept.append(index)
    return kept


def _order(change: Change, old: list[int], new: list[int]) -> Match:
    """Put the later tools into the earlier order; tools that came or were edited stay for the next look."""
    places: dict[str, list[int]] = {}
    for index in new:
        places.setdefault(change.after[index].name, []).append(index)
    order = [places[change.before[index].name].pop(0) for index in old]
    instead = dict(zip(new, order, strict=True))
    parts: list[Part] = [FromAfter(instead.get(index, index)) for index in range(new[0], new[-1] + 1)]
    moved = [
        index for index, other in zip(new, old, strict=True) if change.after[index].name != change.before[other].name
    ]
    first = moved[0]
    return Match(
        after=all_mark(first, change.after[first]),
        before=all_mark(old[new.index(first)], change.before[old[new.index(first)]]),
        repair=Repair(new[0], new[-1] + 1, tuple(parts)),
        facts=_facts(count=str(len(moved)), total=str(len(new))),
    )


def _set(change: Change, old: list[int], new: list[int]) -> Match:
    """Other names: put the removed ones back where they stood and take the added ones away."""
    surplus = Counter(change.after[index].name for index in new)
    surplus.subtract(Counter(change.before[index].name for index in old))
    added, kept = [], []
    left = Counter({name: count for name, count in surplus.items() if count > 0})
    for index in new:
        name = change.after[index].name
        if left[name] > 0:
            left[name] -= 1
            added.append(index)
        else:
            kept.append(index)
    parts: list[Part] = [FromAfter(index) for index in kept]
    have = Counter(change.after[index].name for index in kept)
    removed = []
    for position, index in enumerate(old):
        name = change.before[index].name
        if have[name] > 0:
            have[name] -= 1
        else:
            removed.append(index)
            parts.insert(position, FromBefore(index))
    mark_after, mark_before = _marks(change, added, removed, new)
    names_added = [change.after[index].name for index in added]
    names_removed = [change.before[index].name for index in removed]
    changes = [
        f"{word} {', '.join(names)}" for word, names in (("added", names_added), ("removed", names_removed)) if names
    ]
    return Match(
        after=mark_after,
        before=mark_before,
        repair=_replace(change, new, parts),
        facts=_facts(
            added=", ".join(names_added), removed=", ".join(names_removed), changes="; ".join(changes),
            total=str(len(new)), count=str(len(added) + len(removed)),
        ),
    )  # fmt: skip


def _marks(change: Change, added: list[int], removed: list[int], new: list[int]) -> tuple[Mark | None, Mark | None]:
    """The first added tool; where none was added, only the place where the first removed one stood."""
    before = all_mark(removed[0], change.before[removed[0]]) if removed else None
    if added:
        return all_mark(added[0], change.after[added[0]]), before
    return None, before


def _replace(change: Change, new: list[int], parts: Sequence[Part]) -> Repair:
    """The tools stand together in cache order; where the later side has none, they go in at the divergence."""
    if not new:
        return Repair(change.at_after, change.at_after, tuple(parts))
    return Repair(new[0], new[-1] + 1, tuple(parts))


def _facts(**facts: str) -> dict[str, str]:
    return {"count": "", "total": "", "added": "", "removed": "", "changes": "", **facts}
