"""All prompts of a log as one tree of tokens, in which every prefix that two of them share is a node.

Edges are lists of chunk numbers, so that the tree's size follows the unique content, and two prompts are compared
chunk by chunk; only where they part are token ids looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import count
from typing import Any

from promptlint.model.common import common_prefix
from promptlint.trace.library import Library


class Node:
    """Tokens `start` to `end` of all prompts that come through here; `end` stays when the node is split.

    `chunks` are those of the edge: the first one from token `skip` of it on, the last one up to its token `stop`.
    `passed` holds what is true of every prefix of the edge and goes to both halves of a split, `ended` what is true
    of the prefix that ends exactly here. Both halves of a split have one `origin`, so that it and a token between
    `start` and `end` name a prefix for good.
    """

    __slots__ = ("children", "chunks", "end", "ended", "origin", "parent", "passed", "skip", "start", "stop")

    def __init__(
        self, parent: Node | None, chunks: array[int], skip: int, stop: int, start: int, end: int, origin: int = 0
    ) -> None:
        self.origin = origin
        self.parent = parent
        self.chunks = chunks
        self.skip = skip
        self.stop = stop
        self.start = start
        self.end = end
        self.children: dict[int, Node] = {}
        self.passed: dict[Any, Any] = {}
        self.ended: dict[Any, Any] = {}


class Tree:
    """Prompts as lists of chunks of one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.root = Node(None, array("I"), 0, 0, 0, 0)
        self._origins = count(1)

    def add(self, chunks: array[int], tokens: int) -> tuple[list[Node], int]:
        """The nodes along a prompt of `tokens` tokens, and how many of them an earlier prompt begins with."""
        ids = self._library.ids
        node, at, skip = self.root, 0, 0
        nodes: list[Node] = []
        while at < len(chunks):
            child = node.children.get(ids[chunks[at]][skip])
            if child is None:
                stop, origin = self._library.sizes[chunks[-1]], next(self._origins)
                leaf = Node(node, chunks[at:], skip, stop, node.end, tokens, origin)
                node.children[ids[chunks[at]][skip]] = leaf
                return [*nodes, leaf], node.end
            same, at, skip = self._along(child, chunks, at, skip)
            node = child if same == child.end - child.start else self._split(child, same)
            nodes.append(node)
        return nodes, tokens

    def cut(self, nodes: list[Node], end: int) -> Node:
        """The node of a prompt's path that ends after `end` tokens; it is made, and put into the path, if need be."""
        for index, node in enumerate(nodes):
            if node.end == end:
                return node
            if node.end > end:
                upper = self._split(node, end - node.start)
                nodes.insert(index, upper)
                return upper
        raise ValueError(f"the prompt has no token {end}")

    def _along(self, child: Node, chunks: array[int], at: int, skip: int) -> tuple[int, int, int]:
        """Tokens of the child's edge that a prompt has from `at`, `skip` on, and where in the prompt they end."""
        sizes, edge = self._library.sizes, child.chunks
        if len(edge) == 1 and (found := self._within(child, chunks[at], at, skip)) is not None:
            return found
        if skip != child.skip:
            return self._by_tokens(child, chunks, at, skip, 0)
        same = common_prefix(edge, chunks[at : at + len(edge)])
        if same == len(edge):
            if child.stop < sizes[edge[-1]]:
                return child.end - child.start, at + same - 1, child.stop
            return child.end - child.start, at + same, 0
        if at + same == len(chunks):
            return self._library.length(edge[:same]) - skip, len(chunks), 0
        return self._by_tokens(child, chunks, at, skip, same)

    def _within(self, child: Node, chunk: int, at: int, skip: int) -> tuple[int, int, int] | None:
        """The same where one chunk of the prompt tells it all."""
        ids = self._library.ids
        theirs = ids[child.chunks[0]][child.skip : child.stop]
        ours = ids[chunk][skip : skip + len(theirs)]
        same = len(theirs) if ours == theirs else common_prefix(ours, theirs)
        if len(theirs) < child.end - child.start or same == len(ours) < len(theirs):
            return None
        end = skip + same
        return (same, at + 1, 0) if end == self._library.sizes[chunk] else (same, at, end)

    def _by_tokens(self, child: Node, chunks: array[int], at: int, skip: int, same: int) -> tuple[int, int, int]:
        """The same, where the first `same` chunks of both are equal and then ids have to be compared."""
        library, edge = self._library, child.chunks
        done = library.length(edge[:same]) - (child.skip if same else 0)
        ours, theirs = _Ids(library, chunks, at + same, 0 if same else skip), _Ids(library, edge, same, 0)
        theirs.skip(0 if same else child.skip)
        left = child.end - child.start - done
        shared = 0
        while shared < left:
            mine, other = ours.run(), theirs.run()
            length = min(len(mine), len(other), left - shared)
            if not length:
                break
            equal = common_prefix(mine[:length], other[:length])
            shared += equal
            ours.skip(equal)
            theirs.skip(equal)
            if equal < length:
                break
        return done + shared, ours.at, ours.offset

    def _split(self, node: Node, tokens: int) -> Node:
        """Puts a node above `node` that takes the first `tokens` tokens of its edge."""
        sizes, parent = self._library.sizes, node.parent
        assert parent is not None and 0 < tokens < node.end - node.start
        index, left = 0, tokens + node.skip
        while left > sizes[node.chunks[index]]:
            left -= sizes[node.chunks[index]]
            index += 1
        upper = Node(parent, node.chunks[: index + 1], node.skip, left, node.start, node.start + tokens, node.origin)
        upper.passed = {key: value.copy() if hasattr(value, "copy") else value for key, value in node.passed.items()}
        whole = left == sizes[node.chunks[index]]
        first = self._library.ids[node.chunks[0]][node.skip]
        node.chunks = node.chunks[index + 1 :] if whole else node.chunks[index:]
        node.skip = 0 if whole else left
        node.parent, node.start = upper, upper.end
        parent.children[first] = upper
        upper.children[self._library.ids[node.chunks[0]][node.skip]] = node
        return upper

    def nodes(self) -> Iterator[Node]:
        """Every node, parents first."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())


class _Ids:
    """A place in a list of chunks, from which runs of ids are read."""

    def __init__(self, library: Library, chunks: array[int], at: int, offset: int) -> None:
        self._library, self._chunks = library, chunks
        self.at, self.offset = at, offset

    def run(self) -> array[int]:
        """The ids of the rest of the chunk; empty at the end."""
        return self._library.ids[self._chunks[self.at]][self.offset :] if self.at < len(self._chunks) else array("I")

    def skip(self, tokens: int) -> None:
        self.offset += tokens
        if self.at < len(self._chunks) and self.offset == self._library.sizes[self._chunks[self.at]]:
            self.at, self.offset = self.at + 1, 0
