"""A template file as a prompt, for a comparison with its earlier version: the text that is sent, placeholders kept."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from promptlint.jsonspans import JsonKind
from promptlint.model.errors import InputError
from promptlint.model.prompt import Component, Kind, Prompt, Section
from promptlint.model.source import Form, Location, Source, Span
from promptlint.readers.template import front_matter, tree

if TYPE_CHECKING:
    from promptlint.readers.template.nodes import Passage
    from promptlint.readers.template.structured import Message

_YAML = frozenset({".yaml", ".yml"})
_LISTED = re.compile(r"\ufeff?\s*\[").match
_LANGCHAIN = re.compile(r'"(?:_type|lc)"\s*:').search
_BEGINNING = 5_000  # characters within which a file of LangChain says that it is one
_SHARED = ("", "system", "developer")


def read(source: Source) -> Prompt | None:
    """The prompt in a YAML or JSON file or behind front matter; None for a file in which none is found that way.

    A file that holds several prompts has no components: they are not compared with their earlier versions.

    Raises InputError for YAML that cannot be read.
    """
    suffix = PurePath(source.name).suffix.lower()
    if suffix in _YAML:
        from promptlint.readers.template import structured

        return _of_values(source, "yaml") if structured.speaks(source.text) else None
    if suffix == ".json":
        return _of_json(source)
    start = front_matter(source)
    if not start:
        return None
    location = Location(source, Span(start, len(source.text)), "", Form.PLAIN)
    return Prompt(source, "text", (Component(Section.SYSTEM, Kind.TEXT, source.text[start:], location, block=0),))


def of_no_use(source: Source) -> bool:
    """Whether a file found in a folder is of a kind that seldom holds a prompt, and holds none."""
    return source.walked and PurePath(source.name).suffix.lower() in _YAML


def _of_json(source: Source) -> Prompt | None:
    """JSON that is no request: a list of messages, or a prompt of LangChain."""
    from promptlint.readers.detect import detect_wire

    if not _LISTED(source.text) and _LANGCHAIN(source.text, 0, _BEGINNING) is None:
        return None
    try:
        root = tree(source, "json")
    except InputError:
        return None
    if root.kind is JsonKind.OBJECT and detect_wire(root) is not None and root.get("_type", "lc") is None:
        return None
    return _of_values(source, "json")


def _of_values(source: Source, syntax: str) -> Prompt | None:
    from promptlint.readers.template import structured

    found = structured.prompts(source, tree(source, syntax))
    if not found:
        return None
    if len(found) > 1:  # an edit of one costs nothing of what another one is
        return Prompt(source, "text", ())
    components = tuple(_component(each, index) for index, each in enumerate(found[0]))
    return Prompt(source, "text", components)


def _component(message: Message, index: int) -> Component:
    section = Section.SYSTEM if message.role in _SHARED else Section.MESSAGES
    number = index if section is Section.MESSAGES else -1
    passage = message.passage
    return Component(section, Kind.TEXT, passage.text, _location(passage), message.role, number, index)


def _location(passage: Passage) -> Location:
    from promptlint.readers.template import scalars

    span = passage.span(0, len(passage.text)) if passage.text else passage.span(0, 0)
    form = Form.PLAIN if scalars.contiguous(passage) else Form.NONE
    return Location(passage.source, span, "", form)
