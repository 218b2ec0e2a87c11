"""Collections without an order: what iterating, listing, joining and sorting them makes of their order."""

from __future__ import annotations

import re

from promptlint.readers.code import ir
from promptlint.readers.code.catalogue import Catalogue
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import NONE, UNKNOWN, Mark, Value, in_a_row, in_order, joined, list_of, order_of

_WRAPPERS = re.compile(
    r"^(?:&|\*|mut |'\w+ |dyn |impl |Optional\[|Option<|Box<|Arc<|Rc<|Mutex<|RwLock<|RefCell<|Readonly<|Promise<"
    r"|Annotated\[|ClassVar\[|Final\[)+"
)
_NAMES = re.compile(r"[A-Za-z_]\w*")
# Languages whose own way to print or serialise a map sorts its keys.
SORTS_KEYS = frozenset({"go"})


def bare_type(declared: str) -> str:
    """The type without references, options and locks around it."""
    bare = _WRAPPERS.sub("", declared.strip().strip("\"'").removeprefix(":").strip())
    return bare.removeprefix("Mapped[").partition(" | None")[0].removesuffix(" | undefined")


def class_name(declared: str) -> str:
    found = _NAMES.findall(bare_type(declared).partition("<")[0].partition("[")[0])
    return found[-1] if found else ""


def inner_type(declared: str) -> str:
    """The type of what a collection holds: its last argument."""
    found = _NAMES.findall(declared)
    return found[-1] if len(found) > 1 or declared.lstrip("&* ").startswith("[") or declared.endswith("[]") else ""


def shape_of(declared: str, catalogue: Catalogue) -> str:
    """`set` or `map` for a declared type without an order, `list` for one with, else empty."""
    bare = bare_type(declared)
    if bare and catalogue.patterns["types"].fullmatch(bare):
        return "set" if re.match(r"(?:\w+\.|\w+::)*\w*[sS]et\b", bare) or "HashSet" in bare.partition("<")[0] else "map"
    return ""


def typed(declared: str, catalogue: Catalogue, value: Value = UNKNOWN) -> Value:
    if not declared or value.type or value.shape:
        return value
    return replace(value, type=declared, shape=shape_of(declared, catalogue))


def rows(scope: Scope, value: Value, span: ir.Span) -> Value:
    """All items of a collection in a row, as a list, an iterator or arguments give them."""
    if value.unordered:
        marks = frozenset(mark for mark in value.all_marks() if mark.kind != "param") | {scope.mark("order", span)}
        return Value("list", marks=marks, type=value.type)
    if value.ref is not None:
        return replace(value, ref=None, marks=_iterated(value.marks, element=None), shape=value.shape or "list")
    return value


def _iterated(marks: frozenset[Mark], *, element: bool | None) -> frozenset[Mark]:
    found = set()
    for mark in marks:
        if mark.kind == "param":
            mark = replace(mark, iterated=True, element=mark.element if element is None else element)
        elif mark.kind in ("order", "keys") and element is not None:
            mark = replace(mark, kind="order", element=element)
        found.add(mark)
    return frozenset(found)


def element(scope: Scope, value: Value, span: ir.Span) -> Value:
    """One item of a collection that a loop goes through."""
    item = UNKNOWN
    if value.shape in ("list", "text") and value.parts:
        item = joined(value.parts[:20])
    marks = value.marks | (item.marks if item is not UNKNOWN else NONE)
    if value.fields and not value.parts:
        marks |= value.all_marks()
    if value.unordered:
        marks = frozenset(mark for mark in marks if mark.kind != "param") | {scope.mark("order", span)}
    marks = _iterated(marks, element=True)
    held = inner_type(value.type)
    shape = item.shape or shape_of(held, scope.catalogue)
    return replace(item, marks=marks, type=item.type or held, shape=shape, ref=None)


def as_text(scope: Scope, value: Value, span: ir.Span) -> Value:
    """A value printed in a text: a set shows its items in a row."""
    if value.unordered and scope.unit.module.language not in SORTS_KEYS:
        return Value(marks=value.all_marks() | {scope.mark("order", span)})
    return value


def add(scope: Scope, collection: Value, items: list[Value], *, spread: bool = False, first: bool = False) -> Value:
    """A list or text with more at its end (or its beginning)."""
    if collection.unordered:
        marks = frozenset(mark for item in items for mark in item.all_marks() if mark.kind != "order")
        return replace(collection, marks=collection.marks | marks)
    added: list[Value] = []
    marks = NONE
    for item in items:
        if item.shape == "object":  # its fields are reached by name, but its place in the row is here
            marks |= frozenset(replace(mark, element=False) for mark in order_of(item))
        if item.unordered and spread:
            item = rows(scope, item, item.site[1] if item.site else (0, 0))
        item = in_a_row(item)
        added += item.parts if spread and item.shape == "list" and item.parts and not item.marks else (item,)
    if collection.shape == "number":
        return collection
    head = collection.parts if collection.parts else ((collection,) if _says_something(collection) else ())
    parts = (*added, *head) if first else (*head, *added)
    shape = collection.shape if collection.shape in ("list", "text") else "list"
    marks |= collection.marks if collection.parts else NONE
    return replace(list_of(parts, marks), shape=shape, type=collection.type)


def _says_something(value: Value) -> bool:
    if value.shape == "list" and not value.marks:
        return False  # an empty list
    return value is not UNKNOWN and bool(value.text or value.marks or value.shape != "text")


def sorted_of(value: Value) -> Value:
    """The same items in one order."""
    if value.unordered or value.ref is not None:
        value = Value("list", marks=value.all_marks(), type=value.type)
    return in_order(value)


def dumped(value: Value, *, sorts: bool, language: str) -> Value:
    """A value as JSON: keys come in the order of the table unless they are sorted."""
    unordered = [each for each in value.walk() if each.shape == "map" and each.site]
    marks = set()
    for mark in value.all_marks():
        if mark.kind == "keys":
            if sorts:
                continue
            mark = replace(mark, kind="dump")
        marks.add(mark)
    if unordered and not sorts and language not in SORTS_KEYS:
        marks |= {Mark("dump", *each.site, what="") for each in unordered if each.site}
    return Value("text", parts=(Value(marks=frozenset(marks)),))
