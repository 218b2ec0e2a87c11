"""Any Hugging Face tokenizer from its tokenizer.json on disk; the hub is never asked."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.model.errors import InputError, TokenizerUnavailable
from promptlint.tokenizers.base import Memory, failure, valid_unicode

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Model

FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class _Encoded:
    """Ids of a text and the character in which each token begins, ascending (both array('I'))."""

    ids: array[int]
    begins: array[int]


class HuggingFaceVocabulary:
    """A tokenizer.json, named by the path that the user gave. Callers must not change the arrays they are given.

    Added tokens that are not special (`<think>` in some models) match inside ordinary text as well: the model does
    the same.
    """

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._model = _load(file)
        self._memory = Memory(self._encoded)

    def encode(self, text: str, *, specials: bool = False) -> array[int]:
        """Ids of a text, without any that the model adds around it; a lone surrogate counts as U+FFFD."""
        return self._memory.get(text, specials).ids

    def expect_much(self) -> None:
        """Changes nothing: the model is loaded as a whole."""

    def expect(self, texts: Sequence[str]) -> None:
        """Changes nothing either."""

    def encode_all(self, texts: Sequence[str], *, specials: bool = False) -> list[array[int]]:
        """The same for several texts."""
        return [self.encode(text, specials=specials) for text in texts]

    def char_end(self, text: str, ids: array[int], count: int) -> int:
        """Characters of `text` that the first `count` of its `ids` cover completely."""
        return self._begins(text, ids)[count] if count < len(ids) else len(text)

    def begun(self, text: str, ids: array[int], ends: Sequence[int]) -> array[int]:
        """For each of the ascending character offsets `ends`: how many of the text's `ids` begin before it."""
        begins = self._begins(text, ids)
        return array("I", (bisect_left(begins, end) for end in ends))

    def remember(self) -> None:
        """Nothing is kept: what the ids depend on is a file of the user's."""

    def _begins(self, text: str, ids: array[int]) -> array[int]:
        # The ids do not tell how they were made; what is in memory is tried first, as encoding is slow.
        for specials in sorted((False, True), key=lambda mode: not self._memory.holds(text, mode)):
            encoded = self._memory.get(text, specials)
            if encoded.ids == ids:
                break
        return encoded.begins

    def _encoded(self, text: str, specials: bool) -> _Encoded:
        self._model.encode_special_tokens = not specials  # true: the text of a special token is ordinary text
        try:
            found = self._model.encode(valid_unicode(text), add_special_tokens=False)
        except BaseException as problem:
            reason = failure(problem)
            if reason is None:
                raise
            message = f"a text of {len(text):,} characters cannot be encoded with {self.name}: {reason}"
            raise InputError(message) from None
        return _Encoded(array("I", found.ids), _begins(found.offsets))


def _begins(offsets: list[tuple[int, int]]) -> array[int]:
    """Where each token begins, from character offsets that may leave out a blank before a word.

    Tokens leave no gap, so one begins no later than its forerunner ends; bytes of one character share its offset.
    """
    begins = array("I")
    reached = 0
    for start, end in offsets:
        begins.append(max(min(start, reached), begins[-1] if begins else 0))
        reached = max(reached, end)
    return begins


def _load(file: Path) -> Model:
    if not file.is_file():
        raise TokenizerUnavailable(f"there is no {FILE} here", name=str(file))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from tokenizers import Tokenizer as Model

    try:
        model = Model.from_file(str(file))
    except BaseException as problem:
        reason = failure(problem)
        if reason is None:
            raise
        raise TokenizerUnavailable(f"not a usable {FILE}: {reason}", name=str(file)) from None
    # Settings for training batches that some files carry; they would cut the prompt off or lengthen it.
    model.no_truncation()
    model.no_padding()
    return model
