"""Small questions to parsed JSON of unknown shape."""

from __future__ import annotations

from typing import Any

from promptlint.readers.logs.stream import parsed


def table(value: Any) -> dict[str, Any]:
    """`value` where it is an object, else an empty one."""
    return value if type(value) is dict else {}


def array(value: Any) -> list[Any]:
    """`value` where it is a list, else an empty one."""
    return value if type(value) is list else []


def text(record: dict[str, Any], *names: str) -> str:
    """The first of the fields `names` that holds a text or a number, as text; else ""."""
    for name in names:
        if name not in record:  # so it is for nearly all
            continue
        value = record[name]
        if type(value) is str:
            if value:
                return value
        elif type(value) is int:
            return str(value)
    return ""


def unwrapped(value: Any) -> Any:
    """JSON that a log holds as a text, parsed; everything else as it is."""
    if type(value) is str and value[:1] in ("{", "[", '"'):
        inner = parsed(value)
        return value if inner is None else inner
    return value


def number(value: Any) -> int | None:
    """A number of tokens, also one that is written as text (CSV, OTLP) or as a whole float; else None."""
    if type(value) is str:
        value = parsed(value) if value[:1].isdecimal() else None
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else None
