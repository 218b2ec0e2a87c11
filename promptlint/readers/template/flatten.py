"""A parsed template as the sequence that it renders to: includes read, blocks replaced, macros and variables put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from promptlint.model.source import Source, Span
from promptlint.model.template import Fixed, Names, Region
from promptlint.readers.template import names
from promptlint.readers.template.nodes import Node

_MOST_VISITS = 200_000  # of nodes; an include counts as many
_INCLUDED = 200
_MAX_DEPTH = 25  # of files in files, and of macros in macros
_LINE = 80  # characters before a placeholder that may say what it is
_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\s*\((?P<values>.*)\)\s*$", re.DOTALL)
_SORTED = re.compile(r"\|\s*(?:dict)?sort\b|\bsorted\(|\.sort|(?i:\bsorted_|_sorted\b)|\b[sS]orted[A-Z]")
_ITEM = re.compile(r"(?:this|\.|@(?:key|index|first|last)|loop)(?:[./].*)?$")
_OUTSIDE = ("@root", "../")  # of the item that a block of Handlebars is about

# The name of a file, seen from a source: its nodes and source, or None where it is not there (or not to be read).
Load = Callable[[str, Source], "tuple[list[Node], Source] | None"]


@dataclass(slots=True)
class _Macro:
    params: tuple[str, ...]
    body: list[Node]


@dataclass(slots=True)
class Flat:
    """What a template renders to, message for message."""

    parts: list[Fixed | Region] = field(default_factory=list)
    roles: list[str] = field(default_factory=lambda: [""])
    missing: list[str] = field(default_factory=list)
    cut: bool = False


class Flattener:
    """One template. `load` finds what it includes; `mapping` is the kind of a loop over a mapping in no fixed order."""

    def __init__(self, load: Load, said: Names, mapping: str) -> None:
        self.flat = Flat()
        self._mapping = mapping
        self._load = load
        self._said = said
        self._blocks: dict[str, list[list[Node]]] = {}
        self._macros: dict[str, _Macro] = {}
        self._branches = 0
        self._active: list[str] = []
        self._visits = 0

    def run(self, nodes: Sequence[Node], source: Source) -> Flat:
        self._active.append(source.name)
        self._walk(self._inherited(list(nodes), source), _Scope({}, (), (), False))
        return self.flat

    def _inherited(self, nodes: list[Node], source: Source) -> list[Node]:
        """The nodes of the outermost template, and the blocks that those below it replace."""
        for _ in range(_MAX_DEPTH):
            extends = next((node for node in nodes if node.kind == "extends"), None)
            self._collect(nodes)
            if extends is None:
                return nodes
            loaded = self._loaded(extends, source)
            if loaded is None:
                return nodes
            assigned = [node for node in nodes if node.kind in ("set", "macro", "import")]
            nodes, source = [*assigned, *loaded[0]], loaded[1]
        return nodes

    def _collect(self, nodes: Sequence[Node]) -> None:
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node.kind == "block" and node.names and node.names[0]:
                self._blocks.setdefault(node.names[0], []).append(node.branches[0])
            stack += [each for branch in node.branches for each in branch]

    def _loaded(self, node: Node, source: Source) -> tuple[list[Node], Source] | None:
        found = self._load(node.text, source)
        if found is None:
            self.flat.missing.append(node.text)
        elif found[1].name in self._active or len(self._active) > _MAX_DEPTH:
            return None
        return found

    def _walk(self, nodes: Sequence[Node], scope: _Scope) -> None:
        for node in nodes:
            self._visits += _INCLUDED if node.kind == "include" else 1
            if self._visits > _MOST_VISITS:
                self.flat.cut = True
                return
            getattr(self, f"_{node.kind}")(node, scope)

    def _text(self, node: Node, scope: _Scope) -> None:
        span = node.passage.span(node.start, node.end)
        self.flat.parts.append(Fixed(node.text, node.passage.source, span, scope.within, len(self.flat.roles) - 1))

    def _role(self, node: Node, _: _Scope) -> None:
        self.flat.roles.append(node.text.lower())

    def _hole(self, node: Node, scope: _Scope) -> None:
        call = _CALL.match(names.head(node.text))
        macro = self._macros.get(call["name"]) if call else None
        if call and macro is not None and scope.depth < _MAX_DEPTH:
            values = [value.strip() for value in call["values"].split(",")]
            given = dict(zip(macro.params, values, strict=False)) | dict.fromkeys(macro.params[len(values) :])
            self._walk(macro.body, scope.deeper({**scope.values, **given}))
        elif call and call["name"] == "super" and scope.rest:
            self._walk(scope.rest[0], scope.deeper(scope.values, scope.rest[1:]))
        else:
            self._region("placeholder", node, scope, self._kind(node, scope))

    def _kind(self, node: Node, scope: _Scope) -> str:
        expression = node.text
        root = names.root(expression)
        for _ in range(_MAX_DEPTH):
            if root not in scope.values:
                break
            value = scope.values[root]
            if value is None:
                return ""
            if names.root(value) == root:
                break
            expression = value + expression[len(root) :]
            root = names.root(expression)
        if _ITEM.match(expression) or (scope.item and not expression.startswith(_OUTSIDE)):
            return ""
        return names.kind_of(expression, self._before(node), self._said)

    def _before(self, node: Node) -> str:
        """The text of the line in front of a placeholder."""
        text = node.passage.text
        start = max(text.rfind("\n", 0, node.start) + 1, node.start - _LINE)
        return text[start : node.start]

    def _region(self, form: str, node: Node, scope: _Scope, kind: str) -> None:
        source, span = node.passage.source, node.passage.span(node.start, node.end)
        name = names.head(node.text)
        message = len(self.flat.roles) - 1
        self.flat.parts.append(Region(form, kind, name, source, span, scope.within, message, scope.included))

    def _loop(self, node: Node, scope: _Scope) -> None:
        kind = self._kind(node, scope)
        if node.mapping and kind == "":
            kind = "" if _SORTED.search(node.text) else self._mapping
        section = not node.names  # of Mustache: a loop or a condition, as its value wants it
        if section and any(each.kind == "hole" and each.text == node.text for each in node.branches[0]):
            kind = ""
        self._region("loop", node, scope, kind)
        values = {**scope.values, **dict.fromkeys(node.names)}
        item = scope.item or "this" in node.names or (section and kind != "")
        self._branched(node, scope.inside(values, item=item))

    def _if(self, node: Node, scope: _Scope) -> None:
        self._region("condition", node, scope, "")
        self._branched(node, scope)

    def _branched(self, node: Node, scope: _Scope) -> None:
        for branch in node.branches:
            self._branches += 1
            self._walk(branch, scope.branch(self._branches))

    def _block(self, node: Node, scope: _Scope) -> None:
        chain = self._blocks.get(node.names[0], []) if node.names and node.names[0] else []
        body, *rest = chain or [node.branches[0] if node.branches else []]
        self._walk(body, scope.deeper(scope.values, tuple(rest)) if scope.depth < _MAX_DEPTH else scope)

    def _macro(self, node: Node, _: _Scope) -> None:
        self._macros[node.names[0]] = _Macro(node.names[1:], node.branches[0])

    def _set(self, node: Node, scope: _Scope) -> None:
        for name in node.names:
            scope.values[name] = node.text or None

    def _include(self, node: Node, scope: _Scope) -> None:
        loaded = self._loaded(node, node.passage.source)
        if loaded is None:
            self._region("placeholder", node, scope, "")
            return
        self._active.append(loaded[1].name)
        here = (node.passage.source, node.passage.span(node.start, node.end))
        self._walk(loaded[0], scope.through(here))
        self._active.pop()

    def _import(self, node: Node, _: _Scope) -> None:
        loaded = self._loaded(node, node.passage.source)
        if loaded is None:
            return
        macros = {each.names[0]: _Macro(each.names[1:], each.branches[0]) for each in loaded[0] if each.kind == "macro"}
        if len(node.names) == 1:
            self._macros |= {f"{node.names[0]}.{name}": macro for name, macro in macros.items()}
        else:
            pairs = zip(node.names[::2], node.names[1::2], strict=True)
            self._macros |= {alias: macros[name] for name, alias in pairs if name in macros}

    def _extends(self, node: Node, scope: _Scope) -> None:
        """Done before; one whose file is not there stands for nothing."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """`values`: expressions of variables, None for those of a loop; `rest`: what `super()` stands for."""

    values: dict[str, str | None]
    within: tuple[int, ...]
    included: tuple[tuple[Source, Span], ...]
    item: bool
    rest: tuple[list[Node], ...] = ()
    depth: int = 0

    def inside(self, values: dict[str, str | None], *, item: bool) -> _Scope:
        return _Scope(values, self.within, self.included, item, self.rest, self.depth)

    def branch(self, number: int) -> _Scope:
        return _Scope(self.values, (*self.within, number), self.included, self.item, self.rest, self.depth)

    def deeper(self, values: dict[str, str | None], rest: tuple[list[Node], ...] = ()) -> _Scope:
        return _Scope(values, self.within, self.included, self.item, rest, self.depth + 1)

    def through(self, tag: tuple[Source, Span]) -> _Scope:
        return _Scope(self.values, self.within, (*self.included, tag), False, (), self.depth)
