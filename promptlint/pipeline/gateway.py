"""One request as written and as it left a gateway, in a neutral form: contents compare, wire formats do not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from promptlint.model.prompt import Component, Kind, Prompt, Section, Setting, Skip
from promptlint.model.source import Form
from promptlint.providers import same_model

SETTINGS_WHY = "two wire formats name settings differently: of these only the model is compared"

_ROLES = {"model": "assistant", "tool": "user", "function": "user", "developer": "system"}
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema")


def neutral_pair(before: Prompt, after: Prompt) -> tuple[Prompt, Prompt]:
    """Both requests in the neutral form; the model's name is the same where only a host's prefix differs."""
    model = after.model if same_model(before.model, after.model) else before.model
    return _neutral(before, model), _neutral(after, after.model)


def skipped(before: Prompt, after: Prompt) -> tuple[Skip, ...]:
    """What is not compared in this form."""
    names = [prompt.source.name for prompt in (before, after) if any(not _is_model(s) for s in prompt.settings)]
    return tuple(Skip(f"settings of {name}", SETTINGS_WHY) for name in names)


def _is_model(setting: Setting) -> bool:
    return setting.path in ("model", "modelId")


def _neutral(prompt: Prompt, model: str) -> Prompt:
    tools = [_tool(c) for c in _kept(prompt.components, Section.TOOLS)]
    system = [
        replace(component, role="", message=-1, block=index)
        for index, component in enumerate(_kept(prompt.components, Section.SYSTEM))
        if component.kind is not Kind.ROLE
    ]
    settings = tuple(
        replace(setting, path="model", value=json.dumps(model)) for setting in prompt.settings if _is_model(setting)
    )
    messages = tuple(_messages(_kept(prompt.components, Section.MESSAGES)))
    return replace(prompt, components=(*tools, *system, *messages), settings=settings)


def _kept(components: Iterable[Component], section: Section) -> list[Component]:
    """The components of a section without fields, which belong to one wire format; a field's marker goes before it."""
    found: list[Component] = []
    for component in components:
        if component.section is not section:
            continue
        if component.kind is not Kind.FIELD:
            found.append(component)
        elif component.breakpoint and found and found[-1].unit == component.unit and not found[-1].breakpoint:
            found[-1] = replace(found[-1], breakpoint=component.breakpoint)
    return found


def _messages(components: Iterable[Component]) -> Iterator[Component]:
    """Neighbours of one role are one message; each of their blocks counts on."""
    message, block, role = -1, -1, ""
    unit: tuple[Section, int, int] | None = None
    for component in components:
        speaker = _ROLES.get(component.role, component.role)
        if speaker != role:
            message, block, role = message + 1, -1, speaker
            opening = component if component.kind is Kind.ROLE else replace(component, breakpoint=None)
            yield replace(opening, kind=Kind.ROLE, text=role, role=role, message=message, block=-1)
        if component.kind is Kind.ROLE:
            continue
        if component.unit != unit:
            unit, block = component.unit, block + 1
        yield replace(_call(component), role=role, message=message, block=block)


def _call(component: Component) -> Component:
    """Arguments that are a string of JSON read like those that are an object."""
    if component.kind is not Kind.ARGUMENTS:
        return component
    value = _parsed(component.text)
    return component if value is None else _rewritten(component, _compact(value))


def _tool(component: Component) -> Component:
    """Name, description and schema of a tool, whatever stands around them."""
    value = _parsed(component.text)
    if not isinstance(value, dict):
        return component
    core: Any = next((value[key] for key in ("function", "toolSpec") if isinstance(value.get(key), dict)), value)
    schema = next((core[key] for key in _SCHEMAS if key in core), None)
    if schema is None and "description" not in core:
        return component  # a tool of the host: its type is all there is
    if isinstance(schema, dict) and set(schema) == {"json"}:
        schema = schema["json"]
    neutral = {"name": core.get("name", ""), "description": core.get("description", ""), "schema": schema or {}}
    return _rewritten(component, _compact(neutral))


def _rewritten(component: Component, text: str) -> Component:
    """The component with another text, whose characters have no place of their own in the file."""
    if text == component.text:
        return component
    return replace(component, text=text, location=replace(component.location, form=Form.NONE))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
