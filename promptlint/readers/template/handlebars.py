"""Mustache and Handlebars templates, and the dotprompt files that are written in them."""

from __future__ import annotations

import re

from promptlint.readers.template.nodes import Node, Passage, Tree

_OPENS = re.compile(r"\\?\{\{")
_END = re.compile(r'"[^"\n]{0,2000}+"|\}\}')
_WORDS = re.compile(r"\"[^\"]*\"|'[^']*'|\([^()]*\)|\|[^|]*\||[^\s|]+")
_KEY = re.compile(r"\{\{[^{}]*@key\b")
_ROLES = frozenset({"system", "user", "assistant"})
_HELPERS = frozenset({"section", "role", "media"})  # of dotprompt; no blocks, though some close them
_PLAIN_BLOCKS = frozenset({"if", "unless", "with", "ifEquals", "unlessEquals"})


def parse(passage: Passage) -> list[Node]:
    """Raises InputError at the first tag that is not closed or not in its place."""
    return _Parser(passage).run()


class _Parser:
    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.full = passage.text
        self.tree = Tree(passage)
        self.guidance = "{{#system" in passage.text and "{{/system" in passage.text

    def run(self) -> list[Node]:
        pos, trim = 0, False
        while (opened := _OPENS.search(self.full, pos)) is not None:
            start = opened.start()
            end, inside = self._tag(start)
            if opened[0].startswith("\\"):  # an escaped tag is text
                self.tree.text(pos, end)
                pos, trim = end, False
                continue
            self._text(pos, start, trim, trims_end=inside.startswith("~"))
            pos, trim = end, inside.endswith("~")
            self._do(inside.strip("~").strip(), start, end)
        self._text(pos, len(self.full), trim, trims_end=False)
        return self.tree.done()

    def _text(self, start: int, end: int, trims_start: bool, *, trims_end: bool) -> None:
        while trims_start and start < end and self.full[start].isspace():
            start += 1
        while trims_end and end > start and self.full[end - 1].isspace():
            end -= 1
        self.tree.text(start, end)

    def _tag(self, start: int) -> tuple[int, str]:
        """Where the tag ends, and what stands in it; with `&` in front where its value is not to be escaped."""
        text = self.full
        start += text[start] == "\\"
        if text.startswith(("{{!--", "{{~!--"), start):
            found = re.compile(r"--~?\}\}").search(text, start)
            if found is not None:
                return found.end(), "!" + ("~" if found[0].startswith("--~") else "")
        braces = len(text[start : start + 4]) - len(text[start : start + 4].lstrip("{"))
        if braces == 4:
            end = text.find("{{{{/", start)
            close = text.find("}}}}", end) if end >= 0 else -1
            if close >= 0:
                return close + 4, "!"
        pos = start + min(braces, 3)
        while (found := _END.search(text, pos)) is not None:
            if found[0] == "}}":
                inside = text[start + min(braces, 3) : found.start()]
                if braces >= 3 and text.startswith("}", found.end()):
                    return found.end() + 1, inside
                return found.end(), inside
            pos = found.end()
        raise self.passage.error("{{ is not closed: }} is missing", start)

    def _do(self, inside: str, start: int, end: int) -> None:
        mark, rest = inside[:1], inside[1:].strip().strip("~").strip()
        words = _WORDS.findall(rest)
        if mark == "!":
            return
        if mark == "=":
            raise self.passage.error("sets delimiters of its own, which are not read", start)
        if mark == "#":
            self._block(words, rest, start, end)
        elif mark == "/" and rest in _HELPERS and self.tree.inside() != f"/{rest}":
            return
        elif mark == "/":
            self.tree.close(f"/{words[0] if words else ''}", start)
        elif mark == ">":
            self._node("include", start, end, words[0].strip("\"'") if words else "")
        elif mark == "^" and words:
            self.tree.open(f"/{words[0]}", Node("if", self.passage, start, end, rest))
        elif mark == "^" or inside == "else" or inside.startswith("else "):
            self.tree.branch("else", start)
        elif inside.startswith("role "):
            self._node("role", start, end, inside[5:].strip().strip("\"'"))
        else:
            self._node("hole", start, end, inside.removeprefix("&").strip())

    def _node(self, kind: str, start: int, end: int, text: str) -> None:
        self.tree.add(Node(kind, self.passage, start, end, text))

    def _block(self, words: list[str], rest: str, start: int, end: int) -> None:
        first = words[0] if words else ""
        closes = f"/{first}"
        if first.startswith(">") or first.startswith("*"):  # a layout with its content; a partial defined in place
            self.tree.open(f"/{first[1:] or words[-1]}", Node("block", self.passage, start, end))
        elif self.guidance and first in _ROLES:
            self.tree.open(closes, Node("block", self.passage, start, end))
            self._node("role", start, end, first)
        elif first == "each":
            over = words[1] if len(words) > 1 else ""
            names = tuple(re.findall(r"\w+", rest.partition(" as |")[2]))
            node = Node("loop", self.passage, start, end, over, (*names, "this"))
            node.mapping = self._has_key(end)
            self.tree.open(closes, node)
        elif first in _PLAIN_BLOCKS or len(words) > 1:
            self.tree.open(closes, Node("if", self.passage, start, end, rest))
        else:
            self.tree.open(closes, Node("loop", self.passage, start, end, first))

    def _has_key(self, start: int) -> bool:
        """Whether a loop prints keys, which only a mapping has by name."""
        end = self.full.find("{{/each", start)
        return _KEY.search(self.full, start, end if end >= 0 else len(self.full)) is not None
