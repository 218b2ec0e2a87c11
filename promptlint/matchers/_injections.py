"""Signs that a piece of text was put into a message by a program and not said in the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from promptlint.matchers._values import compiled
from promptlint.model.history import Message, alike_texts, messages, newest_input
from promptlint.model.matching import Change
from promptlint.model.prompt import Component, Kind, Section

# How programs mark what they put into messages: a tag around it, a word in brackets, a heading.
FRAMES = (
    r"^\s*<([\w:.-]+)\b[^<>]*>[\s\S]*</\1>\s*$",
    r"^\s*\[\s*(?:system|reminder|context|note|env\w*|memor\w+|time|date|now|current|background|retrieved|internal|skills?)\b",
    r"^[\s#*_=-]*(?:\w+ )?(?:reminder|system note|context|background|relevant \w+|retrieved \w+|recalled \w+|"
    r"memor(?:y|ies)|environment(?: details)?|available \w+|skills|current \w+)\b[^\n]{0,40}[:\n]",
)
_WORTH = 12  # characters of a text that is not found twice by coincidence
_LOOK = 300  # characters at both ends of a text in which its frame stands
_SAID = (Kind.TEXT, Kind.TOOL_RESULT)


class Injections:
    """What tells injected text in one change. `frames` are patterns of its beginning or of all of it (FRAMES)."""

    def __init__(self, change: Change, frames: tuple[str, ...]) -> None:
        self._change = change
        self._frames = frames or FRAMES

    def framed(self, text: str) -> bool:
        """Whether a text has the form of a reminder or of a context block."""
        text = text.strip()
        if len(text) > 2 * _LOOK:
            text = f"{text[:_LOOK]}\n{text[-_LOOK:]}"
        return any(_matches(pattern, text) for pattern in self._frames)

    def moved(self, text: str, *, gone: bool) -> bool:
        """Whether text that is gone stands elsewhere in the later prompt, or new text in the earlier one."""
        text = text.strip()
        if len(text) < _WORTH:
            return False
        if text in (self._after if gone else self._before):
            return True
        words = " ".join(text.split())
        places = self._new_texts if gone else self._old_texts
        return any(alike_texts(words, other) and len(words) <= len(other) for other in places)

    def in_newest(self, before: Message | None, after: Message | None) -> bool:
        """Whether the earlier prompt had this message in its newest input, or has it now right before that."""
        return before is not None and before.start >= self._newest_before

    @cached_property
    def _newest_before(self) -> int:
        """Where the messages begin that stand behind the earlier prompt's last answer."""
        start = len(self._change.before)
        for message in reversed(messages(self._change.before)):
            if message.is_answer:
                break
            start = message.start
        return start

    @cached_property
    def _after(self) -> str:
        return _all_texts(self._change.after)

    @cached_property
    def _before(self) -> str:
        return _all_texts(self._change.before)

    @cached_property
    def _new_texts(self) -> tuple[str, ...]:
        return _texts(self._change.after[newest_input(self._change.after) :])

    @cached_property
    def _old_texts(self) -> tuple[str, ...]:
        return _texts(self._change.before[self._newest_before :])


def _matches(pattern: str, text: str) -> bool:
    try:
        return compiled(pattern).search(text)
    except TimeoutError:
        return False


def _all_texts(components: Sequence[Component]) -> str:
    said = (part for part in components if part.section is Section.MESSAGES and part.kind in _SAID)
    return "\0".join(part.text for part in said)


def _texts(components: Sequence[Component]) -> tuple[str, ...]:
    return tuple(" ".join(part.text.split()) for part in components if part.kind in _SAID)
