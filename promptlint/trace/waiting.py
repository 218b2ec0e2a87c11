"""Texts that wait for their token ids: encoded many at a time, in a thread of their own while there is other work."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from threading import Thread

from promptlint.model.errors import InputError
from promptlint.tokenizers import Vocabulary
from promptlint.tokenizers.vocabularies import PUBLISHED

Queue = Mapping[tuple[Vocabulary, bool], list[tuple[int, str]]]  # by vocabulary and `specials`
Encoded = tuple[int, "array[int] | InputError"]


class Waiting:
    """Numbered texts. `characters`: of those that no thread encodes yet."""

    def __init__(self) -> None:
        self.characters = 0
        self._queue: dict[tuple[Vocabulary, bool], list[tuple[int, str]]] = {}
        self._job: _Job | None = None

    def add(self, number: int, text: str, vocabulary: Vocabulary, specials: bool) -> None:
        self._queue.setdefault((vocabulary, specials), []).append((number, text))
        self.characters += len(text)

    def expect_more(self) -> None:
        """Says that what waits is the smaller part of what will come."""
        for vocabulary, _ in self._queue:
            vocabulary.expect_much()

    def advance(self) -> Iterator[Encoded]:
        """Those that were handed to the thread; it goes on with what waits. They are made here if it cannot."""
        if not all(vocabulary.name in PUBLISHED for vocabulary, _ in self._queue):
            return self.done()
        found = self._begun()
        if self._queue:
            self._job = _Job(self._taken())
            self._job.start()
        return iter(found)

    def done(self) -> Iterator[Encoded]:
        """All that were added since the last time, each with its ids or with why it has none."""
        return chain(self._begun(), _encoded(self._taken()))

    def _begun(self) -> Sequence[Encoded]:
        job, self._job = self._job, None
        return job.result() if job else ()

    def _taken(self) -> Queue:
        queue, self._queue, self.characters = self._queue, {}, 0
        return queue


class _Job(Thread):
    def __init__(self, queue: Queue) -> None:
        super().__init__(name="encoding")
        self._queue = queue
        self._found: list[Encoded] = []
        self._problem: BaseException | None = None

    def run(self) -> None:
        try:
            self._found = list(_encoded(self._queue))
        except BaseException as problem:  # it is raised where the result is asked for
            self._problem = problem

    def result(self) -> list[Encoded]:
        self.join()
        if self._problem is not None:
            raise self._problem
        return self._found


def _encoded(queue: Queue) -> Iterator[Encoded]:
    for (vocabulary, specials), entries in queue.items():
        texts = [text for _, text in entries]
        try:
            found = vocabulary.encode_all(texts, specials=specials)
        except InputError:  # of one of them
            yield from (_one(number, text, vocabulary, specials) for number, text in entries)
        else:
            yield from ((number, ids) for (number, _), ids in zip(entries, found, strict=True))


def _one(number: int, text: str, vocabulary: Vocabulary, specials: bool) -> Encoded:
    try:
        return number, vocabulary.encode_all([text], specials=specials)[0]
    except InputError as problem:
        return number, problem
