"""Comments that silence findings: `promptlint: ignore[PL304]`, in the comment syntax of each type of file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.finding import Finding
from promptlint.model.source import Source

_WORDS = r"promptlint:\s*(?P<what>ignore-file|ignore)\b\s*(?:\[(?P<rules>[^\]\n]*)\])?"
_MARKUP = (rf"<!--\s*{_WORDS}[^\n]*?-->", rf"\{{\#-?\s*{_WORDS}[^\n]*?\#\}}")
_HASH = (rf"\#\s*{_WORDS}[^\n]*",)
_SLASHES = (rf"//\s*{_WORDS}[^\n]*", rf"/\*\s*{_WORDS}[^\n]*?\*/")
_HANDLEBARS = (*_MARKUP, rf"\{{\{{~?!-?-?\s*{_WORDS}[^\n]*?\}}\}}")
_ERB = (*_MARKUP, rf"<%-?\s*\#\s*{_WORDS}[^\n]*?%>")
# In plain text a number sign is a comment only where it opens the line.
_TEXT = (*_MARKUP, rf"(?m:^)[ \t]*\#\s*{_WORDS}[^\n]*")

_BY_SUFFIX = (
    dict.fromkeys((".md", ".markdown", ".html", ".xml"), _MARKUP)
    | dict.fromkeys((".jinja", ".jinja2", ".j2", ".txt", ".tmpl", ".prompty"), _TEXT)
    | dict.fromkeys((".hbs", ".handlebars", ".mustache"), _HANDLEBARS)
    | dict.fromkeys((".prompt",), (*_TEXT, *_HANDLEBARS[len(_MARKUP) :]))
    | dict.fromkeys((".erb", ".ejs"), _ERB)
    | dict.fromkeys((".py", ".pyi", ".yaml", ".yml", ".toml", ".rb", ".sh"), _HASH)
    | dict.fromkeys((".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs"), _SLASHES)
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One suppression. `line` is where it stands, `target` the line that it silences, None for the whole file.

    `rules`: codes, names or prefixes; empty for all.
    """

    file: str
    line: int
    target: int | None
    rules: tuple[str, ...]

    def silences(self, finding: Finding) -> bool:
        if finding.location.file != self.file:
            return False
        if self.target is not None and finding.location.line not in (self.target, self.line):
            return False
        return self.means(finding.code, finding.name)

    def means(self, code: str, name: str) -> bool:
        """Whether a rule is among those that this is about."""
        return not self.rules or any(names(rule, code, name) for rule in self.rules)

    def __str__(self) -> str:
        what = "ignore" if self.target is not None else "ignore-file"
        return f"promptlint: {what}" + (f"[{', '.join(self.rules)}]" if self.rules else "")


def names(rule: str, code: str, name: str) -> bool:
    """Whether a code, prefix of a code, or name means this rule."""
    return rule == name or code.startswith(rule.upper())


def comments(source: Source) -> list[Comment]:
    """The suppressions in a file, by line. JSON has no comments; its findings are silenced in the configuration."""
    if "promptlint:" not in source.text:
        return []
    return list(_found(source, _BY_SUFFIX.get(Path(source.name).suffix.lower(), ())))


def _found(source: Source, patterns: tuple[str, ...]) -> Iterator[Comment]:
    seen = set()
    for pattern in patterns:
        for match in re.finditer(pattern, source.text):
            line = source.position(match.start("what")).line
            if line in seen:
                continue
            seen.add(line)
            rules = tuple(rule.strip() for rule in (match["rules"] or "").split(",") if rule.strip())
            target = None if match["what"] == "ignore-file" else line + _alone(source.text, match)
            yield Comment(source.name, line, target, rules)


def _alone(text: str, match: re.Match[str]) -> int:
    """1 where the comment is all that stands on its line, and so is about the next one; else 0."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    rest = text[start : match.start()] + text[match.end() : len(text) if end < 0 else end]
    return 0 if rest.strip() else 1
