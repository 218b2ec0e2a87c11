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

# What a function that builds a prompt, or that gives a part of one by its name, has in it.
_PARTS = (
    r"system|prompt|instruction|\brole\b|tools|definitions|cache_?key|preamble|hashmap|hashset|map\[|frozenset|\bset\b|"
    r"user_?|customer|tenant|session_?id|conversation_?id|request_?id|nonce|"
    r"turn_?(?:count|num)|tokens?_?(?:used|left|remain)|"
    r"retrieved|relevant_|recalled|search_results"
)
_LANDS = (
    r"sys(?:tem)?_?(?:prompt|message|msg|instruction|block|text)|[\"']system[\"']|[\"']developer[\"']|\.system\b|"
    r"\bsystem\s*[=:,]|"
    r"role_?system|instructions|preamble|\btools\b[\"']?\s*[=:,]|tools\s*\(|tool_?(?:def|spec|schema|list)|definitions\s*\(|"
    r"(?:messages|responses|completions?)\.(?:create|stream|new|parse)|completion\s*\(|converse|generate_?content|"
    r"generate_?(?:text|object)|stream_?(?:text|object)|from_messages|createmessage|cache_?key|chat_?completion|"
    r"promptlint: prompt|"
    r"[\"']role[\"']|\brole\s*[:=]"
)
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


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One language's data. `words` are bare names, `patterns` compiled regular expressions on names in snake case."""

    language: str
    sources: Paths
    constants: Paths
    words: Mapping[str, frozenset[str]]
    paths: Mapping[str, Paths]
    patterns: Mapping[str, re.Pattern[str]]
    names: tuple[tuple[str, re.Pattern[str]], ...]
    sinks: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]]
    calls: Paths
    first: Paths
    speaks: re.Pattern[bytes]
    lands: re.Pattern[bytes]
    data: Mapping[str, Any] = field(default_factory=dict)

    def named(self, name: str) -> str | None:
        """The kind of change that a name alone speaks of."""
        return _label(self.names, snake(name))

    def sink(self, group: str, name: str) -> str | None:
        """The part of a prompt that a name means in this group (arguments, always, names, attributes, functions)."""
        return _label(self.sinks.get(group, ()), snake(name))


def _label(patterns: Iterable[tuple[str, re.Pattern[str]]], name: str) -> str | None:
    return next((label for label, pattern in patterns if pattern.fullmatch(name)), None)


@functools.lru_cache(maxsize=50_000)
def snake(name: str) -> str:
    """`systemPrompt`, `SystemPrompt` and `SYSTEM_PROMPT` as `system_prompt`."""
    return _HUMP.sub("_", name).lower().lstrip("_")


_WORDS = (
    "sorts_in_place", "joins", "adds", "items", "formats", "dates", "coarse", "day_fields", "clock_fields", "construct",
    "self", "methods",
)  # fmt: skip
_PATHS = ("sorts", "sorts_in_place", "quiet", "rows", "dumps", "unordered_calls", "listings")
_PATTERNS = (
    "types",
    "cached",
    "returns",
    "owners",
    "fields",
    "growing",
    "variables",
    "passes",
    "quiet_names",
    "files",
    "bodies",
    "keys",
    "roles",
)


@functools.cache
def catalogue(language: str, additions: Additions = _NO_ADDITIONS) -> Catalogue:
    common, own = _load("common"), _load(language)
    unordered = own.pop("unordered")
    flat: dict[str, Any] = {**common, **common["sinks"], **own}
    flat |= {"types": unordered["types"], "methods": unordered["methods"], "listings": unordered["listings"]}
    flat |= {"unordered_calls": unordered["calls"], "quiet_names": common["quiet"]}
    flat["sorts"] += " " + " ".join(additions.sanitizers)
    groups = {name: common["sinks"][name] for name in ("arguments", "always", "names", "attributes", "functions")}
    groups["builders"] = own.get("builders", {})
    sinks = {name: tuple((label, re.compile(text)) for label, text in group.items()) for name, group in groups.items()}
    first = [*_labelled(common["sinks"]["first"])]
    for part, name in additions.sinks:
        pattern = re.compile(re.escape(snake(name)))
        for group in ("names", "attributes", "functions"):
            sinks[group] += ((part, pattern),)
        first.append((part, ".".join(snake(step) for step in name.split("."))))
    return Catalogue(
        language=language,
        sources=Paths([*additions.sources, *_labelled(own["sources"])]),
        constants=Paths(_labelled(own.get("constants", {}))),
        words={name: frozenset(str(flat[name]).split()) for name in _WORDS},
        paths={name: Paths((name, word) for word in str(flat[name]).split()) for name in _PATHS},
        patterns={name: re.compile(flat[name] or r"(?!)") for name in _PATTERNS},
        names=tuple((kind, re.compile(text)) for kind, texts in common["names"].items() for text in texts),
        sinks=sinks,
        calls=Paths(("call", word) for word in common["sinks"]["calls"].split()),
        first=Paths(first),
        lands=_lands(additions),
        speaks=_speaks([*own["sources"].values(), *unordered.values()], additions),
        data=flat,
    )


def _lands(additions: Additions) -> re.Pattern[bytes]:
    """Any word of a part of a prompt: a function without one gives nothing to a model itself."""
    own = "".join("|" + re.escape(name.rpartition(".")[2]) for _, name in additions.sinks)
    return re.compile(f"(?i:{_LANDS}{own})".encode())


def _speaks(groups: Iterable[str], additions: Additions) -> re.Pattern[bytes]:
    """Any word of what changes, of what has no order, or of a part of a prompt."""
    listed = [word for words in groups if "\\" not in words for word in words.split()]
    listed += [name for _, name in (*additions.sources, *additions.sinks)]
    words = set()
    for word in listed:
        owner, _, last = word.removesuffix("()").rpartition(".")
        words.add(rf"{owner.rpartition('.')[2]}(?:\.|::){last}" if owner and last in _GENERAL else last)
    known = "|".join(sorted(words))
    return re.compile(rf"\b(?:{known})\b|(?i:{_PARTS})".encode())


def _labelled(group: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(label, word) for label, words in group.items() for word in words.split()]


def _load(name: str) -> dict[str, Any]:
    path = _DATA / f"{name}.yaml"
    loaded = yamlfile.load(path.read_text("utf-8"), str(path), RuleError)
    assert isinstance(loaded, dict)
    return loaded
