"""Expressions into values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from promptlint.readers.code import chat_templates, ir, moments, order, places, sinks
from promptlint.readers.code.calls import call, closure_value
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import (
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
        return places.named(scope, expr.name, expr.span, found or UNKNOWN)
    return found


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
    if left.type == chat_templates.TYPE:  # prompt | model
        return left
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
        return replace(right, shape="number", marks=left.marks | right.marks)
    if "list" in (left.shape, right.shape):
        parts = [part for side in (left, right) for part in (side.parts if side.shape == "list" else (side,))]
        return list_of(
            parts, (left.marks if left.shape == "list" else NONE) | (right.marks if right.shape == "list" else NONE)
        )
    plain = [side.shape == "text" and side.parts and not side.marks for side in (left, right)]
    parts = [
        part
        for side, is_plain in zip((left, right), plain, strict=True)
        for part in (side.parts if is_plain else (side,))
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
    ir.Attr: places.attribute,
    ir.Index: places.item,
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
