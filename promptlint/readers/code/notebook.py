"""A notebook's code cells as one Python file in which every line stands at the place that it has in the JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.jsonspans import JsonKind, Node, parse
from promptlint.model.source import Source

_MAGIC = re.compile(rb"^([ \t]*)[%!?]", re.MULTILINE)


def code(source: Source) -> bytes:
    """As many bytes as the notebook has, spaces where there is no code. Raises InputError for broken JSON."""
    text = source.text
    found = bytearray(b" " * len(text.encode("utf-8", "surrogatepass")))
    ascii_only = text.isascii()
    for node in _lines(parse(source)):
        if not isinstance(node.value, str):
            continue
        start = node.start if ascii_only else len(text[: node.start].encode("utf-8", "surrogatepass"))
        line = _MAGIC.sub(rb"\1#", node.value.encode("utf-8", "surrogatepass"))
        found[start : start + 1] = b"\n"  # the quote before it: what stands in front is no indentation
        found[start + 1 : start + 1 + len(line)] = line
        found[start + 1 + len(line) : start + 2 + len(line)] = b"\n"
    return bytes(found)


def _lines(notebook: Node) -> Iterator[Node]:
    cells = notebook.get("cells") if notebook.kind is JsonKind.OBJECT else None
    for cell in cells.items if cells is not None and cells.kind is JsonKind.ARRAY else ():
        kind, lines = cell.get("cell_type"), cell.get("source")
        if kind is None or kind.value != "code" or lines is None:
            continue
        yield from lines.items if lines.kind is JsonKind.ARRAY else [lines]
