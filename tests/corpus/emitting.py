"""What all wire formats share: the file that is sent, where its parts ended up, tools, markers and bytes."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from .request import Tool

Body = dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """A file as it is sent. `paths` leads from a part's name to its value, `blocks` to the block that holds it."""

    name: str
    text: str
    paths: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)


class Paths:
    """Field paths, noted while a body is put together."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.blocks: dict[str, str] = {}

    def note(self, uid: str, block: str, value: str = "") -> None:
        self.blocks.setdefault(uid, block)
        self.values.setdefault(uid, f"{block}.{value}" if value else block)


def define(tool: Tool, schema_key: str) -> Body:
    values = {"name": tool.name, "description": tool.description, "schema": tool.schema}
    names = {"name": "name", "description": "description", "schema": schema_key}
    return {names[key]: values[key] for key in tool.keys}


def control(mark: str | None) -> Body:
    if mark is None:
        return {}
    return {"cache_control": {"type": "ephemeral", **({"ttl": mark} if mark else {})}}


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
