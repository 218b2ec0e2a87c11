"""What is known of a value: its text in order, its items and fields, and the marks of what it was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from promptlint.readers.code.ir import Function, Span
from promptlint.readers.code.record import record, replace

ORDERS = ("order", "keys", "dump")
KEYED = "["  # begins a step of a path that is a key and no field
COUNT, TALLY = "count", "tally"  # kinds of marks: the turn of a loop, a field that is added to
ANY = "*any*"  # a step of a path behind KEYED: one of the entries, it is not known which
SORTED = "sorted()"  # a step of a path: the argument, put in order
WITHOUT = "without "  # begins a step of a path: the argument without marks of a kind

_MOST_PARTS = 400
_MOST_HELD = 4_000  # values in a value; a text that is put together of itself doubles each time
_MOST_HOPS = 8
_DEEPEST = 40  # nested texts and lists that are looked into


@record
class Hop:
    """A station on the way of a value: what happens there, in which file, at which bytes of its UTF-8."""

    what: str
    file: str
    span: Span


@record
class Mark:
    """A trace of something that changes, and how it came here.

    `element`: an item of an unordered collection, which is harmless until items are put in a row. `frozen`: made when
    the program, the file or the object began, not on each call. `loops`: the loops that run around the place of birth.
    `kind` is `param` for an argument that is not known yet: number `index` of the function at `span`, field `path`,
    `iterated` where the function goes through its items.
    """

    kind: str
    file: str
    span: Span
    element: bool = False
    frozen: bool = False
    iterated: bool = False
    loops: tuple[int, ...] = field(default=(), compare=False)
    index: int = -1
    path: tuple[str, ...] = ()
    what: str = field(default="", compare=False)
    hops: tuple[Hop, ...] = field(default=(), compare=False)

    def via(self, hop: Hop) -> Mark:
        if len(self.hops) >= _MOST_HOPS or hop in self.hops:
            return self
        return replace(self, hops=(*self.hops, hop))


Marks = frozenset[Mark]
NONE: Marks = frozenset()


@record
class Value:
    """`shape` is text, list, set, map (unordered), table, number, moment, function, or empty where it is not known.

    `parts` of a text or a list stand in order; `text` is a literal's. `type` is the declared type or the class.
    `marks` are the value's own; `all_marks` has those of its parts and fields as well. `site`: where it was written.
    `ref`: the value is this argument, or this field of it, unchanged.
    """

    shape: str = ""
    text: str = ""
    parts: tuple[Value, ...] = ()
    fields: Mapping[str, Value] = field(default_factory=dict)
    marks: Marks = NONE
    type: str = ""
    function: Function | None = None
    scope: object = None
    site: tuple[str, Span] | None = None
    ref: Mark | None = None
    _all: Marks | None = field(default=None, init=False, repr=False, compare=False)
    _carries: bool | None = field(default=None, init=False, repr=False, compare=False)
    _size: int = field(default=0, init=False, repr=False, compare=False)

    @property
    def unordered(self) -> bool:
        return self.shape in ("set", "map")

    def all_marks(self) -> Marks:
        if self._all is None:
            held = (part.all_marks() for part in self._held())
            object.__setattr__(self, "_all", self.marks.union(*held) if self.parts or self.fields else self.marks)
        assert self._all is not None
        return self._all

    def _held(self) -> Iterable[Value]:
        """What the value shows when it is printed: an object's fields are reached by their names only."""
        return self.parts if self.shape == "object" else (*self.parts, *self.fields.values())

    def size(self) -> int:
        """How many values it holds at all depths, itself included; one that it holds twice counts twice."""
        if not self._size:
            held = sum(part.size() for part in (*self.parts, *self.fields.values()))
            object.__setattr__(self, "_size", 1 + held)
        return self._size

    def carries(self) -> bool:
        """Whether anything in it, fields of objects included, has marks."""
        if self._carries is None:
            found = bool(self.all_marks()) or (
                self.shape == "object" and any(f.carries() for f in self.fields.values())
            )
            found = found or any(part.carries() for part in (*self.parts, *self.fields.values()))
            object.__setattr__(self, "_carries", found)
        return bool(self._carries)

    def walk(self, depth: int = 0) -> Iterator[Value]:
        """The value and all that it holds, in order."""
        yield self
        if depth < _DEEPEST:
            for part in self._held():
                yield from part.walk(depth + 1)

    def leaves(self) -> Iterator[Value]:
        """What holds nothing else, in order: literal texts and unknown values."""
        return (value for value in self.walk() if not value.parts and not value.fields)


UNKNOWN = Value()
NUMBER = Value("number")


def literal(text: str, site: tuple[str, Span] | None = None) -> Value:
    return Value("text", text=text, site=site)


def text_of(parts: Iterable[Value], marks: Marks = NONE) -> Value:
    return Value("text", parts=_bounded(parts), marks=marks)


def list_of(parts: Iterable[Value], marks: Marks = NONE) -> Value:
    return Value("list", parts=_bounded(parts), marks=marks)


def _bounded(parts: Iterable[Value]) -> tuple[Value, ...]:
    found = tuple(parts)
    if sum(part.size() for part in found) > _MOST_HELD:
        return (Value(marks=NONE.union(*(part.all_marks() for part in found))),)
    if len(found) <= _MOST_PARTS:
        return found
    rest = frozenset(mark for part in found[_MOST_PARTS:] for mark in part.all_marks())
    return (*found[:_MOST_PARTS], Value(marks=rest))


def joined(values: Iterable[Value]) -> Value:
    """One of several. What only one of them knows is kept, as it may be that one."""
    options = [value for value in values if value is not UNKNOWN]
    if not options:
        return UNKNOWN
    first = options[0]
    if all(option is first for option in options[1:]):
        return first
    shapes = {option.shape for option in options if option.shape and option.shape != "number"}
    shape = shapes.pop() if len(shapes) == 1 else ""
    marks = frozenset(mark for option in options for mark in option.all_marks())
    richest = max(options, key=lambda option: (len(option.parts), len(option.fields), len(option.text)))
    if shape in ("text", "list") and marks <= richest.all_marks():
        return richest
    if shape == "list" and len({len(option.parts) for option in options}) == 1 and len(richest.parts) < 7:
        parts = tuple(joined(each) for each in zip(*(option.parts for option in options), strict=True))  # tuples
        return replace(richest, parts=parts, marks=frozenset(mark for option in options for mark in option.marks))
    if any(option.fields for option in options):
        names = dict.fromkeys(name for option in options for name in option.fields)
        fields = {name: joined(o.fields[name] for o in options if name in o.fields) for name in names}
        own = frozenset(mark for option in options for mark in option.marks)
        return replace(richest, shape=shape, fields=fields, marks=own)
    return Value(shape, parts=richest.parts, text=richest.text, marks=marks, type=first.type, site=first.site)


def mapped(value: Value, change: Callable[[Mark], Mark | None], depth: int = 0) -> Value:
    """The value with every mark changed, or taken away where `change` gives None."""
    marks = frozenset(new for mark in value.marks if (new := change(mark)) is not None) if value.marks else NONE
    if depth >= _DEEPEST or (not value.parts and not value.fields):
        return replace(value, marks=marks) if value.marks else value
    if not value.carries():
        return value
    return replace(
        value,
        marks=marks,
        parts=tuple(mapped(part, change, depth + 1) for part in value.parts),
        fields={name: mapped(part, change, depth + 1) for name, part in value.fields.items()},
    )


def via(value: Value, hop: Hop) -> Value:
    """The value with one more station on its way; arguments that are not known yet need none."""
    if not value.carries() or (value.shape != "object" and all(mark.kind == "param" for mark in value.all_marks())):
        return value
    return mapped(value, lambda mark: mark.via(hop))


def without(value: Value, *kinds: str) -> Value:
    return mapped(value, lambda mark: None if mark.kind in kinds else mark)


def cleaned(value: Value, kind: str) -> Value:
    """The value without marks of a kind, an argument too, whatever it may turn out to be."""

    def change(mark: Mark) -> Mark | None:
        if mark.kind == "param":
            return replace(mark, path=(*mark.path, WITHOUT + kind))
        return None if mark.kind == kind else mark

    found = mapped(value, change)
    return replace(found, ref=None) if found.ref is not None else found


def order_of(value: Value) -> Marks:
    """Marks of items of an unordered collection, those in the fields of objects included."""
    if not value.carries():
        return NONE
    held = (order_of(part) for part in (*value.parts, *value.fields.values()))
    own = frozenset(mark for mark in value.marks if mark.element and mark.kind in ("order", "param"))
    return own.union(*held)


def in_a_row(value: Value) -> Value:
    """Items of an unordered collection that were put one behind another: now their order counts."""
    if not any(mark.element for mark in value.all_marks()):
        return value
    return mapped(value, lambda mark: replace(mark, element=False) if mark.element else mark)


def in_order(value: Value) -> Value:
    """The value after its items were sorted, an argument's too, whatever it may turn out to be."""

    def change(mark: Mark) -> Mark | None:
        if mark.kind == "param":
            return replace(mark, path=(*mark.path, SORTED), iterated=False, element=False)
        return None if mark.kind in ORDERS else mark

    return mapped(value, change)


def frozen(value: Value) -> Value:
    if not value.carries():
        return value
    return mapped(value, lambda mark: mark if mark.frozen else replace(mark, frozen=True))
