"""Functions and methods that a language brings along: texts, lists, sorting, JSON, and loops over closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptlint.readers.code import chat_templates, growth, ir, moments, order, replay, texts
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, place_of
from promptlint.readers.code.value import (
    COUNT,
    ORDERS,
    TALLY,
    UNKNOWN,
    Value,
    in_a_row,
    joined,
    list_of,
    without,
)

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_MAPS = frozenset({"map", "flatMap", "flat_map", "filter_map", "for_each", "forEach", "then"})
_NUMBERS = frozenset({"clock", "random", "counter", COUNT, TALLY, "param"})
_ASIDE = frozenset({"Go"})  # runs a closure beside others (errgroup)
_KEEPS = frozenset({"filter", "slice", "concat", "reverse", "skip", "take", "take_while", "chain", "rev"})
_GETS = frozenset({"get", "get_mut", "pop", "remove", "setdefault", "has", "contains_key", "contains", "__contains__"})


def builtin(scope: Scope, called: Called) -> Value | None:
    """The value of a call that the catalogue or this module knows; None for any other."""
    for step in (chat_templates.made, _ordering, _closures, growth.grown, texts.made, _clock, _collections):
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
        result = _drawn(scope, called, order.sorted_of(value))
        if place is not None:
            scope.engine.store(scope, place, result)
        return result
    if paths["sorts"].find(called.path):
        values = called.args or [called.receiver]
        return _drawn(scope, called, order.sorted_of(values[0]))
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


def _drawn(scope: Scope, called: Called, value: Value) -> Value:
    """What was sorted by a comparison that draws lots."""
    functions = [each.function for each in (*called.args, *called.named.values()) if each.function is not None]
    if any(b"andom" in scope.unit.module.data[slice(*function.span)] for function in functions):
        return replace(value, marks=value.marks | {scope.mark("sample", called.expr.span)})
    return value


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
    from promptlint.readers.code.calls import aside, inline

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
    if called.name in _ASIDE:
        return aside(scope, owner, function.function, [])
    if called.name not in _MAPS:
        return None
    item = order.element(scope, collection, called.expr.func.of.span)
    waits = scope.unit.module.data.startswith(b"async", function.function.span[0])
    params = function.function.params
    with replay.going_through(scope, called.expr.func.of, params[0].target if params else None):
        result = (aside if waits else inline)(scope, owner, function.function, [item])
    marks = frozenset(mark for mark in item.marks if mark.element and mark.kind in ("order", "param", "keys"))
    return list_of([in_a_row(result)], in_a_row(Value(marks=marks)).marks)


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
        return _number_of(scope, called)
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
        found = scope.eval(ir.Index(span, ir.Held(span, receiver), ir.Lit(span, called.args[0].text)))
        missing = called.name == "get" and len(called.args) > 1 and called.args[0].text not in receiver.fields
        return joined([found, called.args[1]]) if missing else found
    if called.name == "get" and len(called.args) == 2 and called.args[1].all_marks():
        return called.args[1]  # where there is none
    if called.name in words["items"] and receiver.ref is not None:
        return replace(receiver, shape=receiver.shape)
    if called.name in words["single_rows"] and any(mark.kind == "order" for mark in receiver.marks):
        return without(receiver, "order") if not called.args else None
    if called.name in _KEEPS and isinstance(called.expr.func, ir.Attr):
        return receiver if receiver.all_marks() or receiver.parts else None
    return _rows(scope, called) if paths["rows"].find(called.path) else None


def _rows(scope: Scope, called: Called) -> Value:
    """What gives the items of a collection, or of several, in a row."""
    values = [called.receiver, *called.args] if isinstance(called.expr.func, ir.Attr) else called.args
    spans = [called.expr.func.of.span] if isinstance(called.expr.func, ir.Attr) else []
    spans += [arg.span for arg in called.expr.args]
    known = [
        each for each in zip(values, spans, strict=False) if each[0].all_marks() or each[0].unordered or each[0].parts
    ]
    rowed = [order.rows(scope, value, at) for value, at in known]
    return joined(rowed) if rowed else UNKNOWN


def _number_of(scope: Scope, called: Called) -> Value:
    if called.name in scope.catalogue.words["numeric"]:
        marks = frozenset(mark for value in called.args for mark in value.all_marks() if mark.kind in _NUMBERS)
        return Value("number", marks=marks)
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
