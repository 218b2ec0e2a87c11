"""Options that several commands share as one value: a dataclass whose fields are options of the command line."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """The command with every parameter that is a dataclass replaced by that class's fields, as typer reads them."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if not dataclasses.is_dataclass(kind):
            parameters.append(parameter.replace(annotation=kind))
            continue
        assert isinstance(kind, type)
        types = get_type_hints(kind, include_extras=True)
        groups[name] = (kind, [each.name for each in dataclasses.fields(kind)])
        parameters += [
            inspect.Parameter(each.name, parameter.kind, default=each.default, annotation=types[each.name])
            for each in dataclasses.fields(kind)
        ]

    def run(**given: Any) -> int:
        values = {name: kind(**{each: given.pop(each) for each in fields}) for name, (kind, fields) in groups.items()}
        return command(**given, **values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": int}
    run.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    return run
