"""Ids of tool calls that are made anew each time a conversation is sent again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from promptlint.readers.code import ir
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import Value

_IDS = frozenset({"call_id", "tool_call_id", "tool_use_id"})
_OF_CALLS = frozenset({"function", "arguments", "input", "tool_name", "args"})  # beside a plain `id`


def at_table(scope: Scope, names: Mapping[str, str], value: Value, span: ir.Span) -> None:
    """The entry of a call or of its result, made from a message; `names`: keys by their snake case."""
    for name, key in names.items():
        if name in _IDS or (name == "id" and not _OF_CALLS.isdisjoint(names)):
            _given(scope, value.fields[key], span, f"{key} of a replayed call")


def at_item(scope: Scope, key: str, value: Value, span: ir.Span) -> None:
    """`block["id"] = …`, where the block is a part of a conversation."""
    if snake(key) in _IDS or key == "id":
        _given(scope, value, span, f"{key} of a replayed call")


def _given(scope: Scope, value: Value, span: ir.Span, target: str) -> None:
    """Only what goes through a conversation replays it; ids of new calls are made once."""
    replays = scope.catalogue.patterns["conversations"].fullmatch(snake(scope.engine.root))
    if replays and any(mark.kind == "random" for mark in value.all_marks()):
        scope.emit("call_id", value, span, target)


@contextmanager
def going_through(scope: Scope, over: ir.Expr | None, target: ir.Expr | None) -> Iterator[None]:
    """A loop over items, or over items of items: what all of them are taken from is the engine's `root` within it."""
    engine, outer = scope.engine, scope.engine.root
    engine.root = _root(scope, over) if over is not None else ""
    for name in (target, *(target.items if isinstance(target, ir.Sequence) else ())):
        if isinstance(name, ir.Name):
            engine.roots[name.name] = engine.root
    try:
        yield
    finally:
        engine.root = outer


def _root(scope: Scope, expr: ir.Expr) -> str:
    """The name of the outermost collection: `messages` for `m.get("calls")` in a loop over `messages`."""
    while not isinstance(expr, ir.Name):
        if (
            isinstance(expr, ir.Attr)
            and isinstance(expr.of, ir.Name)
            and scope.catalogue.words["self"] & {expr.of.name}
        ):
            return expr.name
        if isinstance(expr, ir.Attr | ir.Index):
            expr = expr.of
        elif isinstance(expr, ir.Call):
            plain = isinstance(expr.func, ir.Name) and expr.args
            expr = expr.args[0] if plain else expr.func
        else:
            return ""
    return str(scope.engine.roots.get(expr.name, expr.name))
