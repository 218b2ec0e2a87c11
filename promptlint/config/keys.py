"""The keys of a configuration: what each takes, in one table that both the loader and the JSON Schema follow."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from promptlint.model.flow import KINDS, PARTS

SEVERITIES = ("error", "warning", "info")
CONFIDENCES = ("high", "medium", "low")

Schema = dict[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value. `read` gives what is stored, or raises ValueError with what was expected; `schema` says it.

    `names`: which names the value holds, to be checked by whoever knows them (`rule`, `provider` or nothing).
    """

    read: Callable[[Any], Any]
    schema: Schema
    names: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    kind: Kind
    help: str


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise ValueError("must be a list of texts")
    return tuple(value)


def _names(value: Any) -> tuple[str, ...]:
    """Names of calls with dots between their steps."""
    for name in _texts(value):
        if not _NAME.fullmatch(name):
            raise ValueError(f"must be names as in `clock.now`, and {name!r} is none")
    return tuple(name.replace("::", ".") for name in value)


def _choice(*allowed: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be {', '.join(allowed[:-1])} or {allowed[-1]}")
        return str(value)

    return read


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("must be a whole number of at least 0")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError("must be a number of at least 0")
    return float(value)


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("must be a share between 0 and 1")
    return float(value)


def _money(value: Any) -> Decimal:
    try:
        amount = Decimal(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except InvalidOperation:
        amount = None
    if amount is None or not amount.is_finite() or amount < 0:
        raise ValueError("must be an amount in US dollars of at least 0")
    return amount


_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*", re.ASCII)
_TEXT_SCHEMA: Schema = {"type": "string", "minLength": 1}
_TEXTS_SCHEMA: Schema = {"type": "array", "items": _TEXT_SCHEMA}

TEXT = Kind(_text, _TEXT_SCHEMA)
PROVIDER = Kind(_text, _TEXT_SCHEMA, names="provider")
TEXTS = Kind(_texts, _TEXTS_SCHEMA)
NAMES = Kind(_names, {"type": "array", "items": {"type": "string", "pattern": f"^{_NAME.pattern}$"}})
RULES = Kind(_texts, _TEXTS_SCHEMA, names="rule")
SEVERITY = Kind(_choice(*SEVERITIES), {"enum": list(SEVERITIES)})
CONFIDENCE = Kind(_choice(*CONFIDENCES), {"enum": list(CONFIDENCES)})
FAIL_ON = Kind(_choice(*SEVERITIES, "never"), {"enum": [*SEVERITIES, "never"]})
COUNT = Kind(_count, {"type": "integer", "minimum": 0})
NUMBER = Kind(_number, {"type": "number", "minimum": 0})
SHARE = Kind(_share, {"type": "number", "minimum": 0, "maximum": 1})
MONEY = Kind(
    _money,
    {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$"}]},
)

# Of a configuration file and of a declared prompt alike.
SETTINGS = {
    "provider": Key(PROVIDER, "Cache rules to apply: a family or an id of `promptlint providers list`."),
    "model": Key(TEXT, "Model, where the request names none or another is meant."),
    "tokenizer": Key(TEXT, "A vocabulary (o200k_base, cl100k_base), a tokenizer.json, or a model's folder."),
    "chat-template": Key(TEXT, "Chat template to render requests of self-hosted models with."),
    "model-config": Key(TEXT, "The model's config.json, for prefill work and KV memory."),
    "select": Key(RULES, "Report these rules only: codes, names or prefixes."),
    "ignore": Key(RULES, "Leave these rules out: codes, names or prefixes."),
    "min-severity": Key(SEVERITY, "Report nothing below this severity."),
    "min-confidence": Key(CONFIDENCE, "Report nothing below this confidence."),
}
BUDGET = {
    "max-lost-tokens": Key(COUNT, "Most cached tokens that a change may make cold."),
    "max-lost-share": Key(SHARE, "Largest share of the cached tokens that a change may make cold, 0 to 1."),
    "max-cost": Key(
        MONEY, "Highest one-off cost in US dollars: of all warm entries, or of one if their number is unknown."
    ),
}
TRAFFIC = {
    "requests-per-day": Key(NUMBER, "Requests a day, for the cost of what recurs."),
    "warm-entries": Key(COUNT, "Cache entries that are warm at a release, for its cost."),
    "tokens-per-second": Key(NUMBER, "Prefill speed of a self-hosted model, for the time to the first token."),
}
FILE = {
    "fail-on": Key(FAIL_ON, "Lowest severity that ends a run with exit status 1."),
    "exclude": Key(TEXTS, "Files and folders that are left out when a folder is checked, as in .gitignore."),
    "include": Key(TEXTS, "Further files that are prompts although their name does not say so."),
    "baseline": Key(TEXT, "File of known findings and accepted breaks."),
    "rules": Key(TEXTS, "Rule files of your own, or folders of them."),
}
TRACE = {
    "by": Key(TEXTS, "Fields of a log by which hits are shown as well: session, user, model, provider, day, hour, …"),
    "min-hit-rate": Key(SHARE, "A lower hit rate of a log ends the run with 1, 0 to 1."),
}
PROMPT = {
    "parts": Key(TEXTS, "Files, or globs of files, that make up the prompt, in this order."),
    "breakpoints": Key(TEXTS, "The parts at whose end the program sets a cache marker."),
}
# What a house adds to the catalogue of source code, in three tables of names.
CODE = {
    "sources": {kind: Key(NAMES, f"Calls that give {what}.") for kind, what in KINDS.items()},
    "sinks": {
        part: Key(NAMES, f"Calls, functions, variables and arguments that are {what}.") for part, what in PARTS.items()
    },
    "sanitizers": {kind: Key(NAMES, f"Calls whose result does not hold {what}.") for kind, what in KINDS.items()},
}
PLACEHOLDERS = {
    "stable": Key(TEXTS, "Placeholders that take the same value in every request."),
    "per-user": Key(TEXTS, "Placeholders that take another value for each user."),
    "per-request": Key(TEXTS, "Placeholders that take another value in each request."),
}
TABLES = {
    "severity": "Severity of a rule, by code, name or prefix.",
    "budget": "What a change may lose of the cached state.",
    "traffic": "What the cost estimate counts with.",
}
FILE_TABLES = {
    "code": "Names of one's own in source code: what changes, what is part of a prompt, what makes a value stable.",
    "per-path-ignores": "Rules that are not reported in files that match a pattern.",
    "placeholders": "What placeholders of templates take, by their names; a * stands for any characters.",
    "trace": "What holds for replayed logs alone.",
    "prompts": "Prompts that are put together from several files, by name.",
}
