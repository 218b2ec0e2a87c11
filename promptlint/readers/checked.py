"""Typed access to the fields of a request: wrong types are collected, so that a user sees all of them at once."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.jsonspans import JsonKind, Node, item_path
from promptlint.model.errors import InputError, Problems
from promptlint.model.source import Source

# A file of the wrong shape has an error in every line; nobody reads more.
MOST = 50


class Checked:
    """The errors of one request. In all accessors null is the same as absent, and any other kind is an error."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._problems: list[tuple[int, str]] = []  # (offset, message)

    def raise_errors(self) -> None:
        """Raise InputError, or Problems where there are several: the first MOST of them, in the order of the file."""
        errors: list[InputError] = []
        for offset, message in sorted(self._problems)[:MOST]:
            place = self.source.position(offset)
            errors.append(InputError(message, name=self.source.name, line=place.line, column=place.column))
        if len(self._problems) > MOST:
            errors.append(InputError(f"{len(self._problems) - MOST:,} more errors like these", name=self.source.name))
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise Problems(tuple(errors))

    def wrong(self, node: Node, path: str, expected: str) -> None:
        """Note a value of the wrong kind."""
        self.error(node.start, f"{path} must be {expected}, not {node.kind.value}")

    def error(self, offset: int, message: str) -> None:
        """Note an error at an offset of the source."""
        self._problems.append((offset, message))

    def present(self, node: Node | None) -> bool:
        """Whether there is a value other than null."""
        return node is not None and node.kind is not JsonKind.NULL

    def items(self, node: Node | None, path: str) -> Iterator[tuple[int, str, Node]]:
        """(index, path, value) of a list's items."""
        if node is None or node.kind is JsonKind.NULL:
            return
        if node.kind is not JsonKind.ARRAY:
            self.wrong(node, path, "a list")
            return
        for index, item in enumerate(node.items):
            yield index, item_path(path, index), item

    def objects(self, node: Node | None, path: str) -> Iterator[tuple[int, str, Node]]:
        """As `items`, for a list of objects."""
        for index, inner, item in self.items(node, path):
            if item.kind is JsonKind.OBJECT:
                yield index, inner, item
            else:
                self.wrong(item, inner, "an object")

    def object(self, node: Node | None, path: str) -> Node | None:
        """The value where it is an object."""
        if node is None or node.kind is JsonKind.NULL:
            return None
        if node.kind is not JsonKind.OBJECT:
            self.wrong(node, path, "an object")
            return None
        return node

    def string(self, node: Node | None, path: str) -> str:
        """The text of a string; empty where it is absent, or wrong."""
        if node is None or node.kind is JsonKind.NULL:
            return ""
        if node.string is None:
            self.wrong(node, path, "a string")
        return node.string or ""

    def role_of(self, message: Node, path: str) -> str:
        """The role of a message that must have one."""
        role = message.get("role")
        if role is None or role.value in (None, ""):
            self.error(message.start, f"{path} has no role; give it one, such as user or assistant")
        return self.string(role, f"{path}.role")
