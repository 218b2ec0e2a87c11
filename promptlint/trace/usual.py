"""What a configuration says about requests that say less themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from promptlint import providers
from promptlint.model.traffic import Exchange
from promptlint.trace.options import TraceOptions

_ANY = "generic"


def completed(exchanges: Iterable[Exchange], options: TraceOptions) -> Iterator[Exchange]:
    """Requests that name no model or provider with the usual ones, where these fit.

    A model fits a wire format of its own provider, a provider those models that it serves, and both a request that
    tells neither. Token ids and hashes of blocks are an engine's, so they stay as they are.
    """
    usual, usual_model = options.usual_provider or "", options.usual_model or ""
    at_home = (_ANY, providers.family_of("text", usual_model))

    @cache
    def fitting(wire: str, named: str) -> tuple[str, str]:
        told = providers.family_of(wire, named)
        model = named or (usual_model if told in at_home else "")
        fits = usual and (told == _ANY or (model and providers.serves(usual, model)))
        return (usual if fits else ""), model

    for exchange in exchanges:
        if exchange.blocks is not None or exchange.ids is not None:
            yield exchange
            continue
        named = exchange.body.get("model") if isinstance(exchange.body, dict) else None
        known = options.model or (named if isinstance(named, str) and named else exchange.model)
        provider, model = fitting(exchange.wire, known)
        yield replace(exchange, provider=exchange.provider or provider, model=exchange.model if known else model)
