"""Calls that make text: joining, formatting, JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from promptlint.readers.code import order
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import NONE, UNKNOWN, Value, in_a_row, literal, text_of

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called


def made(scope: Scope, called: Called) -> Value | None:
    """The text that a call makes; None for a call that makes none."""
    words, span = scope.catalogue.words, called.expr.span
    language = scope.unit.module.language
    if called.name in words["joins"]:
        return _joined(scope, called)
    if scope.catalogue.paths["dumps"].find(called.path):
        values = called.args or [called.receiver]
        flag = called.named.get(str(scope.catalogue.data["sorted_dump"]) or "-")
        sorts = flag is not None and "False" not in scope.unit.source(span, 400).partition("sort_keys")[2][:8]
        return order.dumped(values[0], sorts=sorts, language=language)
    if language == "go" and called.path[-2:] == ("json", "Marshal"):
        return Value("text", parts=(Value(marks=called.args[0].all_marks() if called.args else NONE),))
    if language == "go" and called.name in ("Sprintf", "Errorf") and called.args:
        return formatted(called.args)
    if language == "go" and called.name in ("Sprint", "Sprintln"):
        return text_of(called.args)
    if called.name == "format" and called.receiver.shape == "text" and language == "python":
        values = [*called.args, *called.named.values()]
        shown = [order.as_text(scope, value, span) for value in values]
        return _holes_filled(called, shown)
    if called.name == "String" and language == "go" and called.receiver.shape in ("text", "list"):
        return replace(called.receiver, shape="text")
    return None


def formatted(args: list[Value]) -> Value:
    """`Sprintf(format, …)`: its pieces between the verbs, with the arguments in their places."""
    if not args:
        return UNKNOWN
    pieces = re.split(r"%[-+# 0-9.*\[\]]*[a-zA-Z]", args[0].text)
    parts: list[Value] = []
    for index, piece in enumerate(pieces):
        parts.append(literal(piece))
        if index < len(pieces) - 1 and index + 1 < len(args):
            parts.append(args[index + 1])
    return text_of(parts)


def _holes_filled(called: Called, values: list[Value]) -> Value:
    """`"… {a} …".format(a=…)`: the literal text around the places, with the values at them."""
    by_name = dict(zip(called.named, values[len(called.args) :], strict=False))
    positional = iter(values[: len(called.args)])
    parts: list[Value] = []
    for leaf in called.receiver.leaves():
        if not leaf.text:
            parts.append(leaf)
            continue
        for index, piece in enumerate(re.split(r"(?<!\{)\{(\w*)[^{}]*\}(?!\})|%\(?(\w*)\)?[sdrif]", leaf.text)):
            if index % 3 == 0:
                parts.append(literal(piece, leaf.site))
            elif piece is not None:
                parts.append(by_name[piece] if piece in by_name else next(positional, UNKNOWN))
    if len(parts) == 1 or any(value.all_marks() - text_of(parts).all_marks() for value in values):
        parts += values  # holes that could not be told: the values stand somewhere in the text
    return text_of(parts)


def _joined(scope: Scope, called: Called) -> Value:
    """`sep.join(items)` and `items.join(sep)`: the items in a row."""
    swapped = scope.unit.module.language == "python"
    if scope.unit.module.language == "go":
        items, separator = (
            (called.args[0] if called.args else UNKNOWN),
            (called.args[1] if len(called.args) > 1 else UNKNOWN),
        )
    elif swapped:
        items, separator = (called.args[0] if called.args else UNKNOWN), called.receiver
    else:
        items, separator = called.receiver, (called.args[0] if called.args else UNKNOWN)
    span = called.expr.args[0].span if swapped and called.expr.args else called.expr.span
    items = order.rows(scope, items, span)
    if not items.parts:
        return Value("text", parts=(Value(marks=in_a_row(items).all_marks()),)) if items.all_marks() else Value("text")
    parts: list[Value] = []
    for part in items.parts:
        if parts and separator.text:
            parts.append(separator)
        parts.append(in_a_row(part))
    return text_of(parts, items.marks)


def lengthened(scope: Scope, text: Value, added: Value) -> Value:
    """A text with more behind it."""
    return replace(order.add(scope, text, [added], spread=True), shape="text")
