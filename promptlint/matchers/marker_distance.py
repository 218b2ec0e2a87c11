"""The last position that the earlier request wrote, as seen from the markers of the later one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.matchers._requests import one_conversation, units
from promptlint.model.matching import Note, Pair
from promptlint.model.policy import Block, CachePolicy, Matching
from promptlint.model.prompt import Component
from promptlint.model.reach import Reach, latest, limit, positions, reach
from promptlint.model.source import Span

FACTS = frozenset({"blocks", "positions", "lookback", "written", "why"})


@dataclass(frozen=True, slots=True)
class Params:
    """`problem`: `lookback` (a marker stands behind it, but too far) or `unreachable` (none looks there at all)."""

    problem: str


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    policy = pair.policy
    if policy.matching is not Matching.BREAKPOINT or not policy.breakpoints_max or not one_conversation(pair):
        return
    earlier, later = reach(policy, pair.marks_before.blocks), reach(policy, pair.marks_after.blocks)
    written = _last_written(pair, earlier)
    if written is None or later.refused or later.looks.get(written.end, limit(policy) + 1) <= limit(policy):
        return
    blocks = pair.marks_after.blocks
    target = next((index for index, block in enumerate(blocks) if block.end == written.end), None)
    if target is None:
        return  # the same text is cut into other blocks: what is cached there is not marked off any more
    lost = written.end - _read(pair, earlier, later)
    counting = _counting(policy, blocks, later, target)
    if params.problem == "lookback" and counting is not None:
        start, facts = counting
        component = _component(pair, blocks[start].end)
        span = None if component.breakpoint else Span(0, len(component.text))
        yield Note(component=component, span=span, setting=None, facts=facts | _amount(lost), lost=lost)
    elif params.problem == "unreachable" and counting is None:
        component = _component(pair, written.end)
        yield Note(
            component=component,
            span=Span(0, len(component.text)),
            setting=None,
            facts=_unreachable(written, blocks, later) | _amount(lost),
            lost=lost,
        )


def _last_written(pair: Pair, earlier: Reach) -> Block | None:
    """The last block that the earlier request wrote with a marker of its own, if it stands unchanged in the later one.

    None as well where the provider's own breakpoint comes after it: that one moves on as the provider likes.
    """
    blocks = pair.marks_before.blocks
    if not earlier.writes:
        return None
    block = blocks[earlier.writes[-1]]
    if block.marked is None or block.end < pair.policy.min_tokens or block.end > pair.shared:
        return None
    return block


def _read(pair: Pair, earlier: Reach, later: Reach) -> int:
    """Tokens up to the last position that the earlier request wrote and the later one looks at."""
    ends = [pair.marks_before.blocks[index].end for index in earlier.writes]
    most = limit(pair.policy)
    found = [
        end for end in ends if pair.policy.min_tokens <= end <= pair.shared and later.looks.get(end, most + 1) <= most
    ]
    return max(found, default=0)


def _amount(lost: int) -> dict[str, str]:
    return {"lost": f"{lost:,}"}


def _counting(
    policy: CachePolicy, blocks: Sequence[Block], later: Reach, target: int
) -> tuple[int, dict[str, str]] | None:
    """The nearest marker that stands behind the position but too far, and how far; None where none stands there."""
    if policy.lookback_blocks is None:
        own = sorted({*later.marked, *(index for index, block in enumerate(blocks) if block.eligible)})
        if target not in own:
            return None
        back, start = len(own) - own.index(target), own[-1]
        return start, _facts(back, back, policy.lookups_max or 0, blocks[target])
    effective = latest(later.marked, policy.breakpoints_max)
    behind = [index for index in effective if index > target]
    if not behind:
        return None
    run = positions(blocks[target : behind[0] + 1], runs=True)
    return behind[0], _facts(behind[0] - target, run[-1][0] - 1, policy.lookback_blocks, blocks[target])


def _facts(blocks: int, positions: int, lookback: int, written: Block) -> dict[str, str]:
    return {
        "blocks": str(blocks),
        "positions": str(positions),
        "lookback": str(lookback),
        "written": f"{written.end:,}",
        "why": "",
    }


def _unreachable(written: Block, blocks: Sequence[Block], later: Reach) -> dict[str, str]:
    if not later.marked:
        why = "this request has no marker any more"
    elif blocks[later.marked[-1]].end < written.end:
        why = "the last marker of this request stands before it"
    else:
        why = "no marker of this request stands there, and this provider looks nowhere else"
    return {**_facts(0, 0, 0, written), "why": why}


def _component(pair: Pair, end: int) -> Component:
    """The component of the later request that ends, or whose block ends, at a token."""
    unit = next(unit for unit in units(pair.components_after, pair.ends_after) if unit.end == end)
    return unit.marked or unit.last
