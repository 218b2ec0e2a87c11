"""Pages in a terminal, by rich: wrapped to its width, coloured in its own theme. Imported only for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich import box
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from promptlint.reporters.lines import PLAIN_WIDTH, WIDEST, Bar, Block, Line, Styled, Table, drawn
from promptlint.reporters.visible import visible

_UNBROKEN = 1 << 20  # columns of the page that rich lays out; rows are broken here, by the terminal's own width
_NARROWEST = 60  # a table in fewer columns would break names
_WORD = re.compile(r" *[^ ]+ *")


def paint(blocks: Iterable[Block], *, width: int | None, colour: bool) -> str:
    """All blocks as text with ANSI codes if `colour`. `width` in columns; None: colour for a pipe, nothing wraps."""
    page = Console(
        width=_UNBROKEN, height=25, force_terminal=True, force_jupyter=False, legacy_windows=False, color_system=None
    )
    codes = ColorSystem.STANDARD if colour else None  # the eight basic colours follow the terminal's own theme
    renderables = (each for block in blocks for each in _renderables(block, width))
    lines = (line for each in renderables for line in page.render_lines(each, pad=False))
    return "".join(f"{_painted(line, codes)}\n" for line in lines)


def _painted(line: list[Segment], codes: ColorSystem | None) -> str:
    """A line without the blanks at its end, with which rich fills tables."""
    parts = [(segment.text, segment.style or Style.null()) for segment in line]
    while parts and not parts[-1][0].strip(" "):
        parts.pop()
    if parts:
        text, style = parts.pop()
        parts.append((text.rstrip(" "), style))
    return "".join(style.render(text, color_system=codes) for text, style in parts)


def _renderables(block: Block, width: int | None) -> Iterator[RenderableType]:
    room = PLAIN_WIDTH if width is None else width
    if isinstance(block, Bar):
        yield Text(" " * block.indent) + _text(drawn(block, room))
    elif isinstance(block, Table):
        made = _table(block, max(room, _NARROWEST) - block.indent)
        yield Padding(made, (0, 0, 0, block.indent), expand=False)
    else:
        yield from _rows(block, width)


def _text(parts: Iterable[Styled]) -> Text:
    return Text.assemble(*((visible(part.text), part.style) for part in parts), end="\n")


def _rows(block: Line, width: int | None) -> Iterator[Text]:
    """A line's rows, broken at spaces; a longer word stays whole, so that a path can still be clicked."""
    text = _text(block.parts)
    margin = Text(" " * block.indent)
    room = min(width or _UNBROKEN, WIDEST) - block.indent
    if width is None or not block.wraps or text.cell_len <= room:
        yield margin + text
        return
    for number, row in enumerate(text.divide(_breaks(text, room, block.hang))):
        row.rstrip()
        yield margin + (Text(" " * block.hang) + row if number else row)


def _breaks(text: Text, room: int, hang: int) -> list[int]:
    """Where rows of `room` columns (the following ones less `hang`) end; rich's own wrapping would break long words."""
    breaks: list[int] = []
    used = 0
    for word in _WORD.finditer(text.plain):
        size = cell_len(word[0].rstrip(" "))
        if used and used + size > room - (hang if breaks else 0):
            breaks.append(word.start())
            used = 0
        used += cell_len(word[0])
    return breaks


def _table(table: Table, width: int) -> RichTable:
    made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, width=width)
    made.header_style = made.border_style = "dim"
    made.add_column(Text(visible(table.head[0])), ratio=1, overflow="fold")
    for name in table.head[1:]:
        made.add_column(Text(visible(name)), justify="right", no_wrap=True)
    for row in table.rows:
        title: RenderableType = _text(row.title)
        if row.note:
            title = Group(title, Padding(Text(visible(row.note), "dim", overflow="fold"), (0, 0, 0, 3)))
        made.add_row(title, *map(Text, row.figures))
    return made
