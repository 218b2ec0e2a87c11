"""The JSON report against its published schema, byte for byte the same for the same report."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest
import sample_reports
from inline_snapshot import snapshot
from jsonschema import Draft202012Validator, ValidationError

from promptlint.model.report import Report
from promptlint.reporters.json import document, render

SCHEMA: dict[str, Any] = json.loads((files("promptlint.reporters") / "report.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one_and_strict() -> None:
    Draft202012Validator.check_schema(SCHEMA)

    def objects(node: object) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [found for each in node for found in objects(each)]
        if not isinstance(node, dict):
            return []
        own = [node] if node.get("type") == "object" else []
        return own + [found for each in node.values() for found in objects(each)]

    assert len(objects(SCHEMA)) > 10
    for each in objects(SCHEMA):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


@pytest.mark.parametrize("name", sample_reports.ALL)
def test_reports_are_valid_in_ascii_and_in_the_order_of_the_schema(name: str) -> None:
    report = sample_reports.ALL[name]
    shown = render(report)
    assert shown.isascii()
    assert shown == render(report)
    VALIDATOR.validate(json.loads(shown))
    assert list(json.loads(shown)) == list(SCHEMA["properties"])
    for comparison in json.loads(shown)["comparisons"]:
        assert list(comparison) == list(SCHEMA["$defs"]["comparison"]["properties"])


@pytest.mark.parametrize("path", ["version", "summary.files", "comparisons.0.tokens.lost", "findings.0.location.line"])
def test_the_schema_notices_what_is_wrong(path: str) -> None:
    whole = json.loads(render(sample_reports.DIFF))
    *parents, last = path.split(".")
    node = whole
    for part in parents:
        node = node[int(part)] if part.isdigit() else node[part]
    for wrong in ("x", -1, None):
        with pytest.raises(ValidationError):
            VALIDATOR.validate(_with(whole, node, last, wrong))
    node["more"] = 1
    with pytest.raises(ValidationError):
        VALIDATOR.validate(whole)


def _with(whole: object, node: dict[str, object], key: str, value: object) -> object:
    before = node[key]
    node[key] = value
    copy = json.loads(json.dumps(whole))
    node[key] = before
    return copy


def test_the_whole_document() -> None:
    assert document(sample_reports.DIFF) == snapshot(
        {
            "version": 1,
            "tool": {"name": "promptlint", "version": "0.1.0"},
            "command": "diff",
            "comparisons": [
                {
                    "before": {"file": "agent/before.json"},
                    "after": {"file": "agent/after.json"},
                    "provider": "anthropic",
                    "policy": "anthropic-claude-sonnet-4-5",
                    "model": "claude-sonnet-4-5",
                    "scope": "same conversation",
                    "tokenizer": {
                        "name": "o200k_base",
                        "exact": False,
                        "reason": "the vocabulary of this model is not public",
                    },
                    "tokens": {
                        "before": 2376,
                        "after": 2376,
                        "shared": 354,
                        "reusable": 128,
                        "reusable_low": 0,
                        "reusable_high": 128,
                        "lost": 2248,
                    },
                    "why_reusable": "no breakpoint was written between token 128 and token 354",
                    "vendor_reason": None,
                    "divergence": {
                        "token": 354,
                        "path": "system[0].text",
                        "char": 58,
                        "file": "agent/after.json",
                        "line": 3,
                        "column": 58,
                        "shared": "pport agent. Now: 2026-11-30T10:00:0",
                        "before": "7Z. Be brief.",
                        "after": "9Z. Be brief.",
                        "path_before": "system[0].text",
                        "char_before": 58,
                        "token_path": "system[0].text",
                        "token_char": 57,
                        "shift": 0,
                    },
                    "repairs": [
                        {
                            "code": "PL101",
                            "name": "timestamp-in-prefix",
                            "path": "system[0].text",
                            "recovers": 1980,
                            "cumulative": 2334,
                            "reusable": 2304,
                        },
                        {
                            "code": "PL304",
                            "name": "tool-description-changed",
                            "path": "tools[12].input_schema.properties.path.description",
                            "recovers": 42,
                            "cumulative": 2376,
                            "reusable": 2304,
                        },
                    ],
                    "cost": {
                        "kind": "recurring",
                        "tokens": 2376,
                        "currency": "USD",
                        "per_event": "0.00641520",
                        "per_day": "64.152",
                        "total": None,
                        "flops": None,
                        "kv_bytes": None,
                        "seconds": None,
                        "price_source": "genai-prices 0.2.3",
                        "price_date": "2026-11-02",
                        "assumptions": ["Traffic: 10,000 requests a day.", "Every request would otherwise hit."],
                    },
                    "notes": ["the minimum of this model is documented twice: 1,024 and 2,048 tokens"],
                }
            ],
            "findings": [
                {
                    "code": "PL101",
                    "name": "timestamp-in-prefix",
                    "severity": "error",
                    "confidence": "high",
                    "scope": "same conversation",
                    "message": "the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again",
                    "location": {
                        "file": "agent/after.json",
                        "path": "system[0].text",
                        "line": 3,
                        "column": 58,
                        "end_line": 3,
                        "end_column": 66,
                    },
                    "related": [
                        {
                            "message": "the earlier value",
                            "location": {
                                "file": "agent/before.json",
                                "path": "system[0].text",
                                "line": 3,
                                "column": 58,
                                "end_line": 3,
                                "end_column": 66,
                            },
                        }
                    ],
                    "tokens_lost": 2022,
                    "vendor_reason": "system_changed",
                    "cost": {
                        "kind": "recurring",
                        "tokens": 2376,
                        "currency": "USD",
                        "per_event": "0.00641520",
                        "per_day": "64.152",
                        "total": None,
                        "flops": None,
                        "kv_bytes": None,
                        "seconds": None,
                        "price_source": "genai-prices 0.2.3",
                        "price_date": "2026-11-02",
                        "assumptions": ["Traffic: 10,000 requests a day.", "Every request would otherwise hit."],
                    },
                    "fix": {
                        "safety": "unsafe",
                        "edits": [
                            {
                                "location": {
                                    "file": "agent/after.json",
                                    "path": "system[0].text",
                                    "line": 3,
                                    "column": 58,
                                    "end_line": 3,
                                    "end_column": 66,
                                },
                                "replacement": "2026-11-30",
                            }
                        ],
                    },
                    "fingerprint": "5f2a",
                }
            ],
            "skipped": [],
            "volatility": None,
            "summary": {"files": 2, "comparisons": 1, "findings": {"error": 1, "warning": 0, "info": 0}},
        }
    )


def test_money_is_text_without_an_exponent() -> None:
    cost = dataclasses.replace(sample_reports.ONE_OFF, total=Decimal("1.5E-9"), per_event=Decimal("1E+3"))
    comparison = sample_reports.comparison(cost=cost)
    shown = json.loads(render(Report("diff", (comparison,))))
    VALIDATOR.validate(shown)
    assert shown["comparisons"][0]["cost"]["total"] == "0.0000000015"
    assert shown["comparisons"][0]["cost"]["per_event"] == "1000"
