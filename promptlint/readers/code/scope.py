"""What the interpreter carries along: files, the variables of a function, and what reached a part of a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.readers.code import ir, words
from promptlint.readers.code.catalogue import Catalogue
from promptlint.readers.code.value import Mark, Value

if TYPE_CHECKING:
    from promptlint.readers.code.engine import Engine


@dataclass(slots=True, eq=False)
class Unit:
    """A file that is read. `env` holds what its top level defines, filled when first asked for."""

    file: str
    module: ir.Module
    catalogue: Catalogue
    env: dict[str, Value] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    started: str = ""  # how much of the top level was run
    assigns: dict[str, list[ir.Assign]] = field(default_factory=dict)  # of an imported file, not run yet
    _lands: list[int] | None = None
    _speaks: list[int] | None = None
    _vocabulary: words.Vocabulary | None = None

    def speaks(self, span: ir.Span) -> bool:
        """Whether a function has a word of what changes or of a part of a prompt in it."""
        if self._speaks is None:
            self._speaks = self._spoken()
        return words.holds(self._speaks, span)

    def lands(self, span: ir.Span) -> bool:
        """Whether a function has a word of a part of a prompt in it."""
        if self._lands is None:
            self._lands = self.catalogue.lands.offsets(self.module.data.lower(), self.vocabulary())
        return words.holds(self._lands, span)

    def names(self, span: ir.Span, known: Iterable[bytes]) -> bool:
        """Whether one of these identifiers stands in a span."""
        return any(words.holds(self.vocabulary().offsets(name), span) for name in known)

    def vocabulary(self) -> words.Vocabulary:
        if self._vocabulary is None:
            self._vocabulary = words.Vocabulary(self.module.data)
        return self._vocabulary

    def _spoken(self) -> list[int]:
        data, found, known = self.module.data, self.vocabulary(), self.catalogue.known
        offsets = [self.catalogue.parts.offsets(data.lower(), found)]
        for word in known.keys() & found.names:
            owners = known[word]
            offsets.append([at for at in found.offsets(word) if not owners or words.before(data, at) in owners])
        return words.together(offsets)

    def source(self, span: ir.Span, most: int = 60) -> str:
        """The code at a span on one line."""
        return " ".join(self.module.data[span[0] : min(span[1], span[0] + most)].decode("utf-8", "replace").split())


@dataclass(frozen=True, slots=True)
class Event:
    """A value that becomes a part of a prompt. `call`: by a request, not only by its name; `top`: at the top level.

    `loops` run around the place. `anchor` is the message literal that it stands in, which may turn out to be the last.
    """

    sink: str
    value: Value
    file: str
    span: ir.Span
    target: str
    call: bool = False
    top: bool = False
    loops: tuple[int, ...] = ()
    anchor: tuple[str, ir.Span] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a function gives back, what in it reaches a prompt, and what it leaves in the fields of its object."""

    returns: Value
    events: tuple[Event, ...] = ()
    fields: Mapping[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Scope:
    """A function that is being run. `env` holds variables and dotted places (`self.x`) by name, `spans` where each
    was set last.
    """

    engine: Engine
    unit: Unit
    function: ir.Function | None = None
    env: dict[str, Value] = field(default_factory=dict)
    parent: Scope | None = None
    loops: tuple[int, ...] = ()
    returns: list[Value] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    frozen: bool = False
    spans: dict[str, ir.Span] = field(default_factory=dict)

    @property
    def catalogue(self) -> Catalogue:
        return self.unit.catalogue

    def eval(self, expr: ir.Expr) -> Value:
        return self.engine.eval(self, expr)

    def lookup(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.env:
                return scope.env[name]
            scope = scope.parent
        return None

    def mark(self, kind: str, span: ir.Span, what: str = "", *, element: bool = False) -> Mark:
        return Mark(
            kind,
            self.unit.file,
            span,
            element=element,
            frozen=self.frozen,
            loops=self.loops,
            what=what or self.unit.source(span),
        )

    def emit(
        self, sink: str, value: Value, span: ir.Span, target: str, *, call: bool = False, anchor: ir.Span | None = None
    ) -> None:
        place = (self.unit.file, anchor) if anchor else None
        top = self.function is None and self.frozen
        self.events.append(Event(sink, value, self.unit.file, span, target, call, top, self.loops, place))


def dotted(expr: ir.Expr) -> tuple[str, ...]:
    """`a.b.c` as its steps; a base that is no name is `?`."""
    steps: list[str] = []
    while isinstance(expr, ir.Attr):
        steps.append(expr.name)
        expr = expr.of
    steps.append(expr.name if isinstance(expr, ir.Name) else "?")
    return tuple(reversed(steps))


def place_of(expr: ir.Expr) -> str | None:
    """The name under which a variable or a dotted place is kept; None for anything else."""
    path = dotted(expr)
    return ".".join(path) if path[0] != "?" and isinstance(expr, ir.Name | ir.Attr) else None
