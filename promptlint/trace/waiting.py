"""Texts that wait for their token ids: encoded many at a time, in a thread of their own while there is other work."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import chain
from queue import SimpleQueue
from threading import Semaphore, Thread

from promptlint.model.errors import InputError
from promptlint.tokenizers import Vocabulary
from promptlint.tokenizers.vocabularies import PUBLISHED

Queue = Mapping[tuple[Vocabulary, bool], list[tuple[int, str]]]  # by vocabulary and `specials`
Group = tuple[Vocabulary, bool, list[tuple[int, str]]]
Encoded = tuple[int, "array[int] | InputError"]

_GROUP = 25_000  # characters, encoded without Python's lock in some milliseconds
_MUCH = 20_000  # characters that are worth a thread


class Waiting:
    """Numbered texts. `characters`: of those that no thread encodes yet."""

    def __init__(self) -> None:
        self.characters = 0
        self._queue: dict[tuple[Vocabulary, bool], list[tuple[int, str]]] = {}
        self._job: _Job | None = None
        self._thread: _Encoding | None = None

    def add(self, number: int, text: str, vocabulary: Vocabulary, specials: bool) -> None:
        self._queue.setdefault((vocabulary, specials), []).append((number, text))
        self.characters += len(text)

    def expect_more(self) -> None:
        """Says that what waits is the smaller part of what will come."""
        for vocabulary, _ in self._queue:
            vocabulary.expect_much()

    def advance(self) -> Iterator[Encoded]:
        """Those that were handed to the thread, which goes on with what waits where it is much; little is made here."""
        if self.characters < _MUCH or any(vocabulary.name not in PUBLISHED for vocabulary, _ in self._queue):
            return chain(self._begun(), self._rest())
        found = self._begun()
        self._job = _Job(self._taken())
        if self._thread is None:
            self._thread = _Encoding()
        self._thread.jobs.put(self._job)
        return found

    def done(self) -> Iterator[Encoded]:
        """All that were added since the last time, each with its ids or with why it has none; the thread ends."""
        self.stop()
        return chain(self._begun(), self._rest())

    def stop(self) -> None:
        """Ends the thread, after what it was given."""
        if self._thread is not None:
            self._thread.jobs.put(None)
            self._thread = None

    def _begun(self) -> Iterator[Encoded]:
        job, self._job = self._job, None
        return job.result() if job else iter(())

    def _rest(self) -> Iterator[Encoded]:
        return chain.from_iterable(map(_encoded, _groups(self._taken())))

    def _taken(self) -> Queue:
        queue, self._queue, self.characters = self._queue, {}, 0
        return queue


class _Encoding(Thread):
    """Works on one job after another, until it is given None."""

    def __init__(self) -> None:
        super().__init__(name="encoding", daemon=True)
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while (job := self.jobs.get()) is not None:
            job.work()
            job.worked.release()


class _Job:
    """Groups of texts that a thread encodes; who asks for the result takes its share of those that are left."""

    def __init__(self, queue: Queue) -> None:
        self.worked = Semaphore(0)
        self._left = deque(_groups(queue))
        self._found: list[list[Encoded]] = []
        self._problem: BaseException | None = None

    def result(self) -> Iterator[Encoded]:
        self.work()
        self.worked.acquire()
        if self._problem is not None:
            raise self._problem
        return chain.from_iterable(self._found)

    def work(self) -> None:
        try:
            while (group := self._next()) is not None:
                self._found.append(_encoded(group))
        except BaseException as problem:  # it is raised where the result is asked for
            self._problem = problem

    def _next(self) -> Group | None:
        try:
            return self._left.popleft()
        except IndexError:
            return None


def _groups(queue: Queue) -> Iterator[Group]:
    for (vocabulary, specials), entries in queue.items():
        group: list[tuple[int, str]] = []
        characters = 0
        for entry in entries:
            group.append(entry)
            characters += len(entry[1])
            if characters > _GROUP:
                yield vocabulary, specials, group
                group, characters = [], 0
        if group:
            yield vocabulary, specials, group


def _encoded(group: Group) -> list[Encoded]:
    vocabulary, specials, entries = group
    try:
        found = vocabulary.encode_all([text for _, text in entries], specials=specials)
    except InputError:  # of one of them
        return [_one(number, text, vocabulary, specials) for number, text in entries]
    return [(number, ids) for (number, _), ids in zip(entries, found, strict=True)]


def _one(number: int, text: str, vocabulary: Vocabulary, specials: bool) -> Encoded:
    try:
        return number, vocabulary.encode_all([text], specials=specials)[0]
    except InputError as problem:
        return number, problem
