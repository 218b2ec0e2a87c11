"""A chat template that does something to the prefix, seen by running it with conversations of many shapes."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.symptom import Symptom

FACTS = frozenset({"what", "shapes", "char", "length", "token", "where", "cost", "reason"})


@dataclass(frozen=True, slots=True)
class Params:
    """`symptoms`: which kinds (clock, date, history, tools, position, stopped) the rule is about."""

    symptoms: tuple[str, ...]


def applies(symptom: Symptom, params: Params) -> bool:
    return symptom.kind in params.symptoms
