"""Runs: which characters of a template's output are which characters of a component's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.jsonspans.compact import quote

_BLANKS = " \n\t\r"
_ESCAPE = re.compile(r"\\u[0-9a-f]{4}|\\.")


@dataclass(frozen=True, slots=True)
class Run:
    """Characters `start` to `end` of the output are `length` characters of the component's text from `offset` on.

    The two lengths differ where the output holds an escape.
    """

    start: int
    end: int
    offset: int
    length: int


def grow(
    output: str, text: str, anchors: Sequence[tuple[int, int]], low: int, high: int, *, json: bool
) -> tuple[Run, ...]:
    """The runs around `anchors`, (position in the output, offset in the text), between `low` and `high`.

    Grows both ways while the characters agree, as they are or escaped as in a JSON string, whichever covers more.
    `json`: the text is a JSON value, so blanks between its tokens may differ. Runs are in order and do not overlap.
    """
    plain = _grow(output, text, anchors, low, high, json)
    escaped = quote(text)[1:-1]
    if escaped == text:
        return plain
    inside = [(position, len(quote(text[:offset])) - 2) for position, offset in anchors]
    other = _grow(output, escaped, inside, low, high, json)
    return tuple(_unescaped(escaped, other)) if _covered(other) > _covered(plain) else plain


def _covered(runs: Sequence[Run]) -> int:
    return sum(run.end - run.start for run in runs)


def _unescaped(escaped: str, runs: Sequence[Run]) -> Iterator[Run]:
    """Runs of an escaped text as runs of the text itself: an escape is a run of one character."""
    seen, dropped = 0, 0  # characters of the escaped text, and how many more they are than in the text itself
    for run in runs:
        dropped += sum(len(escape) - 1 for escape in _ESCAPE.findall(escaped, seen, run.offset))
        start, seen = run.offset, run.offset + run.length
        for escape in _ESCAPE.finditer(escaped, start, seen):
            if escape.start() > start:
                yield _shifted(run, start, escape.start(), dropped)
            yield Run(
                run.start + escape.start() - run.offset,
                run.start + escape.end() - run.offset,
                escape.start() - dropped,
                1,
            )
            dropped += len(escape.group()) - 1
            start = escape.end()
        if seen > start:
            yield _shifted(run, start, seen, dropped)


def _shifted(run: Run, start: int, end: int, dropped: int) -> Run:
    return Run(run.start + start - run.offset, run.start + end - run.offset, start - dropped, end - start)


def _grow(
    output: str, text: str, anchors: Sequence[tuple[int, int]], low: int, high: int, json: bool
) -> tuple[Run, ...]:
    runs: list[Run] = []
    floor = 0
    for position, offset in anchors:
        if position < low or offset < floor or position > high:
            continue
        back = _backward(output, text, position, offset, low, floor, json)
        forth = _forward(output, text, position, offset, high, json)
        for run in (*reversed(back), *forth):
            _append(runs, run)
        if runs:
            low = runs[-1].end
            floor = runs[-1].offset + runs[-1].length
    return tuple(runs)


def _append(runs: list[Run], run: Run) -> None:
    last = runs[-1] if runs else None
    if last is not None and last.end == run.start and last.offset + last.length == run.offset:
        runs[-1] = Run(last.start, run.end, last.offset, last.length + run.length)
    else:
        runs.append(run)


def _forward(output: str, text: str, position: int, offset: int, stop: int, json: bool) -> list[Run]:
    runs: list[Run] = []
    while position < stop and offset < len(text):
        length = _common(output, position, text, offset, min(stop - position, len(text) - offset))
        if length:
            runs.append(Run(position, position + length, offset, length))
            position, offset = position + length, offset + length
            continue
        if json and output[position] in _BLANKS:
            position += 1
        elif json and text[offset] in _BLANKS:
            offset += 1
        else:
            break
    return runs


def _backward(output: str, text: str, position: int, offset: int, stop: int, floor: int, json: bool) -> list[Run]:
    """As `_forward`, from the end of what is compared to its start; the last run comes first."""
    runs: list[Run] = []
    while position > stop and offset > floor:
        length = _common_end(output, position, text, offset, min(position - stop, offset - floor))
        if length:
            position, offset = position - length, offset - length
            runs.append(Run(position, position + length, offset, length))
            continue
        if json and output[position - 1] in _BLANKS:
            position -= 1
        elif json and text[offset - 1] in _BLANKS:
            offset -= 1
        else:
            break
    return runs


def _common(left: str, i: int, right: str, j: int, limit: int) -> int:
    """How many characters agree from `i` and `j` on, at most `limit`; steps double, then halve."""
    done, step = 0, 64
    while done < limit:
        step = min(step, limit - done)
        if left[i + done : i + done + step] == right[j + done : j + done + step]:
            done += step
            step *= 2
        elif step == 1:
            break
        else:
            limit = done + step - 1
            step = max(1, step // 2)
    return done


def _common_end(left: str, i: int, right: str, j: int, limit: int) -> int:
    """How many characters agree before `i` and `j`, at most `limit`."""
    done, step = 0, 64
    while done < limit:
        step = min(step, limit - done)
        if left[i - done - step : i - done] == right[j - done - step : j - done]:
            done += step
            step *= 2
        elif step == 1:
            break
        else:
            limit = done + step - 1
            step = max(1, step // 2)
    return done
