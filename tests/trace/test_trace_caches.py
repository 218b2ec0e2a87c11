"""Caches on the tree of a log give what the same caches give on arrays of ids."""

from __future__ import annotations

import json
import random
from array import array
from dataclasses import replace

import pytest
from test_trace_fingerprints import Maker

from promptlint import policies, providers
from promptlint.model.errors import ConfigError
from promptlint.model.policy import Cache, Marks
from promptlint.model.traffic import Exchange
from promptlint.policies.longest_prefix import LongestPrefixCache
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.options import TraceOptions
from promptlint.trace.simulate import Caches, on_trails
from promptlint.trace.trail import Trail
from promptlint.trace.tree import Tree

CASES = [
    ("anthropic", "anthropic", "claude-sonnet-4-5"),
    ("openai-chat", "openai", "gpt-5.6"),
    ("openai-responses", "openai", "gpt-4.1"),
    ("openai-chat", "deepseek", "deepseek-chat"),
    ("openai-chat", "dashscope", "qwen-plus"),
    ("bedrock", "bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ("gemini", "gemini", "gemini-2.5-flash"),
    ("openai-chat", "vllm", "m"),
    ("openai-chat", "generic", "m"),
]


@pytest.mark.parametrize(("wire", "provider", "model"), CASES, ids=lambda value: str(value))
def test_on_trails_as_on_arrays(wire: str, provider: str, model: str) -> None:
    chance, maker = random.Random(5), Maker(seed=5)
    fingerprinter = Fingerprinter(TraceOptions(provider=provider, model=model))
    tree = Tree(fingerprinter.library)
    bodies = [maker.body(wire) for _ in range(25)]
    caches: dict[str, tuple[Cache, Cache]] = {}
    time, read = 0.0, 0
    for number in range(250):
        body = chance.choice(bodies)
        found = fingerprinter.of(Exchange("log", number, wire=wire, body=json.loads(json.dumps(body))))
        if found.policy.id not in caches:
            policy = replace(found.policy, min_tokens=min(50, found.policy.min_tokens))
            caches[found.policy.id] = (on_trails(policy), policies.cache_for(policy))
        on_tree, on_ids = caches[found.policy.id]
        nodes, _ = tree.add(found.chunks, found.tokens)
        trail, ids = Trail(tree, nodes, found.tokens), fingerprinter.library.flat(found.chunks)
        time += chance.choice([0.0, 1.0, 30.0, 200.0, 400.0, 5000.0])
        reuse = on_tree.lookup(trail, found.marks, time)  # type: ignore[arg-type]
        assert reuse == on_ids.lookup(ids, found.marks, time)
        read += reuse.tokens
        on_tree.store(trail, found.marks, time)  # type: ignore[arg-type]
        on_ids.store(ids, found.marks, time)
    assert read > 0


@pytest.mark.parametrize("name", ["vllm:300", "sglang:3000", "llama.cpp:2"])
def test_a_capacity_is_that_of_the_engine(name: str) -> None:
    """The path of a trace (fingerprint, chunks, ids, cache) gives what asking the cache itself gives."""
    chance = random.Random(9)
    engine, _, capacity = name.partition(":")
    direct = LongestPrefixCache(providers.find(engine, "", ""), int(capacity))
    fingerprinter = Fingerprinter(TraceOptions())
    tree, caches = Tree(fingerprinter.library), Caches(fingerprinter.library, (name,))
    prompts = [array("I", chance.choices(range(50), k=chance.randint(1, 900))) for _ in range(12)]
    read = 0
    for number in range(300):
        ids = chance.choice(prompts)[: chance.randint(1, 900)] + array("I", chance.choices(range(50), k=3))
        found = fingerprinter.of(Exchange("log", number, ids=ids))
        nodes, _ = tree.add(found.chunks, found.tokens)
        reuse = caches.others(found, Trail(tree, nodes, found.tokens), 0.0)[name]
        assert reuse == direct.lookup(ids, Marks(), 0.0)
        direct.store(ids, Marks(), 0.0)
        read += reuse.tokens
    assert read > 10_000


def test_a_capacity_in_tokens_is_one_in_tokens_whatever_the_size_of_a_block() -> None:
    """Four prompts of three blocks of 512 in turns: 6,144 tokens, and room for the last page and one more."""
    fingerprinter = Fingerprinter(TraceOptions())
    tree, names = Tree(fingerprinter.library), ("sglang:7168", "sglang:3072")
    caches, read = Caches(fingerprinter.library, names), dict.fromkeys(names, 0)
    for number in range(12):
        blocks = [10 * (number % 4) + block for block in range(3)]
        found = fingerprinter.of(Exchange("log", number, blocks=blocks, block_size=512))
        nodes, _ = tree.add(found.chunks, found.tokens)
        for name, reuse in caches.others(found, Trail(tree, nodes, found.tokens), 0.0).items():
            read[name] += reuse.tokens
    assert read == {"sglang:7168": 8 * 1024, "sglang:3072": 0}


def test_tenants_and_models_have_caches_of_their_own() -> None:
    fingerprinter = Fingerprinter(TraceOptions())
    tree, caches = Tree(fingerprinter.library), Caches(fingerprinter.library)
    text = "Answer in one line. " * 600

    def read(workspace: str, model: str) -> int:
        body = {
            "model": model,
            "system": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": "hello"}],
        }
        exchange = Exchange("log", 1, 0.0, wire="anthropic", body=body, fields={"workspace": workspace})
        found: Fingerprint = fingerprinter.of(exchange)
        nodes, _ = tree.add(found.chunks, found.tokens)
        return caches.own(exchange, found, Trail(tree, nodes, found.tokens), 0.0).tokens

    assert [read("a", "claude-sonnet-4-5"), read("b", "claude-sonnet-4-5"), read("a", "claude-opus-4-1")] == [0, 0, 0]
    assert read("a", "claude-sonnet-4-5") > 2_000


@pytest.mark.parametrize("text", ["vllm", "vllm:0", "vllm:-1", "vllm:x", "openai:10", "unbounded:5", ""])
def test_unknown_caches_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="unknown cache"):
        Caches(Fingerprinter(TraceOptions()).library, (text,))
