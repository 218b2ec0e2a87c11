"""Objects: the class that one is of, its methods, and what constructors and methods put into its fields."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from promptlint.readers.code import ir, order
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, Unit, dotted
from promptlint.readers.code.value import Value, frozen, joined, mapped

if TYPE_CHECKING:
    from promptlint.readers.code.engine import Engine

_SETS = rb"\.\w+(?:(?:\s*:[^=\n]+)?\s*(?:[-+|]?=(?!=)|\+\+)|\.(?:append|push|add))"


def method_of(scope: Scope, receiver: Value, func: ir.Attr) -> tuple[ir.Function | None, Scope | None]:
    """The method that a call means: of the object's class, or the only one of that name in the file."""
    engine = scope.engine
    if isinstance(receiver.scope, Scope) and receiver.shape == "module":
        value = engine.global_value(receiver.scope.unit, func.name)
        if value is None:
            return None, None
        return value.function, value.scope if isinstance(value.scope, Scope) else None
    class_, unit = class_of(engine, scope.unit, receiver.type)
    seen: set[tuple[str, str]] = set()  # bases may lead back to where they began
    while class_ is not None and unit is not None and (unit.file, class_.name) not in seen:
        seen.add((unit.file, class_.name))
        if func.name in class_.methods:
            return class_.methods[func.name], Scope(engine, unit)
        base = next((base for base in class_.bases if base != class_.name), "")
        class_, unit = class_of(engine, unit, base)
    if isinstance(func.of, ir.Name) and func.of.name in scope.unit.module.classes:
        return scope.unit.module.classes[func.of.name].methods.get(func.name), Scope(engine, scope.unit)
    if receiver.type or receiver.shape:
        return None, None
    # One word is any class's method, unless the object is called as the class is.
    name = snake(dotted(func.of)[-1])
    found = [
        class_.methods[func.name]
        for class_ in scope.unit.module.classes.values()
        if func.name in class_.methods and ("_" in snake(func.name) or _is_called(name, class_.name))
    ]
    return (found[0], Scope(engine, scope.unit)) if len(found) == 1 else (None, None)


def class_of(engine: Engine, unit: Unit, declared: str) -> tuple[ir.Class | None, Unit | None]:
    name = order.class_name(declared)
    if not name:
        return None, None
    if name in unit.module.classes:
        return unit.module.classes[name], unit
    value = engine.global_value(unit, name) if name not in unit.env else None
    if value is not None and value.type == name and isinstance(value.scope, Scope):
        return value.scope.unit.module.classes.get(name), value.scope.unit
    return None, None


def field_of(engine: Engine, unit: Unit, of: Value, name: str) -> Value | None:
    """A field by the class of the object: what its methods put there, else what its type says."""
    if of.shape == "module" and isinstance(of.scope, Scope):
        return engine.global_value(of.scope.unit, name)
    class_, unit_of = class_of(engine, unit, of.type)
    if class_ is None or unit_of is None:
        return None
    set_by_methods = fields_of(engine, unit_of, class_)
    if name in set_by_methods:
        return set_by_methods[name]
    if name in class_.fields:
        declared, span = class_.fields[name]
        value = order.typed(declared, unit_of.catalogue)
        return replace(value, site=(unit_of.file, span)) if value.shape else value
    if name in class_.methods and any("property" in each for each in class_.methods[name].decorators):
        return engine.summary(unit_of, class_.methods[name]).returns
    return None


def fields_of(engine: Engine, unit: Unit, class_: ir.Class) -> dict[str, Value]:
    """What constructors and methods put into fields; what a constructor makes stays as it was."""
    key = (unit.file, class_.name)
    if key in engine.fields:
        return engine.fields[key]
    found: dict[str, list[Value]] = {}
    engine.fields[key] = {}
    for name, default in class_.defaults.items():
        found.setdefault(name, []).append(frozen(Scope(engine, unit, frozen=True).eval(default)))
    methods = sorted(class_.methods.values(), key=lambda method: not engine.is_constructor(unit, method))
    for method in methods:
        starts = engine.is_constructor(unit, method)
        if not starts:  # what constructors leave behind is known to the other methods
            engine.fields[key] = _merged(unit, class_, found)
            if not _sets(method.this).search(unit.module.data, *method.span):
                continue
        for name, value in engine.summary(unit, method).fields.items():
            value = mapped(value, lambda mark: None if mark.kind == "param" else mark)
            value = replace(value, ref=None) if value.ref is not None else value
            found.setdefault(name, []).append(frozen(value) if starts else value)
    for method in methods:  # they were run before all fields were known
        engine.forget(unit, method)
    engine.fields[key] = _merged(unit, class_, found)
    return engine.fields[key]


@functools.lru_cache(maxsize=1_000)
def _sets(this: str) -> re.Pattern[bytes]:
    """Sets a field of the object that has this name."""
    return re.compile(rb"\b" + re.escape(this.encode()) + _SETS)


def _merged(unit: Unit, class_: ir.Class, found: Mapping[str, list[Value]]) -> dict[str, Value]:
    """Fields as one of the values that were put there, with what their declared types say."""
    fields = {}
    for name, values in found.items():
        value = joined(values)
        if name in class_.fields and not value.shape:
            declared, span = class_.fields[name]
            shape = order.shape_of(declared, unit.catalogue)
            value = replace(value, shape=shape, type=declared, site=(unit.file, span) if shape else None)
        fields[name] = value
    return fields


def _is_called(name: str, class_: str) -> bool:
    """Whether a variable bears the name of a class: `builder` or `prompt_builder` of `PromptBuilder`."""
    whole = snake(class_)
    return len(name) > 3 and (name == whole or whole.endswith(f"_{name}"))
