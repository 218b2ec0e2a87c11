"""The messages of a prompt as a history: grouped components that can be compared and aligned."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from promptlint.model.folding import fold
from promptlint.model.prompt import Component, Kind, Section

_ANSWERS = frozenset({"assistant", "model"})
_RESULTS = frozenset({"tool", "function"})
# What a host or a gateway makes anew and the reader of a conversation does not see.
_UNSAID = frozenset({Kind.CALL_ID, Kind.REASONING, Kind.ROLE})
_FEW_WORDS = 3  # texts as short as this are alike only where one holds the other


@dataclass(frozen=True, slots=True)
class Message:
    """Components that stand together: a message, or outside of the history one tool or one system block.

    `start` to `stop` index them in cache order.
    """

    index: int
    role: str
    start: int
    stop: int
    parts: tuple[Component, ...]
    _key: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def opening(self) -> str:
        """The role, or the kind of item (`function_call`) where the wire format has items."""
        return self.parts[0].text if self.parts[0].kind is Kind.ROLE else self.role

    @property
    def text(self) -> str:
        """All of its parts, for comparing."""
        return "\0".join(part.text for part in self.parts if part.kind is not Kind.ROLE)

    @property
    def key(self) -> str:
        """The same without ids, reasoning and differences of white space, Unicode form and JSON form."""
        if self._key is None:
            words = " ".join(_plain(part) for part in self.parts if part.kind not in _UNSAID) or self.text
            object.__setattr__(self, "_key", " ".join([self.opening, *fold(words).split()]))
        assert self._key is not None
        return self._key

    @property
    def said(self) -> str:
        """Its words alone, without images, documents and calls."""
        return " ".join(fold(part.text) for part in self.parts if part.kind is Kind.TEXT)

    @property
    def is_answer(self) -> bool:
        return self.role in _ANSWERS

    @property
    def is_result(self) -> bool:
        """Whether it answers tool calls and nothing else."""
        kinds = {part.kind for part in self.parts}
        return self.role in _RESULTS or (Kind.TOOL_RESULT in kinds and Kind.TEXT not in kinds)

    def equal(self, other: Message) -> bool:
        """Whether both have the same parts with the same texts."""
        if self.parts is other.parts:
            return True
        if len(self.parts) != len(other.parts):
            return False
        return all(
            left is right or (left.kind is right.kind and left.text == right.text)
            for left, right in zip(self.parts, other.parts, strict=True)
        )


def _plain(part: Component) -> str:
    if part.kind is not Kind.ARGUMENTS:
        return part.text
    try:
        return json.dumps(json.loads(part.text), sort_keys=True)
    except (ValueError, RecursionError):
        return part.text


def messages(components: Sequence[Component]) -> tuple[Message, ...]:
    """The messages of a prompt, in order (system text and tools are none)."""
    return tuple(_messages(components))


def second_message(components: Sequence[Component]) -> Message | None:
    """The second message of a prompt."""
    return next(islice(_messages(components), 1, 2), None)


def _messages(components: Sequence[Component]) -> Iterator[Message]:
    return (group for group in _groups(components, 0) if group.parts[0].section is Section.MESSAGES)


def went_on(before: Sequence[Component], after: Sequence[Component]) -> bool:
    """Whether the later prompt has more messages: it is no second try with an edited prompt."""
    return len(messages(after)) > len(messages(before))


def groups(components: Sequence[Component], start: int = 0) -> list[Message]:
    """All that stands from component `start` on: messages, and one by one the tools and system blocks."""
    return list(_groups(components, start))


def _groups(components: Sequence[Component], start: int) -> Iterator[Message]:
    """What a role opens, or else parts of one message; numbers of messages may repeat in a repaired prompt."""
    role, end = Kind.ROLE, len(components)
    while start < end:
        first = components[start]
        opens, section, message = first.kind is role, first.section, first.message
        stop = start + 1
        while (
            stop < end
            and (opens or message >= 0)
            and (here := components[stop]).kind is not role
            and here.section is section
            and (opens or here.message == message)
        ):
            stop += 1
        yield Message(message, first.role, start, stop, tuple(components[start:stop]))
        start = stop


def newest_input(components: Sequence[Component]) -> int:
    """Index of the component where a request's newest input begins: its last message, or the last tool results.

    That is the number of components where an answer stands last.
    """
    found = len(components)
    stop = found
    while stop and components[stop - 1].section is Section.MESSAGES:
        start = stop - 1
        while start and not _opens(components, start):
            start -= 1
        role = components[start].role
        if role in _ANSWERS or (found < len(components) and role not in _RESULTS):
            break
        found = stop = start
        if role not in _RESULTS:
            break
    return found


def _opens(components: Sequence[Component], index: int) -> bool:
    first, before = components[index], components[index - 1]
    return first.kind is Kind.ROLE or before.section is not first.section


def alike(before: Message, after: Message) -> bool:
    """Whether two messages are versions of one: equal but for form, or one holds most of the other."""
    if before.role != after.role:
        return False
    return alike_texts(before.key, after.key) or (bool(before.said) and before.said == after.said)


def likeness(before: Message, after: Message) -> float:
    """The share of words that two messages have in common, of the longer one's; 1 where text was put into one."""
    left, right = before.key.split(), after.key.split()
    shorter, longer = sorted((left, right), key=len)
    if len(shorter) >= 2 and leading(shorter, longer) + leading(shorter[::-1], longer[::-1]) >= len(shorter):
        return 1.0
    return len(set(left) & set(right)) / max(len(set(longer)), 1)


def leading(left: Sequence[str], right: Sequence[str]) -> int:
    """How many words two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def alike_texts(before: str, after: str) -> bool:
    """As `alike`, for texts in which words are parted by one blank."""
    if before == after:
        return True
    shorter, longer = sorted((set(before.split()), set(after.split())), key=len)
    if len(shorter) < _FEW_WORDS:
        left, right = sorted((before, after), key=len)
        return bool(left) and (right.startswith(left) or right.endswith(left))
    return len(shorter & longer) >= 0.7 * len(shorter)
