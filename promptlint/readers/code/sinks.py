"""Where a value becomes a part of a prompt: arguments of requests, messages, request bodies, and names that say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from promptlint.readers.code import ir, objects, order, replay
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, dotted
from promptlint.readers.code.value import UNKNOWN, Mark, Value, list_of

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

CONTENT = ("content", "text", "parts", "Content", "Text", "Parts", "blocks")
SCHEMAS = frozenset({"parameters", "input_schema", "args_schema", "json_schema", "inputs_schema"})
MESSAGE = ("role", "Role")


def part_given(scope: Scope, part: str, value: Value, span: ir.Span, target: str, *, call: bool) -> None:
    value = called_back(scope, value)
    if part == "messages":
        _messages(scope, value, span, target, call=call)
        return
    if part == "tools":
        value = _with_declared_maps(scope, value.type, value)
    if carries(value):
        scope.emit(part, value, span, target, call=call)


def called_back(scope: Scope, value: Value) -> Value:
    """What a function gives that is handed over to be called for each request; any other value as it is."""
    from promptlint.readers.code.calls import inline

    if value.function is None or not isinstance(value.scope, Scope):
        return value
    if value.scope.function is None:
        return scope.engine.summary(value.scope.unit, value.function).returns
    return inline(scope, value.scope, value.function, [])


def carries(value: Value) -> bool:
    return bool(value.all_marks()) or any(each.unordered for each in value.walk())


def _messages(scope: Scope, value: Value, span: ir.Span, target: str, *, call: bool) -> None:
    """A list of messages: all but the newest input are history; system messages are looked at where they are made."""
    if value.shape != "list" or not value.parts:
        return
    for item in value.parts[: _newest(value)]:
        if carries(item) and not _is_system(item) and not item.marks:
            scope.emit(
                "history", item, item.site[1] if item.site else span, f"an earlier message in {target}", call=call
            )
    for item in value.parts:
        system = item.parts and item.parts[0].text in ("system", "developer") and len(item.parts) == 2
        if system and carries(item.parts[1]):
            scope.emit("system", item.parts[1], span, f"the system message of {target}", call=call)


def _newest(value: Value) -> int:
    """Index of the newest input: the last message, or the one before an answer that is begun for the model."""
    last = len(value.parts) - 1
    role = value.parts[last].fields.get("role", UNKNOWN).text
    return last - 1 if role in ("assistant", "model") and last > 0 else last


def _is_system(value: Value) -> bool:
    return value.fields.get("role", UNKNOWN).text == "system"


def at_table(scope: Scope, expr: ir.Table, value: Value) -> None:
    """A message with the role of the system, a tool, or the body of a request."""
    catalogue = scope.catalogue
    names = {snake(key): key for key in value.fields}
    if "description" in names and not SCHEMAS.isdisjoint(names) and carries(value.fields[names["description"]]):
        scope.emit("tools", value, expr.span, "the description of a tool")
    replay.at_table(scope, names, value, expr.span)
    if value.fields.get("role", UNKNOWN).text == "system" and role_of(scope, expr):
        for key in CONTENT:
            if key in value.fields and carries(value.fields[key]):
                scope.emit("system", value.fields[key], expr.span, "a system message", anchor=expr.span)
        return
    keys = [key for key, _ in expr.entries if key and catalogue.patterns["keys"].fullmatch(snake(key))]
    of_request = catalogue.patterns["bodies"].fullmatch(snake(expr.type.rpartition(".")[2].rpartition("::")[2]))
    strong = {"model", "messages", "contents", "input", "system_instruction"} & {snake(key) for key in keys}
    if of_request or (len(keys) > 1 and strong):
        body(scope, expr, value, call=False)


def role_of(scope: Scope, expr: ir.Table) -> str:
    """`system` for a message with the role of the system or the developer, another role as it is written."""
    role = next((entry for key, entry in expr.entries if key in MESSAGE), None)
    if role is None:
        return ""
    word = snake(last_word(role))
    return "system" if scope.catalogue.patterns["roles"].fullmatch(word) else word.rpartition("_")[2]


def last_word(expr: ir.Expr) -> str:
    while isinstance(expr, ir.Call):
        expr = (
            expr.func.of
            if isinstance(expr.func, ir.Attr) and not expr.args
            else expr.args[0]
            if expr.args
            else expr.func
        )
    return expr.text if isinstance(expr, ir.Lit) else dotted(expr)[-1]


def body(scope: Scope, expr: ir.Table, value: Value, *, call: bool) -> None:
    for key, entry in expr.entries:
        part = scope.catalogue.sink("arguments", key) if key else None
        if part and key and key in value.fields:
            part_given(scope, part, value.fields[key], entry.span, f"{key} of a request", call=call)


def part_set(scope: Scope, part: str, value: Value, span: ir.Span, target: str) -> None:
    """A field of a request body that is set after it was made."""
    part_given(scope, part, value, span, target, call=False)


def at_growth(scope: Scope, called: Called, grown: Value, items: list[Value], *, first: bool) -> None:
    """Messages put into a list: a system message behind others is at the end of the prompt, unless more follows."""
    func = called.expr.func
    assert isinstance(func, ir.Attr)
    for item in items:
        at_head = first or _at_head(called.receiver)
        if at_head:
            _at_front(scope, [item])
        elif item.site and _is_system(item):
            scope.engine.tail.add(item.site)
        if first and item.fields.get("role") and not _is_system(item) and carries(item):
            scope.emit("history", item, called.expr.span, "the first message")
    if called.name == "splice" or called.name in scope.catalogue.words["adds"]:
        part = scope.catalogue.sink("attributes", func.of.name) if isinstance(func.of, ir.Attr) else None
        if part and carries(list_of(items)):
            scope.emit(part, grown, called.expr.span, scope.unit.source(func.of.span))


def _at_head(value: Value) -> bool:
    """Whether a message that is added here stands behind system messages only."""
    return value.shape == "list" and not value.marks and all(_is_system(item) for item in value.parts)


def _at_front(scope: Scope, messages: Iterable[Value]) -> None:
    """System messages that a call made, at the front of a list."""
    for message in messages:
        if not _is_system(message):
            return
        if message.shape == "object" and message.site and carries(message.fields.get("content", UNKNOWN)):
            span = message.site[1]
            scope.emit("system", message.fields["content"], span, "a system message", anchor=span)


def in_list(scope: Scope, value: Value) -> None:
    """A list literal of messages: a system message at its end, behind others, is the newest input."""
    _at_front(scope, value.parts)
    last = value.parts[-1] if value.parts else UNKNOWN
    if last.site and _is_system(last) and not all(_is_system(part) for part in value.parts):
        scope.engine.tail.add(last.site)


def at_end(scope: Scope) -> None:
    """Variables and fields that are parts by their names, as they are when the function ends."""
    for place, value in scope.env.items():
        if not carries(value) or value.shape == "function":
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
    part = part or scope.catalogue.given_by(function.owner, function.name)
    if part == "tools":
        value = _with_declared_maps(scope, function.returns, value)
    if part and carries(value):
        span = (function.span[0], scope.unit.module.data.find(b"\n", function.span[0]))
        scope.emit(part, value, span, f"what {function.name}() returns")


def _with_declared_maps(scope: Scope, declared: str, value: Value) -> Value:
    """Tools whose type has a map without an order in it, which is serialised as it comes."""
    class_, unit = objects.class_of(scope.engine, scope.unit, order.inner_type(declared) or declared)
    if class_ is None or unit is None or not class_.serialized or unit.module.language in order.SORTS_KEYS:
        return value
    maps = [span for held, span in class_.fields.values() if order.shape_of(held, unit.catalogue) == "map"]
    return replace(value, marks=value.marks | {Mark("keys", unit.file, span) for span in maps})
