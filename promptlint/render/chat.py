"""A prompt through its chat template: exactly the text that an inference server would encode."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

from jinja2.environment import Template

from promptlint.model.errors import InputError
from promptlint.model.prompt import Prompt
from promptlint.model.rendering import Rendering
from promptlint.render.conversation import chat_body, variables
from promptlint.render.failures import Failure, failure, line_of
from promptlint.render.load import ChatTemplate
from promptlint.render.mapping import place
from promptlint.render.marks import ALL_KINDS, TEXT_KINDS, Anchor, Marks
from promptlint.render.sandbox import ChatEnvironment

_SAID = {
    Failure.SYNTAX: "has an error",
    Failure.STOPPED: "was stopped",
    Failure.REFUSED: "refuses this request",
    Failure.FORBIDDEN: "failed",
    Failure.FAILED: "failed",
}
_OPAQUE = "where the server puts images and how many tokens they take is an estimate"


def render_chat(prompt: Prompt, template: ChatTemplate, *, add_generation_prompt: bool, now: datetime) -> Rendering:
    """The prompt through `template`, joined and exact (not exact with images in it).

    Raises InputError where the body is no OpenAI chat body, and for all that can go wrong in a template: its syntax,
    what it raises itself, an access the sandbox refuses, and more steps, time or text than it may take.
    """
    body = chat_body(prompt)
    if not prompt.components:
        raise InputError("there is nothing to render: no messages and no tools", name=prompt.source.name)
    run = _Run(template, body, add_generation_prompt, now)
    output = run.output(body)
    slots = place(prompt.components, output, _anchors(prompt, body, run, output))
    opaque = any(component.opaque for component in prompt.components)
    return Rendering(slots, joined=True, exact=not opaque, reason=_OPAQUE if opaque else "", notes=run.notes())


class _Run:
    """One template and how it is called."""

    def __init__(self, template: ChatTemplate, body: Mapping[str, Any], generate: bool, now: datetime) -> None:
        self.template = template
        self.specials = dict(template.specials)
        self.generate = generate
        self.environment, self.compiled = _compile(template.source(tools=bool(body.get("tools"))), template.name)
        self.environment.now = now

    def output(self, body: Mapping[str, Any]) -> str:
        lists = self.environment.content_lists
        given = variables(body, self.specials, lists=lists, generate=self.generate)
        try:
            return self.environment.run(self.compiled, given)
        except Exception as error:
            _fail(error, self.template.name)

    def notes(self) -> tuple[str, ...]:
        if not self.environment.clock_read:
            return ()
        return (f"the chat template prints the date; it was given {self.environment.now:%Y-%m-%d %H:%M}",)


@lru_cache(maxsize=4)
def _compile(source: str, name: str) -> tuple[ChatEnvironment, Template]:
    environment = ChatEnvironment()
    try:
        code = environment.compile(source, name=name, filename=name)
        return environment, Template.from_code(environment, code, environment.globals)
    except Exception as error:
        _fail(error, name)


def _anchors(prompt: Prompt, body: Mapping[str, Any], run: _Run, output: str) -> tuple[Anchor, ...]:
    """Where the texts went: all of them, else those that no template should look into, else unknown."""
    for kinds in (ALL_KINDS, TEXT_KINDS):
        try:
            marks = Marks(body, prompt.components, kinds)
            anchors = marks.read(run.output(marks.body), output)
        except (InputError, RecursionError):
            continue
        if anchors is not None:
            return anchors
    return ()


def _fail(error: Exception, name: str) -> NoReturn:
    kind, reason = failure(error)
    raise InputError(f"the chat template {_SAID[kind]}: {reason}", name=name, line=line_of(error, name)) from None
