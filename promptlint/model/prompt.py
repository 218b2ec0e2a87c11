"""A prompt as a sequence of components, before any provider's order or tokenizer is applied."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime

from promptlint.model.source import Location, Source


class Section(enum.Enum):
    """The three levels that providers order and invalidate separately."""

    TOOLS = "tools"
    SYSTEM = "system"
    MESSAGES = "messages"


class Kind(enum.Enum):
    """What a component is. One message block may be several components (a call: its id, name and arguments)."""

    TEXT = "text"
    TOOL = "tool"  # one tool definition; text is compact JSON, key order as sent
    ROLE = "role"  # the role (or the kind of item) that opens a message
    CALL_ID = "call-id"  # id of a tool call, or the id a tool result answers to
    CALL_NAME = "call-name"
    ARGUMENTS = "arguments"  # of a tool call: the raw string where the wire has a string, else compact JSON
    TOOL_RESULT = "tool-result"  # text inside a tool result
    REASONING = "reasoning"
    IMAGE = "image"
    DOCUMENT = "document"
    AUDIO = "audio"
    FIELD = "field"  # any other field of a tool, block or message, kept as `"name":value`


OPAQUE_KINDS = frozenset({Kind.IMAGE, Kind.DOCUMENT, Kind.AUDIO})


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A cache marker. Markers are not content: they are stripped from the text and checked by their own rules."""

    location: Location
    ttl_seconds: int | None = None  # None: the provider's default
    automatic: bool = False  # placed by the provider because of a request-level switch
    assumed: bool = False  # the files of a prompt show no markers; the program that sends it is taken to set this one


@dataclass(frozen=True, slots=True)
class Component:
    """The smallest part of a prompt that has a field path of its own.

    `text` is what the model sees of it. Opaque components (images, documents, audio) have the content hash as text
    (`sha256:…`) and an estimated number of tokens in `opaque_tokens`. `message` and `block` are indices in the
    provider's own lists, -1 where there is none; a tool's or system block's index is `block`.
    `shifts` maps offsets back to the source after a repair spliced the text: (position in text, delta to add).
    """

    section: Section
    kind: Kind
    text: str
    location: Location
    role: str = ""
    message: int = -1
    block: int = -1
    name: str = ""  # tool or function name, where there is one
    call_id: str = ""
    breakpoint: Breakpoint | None = None
    opaque_tokens: int | None = None
    shifts: tuple[tuple[int, int], ...] = ()

    @property
    def opaque(self) -> bool:
        return self.opaque_tokens is not None

    @property
    def unit(self) -> tuple[Section, int, int]:
        """The content block this belongs to: what breakpoint providers count and mark."""
        return (self.section, self.message, self.block)

    def origin(self, offset: int) -> int:
        """Offset in the text as it was read, for an offset in a text that repairs have spliced."""
        delta = 0
        for position, shift in self.shifts:
            if offset < position:
                break
            delta = shift
        return max(0, offset + delta)


@dataclass(frozen=True, slots=True)
class Setting:
    """A request field outside the prompt text, such as `temperature` or `thinking`; `value` is compact JSON."""

    path: str
    value: str
    location: Location


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that could not be looked at, with the reason; a result like any other, never dropped."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request or prompt file. `components` stand in the order of the wire format.

    `wire` is the format's name (`anthropic`, `openai-chat`, `openai-responses`, `gemini`, `bedrock`, `text`);
    `request` keeps the parsed body of a request for chat templates and for rules on the body itself (None for text).
    `key_order` is the order of the body's top-level keys.
    """

    source: Source
    wire: str
    components: tuple[Component, ...]
    model: str = ""
    settings: tuple[Setting, ...] = ()
    skipped: tuple[Skip, ...] = ()
    sent_at: datetime | None = None
    request: object = field(default=None, compare=False)
    key_order: tuple[str, ...] = ()

    def setting(self, path: str) -> Setting | None:
        return next((setting for setting in self.settings if setting.path == path), None)
