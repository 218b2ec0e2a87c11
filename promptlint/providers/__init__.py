"""Cache rules of providers and engines as data: one YAML file a family, each number with sources and date."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from promptlint.model.errors import ConfigError
from promptlint.model.policy import CachePolicy
from promptlint.providers.load import DATA, Entry, Family, family, mentions, overridden
from promptlint.providers.models import best, names, same_model
from promptlint.providers.routes import ALIASES, family_of

__all__ = ["ALIASES", "all_policies", "families", "family_of", "find", "policies", "same_model", "serves", "summary"]


@cache
def families() -> tuple[str, ...]:
    """The names of all families, sorted."""
    return tuple(sorted(path.name.removesuffix(".yaml") for path in DATA.glob("*.yaml")))


def summary(name: str) -> str:
    """One line that says what the family `name` is."""
    return _known(name).summary


def policies(name: str) -> tuple[CachePolicy, ...]:
    """The policies of the family `name` (or an alias of it), in the order of its file. Raises ConfigError."""
    return tuple(entry.policy for entry in _known(name).entries)


def all_policies() -> tuple[CachePolicy, ...]:
    """Every policy of every family."""
    return tuple(policy for name in families() for policy in policies(name))


def find(provider: str | None, wire: str, model: str, *, has_markers: bool = False) -> CachePolicy:
    """The policy that a request falls under.

    `provider` is a family, an alias or a policy id; None: by wire format and model name. Within a family the longest
    model glob decides, and where explicit and implicit caching have entries of their own, `has_markers` does. A model
    that is in no table gets the family's default, with a note. Raises ConfigError for an unknown provider.
    """
    if provider is None:
        return _choose(family(family_of(wire, model)), model, has_markers)
    name = _normal(provider)
    if name in families():
        return _choose(family(name), model, has_markers)
    entry = _by_id(name)
    if entry is None:
        raise _unknown(provider)
    return _fitted(entry, names(model))


def serves(provider: str, model: str) -> bool:
    """Whether the tables of a family, alias or entry name the model. Raises ConfigError for an unknown provider."""
    name = _normal(provider)
    entry = None if name in families() else _by_id(name)
    if entry is not None:
        return _glob(entry, names(model)) is not None
    held = family(_known(name).name)
    return model.partition("/")[0].lower() in held.upstream or any(_glob(e, names(model)) for e in held.entries)


def _normal(name: str) -> str:
    plain = name.strip().lower().replace("_", "-")
    return ALIASES.get(plain, plain)


def _known(name: str) -> Family:
    plain = _normal(name)
    if plain not in families():
        raise _unknown(name)
    return family(plain)


def _by_id(policy_id: str) -> Entry | None:
    holders = (family(name) for name in families() if mentions(name, policy_id))
    return next((entry for held in holders for entry in held.entries if entry.policy.id == policy_id), None)


def _unknown(provider: str) -> ConfigError:
    from difflib import get_close_matches  # only for this message

    known = {*families(), *ALIASES, *(policy.id for policy in all_policies())}
    close = get_close_matches(_normal(provider), sorted(known), n=3)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    return ConfigError(f"unknown provider {provider!r}; {hint}`promptlint providers list` shows all")


def _choose(held: Family, model: str, has_markers: bool) -> CachePolicy:
    vendor, _, rest = model.partition("/")
    if rest and vendor.lower() in held.upstream:
        return _through(held, _choose(family(held.upstream[vendor.lower()]), rest, has_markers))
    forms = names(model)
    usable = [e for e in held.entries if not e.when or (e.when == "markers" and has_markers)]
    ranked = [(entry.when == "markers", len(glob), entry) for entry in usable if (glob := _glob(entry, forms))]
    if ranked:
        return _fitted(max(ranked, key=lambda item: item[:2])[2], forms)
    marked = [entry for entry in usable if entry.when == "markers"]
    entry = next(iter(marked), None) or next(e for e in held.entries if e.policy.id == held.default)
    what = f"model {model!r} is not in the table of {held.name}" if model else "no model is named"
    policy = _fitted(entry, forms)
    return replace(policy, notes=(*policy.notes, f"{what}: the rules of {policy.id} are assumed"))


def _glob(entry: Entry, forms: frozenset[str]) -> str | None:
    return None if best(entry.policy.exclude_models, forms) else best(entry.policy.models, forms)


def _fitted(entry: Entry, forms: frozenset[str]) -> CachePolicy:
    policy = overridden(entry, best(entry.read_overrides, forms), best(entry.min_overrides, forms))
    return replace(policy, drops_reasoning=True) if best(entry.reasoning_dropped, forms) else policy


def _through(gateway: Family, upstream: CachePolicy) -> CachePolicy:
    own = gateway.entries[0].policy
    notes = (*upstream.notes, *own.notes, f"the rules of {upstream.id} hold behind {gateway.name}")
    return replace(
        upstream,
        id=own.id,
        family=own.family,
        routing_key=own.routing_key,
        routing_alternatives=own.routing_alternatives,
        routing_key_helps=own.routing_key_helps,
        notes=notes,
    )
