"""A progress bar on standard error for long logs: only for a person, only where there is something to wait for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LONG = 20 << 20  # bytes; less is read before a bar would be seen

Progress = Callable[[str], Callable[[int], None]]


@contextmanager
def shown(logs: Sequence[str]) -> Iterator[Progress | None]:
    """Gives a function that begins the bar of a pass over the logs; None where nothing is to be shown.

    It is told what the pass is for, and gives a function that is told how many more bytes were read.
    """
    total = _size(logs)
    if sys.stderr is None or not sys.stderr.isatty() or (total is not None and total < LONG):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def begun(what: str) -> Callable[[int], None]:
            task = bar.add_task(what, total=total)
            return lambda size: bar.advance(task, size)

        yield begun


def _size(logs: Sequence[str]) -> int | None:
    """Bytes of all logs, None where one is no plain file (then nobody knows how much there is to come)."""
    sizes = [Path(log).stat().st_size if Path(log).is_file() else None for log in dict.fromkeys(logs)]
    return None if None in sizes else sum(size for size in sizes if size is not None)
