"""Prompt templates of LangChain: what is filled into the places of their system messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from promptlint.readers.code import sinks
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.scope import Scope
from promptlint.readers.code.value import UNKNOWN, Value, literal, text_of

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

TYPE = "chat template"
_FILLS = frozenset({"invoke", "ainvoke", "stream", "astream", "format_messages", "format_prompt", "aformat_messages"})
_PLACE = re.compile(r"(?<!\{)\{(\w+)[^{}]*\}(?!\})")


def made(scope: Scope, called: Called) -> Value | None:
    """A template, the same one bound to a model, or what filling it gives."""
    name = snake(called.name)
    if name == "from_messages" and called.args:
        return Value("list", parts=called.args[0].parts, type=TYPE)
    if name == "from_template" and "SystemMessagePromptTemplate" in called.path and called.args:
        return Value("list", parts=(literal("system"), called.args[0]))
    if called.receiver.type != TYPE:
        return None
    if name in _FILLS or name == "partial":
        _filled(scope, called)
    return called.receiver if name in ("partial", "pipe") else UNKNOWN


def _filled(scope: Scope, called: Called) -> None:
    given = {**(called.args[0].fields if called.args else {}), **called.named}
    for message in called.receiver.parts:
        if len(message.parts) != 2 or message.parts[0].text not in ("system", "developer"):
            continue
        text = text_of(part for leaf in message.parts[1].leaves() for part in _parts(scope, leaf, given))
        if text.all_marks():
            scope.emit("system", text, called.expr.span, "the system message of the template", call=True)


def _parts(scope: Scope, leaf: Value, given: dict[str, Value]) -> list[Value]:
    """A literal text with what stands at its places."""
    found: list[Value] = []
    for index, piece in enumerate(_PLACE.split(leaf.text)):
        if index % 2 == 0:
            found.append(literal(piece, leaf.site))
        elif piece in given:
            found.append(sinks.called_back(scope, given[piece]))
    return found
