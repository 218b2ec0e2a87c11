"""Many source files in parts of a few megabytes, which are read one after another or by several processes at once.

Each part is read as if it were alone, so that what is found does not depend on how many processes there are.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from promptlint.model.flow import Additions, Flow
from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.readers.code import Files
from promptlint.readers.code.program import Program

Found: TypeAlias = tuple[list[Flow], list[Skip]]

_PART = 2_000_000  # characters of source
_LEAST = 3_000_000  # characters from which on another process pays: its start costs what 300 kB cost
_MOST_PROCESSES = 8
_YOUNG = (10_000, 10, 1_000)  # thresholds of the garbage collector: what is old is left alone


def read(files: Files, additions: Additions, sources: Sequence[Source]) -> list[Found]:
    """What reaches a prompt in each file, in the order of the files."""
    parts = list(_parts(sources))
    count = min(len(parts), _processors(), _MOST_PROCESSES)
    if count < 2 or sum(len(source.text) for source in sources) < _LEAST:
        found = _in_turn(files, additions, parts)
    else:
        found = _at_once(files, additions, parts, count)
    return [each for part in found for each in part]


def _parts(sources: Iterable[Source]) -> Iterator[list[Source]]:
    part: list[Source] = []
    size = 0
    for source in sources:
        if part and size + len(source.text) > _PART:
            yield part
            part, size = [], 0
        part.append(source)
        size += len(source.text)
    if part:
        yield part


def _in_turn(files: Files, additions: Additions, parts: Sequence[list[Source]]) -> list[list[Found]]:
    """Parts one after another.

    What a program knows is kept to the end of its part: going through it again and again for garbage, as the collector
    would, takes a third of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_YOUNG)
    try:
        found = []
        for part in parts:
            found.append(_part(files, additions, part))
            if len(found) < len(parts):
                gc.collect()
        return found
    finally:
        gc.set_threshold(*usual)


def _part(files: Files, additions: Additions, part: Sequence[Source]) -> list[Found]:
    program = Program(files, additions)
    return [program.read(source) for source in part]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _at_once(files: Files, additions: Additions, parts: Sequence[list[Source]], count: int) -> list[list[Found]]:
    shares = [parts[first::count] for first in range(count)]
    with ThreadPoolExecutor(count) as pool:  # threads that wait for processes
        done = list(pool.map(lambda share: _elsewhere(files, additions, share), shares))
    return [done[index % count][index // count] for index in range(len(parts))]


def _elsewhere(files: Files, additions: Additions, share: Sequence[list[Source]]) -> list[list[Found]]:
    """Parts read by another process; here, where that one fails."""
    # Isolated, with this process's own path: no module of the folder that is linted may come in.
    start = f"import sys; sys.path[:] = {sys.path!r}; from promptlint.readers.code.parts import serve; serve()"
    given = pickle.dumps((files, additions, list(share)))
    try:
        done = subprocess.run([sys.executable, "-I", "-c", start], input=given, capture_output=True, check=True)
        found: list[list[Found]] = pickle.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, pickle.UnpicklingError, EOFError):
        return _in_turn(files, additions, share)
    return found


def serve() -> None:
    """The other process: parts from standard input, what was found in them to standard output."""
    files, additions, share = pickle.load(sys.stdin.buffer)
    pickle.dump(_in_turn(files, additions, share), sys.stdout.buffer)
