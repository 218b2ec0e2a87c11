"""Requests in short, and what one rule finds in them."""

from __future__ import annotations

import json
from typing import Any

from promptlint import pipeline
from promptlint.model.finding import Finding
from promptlint.model.source import Source

LONG = "Answer in short plain sentences and name the source of every figure that you give to a guest. " * 120
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
POINT = {"cachePoint": {"type": "default"}}
EXPLICIT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
CLAUDE = "claude-sonnet-4-5"
BEDROCK_CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"

Body = dict[str, Any]


def text(value: str, **more: Any) -> Body:
    return {"type": "text", "text": value, **more}


def user(*blocks: Any) -> Body:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def claude(*messages: Body, **body: Any) -> Body:
    return {"model": CLAUDE, "max_tokens": 9, **body, "messages": list(messages)}


def found(
    code: str, before: Body | None, after: Body, provider: str = "anthropic", *, gateway: bool = False
) -> list[Finding]:
    """Findings of one rule in a pair, or in one request."""
    options = pipeline.Options(provider=provider, gateway=gateway, select=(code,))
    later = Source("after.json", json.dumps(after))
    if before is None:
        return list(pipeline.check([(None, later)], options).findings)
    return list(pipeline.diff([Source("before.json", json.dumps(before)), later], options).findings)


def paths(findings: list[Finding]) -> list[str]:
    return [finding.location.path for finding in findings]
