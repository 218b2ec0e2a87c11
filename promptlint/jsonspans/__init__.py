"""JSON with the span of every value, its compact form, and the way back from a character to its place in the file."""

from __future__ import annotations

from promptlint.jsonspans.compact import MARKERS, dumps, dumps_member
from promptlint.jsonspans.locating import locate
from promptlint.jsonspans.node import JsonKind, Member, Node, child_path, item_path
from promptlint.jsonspans.parser import MAX_DEPTH, parse
from promptlint.jsonspans.plain import from_plain

__all__ = [
    "MARKERS",
    "MAX_DEPTH",
    "JsonKind",
    "Member",
    "Node",
    "child_path",
    "dumps",
    "dumps_member",
    "from_plain",
    "item_path",
    "locate",
    "parse",
]
