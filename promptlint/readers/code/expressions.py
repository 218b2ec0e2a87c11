"""Expressions into values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from promptlint.readers.code import ir, moments, order, sinks
from promptlint.readers.code.calls import call, closure_value
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.methods import counted
from promptlint.readers.code.scope import Scope, dotted, place_of
from promptlint.readers.code.value import (
    KEYED,
    NONE,
    NUMBER,
    UNKNOWN,
    Value,
    in_a_row,
    joined,
    list_of,
    literal,
    mapped,
    text_of,
)

_LONGEST_PATH = 4  # fields of fields of an argument that are told apart


def evaluate(scope: Scope, expr: ir.Expr) -> Value:
    scope.engine.steps += 1
    method = _BY_TYPE.get(type(expr)) if scope.engine.steps < scope.engine.most_steps else None
    return method(scope, expr) if method else UNKNOWN


def _lit(scope: Scope, expr: ir.Lit) -> Value:
    return literal(expr.text, (scope.unit.file, expr.span))


def _name(scope: Scope, expr: ir.Name) -> Value:
    found = scope.lookup(expr.name)
    if found is None:
        found = scope.engine.global_value(scope.unit, expr.name)
    if found is None or found is UNKNOWN:
        return named(scope, expr.name, expr.span, found or UNKNOWN)
    return found


def named(scope: Scope, name: str, span: ir.Span, value: Value) -> Value:
    """A value of which nothing is known but its name."""
    kind = scope.catalogue.named(name)
    if kind is None or value.text or value.shape in ("number", "function") or value.all_marks():
        return value
    return replace(value, marks=frozenset({scope.mark(kind, span, name)}))


def _attr(scope: Scope, expr: ir.Attr) -> Value:
    place = place_of(expr)
    kept = scope.lookup(place) if place else None
    if kept is not None:
        return kept
    path = dotted(expr)
    kind = scope.catalogue.constants.find(path)
    if kind:
        return Value(marks=frozenset({scope.mark(kind, expr.span)}))
    if scope.catalogue.sources.find(path[:-1]) == "variable":
        return variable(scope, path[-1], expr.span)
    if expr.name in ("length", "size"):
        return counted(scope, path[-2], expr.span)
    of = scope.eval(expr.of)
    if expr.name in of.fields:
        return of.fields[expr.name]
    if moments.is_clock(of):
        shown = moments.field(scope, of, expr.name, expr.span)
        if shown is not None:
            return shown
    value = _field(scope, of, expr.name)
    if _is_owner(scope, path) and not value.all_marks() - value.marks:
        return replace(value, marks=value.marks | {scope.mark("identity", expr.span)})
    unknown = not any(mark.kind != "param" for mark in value.all_marks())
    if unknown and scope.catalogue.named(expr.name) and value.shape not in ("number", "function", "text"):
        kind = scope.catalogue.named(expr.name)
        assert kind is not None
        return replace(value, marks=value.marks | {scope.mark(kind, expr.span)})
    return value


def _field(scope: Scope, of: Value, name: str) -> Value:
    found = scope.engine.field_of(scope.unit, of, name)
    if of.ref is not None and len(of.ref.path) < _LONGEST_PATH:
        ref = replace(of.ref, path=(*of.ref.path, name))
        base = found if found is not None else UNKNOWN
        return replace(base, ref=ref, marks=base.marks | {ref})
    if found is not None:
        return found
    if of.fields or of.shape == "object":
        return UNKNOWN
    marks = frozenset(mark for mark in of.all_marks() if mark.kind not in ("keys", "counter", "identity"))
    return Value(marks=marks) if marks else UNKNOWN


def _keyed(scope: Scope, of: Value, key: str) -> Value:
    """The value at a key that is written out; what is only known of the table as a whole says nothing of it."""
    if of.ref is not None and len(of.ref.path) < _LONGEST_PATH:
        ref = replace(of.ref, path=(*of.ref.path, KEYED + key))
        return Value(ref=ref, marks=frozenset({ref}))
    return UNKNOWN


def _is_owner(scope: Scope, path: tuple[str, ...]) -> bool:
    patterns = scope.catalogue.patterns
    return (
        len(path) > 1
        and bool(patterns["owners"].fullmatch(snake(path[-2])))
        and bool(patterns["fields"].fullmatch(snake(path[-1])))
    )


def variable(scope: Scope, name: str, span: ir.Span) -> Value:
    """A variable of the environment: some differ from person to person, most are configuration."""
    if scope.catalogue.patterns["variables"].fullmatch(name):
        return Value(marks=frozenset({scope.mark("environment", span)}))
    return UNKNOWN


def _index(scope: Scope, expr: ir.Index) -> Value:
    of = scope.eval(expr.of)
    if scope.catalogue.sources.find(dotted(expr.of)) == "variable" and isinstance(expr.key, ir.Lit):
        return variable(scope, expr.key.text, expr.span)
    if isinstance(expr.key, ir.Lit) and expr.key.text in of.fields:
        return of.fields[expr.key.text]
    if of.unordered or (of.ref is not None and not isinstance(expr.key, ir.Lit)):
        marks = frozenset(mark for mark in scope.eval(expr.key).all_marks() if mark.element or mark.kind == "sample")
        return order.typed(order.inner_type(of.type), scope.catalogue, Value(marks=marks))
    if isinstance(expr.key, ir.Lit):
        value = _keyed(scope, of, expr.key.text)
        return named(scope, expr.key.text, expr.span, value) if value is UNKNOWN else value
    if of.all_marks():
        of = moments.cut(scope, of, expr.key, expr.span)
    if of.shape == "list" and of.parts:
        return joined(of.parts)
    marks = frozenset(mark for mark in of.all_marks() if mark.kind != "keys")
    return Value(of.shape if of.shape == "text" else "", marks=marks)


def _hole(scope: Scope, expr: ir.Hole) -> Value:
    value = order.as_text(scope, scope.eval(expr.value), expr.value.span)
    if expr.spec and moments.is_clock(value):
        kind = moments.of_format("python" if "%" in expr.spec else scope.unit.module.language, expr.spec)
        return moments.reduced(scope, value, kind, expr.span)
    return value


def _text(scope: Scope, expr: ir.Text) -> Value:
    return text_of(order.as_text(scope, scope.eval(part), part.span) for part in expr.parts)


def _binary(scope: Scope, expr: ir.Binary) -> Value:
    left, right = scope.eval(expr.left), scope.eval(expr.right)
    if expr.op == "+":
        return added(scope, left, right)
    if expr.op in ("|", "&", "-", "^") and (left.unordered or right.unordered):
        return Value("set", marks=left.marks | right.marks, site=(scope.unit.file, expr.span), type=left.type)
    if expr.op == "|" and (left.fields or right.fields):
        return Value("table", fields={**left.fields, **right.fields}, marks=left.marks | right.marks)
    return Value(marks=left.all_marks() | right.all_marks())


def added(scope: Scope, left: Value, right: Value) -> Value:
    """`left + right`: lists and texts keep their order, numbers stay numbers."""
    if left.shape == "number" and right.shape in ("", "number"):
        return replace(right, shape="number")
    if "list" in (left.shape, right.shape):
        parts = [part for side in (left, right) for part in (side.parts if side.shape == "list" else (side,))]
        return list_of(
            parts, (left.marks if left.shape == "list" else NONE) | (right.marks if right.shape == "list" else NONE)
        )
    parts = [
        part for side in (left, right) for part in (side.parts if side.shape == "text" and side.parts else (side,))
    ]
    return text_of(parts)


def _either(scope: Scope, expr: ir.Either) -> Value:
    return joined([scope.eval(option) for option in expr.options])


def _sequence(scope: Scope, expr: ir.Sequence) -> Value:
    site = (scope.unit.file, expr.span)
    parts: list[Value] = []
    for item in expr.items:
        value = scope.eval(item)
        if isinstance(item, ir.Spread):
            value = order.rows(scope, value, item.span)
            parts += value.parts if value.parts and not value.marks else (value,)
        else:
            parts.append(value)
    if expr.unordered:
        marks = frozenset(mark for part in parts for mark in part.all_marks())
        return Value("set", marks=marks, site=site)
    value = replace(list_of(parts), site=site)
    sinks.in_list(scope, value)
    return value


def _held(scope: Scope, expr: ir.Held) -> Value:
    assert isinstance(expr.value, Value)
    return expr.value


def _spread(scope: Scope, expr: ir.Spread) -> Value:
    return scope.eval(expr.value)


def _table(scope: Scope, expr: ir.Table) -> Value:
    fields: dict[str, Value] = {}
    marks = NONE
    for number, (key, entry) in enumerate(expr.entries):
        value = scope.eval(entry)
        if isinstance(entry, ir.Spread):
            fields |= value.fields
            marks |= value.marks
        else:
            fields[key if key is not None else f"*{number}"] = value
    role = sinks.role_of(scope, expr)
    if role:
        fields["role"] = literal(role)
    shape = "map" if order.shape_of(expr.type, scope.catalogue) else "table"
    value = Value(shape, fields=fields, marks=marks, type=expr.type, site=(scope.unit.file, expr.span))
    sinks.at_table(scope, expr, value)
    return value


def _comprehension(scope: Scope, expr: ir.Comprehension) -> Value:
    inner = replace_env(scope)
    marks = NONE
    for target, over in expr.loops:
        collection = inner.eval(over)
        item = order.element(inner, collection, over.span)
        scope.engine.assign(inner, target, item, over.span)
        marks |= frozenset(mark for mark in item.marks if mark.element)
    value = in_a_row(inner.eval(expr.element))
    rowed = in_a_row(Value(marks=marks)).marks
    if expr.shape == "set":
        return Value(
            "set", marks=frozenset(m for m in value.all_marks() if m.kind != "order"), site=(scope.unit.file, expr.span)
        )
    if expr.shape == "table":
        keys = mapped(Value(marks=rowed), lambda m: replace(m, kind="keys") if m.kind == "order" else m)
        item = mapped(value, lambda m: None if m.kind == "order" else m)
        return Value("table", fields={"*": item}, marks=keys.marks, site=(scope.unit.file, expr.span))
    return list_of([value], rowed)


def replace_env(scope: Scope) -> Scope:
    """A scope inside this one, whose variables end with it; what it emits and returns is the outer one's."""
    return Scope(
        scope.engine, scope.unit, scope.function, {}, scope, scope.loops, scope.returns, scope.events, scope.frozen
    )


def _closure(scope: Scope, expr: ir.Closure) -> Value:
    return closure_value(expr.function, scope)


def _number(scope: Scope, expr: ir.Number) -> Value:
    return NUMBER


_BY_TYPE: dict[type[ir.Expr], Callable[[Scope, Any], Value]] = {
    ir.Lit: _lit,
    ir.Number: _number,
    ir.Name: _name,
    ir.Attr: _attr,
    ir.Index: _index,
    ir.Hole: _hole,
    ir.Text: _text,
    ir.Binary: _binary,
    ir.Either: _either,
    ir.Sequence: _sequence,
    ir.Spread: _spread,
    ir.Table: _table,
    ir.Comprehension: _comprehension,
    ir.Closure: _closure,
    ir.Call: call,
    ir.Held: _held,
}
