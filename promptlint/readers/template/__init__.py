"""Templates that prompts are made from: what kind a file is, and what stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.model.template import Fixed, Names, Region, Template
from promptlint.readers.template.files import Files
from promptlint.readers.template.found import among_pages, is_prompt

if TYPE_CHECKING:
    from promptlint.jsonspans import Node as Value
    from promptlint.readers.template.nodes import Node
    from promptlint.readers.template.structured import Message

__all__ = ["SUFFIXES", "Files", "Names", "Reader", "may_be"]

# Suffix → the syntax that a file with it is written in; `text` is looked at more closely.
SUFFIXES = {
    ".j2": "jinja",
    ".jinja": "jinja",
    ".jinja2": "jinja",
    ".hbs": "handlebars",
    ".handlebars": "handlebars",
    ".mustache": "handlebars",
    ".erb": "erb",
    ".ejs": "erb",
    ".prompty": "front",
    ".prompt": "front",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
}
_FRONT = re.compile(
    r"\ufeff?(?:[ \t]*(?:#[^\n]*)?\n)*+---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL
)
_SAYS = re.compile(r"^[ \t]*(?:template|type|format)[ \t]*:[ \t]*[\"']?(jinja2?|mustache|handlebars)", re.MULTILINE)
_NAMES_A_FILE = re.compile(r"\btemplate_path\b|^prompts:[\s\S]{0,2000}?file://", re.MULTILINE).search
# Pages of a project for people: what they say about placeholders is no prompt.
_PAGE = re.compile(
    r"(?:(?i:read_?me|change_?log|contributing|licen[cs]e|code_of_conduct)|CHANGES|HISTORY|NEWS|SECURITY|UPGRADING|AUTHORS)"
    r"(?:[._-][\w.-]+)?\.(?:md|markdown|txt|rst)$"
).match
# A template in a folder with that many of these makes a web page; no prompt is built of them.
_MARKUP = re.compile(r"<\w{1,12} [^<>\n]{0,200}?(?:class|style|href|src)=\"").findall
_FEW = 5
_BEGINNING = 20_000  # characters
_RUNNING = frozenset({".md", ".txt"})  # whose braces may be those of anything that a page writes about
_HTML = re.compile(r"(?i)\s*<(?:!doctype\s+html|html)\b").match  # a page of a web site
_HOLDS = re.compile(r"\{\{|\{%|\$\{|<%|\{[A-Za-z_]").search


def may_be(source: Source) -> bool:
    """Whether a file can hold a region that varies; all that most files need, without loading anything."""
    if (
        not (_HOLDS(source.text) or _NAMES_A_FILE(source.text))
        or _PAGE(PurePath(source.name).name)
        or _HTML(source.text)
    ):
        return False
    if not source.walked:
        return True
    running = not source.declared and PurePath(source.name).suffix.lower() in _RUNNING
    return not (running and not is_prompt(source)) and len(_MARKUP(source.text[:_BEGINNING])) <= _FEW


def is_page(source: Source) -> bool:
    """Whether a text that was only found in a folder is one for people: a README and the like, or documentation."""
    if not source.walked or source.declared:
        return False
    path = PurePath(source.name)
    page = path.suffix.lower() in _RUNNING and among_pages(source.name) and not is_prompt(source)
    return page or _PAGE(path.name) is not None


class Reader:
    """Reads the templates of one run; what several include is parsed once. `said`: names as a house calls them."""

    def __init__(self, files: Files, said: Names) -> None:
        from promptlint.readers.template.files import Includes

        self._includes = Includes(files)
        self._said = said

    def read(self, source: Source) -> tuple[list[Template], list[Skip]]:
        """The prompts of a file; several in some YAML files. Raises InputError for a template that is none."""
        if not may_be(source):
            return [], []
        syntax = SUFFIXES.get(PurePath(source.name).suffix.lower(), "text")
        found: list[Template] = []
        skips: list[Skip] = []
        for messages in _structured(source, syntax) if syntax in ("yaml", "json") else [_whole(source, syntax)]:
            template, skipped = self._flat(source, syntax if syntax in ("yaml", "json") else messages[0][2], messages)
            found.append(template)
            skips += skipped
        return found, skips

    def _flat(self, source: Source, syntax: str, messages: Sequence[_Parsed]) -> tuple[Template, list[Skip]]:
        from promptlint.readers.template import roles
        from promptlint.readers.template.flatten import Flattener

        parts: list[Fixed | Region] = []
        names: list[str] = []
        skips: list[Skip] = []
        for role, nodes, written in messages:
            mapping = "mapping" if written == "jinja" else "keys"
            flat = roles.split(Flattener(self._includes.loader(written), self._said, mapping).run(nodes, source))
            if role and flat.roles:
                flat.roles[0] = role
            parts += [replace(part, message=part.message + len(names)) for part in flat.parts]
            names += flat.roles
            if _is_template(source):  # what only looks like a template may only look like an include
                skips += [Skip(source.name, f"{name!r} that it includes is not there") for name in flat.missing]
            if flat.cut:
                skips.append(Skip(source.name, "is too long with all that it includes; only its beginning was read"))
        return Template(source, syntax, tuple(names), tuple(parts)), list(dict.fromkeys(skips))


def _is_template(source: Source) -> bool:
    """Whether a file says by its name that it is a template."""
    return SUFFIXES.get(PurePath(source.name).suffix.lower(), "text") not in ("text", "yaml", "json")


# The role of a message, its nodes and their syntax.
_Parsed = tuple[str, "list[Node]", str]


def _whole(source: Source, syntax: str) -> list[_Parsed]:
    """A file that is one text, without its front matter."""
    from promptlint.readers.template import running
    from promptlint.readers.template.nodes import Passage

    start = front_matter(source) if syntax == "front" else 0
    if syntax == "front":
        syntax = _syntax_of_body(source, source.text[:start]) if start else "text"
    passage = Passage(source.text[start:], source, start)
    if syntax == "text":
        syntax, nodes = running.parse(passage)
        return [("", nodes, syntax)]
    return [("", running.parse_as(syntax, passage), syntax)]


def front_matter(source: Source) -> int:
    """Where the front matter of a Prompty or dotprompt file ends; 0 for a file without."""
    found = _FRONT.match(source.text) if SUFFIXES.get(PurePath(source.name).suffix.lower()) == "front" else None
    return found.end() if found else 0


def _syntax_of_body(source: Source, front: str) -> str:
    """Prompty is Jinja where its front matter does not say otherwise, dotprompt is Handlebars."""
    if source.name.lower().endswith(".prompty"):
        said = _SAYS.search(front)
        return "handlebars" if said and said[1] in ("mustache", "handlebars") else "jinja"
    return "jinja" if "{%" in source.text else "handlebars"


def tree(source: Source, syntax: str) -> Value:
    """The values of a YAML or JSON file with their places. Raises InputError."""
    if syntax == "json":
        from promptlint.jsonspans import parse

        return parse(source)
    from promptlint.readers.template import yamlnodes

    return yamlnodes.parse(source)


def _message(each: Message) -> _Parsed:
    from promptlint.readers.template import running
    from promptlint.readers.template.nodes import Node

    passage = each.passage
    if each.elsewhere:  # the parts of a file, as if it were included
        path = passage.text.removeprefix("file://")
        return each.role, [Node("include", passage, 0, len(passage.text), path)], each.syntax
    if each.syntax == "literal":
        return each.role, [Node("text", passage, 0, len(passage.text), passage.text)], "text"
    if each.syntax == "text":
        syntax, nodes = running.parse(passage)
        return each.role, nodes, syntax
    return each.role, running.parse_as(each.syntax, passage), each.syntax


def _structured(source: Source, syntax: str) -> Iterator[list[_Parsed]]:
    """The prompts in a YAML or JSON file, message for message."""
    from promptlint.readers.template import structured

    for messages in structured.prompts(source, tree(source, syntax)):
        yield [_message(each) for each in messages]
