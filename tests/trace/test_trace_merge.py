"""Parts of a log that were fingerprinted apart give, merged, what the whole log gives."""

from __future__ import annotations

import json
import pickle
from functools import reduce

from test_trace_fingerprints import Maker

from promptlint.model.traffic import Exchange, Usage
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.merge import Part, merge, replayed
from promptlint.trace.options import TraceOptions

OPTIONS = TraceOptions(by=("model", "tenant"), caches=("unbounded", "vllm:300", "llama.cpp:2"))


def exchanges() -> list[Exchange]:
    made: list[Exchange] = []
    for wire, seed in (("anthropic", 1), ("openai-chat", 2), ("gemini", 3)):
        maker = Maker(seed)
        for number in range(40):
            body = json.dumps(maker.body(wire))
            exchange = Exchange("a.jsonl", len(made) + 1, 20.0 * number + seed, wire=wire, body=body)
            exchange.fields = {"tenant": f"t{number % 3}"}
            made.append(exchange)
    for number in range(30):
        blocks = [1, 2, 3, number % 7, number]
        usage = Usage(input=5 * 16 - number % 3, cached=16)
        made.append(Exchange("b.jsonl", number + 1, 31.0 * number, blocks=blocks, block_size=16, usage=usage))
    return sorted(made, key=lambda one: one.sent_at or 0.0)


def part(of: list[Exchange]) -> Part:
    """The fingerprint stage: it sees only these requests."""
    fingerprinter = Fingerprinter(TraceOptions())
    made = Part(fingerprinter.library)
    for exchange in of:
        body = json.loads(exchange.body) if exchange.body else None
        copy = Exchange(**{name: getattr(exchange, name) for name in Exchange.__slots__} | {"body": body})
        made.add(copy, fingerprinter.of(copy))
    received: Part = pickle.loads(pickle.dumps(made))
    return received


def test_merged_parts_give_what_the_whole_gives() -> None:
    whole = exchanges()
    together = replayed(part(whole), OPTIONS).result()
    for count in (2, 5):
        parts = [part(whole[start::count]) for start in range(count)]
        assert replayed(reduce(merge, parts), OPTIONS).result() == together
    assert together["hits"].read > 0
    assert together["middle"].tokens > 0
