"""Source code in one small form for all languages: what builds values, where they go, and nothing else.

Spans are half-open ranges of bytes in the file's UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from promptlint.readers.code.record import record

Span = tuple[int, int]


@record
class Expr:
    """An expression that says nothing of its own: a number, a comparison, something that is not followed."""

    span: Span


@record
class Lit(Expr):
    """Text that stands in the source; escapes are kept as they are written."""

    text: str


@record
class Number(Expr):
    """A number, or true, false, nothing."""


@record
class Name(Expr):
    name: str


@record
class Attr(Expr):
    """`of.name`, whatever the language writes between them."""

    of: Expr
    name: str


@record
class Index(Expr):
    of: Expr
    key: Expr


ASIDE = "go"
RANGE = "range"  # the function whose items are the numbers of turns, in Python and in the small form


@record
class Call(Expr):
    """A call, a `new`, or a macro that acts like a function. `types`: type arguments as written (`BTreeMap<_, _>`).

    `types` is ASIDE for a call that runs beside what follows it.
    """

    func: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[str, Expr], ...] = ()
    types: str = ""


@record
class Hole(Expr):
    """A place in a text; `spec` is its format (`%H:%M`), empty for none."""

    value: Expr
    spec: str = ""


@record
class Text(Expr):
    """Parts one after another: an f-string, a template literal, `format!`."""

    parts: tuple[Expr, ...]


@record
class Binary(Expr):
    """`+`, and the operators of sets. Other operators are an Either of both sides, comparisons an Expr."""

    op: str
    left: Expr
    right: Expr


@record
class Either(Expr):
    """One of several: a conditional, `or`, `??`, `match`."""

    options: tuple[Expr, ...]


@record
class Sequence(Expr):
    """A list or tuple, or a set (`unordered`)."""

    items: tuple[Expr, ...]
    unordered: bool = False


@record
class Spread(Expr):
    value: Expr


@record
class Table(Expr):
    """A dict, object, map or struct literal; keys that are no constants have no name. `type`: of the struct."""

    entries: tuple[tuple[str | None, Expr], ...]
    type: str = ""


@record
class Comprehension(Expr):
    """`shape` is list, set, table or iter; `loops` are (target, collection) from the outside in."""

    shape: str
    loops: tuple[tuple[Expr, Expr], ...]
    key: Expr | None
    element: Expr


@record
class Closure(Expr):
    function: Function


@record
class Held(Expr):
    """A value that is there already, in the place of an expression."""

    value: object


@record
class Stmt:
    span: Span


@record
class Assign(Stmt):
    """`type` is the declared type as written. `adds`: `+=`, `|=` and their like."""

    target: Expr
    value: Expr | None
    type: str = ""
    adds: bool = False


@record
class Do(Stmt):
    value: Expr


@record
class Return(Stmt):
    """A return; `yields`: one item of many."""

    value: Expr
    yields: bool = False


@record
class Loop(Stmt):
    """A loop over a collection, or (`over` is None) while something holds."""

    target: Expr | None
    over: Expr | None
    body: tuple[Stmt, ...]


@record
class Branch(Stmt):
    """Arms of which one runs; `exhaustive`: one of them always does. `main`: what runs only as a program."""

    arms: tuple[tuple[Stmt, ...], ...]
    exhaustive: bool = False
    main: bool = False


def counting(span: Span) -> Call:
    """What a loop goes through that counts its turns."""
    return Call(span, Name(span, RANGE), ())


@record
class Define(Stmt):
    function: Function


@record
class Param:
    """`target` is a Name, or a pattern that takes the argument apart."""

    target: Expr
    type: str = ""
    default: Expr | None = None

    @property
    def name(self) -> str:
        return self.target.name if isinstance(self.target, Name) else ""


@record
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

    @property
    def this(self) -> str:
        """What the object that it is called on is called in it."""
        return self.params[0].name if self.bound else "this"

    def __hash__(self) -> int:
        return hash((self.name, self.span))


@record
class Class:
    """A class, struct or interface: types of its fields as written with the place of each, and its methods."""

    name: str
    span: Span
    fields: Mapping[str, tuple[str, Span]]
    methods: Mapping[str, Function]
    bases: tuple[str, ...] = ()
    defaults: Mapping[str, Expr] = field(default_factory=dict)
    serialized: bool = True


@record
class Import:
    """A local name for `name` of a module (None: for the module itself)."""

    module: str
    name: str | None


@record
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
