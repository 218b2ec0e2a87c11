"""The tree of prompts against plain lists of ids: every shared prefix is found to the token."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.common import common_prefix
from promptlint.trace.library import Library
from promptlint.trace.tree import Node, Tree

# Few ids and short chunks, so that edges are split inside chunks and chunks of other lengths meet.
PROMPTS = st.lists(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=6), max_size=20)


def chunked(library: Library, pieces: list[list[int]]) -> array[int]:
    return array("I", [library.run(array("I", piece))[0] for piece in pieces])


def held(library: Library, node: Node) -> list[int]:
    """The ids from the root to the end of a node."""
    before = held(library, node.parent) if node.parent else []
    flat = list(library.flat(node.chunks))[node.skip :]
    return before + flat[: node.end - node.start]


@given(PROMPTS, st.data())
def test_shared_prefixes_are_those_of_the_ids(prompts: list[list[list[int]]], data: st.DataObject) -> None:
    library = Library()
    tree = Tree(library)
    earlier: list[array[int]] = []
    leaves = []
    for pieces in prompts:
        ids = array("I", [one for piece in pieces for one in piece])
        nodes, shared = tree.add(chunked(library, pieces), len(ids))
        assert shared == max((common_prefix(ids, other) for other in earlier), default=0)
        assert [node.end for node in nodes] == sorted({node.end for node in nodes})
        end = data.draw(st.integers(1, len(ids)))
        assert tree.cut(nodes, end).end == end
        assert end in [node.end for node in nodes]
        earlier.append(ids)
        leaves.append(nodes[-1])
    for ids, leaf in zip(earlier, leaves, strict=True):
        assert held(library, leaf) == list(ids)
    for node in tree.nodes():
        assert node.parent is None or node.parent.end == node.start
