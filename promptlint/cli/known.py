"""Who knows the names that a configuration uses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from promptlint.config import Known

if TYPE_CHECKING:
    from promptlint.rulebook import Rulebook


def _rule(name: str, rules: tuple[str, ...]) -> object:
    return _book(rules).chosen([name], [])


@cache
def _book(rules: tuple[str, ...]) -> Rulebook:
    from promptlint import rulebook

    return rulebook.load_with(rules)


def _provider(name: str) -> object:
    from promptlint import providers

    return providers.find(name, "text", "")


KNOWN = Known(rule=_rule, provider=_provider)
