"""Token ids of a rendering, and what a tokenizer must be able to do."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Protocol

# Ids at or above this are promptlint's own (structural markers, opaque content); no vocabulary reaches it.
SYNTHETIC = 0x8000_0000


class Tokenizer(Protocol):
    """A vocabulary that is loaded.

    `name` is the vocabulary's field name (`o200k_base`, or the path of a tokenizer.json).
    """

    name: str

    def encode(self, text: str, *, specials: bool = False) -> array[int]:
        """Ids as array('I'). `specials`: text such as `<|im_end|>` becomes its special token (template output)."""
        ...

    def char_end(self, text: str, ids: array[int], count: int) -> int:
        """Characters of `text` that the first `count` of its `ids` cover completely."""
        ...


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """Ids of one rendering. `slot_ends[i]` is the number of tokens up to the end of slot i (both array('I')).

    `exact` is false where the vocabulary or the layout is not public; `reason` says which.
    """

    ids: array[int]
    slot_ends: array[int]
    vocabulary: str
    exact: bool
    reason: str = ""

    def __len__(self) -> int:
        return len(self.ids)
