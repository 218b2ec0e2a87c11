"""The interpreter's memory: files, what they define, and a summary of every function that was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.readers.code import ir, order, sinks, statements
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.expressions import evaluate
from promptlint.readers.code.imports import Resolver
from promptlint.readers.code.scope import Scope, Summary, Unit, place_of
from promptlint.readers.code.value import UNKNOWN, Mark, Value, frozen, joined, mapped

_DEEPEST_CALLS = 8
_SETS_FIELD = re.compile(rb"\w\.\w+(?:\s*:[^=\n]+)?\s*(?:[-+|]?=(?!=))|\w\.\w+\.(?:append|push|add)")
_NOTHING = Summary(UNKNOWN)
_IMPORTED, _WHOLE = "imported", "whole"
_MOST_LOADS = 10  # files that are read on behalf of one


class Engine:
    """Runs one file and what it imports. `load` gives a file as a Unit, or None where there is none."""

    def __init__(self, resolver: Resolver, load: Callable[[str], Unit | None]) -> None:
        self.resolver = resolver
        self._load = load
        self._units: dict[str, Unit | None] = {}
        self._summaries: dict[tuple[str, ir.Function], Summary] = {}
        self._fields: dict[tuple[str, str], dict[str, Value]] = {}
        self._depth = self.closures = self.steps = self.most_steps = self.loads = 0
        self.tail: set[tuple[str, ir.Span]] = set()  # message literals that turned out to be the newest input
        self.eval = evaluate
        self.run = statements.run
        self.assign = statements.assign
        self.store = statements.store

    def unit(self, file: str) -> Unit | None:
        """A file that another imports; None where it cannot be read, or where this run has had enough of them."""
        if file not in self._units:
            if self.loads >= _MOST_LOADS:
                return None
            self.loads += 1
            self._units[file] = self._load(file)
        return self._units[file]

    def begin(self, most_steps: int) -> None:
        """A new file: what it may take counts from here."""
        self.steps, self.most_steps, self.loads = 0, most_steps, 0
        self._fresh: list[tuple[str, ir.Function]] = []

    def undo(self) -> None:
        """Forgets what was summarised since `begin`, because it was cut short."""
        for key in self._fresh:
            self._summaries.pop(key, None)
        self._fields.clear()

    def adopted(self, file: str, read: Callable[[], Unit]) -> Unit:
        """A file that is asked for itself; another may have imported it before."""
        unit = self._units.get(file) or read()
        self._units[file] = unit
        return unit

    def start(self, unit: Unit, *, imported: bool = True) -> None:
        """The top level of a file, run once; that of an imported one name by name, as they are asked for."""
        if unit.started == _WHOLE or (imported and unit.started):
            return
        unit.started = _IMPORTED if imported else _WHOLE
        for function in unit.module.functions.values():
            unit.env[function.name] = self._global_function(unit, function)
        if imported:
            for stmt in _top_assigns(unit.module.body):
                place = place_of(stmt.target)
                if place is not None:
                    unit.assigns.setdefault(place, []).append(stmt)
            return
        unit.assigns.clear()
        scope = Scope(self, unit, env=unit.env, events=unit.events, frozen=True)
        self.run(scope, unit.module.body)
        sinks.at_end(scope)

    def _global_function(self, unit: Unit, function: ir.Function) -> Value:
        return Value("function", function=function, scope=Scope(self, unit, env=unit.env))

    def global_value(self, unit: Unit, name: str) -> Value | None:
        """What a name means at the top level of a file: defined there, a class of it, or imported."""
        self.start(unit)
        if name in unit.assigns:
            self.run(Scope(self, unit, env=unit.env, frozen=True), unit.assigns.pop(name))
        if name in unit.env:
            return unit.env[name]
        if name in unit.module.classes:
            return self._constructor(unit, unit.module.classes[name])
        imported = unit.module.imports.get(name)
        if imported is not None:
            return self._imported(unit, imported)
        if unit.module.language == "go":
            for file in self.resolver.neighbours(unit.file):
                other = self.unit(file)
                if other is not None and (name in other.module.functions or name in other.module.classes):
                    return self.global_value(other, name)
        return None

    def _imported(self, unit: Unit, imported: ir.Import) -> Value | None:
        if self._depth > _DEEPEST_CALLS:
            return None
        self._depth += 1
        try:
            for file in self.resolver.files(unit.file, unit.module.language, imported):
                other = self.unit(file)
                if other is None:
                    continue
                if imported.name is None:
                    return Value("module", scope=Scope(self, other, env=other.env))
                return self.global_value(other, imported.name)
        finally:
            self._depth -= 1
        return None

    def _constructor(self, unit: Unit, class_: ir.Class) -> Value:
        for name in _words(unit, "construct"):
            if name in class_.methods:
                return Value("function", function=class_.methods[name], scope=Scope(self, unit), type=class_.name)
        return Value("class", type=class_.name)

    def resolved(self, unit: Unit, path: tuple[str, ...]) -> tuple[str, ...]:
        """A call's path with the import of its first step written out."""
        imported = unit.module.imports.get(path[0])
        if imported is None or imported.name == "default":
            return path
        module = tuple(step for step in imported.module.replace("::", ".").replace("/", ".").split(".") if step)
        own = (imported.name,) if imported.name else module[-1:]
        return (*(module if imported.name else module[:-1]), *own, *path[1:])

    def is_constructor(self, unit: Unit, function: ir.Function) -> bool:
        return bool(function.owner) and function.name in _words(unit, "construct") and unit.module.language != "rust"

    def summary(self, unit: Unit, function: ir.Function) -> Summary:
        """What a function does with arguments that are not known; nothing while it is being run already."""
        key = (unit.file, function)
        if key not in self._summaries:
            if self._depth > _DEEPEST_CALLS:
                return _NOTHING
            self._summaries[key] = _NOTHING
            self._fresh.append(key)
            self._depth += 1
            try:
                self._summaries[key] = self._summarized(unit, function)
            finally:
                self._depth -= 1
        return self._summaries[key]

    def _summarized(self, unit: Unit, function: ir.Function) -> Summary:
        self.start(unit)
        starts = self.is_constructor(unit, function)
        cached = any(unit.catalogue.patterns["cached"].fullmatch(each) for each in function.decorators)
        scope = Scope(self, unit, function, frozen=starts or cached)
        for index, param in enumerate(function.params):
            self._bind_parameter(scope, function, index, param)
        self.run(scope, function.body())
        sinks.at_end(scope)
        returned = self.returned(scope)
        returned = order.typed(function.returns, unit.catalogue, returned)
        sinks.at_return(scope, function, returned)
        prefix = f"{function.params[0].name}." if function.bound else "this."
        set_here = {place.removeprefix(prefix): value for place, value in scope.env.items() if place.startswith(prefix)}
        fields = {name: value for name, value in set_here.items() if "." not in name}
        return Summary(returned, tuple(scope.events), fields)

    def _bind_parameter(self, scope: Scope, function: ir.Function, index: int, param: ir.Param) -> None:
        mark = Mark("param", scope.unit.file, function.span, index=index)
        own_type = function.owner if function.bound and not index else param.type
        value = Value(
            order.shape_of(own_type, scope.catalogue), marks=frozenset({mark}), type=own_type, ref=mark,
            site=(scope.unit.file, param.target.span),
        )  # fmt: skip
        kind = scope.catalogue.named(param.name) if param.name else None
        if kind is not None:
            value = replace(value, marks=value.marks | {scope.mark(kind, param.target.span, param.name)})
        if param.name:
            scope.env[param.name] = value
        else:
            self.assign(scope, param.target, value, param.target.span)

    def returned(self, scope: Scope) -> Value:
        """What the returns of a function give."""
        return joined(scope.returns) if scope.returns else UNKNOWN

    def member(self, scope: Scope, value: Value, name: str, span: ir.Span) -> Value:
        """A field of a value that a pattern takes out of it."""
        return self.eval(scope, ir.Attr(span, ir.Held(span, value), name))

    def method_of(self, scope: Scope, receiver: Value, func: ir.Attr) -> tuple[ir.Function | None, Scope | None]:
        """The method that a call means: of the object's class, or the only one of that name in the file."""
        if isinstance(receiver.scope, Scope) and receiver.shape == "module":
            value = self.global_value(receiver.scope.unit, func.name)
            return (value.function, _scope(value)) if value is not None else (None, None)
        class_, unit = self.class_of(scope.unit, receiver.type)
        seen: set[tuple[str, str]] = set()  # bases may lead back to where they began
        while class_ is not None and unit is not None and (unit.file, class_.name) not in seen:
            seen.add((unit.file, class_.name))
            if func.name in class_.methods:
                return class_.methods[func.name], Scope(self, unit)
            base = next((base for base in class_.bases if base != class_.name), "")
            class_, unit = self.class_of(unit, base)
        if isinstance(func.of, ir.Name) and func.of.name in scope.unit.module.classes:
            return scope.unit.module.classes[func.of.name].methods.get(func.name), Scope(self, scope.unit)
        if receiver.type or receiver.shape or "_" not in snake(func.name):  # one word is any class's method
            return None, None
        found = [c.methods[func.name] for c in scope.unit.module.classes.values() if func.name in c.methods]
        return (found[0], Scope(self, scope.unit)) if len(found) == 1 else (None, None)

    def class_of(self, unit: Unit, declared: str) -> tuple[ir.Class | None, Unit | None]:
        name = order.class_name(declared)
        if not name:
            return None, None
        if name in unit.module.classes:
            return unit.module.classes[name], unit
        value = self.global_value(unit, name) if name not in unit.env else None
        if value is not None and value.type == name and isinstance(value.scope, Scope):
            return value.scope.unit.module.classes.get(name), value.scope.unit
        return None, None

    def field_of(self, unit: Unit, of: Value, name: str) -> Value | None:
        """A field by the class of the object: what its methods put there, else what its type says."""
        if of.shape == "module" and isinstance(of.scope, Scope):
            return self.global_value(of.scope.unit, name)
        class_, unit_of = self.class_of(unit, of.type)
        if class_ is None or unit_of is None:
            return None
        set_by_methods = self._class_fields(unit_of, class_)
        if name in set_by_methods:
            return set_by_methods[name]
        if name in class_.fields:
            declared, span = class_.fields[name]
            value = order.typed(declared, unit_of.catalogue)
            return replace(value, site=(unit_of.file, span)) if value.shape else value
        if name in class_.methods and any("property" in each for each in class_.methods[name].decorators):
            return self.summary(unit_of, class_.methods[name]).returns
        return None

    def _class_fields(self, unit: Unit, class_: ir.Class) -> dict[str, Value]:
        """What constructors and methods put into fields; what a constructor makes stays as it was."""
        key = (unit.file, class_.name)
        if key in self._fields:
            return self._fields[key]
        found: dict[str, list[Value]] = {}
        self._fields[key] = {}
        for name, default in class_.defaults.items():
            found.setdefault(name, []).append(frozen(Scope(self, unit, frozen=True).eval(default)))
        methods = sorted(class_.methods.values(), key=lambda method: not self.is_constructor(unit, method))
        for method in methods:
            starts = self.is_constructor(unit, method)
            if not starts:  # what constructors leave behind is known to the other methods
                self._fields[key] = self._merged(unit, class_, found)
                if not _SETS_FIELD.search(unit.module.data, *method.span):
                    continue
            for name, value in self.summary(unit, method).fields.items():
                value = mapped(value, lambda mark: None if mark.kind == "param" else mark)
                value = replace(value, ref=None) if value.ref is not None else value
                found.setdefault(name, []).append(frozen(value) if starts else value)
        for method in methods:  # they were run before all fields were known
            self._summaries.pop((unit.file, method), None)
        self._fields[key] = self._merged(unit, class_, found)
        return self._fields[key]

    def _merged(self, unit: Unit, class_: ir.Class, found: Mapping[str, list[Value]]) -> dict[str, Value]:
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


def _words(unit: Unit, name: str) -> frozenset[str]:
    return unit.catalogue.words[name]


def _scope(value: Value) -> Scope | None:
    return value.scope if isinstance(value.scope, Scope) else None


def _top_assigns(body: Sequence[ir.Stmt]) -> Iterator[ir.Assign]:
    for stmt in body:
        if isinstance(stmt, ir.Assign):
            yield stmt
        elif isinstance(stmt, ir.Branch) and not stmt.main:
            for arm in stmt.arms:
                yield from _top_assigns(arm)
