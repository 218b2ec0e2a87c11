"""Functions and methods that a language brings along: texts, lists, sorting, JSON, and loops over closures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.readers.code import ir, moments, order, texts
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.scope import Scope, place_of
from promptlint.readers.code.value import (
    NONE,
    NUMBER,
    ORDERS,
    UNKNOWN,
    Value,
    in_a_row,
    joined,
    list_of,
    text_of,
    without,
)

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_MAPS = frozenset({"map", "flatMap", "flat_map", "filter_map", "for_each", "forEach", "then"})
_KEEPS = frozenset({"filter", "slice", "concat", "reverse", "skip", "take", "take_while", "chain", "rev"})
_GETS = frozenset({"get", "get_mut", "pop", "remove", "setdefault", "has", "contains_key", "contains", "__contains__"})
_SETS = frozenset({"set", "insert"})


def builtin(scope: Scope, called: Called) -> Value | None:
    """The value of a call that the catalogue or this module knows; None for any other."""
    for step in (_ordering, _closures, _growth, texts.made, _clock, _collections):
        found = step(scope, called)
        if found is not None:
            return found
    return None


def _ordering(scope: Scope, called: Called) -> Value | None:
    """Sorting, and what has no order to begin with."""
    paths, span = scope.catalogue.paths, called.expr.span
    is_method = isinstance(called.expr.func, ir.Attr)
    if paths["sorts_in_place"].find(called.path):
        value, place = _subject(scope, called)
        result = order.sorted_of(value)
        if place is not None:
            scope.engine.store(scope, place, result)
        return result
    if paths["sorts"].find(called.path):
        values = called.args or [called.receiver]
        return order.sorted_of(values[0])
    if paths["unordered_calls"].find(called.path):
        marks = frozenset(m for value in called.args for m in value.all_marks() if m.kind not in ORDERS)
        shape = "set" if "et" in called.path[-1 if len(called.path) == 1 else -2] else "map"
        return Value(shape, marks=marks, site=(scope.unit.file, span))
    if paths["listings"].find(called.path) and not (
        is_method and called.path[0] == "?" and called.receiver.shape == "text"
    ):
        marks = frozenset({scope.mark("order", span)})
        return Value("list", marks=marks)
    return None


def _subject(scope: Scope, called: Called) -> tuple[Value, str | None]:
    """What a sort works on: the object of a method, or the first argument of a function."""
    func = called.expr.func
    path = scope.catalogue.paths["sorts_in_place"].find(called.path)
    if isinstance(func, ir.Attr) and path and len(called.path) and func.name in scope.catalogue.words["sorts_in_place"]:
        return called.receiver, place_of(func.of)
    if called.expr.args:
        return called.args[0], place_of(_bare(called.expr.args[0]))
    return UNKNOWN, None


def _bare(expr: ir.Expr) -> ir.Expr:
    return expr.value if isinstance(expr, ir.Spread) else expr


def shuffle(scope: Scope, called: Called) -> None:
    """A shuffle in place: the order is now a random one."""
    func, args = called.expr.func, called.expr.args
    subject = args[0] if args else None
    if isinstance(subject, ir.Call) and subject.args:  # rand.Shuffle(len(items), …)
        subject = subject.args[0]
    elif scope.unit.module.language == "rust" and isinstance(func, ir.Attr):
        subject = func.of
    if subject is not None:
        place = place_of(subject)
        if place is not None:
            value = scope.eval(subject)
            mark = scope.mark("sample", called.expr.span)
            scope.engine.store(scope, place, replace(value, ref=None, marks=value.marks | {mark}))


def _closures(scope: Scope, called: Called) -> Value | None:
    """`items.map(f)` and its like, where f is at hand."""
    from promptlint.readers.code.calls import inline

    function = next((arg for arg in called.args if arg.function is not None and isinstance(arg.scope, Scope)), None)
    if function is None or function.function is None or not isinstance(called.expr.func, ir.Attr):
        return None
    owner = function.scope
    assert isinstance(owner, Scope)
    collection = called.receiver
    if called.name in ("reduce", "fold"):
        start = next((arg for arg in called.args if arg.function is None), UNKNOWN)
        item = order.element(scope, collection, called.expr.func.of.span)
        step = inline(scope, owner, function.function, [start, item])
        return in_a_row(joined([step, start]) if step is UNKNOWN else step)
    if called.name not in _MAPS:
        return None
    item = order.element(scope, collection, called.expr.func.of.span)
    result = inline(scope, owner, function.function, [item])
    marks = frozenset(mark for mark in item.marks if mark.element and mark.kind in ("order", "param", "keys"))
    return list_of([in_a_row(result)], in_a_row(Value(marks=marks)).marks)


def _growth(scope: Scope, called: Called) -> Value | None:
    """`list.append(item)`, `parts.system.splice(0, 0, block)`, `out = append(out, item)`."""
    func, words = called.expr.func, scope.catalogue.words
    language = scope.unit.module.language
    if language == "go" and called.path == ("append",) and called.args:
        spread = isinstance(called.expr.args[-1], ir.Spread)
        return order.add(scope, called.args[0], called.args[1:], spread=spread)
    if language == "go" and called.path[-1] in ("Fprintf", "Fprint", "Fprintln") and called.args:
        place = place_of(called.expr.args[0])
        if place is not None:
            added = texts.formatted(called.args[1:]) if called.path[-1] == "Fprintf" else text_of(called.args[1:])
            scope.engine.store(scope, place, texts.lengthened(scope, called.args[0], added))
        return UNKNOWN
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
    grown = order.add(scope, called.receiver, items, spread=spread, first=first)
    from promptlint.readers.code import sinks

    sinks.at_growth(scope, called, grown, items, first=first)
    if place is not None:
        scope.engine.store(scope, place, grown)
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


def _clock(scope: Scope, called: Called) -> Value | None:
    if moments.is_clock(called.receiver):
        shown = moments.method(scope, called.receiver, called.name, called.expr.args, called.expr.span)
        if shown is not None:
            return shown
    if called.name in ("format", "formatDate", "format_date", "formatInTimeZone") and called.args:
        first = called.args[0]
        if moments.is_clock(first):
            texts = called.expr.args[1:]
            if texts:
                shown_as = scope.unit.source(texts[-1].span)
                kind = moments.of_format(scope.unit.module.language, shown_as)
                return moments.reduced(scope, first, kind, called.expr.span)
    if called.name == "split" and moments.is_clock(called.receiver):
        return called.receiver
    return None


def _collections(scope: Scope, called: Called) -> Value | None:
    words, paths, span = scope.catalogue.words, scope.catalogue.paths, called.expr.span
    receiver = called.receiver
    if receiver.unordered and isinstance(called.expr.func, ir.Attr):
        return _on_unordered(scope, called)
    if paths["quiet"].find(called.path) or scope.catalogue.patterns["quiet_names"].fullmatch(snake(called.name)):
        return _count_of(scope, called)
    if called.name == "collect" and called.expr.types:
        if "BTree" in called.expr.types:
            return order.sorted_of(receiver)
        if "Hash" in called.expr.types:
            shape = "set" if "Set" in called.expr.types else "map"
            marks = frozenset(m for m in receiver.all_marks() if m.kind not in ORDERS)
            return Value(shape, marks=marks, site=(scope.unit.file, span))
    if called.name in _GETS and called.args and (receiver.ref is not None or receiver.shape in ("table", "object")):
        if not called.args[0].text:
            return UNKNOWN if receiver.ref is None else None
        return scope.eval(ir.Index(span, ir.Held(span, receiver), ir.Lit(span, called.args[0].text)))
    if called.name in words["items"] and receiver.ref is not None:
        return replace(receiver, shape=receiver.shape)
    if called.name in _KEEPS and isinstance(called.expr.func, ir.Attr):
        return receiver if receiver.all_marks() or receiver.parts else None
    if paths["rows"].find(called.path):
        values = [receiver, *called.args] if isinstance(called.expr.func, ir.Attr) else called.args
        spans = [called.expr.func.of.span] if isinstance(called.expr.func, ir.Attr) else []
        spans += [arg.span for arg in called.expr.args]
        known = [
            each
            for each in zip(values, spans, strict=False)
            if each[0].all_marks() or each[0].unordered or each[0].parts
        ]
        rowed = [order.rows(scope, value, at) for value, at in known]
        return joined(rowed) if rowed else UNKNOWN
    return None


def _count_of(scope: Scope, called: Called) -> Value:
    arg = called.expr.args[0] if called.expr.args else None
    place = place_of(arg) if arg is not None else None
    if place is None or called.name not in ("len", "count", "length", "size"):
        return Value("number")
    return counted(scope, place.rpartition(".")[2], called.expr.span)


def counted(scope: Scope, name: str, span: ir.Span) -> Value:
    """The size of a collection: of a conversation that grows it is a counter."""
    if scope.catalogue.patterns["growing"].fullmatch(snake(name)):
        return Value("number", marks=frozenset({scope.mark("counter", span)}))
    return Value("number")


def _on_unordered(scope: Scope, called: Called) -> Value | None:
    """A method of a set or of a map without an order."""
    words, receiver = scope.catalogue.words, called.receiver
    span = called.expr.span
    if called.name in words["methods"]:
        return Value("set", marks=receiver.marks, site=(scope.unit.file, span), type=receiver.type)
    if called.name in _GETS:
        held = order.inner_type(receiver.type)
        return order.typed(held, scope.catalogue, Value(marks=without(receiver, *ORDERS).marks))
    if called.name in words["items"]:
        return order.rows(scope, receiver, span)
    if scope.catalogue.paths["quiet"].find(called.path):
        return Value("number")
    if scope.catalogue.paths["rows"].find(called.path):
        return receiver
    if called.name in words["adds"] or called.name in ("add", "update", "discard"):
        return UNKNOWN
    return None
