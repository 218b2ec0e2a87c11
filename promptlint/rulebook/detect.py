"""How a rule detects: a matcher and its parameters, imported and checked when the rule is first tried."""

from __future__ import annotations

import dataclasses
import importlib
import typing
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import ModuleType

from promptlint.matchers._values import Untrusted, compiled
from promptlint.model.errors import RuleError


@dataclasses.dataclass(frozen=True)
class Detect:
    """`name` is a module of promptlint.matchers, `values` are its parameters as they are written in `file`.

    `trusted` false: a rule that did not come with promptlint. What is asked for raises RuleError.
    """

    name: str
    values: Mapping[str, typing.Any]
    file: str
    trusted: bool = True

    @cached_property
    def module(self) -> ModuleType:
        """No code but promptlint's own is ever imported."""
        if not self.name.isidentifier() or self.name.startswith("_"):
            raise self._wrong(f"{self.name!r} is not the name of a matcher")
        try:
            return importlib.import_module(f"promptlint.matchers.{self.name}")
        except ModuleNotFoundError:
            raise self._wrong(f"there is no matcher {self.name!r}") from None

    @cached_property
    def params(self) -> object:
        """Typed parameters: the matcher's dataclass `Params`, filled from the mapping."""
        hints, needed = _parameters(self.module)
        filled: dict[str, typing.Any] = {}
        for key, value in self.values.items():
            if key not in hints:
                raise self._wrong(f"matcher {self.name} has no parameter {key!r}")
            if hints[key] == tuple[str, ...]:
                filled[key] = self._texts(key, value)
            elif isinstance(value, hints[key]):
                filled[key] = value
            else:
                raise self._wrong(f"parameter {key!r} must be {hints[key].__name__}")
        for key in needed:
            if key not in filled:
                raise self._wrong(f"parameter {key!r} is missing")
        return self.module.Params(**filled)

    def _texts(self, key: str, value: object) -> tuple[str, ...]:
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, Sequence) or not all(isinstance(item, str) for item in values):
            raise self._wrong(f"{key!r} must be a list of texts")
        return tuple(values) if self.trusted else tuple(map(_untrusted, values))

    def _wrong(self, message: str) -> RuleError:
        return RuleError(message, name=self.file, line=1, column=1)


@cache
def _parameters(module: ModuleType) -> tuple[dict[str, typing.Any], list[str]]:
    """The types of a matcher's parameters, and those without a default."""
    needed = [field.name for field in dataclasses.fields(module.Params) if field.default is dataclasses.MISSING]
    return typing.get_type_hints(module.Params), needed


def _untrusted(text: str) -> Untrusted:
    """A text of a foreign rule that may be a pattern; it must compile now, not in the middle of a run."""
    pattern = Untrusted(text)
    compiled(pattern)
    return pattern
