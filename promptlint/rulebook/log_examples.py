"""Examples of rules on logs made into real logs: short records become lines in the provider's own shape.

A record has `at` (seconds), `input` (tokens of the whole prompt), and if need be `cached`, `written`, `long` (the part
of `written` that lives for an hour), `session`, `process`, `model`, and `request`, the short form of a body. What has
to be reported is the record whose `at` is marked, `[|at|]`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from promptlint.model.errors import RuleError
from promptlint.rulebook.examples import body, filled, model_of
from promptlint.rulebook.rule import Example

_START = 1_780_000_000  # Unix seconds
_MARKED = "[|at|]"
_KEYS = {"at", _MARKED, "input", "cached", "written", "long", "session", "process", "model", "request"}


@dataclass(frozen=True, slots=True)
class LogExample:
    """The text of a log (JSON Lines), and the lines (1-based) that have to be reported."""

    text: str
    marked: frozenset[int]


def log_of(example: Example) -> LogExample:
    """Raises RuleError for an example that is no list of records."""
    records = example.after
    if example.before is not None or not isinstance(records, list):
        raise RuleError("an example of a rule on logs has 'after' alone: a list of records")
    lines, marked = [], set()
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping) or not {"input"} <= set(record) <= _KEYS:
            raise RuleError(f"a record of a log has the keys {', '.join(sorted(_KEYS - {_MARKED}))}")
        lines.append(filled(json.dumps(_line(record, example.provider or "anthropic"), ensure_ascii=False)))
        if _MARKED in record:
            marked.add(number)
    return LogExample("\n".join(lines) + "\n", frozenset(marked))


def _line(record: Mapping[str, Any], provider: str) -> dict[str, Any]:
    at = record.get(_MARKED, record.get("at", 0))
    line: dict[str, Any] = {
        "ts": datetime.fromtimestamp(_START + at, UTC).isoformat(),
        "session": record.get("session", "a"),
        "provider": provider,
        "model": record.get("model", model_of(provider)),
    }
    if "process" in record:
        line["process"] = record["process"]
    if "request" in record:
        line["request"] = body(record["request"], provider)
    return line | {"usage": _usage(record, provider)}


def _usage(record: Mapping[str, Any], provider: str) -> dict[str, Any]:
    """The usage object as the provider writes it."""
    total, cached, written = record["input"], record.get("cached", 0), record.get("written", 0)
    if provider in ("anthropic", "vertex-anthropic"):
        long = record.get("long", 0)
        return {
            "input_tokens": total - cached - written,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": written,
            "cache_creation": {"ephemeral_5m_input_tokens": written - long, "ephemeral_1h_input_tokens": long},
        }
    if provider == "bedrock":
        fresh = total - cached - written
        return {"inputTokens": fresh, "cacheReadInputTokens": cached, "cacheWriteInputTokens": written}
    if provider == "gemini":
        return {"promptTokenCount": total, **({"cachedContentTokenCount": cached} if cached else {})}
    if provider == "deepseek":
        return {"prompt_tokens": total, "prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": total - cached}
    return {"prompt_tokens": total, "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written}}
