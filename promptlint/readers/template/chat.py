"""Chat templates in files: a bare Jinja file, or the field `chat_template` of a tokenizer's configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from promptlint.jsonspans import Node, child_path, item_path, parse
from promptlint.model.errors import InputError
from promptlint.model.source import Form, Location, Source, Span
from promptlint.readers.template.kind import is_chat_template

JINJA_SUFFIXES = frozenset({".j2", ".jinja", ".jinja2"})
_BARE = "chat_template.jinja"
_HOLDERS = frozenset({"tokenizer_config.json", "chat_template.json"})
_FIELD = "chat_template"


@dataclass(frozen=True, slots=True)
class ChatText:
    """A template's text and where it stands. `tools`: used only for requests with (True) or without (False) tools."""

    text: str
    location: Location
    tools: bool | None = None


def is_chat_file(source: Source) -> bool:
    """Whether a file is read as a chat template, by its name and, of Jinja files, by what it does."""
    path = PurePosixPath(source.name.replace("\\", "/"))
    if path.name in (_BARE, *_HOLDERS):
        return True
    return path.suffix.lower() in JINJA_SUFFIXES and is_chat_template(source.text)


def read(source: Source) -> tuple[ChatText, ...]:
    """The templates of such a file; none where a configuration holds none. Raises InputError."""
    if not source.name.endswith(".json"):
        return (ChatText(source.text, Location(source, Span(0, len(source.text)), "")),)
    held = parse(source).get(_FIELD)
    if held is None:
        return ()
    if held.string is not None:
        return (_held(source, held, _FIELD, None),)
    named = []
    for index, entry in enumerate(held.items):
        name, text = entry.get("name"), entry.get("template")
        if name is None or text is None or name.string is None or text.string is None:
            raise _wrong(source, entry)
        named.append((name.string, text, child_path(item_path(_FIELD, index), "template")))
    if not named:
        raise _wrong(source, held)
    both = {"default", "tool_use"} <= {name for name, _, _ in named}  # `default` is then for requests without tools
    served = {"default": False, "tool_use": True} if both else {}
    return tuple(_held(source, text, path, served.get(name)) for name, text, path in named)


def _held(source: Source, node: Node, path: str, tools: bool | None) -> ChatText:
    location = Location(source, Span(node.start, node.end), path, Form.JSON_STRING)
    return ChatText(node.string or "", location, tools)


def _wrong(source: Source, node: Node) -> InputError:
    place = source.position(node.start)
    return InputError(
        "chat_template must be a string or a list of {name, template}",
        name=source.name,
        line=place.line,
        column=place.column,
    )
