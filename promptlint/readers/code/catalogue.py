"""What changes, what sorts, and what is part of a prompt: read from the data files, with a user's additions."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptlint import yamlfile
from promptlint.model.errors import RuleError
from promptlint.model.flow import Additions
from promptlint.readers.code.words import LANDS, PARTS, Stems

# Names that say something only behind the name of their owner.
_GENERAL = frozenset(
    {"run", "search", "query", "invoke", "ainvoke", "retrieve", "new", "New", "get", "Search", "Query", "Retrieve"}
    | {"random", "sample", "id", "home", "glob"}
)
_NO_ADDITIONS = Additions()
_DATA = Path(__file__).parent / "data"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Paths:
    """Dotted names, each with a label; a call's path belongs to the longest that it ends in."""

    def __init__(self, labelled: Iterable[tuple[str, str]]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], bool, str]]] = {}
        for label, pattern in labelled:
            bare = pattern.removesuffix("()")
            steps = tuple(bare.split("."))
            self._by_last.setdefault(steps[-1], []).append((steps, pattern.endswith("()"), label))
        for found in self._by_last.values():
            found.sort(key=lambda each: -len(each[0]))

    def __bool__(self) -> bool:
        return bool(self._by_last)

    def find(self, path: tuple[str, ...], arguments: int = 0) -> str | None:
        """The label of the pattern that `path` ends in; patterns with `()` want a call without arguments."""
        for steps, bare, label in self._by_last.get(path[-1], ()) if path else ():
            if path[-len(steps) :] == steps and not (bare and arguments):
                return label
        return None


class Names:
    """Patterns, each with a label; a name's is that of the first pattern that matches the whole of it in snake case."""

    def __init__(self, labelled: Iterable[tuple[str, str]]) -> None:
        self._patterns = [(label, re.compile(text)) for label, text in labelled]
        self.find = functools.lru_cache(maxsize=20_000)(self._find)  # the same names come again and again

    def _find(self, name: str) -> str | None:
        bare = snake(name)
        return next((label for label, pattern in self._patterns if pattern.fullmatch(bare)), None)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One language's data. A house sanitizer's label lists all kinds that it takes away.

    `parts`: words of a part of a prompt, `lands` those that stand where one is given, `known` what changes, each with
    the words of which one has to stand before it (none: any). `words` are bare names, `patterns` compiled regular
    expressions on names in snake case.
    """

    language: str
    sources: Paths
    house_sources: Paths
    house_sanitizers: Paths
    constants: Paths
    words: Mapping[str, frozenset[str]]
    paths: Mapping[str, Paths]
    patterns: Mapping[str, re.Pattern[str]]
    names: Names
    sinks: Mapping[str, Names]
    calls: Paths
    first: Paths
    parts: Stems
    lands: Stems
    known: Mapping[bytes, frozenset[bytes]]
    data: Mapping[str, Any] = field(default_factory=dict)

    def named(self, name: str) -> str | None:
        """The kind of change that a name alone speaks of."""
        return self.names.find(name)

    def sink(self, group: str, name: str) -> str | None:
        """The part of a prompt that a name means in this group (arguments, always, names, …)."""
        return self.sinks[group].find(name)

    def given_by(self, owner: str, method: str) -> str | None:
        """The part of a prompt that a method gives by the name of its class: `SystemPromptBuilder.build()`."""
        gives = owner and self.patterns["gives"].fullmatch(snake(method))
        return self.sink("classes", owner) if gives else None


@functools.lru_cache(maxsize=50_000)
def snake(name: str) -> str:
    """`systemPrompt`, `SystemPrompt` and `SYSTEM_PROMPT` as `system_prompt`."""
    return _HUMP.sub("_", name).lower().lstrip("_")


_GROUPS = ("arguments", "always", "names", "attributes", "functions", "classes", "setters")
_WORDS = (
    "sorts_in_place", "joins", "adds", "items", "formats", "dates", "coarse", "day_fields", "clock_fields", "construct",
    "self", "methods", "queries", "single_rows", "numeric",
)  # fmt: skip
_PATHS = ("sorts", "sorts_in_place", "quiet", "rows", "dumps", "unordered_calls", "listings")
_PATTERNS = (
    "types",
    "cached",
    "returns",
    "owners",
    "fields",
    "growing",
    "counting",
    "recalls",
    "profiles",
    "conversations",
    "variables",
    "passes",
    "quiet_names",
    "files",
    "bodies",
    "keys",
    "roles",
    "gives",
)


@functools.cache
def catalogue(language: str, additions: Additions = _NO_ADDITIONS) -> Catalogue:
    common, own = _load("common"), _load(language)
    unordered = own.pop("unordered")
    flat: dict[str, Any] = {**common, **common["sinks"], **own}
    flat |= {"types": unordered["types"], "methods": unordered["methods"], "listings": unordered["listings"]}
    flat |= {"unordered_calls": unordered["calls"], "quiet_names": common["quiet"]}
    groups = {name: common["sinks"][name] for name in _GROUPS}
    groups["builders"] = own.get("builders", {})
    sinks = {name: [*group.items()] for name, group in groups.items()}
    own_parts = {name.rpartition(".")[2].lower(): "" for _, name in additions.sinks}
    first = [*_labelled(common["sinks"]["first"])]
    calls = [("call", word) for word in common["sinks"]["calls"].split()]
    for part, name in additions.sinks:
        dotted = ".".join(snake(step) for step in name.split("."))
        if part == "request":
            calls.append(("call", dotted))
            continue
        for group in ("always", "names", "attributes", "functions"):
            sinks[group].insert(0, (part, re.escape(dotted)))
        first.append((part, dotted))
    return Catalogue(
        language=language,
        sources=Paths(_labelled(own["sources"])),
        house_sources=Paths(additions.sources),
        house_sanitizers=Paths(_together(additions.sanitizers)),
        constants=Paths(_labelled(own.get("constants", {}))),
        words={name: frozenset(str(flat[name]).split()) for name in _WORDS},
        paths={name: Paths((name, word) for word in str(flat[name]).split()) for name in _PATHS},
        patterns={name: re.compile(flat[name] or r"(?!)") for name in _PATTERNS},
        names=Names((kind, text) for kind, texts in common["names"].items() for text in texts),
        sinks={name: Names(group) for name, group in sinks.items()},
        calls=Paths(calls),
        first=Paths(first),
        lands=Stems({**LANDS, **own_parts}),
        parts=Stems({**PARTS, **own_parts}),
        known=_known([*own["sources"].values(), *unordered.values()], additions),
        data=flat,
    )


def _together(labelled: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """One label with all kinds for every name."""
    found: dict[str, list[str]] = {}
    for kind, name in labelled:
        found.setdefault(name, []).append(kind)
    return [(" ".join(kinds), name) for name, kinds in found.items()]


def _known(groups: Iterable[str], additions: Additions) -> dict[bytes, frozenset[bytes]]:
    """The last words of what changes and of what has no order, each with those of which one has to stand before it."""
    listed = [word for words in groups if "\\" not in words for word in words.split()]
    listed += [name for _, name in additions.sources]
    found: dict[bytes, frozenset[bytes]] = {}
    for word in listed:
        owner, _, last = word.removesuffix("()").rpartition(".")
        owners = {owner.rpartition(".")[2].encode()} if owner and last in _GENERAL else set()
        before = found.get(last.encode())
        found[last.encode()] = (
            frozenset(owners | (before or set())) if owners and before != frozenset() else frozenset()
        )
    return found


def _labelled(group: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(label, word) for label, words in group.items() for word in words.split()]


def _load(name: str) -> dict[str, Any]:
    path = _DATA / f"{name}.yaml"
    loaded = yamlfile.load(path.read_text("utf-8"), str(path), RuleError)
    assert isinstance(loaded, dict)
    return loaded
