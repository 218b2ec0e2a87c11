"""What was found out about the messages of two prompts, kept while their causes are repaired one after another.

A repair changes a few messages and leaves the rest as it was. So messages are numbered by what they say, ends of lists
by the numbers in them, and what laying two ends side by side has shown is looked up the next time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from promptlint.model.history import Message

Pairs = list[tuple[int | None, int | None]]
_END = -1  # the number of the end behind the last message


class Known:
    """Of one comparison: numbers count from 0, in the order in which messages were first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._keys: list[int] = []
        self._numbers_of_keys: dict[str, int] = {}
        self._lengths: list[int] = []  # by key
        self._ends: dict[tuple[int, int], int] = {}
        self._versions: dict[tuple[int, int], bool] = {}
        # By two ends: the pairs with which laying them side by side begins (counted from where they begin), and how
        # many messages of each side these take.
        self.beginnings: dict[tuple[int, int], tuple[Pairs, int, int]] = {}

    def number(self, message: Message) -> int:
        """The same for messages with the same parts."""
        first = message.parts[0]
        said = (first.section, message.opening, *((part.kind, part.text) for part in message.parts))
        found = self._numbers.setdefault(said, len(self._keys))
        if found == len(self._keys):
            key = message.key
            self._keys.append(self._numbers_of_keys.setdefault(key, len(self._lengths)))
            if self._keys[-1] == len(self._lengths):
                self._lengths.append(len(key))
        return found

    def key(self, number: int) -> int:
        """The same for messages whose keys are the same text."""
        return self._keys[number]

    def length(self, key: int) -> int:
        """Characters of a key."""
        return self._lengths[key]

    def ends(self, numbers: Sequence[int]) -> list[int]:
        """For each message a number of the list from it on, and one for the empty list."""
        found = [_END]
        for number in reversed(numbers):
            found.append(self._ends.setdefault((number, found[-1]), len(self._ends)))
        return found[::-1]

    def versions(self, left: int, right: int, ask: Callable[[], bool]) -> bool:
        """Whether two messages are versions of one, asked once."""
        known = self._versions.get((left, right))
        if known is None:
            known = self._versions[left, right] = ask()
        return known
