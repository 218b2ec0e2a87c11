"""Placeholders in running text, without statements: `{name}`, `${name}`, `{{ name }}`, `<%= name %>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters

from promptlint.model.source import Span
from promptlint.readers.template.nodes import Node, Passage

# A name, its attributes and items, and a call without arguments.
_NAME = r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}|\[[\w'\"]{1,60}\]){0,5}(?:\(\))?"
# `${{ … }}` is a workflow's, `\{{` and `^{{` are LaTeX, `{{#` and its like are Handlebars.
_DOUBLE = r"(?<![\\$^{])\{\{[-~]?\s{0,9}(?P<double>[^{}\n]{1,200}?)\s{0,9}[-~]?\}\}(?!\})"
_TRIPLE = r"(?<![\\$^{])\{\{\{\s{0,9}(?P<triple>[^{}\n]{1,200}?)\s{0,9}\}\}\}"
# In capitals it is a shell's variable.
_DOLLAR = r"(?<![\\$])\$\{\s{0,9}(?![A-Z_0-9]+[}:-])(?P<dollar>[^{}\n]{1,200}?)\s{0,9}\}"
_ERB = r"<%=\s{0,9}(?P<erb>[^%\n]{1,200}?)\s{0,9}-?%>"
# Behind these a brace belongs to LaTeX, to a path or to a name.
_SINGLE = rf"(?<![\w{{$\\^/@#%])\{{(?P<single>{_NAME})(?:![rsa])?(?::(?P<spec>[^{{}}\n]{{1,40}}))?\}}(?![}}`])"
_RUNNING = re.compile("|".join((_TRIPLE, _DOUBLE, _DOLLAR, _ERB, _SINGLE)))
_FORMAT = re.compile(rf"\{{\{{|\}}\}}|\{{(?P<single>{_NAME})(?:![rsa])?(?::(?P<spec>[^{{}}\n]{{1,40}}))?\}}")
_DOUBLED_LITERAL = re.compile(r"\{\{\s*(?:\n|[\"'}\[{]|\}\})|\{\{[^{}\n]*[\"']\s*:")
_FENCE = re.compile(r"^[ \t>]*(?:[-*][ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^`\r\n]*)\r?$", re.MULTILINE)
_TYPES = re.compile(r"\{\w[\w.\[\]]*(?:\s?\|\s?\w[\w.\[\]]*)+\}")  # {string|URL}
_MOST_TYPES = 2
_MOST_NAMES = 20  # no prompt takes more values
_CODE_STRING = re.compile(
    r"\b[fF][rR]?[\"'][^\n]*\Z"
)  # a format string of Python: code that stands there without a fence
_CODE = re.compile(r"(?<!`)(?P<ticks>`{1,2})(?!`)[^`\n]+(?P=ticks)(?!`)")
_LATEX = re.compile(
    r"\\[A-Za-z]+\*?(?:\[[^\[\]\n]*\])?(?:\{[^{}\n]*\}|\{\{[^{}\n]*\}\})*\Z"
)  # \frac{a}, before its {b}
_REACH = 100  # characters before a brace in which the command that it belongs to begins
_EXPRESSION = re.compile(r"[A-Za-z_@\"'(\[]")


def parse(passage: Passage) -> list[Node]:
    """The placeholders of running text, in whichever way they are written; what it cannot tell is text."""
    doubled = _is_format_string(passage.text) or _are_many(_DOUBLE, passage.text)
    return _nodes(passage, _placeholders(passage.text, doubled))


def parse_format(passage: Passage) -> list[Node]:
    """A format string of Python, where doubled braces stand for one."""
    found = (
        (Span(*match.span()), _with_spec(match["single"], match["spec"]) if match["single"] else None)
        for match in _FORMAT.finditer(passage.text)
    )
    return _nodes(passage, found)


def parse_doubled(passage: Passage) -> list[Node]:
    """The placeholders in doubled braces alone."""
    found = _placeholders(passage.text, doubled=False)
    return _nodes(passage, (each for each in found if passage.text.startswith("{{", each[0].start)))


def shown(text: str) -> list[Span]:
    """Code that a text shows: fenced, or between backticks. A placeholder there is an example."""
    found: list[Span] = []
    for span in sorted(
        _fences(text) + [Span(*match.span()) for match in _CODE.finditer(text)], key=lambda each: each.start
    ):
        if not found or span.start >= found[-1].end:  # what looks like code inside of a fence is in it already
            found.append(span)
    return found


def _fences(text: str) -> list[Span]:
    """A fence is closed by one that is as long and says nothing; one that is not closed goes on to the end."""
    found: list[Span] = []
    mark, start = "", 0
    for match in _FENCE.finditer(text):
        if not mark:
            mark, start = match["mark"], match.start()
        elif match["mark"].startswith(mark) and not match["info"].strip():
            found.append(Span(start, match.end()))
            mark = ""
    return [*found, Span(start, len(text))] if mark else found


def _is_format_string(text: str) -> bool:
    """Whether doubled braces are literal ones: beside `{name}`, where some enclose what is no expression."""
    return _DOUBLED_LITERAL.search(text) is not None and re.search(_SINGLE, text) is not None


def _is_notation(text: str) -> bool:
    """Whether single braces mark types or arguments, as in the reference of a language: by their number and kind."""
    return len(_TYPES.findall(text)) > _MOST_TYPES or _are_many(_SINGLE, text)


def _are_many(pattern: str, text: str) -> bool:
    return len({match[1] for match in re.finditer(pattern, text)}) > _MOST_NAMES


def _placeholders(text: str, doubled: bool) -> Iterator[tuple[Span, str | None]]:
    notation = _is_notation(text)
    for match in _RUNNING.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        if before and before[-1] in "}" + ascii_letters and _LATEX.search(before):
            continue
        kind = match.lastgroup if match["spec"] is None else "single"
        inside = match[kind or "single"]
        if kind == "single":
            if notation:
                continue
            if match["spec"] and "%" not in match["spec"]:  # code that prints a number
                continue
            if _CODE_STRING.search(
                text, max(text.rfind("\n", 0, match.start()) + 1, match.start() - _REACH), match.start()
            ):
                continue
            inside = _with_spec(inside, match["spec"])
        elif kind in ("double", "triple") and (doubled or not _EXPRESSION.match(inside)):
            continue
        yield Span(*match.span()), inside


def _with_spec(name: str, spec: str | None) -> str:
    """`{now:%H:%M}` is a time in that format."""
    return f'{name} | strftime("{spec}")' if spec and "%" in spec else name


def _nodes(passage: Passage, found: Iterator[tuple[Span, str | None]]) -> list[Node]:
    nodes: list[Node] = []
    seen = 0

    def text(end: int, literal: str | None = None) -> None:
        if seen < end:
            nodes.append(Node("text", passage, seen, end, passage.text[seen:end] if literal is None else literal))

    for span, inside in found:
        text(span.start)
        seen = span.start
        if inside is None:
            text(span.end, passage.text[span.start])
        else:
            nodes.append(Node("hole", passage, span.start, span.end, inside))
        seen = span.end
    text(len(passage.text))
    return nodes
