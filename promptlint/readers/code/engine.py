"""The interpreter's memory: files, what they define, and a summary of every function that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from promptlint.readers.code import ir, objects, order, sinks, statements
from promptlint.readers.code.expressions import evaluate
from promptlint.readers.code.imports import Resolver
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope, Summary, Unit, place_of
from promptlint.readers.code.value import UNKNOWN, Mark, Value, joined

_DEEPEST_CALLS = 8
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
        self.fields: dict[tuple[str, str], dict[str, Value]] = {}
        self._depth = self.concurrent = self.steps = self.most_steps = self.loads = 0
        self.closures: list[ir.Function] = []  # those that are being run in place, which may call themselves
        self.root, self.roots = "", dict[str, str]()  # what the innermost loop goes through, and of every variable
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
        self.fields.clear()

    def forget(self, unit: Unit, function: ir.Function) -> None:
        """A summary that was made before all fields were known."""
        self._summaries.pop((unit.file, function), None)

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
        return Value("class", type=class_.name, scope=Scope(self, unit))

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
            class_ = unit.module.classes.get(function.owner)
            if class_ is not None:  # all fields have to be known before one of its methods is run
                objects.fields_of(self, unit, class_)
            self._summaries[key] = _NOTHING
            self._fresh.append(key)
            self._depth += 1
            root, roots, self.root, self.roots = self.root, self.roots, "", {}
            try:
                self._summaries[key] = self._summarized(unit, function)
            finally:
                self._depth -= 1
                self.root, self.roots = root, roots
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
        prefix = f"{function.this}."
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
        if isinstance(param.default, ir.Call) and scope.unit.module.language != "python":  # there it is made once
            value = replace(value, marks=value.marks | self.eval(scope, param.default).all_marks())
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


def _words(unit: Unit, name: str) -> frozenset[str]:
    return unit.catalogue.words[name]


def _top_assigns(body: Sequence[ir.Stmt]) -> Iterator[ir.Assign]:
    for stmt in body:
        if isinstance(stmt, ir.Assign):
            yield stmt
        elif isinstance(stmt, ir.Branch) and not stmt.main:
            for arm in stmt.arms:
                yield from _top_assigns(arm)
