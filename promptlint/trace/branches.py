"""The tree of shared prefixes as people read it: which requests go on together, where they part, and on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from promptlint.model.common import common_prefix
from promptlint.model.policy import CachePolicy, Marks
from promptlint.model.traced import Branch
from promptlint.trace.library import Library
from promptlint.trace.step import Step
from promptlint.trace.tree import Node, Tree

_LEVELS, _CHILDREN = 6, 8
_LEAST = 64  # tokens of its own that make a branch worth showing
_SESSIONS = 3  # conversations that begin with a prefix make it worth warming
_WIDTH = 24  # characters of the text on which branches part
_KEY = "requests that end here"


@dataclass(slots=True)
class _Here:
    """The requests whose prompt ends in a node. `cold`: what those that opened a conversation read of the cache."""

    marks: Marks
    policy: CachePolicy
    requests: int = 0
    cold: list[int] = field(default_factory=list)
    values: dict[str, set[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Below:
    """All requests that come through a node."""

    here: _Here | None = None
    requests: int = 0
    cold: list[int] = field(default_factory=list)
    values: dict[str, set[str]] = field(default_factory=dict)

    def take(self, other: _Here | _Below) -> None:
        self.requests += other.requests
        self.cold += other.cold
        for name, values in other.values.items():
            mine = self.values.get(name)
            if mine is None or len(mine) < len(values):
                self.values[name], values = set(values) if isinstance(other, _Here) else values, mine or set()
            self.values[name] |= values


class Branches:
    """Collects what ends where; the tree is made at the end."""

    def __init__(self, tree: Tree, library: Library) -> None:
        self._tree = tree
        self._library = library

    def add(self, step: Step, leaf: Node, marks: Marks) -> None:
        here = leaf.ended.get(_KEY)
        if here is None:
            here = leaf.ended[_KEY] = _Here(marks, step.policy)
        here.requests += 1
        if step.relation == "first" and step.reuse is not None:
            here.cold.append(step.reuse.tokens)
        for name, value in (("session", step.session), ("user", step.exchange.user), ("model", step.exchange.model)):
            if value:
                here.values.setdefault(name, set()).add(value)

    def result(self) -> Branch | None:
        """The root, which is token 0; None where no two requests share anything."""
        below = self._below()
        if self._tree.root not in below:
            return None
        root = self._branch(self._tree.root, self._tree.root, below, 0)
        return root if root.children else None

    def _below(self) -> dict[Node, _Below]:
        """Sums from the leaves up, for the nodes that several requests come through or that have further nodes."""
        below: dict[Node, _Below] = {}
        for node in reversed(list(self._tree.nodes())):
            here, mine = node.ended.get(_KEY), below.get(node)
            if mine is None and here is not None and here.requests > 1:
                mine = below[node] = _Below()
            if mine is not None and here is not None:
                mine.take(here)
                mine.here = mine.here or here
            parent = node.parent
            if parent is None:
                continue
            above = below.get(parent)
            if above is None:
                above = below[parent] = _Below()
            if mine is not None:
                above.here = above.here or mine.here
                above.take(_copy(mine) if mine.requests > 1 else mine)
            elif here is not None:
                above.here = above.here or here
                above.take(here)
        return below

    def _branch(self, node: Node, top: Node, below: dict[Node, _Below], level: int) -> Branch:
        """The branch that ends in `node`; `top` is the end of the one before it."""
        mine = below[node]
        children = () if level == _LEVELS else self._children(node, below, level)
        saved = sum(max(0, node.end - read) for read in mine.cold)
        enough = len(mine.cold) >= _SESSIONS and mine.here is not None and node.end >= mine.here.policy.min_tokens
        return Branch(
            depth=node.end,
            tokens=node.end - top.end,
            requests=mine.requests,
            label=_label(mine.here, node.end),
            parts=self._parts(node, below) if node.parent is not None else "",
            values={name: len(values) for name, values in sorted(mine.values.items())},
            warm=bool(enough and node.end >= _LEAST and saved),
            saved=saved if enough else 0,
            children=children,
        )

    def _children(self, node: Node, below: dict[Node, _Below], level: int) -> tuple[Branch, ...]:
        shared = [
            child for child in _ends(node, below) if _requests(child, below) > 1 and child.end - node.end >= _LEAST
        ]
        shared.sort(key=lambda child: (-below[child].requests * (child.end - node.end), child.origin))
        return tuple(self._branch(child, node, below, level + 1) for child in shared[:_CHILDREN])

    def _parts(self, node: Node, below: dict[Node, _Below]) -> str:
        """What stands where the largest branches below part, shortened."""
        children = sorted(node.children.values(), key=lambda child: (-_requests(child, below), child.origin))[:3]
        texts = [self._library.texts[child.chunks[0]] for child in children if child.chunks]
        if len(texts) < 2 or not any(texts):
            return ""
        start = min(common_prefix(texts[0], text) for text in texts[1:])
        start = max(texts[0].rfind(" ", 0, start), texts[0].rfind("\n", 0, start)) + 1
        shown = [" ".join(text[start : start + _WIDTH].split()) or "(end)" for text in texts]
        return " | ".join(dict.fromkeys(shown))


def _requests(node: Node, below: Mapping[Node, _Below]) -> int:
    """Requests that come through a node, which is at least one."""
    return below[node].requests if node in below else 1


def _copy(below: _Below) -> _Below:
    return _Below(below.here, below.requests, below.cold, {name: set(values) for name, values in below.values.items()})


def _ends(node: Node, below: dict[Node, _Below], start: int | None = None) -> Iterator[Node]:
    """Where the branches below a node end: at the next node at which requests part, or end in number.

    Where they part after a few tokens already (`[{"name":"` of differently ordered tools), the parts are branches.
    """
    start = node.end if start is None else start
    for child in node.children.values():
        while only := [one for one in child.children.values() if _requests(one, below) == _requests(child, below)]:
            child = only[0]
        if child.end - start < _LEAST and child.children:
            yield from _ends(child, below, start)
        else:
            yield child


def _label(here: _Here | None, depth: int) -> str:
    """The component in which a prefix ends."""
    if not depth or here is None:
        return ""
    return next((block.path for block in here.marks.blocks if block.end >= depth), "")
