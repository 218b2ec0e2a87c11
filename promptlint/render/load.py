"""Chat templates and special tokens, read from a tokenizer's directory or a single file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from promptlint.model.errors import InputError

# What `strftime_now` shows where no date is given: same input, same output.
PINNED_DATE = datetime(2026, 1, 1)

MAX_TEMPLATE = 200_000  # characters; published templates stay below 50,000

_CONFIG, _SPECIALS, _JINJA, _PROCESSOR = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "chat_template.json",
)


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """`templates` are (name, text): one called `default`, or several of which `tool_use` serves requests with
    tools. `specials` are the named special tokens (`bos_token`, …) that the template may print.
    """

    name: str
    templates: tuple[tuple[str, str], ...]
    specials: tuple[tuple[str, str], ...] = ()

    def source(self, *, tools: bool) -> str:
        """The template's text for a request with or without tools. Raises InputError where none fits."""
        by_name = dict(self.templates)
        if tools and "tool_use" in by_name:
            return by_name["tool_use"]
        if "default" not in by_name:
            names = ", ".join(sorted(by_name)) or "none"
            raise InputError(f"no chat template is called 'default' (there are: {names})", name=self.name)
        return by_name["default"]


def load_chat_template(path: str, tokenizer: str | None = None) -> ChatTemplate:
    """The chat template at `path`: a tokenizer's directory, or one .jinja, .j2 or .json file.

    In a directory `chat_template.jinja` goes before `chat_template.json` and `tokenizer_config.json`. Special tokens
    come from the directory of `tokenizer` where given, else from where the template lies. Raises InputError naming
    the file where there is no template or it cannot be read.
    """
    place = Path(path)
    if not place.exists():
        raise InputError("no such file or directory; give a tokenizer's directory or a template file", name=path)
    file = _find(place) if place.is_dir() else place
    text = _read(file)
    templates = _from_json(file, text) if file.suffix == ".json" else (("default", text),)
    for _, source in templates:
        if len(source) > MAX_TEMPLATE:
            raise InputError(f"a chat template of more than {MAX_TEMPLATE:,} characters is not read", name=str(file))
    home = Path(tokenizer) if tokenizer is not None else file.parent
    return ChatTemplate(str(file), templates, _specials(home if home.is_dir() else home.parent))


def has_chat_template(directory: str) -> bool:
    """Whether a tokenizer's directory holds a chat template. Raises InputError for a configuration that is no JSON."""
    return _held(Path(directory)) is not None


def _find(directory: Path) -> Path:
    found = _held(directory)
    if found is None:
        raise InputError(f"no chat template: neither {_JINJA} nor {_CONFIG} with a chat_template", name=str(directory))
    return found


def _held(directory: Path) -> Path | None:
    for name in (_JINJA, _PROCESSOR):
        if (directory / name).is_file():
            return directory / name
    config = directory / _CONFIG
    return config if config.is_file() and "chat_template" in _object(config, _read(config)) else None


def _from_json(file: Path, text: str) -> tuple[tuple[str, str], ...]:
    """`chat_template` is one template or a list of named ones, `[{"name": …, "template": …}]`."""
    value = _object(file, text).get("chat_template")
    if isinstance(value, str):
        return (("default", value),)
    named: list[tuple[str, str]] = []
    for entry in value if isinstance(value, list) else [None]:
        name, source = (entry.get("name"), entry.get("template")) if isinstance(entry, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(source, str):
            raise InputError("chat_template must be a string or a list of {name, template}", name=str(file))
        named.append((name, source))
    return tuple(named)


def special_tokens(directory: str) -> dict[str, str]:
    """The named special tokens of a tokenizer's directory. Raises InputError for a configuration that is no JSON."""
    return dict(_specials(Path(directory)))


def _specials(directory: Path) -> tuple[tuple[str, str], ...]:
    """Special tokens of both files, each a string or an object with `content`; the configuration wins."""
    found: dict[str, str] = {}
    for name in (_SPECIALS, _CONFIG):
        file = directory / name
        if not file.is_file():
            continue
        for key, value in _object(file, _read(file)).items():
            content = value.get("content") if isinstance(value, dict) else value
            if key.endswith("_token") and isinstance(content, str):
                found[key] = content
    return tuple(sorted(found.items()))


def _object(file: Path, text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"no valid JSON: {error.msg}", name=str(file), line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise InputError("no valid JSON: nested too deeply", name=str(file)) from None
    if not isinstance(value, dict):
        raise InputError("a JSON object is expected", name=str(file))
    return value


def _read(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", name=str(file)) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        raise InputError("invalid UTF-8", name=str(file), line=line, column=column) from None
