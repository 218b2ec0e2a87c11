"""Text that repeats inside prompts behind the place where they part from all earlier ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from promptlint.model.traced import Middle
from promptlint.trace.library import Library
from promptlint.trace.tree import Node

REFERENCE = "CacheBlend (Yao et al., EuroSys 2025, https://doi.org/10.1145/3689031.3696098)"
_LEAST = 40  # characters of a paragraph, or of a sentence in a long one; shorter ones say nothing
_MOST = 8_000  # of a paragraph that counts as a whole


class Repeats:
    """Counts what an earlier prompt held, wherever it did, by paragraphs; beside no prefix cache's savings.

    Tokens of a paragraph are its share, in characters, of those of the chunk that it stands in.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._chunks: set[int] = set()
        self._paragraphs: set[int] = set()
        self._tokens = 0.0
        self._of = 0

    def add(self, nodes: list[Node], seen: int, tokens: int) -> None:
        """A prompt by its nodes, of which the first `seen` tokens began an earlier prompt."""
        self._of += tokens
        if seen == tokens:
            return
        leaf = nodes[-1]  # all that is new
        skip = leaf.skip
        for chunk in leaf.chunks:
            text, size = self._library.texts[chunk], self._library.sizes[chunk]
            if len(text) < _LEAST:
                continue
            if chunk in self._chunks and not skip:
                self._tokens += size
            else:
                self._tokens += size * self._known(text[len(text) * skip // size :]) / len(text)
            skip = 0
        self._chunks.update(leaf.chunks)

    def result(self) -> Middle | None:
        return Middle(round(self._tokens), self._of, REFERENCE) if self._of else None

    def _known(self, text: str) -> int:
        """Characters of the paragraphs that were there before; all are known afterwards."""
        paragraphs = [paragraph for paragraph in _paragraphs(text) if len(paragraph) >= _LEAST]
        keys = [hash(paragraph.strip()) for paragraph in paragraphs]
        if self._paragraphs.isdisjoint(keys) and len(set(keys)) == len(keys):  # so it is for nearly all
            self._paragraphs.update(keys)
            return 0
        known = 0
        for paragraph, key in zip(paragraphs, keys, strict=True):
            if key in self._paragraphs:
                known += len(paragraph)
            self._paragraphs.add(key)
        return known


def _paragraphs(text: str) -> Iterable[str]:
    """Paragraphs, of long ones their sentences, or their lines where none end."""
    paragraphs = text.split("\r\n\r\n" if "\r\n" in text else "\n\n")
    if len(text) <= _MOST or len(max(paragraphs, key=len)) <= _MOST:
        return paragraphs
    return chain.from_iterable(
        each.split(". " if ". " in each else "\n") if len(each) > _MOST else (each,) for each in paragraphs
    )
