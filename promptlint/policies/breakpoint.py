"""Caches with breakpoints: a prefix hits only where an earlier request wrote and where this one looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass

from promptlint.model.policy import Block, CachePolicy, Marks, Reuse
from promptlint.model.reach import Reach, limit, reach
from promptlint.policies.prefixes import ArrayStore, Store
from promptlint.policies.wording import bounds, duration


@dataclass(slots=True)
class _Entry:
    """A written prefix. `since`: start (seconds) of the request that wrote it or, with `read`, used it last."""

    since: float
    lifetime: int
    read: bool = False

    def alive(self, time: float) -> bool:
        return time - self.since <= self.lifetime


@dataclass(slots=True)
class _Request:
    """One request as this cache sees it.

    `matches`: its prefixes that were written, with their entries. `writes`: (tokens, lifetime) of each breakpoint it
    writes. `reach`: for the end of each block, how many positions before a breakpoint it lies, that one counted.
    `refused`: why the provider refuses the request.
    """

    ids: Sized
    matches: Sequence[tuple[int, _Entry]]
    writes: tuple[tuple[int, int], ...]
    reach: Mapping[int, int]
    refused: str
    exact: bool


class BreakpointCache:
    """Anthropic, Bedrock, Qwen's explicit cache, OpenAI from GPT-5.6 on.

    `lookup` changes nothing; `store` writes the request's breakpoints and refreshes the entry that it read.
    """

    def __init__(self, policy: CachePolicy, store: Store | None = None) -> None:
        self._policy = policy
        self._limit = limit(policy)
        self._store: Store = ArrayStore() if store is None else store
        self._last_refused = ""
        self._asked: tuple[Sized, Marks, _Request] | None = None  # what is looked up is most often stored next
        self._reached: tuple[Sequence[Block], Reach] = ((), reach(policy, ()))  # of the latest request

    def store(self, ids: Sized, marks: Marks, time: float) -> None:
        request = self._request(ids, marks)
        self._last_refused = request.refused
        used = _longest(self._in_reach(request, time), self._policy.min_tokens)
        stored = dict(request.matches)
        if used and self._policy.ttl_refreshed:
            stored[used].since, stored[used].read = time, True
        for end, lifetime in request.writes:
            entry = stored.get(end)
            if entry is None or not entry.alive(time):
                self._store.put(request.ids, end, _Entry(time, lifetime))
            elif self._policy.ttl_refreshed:
                entry.since, entry.lifetime = time, max(entry.lifetime, lifetime)
        self._store.add(request.ids)
        self._asked = None

    def lookup(self, ids: Sized, marks: Marks, time: float) -> Reuse:
        policy = self._policy
        request = self._request(ids, marks)
        least, greatest = bounds(policy.min_tokens, policy.min_tokens_high, request.exact)
        found = self._in_reach(request, time)
        tokens = _longest(found, policy.min_tokens)
        low = _longest(found, greatest)
        high = _longest(found, least, expired=policy.ttl_minimum)
        last = max((end for end, _ in request.writes if end >= policy.min_tokens), default=0)
        return Reuse(
            tokens=tokens,
            why=self._why(request, tokens, time),
            low=low,
            high=high,
            written=max(0, last - tokens),
            notes=self._notes(request, found, low, high),
            expired=_longest(found, policy.min_tokens, expired=True) - tokens,
        )

    def _request(self, ids: Sized, marks: Marks) -> _Request:
        if self._asked is not None and self._asked[0] is ids and self._asked[1] is marks:
            return self._asked[2]
        policy = self._policy
        found = self._reach(marks.blocks)
        refused = f"{len(found.marked)} cache markers, this provider takes {policy.breakpoints_max} and refuses more"
        salted = self._store.salted(ids, marks.keys)
        request = _Request(
            ids=salted,
            matches=self._store.matching(salted),
            writes=tuple(
                (block.end, _lifetime(block, policy)) for block in map(marks.blocks.__getitem__, found.writes)
            ),
            reach=found.looks,
            refused=refused if found.refused else "",
            exact=marks.exact,
        )
        self._asked = (ids, marks, request)
        return request

    def _reach(self, blocks: Sequence[Block]) -> Reach:
        """What lies behind the last breakpoint changes nothing, and what lies before it is mostly what it was."""
        last = len(blocks)
        while last and blocks[last - 1].marked is None and not blocks[last - 1].eligible:
            last -= 1
        if self._reached[0] != blocks[:last]:
            self._reached = blocks[:last], reach(self._policy, blocks[:last])
        return self._reached[1]

    def _in_reach(self, request: _Request, time: float) -> list[tuple[int, bool]]:
        """The written prefixes that the request looks at, shortest first, each with whether it is alive."""
        looks, most = request.reach, self._limit
        return [(end, entry.alive(time)) for end, entry in request.matches if looks.get(end, math.inf) <= most]

    def _why(self, request: _Request, tokens: int, time: float) -> str:
        matches = request.matches
        shared = self._store.shared(request.ids)
        if request.refused:
            return f"this request has {request.refused}"
        if matches and matches[-1][0] > tokens:
            end, entry = matches[-1]
            reason = self._missed(request, end, entry, time)
            return f"{tokens:,} of {shared:,} shared: {reason}" if tokens else reason
        if tokens == shared and tokens:
            return f"{shared:,} shared, all of them up to a written breakpoint"
        if tokens:
            return f"{shared:,} shared, {tokens:,} up to the last breakpoint written before token {shared:,}"
        if self._last_refused:
            return f"the earlier request has {self._last_refused}: nothing was written"
        return f"no breakpoint was written before token {shared:,}"

    def _missed(self, request: _Request, end: int, entry: _Entry, time: float) -> str:
        """Why the entry of `end` tokens, whose prefix this request shares, does not count."""
        policy = self._policy
        place = f"the last written breakpoint (token {end:,})"
        if end < policy.min_tokens:
            return f"{place} is below this model's {policy.min_tokens:,}"
        if not request.reach:
            return "this request has no cache marker, so nothing is looked up"
        if end not in request.reach and policy.lookback_blocks is None:
            return f"{place} is no breakpoint of this request, and this provider looks nowhere else"
        if end not in request.reach:
            behind = end > max(request.reach)
            return f"{place} lies behind the last marker of this request" if behind else f"{place} ends no block here"
        back = request.reach[end]
        if back > self._limit:
            return f"{place} lies {back} positions back, this provider looks back {policy.lookback_blocks}"
        verb = "last used" if entry.read else "written"
        return f"the entry {verb} {duration(time - entry.since)} ago expired after {duration(entry.lifetime)}"

    def _notes(self, request: _Request, found: Sequence[tuple[int, bool]], low: int, high: int) -> tuple[str, ...]:
        notes = []
        minimum = self._policy.min_tokens
        if low != _longest(found, bounds(minimum, None, request.exact)[0]):
            counts = "" if request.exact else ", token counts are estimates"
            notes.append(f"near this model's minimum of {minimum:,}{counts}: {low:,} to {high:,} tokens are reusable")
        if high > _longest(found, 0):
            lifetime = duration(self._policy.ttl_default or 0)
            notes.append(f"{lifetime} is the shortest lifetime here: up to {high:,} tokens may still be there")
        return tuple(notes)


def _longest(found: Sequence[tuple[int, bool]], minimum: int, *, expired: bool = False) -> int:
    """Tokens of the longest prefix (tokens, alive) that is long enough and alive, or `expired` all the same."""
    for end, alive in reversed(found):
        if end < minimum:
            break
        if alive or expired:
            return end
    return 0


def _lifetime(block: Block, policy: CachePolicy) -> int:
    return (policy.ttl_default or 0) if block.marked is None else block.marked
