"""Numbers that count: the turns of a loop in which requests are sent, and fields that are added to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.readers.code import ir
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Event, Scope, place_of
from promptlint.readers.code.value import COUNT, TALLY, Mark, Value


def of_turn(scope: Scope, span: ir.Span) -> Value:
    """The number of the turn of the innermost loop."""
    return Value("number", marks=frozenset({scope.mark(COUNT, span)}))


def added_to(scope: Scope, target: ir.Expr, old: Value) -> Value:
    """A number after `+= 1`: of a field that speaks of counting, or of a variable of a loop."""
    place = place_of(target)
    if place is None:
        return old
    name = snake(place.rpartition(".")[2])
    if "." in place and not scope.frozen and scope.catalogue.patterns["counting"].fullmatch(name):
        return replace(old, marks=old.marks | {scope.mark(TALLY, target.span)})
    if "." not in place and scope.loops:
        return replace(old, marks=old.marks | {scope.mark(COUNT, target.span)})
    return old


def begin(scope: Scope, body: Sequence[ir.Stmt]) -> None:
    """Variables that a loop adds to count from its first line on."""
    for stmt in _additions(body):
        place = place_of(stmt.target)
        value = scope.env.get(place) if place else None
        if place and "." not in place and value is not None and value.shape == "number":
            scope.env[place] = added_to(scope, stmt.target, value)


def _additions(body: Sequence[ir.Stmt]) -> Iterator[ir.Assign]:
    for stmt in body:
        if isinstance(stmt, ir.Assign) and stmt.adds:
            yield stmt
        elif isinstance(stmt, ir.Branch):
            for arm in stmt.arms:
                yield from _additions(arm)


def stands_still(mark: Mark, event: Event) -> bool:
    """Whether a number does not change between requests: those of a loop do only where the loop sends them."""
    return mark.kind == COUNT and not (event.call and event.loops[: len(mark.loops)] == mark.loops)
