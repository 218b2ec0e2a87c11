"""The labelled corpus of templates: snippets with a rule, a verdict and marks, and what promptlint says of each.

`any.corpus` holds snippets that every syntax can say; they are written out in each. The other files are of one syntax.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.finding import Finding
from promptlint.model.source import Source
from promptlint.pipeline import Options, check

FOLDER = Path(__file__).parent / "corpus"
_HEAD = re.compile(r"^### (PL\d{3}) (bad|good)(?: \((\S+)\))?: (.+)$", re.MULTILINE)
_MARK = re.compile(r"\[\|(.*?)\|\]", re.DOTALL)
_HOLE = re.compile(r"@(\w+)@")
_WORDS = re.compile(r"<<(\d+) words>>")
_TEXT = str.split(
    """
Answer in short plain sentences and name the source of every figure that you give. Ask one question at a time and wait
for the reply. Never promise a delivery date that the planning system has not confirmed, and pass any request for a
refund to a colleague together with the order and the reason.
"""
)


@dataclass(frozen=True)
class Syntax:
    """How placeholders of a neutral snippet are written, in which file, and what stands around the text."""

    file: str
    hole: Callable[[str], str]
    wrap: Callable[[str], str] = str


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _langchain(text: str) -> str:
    return f"_type: prompt\ninput_variables: []\ntemplate: |\n{_indented(text)}"


def _chat_json(text: str) -> str:
    """As JSON with the marks kept: they hold no character that JSON escapes."""
    messages = [{"role": "system", "content": text}, {"role": "user", "content": "{{ question }}"}]
    return json.dumps(messages, indent=2, ensure_ascii=False)


SYNTAXES = {
    "jinja": Syntax("system.j2", lambda name: f"{{{{ {name} }}}}"),
    "format": Syntax("system.txt", lambda name: f"{{{name}}}"),
    "markdown": Syntax("system.md", lambda name: f"{{{{{name}}}}}"),
    "dollar": Syntax("system.txt", lambda name: f"${{{_camel(name)}}}"),
    "handlebars": Syntax("system.hbs", lambda name: f"{{{{{_camel(name)}}}}}"),
    "erb": Syntax("system.erb", lambda name: f"<%= @{name} %>"),
    "yaml": Syntax("prompt.yaml", lambda name: f"{{{name}}}", _langchain),
    "json": Syntax("prompt.json", lambda name: f"{{{{ {name} }}}}", _chat_json),
    "prompty": Syntax(
        "desk.prompty",
        lambda name: f"{{{{ {name} }}}}",
        lambda text: f"---\nname: Desk\nmodel:\n  api: chat\n---\nsystem:\n{text}\nuser:\n{{{{ question }}}}\n",
    ),
    "dotprompt": Syntax(
        "desk.prompt",
        lambda name: f"{{{{{_camel(name)}}}}}",
        lambda text: (
            f'---\nmodel: a/model\n---\n{{{{role "system"}}}}\n{text}\n{{{{role "user"}}}}\n{{{{question}}}}\n'
        ),
    ),
}


@dataclass(frozen=True)
class Snippet:
    """`marked` are the places (start, end) that the rule must report; none in a good one."""

    syntax: str
    file: str
    rule: str
    bad: bool
    note: str
    text: str
    marked: frozenset[tuple[int, int]]

    def __str__(self) -> str:
        return f"{self.syntax}-{self.rule}-{'bad' if self.bad else 'good'}: {self.note}"

    def findings(self) -> list[Finding]:
        return list(check([(None, Source(self.file, self.text))], Options()).findings)

    def places(self, findings: list[Finding]) -> set[tuple[int, int]]:
        """Where the snippet's rule was reported."""
        lines = [0]
        for line in self.text.split("\n"):
            lines.append(lines[-1] + len(line) + 1)
        places = [finding.location for finding in findings if finding.code == self.rule]
        return {(lines[at.line - 1] + at.column - 1, lines[at.end_line - 1] + at.end_column - 1) for at in places}


def snippets(syntax: str) -> Iterator[Snippet]:
    """The neutral snippets written in the syntax, and its own."""
    how = SYNTAXES[syntax]
    for head, text in _read(FOLDER / "any.corpus"):
        yield _snippet(syntax, head, how.wrap(_HOLE.sub(lambda hole: how.hole(hole[1]), text)), how.file)
    own = FOLDER / f"{syntax}.corpus"
    for head, text in _read(own) if own.exists() else ():
        yield _snippet(syntax, head, text, how.file)


def _read(path: Path) -> Iterator[tuple[re.Match[str], str]]:
    text = path.read_text("utf-8")
    heads = list(_HEAD.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        body = text[head.end() : following.start() if following else len(text)].strip("\n") + "\n"
        yield head, _WORDS.sub(lambda match: " ".join((_TEXT * 9)[: int(match[1])]), body)


def _snippet(syntax: str, head: re.Match[str], text: str, file: str) -> Snippet:
    plain, places, seen = "", set(), 0
    for match in _MARK.finditer(text):
        plain += text[seen : match.start()]
        places.add((len(plain), len(plain) + len(match[1])))
        plain += match[1]
        seen = match.end()
    return Snippet(syntax, head[3] or file, head[1], head[2] == "bad", head[4], plain + text[seen:], frozenset(places))
