"""The plots and tables of a replayed log in a terminal: time, positions, caches, groups, sessions, prefixes, sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from promptlint.model.traced import Branch, CurvePoint, Hits, Reconciliation, Session, Traced
from promptlint.reporters.amounts import count, scaled
from promptlint.reporters.excerpt import shortened
from promptlint.reporters.lines import Block, Line, Row, Styled, Table, line
from promptlint.reporters.plots import Measure, bars, clipped, rates, room_for_rates, widened
from promptlint.reporters.trace_words import (
    branch_facts,
    by_field,
    dollars,
    few_bins,
    merged,
    percent,
    shown_rate,
    times,
    warming,
)
from promptlint.reporters.visible import visible

NONE = "(none)"  # a request without the field
_MOST_BINS = 12
_MOST_GROUPS = 10
_MOST_SESSIONS = 5
_NAME = 60  # columns of a name in a table
_MOST_ROWS = 40  # of the tree
_MOST_CHILDREN = 4
_LEAST_LABEL = 16
_MOST_DISAGREEMENTS = 5


def sections(result: Traced, width: int) -> Iterator[Block]:
    """Each with a headline and an empty line behind it; what was not found out is left out."""
    replayed = result.replayed
    yield from _over_time(result, width, replayed)
    yield from _positions(result, width)
    yield from _caches(result)
    yield from _groups(result, replayed)
    yield from _sessions(result, replayed)
    yield from _tree(result, width)
    yield from _curve(result.curve, width)
    yield from _middle(result)
    if result.reconciliation is not None:
        yield from _reconciled(result.reconciliation)


def _headed(text: str, more: str = "") -> Line:
    return line(Styled(text, "bold"), more, hang=2)


def _over_time(result: Traced, width: int, replayed: bool) -> Iterator[Line]:
    if len(result.moments) < 2:
        return
    room = room_for_rates(width)
    moments = merged(result.moments, room)
    whose = "simulated" if replayed else "as reported"
    yield _headed("Hit rate over time", f", {whose}")
    yield from rates(widened([shown_rate(each.hits, replayed) for each in moments], room), times(moments))
    yield line()


def _positions(result: Traced, width: int) -> Iterator[Line]:
    bins = few_bins([each for each in result.bins if each.requests], _MOST_BINS)
    if not bins:
        return
    yield _headed("Where prompts part from the one before", ", and the tokens lost behind that place")
    measures = [
        Measure(f"token {each.start:,} to {each.end:,}", each.lost, (f"{each.lost:,}", f"{each.requests:,}"), "yellow")
        for each in bins
    ]
    yield from bars(measures, width, ("tokens", "requests"))
    yield line()


def _caches(result: Traced) -> Iterator[Block]:
    if not result.caches or not result.replayed:
        return
    rows = tuple(
        Row(
            (
                Styled(each.policy, "bold" if number == 0 else ""),
                Styled(f", {each.capacity}", "dim"),
            ),
            (percent(each.hits.rate), f"{each.hits.read:,}", f"{each.hits.written:,}", dollars(each.hits.cost)),
            each.note,
        )
        for number, each in enumerate(result.caches)
    )
    title = "The same log under other caches" if len(rows) > 1 else "Cache"
    yield Table((title, "hit rate", "read", "written", "cost"), rows)
    yield line()


def _figures(hits: Hits, replayed: bool) -> tuple[str, ...]:
    return (
        f"{hits.requests:,}",
        f"{hits.tokens if replayed else hits.reported_tokens:,}",
        percent(hits.rate) if replayed else "–",
        percent(hits.reported_rate),
        dollars(hits.cost),
    )


_HEAD = ("requests", "tokens", "hit rate", "reported", "cost")


def _groups(result: Traced, replayed: bool) -> Iterator[Block]:
    for field, groups in by_field(result.groups).items():
        rows = [
            Row((Styled(clipped(each.value or NONE, _NAME)),), _figures(each.hits, replayed))
            for each in groups[:_MOST_GROUPS]
        ]
        yield Table((f"By {field}", *_HEAD), tuple(rows))
        if len(groups) > _MOST_GROUPS:
            yield line(Styled(f"… and {len(groups) - _MOST_GROUPS:,} more", "dim"), indent=2)
        yield line()


def worst(sessions: Sequence[Session], replayed: bool, most: int) -> list[Session]:
    """Those that computed most tokens anew, of the sessions with more than one request."""

    def lost(each: Session) -> float:
        return (each.hits.tokens if replayed else each.hits.reported_tokens) * (1 - shown_rate(each.hits, replayed))

    return sorted((each for each in sessions if each.requests > 1), key=lost, reverse=True)[:most]


def _sessions(result: Traced, replayed: bool) -> Iterator[Block]:
    shown = worst(result.sessions, replayed, _MOST_SESSIONS)
    if not shown:
        return
    rows = tuple(
        Row((Styled(clipped(each.name, _NAME)),), _figures(each.hits, replayed), about(each)) for each in shown
    )
    yield Table((f"Worst of {count(len(result.sessions), 'session')}", *_HEAD), rows)
    yield line()


def about(session: Session) -> str:
    """What kind of session it is, where it is no plain one."""
    kind = "" if session.kind == "main" else session.kind
    origin = f"of {session.parent}" if session.parent else ""
    retries = f"{session.retries:,} retried" if session.retries else ""
    return ", ".join(filter(None, (" ".join(filter(None, (kind, origin))), retries)))


def _tree(result: Traced, width: int) -> Iterator[Line]:
    if result.tree is None or not result.tree.requests:
        return
    rows = list(_branch(result.tree, "", "", width - 2))
    yield _headed("Prefixes that requests share", ", in tokens from the first one, and where they part")
    yield from rows[:_MOST_ROWS]
    if len(rows) > _MOST_ROWS:
        yield line(Styled("… the smaller ones are left out", "dim"), indent=2)
    yield line()


def _branch(branch: Branch, stem: str, rest: str, width: int) -> Iterator[Line]:
    """A prefix and those that go on from it; `stem` stands before its first line, `rest` before the others."""
    depth, facts = f"{branch.depth:,}", f" · {branch_facts(branch)}"
    room = max(_LEAST_LABEL, width - len(stem) - len(depth) - len(" to ") - len(facts))
    where = f" to {clipped(visible(branch.label), room)}" if branch.label else ""
    yield line(Styled(stem, "dim"), Styled(depth, "bold"), where, Styled(facts, "dim"), indent=2, wraps=False)
    margin = rest + ("│ " if branch.children else "  ")
    if said := warming(branch):
        yield line(Styled(margin, "dim"), Styled(said, "green"), indent=2, wraps=False)
    if branch.parts:
        parts = shortened(visible(branch.parts), max(_LEAST_LABEL, width - len(margin) - len("part on: ")))
        yield line(Styled(f"{margin}part on: ", "dim"), parts, indent=2, wraps=False)
    shown = branch.children[:_MOST_CHILDREN]
    left = len(branch.children) - len(shown)
    for number, child in enumerate(shown, 1):
        last = number == len(shown) and not left
        yield from _branch(child, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "), width)
    if left:
        yield line(Styled(f"{rest}└ … {left:,} more", "dim"), indent=2, wraps=False)


def _curve(points: Sequence[CurvePoint], width: int) -> Iterator[Line]:
    if len(points) < 2:
        return
    room = min(room_for_rates(width), 60)
    yield _headed("Hit rate against cache size", ", least recently used, by size on a log scale")
    ends = scaled(points[0].tokens, ""), f"{scaled(points[-1].tokens, '')} tokens"
    yield from rates(interpolated(points, room), ends)
    yield line()


def interpolated(points: Sequence[CurvePoint], room: int) -> list[float]:
    """`room` rates at sizes evenly spaced on a log scale, straight lines between the points."""
    low, high = (math.log(max(1, each.tokens)) for each in (points[0], points[-1]))
    found, index = [], 0
    for column in range(room):
        size = low + (high - low) * column / max(1, room - 1)
        while index < len(points) - 2 and math.log(max(1, points[index + 1].tokens)) < size:
            index += 1
        left, right = points[index], points[index + 1]
        start, end = (math.log(max(1, each.tokens)) for each in (left, right))
        share = min(1.0, max(0.0, (size - start) / (end - start))) if end > start else 1.0
        found.append(left.rate + (right.rate - left.rate) * share)
    return found


def _middle(result: Traced) -> Iterator[Line]:
    middle = result.middle
    if middle is None or not middle.tokens:
        return
    yield _headed("Repeated in the middle: ", middle_said(result))
    if middle.reference:
        yield line(Styled(f"See {middle.reference}", "dim"), indent=2, hang=2)
    yield line()


def middle_said(result: Traced) -> str:
    assert result.middle is not None
    tokens, of = result.middle.tokens, result.middle.of
    return (
        f"{count(tokens, 'token')} ({percent(tokens / of)}), not reusable by prefix caching. "
        "Non-prefix methods could at most recover as much; it is no part of the savings above."
    )


def _reconciled(each: Reconciliation) -> Iterator[Block]:
    yield _headed("Predicted against reported: ", reconciled_said(each))
    for name, reasons in reasons_of(each).items():
        yield Table((name, "requests"), tuple(Row((Styled(why),), (f"{n:,}",)) for why, n in reasons.items()))
        yield line()
    for one in each.worst[:_MOST_DISAGREEMENTS]:
        predicted = f"{one.low:,}" if one.low == one.high else f"{one.low:,} to {one.high:,}"
        yield line(
            Styled(f"{one.file}:{one.line}", "bold"),
            f": {predicted} predicted, {one.reported:,} reported{f': {one.why}' if one.why else ''}",
            indent=2,
            hang=2,
        )
    if each.worst or not (each.reasons or each.vendor):
        yield line()


def reasons_of(each: Reconciliation) -> dict[str, Mapping[str, int]]:
    """Why the two differ, and what the provider says of its misses: requests by reason, under a title."""
    own = f"The provider's own reasons ({each.vendor_same:,} of {sum(each.vendor.values()):,} as diagnosed here)"
    return {title: found for title, found in (("They differ because", each.reasons), (own, each.vendor)) if found}


def reconciled_said(each: Reconciliation) -> str:
    return (
        f"{each.agree:,} of {each.requests:,} requests agree; "
        f"{each.predicted:,} tokens predicted, {each.reported:,} reported as cached."
    )
