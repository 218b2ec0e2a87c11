"""The JSON report against its published schema, byte for byte the same for the same report."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest
import sample_reports
import trace_samples
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

    assert len(objects(SCHEMA)) > 20
    for each in objects(SCHEMA):
        if each is SCHEMA["$defs"]["counts"]:  # the one map with names of the log
            assert each["additionalProperties"] == {"type": "integer", "minimum": 0}
            continue
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
            "trace": None,
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


@pytest.mark.parametrize("name", trace_samples.ALL)
def test_traced_logs_are_valid_in_the_order_of_the_schema(name: str) -> None:
    shown = render(trace_samples.ALL[name])
    assert shown.isascii()
    whole = json.loads(shown)
    VALIDATOR.validate(whole)
    assert list(whole["trace"]) == list(SCHEMA["$defs"]["trace"]["properties"])
    for waste in whole["trace"]["waste"]:
        assert list(waste) == list(SCHEMA["$defs"]["waste"]["properties"])


@pytest.mark.parametrize("path", ["waste.0.kind", "hits.rate", "moments.0.start", "prefixes.children.0.depth"])
def test_the_schema_notices_what_is_wrong_in_a_traced_log(path: str) -> None:
    whole = json.loads(render(trace_samples.ALL["full"]))
    *parents, last = path.split(".")
    node = whole["trace"]
    for part in parents:
        node = node[int(part)] if part.isdigit() else node[part]
    for wrong in ("x", None, True):
        with pytest.raises(ValidationError):
            VALIDATOR.validate(_with(whole, node, last, wrong))


def test_the_trace_document() -> None:
    shown = document(trace_samples.ALL["full"])["trace"]
    assert isinstance(shown, dict)
    lists = {name for name, value in shown.items() if isinstance(value, list)}
    assert {name: value[:1] if name in lists else value for name, value in shown.items()} == snapshot(
        {
            "files": ["logs/desk.jsonl"],
            "records": 1243,
            "unreadable": 3,
            "broken": [{"file": "logs/desk.jsonl", "line": 17, "why": "not valid JSON: expected a comma"}],
            "tokenizer": {"name": "o200k_base", "exact": False, "reason": "Claude's vocabulary is not public"},
            "unique_tokens": 702000,
            "hits": {
                "requests": 1240,
                "tokens": 5100000,
                "read": 1600000,
                "written": 2100000,
                "rate": 0.313725,
                "reported": 1551000,
                "reported_tokens": 5020000,
                "reported_rate": 0.308964,
                "cost": 14.37,
            },
            "caches": [
                {
                    "name": "anthropic",
                    "policy": "anthropic-1024",
                    "capacity": "unbounded",
                    "note": None,
                    "hits": {
                        "requests": 1240,
                        "tokens": 5100000,
                        "read": 1600000,
                        "written": 1750000,
                        "rate": 0.313725,
                        "reported": 0,
                        "reported_tokens": 0,
                        "reported_rate": None,
                        "cost": 14.37,
                    },
                }
            ],
            "waste": [
                {
                    "kind": "rule",
                    "code": "PL101",
                    "name": "timestamp-in-prefix",
                    "path": "system[0].text",
                    "message": "the clock value 09:14:52 was 09:14:07 before",
                    "tokens": 1930000,
                    "requests": 1180,
                    "avoidable": True,
                    "location": {"file": "logs/desk.jsonl", "path": "system[0].text", "line": 14},
                    "dollars": 6.369,
                    "rate_alone": 0.612,
                    "rate_cumulative": 0.612,
                }
            ],
            "moments": [
                {
                    "start": 1781686800.0,
                    "hits": {
                        "requests": 25,
                        "tokens": 104000,
                        "read": 0,
                        "written": 52000,
                        "rate": 0.0,
                        "reported": 0,
                        "reported_tokens": 0,
                        "reported_rate": None,
                        "cost": None,
                    },
                }
            ],
            "divergences": [{"start": 0, "end": 1024, "requests": 160, "lost": 420000}],
            "groups": [
                {
                    "by": "user",
                    "value": "ann",
                    "hits": {
                        "requests": 700,
                        "tokens": 3000000,
                        "read": 900000,
                        "written": 1050000,
                        "rate": 0.3,
                        "reported": 880000,
                        "reported_tokens": 3000000,
                        "reported_rate": 0.293333,
                        "cost": 8.0,
                    },
                }
            ],
            "sessions": [
                {
                    "name": "s-17",
                    "kind": "main",
                    "parent": None,
                    "requests": 24,
                    "retries": 1,
                    "hits": {
                        "requests": 24,
                        "tokens": 310000,
                        "read": 12000,
                        "written": 149000,
                        "rate": 0.03871,
                        "reported": 11000,
                        "reported_tokens": 310000,
                        "reported_rate": 0.035484,
                        "cost": 1.1,
                    },
                }
            ],
            "prefixes": {
                "depth": 0,
                "tokens": 0,
                "requests": 1240,
                "label": "",
                "parts": "",
                "values": {},
                "warm": False,
                "saved": 0,
                "children": [
                    {
                        "depth": 2310,
                        "tokens": 2310,
                        "requests": 1150,
                        "label": "system[0].text",
                        "parts": "You help Ann… | You help Bob…",
                        "values": {"user": 41, "session": 96},
                        "warm": True,
                        "saved": 217140,
                        "children": [
                            {
                                "depth": 3900,
                                "tokens": 1590,
                                "requests": 700,
                                "label": "messages[0].content[0].text",
                                "parts": "",
                                "values": {"user": 1, "session": 50},
                                "warm": False,
                                "saved": 0,
                                "children": [],
                            },
                            {
                                "depth": 2480,
                                "tokens": 170,
                                "requests": 450,
                                "label": "messages[0].content",
                                "parts": "Hello | Good morning",
                                "values": {"user": 40, "session": 46},
                                "warm": False,
                                "saved": 0,
                                "children": [],
                            },
                        ],
                    },
                    {
                        "depth": 410,
                        "tokens": 410,
                        "requests": 90,
                        "label": "system[0].text",
                        "parts": "",
                        "values": {"user": 30, "session": 90},
                        "warm": False,
                        "saved": 0,
                        "children": [],
                    },
                ],
            },
            "sizes": [{"tokens": 1000, "rate": 0.02}],
            "middle": {
                "tokens": 410000,
                "of": 5100000,
                "reference": "CacheBlend, https://doi.org/10.1145/3689031.3696098",
            },
            "reconciliation": {
                "requests": 1228,
                "agree": 1190,
                "predicted": 1598000,
                "reported": 1551000,
                "reasons": {
                    "warm prefix, no hit: the provider's side": 12,
                    "counts of this vocabulary are estimates": 26,
                },
                "vendor": {"system_changed": 1101},
                "vendor_same": 0,
                "worst": [
                    {
                        "file": "logs/desk.jsonl",
                        "line": 907,
                        "low": 2048,
                        "high": 2304,
                        "reported": 0,
                        "why": "warm prefix, no hit: the provider's side",
                    }
                ],
            },
            "notes": ["entries are taken to be shared within a workspace"],
        }
    )
