"""Streams of a response that keep a bounded copy of what passes by."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from promptlint.record.entry import Entry
from promptlint.record.writer import Writer

# Of a response the begin (id, model, Anthropic's input usage) and the end (usage) are kept, whatever its length.
_HEAD = 64 << 10
_TAIL = 4 << 20

_CLASSES: dict[tuple[type, type], Any] = {}


class Copy:
    """Keeps begin and end of what passes by, and hands the entry over once: at the end, or when it is closed."""

    def __init__(self, stream: Any, entry: Entry, writer: Writer) -> None:
        self._stream = stream
        self._entry: Entry | None = entry
        self._writer = writer
        self._tail: deque[bytes] = deque()
        self._length = 0

    @classmethod
    def in_library(cls, base: type) -> type[Self]:
        """This class as a stream of the library that has `base`, which checks that it gets one of its own."""
        made = _CLASSES.get((cls, base))
        if made is None:
            made = _CLASSES[cls, base] = type(cls.__name__, (cls, base), {})
        return made

    def _keep(self, chunk: bytes) -> None:
        entry = self._entry
        if entry is None:
            return
        if len(entry.head) < _HEAD:
            entry.head += chunk
            return
        self._tail.append(chunk)
        self._length += len(chunk)
        while self._length > _TAIL:
            self._length -= len(self._tail.popleft())
            entry.whole = False

    def __del__(self) -> None:
        """A response that nobody read or closed is a request all the same."""
        self._finish()

    def _finish(self) -> None:
        entry, self._entry = self._entry, None
        if entry is not None:
            entry.tail = self._tail
            self._writer.put(entry)


class SyncCopy(Copy):
    """For synchronous clients."""

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._stream:
                self._keep(chunk)
                yield chunk
        finally:
            self._finish()

    def close(self) -> None:
        self._finish()
        self._stream.close()


class AsyncCopy(Copy):
    """For asynchronous clients."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                self._keep(chunk)
                yield chunk
        finally:
            self._finish()

    async def aclose(self) -> None:
        self._finish()
        await self._stream.aclose()
