"""The key that leads requests of one prefix to the same machine: another one each time, or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._requests import one_conversation
from promptlint.model.matching import Note, Pair, Single
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Prompt
from promptlint.model.settings import value_of

FACTS = frozenset({"key", "old", "new"})

_SHOWN = 40  # characters of a key that a message shows at most


@dataclass(frozen=True, slots=True)
class Params:
    """`problem`: `unstable` (for a pair) or `missing` (for one request). `least`: tokens from which on a prompt is
    worth a key where the provider names no minimum.
    """

    problem: str
    least: int = 1024


def notes(given: Pair | Single, params: Params) -> Iterator[Note]:
    if isinstance(given, Pair) and params.problem == "unstable":
        yield from _unstable(given)
    elif isinstance(given, Single) and params.problem == "missing":
        yield from _missing(given, params)


def _keys(prompt: Prompt, policy: CachePolicy) -> dict[str, str]:
    """The fields of a request that route it, the one that counts first."""
    names = (policy.routing_key, *policy.routing_alternatives) if policy.routing_key else ()
    found = {name: value_of(prompt.settings, name) for name in names}
    return {name: value for name, value in found.items() if value not in (None, '""') and value}


def _unstable(pair: Pair) -> Iterator[Note]:
    old, new = _keys(pair.before, pair.policy), _keys(pair.after, pair.policy)
    if not old or not new or not one_conversation(pair):
        return
    name = next(iter(new))
    if name == next(iter(old)) and old[name] != new[name]:
        facts = {"key": name, "old": _shown(old[name]), "new": _shown(new[name])}
        yield Note(component=None, span=None, setting=name, facts=facts)


def _missing(single: Single, params: Params) -> Iterator[Note]:
    policy = single.policy
    if not policy.routing_key or not policy.routing_key_helps or _keys(single.prompt, policy):
        return
    if single.prompt.wire == "text" or not single.ends or single.ends[-1] < max(policy.min_tokens, params.least):
        return
    yield Note(component=None, span=None, setting=policy.routing_key, facts={"key": policy.routing_key})


def _shown(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
