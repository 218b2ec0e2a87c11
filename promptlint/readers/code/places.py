"""Fields and items: what is known of `a.b` and `a[b]`, by their values, their paths and their names."""

from __future__ import annotations

from promptlint.readers.code import ir, moments, objects, order
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.methods import counted
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, dotted, place_of
from promptlint.readers.code.value import ANY, KEYED, UNKNOWN, Value, joined

_LONGEST_PATH = 4  # fields of fields of an argument that are told apart


def named(scope: Scope, name: str, span: ir.Span, value: Value) -> Value:
    """A value of which nothing is known but its name."""
    kind = scope.catalogue.named(name)
    if kind is None or value.text or value.shape in ("number", "function") or _is_known(value):
        return value
    return replace(value, marks=value.marks | {scope.mark(kind, span, name)})


def _is_known(value: Value) -> bool:
    """Whether more is known of a value than which argument it is."""
    return any(mark.kind != "param" for mark in value.all_marks())


def attribute(scope: Scope, expr: ir.Attr) -> Value:
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
    if _is_owner(scope, path, of) and not value.all_marks() - value.marks:
        return replace(value, marks=value.marks | {scope.mark("identity", expr.span)})
    if not _is_known(value) and scope.catalogue.named(expr.name) and value.shape not in ("number", "function", "text"):
        kind = scope.catalogue.named(expr.name)
        assert kind is not None
        return replace(value, marks=value.marks | {scope.mark(kind, expr.span)})
    return value


def _field(scope: Scope, of: Value, name: str) -> Value:
    found = objects.field_of(scope.engine, scope.unit, of, name)
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


def _is_owner(scope: Scope, path: tuple[str, ...], of: Value) -> bool:
    """Whether this is a field of a person or a conversation, by the name or the type of what it belongs to."""
    patterns = scope.catalogue.patterns
    if not patterns["fields"].fullmatch(snake(path[-1])):
        return False
    owners = (*path[-2:-1], order.class_name(of.type))
    return any(patterns["owners"].fullmatch(snake(owner)) for owner in owners)


def _is_position(scope: Scope, key: ir.Expr) -> bool:
    """Whether an index is a number, or something of which more is known than that it is a key."""
    if not isinstance(key, ir.Name):
        return True
    value = scope.eval(key)
    return value.shape == "number" or _is_known(value)


def variable(scope: Scope, name: str, span: ir.Span) -> Value:
    """A variable of the environment: some differ from person to person, most are configuration."""
    if scope.catalogue.patterns["variables"].fullmatch(name):
        return Value(marks=frozenset({scope.mark("environment", span)}))
    return UNKNOWN


def _is_drawn(scope: Scope, key: ir.Expr) -> bool:
    """Whether an index is made of a random number, as in `tips[Math.floor(Math.random() * tips.length)]`."""
    if isinstance(key, ir.Binary):
        return _is_drawn(scope, key.left) or _is_drawn(scope, key.right)
    if not isinstance(key, ir.Call):
        return False
    path = scope.engine.resolved(scope.unit, dotted(key.func))
    draws = scope.catalogue.sources.find(path, len(key.args)) == "random"
    return draws or any(_is_drawn(scope, arg) for arg in key.args)


def item(scope: Scope, expr: ir.Index) -> Value:
    of = scope.eval(expr.of)
    if isinstance(expr.key, ir.Call | ir.Binary) and _is_drawn(scope, expr.key):
        return Value(marks=frozenset({scope.mark("sample", expr.span)}))
    if scope.catalogue.sources.find(dotted(expr.of)) == "variable" and isinstance(expr.key, ir.Lit):
        return variable(scope, expr.key.text, expr.span)
    if isinstance(expr.key, ir.Lit) and expr.key.text in of.fields:
        return of.fields[expr.key.text]
    if (
        of.ref is not None
        and not of.unordered
        and not isinstance(expr.key, ir.Lit)
        and not _is_position(scope, expr.key)
    ):
        return _keyed(scope, of, ANY)
    if of.unordered or (of.ref is not None and not isinstance(expr.key, ir.Lit)):
        marks = frozenset(mark for mark in scope.eval(expr.key).all_marks() if mark.element or mark.kind == "sample")
        return order.typed(order.inner_type(of.type), scope.catalogue, Value(marks=marks))
    if isinstance(expr.key, ir.Lit):
        value = _keyed(scope, of, expr.key.text)
        if value is UNKNOWN and not of.fields:  # what was looked up, or comes in no order, does so field by field
            found = (
                m for m in of.all_marks() if m.kind in ("retrieval", "sample") or (m.kind == "order" and m.element)
            )
            value = Value(marks=frozenset(found)) if of.all_marks() else value
        return named(scope, expr.key.text, expr.span, value) if value is UNKNOWN else value
    if of.all_marks():
        of = moments.cut(scope, of, expr.key, expr.span)
    if of.shape == "list" and of.parts:
        return joined(of.parts)
    marks = frozenset(mark for mark in of.all_marks() if mark.kind != "keys")
    return Value(of.shape if of.shape == "text" else "", marks=marks)
