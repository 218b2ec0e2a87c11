"""From a source to a prompt: text, or a request body in one of the wire formats."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable

from promptlint.jsonspans import JsonKind, Node, parse
from promptlint.model.errors import ConfigError, InputError
from promptlint.model.prompt import Prompt
from promptlint.model.source import Source

# Wire format → the module that reads it; a module is imported when a file needs it.
_MODULES = {
    "anthropic": "anthropic",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "openai-completions": "openai_completions",
    "gemini": "gemini",
    "bedrock": "bedrock",
}
WIRES = ("text", *_MODULES)

_EXPECTED = (
    "Anthropic Messages (messages, system), OpenAI chat completions (messages), OpenAI Responses (input), "
    "Gemini generateContent (contents), Bedrock Converse (messages, modelId) or a raw completion (prompt)"
)
# On standard input there is no name to go by, and a prompt may begin with a brace (`{{ name }}`).
_OBJECT_BEGINS = re.compile(r'\ufeff?\s*\{\s*["}]').match


def read(source: Source, wire: str | None = None, family: str | None = None) -> Prompt:
    """The prompt in `source`.

    A source whose name ends in `.json`, a named `.jsonl` of one line, or standard input (`-`) that begins as a JSON
    object, is a request body; everything else is text. A file that was named and is a log is refused. `wire` (one of
    WIRES) forces a format; `family`, the provider's, decides where the body alone leaves it open. Raises InputError,
    or Problems where there are several: for broken JSON, for JSON that is no request, for a log, and for fields of
    the wrong type.
    """
    if wire is not None and wire not in WIRES:
        raise ConfigError(f"unknown wire format {wire!r}; known are {', '.join(WIRES)}")
    if wire is None and not source.walked and _is_log(source.text):
        message = f"this is a log of several requests; `promptlint trace {source.name}` reads it"
        raise InputError(message, name=source.name, line=1, column=1)
    if wire == "text" or (wire is None and not _is_request(source)):
        from promptlint.readers import text

        return text.read(source)
    body = parse(source)
    if wire is None or body.kind is not JsonKind.OBJECT:
        wire = detect_wire(source, body, family)
    module = importlib.import_module(f"promptlint.readers.{_MODULES[wire]}")
    reader: Callable[[Source, Node], Prompt] = module.read
    return reader(source, body)


def detect_wire(source: Source, body: Node, family: str | None = None) -> str:
    """The wire format of a request body. Raises InputError where it is none of the known ones."""
    from promptlint.readers import detect

    wire = detect.detect_wire(body, family)
    if wire is None:
        place = source.position(body.start)
        message = f"not a request of a known wire format: expected one of {_EXPECTED}"
        raise InputError(message, name=source.name, line=place.line, column=place.column)
    return wire


def _is_request(source: Source) -> bool:
    if source.name == "-":
        return _OBJECT_BEGINS(source.text) is not None
    name = source.name.lower()
    # What is found in a folder under this name is rather a data set, of which one line is left.
    one_line = not source.walked and name.endswith(".jsonl") and "\n" not in source.text.strip()
    return name.endswith(".json") or (one_line and _OBJECT_BEGINS(source.text) is not None)


def _is_log(text: str) -> bool:
    """Whether a text is a log of requests, one on each line."""
    first, _, rest = text.lstrip().partition("\n")
    if _OBJECT_BEGINS(first) is None or not (first.rstrip().endswith("}") and rest.lstrip().startswith("{")):
        return False  # what reads logs is not loaded for a request
    from promptlint.readers import logs

    return logs.is_log(text)
