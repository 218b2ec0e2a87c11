"""The value of a request setting by its path, where requests may give it as a whole, in parts, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from promptlint.model.policy import Invalidator
from promptlint.model.prompt import Component, Kind, Setting


def value_of(
    settings: Sequence[Setting], path: str, default: str | None = None, *, ordered: bool = False
) -> str | None:
    """The setting at `path` as compact JSON: its own value, that of all settings below it, or the part of one above.

    Absent and null are the same, and the same as `default`. The order of keys counts only if `ordered`.
    """
    value = _found(settings, path)
    if value is None or value == "null":
        return default
    return value if ordered else _sorted(value)


def key_value(settings: Sequence[Setting], invalidator: Invalidator) -> str | None:
    """What a setting adds to the key of a cache; None where that is nothing, because it has its default value."""
    value = value_of(settings, invalidator.setting, invalidator.default, ordered=invalidator.ordered)
    return None if value == invalidator.default else value


def switch(components: Iterable[Component], name: str) -> Component | None:
    """The first component by which a prompt turns on what a provider counts like a setting, though none names it.

    `images`: any image. `citations`: a document with citations (Anthropic's table of what invalidates a cache).
    """
    if name == "images":
        return next((component for component in components if component.kind is Kind.IMAGE), None)
    if name == "citations":
        return next((component for component in components if _cites(component)), None)
    return None


SWITCHES = ("images", "citations")


def _cites(component: Component) -> bool:
    return component.kind is Kind.FIELD and component.text.startswith('"citations":') and "true" in component.text


def _found(settings: Sequence[Setting], path: str) -> str | None:
    own = next((setting.value for setting in settings if setting.path == path), None)
    if own is not None:
        return own
    below = [f"{s.path}={s.value}" for s in settings if s.path.startswith((f"{path}.", f"{path}["))]
    if below:
        return ";".join(below)
    above = next((s for s in settings if path.startswith(f"{s.path}.")), None)
    value = json.loads(above.value) if above else None
    for step in path[len(above.path) + 1 :].split(".") if above else ():
        value = value.get(step) if isinstance(value, dict) else None
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sorted(value: str) -> str:
    if not value.startswith(("{", "[")):
        return value
    return json.dumps(json.loads(value), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
