"""Who knows the names that a configuration uses."""

from __future__ import annotations

from promptlint.config import Known


def _rule(name: str) -> object:
    from promptlint import rulebook

    return rulebook.load().chosen([name], [])


def _provider(name: str) -> object:
    from promptlint import providers

    return providers.find(name, "text", "")


KNOWN = Known(rule=_rule, provider=_provider)
