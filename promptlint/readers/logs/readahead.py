"""A file in large blocks, of which the next one is read in a thread while one is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from io import BufferedReader
from queue import SimpleQueue
from threading import Thread

from promptlint.readers.logs.compression import unpacked

ROOM = 1 << 20  # bytes before a block, where its reader may put what is left of the block before
_FIRST, _SIZE = 256 << 10, 4 << 20


@dataclass(frozen=True, slots=True)
class Block:
    """`size` bytes in `buffer` behind ROOM. `stored`: how many of the file they were, which may be compressed.

    `last`: no more follow; `problem` is what kept more from being read, if anything did.
    """

    buffer: bytearray
    size: int
    stored: int
    last: bool
    problem: Exception | None


class ReadAhead:
    """Only files that are stored, and as they are stored, are read in a thread.

    To unpack, or to read from a pipe, takes many short steps, before each of which a thread waits for Python's lock.
    """

    def __init__(self, raw: BufferedReader) -> None:
        self._raw = raw
        self._source = unpacked(raw)
        self._stored = raw.seekable()
        self._threaded = self._stored and self._source is raw
        self._thread: Thread | None = None
        self._free: SimpleQueue[bytearray | None] = SimpleQueue()
        self._read: SimpleQueue[Block] = SimpleQueue()
        self._told = 0
        self._ended = False

    def next(self, used: bytearray) -> Block:
        """The next block. `used` is the buffer of the block before, which nobody needs any more; empty at first."""
        if self._ended:
            return Block(used, 0, 0, True, None)
        block = self._following(used)
        self._ended = block.last
        return block

    def _following(self, used: bytearray) -> Block:
        if not used:
            return self._filled(bytearray(ROOM + _FIRST))
        if not self._threaded:
            return self._filled(used if len(used) == ROOM + _SIZE else bytearray(ROOM + _SIZE))
        if self._thread is None:
            self._thread = Thread(target=self._run, name="reading", daemon=True)
            self._thread.start()
            self._free.put(bytearray(ROOM + _SIZE))
            self._free.put(bytearray(ROOM + _SIZE))
        self.free(used)
        return self._read.get()

    def free(self, buffer: bytearray) -> None:
        """Takes back the buffer of a block."""
        if self._thread is not None and len(buffer) == ROOM + _SIZE:
            self._free.put(buffer)

    def close(self) -> None:
        self._free.put(None)

    def _run(self) -> None:
        while (buffer := self._free.get()) is not None:
            block = self._filled(buffer)
            self._read.put(block)
            if block.last:
                break

    def _filled(self, buffer: bytearray) -> Block:
        size, stored, problem = 0, 0, None
        try:
            with memoryview(buffer)[ROOM:] as room:
                while size < len(room) and (read := self._source.readinto1(room[size:])):
                    size += read
            stored = self._raw.tell() - self._told if self._stored else size
        except Exception as error:  # it is raised, or told, where the block is asked for
            problem = error
        self._told += stored
        return Block(buffer, size, stored, size < len(buffer) - ROOM, problem)
