"""Prompts inside of YAML and JSON: LangChain's files and dumps, promptfoo's, lists of messages, and plain keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from promptlint.jsonspans import JsonKind, Node, parse
from promptlint.model.errors import InputError
from promptlint.model.source import Source
from promptlint.readers.template import scalars
from promptlint.readers.template.nodes import Passage

# A YAML file without any of these keys is looked at no further.
speaks = re.compile(
    r"^[ \t-]*[\"']?(?:_type|\w*prompts?|\w*template|messages|system\w*|developer\w*|instructions?|role|content|lc)"
    r"[\"']?[ \t]*:",
    re.MULTILINE,
).search

_SYSTEM = re.compile(
    r"(?:system|developer)(?:_?(?:prompt|message|instructions?|template|text))?|instructions?|preamble"
)
_USER = re.compile(r"(?:user|human)(?:_?(?:prompt|message|template|text|input))?")
_PLAIN = re.compile(r"(?:prompt|template)(?:_?(?:text|template|string))?|\w+_prompt(?:_template)?")
_ROLES = {"human": "user", "ai": "assistant", "HumanMessagePromptTemplate": "user", "HumanMessage": "user"}
_ROLES |= {"SystemMessagePromptTemplate": "system", "SystemMessage": "system", "AIMessagePromptTemplate": "assistant"}
_ROLES |= {"AIMessage": "assistant", "MessagesPlaceholder": "history", "ChatMessagePromptTemplate": "user"}
_FORMATS = {"jinja2": "jinja", "mustache": "handlebars", "handlebars": "handlebars", "f-string": "format"}
_FILE = re.compile(r"file://[\w./ -]+\.(?:txt|md|j2|jinja2?|prompt)")
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a prompt: its role ("" for none) and text, and the syntax of its placeholders.

    `elsewhere`: the text is the path of the file that holds it.
    """

    role: str
    passage: Passage
    syntax: str = "text"
    elsewhere: bool = False


def prompts(source: Source, root: Node) -> list[list[Message]]:
    """Every prompt in a file; none where it holds no prompt of a known form."""
    return [messages for messages in _found(source, root, 0) if messages]


def _found(source: Source, node: Node, depth: int) -> Iterator[list[Message]]:
    if depth > _DEPTH:
        return
    if node.kind is JsonKind.ARRAY:
        if _is_chat(node):
            yield list(_chat(source, node))
        else:
            for item in node.items:
                yield from _found(source, item, depth + 1)
        return
    if node.kind is not JsonKind.OBJECT:
        return
    if _is_langchain(node):
        yield list(_langchain(source, node, 0))
        return
    listed = node.get("prompts")
    if listed is not None and listed.kind is JsonKind.ARRAY:
        for item in listed.items:
            yield from _promptfoo(source, item)
        return
    messages = list(_keys(source, node))
    if messages:
        # A request has placeholders only where somebody fills it in; other braces are text.
        request = node.get("messages", "model") is not None and source.name.lower().endswith(".json")
        yield [replace(each, syntax="request") for each in messages] if request else messages
        return
    for _, _, _, value in node.members:
        yield from _found(source, value, depth + 1)


def _is_chat(node: Node) -> bool:
    return bool(node.items) and all(
        item.get("role") is not None and item.get("content", "tool_calls") is not None for item in node.items
    )


def _chat(source: Source, node: Node) -> Iterator[Message]:
    for item in node.items:
        role = (item.get("role") or item).string or ""
        yield from _content(source, _ROLES.get(role, role), item.get("content"), "text")


def _content(source: Source, role: str, content: Node | None, syntax: str) -> Iterator[Message]:
    """A text, or the texts of a list of blocks."""
    if content is None:
        return
    if content.string is not None:
        yield Message(role, scalars.passage(source, content), syntax)
    for block in content.items:
        yield from _content(source, role, block if block.string is not None else block.get("text"), syntax)


def _keys(source: Source, node: Node) -> Iterator[Message]:
    """What stands under `system`, `messages`, `prompt` and their like, in the order in which it is sent."""
    syntax = _syntax(node)
    for role, pattern in (("system", _SYSTEM), ("", _PLAIN), ("user", _USER)):
        for key, _, _, value in node.members:
            if pattern.fullmatch(key):
                yield from _content(source, role, value, syntax)
        if role == "":
            chat = node.get("messages")
            if chat is not None and _is_chat(chat):
                yield from _chat(source, chat)


def _syntax(node: Node) -> str:
    said = node.get("template_format", "templateFormat")
    return _FORMATS.get((said.string or "") if said is not None else "", "text")


def _promptfoo(source: Source, item: Node) -> Iterator[list[Message]]:
    """A text, one that is a list of messages in JSON, or an entry that holds one; a file is checked as a file."""
    if item.string is None:
        raw = item.get("raw")
        yield from _promptfoo(source, raw) if raw is not None else _found(source, item, 1)
        return
    text = item.string
    if text.lstrip().startswith("["):
        nested = _nested(scalars.passage(source, item))
        if nested:
            yield nested
            return
    if _FILE.fullmatch(text):
        yield [Message("", scalars.passage(source, item), elsewhere=True)]
    elif not text.startswith("file://") and not re.fullmatch(r"[\w./*-]+", text):
        yield [Message("", scalars.passage(source, item))]


def _nested(outer: Passage) -> list[Message]:
    inner = Source(outer.source.name, outer.text)
    try:
        node = parse(inner)
    except InputError:
        return []
    if node.kind is not JsonKind.ARRAY or not _is_chat(node):
        return []
    return [
        Message(each.role, Passage(each.passage.text, outer.source, _through(outer, each.passage)), each.syntax)
        for each in _chat(inner, node)
    ]


def _through(outer: Passage, inner: Passage) -> Sequence[int]:
    """The places of the characters of a text that stands in a text."""
    at = range(inner.at, inner.at + len(inner.text) + 1) if isinstance(inner.at, int) else inner.at
    return [outer.span(place, place).start for place in at]


def _is_langchain(node: Node) -> bool:
    kind = node.get("_type")
    if kind is not None and kind.string in ("prompt", "few_shot", "chat"):
        return True
    return node.get("lc") is not None and node.get("kwargs") is not None


def _langchain(source: Source, node: Node, depth: int) -> Iterator[Message]:
    """A prompt file (`_type`), or a dump of prompt objects (`lc`)."""
    if depth > _DEPTH:
        return
    inner = node.get("kwargs") or node
    role = _ROLES.get(_class_of(node), "")
    said = inner.get("template_format")
    syntax = _FORMATS.get(said.string or "" if said is not None else "f-string", "format")
    if role == "history" and (name := inner.get("variable_name")) is not None and name.string:
        at = scalars.passage(source, name)
        first = at.span(0, 1).start
        text = "{" + name.string + "}"
        yield Message(
            "", Passage(text, source, [first, *(first + i for i in range(len(name.string))), first]), "format"
        )
        return
    for key in ("prefix", "template", "content", "suffix"):
        yield from _content(source, role, inner.get(key), syntax if key != "content" else "text")
        if key == "prefix":
            yield from _examples(source, inner)
    path = inner.get("template_path")
    if path is not None and path.string:
        yield Message(role, scalars.passage(source, path), syntax, elsewhere=True)
    prompt = inner.get("prompt")
    if prompt is not None:
        for each in _prompts_of(source, prompt, depth):
            yield Message(role or each.role, each.passage, each.syntax)
    listed = inner.get("messages")
    for item in listed.items if listed is not None else ():
        yield from _langchain(source, item, depth + 1)


def _prompts_of(source: Source, prompt: Node, depth: int) -> Iterator[Message]:
    for item in prompt.items if prompt.kind is JsonKind.ARRAY else (prompt,):
        yield from _langchain(source, item, depth + 1)


def _examples(source: Source, node: Node) -> Iterator[Message]:
    """The values of inline examples: fixed text, in the order in which they are printed."""
    listed = node.get("examples")
    for example in listed.items if listed is not None else ():
        for _, _, _, value in example.members:
            if value.string is not None:
                yield Message("", scalars.passage(source, value), "literal")


def _class_of(node: Node) -> str:
    path = node.get("id")
    return (path.items[-1].string or "") if path is not None and path.items else ""
