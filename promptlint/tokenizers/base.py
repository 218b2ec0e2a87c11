"""What both kinds of tokenizer share: the protocol, the memory of encoded texts, and the care for hostile text."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from promptlint.model.tokens import Tokenizer

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")
_MEMORY = 32_000_000  # characters of text whose ids are kept; ids take about a byte for each


class Vocabulary(Tokenizer, Protocol):
    """A tokenizer that can also place many character offsets at once."""

    def expect_much(self) -> None:
        """Says that there will be much text: all of the vocabulary is loaded, with the next text."""
        ...

    def expect(self, texts: Sequence[str]) -> None:
        """Says which texts are about to be encoded, where it is known: it may save time, and changes nothing else."""
        ...

    def encode_all(self, texts: Sequence[str], *, specials: bool = False) -> list[array[int]]:
        """The ids of each text, made side by side where that is faster."""
        ...

    def begun(self, text: str, ids: array[int], ends: Sequence[int]) -> array[int]:
        """For each of the ascending character offsets `ends`: how many of the text's `ids` begin before it."""
        ...

    def remember(self) -> None:
        """Puts what was encoded anew into the cache, where there is one."""
        ...


class Memory(Generic[T]):
    """Results by text: the two versions of a prompt, and every repair of it, share most of their texts."""

    def __init__(self, make: Callable[[str, bool], T]) -> None:
        self._make = make
        self._kept: dict[tuple[str, bool], T] = {}
        self._characters = 0

    def holds(self, text: str, specials: bool) -> bool:
        return (text, specials) in self._kept

    def get(self, text: str, specials: bool) -> T:
        key = (text, specials)
        if key not in self._kept:
            made = self._make(text, specials)
            if self._characters > _MEMORY:
                self._kept.clear()
                self._characters = 0
            self._kept[key] = made
            self._characters += len(text)
        return self._kept[key]


def valid_unicode(text: str) -> str:
    """The text with each lone surrogate (no UTF-8 exists for it) as U+FFFD, of the same length in characters."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def failure(problem: BaseException) -> str | None:
    """One line on what failed in a library written in Rust, or None for what must pass (an interrupt).

    A Rust panic reaches Python as `PanicException`, which is no Exception and cannot be imported.
    """
    if isinstance(problem, Exception) or type(problem).__name__ == "PanicException":
        return (str(problem).splitlines() or [type(problem).__name__])[0]
    return None
