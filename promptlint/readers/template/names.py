"""What a placeholder is filled with, from its expression and the words before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from promptlint import yamlfile
from promptlint.model.errors import RuleError
from promptlint.model.template import Names

_KINDS = (
    "stable", "sample", "clock", "date", "random", "counter", "file", "retrieval", "environment", "history", "identity",
    "input",
)  # fmt: skip
_METHODS = ("clock", "date", "stable", "random")  # kinds of values whose methods are of the same kind
# Kinds that the last two steps of a path, or the last one, say whatever they belong to.
_ENDS = {2: ("clock", "random", "counter", "identity", "environment"), 1: ("clock", "random", "counter")}
_LONGEST = 500  # characters of an expression that says anything
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_OPERANDS = re.compile(r"\s*(?:\|\||\?\?|~|\+|,)\s*|\s+or\s+|\s+else\s+")
_CONDITION = re.compile(r"\s+if\s+.*?(?=\s+else\s+|$)", re.DOTALL)
_JS_CHOICE = re.compile(r"^[^?]+\?(?!\?|\.)(?P<then>[^:]+):(?P<other>.+)$", re.DOTALL)
_STEP = re.compile(
    r"\s*(?:\.|\?\.|::|->|\bnew\s+)?\s*([A-Za-z_@$][\w]*)[!?]?\s*(\([^()]*(?:\([^()]*\)[^()]*)*\))?|\[\s*['\"]([\w-]+)['\"]\s*\]|\[[^\]]*\]"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CALLED = frozenset({"clock", "date", "random", "sample", "environment"})
_ARGUMENTS = re.compile(r"\(\s*[^)\s]")
_SHUFFLES = re.compile(
    r"\|\s*(?:random|shuffle|sample)\b|\.(?:shuffle|sample)\b|\brandom\.(?:choice|sample|shuffle|choices)\b|^random\s*(?::|\()"
)
_FINE = re.compile(r"%-?[HIMSfTcXsrRp]|(?<![A-Za-z])(?:HH?|hh?|mm|ss|SSS|iii)(?![A-Za-z])|H:mm|h:mm")
_DAILY = re.compile(r"^LL?L?$|%-?[deajDFxuwU]|(?:\b|[^A-Za-z])(?:DD?|dd?|Do|EEEE?|dddd?)(?![A-Za-z])|%[-e]?d")
_COARSE = re.compile(r"%|YYYY|yyyy|MMMM?|LLLL")
_DAY_CALLS = re.compile(
    r"\.\s*(?:date|to_date|toDateString|toLocaleDateString|today)\b\s*(?:\(|$)|\|\s*date_only\b"
    r"|\.(?:slice|substring|substr)\(\s*0\s*,\s*10\s*\)|\.split\(\s*['\"]T['\"]\s*\)\s*\[\s*0\s*\]|\[:10\]"
)
_NOW = re.compile(r"\bnew Date\(\s*\)|\b(?:moment|dayjs)\(\s*\)|(?<!\.)\bstrftime(?:_now)?\(")
_SHELL = re.compile(r"^`\s*(?:git|pwd|hostname|uname|ls|whoami)\b")
_CALENDAR = re.compile(r"\.\s*(?:year|month)\b|getFullYear|getMonth")


@dataclass(frozen=True, slots=True)
class _Weak:
    name: re.Pattern[str]
    before: re.Pattern[str]
    kind: str


@dataclass(frozen=True, slots=True)
class _Data:
    kinds: Mapping[str, re.Pattern[str]]
    weak: tuple[_Weak, ...]
    owners: frozenset[str]


@cache
def _data() -> _Data:
    path = Path(__file__).with_name("names.yaml")
    data = cast(dict[str, Any], yamlfile.load(path.read_text(encoding="utf-8"), path.name, RuleError))
    weak = tuple(
        _Weak(re.compile(each["name"]), re.compile(each["before"], re.IGNORECASE), each["kind"])
        for each in data["weak"]
    )
    kinds = {kind: re.compile("|".join(f"(?:{pattern})" for pattern in data[kind])) for kind in _KINDS}
    return _Data(kinds, weak, frozenset(data["owners"]))


def kind_of(expression: str, before: str, said: Names) -> str:
    """The kind of an expression, "" where its name says nothing. `before` is the text of its line in front of it."""
    kind, alone = _kind(expression[:_LONGEST].strip(), said)
    return kind or (_by_words(alone, before) if alone else "")


@lru_cache(maxsize=4096)
def _kind(expression: str, said: Names) -> tuple[str, str]:
    """The kind by the name alone; where that says nothing, the single word that it is (the words before it decide)."""
    alone = ""
    for operand in _operands(expression):
        steps = _steps(operand)
        kind = _kind_of_one(steps, operand, expression, said) if steps or operand.startswith("`") else ""
        if kind:
            return kind, ""
        alone = alone or (steps[0] if len(steps) == 1 else "")
    return "", alone


def head(expression: str) -> str:
    """The expression without its filters."""
    plain = _STRING.sub(lambda match: "x" * len(match[0]), expression)
    bar = re.search(r"(?<!\|)\|(?!\|)", plain)
    return expression[: bar.start()].strip() if bar else expression.strip()


def root(expression: str) -> str:
    """The variable that an expression begins with."""
    found = re.match(r"[A-Za-z_@]\w*", expression)
    return found[0].lstrip("@") if found else ""


def snake(name: str) -> str:
    """`userName`, `user-name` and `USER_NAME` are user_name."""
    return _HUMP.sub("_", name.strip("@$_")).replace("-", "_").lower()


def _operands(expression: str) -> list[str]:
    """The values that it may become: of a choice both, of a sum all; what it asks for is left out."""
    plain = head(expression)
    if plain.startswith(("'", '"')) and _STRING.fullmatch(plain):
        return []
    choice = _JS_CHOICE.match(plain)
    if choice is not None:
        plain = f"{choice['then']} else {choice['other']}"
    plain = _CONDITION.sub("", plain)
    found, depth, start = [], 0, 0
    cuts = {match.start(): match.end() for match in _OPERANDS.finditer(plain)}
    for index, char in enumerate(plain):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and index in cuts and index >= start:
            found.append(plain[start:index])
            start = cuts[index]
    return [
        each.strip() for each in (*found, plain[start:]) if each.strip() and not each.strip().startswith(("'", '"'))
    ]


def _kind_of_one(steps: list[str], operand: str, expression: str, said: Names) -> str:
    names = {"_".join(steps), *steps[-1:], operand.strip(), ".".join(steps)}
    if operand.endswith(")"):  # of `site.items()` the house has named `site`
        names |= {"_".join(steps[:-1]), ".".join(steps[:-1])}
    for globs, kind in ((said.stable, "stable"), (said.per_user, "identity"), (said.per_request, "request")):
        if any(fnmatchcase(name, glob) for glob in globs for name in names):
            return kind
    if _SHUFFLES.search(expression):
        return "sample"
    if _SHELL.search(operand):
        return "environment"
    kind = "clock" if _NOW.search(operand) else _by_name(steps)
    if kind not in _CALLED and _ARGUMENTS.search(
        operand
    ):  # what a function makes of something says its name only rarely
        return ""
    if kind in ("clock", "date"):
        return _by_format(expression, kind)
    return kind


def _steps(operand: str) -> list[str]:
    """The names of a path in snake case. Of a helper with arguments (`formatDate now "HH:mm"`) the argument's."""
    words = operand.split()
    if len(words) > 1 and re.fullmatch(r"[A-Za-z_]\w*", words[0]) and words[0] != "new":
        rest = [word for word in words[1:] if re.match(r"[A-Za-z_(]", word) and "=" not in word]
        operand = rest[0].strip("()") if rest else words[0]
    steps: list[str] = []
    pos = 0
    while (found := _STEP.match(operand, pos)) is not None and found.end() > pos:
        name = found[1] or found[3]
        if name and name != "new":
            steps.append(snake(name))
        pos = found.end()
    return [step for step in steps if step]


def _by_name(steps: list[str]) -> str:
    data = _data()
    if kind := _of_whole("_".join(steps)):
        return kind
    while len(steps) > 1 and steps[0] in data.owners:
        steps = steps[1:]
    # A method of a value (`now.isoformat`) hides the value's name: the longest beginning that has a kind decides.
    for end in range(len(steps), 0, -1):
        if kind := _of_whole("_".join(steps[:end])):
            return kind if end == len(steps) or kind in _METHODS else ""
    return next((kind for last in (2, 1) if (kind := _of_whole("_".join(steps[-last:]))) in _ENDS[last]), "")


def _of_whole(name: str) -> str:
    return next((kind for kind in _KINDS if _data().kinds[kind].fullmatch(name)), "")


def _by_format(expression: str, kind: str) -> str:
    """A clock that is printed as a day is a date, one that is printed as a year says nothing."""
    formats = " ".join(match[0][1:-1] for match in _STRING.finditer(expression))
    if formats and (_FINE.search(formats) or _DAILY.search(formats) or _COARSE.search(formats)):
        return "clock" if _FINE.search(formats) else "date" if _DAILY.search(formats) else ""
    if _CALENDAR.search(expression):
        return ""
    return "date" if kind == "date" or _DAY_CALLS.search(expression) else "clock"


def _by_words(name: str, before: str) -> str:
    return next((weak.kind for weak in _data().weak if weak.name.fullmatch(name) and weak.before.search(before)), "")
