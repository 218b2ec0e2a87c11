"""Calls that take a part of a prompt: requests to a model, messages, builders and setters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptlint.readers.code import ir
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.scope import Scope, dotted
from promptlint.readers.code.sinks import CONTENT, MESSAGE, body, last_word, part_given
from promptlint.readers.code.value import Value, list_of, literal

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_SAYS_MESSAGE = ("message", "msg", "chat", "turn", "role")


def at_call(scope: Scope, called: Called) -> None:
    """A request to a model, a message made by a call, and arguments that are a part wherever they are given."""
    catalogue = scope.catalogue
    path = tuple(snake(step) for step in called.path)
    is_request = catalogue.calls.find(path) is not None
    for name, value in called.named.items():
        part = catalogue.sink("arguments", name) if is_request else catalogue.sink("always", name)
        if part:
            target = f"{name}= of {called.name}()"
            part_given(scope, part, value, _span_of(called.expr, name), target, call=is_request)
    own_class = called.name in scope.unit.module.classes  # a class of the file that only has the name
    first = None if own_class else catalogue.first.find(path)
    if first and (called.args or called.named.get("content")):
        value = called.args[0] if called.args else called.named["content"]
        part_given(scope, first, value, called.expr.span, f"{called.name}()", call=first == "messages")
    elif is_request:
        for value, arg in zip(called.args, called.expr.args, strict=False):
            if isinstance(arg, ir.Table):
                body(scope, arg, value, call=True)
    elif called.args or called.named:
        _given(scope, called)


def _span_of(call: ir.Call, name: str) -> ir.Span:
    return next((arg.span for each, arg in call.named if each == name), call.span)


def _given(scope: Scope, called: Called) -> None:
    """Arguments of a call that is no request: of a builder, a setter, or a message."""
    is_method = isinstance(called.expr.func, ir.Attr)
    part = (is_method and scope.catalogue.sink("builders", called.name)) or scope.catalogue.sink("setters", called.name)
    if part:
        for value in called.args:
            if not any(part.fields.get("role") for part in value.parts):  # a list of messages
                part_given(scope, part, value, called.expr.span, f"{called.name}()", call=True)
        return
    if called.name in CONTENT and is_method and "system_message" in snake(_root(called.expr.func)):
        for value in called.args[:1]:
            part_given(scope, "system", value, called.expr.span, "a system message", call=False)


def message(scope: Scope, called: Called) -> Value | None:
    """A message with the role of the system that a call makes: `Message(role="system", …)`, `Message("system", text)`.

    It is a part of the prompt where it comes first in a list: later on it may be what a tool says.
    """
    expr, roles = called.expr, scope.catalogue.patterns["roles"]
    role = next((arg for name, arg in expr.named if name in MESSAGE), None)
    if role is not None:
        contents = [value for name, value in called.named.items() if name in CONTENT]
    elif len(expr.args) > 1 and isinstance(expr.args[0], ir.Attr | ir.Lit):
        says = isinstance(expr.args[0], ir.Attr) or any(word in snake(called.name) for word in _SAYS_MESSAGE)
        role, contents = expr.args[0] if says else None, called.args[1:]
    if role is None or not roles.fullmatch(snake(last_word(role))):
        return None
    fields = {"role": literal("system"), "content": list_of(contents)}
    return Value("object", fields=fields, site=(scope.unit.file, expr.span))


def _root(expr: ir.Expr) -> str:
    """The name at the beginning of a chain of calls."""
    while isinstance(expr, ir.Call | ir.Attr):
        expr = expr.func if isinstance(expr, ir.Call) else expr.of
    return dotted(expr)[0]
