"""The JSON Schema of a configuration, for editors, made from the table of keys that the loader follows."""

from __future__ import annotations

from collections.abc import Mapping

from promptlint.config import keys
from promptlint.config.keys import Key, Schema


def document() -> Schema:
    """The schema of `promptlint.toml`, and of `[tool.promptlint]` in pyproject.toml."""
    properties: Schema = {name: _value(key) for name, key in sorted({**keys.SETTINGS, **keys.FILE}.items())}
    properties |= _shared_tables()
    properties["per-path-ignores"] = {
        "description": keys.FILE_TABLES["per-path-ignores"],
        "type": "object",
        "additionalProperties": keys.RULES.schema,
    }
    properties["prompts"] = {
        "description": keys.FILE_TABLES["prompts"],
        "type": "object",
        "additionalProperties": _prompt(),
    }
    properties["code"] = {
        "description": keys.FILE_TABLES["code"],
        **_table({group: _table(_values(names)) for group, names in keys.CODE.items()}),
    }
    properties["trace"] = {"description": keys.FILE_TABLES["trace"], **_table(_values(keys.TRACE))}
    properties["placeholders"] = {
        "description": keys.FILE_TABLES["placeholders"],
        **_table(_values(keys.PLACEHOLDERS)),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "promptlint configuration",
        "description": "promptlint.toml, or [tool.promptlint] in pyproject.toml",
        **_table(properties),
    }


def _prompt() -> Schema:
    properties: Schema = {name: _value(key) for name, key in sorted({**keys.SETTINGS, **keys.PROMPT}.items())}
    properties["parts"] = {**_value(keys.PROMPT["parts"]), "minItems": 1}
    return {**_table(properties | _shared_tables()), "required": ["parts"]}


def _shared_tables() -> Schema:
    return {
        "severity": {
            "description": keys.TABLES["severity"],
            "type": "object",
            "additionalProperties": keys.SEVERITY.schema,
        },
        "budget": {"description": keys.TABLES["budget"], **_table(_values(keys.BUDGET))},
        "traffic": {"description": keys.TABLES["traffic"], **_table(_values(keys.TRAFFIC))},
    }


def _values(table: Mapping[str, Key]) -> Schema:
    return {name: _value(key) for name, key in table.items()}


def _value(key: Key) -> Schema:
    return {"description": key.help, **key.kind.schema}


def _table(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}
