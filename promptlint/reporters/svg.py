"""Plots of a replayed log as SVG shapes in a box of 1,000 by 1,000 that is stretched; their labels stand beside it.

Stretching would distort text, so that labels are placed by the page, in per cent of the box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SIZE = 1000.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A path with the class that colours it; `label` is shown when a pointer rests on it."""

    kind: str
    d: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A label at `at` per cent of an axis, from the left or from the bottom."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Caption:
    """Text inside of a plot, cut where its room ends; all in per cent of the box, from its upper left corner."""

    left: str
    top: str
    width: str
    height: str
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot and the table that says the same: `said` in a sentence, `x_name` and `y_name` what the axes show."""

    name: str
    title: str
    said: str
    shapes: tuple[Shape, ...]
    x: tuple[Mark, ...]
    y: tuple[Mark, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    x_name: str = ""
    y_name: str = ""
    legend: tuple[tuple[str, str], ...] = ()
    captions: tuple[Caption, ...] = ()


def percent_of(share: float) -> str:
    return f"{100 * share:.2f}%"


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def box(left: float, top: float, right: float, bottom: float) -> str:
    """The path of a rectangle; all in shares of the box from its upper left corner."""
    x, y, wide, high = (number(SIZE * each) for each in (left, top, right - left, bottom - top))
    return f"M{x} {y}h{wide}v{high}h-{wide}z"


def line(points: Sequence[tuple[float, float]]) -> str:
    """The path through points (share from the left, share from the bottom)."""
    return "M" + "L".join(f"{number(SIZE * x)} {number(SIZE * (1 - y))}" for x, y in points)


def area(points: Sequence[tuple[float, float]]) -> str:
    """The path of what lies below such a line."""
    return f"{line([(points[0][0], 0.0), *points, (points[-1][0], 0.0)])}Z"


def steps(values: Sequence[float]) -> list[tuple[float, float]]:
    """Points of a line that keeps each value over its own part of the width."""
    size = len(values)
    return [
        point for index, value in enumerate(values) for point in ((index / size, value), ((index + 1) / size, value))
    ]


def rate_marks() -> tuple[Mark, ...]:
    return tuple(Mark(percent_of(share), f"{100 * share:.0f} %") for share in (0.0, 0.5, 1.0))


def round_up(value: float, steps: Sequence[int] = (1, 2, 5)) -> float:
    """The next of `steps` times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (*steps, 10) if value <= step * power * (1 + 1e-9))


def powers_of_ten(low: float, high: float) -> Iterator[float]:
    """Those between, both ends included."""
    for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1):
        yield 10.0**power
