"""Prompt files that are text: one component, character for character."""

from __future__ import annotations

from promptlint.model.prompt import Component, Kind, Prompt, Section
from promptlint.model.source import Form, Location, Source, Span

WIRE = "text"


def read(source: Source) -> Prompt:
    """The whole text as one system text; white space and byte order mark stay, for they are tokens too."""
    location = Location(source, Span(0, len(source.text)), "", Form.PLAIN)
    return Prompt(source, WIRE, (Component(Section.SYSTEM, Kind.TEXT, source.text, location, block=0),))
