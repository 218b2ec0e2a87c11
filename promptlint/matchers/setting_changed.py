"""A request setting that splits caches has another value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._requests import one_conversation
from promptlint.model.finding import Scope, Severity
from promptlint.model.matching import Note, Pair
from promptlint.model.policy import Invalidator
from promptlint.model.prompt import Prompt, Section
from promptlint.model.settings import SWITCHES, key_value, switch
from promptlint.providers import same_model

FACTS = frozenset({"setting", "old", "new", "level", "effect", "note"})

_MODELS = ("model", "modelId")
_SHOWN = 80  # characters of a value that a message shows at most


@dataclass(frozen=True, slots=True)
class Params:
    """`settings`: names that are looked at; empty: every setting that splits the provider's caches, but `except`."""

    settings: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    if pair.scope is not Scope.GATEWAY and not one_conversation(pair):
        return
    reported: list[str] = []
    for invalidator in pair.policy.invalidators:
        name = invalidator.setting
        if (params.settings and name not in params.settings) or name in params.exclude:
            continue
        if any(name.startswith(f"{other}.") for other in reported):
            continue
        old, new = _value(pair.before, invalidator), _value(pair.after, invalidator)
        if old == new or (name in _MODELS and None in (old, new)):
            continue
        reported.append(name)
        yield _note(pair, invalidator, old, new)


def _value(prompt: Prompt, invalidator: Invalidator) -> str | None:
    if invalidator.setting in SWITCHES:
        return "true" if switch(prompt.components, invalidator.setting) else None
    return key_value(prompt.settings, invalidator)


def _note(pair: Pair, invalidator: Invalidator, old: str | None, new: str | None) -> Note:
    alias = invalidator.setting in _MODELS and same_model(_name(old), _name(new))
    default = f"{invalidator.default} (the default)" if invalidator.default else "not set"
    place = switch(pair.after.components, invalidator.setting) or switch(pair.before.components, invalidator.setting)
    return Note(
        component=place,
        span=None,
        setting=None if place else invalidator.setting,
        facts={
            "setting": invalidator.setting,
            "old": _shown(old or default),
            "new": _shown(new or default),
            "level": "everything" if invalidator.level is None else f"{invalidator.level.value} and what follows",
            "effect": "both name one model, and whether they share a cache is not documented"
            if alias
            else "nothing of this conversation is cached there",
            "note": f" ({invalidator.note})" if invalidator.note else "",
        },
        level_token=_token(pair, invalidator.level),
        severity=Severity.INFO if alias else None,
        confidence="low" if alias or not invalidator.certain else "",
    )


def _name(model: str | None) -> str:
    return str(json.loads(model or '""'))


def _shown(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"


def _token(pair: Pair, level: Section | None) -> int:
    """Tokens of the earlier prompt before the level whose cache is lost."""
    if level is None:
        return 0
    order = pair.policy.order
    kept = order[: order.index(level)] if level in order else order
    ends = [
        end
        for component, end in zip(pair.components_before, pair.ends_before, strict=True)
        if component.section in kept
    ]
    return max(ends, default=0)
