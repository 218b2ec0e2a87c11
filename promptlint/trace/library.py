"""Unique content, each piece once: texts are cut into chunks at safe places, and a chunk is encoded only once.

Where chunks end depends on the text nearby, not on what stands far before it: a prompt with a clock in its first line
shares all chunks but one with the next prompt, although no token position agrees. A prompt is then a list of chunk
numbers, which is what a fingerprint holds.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise

from promptlint.model.errors import InputError
from promptlint.model.tokens import SYNTHETIC
from promptlint.tokenizers import Vocabulary
from promptlint.tokenizers.cuts import chunk_starts
from promptlint.tokenizers.sequence import synthetic
from promptlint.tokenizers.vocabularies import PUBLISHED
from promptlint.trace.waiting import Encoded, Waiting

_LEAST, _MOST = 1_500, 8_000  # characters of a chunk, as far as paragraphs allow; short ones cost time to encode
_LONG = 12_000
_RUN = 256  # tokens of a chunk where only ids are known
_NO_IDS = array("I")


class Library:
    """Chunks by number: `ids[n]` and `sizes[n]` are the tokens of chunk n, `texts[n]` its text (empty: it has none).

    The tokens of a new text are known after `settle`. `said` numbers messages by their chunks, so that one number
    stands for one message wherever it is sent again; `speakers` are their roles.
    """

    def __init__(self) -> None:
        self.ids: list[array[int]] = []
        self.sizes = array("I")
        self.texts: list[str] = []
        self.tokens = 0
        self.speakers: list[str] = []
        self._known: dict[object, int] = {}
        self._said: dict[tuple[str, bytes], int] = {}
        self._contents: list[array[int] | bytes] = []
        self._refused: dict[int, InputError] = {}
        self.waiting = Waiting()

    def encoded(self, text: str, vocabulary: Vocabulary, *, specials: bool = False) -> array[int]:
        """The chunks of a text, in the ids that encoding it as a whole gives."""
        known, name = self._known, (vocabulary.name, specials)
        numbers = array("I")
        for piece in self._pieces(text, vocabulary, specials):
            number = known.get((name, piece))
            if number is None:
                number = self._add((name, piece), _NO_IDS, piece)
                self.waiting.add(number, piece, vocabulary, specials)
            numbers.append(number)
        return numbers

    def settle(self) -> None:
        """Every chunk has its tokens afterwards, but those that cannot be encoded."""
        self._take(self.waiting.done())

    def advance(self) -> None:
        """The same for the chunks that there were at the last call; newer ones are encoded from now on."""
        self._take(self.waiting.advance())

    def check(self, chunks: array[int]) -> None:
        """Raises InputError where one of the chunks cannot be encoded."""
        if self._refused:
            problem = next((self._refused[chunk] for chunk in chunks if chunk in self._refused), None)
            if problem is not None:
                raise problem

    def marker(self, text: str, count: int = 1) -> int:
        """The chunk of a structural marker, or of `count` tokens that stand for content without text."""
        number = self._known.get((text, count))
        return self._add((text, count), array("I", [synthetic(text)]) * count) if number is None else number

    def run(self, ids: array[int]) -> array[int]:
        """Chunks of ids whose text is not known."""
        numbers = array("I")
        for start in range(0, len(ids), _RUN):
            piece = ids[start : start + _RUN]
            key = piece.tobytes()
            number = self._known.get(key)
            numbers.append(self._add(key, piece) if number is None else number)
        return numbers

    def block(self, name: int, size: int) -> int:
        """The chunk of a block of which only the hash is known: `size` tokens that are no other block's."""
        number = self._known.get((name, size))
        if number is None:
            number = self._add((name, size), array("I", [SYNTHETIC | len(self.ids)]), size=size)
        return number

    def message(self, content: array[int] | bytes, role: str) -> int:
        """The number of a message; the same for the same role and content: its chunks, or a digest of its text."""
        key = (role, content if isinstance(content, bytes) else content.tobytes())
        number = self._said.setdefault(key, len(self.speakers))
        if number == len(self.speakers):
            self.speakers.append(role)
            self._contents.append(content)
        return number

    def absorb(self, other: Library) -> tuple[array[int], array[int]]:
        """Takes over what another library holds; returns its numbers of chunks and of messages in this one."""
        chunks = array("I", bytes(4 * len(other.ids)))
        for key, number in other._known.items():
            if number in other._refused:
                continue
            known = self._known.get(key)
            if known is None and isinstance(key, tuple) and isinstance(key[0], int):
                known = self.block(key[0], other.sizes[number])
            elif known is None:
                known = self._add(key, other.ids[number], other.texts[number])
            chunks[number] = known
        messages = array("I")
        for role, content in zip(other.speakers, other._contents, strict=True):
            if not isinstance(content, bytes):
                content = array("I", map(chunks.__getitem__, content))
            messages.append(self.message(content, role))
        return chunks, messages

    def length(self, chunks: array[int]) -> int:
        """Tokens of a list of chunks."""
        return sum(map(self.sizes.__getitem__, chunks))

    def flat(self, chunks: array[int]) -> array[int]:
        """The token ids of a list of chunks, array('I')."""
        ids, sizes = self.ids, self.sizes
        whole = (ids[n] if len(ids[n]) == sizes[n] else ids[n] * sizes[n] for n in chunks)
        return array("I", b"".join([part.tobytes() for part in whole]))

    def _take(self, encoded: Iterable[Encoded]) -> None:
        for number, found in encoded:
            if isinstance(found, InputError):
                self._refused[number] = found
                continue
            self.ids[number], self.sizes[number] = found, len(found)
            self.tokens += len(found)

    def _add(self, key: object, ids: array[int], text: str = "", size: int | None = None) -> int:
        number = self._known[key] = len(self.ids)
        self.ids.append(ids)
        self.sizes.append(len(ids) if size is None else size)
        self.texts.append(text)
        self.tokens += self.sizes[number]
        return number

    def _pieces(self, text: str, vocabulary: Vocabulary, specials: bool) -> Iterator[str]:
        if len(text) < _LEAST or vocabulary.name not in PUBLISHED:  # where other vocabularies may be cut is not proved
            if text:
                yield text
            return
        start = before = 0
        for end in places(text):
            if end - start > _LONG and before - start >= _LEAST:
                yield from self._cut(text[start:before], specials)
                start = before
            wanted = end - start >= _LEAST and ((end - before) % 4 == 0 or end - start > _MOST)
            before = end
            if wanted or end == len(text):
                yield from self._cut(text[start:end], specials)
                start = end

    def _cut(self, piece: str, specials: bool) -> Iterator[str]:
        """The piece, or parts of one that no paragraph or sentence has cut."""
        if len(piece) <= _LONG:
            yield piece
            return
        cuts = [*chunk_starts(piece, _MOST, specials=specials), len(piece)]
        yield from (piece[here:there] for here, there in pairwise(cuts))


def places(text: str) -> Iterator[int]:
    """Where chunks may end: with paragraphs, and inside of long ones with sentences, or with lines where none end."""
    before = 0
    for end in _paragraphs(text):
        if end - before > _MOST:
            yield from _inside(text, before, end, ". " if text.find(". ", before, end) >= 0 else "\n")
        yield end
        before = end


def _inside(text: str, start: int, end: int, close: str) -> Iterator[int]:
    """Behind a full stop and before a blank (rule S1 of promptlint/tokenizers/cuts.py), or where a line begins (S2)."""
    at = text.find(close, start, end)
    while at >= 0:
        at += 1
        if close == ". " or (at < end and text[at] != "/" and not text[at].isspace()):
            yield at
        at = text.find(close, at, end)


def _paragraphs(text: str) -> Iterator[int]:
    """Where paragraphs end, the last one with the text.

    That is behind a blank line and before what is neither white space nor a slash: rule S2 of
    promptlint/tokenizers/cuts.py, at the places where texts are most often put together.
    """
    length = len(text)
    blank = "\n\r\n" if "\r\n" in text else "\n\n"
    end = text.find(blank)
    while end >= 0:
        end += len(blank)
        if end < length and text[end].isalnum():  # what most paragraphs begin with
            yield end
            end = text.find(blank, end)
            continue
        while end < length and text[end] in "\r\n":
            end += 1
        if end < length and text[end - 1] == "\n" and text[end] != "/" and not text[end].isspace():
            yield end
        end = text.find(blank, end)
    yield length
