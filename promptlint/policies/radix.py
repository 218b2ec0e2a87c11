"""A radix tree over pages of token ids: any longest prefix without a capacity, SGLang's leaf eviction with one."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterator, Sequence
from itertools import count

from promptlint.model.common import common_prefix
from promptlint.policies.structure import Held, kept


class _Node:
    """`key`: the ids from the parent to here, whole pages. `used` orders evictions, `stamp` (seconds) ages."""

    __slots__ = ("children", "key", "parent", "stamp", "used")

    def __init__(self, key: array[int], parent: _Node | None, used: int, stamp: float) -> None:
        self.key = key
        self.parent = parent
        self.used = used
        self.stamp = stamp
        self.children: dict[bytes, _Node] = {}


class RadixTree:
    """Sequences in pages of `page` tokens.

    `capacity` in pages (None: unbounded); when it is full, whole leaves go, least recently used first, and a parent
    becomes a leaf with its last child (sglang/srt/mem_cache/radix_cache.py, 0.5.23). `ttl` in seconds (None: no
    expiry) counts from the last use, or from the writing where `refreshed` is false.
    """

    def __init__(
        self, page: int = 1, capacity: int | None = None, *, ttl: float | None = None, refreshed: bool = True
    ) -> None:
        self.page = page
        self.capacity = None if capacity is None else capacity * page
        self.size = 0  # tokens
        self._ttl = ttl
        self._refreshed = refreshed
        self._clock = count(1)
        self._root = _Node(array("I"), None, 0, 0.0)
        self._leaves: list[tuple[int, int, _Node]] = []  # heap; an entry may be out of date, never too late
        self._order = count()

    def match(self, ids: array[int], now: float = 0.0) -> Held:
        """Tokens of `ids` that are held, and those held but expired at `now`. Renews lifetimes, nothing else."""
        live = expired = 0
        for node, same in self._walk(ids):
            if expired or not self._live(node, now):
                expired += same
            else:
                live += same
        if self._ttl is not None and self._refreshed:
            self._descend(ids[:live], now)
        return Held(live, expired)

    def request(self, ids: array[int], output: Sequence[int] = (), now: float = 0.0) -> int | None:
        """Serves one request alone: tokens taken from the cache, None if it can never fit.

        The prompt is stored before the output is generated. Room is made as SGLang does: a prompt asks for a page
        more than it may need, each output token for a page (sglang/srt/mem_cache/allocation.py, 0.5.23).
        """
        sequence = kept(ids, output)
        spare = self.page if self.page > 1 else 0
        if self.capacity is not None and self._pages(len(sequence)) + spare > self.capacity:
            return None
        node, hit = self._descend(ids[: max(0, len(ids) - 1)], now)
        self._make_room(len(ids) - hit + spare, node)
        node = self._insert(ids, now)
        if len(sequence) > len(ids):
            beyond = self._pages(len(sequence) - 1) - self._whole(len(ids))
            self._make_room(beyond + self.page, node)
            self._insert(sequence, now)
        return hit

    def _live(self, node: _Node, now: float) -> bool:
        return self._ttl is None or now - node.stamp <= self._ttl

    def _whole(self, tokens: int) -> int:
        return tokens // self.page * self.page

    def _pages(self, tokens: int) -> int:
        return self._whole(tokens + self.page - 1)

    def _walk(self, ids: array[int]) -> Iterator[tuple[_Node, int]]:
        """The nodes along `ids`, each with the tokens of its key that match (whole pages; at least one)."""
        node, at = self._root, 0
        while child := node.children.get(self._first(ids, at)):
            same = self._whole(common_prefix(child.key, ids[at : at + len(child.key)]))
            yield child, same
            if same < len(child.key):
                return
            node, at = child, at + same

    def _descend(self, ids: array[int], now: float) -> tuple[_Node, int]:
        """Like `_walk`, marking what it passes as used; a node that matches in part is split there."""
        tick = next(self._clock)
        end, total = self._root, 0
        for node, same in list(self._walk(ids)):
            node.used = tick  # SGLang marks the whole node, also the part that splits off below
            end = node if same == len(node.key) else self._split(node, same)
            if self._refreshed or not self._live(end, now):
                end.stamp = now
            total += same
        return end, total

    def _split(self, node: _Node, at: int) -> _Node:
        parent = node.parent
        assert parent is not None
        upper = _Node(node.key[:at], parent, next(self._clock), node.stamp)
        parent.children[self._first(upper.key)] = upper
        node.key, node.parent = node.key[at:], upper
        upper.children[self._first(node.key)] = node
        return upper

    def _insert(self, ids: array[int], now: float) -> _Node:
        whole = ids[: self._whole(len(ids))]
        node, stored = self._descend(whole, now)
        if stored == len(whole):
            return node
        leaf = _Node(whole[stored:], node, next(self._clock), now)
        node.children[self._first(leaf.key)] = leaf
        self.size += len(leaf.key)
        self._push(leaf)
        return leaf

    def _push(self, leaf: _Node) -> None:
        if self.capacity is not None:
            heapq.heappush(self._leaves, (leaf.used, next(self._order), leaf))

    def _make_room(self, tokens: int, keep: _Node) -> None:
        """Evicts until `tokens` are free, never `keep` or what lies above it: that is in use."""
        if self.capacity is None:
            return
        spared = []
        while self.capacity - self.size < tokens and self._leaves:
            used, _, leaf = heapq.heappop(self._leaves)
            if leaf.children or leaf.parent is None:
                continue  # it grew, or is gone
            if leaf is keep:
                spared.append(leaf)
            elif used < leaf.used:
                self._push(leaf)
            else:
                self._remove(leaf)
        for leaf in spared:
            self._push(leaf)

    def _remove(self, leaf: _Node) -> None:
        parent = leaf.parent
        assert parent is not None
        del parent.children[self._first(leaf.key)]
        leaf.parent = None
        self.size -= len(leaf.key)
        if not parent.children and parent is not self._root:
            self._push(parent)

    def _first(self, ids: array[int], at: int = 0) -> bytes:
        return ids[at : at + self.page].tobytes()
