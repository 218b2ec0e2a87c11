"""Jinja2 and Nunjucks templates. Jinja's own lexer gives no offsets, and drops the white space that it trims."""

from __future__ import annotations

import re
from dataclasses import dataclass

from promptlint.readers.template.nodes import Node, Passage, Tree

_OPENS = re.compile(r"\{[{%#]")
_INSIDE = re.compile(
    r'"(?:[^"\\]|\\.){0,9999}+"|\'(?:[^\'\\]|\\.){0,9999}+\'|[({\[]|[-+]?\}\}|[-+]?%\}|[)}\]]', re.DOTALL
)
_ENDRAW = re.compile(r"\{%[-+]?\s*endraw\s*(-?)[+]?%\}")
_WORD = re.compile(r"[-+]?\s*([A-Za-z_]\w*)\s*")
_FOR = re.compile(
    r"\(?\s*(?P<names>[\w,\s]+?)\s*\)?\s+in\s+(?P<over>.+?)(?:\s+if\s+.+?)?(?:\s+recursive)?\s*$", re.DOTALL
)
_SET = re.compile(r"(?P<names>[\w.,\s]+?)\s*=(?!=)\s*(?P<value>.+)$", re.DOTALL)
_NAMED = re.compile(r"""(["'])(?P<name>[^"'\n]+)\1""")
_CALLED = re.compile(r"(?P<name>\w+)\s*\((?P<params>.*)\)\s*$", re.DOTALL)
_MAPPING = re.compile(r"\.\s*(?:items|keys|values)\s*\(\s*\)\s*$|\|\s*items\s*$")
_ROLE = re.compile(r"""role\s*=\s*["'](\w+)["']""")
_ASIDE = frozenset({"do", "break", "continue", "debug"})
_HELD = frozenset({"call", "filter", "autoescape", "trans", "generation"})  # what they enclose is part of the prompt


@dataclass(frozen=True, slots=True)
class _Tag:
    """`opens` and `ends` are where it begins and ends; the trims say which white space beside it goes."""

    kind: str
    inside: str
    opens: int
    ends: int
    trims_before: bool
    trims_after: bool


def parse(passage: Passage) -> list[Node]:
    """Raises InputError at the first tag that is not closed or not in its place."""
    return _Parser(passage).run()


def tag_end(text: str, start: int, closes: str) -> int:
    """Where the tag's closing delimiter ends, strings and brackets in the tag left out; -1 where there is none."""
    depth = 0
    pos = start
    while (found := _INSIDE.search(text, pos)) is not None:
        token = found[0]
        pos = found.end()
        if token in "({[":
            depth += 1
        elif token.endswith(closes) and (closes == "%}" or depth == 0):
            return pos
        elif token[-1] in ")}]":
            if len(token) > 1:  # two braces, each of which closes one
                pos = found.end() - 1
            depth = max(0, depth - 1)
    return -1


class _Parser:
    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.full = passage.text
        self.tree = Tree(passage)
        self.ends = frozenset(re.findall(r"\{%[-+]?\s*end(\w+)", passage.text))

    def run(self) -> list[Node]:
        pos, trim = 0, False
        while (opened := _OPENS.search(self.full, pos)) is not None:
            tag = self._tag(opened.start())
            self._text(pos, tag.opens, trim, trims_end=tag.trims_before)
            pos, trim = tag.ends, tag.trims_after
            if tag.kind == "{{":
                expression = tag.inside.strip()
                self.tree.add(Node("hole", self.passage, tag.opens, tag.ends, expression))
            elif tag.kind == "{%":
                word = _WORD.match(tag.inside)
                if word is not None and word[1] == "raw":
                    pos, trim = self._raw(tag)
                elif word is not None:
                    self._statement(word[1], tag.inside[word.end() :].rstrip().rstrip("-+").rstrip(), tag)
        self._text(pos, len(self.full), trim, trims_end=False)
        return self.tree.done()

    def _text(self, start: int, end: int, trims_start: bool, *, trims_end: bool) -> None:
        while trims_start and start < end and self.full[start].isspace():
            start += 1
        while trims_end and end > start and self.full[end - 1].isspace():
            end -= 1
        self.tree.text(start, end)

    def _tag(self, start: int) -> _Tag:
        kind = self.full[start : start + 2]
        closes = {"{{": "}}", "{%": "%}", "{#": "#}"}[kind]
        if kind == "{#":
            found = self.full.find("#}", start + 2)
            end = found + 2 if found >= 0 else -1
        else:
            end = tag_end(self.full, start + 2, closes)
        if end < 0:
            raise self.passage.error(f"{kind} is not closed: {closes} is missing", start)
        inside = self.full[start + 2 : end - 2]
        before, after = inside.startswith("-"), inside.endswith("-")
        plain = inside[1:] if inside[:1] in ("-", "+") else inside
        return _Tag(kind, plain[:-1] if plain.endswith(("-", "+")) else plain, start, end, before, after)

    def _raw(self, tag: _Tag) -> tuple[int, bool]:
        """Adds what stands between the tags as text, and says where the parser goes on."""
        end = _ENDRAW.search(self.full, tag.ends)
        if end is None:
            raise self.passage.error("the block that begins here is not closed (endraw is missing)", tag.opens)
        self._text(tag.ends, end.start(), tag.trims_after, trims_end=False)
        return end.end(), bool(end[1])

    def _statement(self, word: str, rest: str, tag: _Tag) -> None:
        if word.startswith("end") and word[3:] and (word[3:] in self.ends):
            self.tree.close(word, tag.opens)
        elif word in ("elif", "elseif", "else"):
            self.tree.branch(word, tag.opens)
        elif word in ("for", "asyncEach"):
            self._loop(rest, tag)
        elif word == "if":
            self.tree.open("endif", self._node("if", tag, rest))
        elif word == "set":
            self._set(rest, tag)
        elif word in ("include", "extends", "import", "from"):
            self._file(word, rest, tag)
        elif word == "block":
            self.tree.open("endblock", self._node("block", tag, "", rest.split()[0] if rest else ""))
        elif word == "macro":
            called = _CALLED.match(rest)
            params = [p.partition("=")[0].strip() for p in called["params"].split(",")] if called else []
            self.tree.open("endmacro", self._node("macro", tag, "", called["name"] if called else "", *params))
        elif word == "with":
            self.tree.open("endwith", self._node("block", tag))
            for each in rest.split(","):
                self._assign(each, tag)
        elif word not in _ASIDE and (word in _HELD or word in self.ends):
            self.tree.open(f"end{word}", self._node("block", tag))
            role = _ROLE.search(rest) if word == "chat" else None
            if role is not None:
                self.tree.add(self._node("role", tag, role[1]))

    def _node(self, kind: str, tag: _Tag, text: str = "", *names: str) -> Node:
        return Node(kind, self.passage, tag.opens, tag.ends, text, tuple(names))

    def _loop(self, rest: str, tag: _Tag) -> None:
        found = _FOR.match(rest)
        if found is None:
            raise self.passage.error("a loop is written {% for NAME in VALUES %}", tag.opens)
        names = [name.strip() for name in found["names"].split(",") if name.strip()]
        node = self._node("loop", tag, found["over"], *names)
        node.mapping = _MAPPING.search(found["over"]) is not None
        self.tree.open("endfor", node)

    def _set(self, rest: str, tag: _Tag) -> None:
        if "=" in rest:
            self._assign(rest, tag)
        else:
            self.tree.open("endset", self._node("set", tag, "", rest.split("|")[0].strip()))

    def _assign(self, text: str, tag: _Tag) -> None:
        found = _SET.match(text.strip())
        if found is not None:
            names = [name.strip() for name in found["names"].split(",")]
            self.tree.add(self._node("set", tag, found["value"].strip(), *names))

    def _file(self, word: str, rest: str, tag: _Tag) -> None:
        target = _NAMED.search(rest)
        if target is None:  # the name is worked out when the template runs
            return
        after = rest[target.end() :]
        if word == "from":
            listed = after.partition("import")[2].replace("with context", "").replace("without context", "")
            names = [part.split() for part in listed.split(",") if part.strip()]
            pairs = [name for part in names for name in (part[0], part[-1])]
            self.tree.add(self._node("import", tag, target["name"], *pairs))
        elif word == "import":
            alias = re.search(r"\bas\s+(\w+)", after)
            self.tree.add(self._node("import", tag, target["name"], alias[1] if alias else ""))
        else:
            self.tree.add(self._node(word, tag, target["name"]))
