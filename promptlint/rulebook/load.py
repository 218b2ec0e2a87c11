"""Rule files into rules: every key checked, every error with its place, all errors of the book at once."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from promptlint import yamlfile
from promptlint.model.errors import Problems, PromptlintError, RuleError
from promptlint.model.finding import Scope, Severity
from promptlint.rulebook.detect import Detect
from promptlint.rulebook.rule import SUBJECTS, Example, Rule, Rulebook

_TEXT_KEYS = ("code", "name", "summary", "severity", "confidence", "since", "why", "fix", "message", "subject")
_OPTIONAL_KEYS = ("references", "not_when", "bad", "good", "providers", "scope", "beats", "tail", "also")
_EXAMPLE_KEYS = frozenset({"before", "after", "provider", "note", "besides", "file"})
# What the form of a rule for another subject says itself; the rest is the rule's.
_EXAMPLES = "\nbad:\n"  # with which the examples of a rule file begin
_CONFIDENCES = ("high", "medium", "low")
_ALSO_NEEDS = ("subject", "message", "detect")
_ALSO_MAY = ("severity", "confidence", "scope", "beats")
# Facts that the engine adds to those of the matcher.
STANDARD_FACTS = frozenset({"lost", "recovers", "path", "provider", "model", "section", "before", "after", "scope"})
_REQUEST_SCOPES = tuple(scope for scope in Scope if scope is not Scope.RELEASE)


def folder() -> Path:
    """Where the rules are: in the wheel beside this package, in a checkout at its top."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "rules"


def load(*, examples: bool = False) -> Rulebook:
    """The book that comes with promptlint; with its rules' examples where they are shown or run."""
    return _bundled(examples)


@cache
def _bundled(examples: bool) -> Rulebook:
    return load_from(folder(), examples=examples)


def load_with(paths: Sequence[str]) -> Rulebook:
    """The book that comes with promptlint, and a house's own rule files. Raises RuleError for a code that is taken."""
    book = load()
    rules = list(book.rules)
    for path in files_in(paths):
        rule = read_file(path, trusted=False)
        if any(rule.code == other.code or rule.name == other.name for other in rules):
            raise RuleError(f"{rule.code} {rule.name} is taken: give a code and a name of your own", name=rule.file)
        rules.append(rule)
    return Rulebook(tuple(rules))


def files_in(paths: Sequence[str]) -> list[str]:
    """Rule files: those named, and all *.yaml below named folders. Raises RuleError for a folder without any."""
    found: list[str] = []
    for path in map(Path, paths):
        inside = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        if not inside:
            raise RuleError("there is no rule file (*.yaml) in this folder", name=str(path))
        found += map(str, inside)
    return found


def read_file(path: str, *, trusted: bool) -> Rule:
    """A rule file from disk. Raises RuleError."""
    try:
        return read(Path(path).read_text(encoding="utf-8"), path, trusted=trusted)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise RuleError(f"cannot read this rule file: {reason}", name=path) from None


def load_from(directory: Path, *, examples: bool = True) -> Rulebook:
    """All rule files below a directory, by code. Raises RuleError, or Problems with all of them.

    `examples` false, as in every run: files are read up to their examples, which stand last and take most of the time,
    and a rule's matcher is looked at when the rule is first tried.
    """
    rules: list[Rule] = []
    errors: list[PromptlintError] = []
    for path in sorted(directory.glob("*/*.yaml")):
        try:
            text = path.read_text(encoding="utf-8")
            rules.append(read(text if examples else text.partition(_EXAMPLES)[0], str(path), at_once=examples))
        except PromptlintError as error:
            errors.append(error)
    if errors:
        raise errors[0] if len(errors) == 1 else Problems(tuple(errors))
    return Rulebook(tuple(sorted(rules, key=lambda rule: rule.code)))


def read(text: str, name: str, *, trusted: bool = True, at_once: bool = True) -> Rule:
    """One rule file; `trusted` false for any that did not come with promptlint. Raises RuleError with its place.

    `at_once` false: what depends on the matcher is not checked.
    """
    data = yamlfile.load(text, name, RuleError)

    def fail(message: str, *path: str | int) -> RuleError:
        place = yamlfile.position_of(text, path)
        return RuleError(message, name=name, line=place.line, column=place.column)

    if not isinstance(data, dict):
        raise fail("a rule file is a mapping")
    for key in data:
        if key not in (*_TEXT_KEYS, *_OPTIONAL_KEYS, "detect"):
            raise fail(f"unknown key {key!r}", key)
    for key in (*_TEXT_KEYS, "detect"):
        if key not in data:
            raise fail(f"the key {key!r} is missing")
    for key in _TEXT_KEYS:
        if not isinstance(data[key], str) or not data[key].strip():
            raise fail(f"{key!r} must be a text", key)
    try:
        rule = _rule(data, name, trusted)
        rule = dataclasses.replace(rule, also=_also(data, name, trusted))
        for form in (rule, *rule.also) if at_once else ():
            _check_matcher(form)
        return rule
    except RuleError as error:
        raise RuleError(error.message, name=name, line=error.line or 1, column=error.column or 1) from None


def _also(data: Mapping[str, typing.Any], file: str, trusted: bool) -> tuple[Rule, ...]:
    """The rule's forms for other subjects."""
    forms = data.get("also", [])
    if not isinstance(forms, list) or not all(isinstance(form, Mapping) for form in forms):
        raise RuleError("'also' must be a list of mappings")
    base = {key: value for key, value in data.items() if key not in ("also", "bad", "good", "scope", "tail", "beats")}
    for form in forms:
        if set(_ALSO_NEEDS) - set(form) or set(form) - {*_ALSO_NEEDS, *_ALSO_MAY}:
            raise RuleError("an item of 'also' has 'subject', 'message', 'detect', perhaps more")
        for key in _TEXT_KEYS:
            if not isinstance(form.get(key, ""), str):
                raise RuleError(f"{key!r} in an item of 'also' must be a text")
    return tuple(_rule({**base, **form}, file, trusted) for form in forms)


def _rule(data: Mapping[str, typing.Any], file: str, trusted: bool) -> Rule:
    detect = data["detect"]
    if not isinstance(detect, Mapping) or not isinstance(detect.get("matcher"), str):
        raise RuleError("'detect' must name a matcher")
    if data["subject"] not in SUBJECTS:
        raise RuleError(f"'subject' must be one of {', '.join(SUBJECTS)}")
    if data["confidence"] not in _CONFIDENCES:
        raise RuleError("'confidence' must be high, medium or low")
    values = {key: value for key, value in detect.items() if key != "matcher"}
    return Rule(
        **{key: data[key].strip() for key in _TEXT_KEYS if key != "severity"},
        severity=_severity(data["severity"]),
        detect=Detect(detect["matcher"], values, file, trusted),
        file=file,
        references=_texts(data, "references"),
        not_when=str(data.get("not_when", "")).strip(),
        bad=_examples(data, "bad"),
        good=_examples(data, "good"),
        providers=_texts(data, "providers"),
        scopes=_scopes(data),
        beats=_texts(data, "beats"),
        tail=data.get("tail", False) is True,
    )


def _severity(value: str) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        raise RuleError("'severity' must be error, warning or info") from None


def _scopes(data: Mapping[str, typing.Any]) -> tuple[Scope, ...]:
    found: list[Scope] = []
    for value in _texts(data, "scope"):
        if value == "request":  # every relation of two requests, as against two versions of a file
            found.extend(_REQUEST_SCOPES)
            continue
        try:
            found.append(Scope(value))
        except ValueError:
            raise RuleError(f"unknown scope {value!r}") from None
    return tuple(found)


def _texts(data: Mapping[str, typing.Any], key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not all(isinstance(item, str) for item in values):
        raise RuleError(f"{key!r} must be a list of texts")
    return tuple(values)


def _examples(data: Mapping[str, typing.Any], key: str) -> tuple[Example, ...]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise RuleError(f"{key!r} must be a list of examples")
    found = []
    for item in value:
        if not isinstance(item, Mapping) or "after" not in item or set(item) - _EXAMPLE_KEYS:
            raise RuleError(
                f"an example in {key!r} has 'before', 'after' and, if need be, 'provider', 'note' and 'besides'"
            )
        if not isinstance(item.get("provider", ""), str) or not isinstance(item.get("note", ""), str):
            raise RuleError(f"'provider' and 'note' of an example in {key!r} must be texts")
        besides = _texts(item, "besides")
        example = Example(item.get("before"), item["after"], item.get("provider"), item.get("note", ""), besides)
        found.append(dataclasses.replace(example, file=str(item.get("file", ""))))
    return tuple(found)


def _check_matcher(rule: Rule) -> None:
    """Its parameters are right, and every `{fact}` of the message is one that the matcher or the engine gives."""
    from string import Formatter  # rules are checked where they are written and tested, not in a run

    _ = rule.params
    known = STANDARD_FACTS | rule.matcher.FACTS
    for _, field, _, _ in Formatter().parse(rule.message):
        if field is not None and field not in known:
            raise RuleError(f"the message names {{{field}}}, but the facts are {', '.join(sorted(known))}")
