"""Text that may be a template: the syntax that its tags show, and placeholders where they show none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from promptlint.model.errors import InputError
from promptlint.readers.template import erb, handlebars, jinja, plain
from promptlint.readers.template.nodes import Node, Passage

_JINJA = re.compile(r"\{%[-+]?\s*(?:end)?(?:for|if|set|include|extends|block|macro|import|from|raw|with|filter|call)\b")
_HANDLEBARS = re.compile(r"(?<!\$)\{\{~?[#/^>]\s*[\w@.\"-]")
_ERB = re.compile(r"<%-?\s*(?:[\w.@]+\.each\w*\s+do|if|unless|end|for|else)\b")
_READERS = {"jinja": jinja.parse, "handlebars": handlebars.parse, "erb": erb.parse}


def parse(passage: Passage) -> tuple[str, list[Node]]:
    """The syntax and the nodes. What looks like a template and is none after all is running text."""
    syntax, nodes = _parsed(passage)
    shown = plain.shown(passage.text)
    return syntax, list(_without(nodes, [span.start for span in shown], [span.end for span in shown]))


def _parsed(passage: Passage) -> tuple[str, list[Node]]:
    for syntax, sign in (("jinja", _JINJA), ("handlebars", _HANDLEBARS), ("erb", _ERB)):
        if sign.search(passage.text):
            try:
                return syntax, _READERS[syntax](passage)
            except InputError:
                break
    return "text", plain.parse(passage)


def _without(nodes: list[Node], starts: list[int], ends: list[int]) -> Iterator[Node]:
    """The nodes with placeholders in shown code as the text that they are there."""
    for node in nodes:
        index = bisect_right(starts, node.start) - 1
        if node.kind == "hole" and index >= 0 and node.start < ends[index]:
            yield replace(node, kind="text", text=node.passage.text[node.start : node.end])
        else:
            node.branches = [list(_without(branch, starts, ends)) for branch in node.branches]
            yield node


def parse_as(syntax: str, passage: Passage) -> list[Node]:
    """Raises InputError for what is wrong in that syntax."""
    if syntax == "format":
        return plain.parse_format(passage)
    if syntax == "text":
        return parse(passage)[1]
    if syntax == "request":
        return plain.parse_doubled(passage)
    return _READERS[syntax](passage)
