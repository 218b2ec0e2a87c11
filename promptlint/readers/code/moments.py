"""How fine a clock still is after it was formatted, cut or asked for one of its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from promptlint.readers.code import ir
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import Hop, Mark, Value, mapped

FINE, DAY, NOTHING = "clock", "date", ""

_FORMATS = {  # language: what shows a time of day, what shows a day
    "python": (r"%-?[HIMSfsTXcrRpklNLzZ+]", r"%-?[djaAbBhmUWwuxDFveV]"),
    "rust": (r"%-?[HIMSfsTXcrRpklNLzZ+]|\[hour|\[minute|\[second", r"%-?[djaAbBhmUWwuxDFveV]|\[day|\[month"),
    "go": (
        r"15|0?3:04|:04|05|RFC|Kitchen|ANSIC|UnixDate|RubyDate|Stamp|DateTime|TimeOnly",
        r"_?2(?!0)|02|Jan|Mon|01|DateOnly",
    ),
    "javascript": (
        r"H|h|m(?=m|:)|s(?=s)|S|LT|LLL|\bX\b|\bx\b|hour|minute|second|timeStyle|TIME|DATETIME",
        r"D|d|M|L|E|W|w|day|month|dateStyle|DATE",
    ),
}  # fmt: skip
_DAY_CUT = re.compile(r"(?:0\s*)?[:,]\s*10|0\s*\.\.\s*10|\.\.\s*10")


def is_clock(value: Value) -> bool:
    return any(mark.kind == FINE for mark in value.marks)


def of_format(language: str, text: str) -> str:
    """What a format shows: `clock`, `date` or nothing that changes within a year."""
    fine, day = _FORMATS[language]
    return FINE if re.search(fine, text) else DAY if re.search(day, text) else NOTHING


def reduced(scope: Scope, value: Value, kind: str, span: ir.Span) -> Value:
    """A clock as a format or field shows it; the place of the change is now there, the reading of the clock before."""

    def change(mark: Mark) -> Mark | None:
        if mark.kind not in (FINE, DAY):
            return mark
        if kind == NOTHING:
            return None
        hop = Hop("the clock is read here", mark.file, mark.span)
        same = mark.file == scope.unit.file and span[0] <= mark.span[0] and mark.span[1] <= span[1]
        hops = mark.hops if same else (hop, *mark.hops)
        coarsest = DAY if DAY in (kind, mark.kind) else FINE
        return replace(mark, kind=coarsest, file=scope.unit.file, span=span, what=scope.unit.source(span), hops=hops)

    return mapped(value, change)


def field(scope: Scope, value: Value, name: str, span: ir.Span) -> Value | None:
    """A field or method of a clock (`year`, `isoformat`); None where the name says nothing about it."""
    words = scope.catalogue.words
    if name in words["coarse"]:
        return reduced(scope, value, NOTHING, span)
    if name in words["dates"] or name in words["day_fields"]:
        return reduced(scope, value, DAY, span)
    if name in words["clock_fields"]:
        return reduced(scope, value, FINE, span)
    return None


def method(scope: Scope, value: Value, name: str, args: Sequence[ir.Expr], span: ir.Span) -> Value | None:
    """A method call on a clock."""
    shown = " ".join(scope.unit.source(arg.span, 200) for arg in args)
    if name in scope.catalogue.words["formats"] and args:
        return reduced(scope, value, of_format(scope.unit.module.language, shown), span)
    if snake(name) in ("to_locale_date_string", "to_locale_string") and len(args) > 1:
        options = scope.unit.source(args[1].span, 200)
        kind = FINE if re.search(r"hour|minute|second|timeStyle", options) else of_format("javascript", options)
        return reduced(scope, value, kind, span)
    if name in ("slice", "substring", "substr") and _DAY_CUT.fullmatch(shown.replace(" ", ",")):
        return reduced(scope, value, DAY, span)
    return field(scope, value, name, span)


def cut(scope: Scope, value: Value, key: ir.Expr, span: ir.Span) -> Value:
    """`text[:10]` of an ISO time is its date, and so is the first part of it split at the T."""
    shown = scope.unit.source(key.span)
    of = scope.unit.source(span, 400)
    if _DAY_CUT.fullmatch(shown) or (shown == "0" and re.search(r"""split\(\s*["'][T ]["']""", of)):
        return reduced(scope, value, DAY, span)
    return value
