"""What a function gives back, with the arguments of one call put in the place of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from promptlint.readers.code.ir import Function
from promptlint.readers.code.record import replace
from promptlint.readers.code.value import (
    ANY,
    COUNT,
    KEYED,
    NONE,
    SORTED,
    UNKNOWN,
    WITHOUT,
    Hop,
    Mark,
    Marks,
    Value,
    in_order,
    via,
    without,
)

_DEEPEST = 40
# What a parameter's name says already is not told once more of the argument.
_BY_NAME = frozenset({"identity", "counter", "random", "retrieval"})
_MOST_CALLS = 3  # calls that a value is followed through
_MOST_MARKS = 40  # of one value


class Binding:
    """Arguments by the number of their parameter; `hop` is the call itself, `loops` run around it."""

    def __init__(
        self, file: str, function: Function, arguments: Mapping[int, Value], hop: Hop, loops: tuple[int, ...]
    ) -> None:
        self.file, self.span = file, function.span
        self.arguments = {index: via(value, hop) for index, value in arguments.items()}
        self.hop, self.loops = hop, loops
        params = ((self.arguments.get(index), param.default) for index, param in enumerate(function.params))
        self._unused = {default.span for given, default in params if given is not None and default is not None}

    def owns(self, mark: Mark) -> bool:
        return mark.kind == "param" and mark.span == self.span and mark.file == self.file

    def value(self, value: Value, depth: int = 0) -> Value:
        if value.ref is not None and self.owns(value.ref):
            return self._argument(value)
        if not value.carries() or depth > _DEEPEST:
            return value
        return replace(
            value,
            marks=self._marks(value.marks),
            parts=tuple(self.value(part, depth + 1) for part in value.parts),
            fields={name: self.value(part, depth + 1) for name, part in value.fields.items()},
        )

    def _argument(self, value: Value) -> Value:
        assert value.ref is not None
        found = follow(self.arguments.get(value.ref.index, UNKNOWN), value.ref.path)
        moved = (self._moved(mark) for mark in value.marks if not self.owns(mark))
        own = frozenset(mark for mark in moved if mark is not None)
        if found is UNKNOWN:
            return replace(value, ref=None, marks=own)
        named = {mark.kind for mark in own} & _BY_NAME
        if named:
            found = without(found, *named)
        if found.shape == "text" and not found.all_marks() and not found.parts:
            return found  # a literal: its parameter's name says nothing
        shape = found.shape or value.shape
        return replace(found, marks=found.marks | own, shape=shape, type=found.type or value.type)

    def _marks(self, marks: Marks) -> Marks:
        if not marks:
            return marks
        found: set[Mark] = set()
        named = {mark.kind for mark in marks} & _BY_NAME
        for mark in marks:
            if self.owns(mark):
                found |= {each for each in self._from_argument(mark) if each.kind not in named}
            elif (moved := self._moved(mark)) is not None:
                found.add(moved)
        return frozenset(found if len(found) <= _MOST_MARKS else sorted(found, key=_weight)[:_MOST_MARKS])

    def _moved(self, mark: Mark) -> Mark | None:
        """A mark of the callee, now the caller's; None where it came too far to be told with confidence."""
        if mark.kind == "param":
            return mark
        if mark.kind == COUNT or self._is_unused(mark):
            return None
        if sum(hop.what.startswith("through ") for hop in mark.hops) >= _MOST_CALLS:
            return None
        return replace(mark, loops=self.loops).via(self.hop)

    def _is_unused(self, mark: Mark) -> bool:
        """Whether it comes from the default of a parameter that is given."""
        places = ((mark.file, mark.span), *((hop.file, hop.span) for hop in mark.hops))
        return bool(self._unused) and any(file == self.file and span in self._unused for file, span in places)

    def _from_argument(self, mark: Mark) -> Marks:
        value = follow(self.arguments.get(mark.index, UNKNOWN), mark.path)
        found = set()
        for each in value.all_marks():
            if each.kind == "param":
                each = replace(each, element=mark.element or each.element, iterated=mark.iterated or each.iterated)
            elif each.kind in ("order", "keys") and mark.iterated:
                each = replace(each, element=mark.element)
            found.add(each)
        if mark.iterated and value.unordered and value.site:
            file, span = value.site
            hops = (self.hop, *mark.hops)
            found.add(Mark("order", file, span, element=mark.element, loops=self.loops, hops=hops))
        return frozenset(found) or NONE


def _weight(mark: Mark) -> tuple[bool, str, tuple[int, int], int, tuple[str, ...]]:
    """What is known comes before arguments that are not."""
    return (mark.kind == "param", mark.file, mark.span, mark.index, mark.path)


def follow(value: Value, path: tuple[str, ...]) -> Value:
    """A field of a field of the value."""
    for step in path:
        if step == SORTED:
            marks = in_order(Value(marks=value.all_marks())).marks
            value = Value("list", marks=marks) if marks else UNKNOWN
        elif step.startswith(WITHOUT):
            value = without(value, step.removeprefix(WITHOUT))
        elif step == KEYED + ANY:
            value = Value(marks=value.all_marks()) if value.shape == "table" and value.ref is None else UNKNOWN
        elif step.removeprefix(KEYED) in value.fields:
            value = value.fields[step.removeprefix(KEYED)]
        elif value.ref is not None:
            ref = replace(value.ref, path=(*value.ref.path, step))
            value = Value(marks=frozenset({ref}), ref=ref)
        elif value.fields or value.shape == "object" or step.startswith(KEYED):
            return UNKNOWN
        else:
            value = Value(marks=value.all_marks())
    return value
