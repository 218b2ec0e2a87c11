"""Steps of a log by the slow, plain way: every prompt read, rendered and encoded in full, as `diff` does it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from promptlint import policies, providers, readers
from promptlint.model.common import common_prefix
from promptlint.model.policy import Cache
from promptlint.model.source import Source
from promptlint.model.traffic import Exchange
from promptlint.pipeline.options import Options
from promptlint.pipeline.prepare import Workshop
from promptlint.trace.step import Step


def steps(exchanges: Iterable[Exchange]) -> Iterator[Step]:
    """Sessions are those that the log names; each request goes on from the one before it in its session."""
    caches: dict[str, Cache] = {}
    last: dict[str, Step] = {}
    everything: list[array[int]] = []
    ids_of: dict[int, array[int]] = {}
    for number, exchange in enumerate(exchanges):
        prompt = readers.read(Source("body.json", json.dumps(exchange.body)))
        marked = any(component.breakpoint for component in prompt.components)
        policy = providers.find(exchange.provider or None, prompt.wire, exchange.model, has_markers=marked)
        prepared = Workshop(Options(provider=policy.id, model=exchange.model)).prepare(prompt, policy)
        ids, time = prepared.tokens.ids, exchange.sent_at or 0.0
        cache = caches.setdefault(policy.id, policies.cache_for(policy))
        reuse = cache.lookup(ids, prepared.marks, time)
        cache.store(ids, prepared.marks, time)
        previous = last.get(exchange.session)
        step = Step(
            number=number,
            exchange=exchange,
            policy=policy,
            tokens=len(ids),
            exact=prepared.tokens.exact,
            session=exchange.session,
            relation="continues" if previous else "first",
            previous=replace(previous, previous=None) if previous else None,
            shared=common_prefix(ids_of[previous.number], ids) if previous else 0,
            seen=max((common_prefix(other, ids) for other in everything), default=0),
            idle=time - (previous.exchange.sent_at or 0.0) if previous else None,
            reuse=reuse,
        )
        everything.append(ids)
        ids_of[number] = ids
        last[exchange.session] = step
        yield step


def exchanges(bodies: Iterable[tuple[float, str, dict[str, Any]]], **same: Any) -> list[Exchange]:
    """(sent at, session, body) as exchanges of one log."""
    return [
        Exchange("log.jsonl", line, sent_at=at, session=session, body=body, model=body.get("model", ""), **same)
        for line, (at, session, body) in enumerate(bodies, 1)
    ]
