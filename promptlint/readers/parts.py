"""A prompt that is put together from several files: tools, texts and example messages, each in its own source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from promptlint.jsonspans import JsonKind, Node, parse
from promptlint.model.errors import Problems, PromptlintError
from promptlint.model.prompt import Breakpoint, Component, Kind, Prompt, Section
from promptlint.model.source import Form, Location, Source, Span
from promptlint.readers.build import Builder, Spot
from promptlint.readers.openai_chat import add_message

WIRE = "parts"


def read(name: str, sources: Sequence[Source], marked: Collection[str] = ()) -> Prompt:
    """One prompt of several sources, in their order; `name` is what its declaration calls it.

    A JSON list of objects with roles becomes messages, any other JSON list of objects the tools; every other file is
    one system text, as it stands. A cache marker ends the sources whose names are in `marked`. Raises InputError, or
    Problems where there are several.
    """
    components: list[Component] = []
    errors: list[PromptlintError] = []
    for source in sources:
        try:
            found = _components(source, components)
        except PromptlintError as error:
            errors += error.errors if isinstance(error, Problems) else (error,)
            continue
        if source.name in marked and found:
            found[-1] = replace(found[-1], breakpoint=marker(found[-1]))
        components += found
    if errors:
        raise errors[0] if len(errors) == 1 else Problems(tuple(errors))
    return Prompt(Source(name, ""), WIRE, tuple(components))


def marker(component: Component) -> Breakpoint:
    """A cache marker that a program sets at the end of a component, where the files themselves show none."""
    location = component.location
    here = Location(location.source, Span(location.span.end, location.span.end), location.path, Form.NONE)
    return Breakpoint(here, automatic=True)


def _components(source: Source, before: Sequence[Component]) -> list[Component]:
    """The components of one source, numbered on from those before it."""
    body = parse(source) if source.name.lower().endswith(".json") else None
    if body is None or not _is_list_of_objects(body):
        block = 1 + max((each.block for each in before if each.section is Section.SYSTEM), default=-1)
        location = Location(source, Span(0, len(source.text)), "", Form.PLAIN)
        return [Component(Section.SYSTEM, Kind.TEXT, source.text, location, block=block)]
    builder = Builder(source, WIRE, "openai")
    if all(item.get("role") is not None for item in body.items):
        first = 1 + max((each.message for each in before if each.section is Section.MESSAGES), default=-1)
        for index, path, message in builder.objects(body, ""):
            add_message(builder, Spot(Section.MESSAGES, builder.role_of(message, path), first + index), message, path)
    else:
        first = 1 + max((each.block for each in before if each.section is Section.TOOLS), default=-1)
        for index, path, tool in builder.objects(body, ""):
            builder.tool(first + index, tool, path, _name(tool))
    builder.raise_errors()
    return builder.components


def _is_list_of_objects(body: Node) -> bool:
    return body.kind is JsonKind.ARRAY and bool(body.items) and all(i.kind is JsonKind.OBJECT for i in body.items)


def _name(tool: Node) -> Node | None:
    """The name of a tool in any provider's shape."""
    for key in ("function", "custom", "toolSpec"):
        inner = tool.get(key)
        if inner is not None:
            return inner.get("name")
    return tool.get("name", "type")
