"""One configuration file into a Config; all that is wrong with it at once, each with its place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from promptlint.config import keys
from promptlint.config.keys import Key
from promptlint.config.settings import BASELINE, Budget, Config, Declaration, Part, Settings, Traffic, over
from promptlint.model.errors import ConfigError, Problems, PromptlintError
from promptlint.model.flow import Additions
from promptlint.model.source import Source
from promptlint.model.template import Names

Path = tuple[str | int, ...]
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_PATHS = ("chat-template", "model-config")


@dataclass(frozen=True, slots=True)
class Known:
    """Who knows the names that a configuration uses: each raises ConfigError for a name that does not exist.

    `rule` is given a name, and the rule files of one's own in which it may be found as well.
    """

    rule: Callable[[str, tuple[str, ...]], object]
    provider: Callable[[str], object]


def read(text: str, name: str, root: str, known: Known, table: tuple[str, ...] = ()) -> Config | None:
    """The configuration in the table at `table` of a TOML text; None where the text has no such table.

    `name` is the file as errors show it, `root` the folder that its paths count from. Raises ConfigError or Problems.
    """
    import tomllib

    try:
        data: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(error), text, name) from None
    for step in table:
        data = data.get(step) if isinstance(data, Mapping) else None
    if data is None:
        return None
    reader = _Reader(text, name, root, known)
    config = reader.config(data, table)
    reader.raise_errors()
    return config


def _broken(message: str, text: str, name: str) -> ConfigError:
    found = _AT.search(message)
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    plain = message[: found.start()] if found else message
    return ConfigError(f"not valid TOML: {plain[:1].lower()}{plain[1:]}", name=name, line=line, column=column)


class _Reader:
    def __init__(self, text: str, name: str, root: str, known: Known) -> None:
        self._text = text
        self._name = name
        self._root = root
        self._known = known
        self._errors: list[ConfigError] = []
        self._rules: tuple[str, ...] = ()

    def raise_errors(self) -> None:
        errors: list[PromptlintError] = sorted(self._errors, key=lambda error: (error.line or 0, error.column or 0))
        if errors:
            raise errors[0] if len(errors) == 1 else Problems(tuple(errors))

    def config(self, data: Any, path: Path) -> Config:
        named = _below(data, "rules")  # first, for every other key may name them
        if isinstance(named, list):
            self._rules = tuple(self._path(each) for each in named if isinstance(each, str))
        found = self._table(data, path, {**keys.SETTINGS, **keys.FILE}, (*keys.TABLES, *keys.FILE_TABLES))
        settings = self._settings(data, found, path)
        trace = self._table(_below(data, "trace"), (*path, "trace"), keys.TRACE, ())
        return Config(
            root=self._root,
            file=self._name,
            settings=settings,
            fail_on=found.get("fail-on"),
            exclude=found.get("exclude", ()),
            include=found.get("include", ()),
            per_path_ignores=self._per_path(data, (*path, "per-path-ignores")),
            baseline=found.get("baseline", BASELINE),
            prompts=self._prompts(data, (*path, "prompts"), settings),
            code=self._code(data, (*path, "code")),
            placeholders=self._placeholders(data, (*path, "placeholders")),
            rules=self._rules,
            by=trace.get("by", ()),
            min_hit_rate=trace.get("min-hit-rate"),
        )

    def _settings(self, data: Any, found: Mapping[str, Any], path: Path) -> Settings:
        """The settings of one table whose plain keys are in `found`."""
        budget = self._table(_below(data, "budget"), (*path, "budget"), keys.BUDGET, ())
        traffic = self._table(_below(data, "traffic"), (*path, "traffic"), keys.TRAFFIC, ())
        plain = {name.replace("-", "_"): found[name] for name in keys.SETTINGS if name in found}
        for name in _PATHS:
            if name in found:
                plain[name.replace("-", "_")] = self._path(found[name])
        if "tokenizer" in found and os.path.exists(self._path(found["tokenizer"])):  # noqa: PTH110
            plain["tokenizer"] = self._path(found["tokenizer"])
        return Settings(
            **plain,
            severity=self._severities(data, (*path, "severity")),
            budget=Budget(**{name.replace("-", "_"): value for name, value in budget.items()}),
            traffic=Traffic(**{name.replace("-", "_"): value for name, value in traffic.items()}),
        )

    def _path(self, value: str) -> str:
        return os.path.join(self._root, value)  # noqa: PTH118 (keeps the form of what is absolute)

    def _table(self, data: Any, path: Path, known: Mapping[str, Key], tables: Iterable[str]) -> dict[str, Any]:
        """The values of a table's plain keys; unknown keys and wrong values are noted."""
        if data is None:
            return {}
        if not isinstance(data, Mapping):
            self._error(f"{path[-1]!r} must be a table", path)
            return {}
        found: dict[str, Any] = {}
        for name, value in data.items():
            if name in known:
                self._value(found, name, value, known[name], (*path, name))
            elif name not in tables:
                self._error(f"unknown key {name!r}{_close(name, (*known, *tables))}", (*path, name), at_key=True)
        return found

    def _value(self, found: dict[str, Any], name: str, value: Any, key: Key, path: Path) -> None:
        try:
            found[name] = key.kind.read(value)
        except ValueError as error:
            self._error(f"{name!r} {error}", path)
            return
        if key.kind.names == "rule":
            for index, rule in enumerate(found[name]):
                self._check(self._rule, rule, (*path, index))
        elif key.kind.names == "provider":
            self._check(self._known.provider, found[name], path)

    def _severities(self, data: Any, path: Path) -> tuple[tuple[str, str], ...]:
        found: dict[str, Any] = {}
        for rule, value in self._entries(_below(data, "severity"), path):
            self._check(self._rule, rule, (*path, rule), at_key=True)
            self._value(found, rule, value, Key(keys.SEVERITY, ""), (*path, rule))
        return tuple(found.items())

    def _per_path(self, data: Any, path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
        found: dict[str, Any] = {}
        for pattern, value in self._entries(_below(data, "per-path-ignores"), path):
            self._value(found, pattern, value, Key(keys.RULES, ""), (*path, pattern))
        return tuple(found.items())

    def _code(self, data: Any, path: Path) -> Additions:
        table = _below(data, "code")
        self._table(table, path, {}, keys.CODE)
        found: dict[str, tuple[tuple[str, str], ...]] = {}
        for group, known in keys.CODE.items():
            named = self._table(_below(table, group), (*path, group), known, ())
            found[group] = tuple((label, name) for label, names in named.items() for name in names)
        return Additions(**found)

    def _placeholders(self, data: Any, path: Path) -> Names:
        found = self._table(_below(data, "placeholders"), path, keys.PLACEHOLDERS, ())
        return Names(**{name.replace("-", "_"): value for name, value in found.items()})

    def _prompts(self, data: Any, path: Path, base: Settings) -> tuple[Declaration, ...]:
        found = []
        for name, value in self._entries(_below(data, "prompts"), path):
            place = (*path, name)
            plain = self._table(value, place, {**keys.SETTINGS, **keys.PROMPT}, keys.TABLES)
            if not isinstance(value, Mapping):
                continue
            settings = over(self._settings(value, plain, place), base)
            if not value.get("parts"):
                self._error(f"prompt {name!r} needs 'parts', the list of its files", place, at_key=True)
            parts = tuple(
                self._part(pattern, (*place, "parts", index)) for index, pattern in enumerate(plain.get("parts", ()))
            )
            for index, pattern in enumerate(plain.get("breakpoints", ())):
                if pattern not in plain.get("parts", ()):
                    close = _close(pattern, plain.get("parts", ()))
                    self._error(f"{pattern!r} is none of the parts{close}", (*place, "breakpoints", index))
            found.append(Declaration(name, parts, settings, plain.get("breakpoints", ())))
        return tuple(found)

    def _part(self, pattern: str, path: Path) -> Part:
        plain = os.path.normpath(pattern).replace(os.sep, "/")
        if plain.startswith(("/", "../")) or plain == "..":
            self._error(f"part {pattern!r} lies outside of the folder of this file", path)
        line, column = self._place(path, at_key=False)
        return Part(plain, line, column)

    def _entries(self, data: Any, path: Path) -> list[tuple[str, Any]]:
        """The entries of a table whose keys are free."""
        if data is None:
            return []
        if not isinstance(data, Mapping):
            self._error(f"{path[-1]!r} must be a table, as in [{'.'.join(map(str, path))}]", path)
            return []
        return list(data.items())

    def _rule(self, name: str) -> object:
        return self._known.rule(name, self._rules)

    def _check(self, check: Callable[[str], object], name: str, path: Path, *, at_key: bool = False) -> None:
        try:
            check(name)
        except ConfigError as error:
            self._error(error.message, path, at_key=at_key)

    def _error(self, message: str, path: Path, *, at_key: bool = False) -> None:
        line, column = self._place(path, at_key=at_key)
        self._errors.append(ConfigError(message, name=self._name, line=line, column=column))

    def _place(self, path: Path, *, at_key: bool) -> tuple[int, int]:
        """Line and column of a value (or of its key); of the nearest table where the scan did not find it."""
        from promptlint.config.positions import positions

        found = positions(self._text)
        for length in range(len(path), 0, -1):
            here = path[:length]
            places = (found.keys, found.values) if at_key and length == len(path) else (found.values, found.keys)
            offset = next((place[here] for place in places if here in place), None)
            if offset is not None:
                place = Source(self._name, self._text).position(offset)
                return place.line, place.column
        return 1, 1


def _below(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, Mapping) else None


def _close(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=2)
    return f"; did you mean {' or '.join(close)}?" if close else ""
