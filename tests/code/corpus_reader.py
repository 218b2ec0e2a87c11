"""The labelled corpus of source code: snippets with a rule, a verdict and marks, and what promptlint says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.finding import Finding
from promptlint.model.source import Source
from promptlint.pipeline import Options, check

FOLDER = Path(__file__).parent / "corpus"
SUFFIXES = {"python": "py", "typescript": "ts", "go": "go", "rust": "rs"}
_HEAD = re.compile(r"^### (PL\d{3}) (bad|good): (.+)$", re.MULTILINE)
_MARK = re.compile(r"\[\|(.*?)\|\]", re.DOTALL)


@dataclass(frozen=True)
class Snippet:
    """`marked` are the places (start, end) that the rule must report; none in a good one."""

    language: str
    rule: str
    bad: bool
    note: str
    text: str
    marked: frozenset[tuple[int, int]]

    def __str__(self) -> str:
        return f"{self.language}-{self.rule}-{'bad' if self.bad else 'good'}: {self.note}"

    def findings(self) -> list[Finding]:
        name = f"prompt.{SUFFIXES[self.language]}"
        return list(check([(None, Source(name, self.text))], Options()).findings)

    def places(self, findings: list[Finding]) -> set[tuple[int, int]]:
        """Where the snippet's rule was reported."""
        lines = [0]
        for line in self.text.splitlines(keepends=True):
            lines.append(lines[-1] + len(line))
        return {
            (
                lines[f.location.line - 1] + f.location.column - 1,
                lines[f.location.end_line - 1] + f.location.end_column - 1,
            )
            for f in findings
            if f.code == self.rule
        }


def snippets(language: str) -> Iterator[Snippet]:
    text = (FOLDER / f"{language}.corpus").read_text("utf-8")
    heads = list(_HEAD.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        code = text[head.end() : following.start() if following else len(text)].strip("\n") + "\n"
        plain, marked = _unmarked(code)
        yield Snippet(language, head[1], head[2] == "bad", head[3], plain, marked)


def _unmarked(code: str) -> tuple[str, frozenset[tuple[int, int]]]:
    """The code without marks; a bar that belongs to the code is written as `\\|`."""
    plain, places, seen = "", set(), 0
    for match in _MARK.finditer(code):
        plain += code[seen : match.start()]
        inner = match[1].replace("\\|", "|")
        places.add((len(plain), len(plain) + len(inner)))
        plain += inner
        seen = match.end()
    return plain + code[seen:], frozenset(places)
