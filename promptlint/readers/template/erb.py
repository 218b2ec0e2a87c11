"""ERB and what is written like it (EJS): code between `<%` and `%>`."""

from __future__ import annotations

import re

from promptlint.readers.template.nodes import Node, Passage, Tree

_TAG = re.compile(r"<%(?P<mark>[%#=_-]?)")
_RUBY_LOOP = re.compile(
    r"(?P<over>[\w.@\[\]:\"'()]+?)\.(?P<how>each\w*|map|each_with_index)\s*(?:do|\{)\s*(?:\|(?P<names>[^|]*)\|)?\s*$"
)
_JS_LOOP = re.compile(
    r"(?P<over>[\w.()]+?)\.(?:forEach|map)\s*\(\s*(?:function\s*)?\(?(?P<names>[\w\s,]*)\)?\s*(?:=>)?\s*\{\s*$"
    r"|for\s*\(\s*(?:const|let|var)\s+(?P<each>\w+|\[[^\]]*\])\s+(?P<how>of|in)\s+(?P<of>.+?)\s*\)\s*\{\s*$"
)
_RUBY_FOR = re.compile(r"for\s+(?P<names>[\w\s,]+?)\s+in\s+(?P<over>.+?)(?:\s+do)?\s*$")
_OPENS = re.compile(
    r"(?:if|unless|case|while|until|begin)\b|.*(?:\bdo\s*(?:\|[^|]*\|)?|\{\s*(?:\|[^|]*\|)?)\s*$", re.DOTALL
)
_CLOSES = re.compile(r"end\b|\}")
_BRANCH = re.compile(r"(?:elsif|else|when|in|rescue|ensure)\b|\}\s*else\b")
_MAPPING = re.compile(r"each_pair|each_key|each_value")
_JS_MAPPING = re.compile(r"Object\.(?:entries|keys|values)\(")
_ASSIGN = re.compile(r"(?:const\s+|let\s+|var\s+)?(?P<name>@?\w+)\s*=(?!=)\s*(?P<value>.+)$", re.DOTALL)


def parse(passage: Passage) -> list[Node]:
    """Raises InputError at the first tag that is not closed or not in its place."""
    tree = Tree(passage)
    text, pos, trim = passage.text, 0, False
    while (opened := _TAG.search(text, pos)) is not None:
        start, mark = opened.start(), opened["mark"]
        if mark == "%":  # a tag that is shown
            tree.text(pos, opened.end())
            pos = opened.end()
            continue
        close = text.find("%>", opened.end())
        if close < 0:
            raise passage.error("<% is not closed: %> is missing", start)
        begin = pos
        if trim and text.startswith(("\n", "\r\n"), begin):
            begin = text.index("\n", begin) + 1
        tree.text(begin, start)
        inside = text[opened.end() : close]
        pos, trim = close + 2, inside.endswith(("-", "_"))
        code = inside.rstrip("-_").strip().removeprefix("=").rstrip(";").strip()
        if mark in ("=", "-") and not (mark == "-" and _is_statement(code)):
            tree.add(Node("hole", passage, start, pos, code))
        elif mark != "#":
            _statement(tree, code, start, pos)
    tree.text(pos, len(text))
    return tree.done()


def _is_statement(code: str) -> bool:
    """Whether `<%- … %>` is ERB's statement that trims, and not EJS's value that is not escaped."""
    return bool(_OPENS.match(code) or _CLOSES.match(code) or _BRANCH.match(code) or _ASSIGN.match(code))


def _statement(tree: Tree, code: str, start: int, end: int) -> None:
    passage = tree.passage
    if _BRANCH.match(code):
        tree.branch(code.split()[0], start)
    elif _CLOSES.match(code):
        tree.close("end", start)
    elif loop := _RUBY_LOOP.match(code):
        names = tuple(re.findall(r"\w+", loop["names"] or ""))
        node = Node("loop", passage, start, end, loop["over"].lstrip("@"), names)
        node.mapping = bool(_MAPPING.fullmatch(loop["how"])) or (len(names) == 2 and loop["how"] == "each")
        tree.open("end", node)
    elif loop := _JS_LOOP.match(code):
        over = loop["over"] or loop["of"]
        names = tuple(re.findall(r"\w+", loop["names"] or loop["each"] or ""))
        node = Node("loop", passage, start, end, over, names)
        node.mapping = loop["how"] == "in" or bool(_JS_MAPPING.match(over))
        tree.open("end", node)
    elif loop := _RUBY_FOR.match(code):
        tree.open("end", Node("loop", passage, start, end, loop["over"], tuple(re.findall(r"\w+", loop["names"]))))
    elif _OPENS.match(code):
        tree.open("end", Node("if", passage, start, end, code))
    elif assigned := _ASSIGN.match(code):
        tree.add(Node("set", passage, start, end, assigned["value"], (assigned["name"].lstrip("@"),)))
