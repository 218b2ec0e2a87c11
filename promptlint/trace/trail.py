"""Prompts as paths in the tree of a log, and caches on its nodes: asking them costs the path, not the prompt's length.

The rules stay those of promptlint/policies; only what they keep prompts in is another (see its prefixes.Store).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from promptlint.policies.structure import Held
from promptlint.trace.tree import Node, Tree

Key = tuple[int, str, str]

_numbers = count(1)  # of salts: no two stores have one in common, so all may put values on one tree


class Trail:
    """The nodes along one prompt, in order. `salts` are (token, number): from that token on the number holds."""

    __slots__ = ("nodes", "salts", "tokens", "tree")

    def __init__(self, tree: Tree, nodes: list[Node], tokens: int, salts: Sequence[tuple[int, int]] = ()) -> None:
        self.tree = tree
        self.nodes = nodes
        self.tokens = tokens
        self.salts = salts

    def __len__(self) -> int:
        return self.tokens

    def salt(self, end: int) -> int:
        """What splits the prefix of `end` tokens off from the same tokens under other settings."""
        found = 0
        for position, number in self.salts:
            if position >= end:
                break
            found = number
        return found

    def salted(self) -> list[tuple[Node, int]]:
        """Each node with the salt of the prefix that ends in it."""
        last, number = self.salts[-1] if self.salts else (-1, 0)
        if self.nodes and last < self.nodes[0].end:  # mostly all of them stand before the first node's end
            return [(node, number) for node in self.nodes]
        return [(node, self.salt(node.end)) for node in self.nodes]


class _Salts:
    """Numbers for combinations of keys."""

    def __init__(self) -> None:
        self._none = next(_numbers)
        self._known: dict[tuple[Key, ...], Sequence[tuple[int, int]]] = {}
        self._combined: dict[tuple[Key, ...], int] = {}

    def salted(self, trail: Trail, keys: Iterable[Key]) -> Trail:
        keys = tuple(keys)
        salts = self._known.get(keys)
        if salts is None:
            salts = self._known[keys] = self._numbered(keys)
        for position, _ in salts:
            if 0 < position < trail.tokens:
                trail.tree.cut(trail.nodes, position)
        return Trail(trail.tree, trail.nodes, trail.tokens, salts)

    def _numbered(self, keys: tuple[Key, ...]) -> Sequence[tuple[int, int]]:
        ordered = sorted(keys)
        salts = [(-1, self._none)]
        for position in sorted({key[0] for key in keys}):
            before = tuple(key for key in ordered if key[0] <= position)
            salts.append((position, self._combined.setdefault(before, next(_numbers))))
        return salts


class TrailStore(_Salts):
    """Prompts, and values for exact prefixes, on the nodes of a tree (promptlint.policies.prefixes.Store)."""

    def add(self, trail: Trail) -> None:
        for node, salt in trail.salted():
            node.passed[salt] = True

    def shared(self, trail: Trail) -> int:
        end = 0
        for node, salt in trail.salted():
            if salt not in node.passed:
                break
            end = node.end
        return end

    def put(self, trail: Trail, end: int, value: Any) -> None:
        trail.tree.cut(trail.nodes, end).ended[trail.salt(end)] = value

    def matching(self, trail: Trail) -> list[tuple[int, Any]]:
        return [(node.end, node.ended[salt]) for node, salt in trail.salted() if salt in node.ended]


class TrailStructure(_Salts):
    """Every prefix until it expires: what promptlint.policies.radix.RadixTree holds without a capacity.

    `ttl` in seconds (None: no expiry) counts from the last use, or from the writing where `refreshed` is false.
    """

    def __init__(self, *, ttl: float | None = None, refreshed: bool = True) -> None:
        super().__init__()
        self._ttl = ttl
        self._refreshed = refreshed

    def match(self, trail: Trail, now: float = 0.0) -> Held:
        live = end = 0
        for node, salt in trail.salted():
            since = node.passed.get(salt)
            if since is None:
                break
            if live == end and self._live(since, now):
                live = node.end
            end = node.end
        if self._ttl is not None and self._refreshed:
            self._use(trail, live, now)
        return Held(live, end - live)

    def request(self, trail: Trail, output: Sequence[int] = (), now: float = 0.0) -> int | None:
        """Keeps a prompt (an output is no part of a log's prompts); what is asked for is `match`."""
        self._use(trail, trail.tokens, now)
        return None

    def _live(self, since: float, now: float) -> bool:
        return self._ttl is None or now - since <= self._ttl

    def _use(self, trail: Trail, end: int, now: float) -> None:
        for node, salt in trail.salted():
            if node.end > end:
                break
            since = node.passed.get(salt)
            if since is None or self._refreshed or not self._live(since, now):
                node.passed[salt] = now
