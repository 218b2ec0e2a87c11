"""The tables against a collection of facts kept outside the repository: PROMPTLINT_FACTS names its folder."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from promptlint import providers, yamlfile
from promptlint.model.policy import CachePolicy, Matching

FOLDER = os.environ.get("PROMPTLINT_FACTS")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="PROMPTLINT_FACTS does not name a folder of facts")

MATCHING = {
    "breakpoint": Matching.BREAKPOINT,
    "resource": Matching.BREAKPOINT,
    "prefix_blocks": Matching.LONGEST_PREFIX,
    "upstream": Matching.LONGEST_PREFIX,
    "learned_prefix_units": Matching.LEARNED_UNITS,
}


def load(name: str) -> Any:
    return yamlfile.load((Path(FOLDER or "") / name).read_text(encoding="utf-8"), name)


def policy(policy_id: str) -> CachePolicy:
    return next(found for found in providers.all_policies() if found.id == policy_id)


def number(value: Any) -> Any:
    """The plain value of a fact that may be a mapping with a default, a range, or a word for unknown."""
    if isinstance(value, dict):
        return tuple(value["range"]) if "range" in value else value.get("default")
    return None if isinstance(value, str) else value


def test_every_provider_entry_agrees() -> None:
    entries = load("providers.yaml")["providers"]
    assert len(entries) >= 36
    for entry in entries:
        found = policy(entry["id"])
        minimum = number(entry["min_tokens"])
        expected = minimum if isinstance(minimum, tuple) else (minimum or 0,)
        assert set(expected) <= {found.min_tokens, found.min_tokens_high}, entry["id"]
        assert found.block == number(entry["increment_tokens"]), entry["id"]
        assert found.matching is MATCHING[entry["matching"]], entry["id"]
        assert found.ttl_default == number(entry["ttl_seconds"]["default"]), entry["id"]
        assert found.breakpoints_max == (number(entry["breakpoints_max"]) or 0), entry["id"]
        assert found.lookback_blocks == number(entry["lookback_blocks"]), entry["id"]
        assert set(entry["models"]) <= set(found.models), entry["id"]
        read = number(entry["read_multiplier"])
        assert found.read_multiplier == (None if isinstance(read, tuple) else read), entry["id"]
        written = entry["write_multiplier"]
        wanted = {int(key): value for key, value in written.items()} if isinstance(written, dict) else {}
        assert {key: value for key, value in found.write_multipliers.items() if wanted or value != 1} == wanted
        assert set(entry["sources"]) <= {f"{s} (bedrock-runtime model)" for s in found.fact.sources} | set(
            found.fact.sources
        )


def test_every_engine_has_a_policy() -> None:
    text = (Path(FOLDER or "") / "engines.yaml").read_text(encoding="utf-8")  # not valid YAML as a whole
    engines = re.findall(r"^  (\w+):((?:.*\n)(?:    .*\n)*)", text.partition("\noracles:")[0] + "\n", re.MULTILINE)
    assert len(engines) >= 12
    for name, facts in engines:
        found = providers.find(name, "text", "")
        assert not found.hosted, name
        if found.block not in (None, 1):
            assert re.search(rf"(?:size|cuda|default|vllm|_size): {found.block}\b", facts), name
