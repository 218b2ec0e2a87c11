"""The lines of a log in one buffer, which is filled again and again: a long line is looked at where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader

from promptlint.model.traffic import BadLine
from promptlint.readers.logs.compression import damage
from promptlint.readers.logs.readahead import ROOM, ReadAhead

# A request with media is at most 50 MB at OpenAI and 32 MB at Anthropic; a longer line is skipped unread.
LIMIT = 64 << 20
_BOM = b"\xef\xbb\xbf"

Line = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Log:
    """The file that is read, as the user named it, and where its broken records go.

    `on_read` is told how many more bytes were read, as they are stored: compressed, where the file is.
    """

    name: str
    on_bad: Callable[[BadLine], None]
    on_read: Callable[[int], None] | None = None

    def bad(self, line: int, why: str) -> None:
        self.on_bad(BadLine(self.name, line, why))


class Lines:
    """After each `next` a line stands in `buffer` from `start` to `stop`, its end included; `number` counts from 1.

    Lines above the limit and damaged ends are reported and left out. The log is read ahead in a thread, which `close`
    ends.
    """

    def __init__(self, raw: BufferedReader, log: Log) -> None:
        self.buffer = bytearray()
        self.number = self.start = self.stop = 0
        self._filled = 0
        self._log = log
        self._ahead = ReadAhead(raw)
        self._problem: Exception | None = None  # what kept more from being read than the buffer holds

    def __iter__(self) -> Iterator[Line]:
        while self.next():
            yield self.number, self.line()

    def close(self) -> None:
        self._ahead.close()

    def line(self) -> bytes:
        """A copy of the line."""
        return bytes(memoryview(self.buffer)[self.start : self.stop])

    def next(self, known: Callable[[bytearray, int, int], int] | None = None) -> bool:
        """Whether there is a further line. `known(buffer, start, end)`: up to where it surely goes on."""
        self.start = self.stop
        self.number += 1
        while True:
            begin = known(self.buffer, self.start, self._filled) if known else self.start
            end = self.buffer.find(b"\n", begin, self._filled)
            if end - self.start >= LIMIT or (end < 0 and self._filled - self.start >= LIMIT):
                self._skip(end)
            elif end >= 0:
                self.stop = end + 1
                break
            elif not self._more():
                self.stop = self._filled  # the last line, which need not end in a line break
                break
        if self.number == 1 and self.buffer.startswith(_BOM, self.start, self.stop):
            self.start += len(_BOM)
        return self.stop > self.start

    def _more(self) -> bool:
        """Puts the next block behind what is left of this one; False at the end of the log."""
        rest = self.buffer[self.start : self._filled]
        if self._problem is not None or not self._refill():
            self._lost()
            return False
        if len(rest) <= ROOM:
            self.start -= len(rest)
            self.buffer[self.start : ROOM] = rest
        else:
            block = self.buffer
            self.buffer = rest + memoryview(block)[ROOM : self._filled]
            self.start, self._filled = 0, len(self.buffer)
            self._ahead.free(block)
        return True

    def _refill(self) -> bool:
        block = self._ahead.next(self.buffer)
        self._problem = block.problem
        if not block.size:
            return False
        self.buffer, self.start, self._filled = block.buffer, ROOM, ROOM + block.size
        if self._log.on_read is not None:
            self._log.on_read(block.stored)
        return True

    def _lost(self) -> None:
        """The half of a line that damage has left, if any. Raises OSError."""
        problem, self._problem = self._problem, None
        if problem is None:
            return
        if not isinstance(problem, damage()):
            raise problem
        self._log.bad(self.number, f"the compressed data is cut off or damaged: {problem}")
        self._filled = self.start

    def _skip(self, end: int) -> None:
        """Leaves a line out that is longer than the limit; its end is sought where it is not known."""
        self._log.bad(self.number, f"longer than {LIMIT >> 20} MiB; skipped")
        self.number += 1
        while end < 0:
            self.start = self._filled
            if not self._more():
                return
            end = self.buffer.find(b"\n", self.start, self._filled)
        self.start = end + 1
