"""The rules on logs over labelled usage logs of many providers, half of them near misses that must be silent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from made_logs import START, words

from promptlint import providers
from promptlint.model.policy import CachePolicy
from promptlint.model.traced import Traced
from promptlint.rulebook.log_examples import log_of
from promptlint.rulebook.rule import Example
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run

Rows = Iterable[tuple[Any, ...]]


def records(rows: Rows, every: int = 60, **same: Any) -> list[dict[str, Any]]:
    """(input, cached[, written[, seconds since the row before]]) as records; the first `every` starts at 0."""
    found, at = [], 0
    for index, (total, cached, *rest) in enumerate(rows):
        at += rest[1] if len(rest) > 1 else every if index else 0
        written = rest[0] if rest and rest[0] is not None else 0
        found.append({"at": at, "input": total, "cached": cached, "written": written, **same})
    return found


def interleaved(*logs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted((record for log in logs for record in log), key=lambda record: record["at"])


def grown(start: int, by: int, count: int, cached: Callable[[int], int]) -> list[tuple[int, int]]:
    """Prompts that grow by a fixed number; `cached` of the length of the one before. The first is cold."""
    return [(start + by * i, cached(start + by * (i - 1)) if i else 0) for i in range(count)]


def stepped(block: int) -> Callable[[int], int]:
    return lambda length: length // block * block


def nothing(_: int) -> int:
    return 0


def written_on(start: int, by: int, count: int, read: int | None = None) -> list[tuple[int, int, int]]:
    """Anthropic: everything is written, and what the one before wrote is read (or `read` tokens each time)."""
    rows = []
    for i in range(count):
        total = start + by * i
        cached = (total - by if read is None else read) if i else 0
        rows.append((total, cached, total - cached))
    return rows


SUB_AGENT = records(written_on(3000, 400, 6), every=47)
BROKEN: list[tuple[str, str, set[str], list[dict[str, Any]]]] = [
    ("floor", "openai", {"PL801", "PL802"}, records(grown(9200, 2150, 14, lambda _: 5248))),
    ("floor at the last marker", "anthropic", {"PL802"}, records(written_on(30000, 2000, 10, read=27000))),
    ("floor of a short run", "openai", {"PL802"}, records(grown(16000, 2000, 6, lambda _: 15360))),
    ("floor behind a provider's miss", "openai", {"PL801", "PL802"},
     records([(9000, 0), (12000, 5120), (15000, 5120), (18000, 0), (21000, 5120), (24000, 5120), (27000, 5120)])),
    ("floor at Bedrock", "bedrock", {"PL802"}, records(written_on(30000, 3000, 8, read=27000))),
    ("floor at DeepSeek", "deepseek", {"PL801", "PL802"}, records(grown(8000, 3000, 12, lambda _: 6400))),
    ("nothing cached at OpenAI", "openai", {"PL801"}, records(grown(6000, 900, 8, nothing))),
    ("nothing cached at DeepSeek", "deepseek", {"PL801"}, records(grown(3000, 800, 9, nothing))),
    ("nothing cached at Gemini", "gemini", {"PL801"}, records(grown(12000, 1500, 9, nothing))),
    ("nothing cached, no markers", "anthropic", {"PL801"}, records(grown(12000, 1500, 9, nothing))),
    ("little cached", "mistral", {"PL801", "PL802"}, records(grown(9000, 2000, 12, lambda _: 1024))),
    ("unread writes", "anthropic", {"PL801", "PL803"}, records(written_on(8000, 900, 7, read=0))),
    ("unread writes of few tokens", "anthropic", {"PL801", "PL803"}, records([(1500, 0, 1400)] * 5)),
    ("unread writes at Bedrock", "bedrock", {"PL801", "PL803"}, records(written_on(8000, 900, 7, read=0))),
    ("unread writes without sessions", "anthropic", {"PL803"}, records(written_on(2000, 10, 9, read=0), session="")),
    ("pause", "anthropic", {"PL804"},
     records([(6000, 0, 6000), (7000, 6000, 1000), (8000, 0, 8000, 900), (9000, 8000, 1000)])),
    ("pauses again and again", "anthropic", {"PL804"},
     records([(6000, 0, 6000), (7000, 0, 7000), (8000, 0, 8000), (9000, 0, 9000), (9500, 0, 9500)], every=400)),
    ("pause at OpenAI", "openai", {"PL804"},
     records([(6000, 0), (7000, 5888), (8000, 0, 0, 7200), (9000, 7936)], model="gpt-5.6")),
    ("pause at Bedrock", "bedrock", {"PL804"},
     records([(6000, 0, 6000), (7000, 6000, 1000), (8000, 0, 8000, 900)])),
    ("restarts", "anthropic", {"PL806"},
     [{"at": 30 * i, "input": 8000 + 500 * i, "cached": 7500 + 500 * i if i % 2 else 0, "process": f"p{i // 2}"}
      for i in range(12)]),
    ("restarts between conversations", "openai", {"PL806"},
     [{"at": 60 * i, "input": 7000 + i, "cached": 6016 if i % 3 else 0, "session": f"s{i}", "process": f"p{i // 3}"}
      for i in range(15)]),
]  # fmt: skip

HEALTHY: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("growth", "openai", records(grown(9200, 2150, 14, stepped(128)))),
    ("growth in small steps", "openai", records(grown(5300, 9, 14, stepped(128)))),
    ("growth in blocks of 2,048", "openai", records(grown(6200, 400, 14, stepped(2048)), model="gpt-5.5")),
    ("growth with markers", "anthropic", records(written_on(8000, 900, 14))),
    ("growth at DeepSeek", "deepseek", records(grown(6200, 1400, 14, stepped(64)))),
    ("growth at Gemini", "gemini", records(grown(12000, 1400, 14, stepped(1)))),
    ("growth at Bedrock", "bedrock", records(written_on(8000, 900, 9))),
    ("one request", "deepseek", records([(9000, 0)])),
    ("one zero at Gemini", "gemini", records([(9000, 0), (10000, 0), (11000, 10000), (12000, 11000), (13000, 12000)])),
    ("a short conversation", "openai", records([(9000, 0), (11000, 5120), (13000, 5120)])),
    ("prompts below the minimum", "openai", records(grown(300, 60, 11, nothing))),
    ("prompts below the minimum of Haiku", "anthropic",
     records(grown(2000, 200, 9, nothing), model="claude-haiku-4-5")),
    ("prompts of one length", "openai", records([(9000, 0)] + [(9000, 8960)] * 9)),
    ("constant instructions, other documents", "openai",
     records([(total, 5120) for total in (9000, 31000, 12000, 18000, 8000, 40000, 15000, 22000, 9500, 27000)])),
    ("constant instructions, documents without sessions", "openai",
     records([(total, 5120) for total in (9000, 11000, 15000, 18000, 22000, 27000)], session="")),
    ("compaction", "anthropic", records([*written_on(80000, 3000, 8), (21000, 7000, 14000),
                                         *[(21000 + 3000 * i, 18000 + 3000 * i, 3000) for i in range(1, 8)]])),
    ("two conversations at once", "openai",
     interleaved(records(grown(5000, 900, 9, stepped(128)), session="a"),
                 records(grown(20000, 1100, 9, stepped(128)), every=55, session="b"))),
    ("two conversations at once, no session named", "anthropic",
     interleaved(records(written_on(5000, 900, 9), session=""),
                 records(written_on(60000, 1100, 9), every=55, session=""))),
    ("a sub-agent beside", "anthropic", interleaved(records(written_on(60000, 1100, 9)), SUB_AGENT)),
    ("retries", "openai",
     records([(9000, 0), (9000, 8960, 0, 1), (11000, 8960), (11000, 10880, 0, 2), (13000, 10880)])),
    ("requests at the same time", "anthropic", records([(6000, 0, 5900)] + [(6000, 0, 5900, 0)] * 7)),
    ("a pause within the hour", "anthropic",
     [{**record, "long": record["written"]}
      for record in records([(6000, 0, 6000), (7000, 6000, 1000, 2400), (8000, 7000, 1000, 3000)])]),
    ("a pause that nobody documents", "deepseek",
     records([(6000, 0), (7000, 5952), (8000, 0, 0, 90000), (9000, 7936)])),
    ("pauses with the instructions kept", "anthropic",
     records([(20000, 15000, 5000)] + [(20000 + 900 * i, 15000, 5000 + 900 * i) for i in range(1, 9)], every=400)),
    ("restarts that change nothing", "anthropic",
     [{**record, "process": f"p{i // 2}"} for i, record in enumerate(records(written_on(8000, 900, 14)))]),
    ("a title call beside", "openai",
     interleaved(records(grown(9200, 2150, 9, stepped(128))), records([(700, 0)] * 4, every=130, model="gpt-5-nano"))),
    ("no cache reported", "openai", [{"at": 60 * i, "input": 9000 + 900 * i, "cached": None} for i in range(9)]),
]  # fmt: skip


@pytest.fixture
def traced(tmp_path: Path) -> Callable[[str, list[dict[str, Any]]], Traced]:
    def traced(provider: str, log: list[dict[str, Any]]) -> Traced:
        path = tmp_path / "log.jsonl"
        path.write_text(log_of(Example(None, log, provider)).text, "utf-8")
        return run([str(path)], TraceOptions())

    return traced


@pytest.mark.parametrize(("name", "provider", "codes", "log"), BROKEN, ids=[case[0] for case in BROKEN])
def test_what_is_wrong_is_found(
    traced: Callable[[str, list[dict[str, Any]]], Traced], name: str, provider: str, codes: set[str], log: list[Any]
) -> None:
    assert {finding.code for finding in traced(provider, log).findings} == codes


@pytest.mark.parametrize(("name", "provider", "log"), HEALTHY, ids=[case[0] for case in HEALTHY])
def test_near_misses_are_silent(
    traced: Callable[[str, list[dict[str, Any]]], Traced], name: str, provider: str, log: list[Any]
) -> None:
    assert [finding.code for finding in traced(provider, log).findings] == []


def test_without_prompts_the_tokens_that_were_not_cached_are_split_by_what_was_reported(
    traced: Callable[[str, list[dict[str, Any]]], Traced],
) -> None:
    floor = traced("openai", records(grown(9200, 2150, 14, lambda _: 5248)))
    assert [(waste.kind, waste.code) for waste in floor.waste] == [("rule", "PL802"), ("new", "")]
    assert sum(waste.tokens for waste in floor.waste) == floor.hits.reported_tokens - floor.hits.reported
    late = traced("anthropic", records([(6000, 0, 6000), (7000, 6000, 1000), (8000, 0, 8000, 900)]))
    assert {waste.kind: waste.tokens for waste in late.waste} == {"ttl": 7000, "new": 8000}


def test_a_floor_is_named_by_the_component_that_stands_there(tmp_path: Path) -> None:
    """A clock at the end of the instructions: the tools and all before it are read each time."""
    lines = []
    for number in range(7):
        history = [{"role": "user", "content": words(turn, 400)} for turn in range(2 * number + 1)]
        for message in history[1::2]:
            message["role"] = "assistant"
        instructions = [
            {"role": "system", "content": words(99, 3000)},
            {"role": "system", "content": f"Step {number}."},
        ]
        total = 3020 + 400 * len(history)
        usage = {"prompt_tokens": total, "prompt_tokens_details": {"cached_tokens": 2944 if number else 0}}
        body = {"model": "gpt-5.1", "messages": [*instructions, *history]}
        lines.append({"ts": START + 60 * number, "session": "s", "request": body, "usage": usage})
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = {finding.code: finding for finding in run([str(path)], TraceOptions()).findings}
    assert "it changes in or right after messages[0].content" in found["PL802"].message
    assert found["PL106"].location.path == "messages[1].content"


POLICIES = [policy for policy in providers.all_policies() if policy.hosted]
LIFETIMES = [policy for policy in POLICIES if policy.ttl_default]


def under(path: Path, policy: CachePolicy, log: list[dict[str, Any]]) -> set[str]:
    (path / "log.jsonl").write_text(log_of(Example(None, log, policy.family)).text, "utf-8")
    return {finding.code for finding in run([str(path / "log.jsonl")], TraceOptions(provider=policy.id)).findings}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.id)
def test_growth_is_healthy_and_a_floor_is_none_with_every_provider(policy: CachePolicy, tmp_path: Path) -> None:
    healthy = grown(20_000, 6_000, 12, stepped(policy.block or 1))
    assert under(tmp_path, policy, records(healthy)) == set()
    assert "PL802" in under(tmp_path, policy, records(grown(20_000, 6_000, 12, lambda _: 14_336)))
    assert under(tmp_path, policy, records(grown(20_000, 6_000, 12, nothing))) == {"PL801"}


@pytest.mark.parametrize("policy", LIFETIMES, ids=lambda policy: policy.id)
def test_a_gap_counts_from_the_lifetime_of_each_provider(policy: CachePolicy, tmp_path: Path) -> None:
    assert policy.ttl_default is not None
    for late, codes in ((60, {"PL804"}), (-60, set())):
        rows = [(20_000, 0, 0), (21_000, 18_432, 2_000), (22_000, 0, 0, policy.ttl_default + late), (23_000, 20_480, 0)]
        assert under(tmp_path, policy, records(rows)) == codes
