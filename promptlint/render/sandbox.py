"""jinja2's immutable sandbox with bounds, and with what Hugging Face chat templates expect to find in it.

The names and their behaviour follow `apply_chat_template` of the package transformers (5.x, checked 2026-11-30):
`raise_exception`, `strftime_now`, a `tojson` that escapes no HTML, loop controls and the `generation` tag.
"""

from __future__ import annotations

import functools
import json
import types
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import nodes
from jinja2.environment import Template
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, is_internal_attribute
from jinja2.utils import Namespace

from promptlint.render.guards import CONSTANT_TIME, FILTERS, guard_filter, guard_format, guard_method, guard_operator
from promptlint.render.instrument import instrument, iterates_content
from promptlint.render.limits import MAX_OUTPUT, LimitExceeded, Meter, weigh

# Methods a template may reach. What is missing pads text to any width, encodes it, or multiplies it.
_STRING_METHODS = (
    "capitalize casefold count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower "
    "isnumeric isprintable isspace istitle isupper join lower lstrip partition removeprefix removesuffix replace "
    "rfind rindex rpartition rsplit rstrip split splitlines startswith strip swapcase title upper"
)
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(_STRING_METHODS.split()),
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    int: frozenset(),
    float: frozenset({"is_integer"}),
    type: frozenset(),
}


# A place in a compiled template; finding its line takes a walk over the code, which only those do who want it.
Instruction = tuple[types.CodeType, int]


class _Namespace(Namespace):
    def __repr__(self) -> str:
        return "<Namespace>"


class _GenerationTag(Extension):
    """`{% generation %}…{% endgeneration %}` marks what the model wrote; it prints its body in a scope of its own."""

    tags = {"generation"}  # noqa: RUF012  # jinja2's own name and type

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """One template's environment. `content_lists`: whether the template loops over content (set by compiling it)."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", _GenerationTag],
            finalize=self._printable,
        )
        self.meter = Meter()
        self.content_lists = False
        self.clock_read = False
        self.now = datetime.min
        self.charge = self._charge  # kept, so that `call` knows it again
        self.concat = self._concat  # type: ignore[method-assign]  # what compiled templates join buffers with
        kept = {"range": self.globals["range"], "dict": dict, "namespace": _Namespace}
        self.globals = {**kept, "raise_exception": _raise_exception, "strftime_now": self._strftime_now}
        self.filters = {name: self._metered(name, self.filters[name]) for name in FILTERS if name in self.filters}
        self.filters["tojson"] = self._metered("tojson", _tojson)
        tests: dict[str, Any] = {**self.tests}
        self.tests = {name: self._metered("", test) for name, test in tests.items()}

    def run(self, template: Template, variables: dict[str, object]) -> str:
        """The template's output. Raises LimitExceeded, and whatever the template does wrong."""
        return "".join(part for part, _ in self.parts(template, variables))

    def parts(self, template: Template, variables: dict[str, object]) -> Iterator[tuple[str, Instruction]]:
        """The output as it comes, each part with the instruction that prints it. Raises as `run`."""
        self.meter.reset()
        self.clock_read = False
        length = 0
        printing = template.generate(variables)
        for part in printing:
            length += len(part)
            if length > MAX_OUTPUT:
                raise LimitExceeded(f"it prints more than {MAX_OUTPUT:,} characters")
            yield part, _instruction(printing)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        self.content_lists = iterates_content(tree)
        instrument(tree, self)
        return tree

    # What compiled templates call.

    def _charge(self, value: object = True) -> object:
        self.meter.step()
        return value

    def join_text(self, *values: object) -> str:
        self.meter.build(weigh(*values))
        return "".join(map(str, values))

    def weighed(self, value: object) -> object:
        self.meter.step()
        weigh(value)
        return value

    def _concat(self, parts: Iterable[str]) -> str:
        found = list(parts)
        self.meter.build(sum(map(len, found)))
        return "".join(found)

    def _printable(self, value: object) -> object:
        if not isinstance(value, str):
            weigh(value)
        return value

    # What the sandbox asks.

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if obj is self.charge:
            return self._charge(*args)
        self.meter.step()
        if isinstance(obj, types.BuiltinMethodType) and isinstance(obj.__self__, str):
            args = guard_method(self.meter, obj.__self__, obj.__name__, args)
        elif isinstance(obj, Macro) or obj is dict:
            weigh(args, kwargs)
        return self._checked(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        guard_operator(self.meter, operator, left, right)
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        for kind, allowed in _METHODS.items():
            if isinstance(obj, kind):
                return attr in allowed
        return super().is_safe_attribute(obj, attr, value)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """As in jinja2, but what leads to Python's own objects fails at once and not when it is used."""
        if attribute.startswith("_") or is_internal_attribute(obj, attribute):
            raise SecurityError(f"access to attribute {attribute!r} of {type(obj).__name__!r} object is unsafe.")
        return super().unsafe_undefined(obj, attribute)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None

        def guarded(*args: Any, **kwargs: Any) -> str:
            guard_format(self.meter, value.__self__, (args, kwargs))
            return wrapped(*args, **kwargs)

        return guarded

    def _metered(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter or test that counts what it is given. jinja2 passes some of them a context first."""
        first = 1 if hasattr(function, "jinja_pass_arg") else 0
        walks = name not in CONSTANT_TIME and name != ""

        @functools.wraps(function)
        def metered(*args: Any, **kwargs: Any) -> Any:
            value = args[first]
            if isinstance(value, types.GeneratorType):
                args = (*args[:first], self.meter.counted(value), *args[first + 1 :])
            else:
                self.meter.step(1 + _length(value) if walks else 1)
            if name:
                args = guard_filter(self.meter, name, args[:first], args[first:], kwargs)
            return self._checked(function(*args, **kwargs))

        return metered

    def _checked(self, result: Any) -> Any:
        if isinstance(result, str):
            self.meter.build(len(result))
        elif isinstance(result, list):
            self.meter.step(len(result) // 16)
        return result

    def _strftime_now(self, form: str) -> str:
        self.clock_read = True
        return self.now.strftime(str(form)[:200])


def _instruction(printing: Any) -> Instruction:
    """Where the innermost of these generators stands, each of which waits for the next."""
    while printing.gi_yieldfrom is not None:
        printing = printing.gi_yieldfrom
    return printing.gi_frame.f_code, printing.gi_frame.f_lasti


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value) // 64
    return len(value) if isinstance(value, (list, tuple, dict, range)) else 0


def _raise_exception(message: object) -> NoReturn:
    raise TemplateError(str(message))


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    if (isinstance(indent, int) and indent > 32) or (isinstance(indent, str) and len(indent) > 32):
        raise SecurityError("tojson with an indent of more than 32")
    if separators is not None and sum(map(len, separators)) > 32:
        raise SecurityError("tojson with separators of more than 32 characters")
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
