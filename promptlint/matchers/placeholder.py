"""A placeholder of a prompt file takes a value that changes, and fixed text follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._values import compiled
from promptlint.model.matching import Note, Single
from promptlint.model.prompt import Component, Kind
from promptlint.model.source import Form, Span

FACTS = frozenset({"placeholder", "behind"})

# {{ x }} and {{{ x }}} (Jinja, Mustache, Handlebars), ${x}, <%= x %>, {x} (format strings; JSON has quotes there).
_PLACEHOLDER = re.compile(
    r"\{\{\{?-?\s*(?P<double>[^{}\n]{1,120}?)\s*-?\}?\}\}"
    r"|\$\{\s*(?P<dollar>[^{}\n]{1,120}?)\s*\}"
    r"|<%=\s*(?P<erb>[^%\n]{1,120}?)\s*%>"
    r"|(?<![{$])\{(?P<single>[A-Za-z_][\w.]{0,60}(?:\(\))?)\}(?!\})"
)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)  # code that a prompt shows is no template
_FILTER = re.compile(r"\s*\|.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Params:
    """`names`: patterns of what stands in the placeholder, filters left out. `words`: fixed words that must follow."""

    names: tuple[str, ...]
    words: int = 60


def notes(single: Single, params: Params) -> Iterator[Note]:
    """One note a placeholder; the words behind it are those of its own file and of all parts that come later."""
    texts = [part for part in single.components if part.kind is Kind.TEXT and part.location.form is Form.PLAIN]
    later = 0
    found: list[Note] = []
    for component in reversed(texts):
        for span, inside in _placeholders(component):
            behind = later + len(component.text[span.end :].split())
            if behind >= params.words and any(_is(name, inside) for name in params.names):
                facts = {"placeholder": component.text[span.start : span.end], "behind": f"{behind:,}"}
                found.append(Note(component=component, span=span, setting=None, facts=facts))
        later += len(component.text.split())
    yield from sorted(found, key=lambda note: (texts.index(note.component) if note.component else 0, _start(note)))


def _start(note: Note) -> int:
    return note.span.start if note.span else 0


def _placeholders(component: Component) -> Iterator[tuple[Span, str]]:
    fences = [match.span() for match in _FENCE.finditer(component.text)]
    for match in _PLACEHOLDER.finditer(component.text):
        if not any(start <= match.start() < end for start, end in fences):
            inside = next(group for group in match.groups() if group is not None)
            yield Span(*match.span()), _FILTER.sub("", inside).strip()


def _is(name: str, inside: str) -> bool:
    return compiled(rf"(?:{name})\Z").match(inside, 0, len(inside)) is not None
