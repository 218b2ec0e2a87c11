"""Cache rules of providers as lists, pages and JSON documents."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Mapping, Sequence

from promptlint import providers
from promptlint.model.policy import CachePolicy
from promptlint.reporters.lines import Line, Styled, line

# What the fields of a policy are called on a page; where sources are unsure (`…_status`) is among the notes.
LABELS = {
    "matching": "matching",
    "order": "order of the prompt",
    "models": "models",
    "exclude_models": "other models",
    "min_tokens": "minimum, in tokens",
    "min_tokens_high": "minimum, by other sources",
    "block": "block, in tokens",
    "last_token": "last token always computed",
    "breakpoints_max": "most markers",
    "breakpoints_overflow": "markers beyond that",
    "lookback_blocks": "look-back, in blocks",
    "lookback_runs": "tool runs count as one block",
    "lookups_max": "markers looked at",
    "marker_sections": "markers stand in",
    "implicit_breakpoints": "places a marker of its own",
    "ttl_default": "lifetime, in seconds",
    "ttl_options": "lifetimes to choose from",
    "ttl_refreshed": "a read renews the lifetime",
    "ttl_minimum": "entries may live longer",
    "read_multiplier": "a read, in input prices",
    "write_multipliers": "a write, in input prices",
    "invalidators": "a changed setting loses",
    "longer_ttl_first": "longer lifetimes come first",
    "uncacheable": "takes no marker",
    "routing_key": "routing key",
    "routing_alternatives": "other routing keys",
    "routing_key_helps": "routing key helps",
    "key_order_matters": "order of body keys counts",
    "hosted": "hosted API",
    "drops_reasoning": "drops earlier reasoning",
    "vendor_reasons": "its own names for misses",
}
_LABEL = max(map(len, LABELS.values())) + 2  # columns


def named(name: str) -> tuple[CachePolicy, ...]:
    """The entry with this id, or all entries of a family. Raises ConfigError."""
    entries = tuple(policy for policy in providers.all_policies() if policy.id == name)
    return entries if len(entries) == 1 else providers.policies(name)


def plain(value: object) -> object:
    """Dataclasses, enums, tuples and mappings as JSON has them."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def summary(policy: CachePolicy) -> dict[str, object]:
    return {
        "family": policy.family,
        "id": policy.id,
        "matching": policy.matching.value,
        "min_tokens": policy.min_tokens,
        "models": list(policy.models),
        "checked": policy.fact.checked,
    }


def listed(policies: Sequence[CachePolicy]) -> Iterator[Line]:
    widest = max((len(policy.id) for policy in policies), default=0)
    family = None
    for policy in policies:
        if policy.family != family:
            family = policy.family
            yield line(Styled(family, "bold"))
        minimum = f"from {policy.min_tokens:,} tokens" if policy.min_tokens else "no minimum"
        models = ", ".join(policy.models)
        head = f"{policy.id.ljust(widest)}  {policy.matching.value:<14}  {minimum:<18}"
        yield line(head, Styled(f"  {models}" if models else "", "dim"), indent=2, hang=widest + 38)


def shown(policies: Sequence[CachePolicy]) -> Iterator[Line]:
    for number, policy in enumerate(policies):
        if number:
            yield line()
        yield line(Styled(policy.id, "bold"), f" ({policy.family})", wraps=False)
        for name, value in _values(policy):
            yield line(Styled(name.ljust(_LABEL), "dim"), value, indent=2, hang=_LABEL)
        for note in policy.notes:
            yield line(Styled("note".ljust(_LABEL), "dim"), note, indent=2, hang=_LABEL)
        yield line(Styled("status".ljust(_LABEL), "dim"), policy.fact.status, indent=2, hang=_LABEL)
        yield line(Styled("checked".ljust(_LABEL), "dim"), policy.fact.checked, indent=2)
        if policy.fact.as_of:
            yield line(Styled("as of".ljust(_LABEL), "dim"), policy.fact.as_of, indent=2, hang=_LABEL)
        for source in policy.fact.sources:
            yield line(Styled("source".ljust(_LABEL), "dim"), source, indent=2, wraps=False)


def _values(policy: CachePolicy) -> Iterator[tuple[str, str]]:
    """What is not left at its default, in words."""
    for field in dataclasses.fields(policy):
        value = getattr(policy, field.name)
        if field.name in LABELS and value != _default(field):
            label = LABELS[field.name]
            for words in _words(value):
                yield label, words
                label = ""


def _default(field: dataclasses.Field[object]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _words(value: object) -> Iterator[str]:
    """A value as people read it; several parts for several settings."""
    if isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, enum.Enum):
        yield str(value.value)
    elif isinstance(value, int):
        yield f"{value:,}"
    elif dataclasses.is_dataclass(value):  # an invalidator
        shown = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        level = f"from {shown['level'].value} on" if shown["level"] else "everything"
        doubt = "" if shown["certain"] else ", unconfirmed"
        note = f", {shown['note']}" if shown["note"] else ""
        yield f"{shown['setting']}: {level}{doubt}{note}"
    elif isinstance(value, Mapping):
        yield ", ".join(f"{key}: {' '.join(_words(each))}" for key, each in value.items())
    elif isinstance(value, tuple):
        parts = [" ".join(_words(each)) for each in value]
        if value and dataclasses.is_dataclass(value[0]):
            yield from parts
        else:
            yield ", ".join(parts)
    else:
        yield str(value)
