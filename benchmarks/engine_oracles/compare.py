"""Compares promptlint's caches with vLLM's and SGLang's own, request by request, and writes down what came out."""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.metadata
import json
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import engine_mutations
from engine_traffic import Configuration, Exchange, digest, mismatches

from promptlint.policies.block_pool import BlockPool
from promptlint.policies.radix import RadixTree
from promptlint.policies.structure import Structure

CONFIGURATIONS = (
    Configuration("vllm", 1, 60, 16, 800),
    Configuration("vllm", 2, 200, 16, 800),
    Configuration("vllm", 3, 150, 32, 1500),
    Configuration("vllm", 4, 24, 16, 800),  # requests of more than 368 tokens do not fit
    Configuration("sglang", 1, 700, 1, 300),
    Configuration("sglang", 2, 4000, 1, 800),
    Configuration("sglang", 3, 60, 16, 800),
    Configuration("sglang", 4, 24, 64, 800),
)
CACHES = {"vllm": BlockPool, "sglang": RadixTree}
RULES = {"vllm": engine_mutations.BLOCK_POOL, "sglang": engine_mutations.RADIX}
MUTATED_REQUESTS = 2_000  # of each configuration, for the broken rules
RECORDED = {"vllm": (1, 2, 4), "sglang": (1, 3, 4)}  # seeds whose answers go into the tests
RECORDED_REQUESTS = 400


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came out for one configuration: mismatches, and by rule the requests of which its break was wrong."""

    configuration: Configuration
    exchanges: Sequence[Exchange]
    seconds: float
    wrong: int
    caught: dict[str, int]

    def row(self) -> str:
        one = self.configuration
        hit = sum(exchange.hit or 0 for exchange in self.exchanges) / sum(len(each.ids) for each in self.exchanges)
        refused = sum(exchange.hit is None for exchange in self.exchanges)
        return (
            f"| {one.engine} | {one.seed} | {one.capacity:,} x {one.block} | {one.longest:,} | {len(self.exchanges):,} "
            f"| {refused:,} | {hit:.1%} | **{self.wrong}** | {self.seconds:.0f} |"
        )

    def trace(self) -> dict[str, object]:
        one, exchanges = self.configuration, self.exchanges[:RECORDED_REQUESTS]
        sizes = {"capacity": one.capacity, "block": one.block, "longest": one.longest}
        answers = {"requests": digest(exchanges), "hits": [exchange.hit for exchange in exchanges]}
        return {"engine": one.engine, "version": version(one.engine), "seed": one.seed, **sizes, **answers}


def compare(configuration: Configuration, count: int) -> Comparison:
    """Asks the real engine first, then promptlint's cache, then the caches with one rule broken."""
    name = configuration.engine
    start = time.perf_counter()
    engine = module(name).Engine(configuration.capacity, configuration.block)

    def send(_: int, ids: array[int], output: array[int], salt: str) -> int | None:
        answer: int | None = engine.send(ids, output, salt)
        return answer

    def build(cache: Callable[..., Structure]) -> Structure:
        sizes = (configuration.capacity, configuration.block)
        return cache(*(sizes if name == "vllm" else reversed(sizes)))

    exchanges = configuration.exchanges(send, count)
    seconds = time.perf_counter() - start
    return Comparison(
        configuration,
        exchanges,
        seconds,
        mismatches(build(CACHES[name]), exchanges),
        engine_mutations.broken(RULES[name], CACHES[name].__name__, build, exchanges[:MUTATED_REQUESTS]),
    )


def module(engine: str) -> ModuleType:
    return importlib.import_module(f"{engine}_engine")


def version(engine: str) -> str:
    package = module(engine).PACKAGE
    return f"{package} {importlib.metadata.version(package)}"


def report(engines: Sequence[str], comparisons: Sequence[Comparison]) -> str:
    count = len(comparisons[0].exchanges)
    made_of = ", ".join(f"{version(engine)} ({module(engine).SOURCE})" for engine in engines)
    torch, python = importlib.metadata.version("torch"), sys.version.split()[0]
    lines = [
        "# Longest-prefix caches against real engines",
        "",
        "Written by `bash benchmarks/engine_oracles/run.sh`; not edited by hand.",
        "",
        f"{datetime.datetime.now(datetime.UTC).date()}, Python {python}, torch {torch}, {made_of}.",
        "",
        f"Each line: {count:,} requests, one after another, against the engine's own cache classes with eviction. A",
        "mismatch is a request for which promptlint names another number of tokens than the engine took from its",
        "cache. Refused: the engine has no room for the request, and promptlint must say so too.",
        "",
        "| engine | seed | blocks x tokens | longest prompt | requests | refused | from cache | mismatches | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(comparison.row() for comparison in comparisons),
        "",
        "## Broken rules",
        "",
        f"What the comparison is worth: the first {MUTATED_REQUESTS:,} requests of each line against caches with one",
        "rule broken, and the requests of which each was then wrong, line by line. Pages of one token are not rounded.",
    ]
    for engine in engines:
        lines += ["", f"| {engine}: rule | wrong when broken |", "|---|---|"]
        for rule, counts in caught(engine, comparisons).items():
            lines.append(f"| {rule} | {', '.join(f'{count:,}' for count in counts)} |")
    return "\n".join(lines) + "\n"


def caught(engine: str, comparisons: Sequence[Comparison]) -> dict[str, list[int]]:
    """By rule, the wrong requests of each of the engine's configurations."""
    own = [comparison for comparison in comparisons if comparison.configuration.engine == engine]
    return {rule: [comparison.caught[rule] for comparison in own] for rule in own[0].caught}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=tuple(CACHES), action="append", help="default: both")
    parser.add_argument("--requests", type=int, default=10_000, help="for each configuration (default: %(default)s)")
    parser.add_argument("--results", type=Path, required=True, help="Markdown file to write")
    parser.add_argument("--record", type=Path, help="write a short trace of the engines' answers here, for the tests")
    arguments = parser.parse_args()
    engines = arguments.engine or list(CACHES)
    comparisons = []
    for configuration in CONFIGURATIONS:
        if configuration.engine in engines:
            comparisons.append(compare(configuration, arguments.requests))
            print(comparisons[-1].row(), flush=True)
    arguments.results.write_text(report(engines, comparisons), encoding="utf-8")
    if arguments.record:
        traces = [one.trace() for one in comparisons if one.configuration.seed in RECORDED[one.configuration.engine]]
        arguments.record.write_text("[\n" + ",\n".join(map(json.dumps, traces)) + "\n]\n", encoding="utf-8")
    wrong = sum(comparison.wrong for comparison in comparisons)
    missed = [rule for engine in engines for rule, counts in caught(engine, comparisons).items() if not any(counts)]
    print(f"{wrong} mismatches; rules whose break went unnoticed: {', '.join(missed) or 'none'}")
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
