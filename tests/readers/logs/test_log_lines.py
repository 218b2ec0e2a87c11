"""Lines of a log are those of the file, whatever their lengths and the sizes of the blocks in which it is read."""

from __future__ import annotations

import gzip
import os
import random
import threading
from io import BufferedReader, BytesIO, FileIO
from pathlib import Path
from threading import Event, Thread
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.traffic import BadLine
from promptlint.readers.logs import lines, readahead
from promptlint.readers.logs.lines import Lines, Log


class Stream(BytesIO):
    def seekable(self) -> bool:
        return False


def read(source: BufferedReader) -> list[tuple[int, bytes]]:
    bad: list[BadLine] = []
    found = Lines(source, Log("log", bad.append))
    try:
        return [*found, *found]
    finally:
        found.close()
        assert not bad


def expected(data: bytes) -> list[tuple[int, bytes]]:
    return list(enumerate(data.splitlines(keepends=True), 1))


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(0, 9), st.integers(1, 30), st.booleans())
def test_blocks_of_any_size(lengths: list[int], room: int, size: int, threaded: bool) -> None:
    data = b"\n".join(bytes([97 + at % 26]) * length for at, length in enumerate(lengths))
    with pytest.MonkeyPatch.context() as patch:
        for module in (lines, readahead):
            patch.setattr(module, "ROOM", room)
        patch.setattr(readahead, "_SIZE", size)
        patch.setattr(readahead, "_FIRST", max(1, size // 2))
        assert read(BufferedReader(cast(FileIO, (BytesIO if threaded else Stream)(data)))) == expected(data)


def test_a_file_a_pipe_and_a_compressed_file_give_the_same(tmp_path: Path) -> None:
    chance = random.Random(5)
    data = b"\n".join(chance.randbytes(chance.choice([3, 900, 70_000, 1_500_000])).hex().encode() for _ in range(30))
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "packed").write_bytes(gzip.compress(data, 1))
    for name in ("plain", "packed"):
        with (tmp_path / name).open("rb") as file:
            assert read(file) == expected(data)
    out, into = os.pipe()

    def write() -> None:
        with os.fdopen(into, "wb") as file:
            file.write(data)

    writer = Thread(target=write)
    writer.start()
    with os.fdopen(out, "rb") as pipe:
        assert read(pipe) == expected(data)
    writer.join()


class Late(BufferedReader):
    """A file whose third block comes after it was closed."""

    def __init__(self, raw: FileIO) -> None:
        super().__init__(raw)
        self.over = Event()

    def readinto1(self, buffer: Any) -> int:
        if self.tell() >= 20:
            self.over.wait(60)
        return super().readinto1(buffer)


def test_a_run_that_ends_while_its_log_is_read_ahead_ends_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readahead, "_FIRST", 10)
    monkeypatch.setattr(readahead, "_SIZE", 10)
    problems: list[object] = []
    monkeypatch.setattr(threading, "excepthook", problems.append)
    (tmp_path / "log").write_bytes(b"one line\n" * 9)
    with Late(FileIO(tmp_path / "log")) as file:
        found = Lines(file, Log("log", lambda _: None))
        assert found.next() and found.next()
        (reading,) = [thread for thread in threading.enumerate() if thread.name == "reading"]
        found.close()
    file.over.set()
    reading.join(60)
    assert not reading.is_alive()
    assert not problems
