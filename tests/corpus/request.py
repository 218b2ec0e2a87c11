"""A request without a wire format: tools, system text, messages; parts keep their names through every change."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# Places in a text where something can be put in: private-use characters that no emitted request holds.
_PARAGRAPH, _SENTENCE, _END = 0xE100, 0xE400, 0xF0FF
_SLOT = re.compile(f"[{chr(_PARAGRAPH)}-{chr(_END)}]")
_PARAGRAPH_SLOT = re.compile(f"[{chr(_PARAGRAPH)}-{chr(_SENTENCE - 1)}]")
_SENTENCE_SLOT = re.compile(f"[{chr(_SENTENCE)}-{chr(_END)}]")


def slotted(paragraphs: list[list[str]]) -> str:
    """Paragraphs, each a list of sentences (or of lines that end in a newline), with a slot before each of them."""
    sentence = _SENTENCE
    texts = []
    for index, parts in enumerate(paragraphs):
        text = chr(_PARAGRAPH + index)
        for number, part in enumerate(parts):
            if number:
                text += ("" if text.endswith("\n") else " ") + chr(sentence)
                sentence += 1
            text += part
        texts.append(text.rstrip("\n"))
    return "\n\n".join(texts)


def visible(text: str) -> str:
    """The text as it is sent."""
    return _SLOT.sub("", text)


def paragraph_slots(text: str) -> list[str]:
    return _PARAGRAPH_SLOT.findall(text)


def sentence_slots(text: str) -> list[str]:
    """Slots between two sentences of one paragraph."""
    return [match[0] for match in _SENTENCE_SLOT.finditer(text) if text[match.start() - 1] == " "]


@dataclass
class Part:
    """A piece of a message or a system block. `mark` is a cache marker's lifetime ("" for the default), or None."""

    uid: str
    kind: str  # text, call, result, reasoning, image, document
    text: str = ""
    call_id: str = ""
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    raw: str | None = None  # the very string of the arguments, where the wire format has one
    data: bytes = b""
    mark: str | None = None

    def argument_text(self) -> str:
        return json.dumps(self.arguments, ensure_ascii=False) if self.raw is None else self.raw


@dataclass
class Message:
    """`plain`: content is sent as a string where it is one text."""

    uid: str
    role: str  # user, assistant, tool, developer
    parts: list[Part]
    plain: bool = True


@dataclass
class Tool:
    """`keys` is the order in which name, description and schema are sent."""

    uid: str
    name: str
    description: str
    schema: dict[str, Any]
    mark: str | None = None
    keys: tuple[str, ...] = ("name", "description", "schema")


@dataclass
class Request:
    """`settings` are the body's other fields as the wire format has them."""

    wire: str
    provider: str | None
    model: str
    tools: list[Tool]
    system: list[Part]
    messages: list[Message]
    settings: dict[str, Any] = field(default_factory=dict)
    plain_system: bool = True
    key_order: tuple[str, ...] = ()

    def copy(self) -> Request:
        """A copy that shares nothing (by pickle, which is several times as fast as deepcopy)."""
        copied: Request = pickle.loads(pickle.dumps(self))
        return copied

    def parts(self) -> Iterator[Part]:
        yield from self.system
        for message in self.messages:
            yield from message.parts

    def markable(self) -> Iterator[Tool | Part]:
        yield from self.tools
        yield from self.parts()

    def part(self, uid: str) -> Part:
        return next(part for part in self.parts() if part.uid == uid)

    def find(self, uid: str) -> Part | None:
        return next((part for part in self.parts() if part.uid == uid), None)

    def message(self, uid: str) -> Message:
        return next(message for message in self.messages if message.uid == uid)

    def tool(self, uid: str) -> Tool:
        return next(tool for tool in self.tools if tool.uid == uid)
