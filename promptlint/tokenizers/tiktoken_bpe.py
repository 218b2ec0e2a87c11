"""OpenAI's vocabularies through tiktoken, built from a data file that is installed: nothing is ever downloaded."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeVar

from promptlint.model.errors import InputError
from promptlint.tokenizers import rankfile
from promptlint.tokenizers.base import Memory, failure, valid_unicode
from promptlint.tokenizers.encoder import Encoder
from promptlint.tokenizers.incremental import Incremental
from promptlint.tokenizers.store import Encoded, Store
from promptlint.tokenizers.vocabularies import PUBLISHED, Published

if TYPE_CHECKING:
    import tiktoken

T = TypeVar("T")

_ID = array("I").itemsize
_END = "<|endoftext|>"  # a special token of all of them
_MUCH = 400_000  # characters of texts that are encoded in one go
_LONGEST_RUN = 900_000  # tiktoken 0.14 panics at 999,999 whitespace characters in a row
# Without the look-behind the search would begin anew at every character of a run, which is quadratic.
_RUN = re.compile(rf"(?<!\s)\s{{{_LONGEST_RUN}}}")


class TiktokenVocabulary:
    """One of `PUBLISHED`. Callers must not change the arrays they are given. Raises TokenizerUnavailable.

    `cache`: a folder for the ids of texts; with one, the vocabulary is loaded when a text is not in it.
    """

    def __init__(self, name: str, cache: str | None = None) -> None:
        self.name = name
        self._published = PUBLISHED[name]
        self._expected: Sequence[str] = ()
        self._much = False
        self._memory = Memory(self._checked)
        self._incremental = Incremental(self._plain)
        self._store = Store(cache, _identity(self._published)) if cache else None
        if self._store is None:
            _ = self._encoder

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self._published, rankfile.tokens(self._published))

    def expect_much(self) -> None:
        """Says that there will be much text: all of the vocabulary is loaded, with the next text."""
        self._much = True

    def expect(self, texts: Sequence[str]) -> None:
        """Says which texts are about to be encoded: what has to be loaded for one of them is loaded for all."""
        self._expected = texts

    def encode(self, text: str, *, specials: bool = False) -> array[int]:
        """Ids of a text; a lone surrogate counts as U+FFFD. Raises InputError on 900,000 blanks in a row."""
        return self._memory.get(text, specials).ids

    def encode_all(self, texts: Sequence[str], *, specials: bool = False) -> list[array[int]]:
        """The same for several texts, much faster where they are many and short. What is made so is not remembered.

        It may run in a thread beside the other methods, and hardly holds Python's lock.
        """
        if specials or self._store is not None:
            return [self._checked(text, specials).ids for text in texts]
        found: list[array[int]] = []
        for group in _groups(texts):
            if len(group) == 1:
                found.append(self._guarded(self._plain, group[0], specials))
            else:
                found += self._guarded(self._each, _END.join(group), specials)
        return found

    def char_end(self, text: str, ids: array[int], count: int) -> int:
        """Characters of `text` that the first `count` of its `ids` cover completely (a token may end inside one)."""
        sizes = self._sizes(text, ids)
        if sizes is None:
            covered = self._knowing(text).decode_bytes(ids[:count])
        else:
            covered = valid_unicode(text).encode()[: sum(sizes[:count])]
        return len(covered if text.isascii() else covered.decode("utf-8", "ignore"))

    def begun(self, text: str, ids: array[int], ends: Sequence[int]) -> array[int]:
        """For each of the ascending character offsets `ends`: how many of the text's `ids` begin before it."""
        if not ends:
            return array("I")
        sizes = self._sizes(text, ids)
        if sizes is None:
            sizes = bytes(map(len, self._knowing(text).decode_tokens_bytes(ids)))
        starts = list(accumulate(sizes, initial=0))
        return array("I", (bisect_left(starts, end, hi=len(ids)) for end in _byte_offsets(text, ends)))

    def remember(self) -> None:
        """Puts what was encoded anew into the cache."""
        if self._store is not None:
            self._store.write()

    def _sizes(self, text: str, ids: array[int]) -> bytes | None:
        """Bytes of each token, where they are known without the vocabulary."""
        for specials in (False, True):
            if self._memory.holds(text, specials):
                known = self._memory.get(text, specials)
                if known.ids == ids:
                    return known.sizes
        return None

    def _checked(self, text: str, specials: bool) -> Encoded:
        stored = self._store.get(text, specials) if self._store else None
        if stored is not None:
            return stored
        ids = self._guarded(self._incremental.encode, text, specials)
        if self._store is None:
            return Encoded(ids)
        encoded = Encoded(ids, bytes(map(len, self._knowing(text).decode_tokens_bytes(ids))))
        self._store.put(text, specials, encoded)
        return encoded

    def _guarded(self, encode: Callable[[str, bool], T], text: str, specials: bool) -> T:
        """What `encode` makes of a text. Raises InputError for a text that tiktoken does not survive."""
        run = _RUN.search(text) if len(text) >= _LONGEST_RUN else None
        if run:
            where = f"character {run.start():,} of a text"
            raise InputError(f"{_LONGEST_RUN:,} or more whitespace characters in a row at {where}: shorten the run")
        self._knowing(text)  # what is wrong with the vocabulary is no fault of the text
        try:
            return encode(valid_unicode(text), specials)
        except BaseException as problem:
            reason = failure(problem)
            if reason is None:
                raise
            message = f"a text of {len(text):,} characters cannot be encoded with {self.name}: {reason}"
            raise InputError(message) from None

    def _knowing(self, text: str) -> tiktoken.Encoding:
        return self._encoder.complete() if self._much else self._encoder.knowing(text, self._expected)

    def _plain(self, text: str, specials: bool) -> array[int]:
        encoding = self._encoder.encoding
        return array("I", encoding.encode(text, allowed_special="all") if specials else encoding.encode_ordinary(text))

    def _each(self, joined: str, specials: bool) -> list[array[int]]:
        """The ids of each text between which _END stands: what stands between special tokens is encoded by itself."""
        encoding = self._encoder.encoding
        data, end = _packed(encoding, joined), array("I", [encoding.eot_token]).tobytes()
        found = []
        start = at = 0
        for _ in range(joined.count(_END)):
            while (at := data.index(end, at)) % _ID:
                at += 1
            found.append(array("I", data[start:at]))
            start = at = at + _ID
        return [*found, array("I", data[start:])]


def _packed(encoding: tiktoken.Encoding, text: str) -> bytes:
    """The ids of a text with _END in it, as they lie in memory: what tiktoken gives to numpy without making a list."""
    encode = getattr(encoding._core_bpe, "encode_to_tiktoken_buffer", None)
    if encode is None:  # it is no part of what tiktoken promises
        return array("I", encoding.encode(text, allowed_special={_END}, disallowed_special=())).tobytes()
    return bytes(encode(text, {_END}))


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts that may be encoded in one go, in their order."""
    group: list[str] = []
    characters = 0
    for text in texts:
        alone = _END in text or len(text) > _MUCH
        if group and (alone or characters > _MUCH):
            yield group
            group, characters = [], 0
        if alone:
            yield [text]
        else:
            group.append(text)
            characters += len(text)
    if group:
        yield group


def _byte_offsets(text: str, offsets: Sequence[int]) -> Sequence[int]:
    if text.isascii():
        return offsets
    valid = valid_unicode(text)
    return list(accumulate(len(valid[start:end].encode()) for start, end in pairwise((0, *offsets))))


def _identity(published: Published) -> str:
    """What the ids of a text depend on."""
    return f"{published.sha256} {published.pattern} {sorted(published.specials.items())}"
