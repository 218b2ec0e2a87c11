"""Statements, run in the order in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from promptlint.readers.code import counters, ir, order, replay, sinks
from promptlint.readers.code.calls import closure_value
from promptlint.readers.code.expressions import added
from promptlint.readers.code.places import named
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, place_of
from promptlint.readers.code.value import UNKNOWN, Hop, Value, in_a_row, joined, list_of, via


def run(scope: Scope, body: Sequence[ir.Stmt]) -> None:
    for stmt in body:
        method = _BY_TYPE.get(type(stmt))
        if method:
            method(scope, stmt)


def _assign(scope: Scope, stmt: ir.Assign) -> None:
    if stmt.value is None:
        place = place_of(stmt.target)
        if place and stmt.type:
            store(scope, place, order.typed(stmt.type, scope.catalogue), stmt.span)
        return
    value = scope.eval(stmt.value)
    if stmt.type:
        value = order.typed(stmt.type, scope.catalogue, value)
        if order.shape_of(stmt.type, scope.catalogue) and value.site is None:
            value = replace(value, site=(scope.unit.file, stmt.span))
    if stmt.adds:
        value = _grown(scope, stmt.target, value)
    assign(scope, stmt.target, value, stmt.span)
    if any(start <= stmt.span[0] < end for start, end in scope.unit.module.marked):
        place = place_of(stmt.target) or "a prompt"
        scope.emit("system", value, stmt.span, place)


def _grown(scope: Scope, target: ir.Expr, more: Value) -> Value:
    """`a += b`."""
    old = scope.eval(target)
    if old.shape == "number":
        return counters.added_to(scope, target, old)
    if old.unordered or old.fields:
        return order.add(scope, old, [more]) if old.unordered else old
    more = (
        in_a_row(order.rows(scope, more, more.site[1] if more.site else (0, 0)))
        if old.shape == "list"
        else in_a_row(more)
    )
    return added(scope, old, more)


def assign(scope: Scope, target: ir.Expr, value: Value, span: ir.Span) -> None:
    """A value into a variable, a field, an item, or a pattern that takes it apart."""
    place = place_of(target)
    if place is not None:
        if isinstance(target, ir.Name):
            value = named(scope, target.name, target.span, value)
        if value.all_marks():
            value = via(value, Hop(f"assigned to {place}", scope.unit.file, span))
        store(scope, place, value, span)
    elif isinstance(target, ir.Sequence):
        for index, each in enumerate(target.items):
            known = value.shape == "list" and len(value.parts) == len(target.items) and not value.marks
            assign(scope, each, value.parts[index] if known else _part(value), span)
    elif isinstance(target, ir.Table):
        for key, each in target.entries:
            assign(scope, each, scope.engine.member(scope, value, key or "", each.span), span)
    elif isinstance(target, ir.Spread):
        assign(scope, target.value, value, span)
    elif isinstance(target, ir.Index):
        _assign_item(scope, target, value, span)


def _part(value: Value) -> Value:
    """One of several that a value holds, which one is not known."""
    if value.shape == "list" and value.parts:
        return joined(value.parts[:20])
    return replace(value, ref=None) if value.all_marks() or value.type else UNKNOWN


def _assign_item(scope: Scope, target: ir.Index, value: Value, span: ir.Span) -> None:
    """`table[key] = value`: a table keeps the order in which its keys came, an unordered map has none."""
    place = place_of(target.of)
    if place is None:
        return
    old = scope.eval(target.of)
    key = scope.eval(target.key)
    name = target.key.text if isinstance(target.key, ir.Lit) else "*"
    marks = old.marks
    if not old.unordered and old.shape != "list":
        keyed = (m for m in key.all_marks() if m.element and m.kind in ("order", "param"))
        marks |= frozenset(replace(m, kind="keys" if m.kind == "order" else m.kind, element=False) for m in keyed)
        value = replace(value, marks=frozenset(m for m in value.marks if m.kind != "order" or not m.element))
    shape = old.shape or "table"
    if old.shape == "list":
        store(scope, place, replace(old, marks=marks | value.all_marks()), span)
        return
    if isinstance(target.key, ir.Lit):
        replay.at_item(scope, name, value, span)
        part = scope.catalogue.sink("arguments" if _is_body(scope, old, name) else "always", name)
        if part and (value.all_marks() or value.unordered):
            sinks.part_set(scope, part, value, span, f"{place}[{name!r}]")
    store(scope, place, replace(old, ref=None, shape=shape, fields={**old.fields, name: value}, marks=marks), span)


def _is_body(scope: Scope, table: Value, key: str) -> bool:
    keys = {name for name in (*table.fields, key) if scope.catalogue.patterns["keys"].fullmatch(name)}
    return bool({"model", "messages"} & keys) and len(keys) > 1


def store(scope: Scope, place: str, value: Value, span: ir.Span | None = None) -> None:
    """Into the variable of that name: of this function, or of one around it that has it."""
    holder: Scope | None = scope
    while holder is not None and place not in holder.env:
        holder = holder.parent
    holder = holder or scope
    if holder.function is None and holder is not scope and scope.function is not None:
        holder = scope  # what a function does to the top level is not followed
    holder.env[place] = value
    if span is not None:
        holder.spans[place] = span
    prefix = f"{place}."
    for stale in [name for name in holder.env if name.startswith(prefix)]:
        del holder.env[stale]


def _do(scope: Scope, stmt: ir.Do) -> None:
    scope.eval(stmt.value)


def _return(scope: Scope, stmt: ir.Return) -> None:
    value = scope.eval(stmt.value)
    if stmt.yields:
        value = list_of([in_a_row(value)])
    scope.returns.append(value)


def _loop(scope: Scope, stmt: ir.Loop) -> None:
    outer = scope.loops
    scope.loops = (*outer, stmt.span[0])
    with replay.going_through(scope, stmt.over, stmt.target):
        if stmt.over is not None and stmt.target is not None:
            _take_item(scope, stmt.target, stmt.over)
        counters.begin(scope, stmt.body)
        run(scope, stmt.body)
    scope.loops = outer


def _take_item(scope: Scope, target: ir.Expr, over: ir.Expr) -> None:
    """What a loop works on in one turn."""
    called = over.func.name if isinstance(over, ir.Call) and isinstance(over.func, ir.Name) else ""
    if called == ir.RANGE:
        assign(scope, target, counters.of_turn(scope, target.span), over.span)
        return
    pair = target.items if isinstance(target, ir.Sequence) else ()
    if called == "enumerate" and isinstance(over, ir.Call) and over.args and len(pair) == 2:
        assign(scope, pair[0], counters.of_turn(scope, pair[0].span), over.span)
        target, over = pair[1], over.args[0]
    if called == "zip" and isinstance(over, ir.Call) and len(pair) == len(over.args):
        for each, collection in zip(pair, over.args, strict=True):
            assign(scope, each, order.element(scope, scope.eval(collection), collection.span), collection.span)
        return
    assign(scope, target, order.element(scope, scope.eval(over), over.span), over.span)


def _branch(scope: Scope, stmt: ir.Branch) -> None:
    was_frozen = scope.frozen
    if stmt.main:
        scope.frozen = False
    before = scope.env
    ends: list[dict[str, Value]] = []
    for arm in stmt.arms:
        scope.env = dict(before)
        run(scope, arm)
        ends.append(scope.env)
    if not stmt.exhaustive:
        ends.append(before)
    changed = dict.fromkeys(name for end in ends for name, value in end.items() if before.get(name) is not value)
    merged = {name: joined(end[name] for end in ends if name in end) for name in changed}
    before.update(merged)
    scope.env = before
    scope.frozen = was_frozen


def _define(scope: Scope, stmt: ir.Define) -> None:
    if stmt.function.name:
        scope.env[stmt.function.name] = closure_value(stmt.function, scope)


_BY_TYPE: dict[type[ir.Stmt], Callable[[Scope, Any], None]] = {
    ir.Assign: _assign,
    ir.Do: _do,
    ir.Return: _return,
    ir.Loop: _loop,
    ir.Branch: _branch,
    ir.Define: _define,
}
