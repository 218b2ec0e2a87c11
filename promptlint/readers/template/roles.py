"""Messages inside of one text: the marks at which a prompt file goes on to another role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from promptlint.model.source import Span
from promptlint.model.template import Fixed, Region
from promptlint.readers.template.flatten import Flat

_NAMES = "system|developer|user|assistant|human|ai|model|tool"
_MARK = re.compile(
    rf"^[ \t]*(?:#[ \t]*)?(?P<line>{_NAMES})[ \t]*:[ \t]*\r?$"
    rf"|<message\s+role=[\"'](?P<element>{_NAMES})[\"'][^<>]{{0,200}}>"
    rf"|<\|(?:im_start|start_header_id|turn|start)\|>(?P<token>{_NAMES})\b",
    re.MULTILINE,
)


def split(flat: Flat) -> Flat:
    """The same parts, numbered by the messages that marks in the text begin."""
    found = Flat(roles=[], missing=flat.missing, cut=flat.cut)
    given = -1
    for part in flat.parts:
        if part.message != given:
            given = part.message
            found.roles.append(flat.roles[given])
        for role, piece in _pieces(part) if isinstance(part, Fixed) else [("", part)]:
            if role:
                found.roles.append(role)
            found.parts.append(replace(piece, message=len(found.roles) - 1))
    return found


def _pieces(part: Fixed) -> Iterator[tuple[str, Fixed | Region]]:
    marks: Sequence[re.Match[str]] = list(_MARK.finditer(part.text))
    starts = [0, *(mark.start() for mark in marks), len(part.text)]
    for mark, start, end in zip((None, *marks), starts, starts[1:], strict=False):
        role = next((name for name in mark.groups() if name), "") if mark else ""
        whole = len(part.span) == len(part.text)
        span = Span(part.span.start + start, part.span.start + end) if whole else part.span
        if start < end or role:
            yield role, replace(part, text=part.text[start:end], span=span)
