"""Source code in one small form for all languages: what builds values, where they go, and nothing else.

Spans are half-open ranges of bytes in the file's UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression that says nothing of its own: a number, a comparison, something that is not followed."""

    span: Span


@dataclass(frozen=True, slots=True)
class Lit(Expr):
    """Text that stands in the source; escapes are kept as they are written."""

    text: str


@dataclass(frozen=True, slots=True)
class Number(Expr):
    """A number, or true, false, nothing."""


@dataclass(frozen=True, slots=True)
class Name(Expr):
    name: str


@dataclass(frozen=True, slots=True)
class Attr(Expr):
    """`of.name`, whatever the language writes between them."""

    of: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index(Expr):
    of: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A call, a `new`, or a macro that acts like a function. `types`: type arguments as written (`BTreeMap<_, _>`)."""

    func: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[str, Expr], ...] = ()
    types: str = ""


@dataclass(frozen=True, slots=True)
class Hole(Expr):
    """A place in a text; `spec` is its format (`%H:%M`), empty for none."""

    value: Expr
    spec: str = ""


@dataclass(frozen=True, slots=True)
class Text(Expr):
    """Parts one after another: an f-string, a template literal, `format!`."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """`+`, and the operators of sets. Other operators are an Either of both sides, comparisons an Expr."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Either(Expr):
    """One of several: a conditional, `or`, `??`, `match`."""

    options: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Sequence(Expr):
    """A list or tuple, or a set (`unordered`)."""

    items: tuple[Expr, ...]
    unordered: bool = False


@dataclass(frozen=True, slots=True)
class Spread(Expr):
    value: Expr


@dataclass(frozen=True, slots=True)
class Table(Expr):
    """A dict, object, map or struct literal; keys that are no constants have no name. `type`: of the struct."""

    entries: tuple[tuple[str | None, Expr], ...]
    type: str = ""


@dataclass(frozen=True, slots=True)
class Comprehension(Expr):
    """`shape` is list, set, table or iter; `loops` are (target, collection) from the outside in."""

    shape: str
    loops: tuple[tuple[Expr, Expr], ...]
    key: Expr | None
    element: Expr


@dataclass(frozen=True, slots=True)
class Closure(Expr):
    function: Function


@dataclass(frozen=True, slots=True)
class Held(Expr):
    """A value that is there already, in the place of an expression."""

    value: object


@dataclass(frozen=True, slots=True)
class Stmt:
    span: Span


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """`type` is the declared type as written. `adds`: `+=`, `|=` and their like."""

    target: Expr
    value: Expr | None
    type: str = ""
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Do(Stmt):
    value: Expr


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    """A return; `yields`: one item of many."""

    value: Expr
    yields: bool = False


@dataclass(frozen=True, slots=True)
class Loop(Stmt):
    """A loop over a collection, or (`over` is None) while something holds."""

    target: Expr | None
    over: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Branch(Stmt):
    """Arms of which one runs; `exhaustive`: one of them always does. `main`: what runs only as a program."""

    arms: tuple[tuple[Stmt, ...], ...]
    exhaustive: bool = False
    main: bool = False


@dataclass(frozen=True, slots=True)
class Define(Stmt):
    function: Function


@dataclass(frozen=True, slots=True)
class Param:
    """`target` is a Name, or a pattern that takes the argument apart."""

    target: Expr
    type: str = ""
    default: Expr | None = None

    @property
    def name(self) -> str:
        return self.target.name if isinstance(self.target, Name) else ""


@dataclass(frozen=True, slots=True)
class Function:
    """`body` is lowered when it is first asked for. `owner` is the class, struct or impl around it.

    `bound`: the first parameter is the object that it is called on.
    """

    name: str
    span: Span
    params: tuple[Param, ...]
    body: Callable[[], tuple[Stmt, ...]] = field(compare=False)
    owner: str = ""
    returns: str = ""
    decorators: tuple[str, ...] = ()
    bound: bool = False

    def __hash__(self) -> int:
        return hash((self.name, self.span))


@dataclass(frozen=True, slots=True)
class Class:
    """A class, struct or interface: types of its fields as written with the place of each, and its methods."""

    name: str
    span: Span
    fields: Mapping[str, tuple[str, Span]]
    methods: Mapping[str, Function]
    bases: tuple[str, ...] = ()
    defaults: Mapping[str, Expr] = field(default_factory=dict)
    serialized: bool = True


@dataclass(frozen=True, slots=True)
class Import:
    """A local name for `name` of a module (None: for the module itself)."""

    module: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Module:
    """One file. A constant whose assignment begins in a span of `marked` is declared a prompt by a comment."""

    language: str
    data: bytes
    body: tuple[Stmt, ...]
    functions: Mapping[str, Function]
    classes: Mapping[str, Class]
    imports: Mapping[str, Import]
    marked: tuple[Span, ...] = ()
    broken: bool = False
