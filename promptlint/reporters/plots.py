"""Small plots for a terminal: ranked bars, columns over an axis. Lines that never wrap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.reporters.lines import Line, Styled, columns, line
from promptlint.reporters.visible import visible

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LEFT_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_LEAST_BAR, _WIDEST_BAR = 8, 40
_LONGEST_LABEL = 44
_GAP = 2
_AXIS = 7  # columns of the labels left of a plot


@dataclass(frozen=True, slots=True)
class Measure:
    """A bar of `size`, what stands left of it and the figures right of it; `note` follows on a line of its own."""

    label: str
    size: float
    figures: tuple[str, ...] = ()
    style: str = ""
    note: str = ""


def bars(measures: Sequence[Measure], width: int, head: Sequence[str] = (), indent: int = 2) -> Iterator[Line]:
    """Bars to one scale. `head` stands above the figures; each measure has as many."""
    if not measures:
        return
    cells = [tuple(map(visible, each.figures)) for each in measures]
    widths = [max(map(columns, column)) for column in zip(*cells, *([tuple(head)] if head else []), strict=True)]
    figures = sum(widths) + _GAP * len(widths)
    labels = [visible(each.label) for each in measures]
    most = max(_LEAST_BAR, width - indent - figures - _LEAST_BAR - _GAP)
    wide = min(max(map(columns, labels)), _LONGEST_LABEL, most)
    room = min(_WIDEST_BAR, max(_LEAST_BAR, width - indent - wide - _GAP - figures))
    if head:
        yield line(Styled(" " * (wide + _GAP + room) + _right(head, widths), "dim"), indent=indent, wraps=False)
    largest = max(each.size for each in measures)
    for each, label, own in zip(measures, labels, cells, strict=True):
        drawn = bar(each.size / largest if largest else 0.0, room)
        shown = clipped(label, wide)
        yield line(
            Styled(shown + " " * (wide - columns(shown) + _GAP)),
            Styled(drawn, each.style),
            " " * (room - len(drawn)) + _right(own, widths),
            indent=indent,
            wraps=False,
        )
        if each.note:
            yield line(Styled(each.note, "dim"), indent=indent + 3, hang=2)


def _right(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(" " * (_GAP + width - columns(cell)) + cell for cell, width in zip(cells, widths, strict=True))


def bar(share: float, room: int) -> str:
    """A bar over `share` (0 to 1) of `room` columns, to an eighth of one; what is there at all is seen."""
    eighths = math.floor(share * room * 8 + 0.5)
    if share > 0:
        eighths = max(1, eighths)
    return "█" * (eighths // 8) + _LEFT_EIGHTHS[eighths % 8]


def clipped(text: str, room: int) -> str:
    """Text in at most `room` columns; the middle gives way, for paths differ at both ends."""
    if columns(text) <= room:
        return text
    head, tail = text[: (room + 1) // 2], text[len(text) - room // 2 :]
    while columns(head) + columns(tail) > room - 1 and (head or tail):
        head, tail = (head[:-1], tail) if columns(head) > columns(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def rates(values: Sequence[float], ends: tuple[str, str], *, indent: int = 2, height: int = 4) -> Iterator[Line]:
    """Columns of `values` (0 to 1), one each, over an axis from 0 to 100 % whose ends are named."""
    for row in range(height, 0, -1):
        levels = (min(8, max(0, math.floor((value * height - row + 1) * 8 + 0.5))) for value in values)
        drawn = "".join(_EIGHTHS[level] for level in levels)
        label = {height: "100 %", height // 2: f"{50 * (height // 2 * 2) // height} %"}.get(row, "")
        yield line(
            Styled(f"{label:>{_AXIS - 2}} │", "dim"), Styled(drawn.rstrip(" "), "green"), indent=indent, wraps=False
        )
    axis = f"{'0 %':>{_AXIS - 2}} └" + "─" * len(values)
    yield line(Styled(axis, "dim"), indent=indent, wraps=False)
    first, last = ends
    gap = max(_GAP, len(values) - len(first) - len(last))
    yield line(Styled(f"{first}{' ' * gap}{last}", "dim"), indent=indent + _AXIS, wraps=False)


def room_for_rates(width: int, indent: int = 2) -> int:
    """How many values `rates` can draw in so many columns."""
    return max(10, width - indent - _AXIS)


def widened(values: Sequence[float], room: int) -> list[float]:
    """Values repeated so that few of them fill a plot as well; at most eight columns each."""
    times = max(1, min(8, room // max(1, len(values))))
    return [value for value in values for _ in range(times)]
