"""vLLM's and SGLang's recorded answers, without the engines (`benchmarks/engine_oracles/run.sh --record FILE`)."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine_mutations as mutations
import pytest
from engine_traffic import Configuration, Exchange, digest, mismatches

from promptlint.policies.block_pool import BlockPool
from promptlint.policies.radix import RadixTree
from promptlint.policies.structure import Structure

pytestmark = pytest.mark.oracle
TRACES = json.loads(Path(__file__).with_name("engine_traces.json").read_text(encoding="utf-8"))


def replay(trace: dict[str, Any]) -> tuple[Callable[[Callable[..., Structure]], Structure], list[Exchange]]:
    """How to build a cache of the engine's size, and the requests with the engine's answers."""
    sizes = {name: trace[name] for name in ("capacity", "block", "longest")}
    configuration = Configuration(trace["engine"], trace["seed"], **sizes)
    hits = trace["hits"]

    def recorded(number: int, ids: array[int], output: array[int], salt: str) -> int | None:
        hit: int | None = hits[number]
        return hit

    exchanges = configuration.exchanges(recorded, len(hits))
    assert digest(exchanges) == trace["requests"], "the traffic is no longer what the engine was asked: record again"
    order = ("capacity", "block") if trace["engine"] == "vllm" else ("block", "capacity")
    return lambda cache: cache(*(trace[name] for name in order)), exchanges


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: f"{trace['engine']}-{trace['seed']}")
def test_every_request_takes_what_the_engine_took(trace: dict[str, Any]) -> None:
    build, exchanges = replay(trace)
    cache = BlockPool if trace["engine"] == "vllm" else RadixTree
    assert mismatches(build(cache), exchanges) == 0


@pytest.mark.parametrize(
    ("engine", "structure", "rules"),
    [("vllm", "BlockPool", mutations.BLOCK_POOL), ("sglang", "RadixTree", mutations.RADIX)],
)
def test_every_broken_rule_is_noticed(engine: str, structure: str, rules: tuple[mutations.Mutation, ...]) -> None:
    noticed = dict.fromkeys((rule.rule for rule in rules), 0)
    for trace in TRACES:
        if trace["engine"] == engine:
            build, exchanges = replay(trace)
            for rule, wrong in mutations.broken(rules, structure, build, exchanges).items():
                noticed[rule] += wrong
    assert not [rule for rule, wrong in noticed.items() if not wrong], noticed
