"""The lines of a log in one buffer, which is filled again and again: a long line is looked at where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader

from promptlint.model.traffic import BadLine
from promptlint.readers.logs.compression import damage, unpacked

# A request with media is at most 50 MB at OpenAI and 32 MB at Anthropic; a longer line is skipped unread.
LIMIT = 64 << 20
_BUFFER = 1 << 20  # bytes, at first: it grows with the longest line
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

    Lines above the limit and damaged ends are reported and left out.
    """

    def __init__(self, raw: BufferedReader, log: Log) -> None:
        self.buffer = bytearray(_BUFFER)
        self.number = self.start = self.stop = 0
        self._filled = 0
        self._log = log
        self._raw = raw
        self._stored = raw.seekable()
        self._told = 0
        self._damaged = False
        self._source = unpacked(raw)

    def __iter__(self) -> Iterator[Line]:
        while self.next():
            yield self.number, self.line()

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
            if end >= 0:
                self.stop = end + 1
                break
            if self._filled - self.start >= LIMIT:
                self._skip()
            elif not self._more():
                self.stop = self._filled  # the last line, which need not end in a line break
                break
        if self.number == 1 and self.buffer.startswith(_BOM, self.start, self.stop):
            self.start += len(_BOM)
        return self.stop > self.start

    def _more(self) -> bool:
        """Fills the buffer behind what is left of it; False at the end of the log."""
        left = self._filled - self.start
        if self.start:
            self.buffer[:left] = self.buffer[self.start : self._filled]
            self.start, self._filled = 0, left
        if left == len(self.buffer):
            self.buffer.extend(bytes(left))
        read = 0 if self._damaged else self._read(left)
        self._filled += read
        return read > 0

    def _read(self, begin: int) -> int:
        try:
            with memoryview(self.buffer)[begin:] as room:
                read = self._source.readinto1(room)
        except damage() as error:
            self._log.bad(self.number, f"the compressed data is cut off or damaged: {error}")
            self._damaged, self._filled = True, self.start  # without the half of a line
            return 0
        if self._log.on_read is not None:
            position = self._raw.tell() if self._stored else self._told + read
            self._log.on_read(position - self._told)
            self._told = position
        return read

    def _skip(self) -> None:
        """Leaves a line out that is longer than the limit."""
        self._log.bad(self.number, f"longer than {LIMIT >> 20} MiB; skipped")
        self.number += 1
        end = -1
        while end < 0:
            self.start = self._filled
            if not self._more():
                return
            end = self.buffer.find(b"\n", 0, self._filled)
        self.start = end + 1
