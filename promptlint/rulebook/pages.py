"""Rule pages in Markdown: what, why, fix, when it does not apply, examples with their marks, references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from promptlint.rulebook.rule import Example, Rule

_WIDTH = 110  # columns of an example
_GROUPS = {
    "PL1": "Volatile text in the stable prefix",
    "PL2": "Order and serialisation",
    "PL3": "Tools and text that changed",
    "PL4": "History that is not append-only",
    "PL5": "Cache markers",
    "PL6": "Request settings and routing",
    "PL7": "Chat templates",
    "PL8": "Traffic",
    "PL9": "Tokens",
}


def index(rules: Sequence[Rule]) -> str:
    """The page of all rules: a table for each group, then every rule's own page."""
    about = "One YAML file a rule; this page is generated from them. `promptlint rules show CODE` prints one."
    parts = ["# Rules", about]
    for group, title in _GROUPS.items():
        members = [rule for rule in rules if rule.code.startswith(group)]
        if members:
            parts.append(f"## {title}\n\n" + "\n".join(_table(members)))
    for rule in rules:
        heading = f"## {rule.code} {rule.name}"
        about = f"{rule.severity.value}, {rule.confidence} confidence, since {rule.since}"
        parts += [heading, about, *page(rule, level=3)]
    return "\n\n".join(parts) + "\n"


def _table(rules: Sequence[Rule]) -> Iterator[str]:
    yield "| code | name | severity | what |"
    yield "|---|---|---|---|"
    for rule in rules:
        anchor = f"{rule.code} {rule.name}".lower().replace(" ", "-")
        summary = rule.summary.replace("|", "\\|")
        yield f"| [{rule.code}](#{anchor}) | {rule.name} | {rule.severity.value} | {summary} |"


def page(rule: Rule, *, level: int = 2, examples: int | None = None) -> Iterator[str]:
    """The paragraphs of one rule's page; `examples` of each kind at most."""
    mark = "#" * level
    yield rule.summary
    for title, text in chapters(rule):
        yield f"{mark} {title}\n\n{flat(text)}"
    for title, shown in (("Bad", rule.bad), ("Good", rule.good)):
        for example in shown[:examples]:
            yield f"{mark} {title}" + (f": {example.note}" if example.note else "")
            yield from _sides(example)
    if rule.references:
        yield f"{mark} References\n\n" + "\n".join(f"- <{reference}>" for reference in rule.references)


def chapters(rule: Rule) -> Iterator[tuple[str, str]]:
    for title, text in (("Why", rule.why), ("Fix", rule.fix), ("Not when", rule.not_when)):
        if text:
            yield title, text


def _sides(example: Example) -> Iterator[str]:
    later = "Log" if isinstance(example.after, list) else "After"
    for title, side in (("Before", example.before), (later, example.after)):
        if side is not None:
            text = side if isinstance(side, str) else _compact(side)
            yield f"{title}:\n\n{_fenced(text, 'text' if isinstance(side, str) else 'json')}"


def _compact(value: object, indent: int = 0) -> str:
    """JSON in which whatever fits on a line stands on one."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + indent <= _WIDTH or not isinstance(value, dict | list) or not value:
        return short
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        items = [f"{json.dumps(key, ensure_ascii=False)}: {_compact(item, indent + 2)}" for key, item in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_compact(item, indent + 2) for item in value]
        opening, closing = "[", "]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{outer}{closing}"


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def flat(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())
