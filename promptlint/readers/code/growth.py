"""Lists, texts and tables that grow: `append`, `push`, writers, and what several tasks at once put into one list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptlint.readers.code import ir, order, texts
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, dotted, place_of
from promptlint.readers.code.value import NONE, NUMBER, UNKNOWN, Value, text_of

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_SETS = frozenset({"set", "insert"})
_WRITES = frozenset({"Fprintf", "Fprint", "Fprintln"})
_EXECUTES = frozenset({"Execute", "ExecuteTemplate"})  # of Go's templates: the writer first, the data last


def grown(scope: Scope, called: Called) -> Value | None:
    """`list.append(item)`, `parts.system.splice(0, 0, block)`, `out = append(out, item)`."""
    func, words = called.expr.func, scope.catalogue.words
    language = scope.unit.module.language
    if language == "go" and called.args:
        found = _of_go(scope, called)
        if found is not None:
            return found
    if not isinstance(func, ir.Attr):
        return None
    place = place_of(func.of)
    if called.name in _SETS and len(called.args) == 2 and called.receiver.shape in ("map", "table", ""):
        return _put(scope, called, place)
    if called.name == "update" and called.args and place is not None and not called.receiver.unordered:
        value = replace(called.receiver, fields={**called.receiver.fields, **called.args[0].fields})
        scope.engine.store(scope, place, value)
        return UNKNOWN
    if called.name not in words["adds"] or (called.name == "insert" and called.receiver.unordered):
        return None
    first = called.name in ("unshift", "appendleft") or (
        called.name in ("insert", "splice")
        and bool(called.expr.args)
        and scope.unit.source(called.expr.args[0].span) == "0"
    )
    skipped = {"insert": 1, "splice": 2}.get(called.name, 0) if len(called.args) > 1 else 0
    spread = called.name in ("extend", "extendleft") or any(isinstance(arg, ir.Spread) for arg in called.expr.args)
    items = called.args[skipped:]
    longer = order.add(scope, called.receiver, items, spread=spread, first=first)
    longer = _as_finished(scope, func.of, longer, called.expr.span)
    from promptlint.readers.code import sinks

    sinks.at_growth(scope, called, longer, items, first=first)
    if place is not None:
        scope.engine.store(scope, place, longer)
    return NUMBER if called.name == "push" else UNKNOWN


def _put(scope: Scope, called: Called, place: str | None) -> Value:
    """`map.set(key, value)`: keys come in a row where the map keeps their order."""
    item = called.args[1]
    marks = frozenset(
        replace(m, kind="keys", element=False) for m in called.args[0].all_marks() if m.kind == "order" and m.element
    )
    if called.receiver.unordered:
        marks = NONE
    key = called.args[0].text or "*"
    value = replace(
        called.receiver, ref=None, fields={**called.receiver.fields, key: item}, marks=called.receiver.marks | marks
    )
    if place is not None:
        scope.engine.store(scope, place, value)
    return UNKNOWN


def _of_go(scope: Scope, called: Called) -> Value | None:
    """`append`, and functions that write into their first argument."""
    name, args = called.path[-1], called.args
    if called.path == ("append",):
        spread = isinstance(called.expr.args[-1], ir.Spread)
        longer = order.add(scope, args[0], args[1:], spread=spread)
        return _as_finished(scope, called.expr.args[0], longer, called.expr.span)
    if name in _WRITES:
        added = texts.formatted(args[1:]) if name == "Fprintf" else text_of(args[1:])
    elif name in _EXECUTES and len(args) > 1:
        added = Value("text", parts=(Value(marks=args[-1].all_marks()),))
    else:
        return None
    place = place_of(called.expr.args[0])
    if place is not None:
        scope.engine.store(scope, place, texts.lengthened(scope, args[0], added))
    return UNKNOWN


def _as_finished(scope: Scope, target: ir.Expr, value: Value, span: ir.Span) -> Value:
    """What tasks that run at once put into a list of the function around them stands in the order of their ends."""
    if not scope.engine.concurrent or dotted(target)[0] in scope.env:
        return value
    return replace(value, marks=value.marks | {scope.mark("order", span)})
