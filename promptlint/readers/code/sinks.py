"""Where a value becomes a part of a prompt: arguments of requests, messages, request bodies, and names that say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.readers.code import ir, order
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.scope import Scope, dotted
from promptlint.readers.code.value import UNKNOWN, Mark, Value, list_of

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_CONTENT = ("content", "text", "parts", "Content", "Text", "Parts", "blocks")
_MESSAGE = ("role", "Role")


def at_call(scope: Scope, called: Called) -> None:
    """A request to a model, a message made by a call, and arguments that are a part wherever they are given."""
    catalogue = scope.catalogue
    path = tuple(snake(step) for step in called.path)
    is_request = catalogue.calls.find(path) is not None
    for name, value in called.named.items():
        part = catalogue.sink("arguments", name) if is_request else catalogue.sink("always", name)
        if part:
            _part(scope, part, value, _span_of(called.expr, name), f"{name}= of {called.name}()", call=is_request)
    own_class = called.name in scope.unit.module.classes  # a class of the file that only has the name
    first = None if own_class else catalogue.first.find(path)
    if first and (called.args or called.named.get("content")):
        value = called.args[0] if called.args else called.named["content"]
        _part(scope, first, value, called.expr.span, f"{called.name}()", call=first == "messages")
    if is_request:
        for value, arg in zip(called.args, called.expr.args, strict=False):
            if isinstance(arg, ir.Table):
                _body(scope, arg, value, call=True)
    elif isinstance(called.expr.func, ir.Attr) and called.args:
        part = catalogue.sink("builders", called.name)
        if part:
            _part(scope, part, called.args[0], called.expr.span, f".{called.name}()", call=True)


def _span_of(call: ir.Call, name: str) -> ir.Span:
    return next((arg.span for each, arg in call.named if each == name), call.span)


def _part(scope: Scope, part: str, value: Value, span: ir.Span, target: str, *, call: bool) -> None:
    if part == "messages":
        _messages(scope, value, span, target, call=call)
    elif _carries(value):
        scope.emit(part, value, span, target, call=call)


def _carries(value: Value) -> bool:
    return bool(value.all_marks()) or any(each.unordered for each in value.walk())


def _messages(scope: Scope, value: Value, span: ir.Span, target: str, *, call: bool) -> None:
    """A list of messages: all but the newest input are history; system messages are looked at where they are made."""
    if value.shape != "list" or not value.parts:
        return
    for item in value.parts[: _newest(value)]:
        if _carries(item) and not _is_system(item) and not item.marks:
            scope.emit(
                "history", item, item.site[1] if item.site else span, f"an earlier message in {target}", call=call
            )
    for item in value.parts:
        system = item.parts and item.parts[0].text in ("system", "developer") and len(item.parts) == 2
        if system and _carries(item.parts[1]):
            scope.emit("system", item.parts[1], span, f"the system message of {target}", call=call)


def _newest(value: Value) -> int:
    """Index of the newest input: the last message, or the one before an answer that is begun for the model."""
    last = len(value.parts) - 1
    role = value.parts[last].fields.get("role", UNKNOWN).text
    return last - 1 if role in ("assistant", "model") and last > 0 else last


def _is_system(value: Value) -> bool:
    return value.fields.get("role", UNKNOWN).text == "system"


def at_table(scope: Scope, expr: ir.Table, value: Value) -> None:
    """A message with the role of the system, or the body of a request."""
    catalogue = scope.catalogue
    if value.fields.get("role", UNKNOWN).text == "system" and role_of(scope, expr):
        for key in _CONTENT:
            if key in value.fields and _carries(value.fields[key]):
                scope.emit("system", value.fields[key], expr.span, "a system message", anchor=expr.span)
        return
    keys = [key for key, _ in expr.entries if key and catalogue.patterns["keys"].fullmatch(snake(key))]
    of_request = catalogue.patterns["bodies"].fullmatch(snake(expr.type.rpartition(".")[2].rpartition("::")[2]))
    strong = {"model", "messages", "contents", "input", "system_instruction"} & {snake(key) for key in keys}
    if of_request or (len(keys) > 1 and strong):
        _body(scope, expr, value, call=False)


def role_of(scope: Scope, expr: ir.Table) -> str:
    """`system` for a message with the role of the system or the developer, another role as it is written."""
    role = next((entry for key, entry in expr.entries if key in _MESSAGE), None)
    if role is None:
        return ""
    word = snake(_last_word(role))
    return "system" if scope.catalogue.patterns["roles"].fullmatch(word) else word.rpartition("_")[2]


def _last_word(expr: ir.Expr) -> str:
    while isinstance(expr, ir.Call):
        expr = (
            expr.func.of
            if isinstance(expr.func, ir.Attr) and not expr.args
            else expr.args[0]
            if expr.args
            else expr.func
        )
    return expr.text if isinstance(expr, ir.Lit) else dotted(expr)[-1]


def _body(scope: Scope, expr: ir.Table, value: Value, *, call: bool) -> None:
    for key, entry in expr.entries:
        part = scope.catalogue.sink("arguments", key) if key else None
        if part and key and key in value.fields:
            _part(scope, part, value.fields[key], entry.span, f"{key} of a request", call=call)


def part_set(scope: Scope, part: str, value: Value, span: ir.Span, target: str) -> None:
    """A field of a request body that is set after it was made."""
    _part(scope, part, value, span, target, call=False)


def at_growth(scope: Scope, called: Called, grown: Value, items: list[Value], *, first: bool) -> None:
    """Messages put into a list: a system message behind others is at the end of the prompt, unless more follows."""
    func = called.expr.func
    assert isinstance(func, ir.Attr)
    for item in items:
        if item.site and _is_system(item) and not first and not _at_head(called.receiver):
            scope.engine.tail.add(item.site)
        if first and item.fields.get("role") and not _is_system(item) and _carries(item):
            scope.emit("history", item, called.expr.span, "the first message")
    if called.name == "splice" or called.name in scope.catalogue.words["adds"]:
        part = scope.catalogue.sink("attributes", func.of.name) if isinstance(func.of, ir.Attr) else None
        if part and _carries(list_of(items)):
            scope.emit(part, grown, called.expr.span, scope.unit.source(func.of.span))


def _at_head(value: Value) -> bool:
    """Whether a message that is added here stands behind system messages only."""
    return value.shape == "list" and not value.marks and all(_is_system(item) for item in value.parts)


def in_list(scope: Scope, value: Value) -> None:
    """A list literal of messages: a system message at its end, behind others, is the newest input."""
    last = value.parts[-1] if value.parts else UNKNOWN
    if last.site and _is_system(last) and not all(_is_system(part) for part in value.parts):
        scope.engine.tail.add(last.site)


def at_end(scope: Scope) -> None:
    """Variables and fields that are parts by their names, as they are when the function ends."""
    for place, value in scope.env.items():
        if not _carries(value) or value.shape == "function":
            continue
        owner, _, name = place.rpartition(".")
        part = scope.catalogue.sink("attributes" if owner else "names", name)
        if part and not (value.ref is not None and part == "tools"):
            scope.emit(part, value, scope.spans.get(place, (0, 0)), place)


def at_return(scope: Scope, function: ir.Function, value: Value) -> None:
    """Functions that are parts by their names, or by a decorator."""
    returns = scope.catalogue.patterns["returns"]
    part = scope.catalogue.sink("functions", function.name)
    if part is None and any(returns.fullmatch(decorator) for decorator in function.decorators):
        part = "system"
    if part == "tools":
        value = _with_declared_maps(scope, function, value)
    if part and _carries(value):
        span = (function.span[0], scope.unit.module.data.find(b"\n", function.span[0]))
        scope.emit(part, value, span, f"what {function.name}() returns")


def _with_declared_maps(scope: Scope, function: ir.Function, value: Value) -> Value:
    """Tools whose type has a map without an order in it, which is serialised as it comes."""
    class_, unit = scope.engine.class_of(scope.unit, order.inner_type(function.returns) or function.returns)
    if class_ is None or unit is None or not class_.serialized or unit.module.language in order.SORTS_KEYS:
        return value
    maps = [span for declared, span in class_.fields.values() if order.shape_of(declared, unit.catalogue) == "map"]
    return replace(value, marks=value.marks | {Mark("keys", unit.file, span) for span in maps})
