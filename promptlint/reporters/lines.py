"""What pages are made of: lines, tables and bars of styled text, neutralised; laid out plain or for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from promptlint.reporters.visible import visible

WIDEST = 100  # prose is hard to read in longer lines
PLAIN_WIDTH = 80  # of tables and bars where there is no terminal

_GAP = 2  # columns between those of a table


@dataclass(frozen=True, slots=True)
class Styled:
    """A run of text in a style (`bold`, `dim`, a basic colour, or two of these with a space)."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """`indent` columns before the first row, `hang` more before the following ones; `wraps` false: never broken."""

    parts: tuple[Styled, ...]
    indent: int = 0
    hang: int = 0
    wraps: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: what stands left, the figures of the other columns, and a note below in the first column."""

    title: tuple[Styled, ...]
    figures: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with headed columns: the first one takes the room that the figures leave."""

    head: tuple[str, ...]
    rows: tuple[Row, ...]
    indent: int = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of parts (size, character, style), from the text `start` to the text `end`."""

    parts: tuple[tuple[int, str, str], ...]
    start: str
    end: str
    indent: int = 2


Block = Line | Table | Bar


def line(*parts: Styled | str, indent: int = 0, hang: int = 0, wraps: bool = True) -> Line:
    """A line of parts; plain strings have no style."""
    styled = tuple(Styled(part) if isinstance(part, str) else part for part in parts)
    return Line(styled, indent, hang, wraps)


def paint(blocks: Iterable[Block], *, width: int | None, colour: bool) -> str:
    """All blocks as text. `width` in terminal columns; None never wraps (a pipe or a file)."""
    if width is None and not colour:
        return "".join(row.rstrip(" ") + "\n" for block in blocks for row in _plain(block))
    from promptlint.reporters import terminal  # rich takes a while to import, and a pipe does without it

    return terminal.paint(blocks, width=width, colour=colour)


def _plain(block: Block) -> Iterator[str]:
    margin = " " * block.indent
    if isinstance(block, Line):
        yield margin + "".join(visible(part.text) for part in block.parts)
    elif isinstance(block, Bar):
        yield margin + "".join(part.text for part in drawn(block, PLAIN_WIDTH))
    else:
        for row in _table_rows(block, PLAIN_WIDTH - block.indent):
            yield margin + row


def drawn(bar: Bar, width: int) -> list[Styled]:
    """The runs of a bar that takes up to `width` columns: in proportion, each part that is there in at least one."""
    room = max(10, width - bar.indent - columns(bar.start) - columns(bar.end) - 2)
    cells = _cells([size for size, _, _ in bar.parts], room)
    drawn = [Styled(mark * length, style) for (_, mark, style), length in zip(bar.parts, cells, strict=True)]
    return [Styled(f"{bar.start} ", "dim"), *drawn, Styled(f" {bar.end}", "dim")]


def _cells(sizes: Sequence[int], width: int) -> list[int]:
    """Cells for each size: in proportion, at least one for what is there, `width` in all."""
    total = sum(sizes)
    if not total:
        return [0 for _ in sizes]
    cells = [max(1, round(size * width / total)) if size else 0 for size in sizes]
    cells[cells.index(max(cells))] += width - sum(cells)
    return cells


def _table_rows(table: Table, width: int) -> Iterator[str]:
    shown = [(visible("".join(part.text for part in row.title)), row.figures, visible(row.note)) for row in table.rows]
    head = tuple(map(visible, table.head))
    figures = [head[1:], *(figures for _, figures, _ in shown)]
    widths = [max(map(len, column)) + _GAP for column in zip(*figures, strict=True)]
    room = width - sum(widths)
    for title, cells, note in [(head[0], head[1:], ""), *shown]:
        gap = " " * (room - columns(title))
        yield title + gap + "".join(cell.rjust(size) for cell, size in zip(cells, widths, strict=True))
        if note:
            yield f"   {note}"


def columns(text: str) -> int:
    """Terminal columns of printable text: two for wide characters, none for combining ones (UAX 11)."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
