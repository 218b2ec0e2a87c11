"""What a chat template's text says: conditions on a message's place from the end, and switches that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from jinja2 import nodes

_FROM_THE_END = frozenset({"last", "revindex", "revindex0"})
_INDICES = _FROM_THE_END | {"index", "index0"}
_KEEP_A_LIST = frozenset({"list", "reverse", "select", "reject", "selectattr", "rejectattr"})
# Flags about thinking; levels, budgets and formats hold no truth value.
_SWITCH = re.compile(r"(?:^|_)(?:think\w*|thoughts?|reason\w*)(?:$|_)")
_NO_FLAG = re.compile(r"(?:effort|budget|level|mode|format|content|token|tokens|start|end|prompt|text)$")
_MOST_SWITCHES = 3


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition at `line` of the tree, what it asks, and the lines of what it decides about (its own included)."""

    line: int
    what: str
    decides: frozenset[int]


def switches(tree: nodes.Template) -> list[str]:
    """Names of flags about thinking that the template takes from its caller."""
    stored = {name.name for name in tree.find_all(nodes.Name) if name.ctx != "load"}
    read = dict.fromkeys(name.name for name in tree.find_all(nodes.Name) if name.ctx == "load")
    named = [name for name in read if name not in stored and _SWITCH.search(name) and not _NO_FLAG.search(name)]
    return named[:_MOST_SWITCHES]


def branches(tree: nodes.Template) -> list[Branch]:
    """Conditions inside a loop over the messages that ask how far a message is from the end."""
    reader = _Reader(tree)
    return list(reader.below(tree, over=False))


class _Reader:
    def __init__(self, tree: nodes.Template) -> None:
        self._lists = {"messages"}
        self._indices: set[str] = set()
        for assign in tree.find_all(nodes.Assign):
            if isinstance(assign.target, nodes.Name) and self._is_messages(assign.node):
                self._lists.add(assign.target.name)
        for assign in tree.find_all(nodes.Assign):
            if _is_namespace(assign.node):
                kept = assign.node.kwargs
                self._indices |= {f"{_key(assign.target)}.{each.key}" for each in kept if self._counts(each.value)}
            elif self._counts(assign.node):
                self._indices.add(_key(assign.target))

    def below(self, node: nodes.Node, *, over: bool) -> Iterator[Branch]:
        """`over`: the innermost loop around the node goes over messages, so that `loop` is its."""
        if isinstance(node, nodes.For):
            inner = self._is_messages(node.iter)
            if inner and node.test is not None:
                yield from self._condition(node.test, node)
            for child in node.body:
                yield from self.below(child, over=inner)
            return
        if over and isinstance(node, (nodes.If, nodes.CondExpr)):
            yield from self._condition(node.test, node)
        for child in node.iter_child_nodes():
            yield from self.below(child, over=over)

    def _condition(self, test: nodes.Node, node: nodes.Node) -> Iterator[Branch]:
        what = self._asks(test)
        if what:
            lines = frozenset(each.lineno for each in node.find_all(nodes.Expr) if each.lineno)
            yield Branch(node.lineno, what, lines | {node.lineno})

    def _asks(self, test: nodes.Node) -> str:
        for each in [test, *test.find_all((nodes.Getattr, nodes.Getitem))]:
            if _of_loop(each, _FROM_THE_END):
                return f"loop.{_attribute(each)}"
        for compare in [test, *test.find_all(nodes.Compare)]:
            if isinstance(compare, nodes.Compare):
                ends = self._index_names(compare)
                here = any(_of_loop(each, _INDICES) for each in _attributes(compare))
                if ends and (here or len(ends) > 1):
                    return ends[-1]
        return ""

    def _index_names(self, node: nodes.Node) -> list[str]:
        """Kept indices and the number of messages, as far as a node reads them."""
        found = [_key(each) for each in node.find_all((nodes.Name, nodes.Getattr)) if _key(each) in self._indices]
        return found + ["messages | length"] * self._has_length(node)

    def _counts(self, node: nodes.Node) -> bool:
        return self._has_length(node) or any(_of_loop(each, _INDICES) for each in _attributes(node))

    def _has_length(self, node: nodes.Node) -> bool:
        filters = [*([node] if isinstance(node, nodes.Filter) else []), *node.find_all(nodes.Filter)]
        return any(
            each.name in ("length", "count") and each.node is not None and self._is_messages(each.node)
            for each in filters
        )

    def _is_messages(self, node: nodes.Node | None) -> bool:
        while True:
            if isinstance(node, nodes.Call) and isinstance(node.node, nodes.EnvironmentAttribute) and node.args:
                node = node.args[0]  # what instrumenting has put around it
            elif _keeps_a_list(node):
                node = node.node
            else:
                return isinstance(node, nodes.Name) and node.name in self._lists


def _keeps_a_list(node: nodes.Node | None) -> TypeGuard[nodes.Filter | nodes.Getitem]:
    if isinstance(node, nodes.Getitem):
        return isinstance(node.arg, nodes.Slice)
    return isinstance(node, nodes.Filter) and node.name in _KEEP_A_LIST


def _is_namespace(node: nodes.Node) -> TypeGuard[nodes.Call]:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "namespace"


def _attributes(node: nodes.Node) -> list[nodes.Node]:
    own = [node] if isinstance(node, (nodes.Getattr, nodes.Getitem)) else []
    return [*own, *node.find_all((nodes.Getattr, nodes.Getitem))]


def _attribute(node: nodes.Node) -> str:
    if isinstance(node, nodes.Getattr):
        return node.attr
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return str(node.arg.value)
    return ""


def _of_loop(node: nodes.Node, names: frozenset[str]) -> bool:
    if not isinstance(node, (nodes.Getattr, nodes.Getitem)):
        return False
    return isinstance(node.node, nodes.Name) and node.node.name == "loop" and _attribute(node) in names


def _key(node: nodes.Node) -> str:
    """A name, or an attribute of one as `a.b`."""
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.NSRef):
        return f"{node.name}.{node.attr}"
    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name):
        return f"{node.node.name}.{node.attr}"
    return ""
