"""Checks before an operation multiplies text: each computes the size of the result and refuses what is too large."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from jinja2.exceptions import SecurityError

from promptlint.render.limits import MAX_BITS, LimitExceeded, Meter, weigh

# jinja2's own filters, less those that pad, break text at any width, run slow patterns, or depend on chance.
_FILTER_NAMES = (
    "abs attr batch capitalize count d default dictsort e escape first float forceescape groupby indent int items "
    "join last length list lower map max min reject rejectattr replace reverse round safe select selectattr sort "
    "string sum title tojson trim truncate unique upper urlencode wordcount"
)
FILTERS = frozenset(_FILTER_NAMES.split())
# Those that do not look at every item of what they are given.
CONSTANT_TIME = frozenset(
    {"abs", "attr", "count", "d", "default", "first", "float", "int", "last", "length", "round", "safe"}
)
_MAX_WIDTH = 100

# A width or precision of four digits or more, one taken from the arguments, or a field inside a field.
_WIDE = re.compile(r"[%{][^%{}]*(?:\d{4}|\*)|\{[^{}]*\{")


def guard_operator(meter: Meter, operator: str, left: Any, right: Any) -> None:
    """Raises LimitExceeded where `left operator right` would be too large."""
    meter.step()
    if operator == "%" and isinstance(left, str):
        guard_format(meter, left, right)
    elif operator == "+" and isinstance(left, str) and isinstance(right, str):
        meter.build(len(left) + len(right))
    elif operator == "+" and isinstance(left, (list, tuple)):
        weigh(left, right)
    elif operator == "*":
        _guard_product(meter, left, right)
    elif operator == "**" and isinstance(left, int) and isinstance(right, int):
        _guard_bits(left.bit_length() * abs(right))


def _guard_product(meter: Meter, left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int):
        _guard_bits(left.bit_length() + right.bit_length())
        return
    sequence, count = (right, left) if isinstance(left, int) else (left, right)
    if isinstance(count, int) and isinstance(sequence, str):
        meter.build(len(sequence) * max(count, 0))
    elif isinstance(count, int) and isinstance(sequence, (list, tuple)):
        size = weigh(sequence) * max(count, 0)
        meter.build(size)
        meter.step(size // 64)


def _guard_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise LimitExceeded(f"it computes a number of more than {MAX_BITS:,} bits")


def guard_format(meter: Meter, pattern: str, arguments: object) -> None:
    """Raises SecurityError for unbounded widths, LimitExceeded for a result that is too large."""
    if _WIDE.search(pattern):
        raise SecurityError("a format with a wide, nested or computed field")
    fields = pattern.count("%") + pattern.count("{")
    meter.build(len(pattern) + fields * (weigh(arguments) + 1000))


def guard_method(meter: Meter, text: str, name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments for `text.name(…)`, with iterators made lists. Raises LimitExceeded."""
    meter.step(len(text) // 1024)
    if name == "replace" and len(args) >= 2:
        _guard_replace(meter, text, args[0], args[1])
    elif name == "join" and args:
        args = (_guard_join(meter, text, args[0]), *args[1:])
    return args


def guard_filter(
    meter: Meter, name: str, context: tuple[Any, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """All arguments for the filter, with iterators made lists where it needs one. Raises LimitExceeded."""
    value = args[0]
    if name == "join":
        args = (_guard_join(meter, str(_argument(args, kwargs, 1, "d", "")), value), *args[1:])
    elif name == "replace":
        old, new = _argument(args, kwargs, 1, "old", ""), _argument(args, kwargs, 2, "new", "")
        _guard_replace(meter, str(value), str(old), str(new))
    elif name == "indent":
        width = _argument(args, kwargs, 1, "width", 4)
        columns = len(width) if isinstance(width, str) else width
        meter.build(len(str(value)) + (str(value).count("\n") + 1) * _small(columns))
    elif name == "batch":
        _small(_argument(args, kwargs, 1, "linecount", 1))
    elif name == "round":
        _small(_argument(args, kwargs, 1, "precision", 0))
    elif name == "sum":
        if not isinstance(_argument(args, kwargs, 2, "start", 0), (int, float)):
            raise SecurityError("sum of anything but numbers")
    elif name in ("tojson", "string", "escape", "e", "forceescape", "urlencode"):
        meter.build(weigh(value))
    return (*context, *args)


def _small(width: object) -> int:
    if not isinstance(width, int) or abs(width) > _MAX_WIDTH:
        raise SecurityError(f"a width of more than {_MAX_WIDTH}")
    return abs(width)


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], index: int, name: str, default: Any) -> Any:
    return args[index] if len(args) > index else kwargs.get(name, default)


def _guard_replace(meter: Meter, text: str, old: object, new: object) -> None:
    if isinstance(old, str) and isinstance(new, str):
        meter.build(len(text) + (text.count(old) * len(new) if len(new) > len(old) else 0))


def _guard_join(meter: Meter, separator: str, values: Any) -> Any:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return values
    items = meter.listed(values)
    meter.build(weigh(*items) + len(items) * len(separator))
    return items
