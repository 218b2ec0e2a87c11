"""An encoder that knows the tokens which its texts can hold: tiktoken takes 0.2 s to be made with all 200,000.

Byte-pair encoding looks up substrings of a pre-token and nothing else, and no pre-token reaches over a safe cut
(`cuts`). So the ids of a text are the same without the tokens that are in no part between two of its cuts: a prompt
of 30,000 tokens needs 2,000 of them. Where much text comes, all are taken.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Sequence
from itertools import chain, compress, count
from threading import Lock
from typing import TYPE_CHECKING

from promptlint.tokenizers.base import valid_unicode
from promptlint.tokenizers.cuts import parts
from promptlint.tokenizers.vocabularies import Published

if TYPE_CHECKING:
    import tiktoken

# Beyond these the whole vocabulary is the faster way.
_LOOKUPS = 10  # searches for the tokens of new parts
_CHARACTERS = 500_000  # of all texts
_SUBSTRINGS = 300_000  # of the new parts; scripts without blanks have many


class Encoder:
    """Encodes with one vocabulary, whose `tokens` are given in base64 and in the order of their ranks."""

    def __init__(self, published: Published, tokens: Sequence[bytes]) -> None:
        self._published = published
        self._tokens = tokens
        self._known = dict(zip(map(a2b_base64, tokens[:256]), count()))  # all single bytes
        self._encoding: tiktoken.Encoding | None = None
        self._whole = False
        self._lookups = self._characters = 0
        self._parts: set[str] = set()
        self._covered: set[str] = set()
        self._lock = Lock()

    @property
    def encoding(self) -> tiktoken.Encoding:
        """What `knowing` gave last."""
        assert self._encoding is not None
        return self._encoding

    def complete(self) -> tiktoken.Encoding:
        """The encoding that has all tokens."""
        with self._lock:
            if self._encoding is None or not self._whole:
                self._encoding = self._complete()
            return self._encoding

    def knowing(self, text: str, others: Iterable[str] = ()) -> tiktoken.Encoding:
        """An encoding that has every token of this text and of all before it; of `others` too if it is a new one."""
        with self._lock:  # a text that is encoded in another thread keeps its tokens
            if self._encoding is None or not (self._whole or text in self._covered):
                self._encoding = self._extended({text, *others} - self._covered)
            return self._encoding

    def _extended(self, texts: set[str]) -> tiktoken.Encoding:
        self._covered |= texts
        self._characters += sum(map(len, texts))
        if self._characters > _CHARACTERS:
            return self._complete()
        new = set(chain.from_iterable(parts(valid_unicode(text)) for text in texts)) - self._parts
        if not new and self._encoding is not None:
            return self._encoding
        data = [part.encode() for part in new]
        if self._lookups == _LOOKUPS or sum(len(each) ** 2 for each in data) > 2 * _SUBSTRINGS:
            return self._complete()
        self._parts |= new
        self._lookups += 1
        found = self._lookup(data)
        if self._encoding is not None and found.keys() <= self._known.keys():
            return self._encoding
        self._known |= found
        return self._made(self._known)

    def _lookup(self, data: Iterable[bytes]) -> dict[bytes, int]:
        """The tokens that occur in one of these."""
        inside = {each[i:j] for each in data for i in range(len(each)) for j in range(i + 1, len(each) + 1)}
        spelled = {b2a_base64(each, newline=False) for each in inside}
        ranks = compress(count(), map(spelled.__contains__, self._tokens))
        return {a2b_base64(self._tokens[rank]): rank for rank in ranks}

    def _complete(self) -> tiktoken.Encoding:
        made = self._made(dict(zip(map(a2b_base64, self._tokens), count())))
        self._whole = True
        self._tokens, self._known, self._parts, self._covered = (), {}, set(), set()
        return made

    def _made(self, ranks: dict[bytes, int]) -> tiktoken.Encoding:
        import tiktoken

        return tiktoken.Encoding(
            self._published.name,
            pat_str=self._published.pattern,
            mergeable_ranks=ranks,
            special_tokens=dict(self._published.specials),
        )
