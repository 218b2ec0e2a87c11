"""Calls: what gives something that changes, what the file defines itself, and what the language brings along."""

from __future__ import annotations

import re
from dataclasses import dataclass

from promptlint.readers.code import call_sinks, ir, methods, moments, objects, order, read_files, sinks
from promptlint.readers.code.bind import Binding
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Event, Scope, Unit, dotted
from promptlint.readers.code.value import UNKNOWN, Hop, Value, cleaned, frozen, in_a_row

_MOST_EVENTS = 60
_DEEPEST_CLOSURES = 6
_SHOWS = re.compile("json|str|dump|yaml|render|format")  # calls that print a table as a whole
_UNORDERED_ROWS = re.compile(
    r"^\W*select\b(?!\s+(?:count|max|min|sum|avg|exists)\b)(?=.*\bfrom\b)(?!.*(?:\border\s+by\b|\blimit\s+1\b|\bwhere\s+[\w.]*id\s*=))",
    re.IGNORECASE | re.DOTALL,
)
_SHORT = 1500  # bytes of a function that is always run


@dataclass(frozen=True, slots=True)
class Called:
    """A call with its values: `path` is the callee with imports resolved, `receiver` what a method is called on."""

    expr: ir.Call
    path: tuple[str, ...]
    receiver: Value
    args: list[Value]
    named: dict[str, Value]

    @property
    def name(self) -> str:
        return self.path[-1]


def closure_value(function: ir.Function, scope: Scope) -> Value:
    return Value("function", function=function, scope=scope)


def call(scope: Scope, expr: ir.Call) -> Value:
    if isinstance(expr.func, ir.Index) and dotted(expr.func.of)[-1][:1].isupper():  # Name[Type](…)
        expr = replace(expr, func=expr.func.of)
    receiver = scope.eval(expr.func.of) if isinstance(expr.func, ir.Attr) else UNKNOWN
    args: list[Value] = []
    for arg in expr.args:
        value = scope.eval(arg)
        args.append(order.rows(scope, value, arg.span) if isinstance(arg, ir.Spread) else value)
    path = scope.engine.resolved(scope.unit, dotted(expr.func))
    named = {name: scope.eval(arg) for name, arg in expr.named}
    called = Called(expr, path, receiver, args, named)
    call_sinks.at_call(scope, called)
    house = _of_house(scope, called)
    if house is not None:
        return house
    message = call_sinks.message(scope, called)
    if message is not None:
        return message
    if scope.catalogue.patterns["recalls"].fullmatch(snake(called.name)):
        return Value(marks=frozenset({scope.mark("retrieval", expr.span)}))
    function, owner, self_value = _target(scope, called)
    if function is not None:
        return apply(scope, called, function, owner, self_value)
    made = _made(scope, called)
    if made is not None:
        return made
    found = methods.builtin(scope, called)
    if found is not None:
        return found
    return _unknown(scope, called)


def _of_house(scope: Scope, called: Called) -> Value | None:
    """The value of a call that a user declared, whatever its definition may say."""
    kind = scope.catalogue.house_sources.find(called.path, len(called.args))
    if kind is not None:
        return Value(marks=frozenset({scope.mark(kind, called.expr.span)}))
    kinds = scope.catalogue.house_sanitizers.find(called.path)
    if kinds is None:
        return None
    value = called.args[0] if called.args else called.receiver
    for each in kinds.split():
        value = order.sorted_of(value) if each == "order" else cleaned(value, each)
    return value


def _made(scope: Scope, called: Called) -> Value | None:
    """The value of a call that the catalogue knows as something that changes."""
    span = called.expr.span
    count = len(called.args)
    kind = scope.catalogue.sources.find(called.path, count)
    if kind is None and _is_unordered_query(scope, called):
        return Value("list", marks=frozenset({scope.mark("order", span)}))
    if kind is None or (called.path[0] == "?" and len(called.path) == 1):
        return None
    if kind == "variable":
        from promptlint.readers.code.places import variable

        name = called.expr.args[0] if called.expr.args else None
        return variable(scope, name.text, span) if isinstance(name, ir.Lit) else UNKNOWN
    if kind == "file":
        shown = scope.unit.source(span, 120)
        if not scope.catalogue.patterns["files"].search(snake(shown)):
            return read_files.read(scope, called)
    if kind == "sample" and called.name in ("shuffle", "Shuffle"):
        methods.shuffle(scope, called)
    value = Value(marks=frozenset({scope.mark(kind, span)}))
    if kind == "clock" and called.args:  # strftime with its format, `time.strftime("%Y-%m-%d")`
        return moments.method(scope, value, called.name, called.expr.args, span) or value
    return value


def _is_unordered_query(scope: Scope, called: Called) -> bool:
    """Whether a call asks a database for rows and does not say in which order."""
    if called.name not in scope.catalogue.words["queries"]:
        return False
    return any(_UNORDERED_ROWS.search("".join(leaf.text for leaf in arg.leaves())) for arg in called.args[:2])


def _target(scope: Scope, called: Called) -> tuple[ir.Function | None, Scope | None, Value]:
    """The definition that a call means, the scope it closes over, and the object it is called on."""
    func = called.expr.func
    if isinstance(func, ir.Name):
        value = scope.lookup(func.name) or scope.engine.global_value(scope.unit, func.name)
        if value is not None and value.shape == "function" and value.function is not None:
            owner = value.scope if isinstance(value.scope, Scope) else None
            return value.function, owner, UNKNOWN
        return None, None, UNKNOWN
    if isinstance(func, ir.Closure):
        return func.function, scope, UNKNOWN
    if isinstance(func, ir.Attr):
        held = called.receiver.fields.get(func.name)
        if held is not None and held.function is not None:
            return held.function, held.scope if isinstance(held.scope, Scope) else None, UNKNOWN
        method, unit_scope = objects.method_of(scope, called.receiver, func)
        return method, unit_scope, called.receiver
    return None, None, UNKNOWN


def apply(scope: Scope, called: Called, function: ir.Function, owner: Scope | None, receiver: Value) -> Value:
    """The result of a function that is known, with its own uses of the arguments."""
    span = called.expr.span
    if owner is not None and owner.function is not None:
        return (aside if called.expr.types == ir.ASIDE else inline)(scope, owner, function, called.args)
    unit = owner.unit if owner is not None else scope.unit
    if not _worth_running(unit, function, [receiver, *called.args, *called.named.values()]):
        return _unknown(scope, called)
    summary = scope.engine.summary(unit, function)
    hop = Hop(f"through {function.name}()", scope.unit.file, span)
    binding = Binding(unit.file, function, _arguments(scope, function, called, receiver), hop, scope.loops)
    for event in summary.events[:_MOST_EVENTS]:
        _raise_again(scope, event, binding)
    if scope.engine.is_constructor(unit, function):
        fields = {name: binding.value(value) for name, value in summary.fields.items()}
        return Value("object", fields=fields, type=function.owner)
    returned = binding.value(summary.returns)
    if scope.frozen:
        returned = frozen(returned)
    return returned


def _worth_running(unit: Unit, function: ir.Function, values: list[Value]) -> bool:
    """Whether the inside of a function can matter: it speaks of something, it is short, or it is given something."""
    if function.span[1] - function.span[0] < _SHORT or unit.speaks(function.span):
        return True
    return any(value.unordered or any(mark.kind != "param" for mark in value.all_marks()) for value in values)


def _raise_again(scope: Scope, event: Event, binding: Binding) -> None:
    """A place in the callee where an argument of this call reaches a prompt."""
    if not any(binding.owns(mark) for mark in event.value.all_marks()) or len(scope.events) > _MOST_EVENTS:
        return
    value = binding.value(event.value)
    said = {mark for mark in event.value.all_marks() if not binding.owns(mark)}
    new = {mark for mark in value.all_marks() if mark.span not in {each.span for each in said}}
    if new or any(part.unordered for part in value.walk()):
        top = scope.function is None and scope.frozen
        loops = (*scope.loops, *event.loops)
        scope.events.append(replace(event, value=value, loops=loops, top=event.top or top))


def _arguments(scope: Scope, function: ir.Function, called: Called, receiver: Value) -> dict[int, Value]:
    """Arguments by parameter number; the object itself is the first where the language says so."""
    found: dict[int, Value] = {}
    params = list(enumerate(function.params))
    if function.bound:
        found[0] = receiver
        params = params[1:]
    by_name = {param.name: index for index, param in params}
    for (index, _), value in zip(params, called.args, strict=False):
        found[index] = value
    for name, value in called.named.items():
        if name in by_name:
            found[by_name[name]] = value
    return found


def inline(scope: Scope, owner: Scope, function: ir.Function, args: list[Value]) -> Value:
    """A closure run in place, with the variables around it; nothing while it is being run already."""
    engine = scope.engine
    if len(engine.closures) >= _DEEPEST_CLOSURES or function in engine.closures:
        return UNKNOWN
    inner = Scope(engine, owner.unit, owner.function, {}, owner, scope.loops, [], scope.events, scope.frozen)
    for param, value in zip(function.params, [*args, *[None] * len(function.params)], strict=False):
        if value is None:
            value = scope.eval(param.default) if param.default is not None else UNKNOWN
        engine.assign(inner, param.target, value, param.target.span)
    engine.closures.append(function)
    try:
        engine.run(inner, function.body())
    finally:
        engine.closures.pop()
    return engine.returned(inner)


def _called_later(scope: Scope, function: ir.Function, owner: object) -> None:
    """A function that is handed to one without a definition in sight, which will call it."""
    if isinstance(owner, Scope) and owner.function is not None:
        inline(scope, owner, function, [])
    elif isinstance(owner, Scope):
        scope.events.extend(scope.engine.summary(owner.unit, function).events[:_MOST_EVENTS])


def aside(scope: Scope, owner: Scope, function: ir.Function, args: list[Value]) -> Value:
    """A closure that runs beside others, in no order."""
    scope.engine.concurrent += 1
    try:
        return inline(scope, owner, function, args)
    finally:
        scope.engine.concurrent -= 1


def _object(scope: Scope, called: Called) -> Value:
    """An object whose class says nothing but the names of its fields."""
    class_, _ = objects.class_of(scope.engine, scope.unit, called.name)
    names = list(class_.fields) if class_ is not None else []
    fields = {names[i] if i < len(names) else f"*{i}": value for i, value in enumerate(called.args)}
    site = (scope.unit.file, called.expr.span)
    return Value("object", fields={**fields, **called.named}, type=called.name, site=site)


def _unknown(scope: Scope, called: Called) -> Value:
    """A function without a definition in sight."""
    name = snake(called.name)
    patterns = scope.catalogue.patterns
    for value in called.args:
        if value.function is not None and scope.unit.lands(called.expr.span):
            _called_later(scope, value.function, value.scope)
    if name == "read" and called.receiver.text:  # open(path).read()
        return called.receiver
    if patterns["quiet_names"].fullmatch(name):
        return UNKNOWN
    if called.name[:1].isupper() and scope.unit.module.language in ("python", "javascript"):
        return _object(scope, called)
    shows = _SHOWS.search(name) is not None
    values = [called.receiver, *called.args, *called.named.values()]
    if patterns["passes"].fullmatch(name):  # text.replace(pattern, function)
        values = [sinks.called_back(scope, value) for value in values]
    values = [value for value in values if shows or value.shape not in ("table", "object", "map")]
    marks = frozenset(mark for value in values for mark in value.all_marks())
    if not marks:
        same = next((value for value in (called.receiver, *called.args) if value.shape == "text"), UNKNOWN)
        return same if patterns["passes"].fullmatch(name) else UNKNOWN
    if patterns["passes"].fullmatch(name):
        kept = frozenset(mark for mark in marks if mark.kind != "keys" or shows)
    elif called.path[0] == "?" or any(mark.kind != "param" for mark in called.receiver.all_marks()):
        kept = frozenset(mark for mark in marks if mark.kind not in ("keys", "identity", "counter"))
    else:
        kept = frozenset(mark for mark in marks if mark.kind == "order" or (mark.kind == "param" and mark.element))
        kept |= called.receiver.all_marks()
    if patterns["profiles"].fullmatch(name):
        kept |= frozenset(mark for mark in marks if mark.kind == "identity")
    texts = [value for value in (called.receiver, *called.args) if value.shape == "text" and value.all_marks()]
    if texts and patterns["passes"].fullmatch(name):
        return in_a_row(texts[0]) if len(texts) == 1 else Value("text", parts=tuple(texts))
    return Value(marks=kept)
