"""Running a chat template so that every character of its output leads back to the tag or text that printed it."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from types import CodeType
from typing import Any, NoReturn

from jinja2 import nodes
from jinja2.environment import Template

from promptlint.model.source import Span
from promptlint.render.conversation import variables
from promptlint.render.failures import Failure, failure, line_of
from promptlint.render.sandbox import ChatEnvironment, Instruction
from promptlint.render.trials.regions import regions

_FILE = "<chat template>"


class TemplateFailed(Exception):
    """Compiling or running failed: how, why, and at which tag (None: not known)."""

    def __init__(self, kind: Failure, reason: str, span: Span | None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.span = span


@dataclass(frozen=True, slots=True)
class Trace:
    """An output. Part i ends at character `ends[i]` and was printed by `spans[i]` of the template.

    `clock`: what the template asked of the clock, each format with the tag that asks.
    """

    text: str
    ends: Sequence[int]
    spans: Sequence[Span]
    clock: tuple[tuple[str, Span], ...] = ()

    def printed_at(self, char: int) -> Span:
        """What printed a character (the last part where the output ends before it)."""
        return self.spans[min(bisect_right(self.ends, char), len(self.spans) - 1)] if self.spans else Span(0, 0)


class _Environment(ChatEnvironment):
    """Keeps the syntax tree, and who reads the clock."""

    tree: nodes.Template

    def __init__(self) -> None:
        super().__init__()
        self.clock: list[tuple[str, int]] = []  # formats, with lines of the compiled template

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        self.tree = super()._parse(source, name, filename)
        return self.tree

    def _strftime_now(self, form: str) -> str:
        frame = sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename != _FILE:
            frame = frame.f_back
        self.clock.append((str(form), frame.f_lineno))
        return super()._strftime_now(form)


@dataclass(frozen=True, slots=True)
class Form:
    """How a template wants messages: arguments of calls as they were sent, a string; content as a list of blocks."""

    raw: bool = False
    blocks: bool = False


FORMS = (Form(), Form(raw=True), Form(blocks=True), Form(raw=True, blocks=True))


class TracedTemplate:
    """A compiled template. Raises TemplateFailed where it does not compile. `form` is how it is given messages."""

    def __init__(self, text: str, specials: Mapping[str, str]) -> None:
        self.form = FORMS[0]
        self._specials = specials
        self._regions = regions(text)
        self._environment = _Environment()
        try:
            code = self._environment.compile(self._regions.text, name=_FILE, filename=_FILE)
            self._compiled = Template.from_code(self._environment, code, self._environment.globals)
        except Exception as error:
            self._fail(error)
        # jinja2 reads its own table anew for each line.
        self._written = self._compiled.debug_info  # (line of the template, line of its code), ascending in both
        self._tables: dict[CodeType, list[tuple[int, int]]] = {}  # (first offset, line) of the code
        self._places: dict[Instruction, Span] = {}

    @property
    def tree(self) -> nodes.Template:
        """Its syntax tree; lines in it are those that `span` takes."""
        return self._environment.tree

    def span(self, line: int) -> Span:
        """The tag or text at a line of the syntax tree, in the template as it was written."""
        return self._regions.at(line)

    def run(self, body: Mapping[str, Any], now: datetime) -> Trace:
        """The output for a request body. Raises TemplateFailed."""
        self._environment.now = now
        self._environment.clock = []
        texts: list[str] = []
        spans: list[Span] = []
        try:
            for part, place in self._environment.parts(self._compiled, self._given(body)):
                texts.append(part)
                spans.append(self._printed_by(place))
        except Exception as error:
            self._fail(error)
        return Trace(
            text="".join(texts),
            ends=array("Q", accumulate(map(len, texts))),
            spans=spans,
            clock=tuple((form, self._coded_by(line)) for form, line in self._environment.clock),
        )

    def _given(self, body: Mapping[str, Any]) -> dict[str, Any]:
        given = variables(body, self._specials, lists=self._environment.content_lists, generate=True)
        for message, sent in zip(given["messages"], body["messages"], strict=True):
            if self.form.raw and "tool_calls" in sent:
                message["tool_calls"] = sent["tool_calls"]
            if self.form.blocks and isinstance(message["content"], str):
                message["content"] = [{"type": "text", "text": message["content"]}]
        return given

    def _printed_by(self, place: Instruction) -> Span:
        if place not in self._places:
            code, offset = place
            if code not in self._tables:
                self._tables[code] = [(start, line or 0) for start, _, line in code.co_lines()]
            row = bisect_right(self._tables[code], offset, key=lambda entry: entry[0])
            self._places[place] = self._coded_by(self._tables[code][row - 1][1])
        return self._places[place]

    def _coded_by(self, line: int) -> Span:
        """The tag or text that a line of the compiled template comes from."""
        row = bisect_right(self._written, line, key=lambda pair: pair[1])
        return self._regions.at(self._written[row - 1][0] if row else 1)

    def _fail(self, error: Exception) -> NoReturn:
        kind, reason = failure(error)
        line = line_of(error, _FILE)
        raise TemplateFailed(kind, reason, None if line is None else self._regions.tag_at(line)) from None
