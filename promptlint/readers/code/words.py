"""Where a file speaks of what: offsets of words, found by plain search of bytes before any pattern is tried.

One pattern with all words runs at 3 MB/s, plain search for each of them at 1 GB/s.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

_AROUND = 30  # bytes before and behind a word that its pattern may look at
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")

# Words of a part of a prompt (in lower case), each with what has to stand around it: a file or function that has none
# gives nothing to a model.
LANDS: Mapping[str, str] = {
    "system": r"system_?(?:prompt|message|msg|instruction|block|text)|[\"']system[\"']|\.system\b|\bsystem\s*[=:,]|"
    r"(?:role|build|get|make|render|compose|create|compile|with|set|add|append|prepend|insert|inject|update|upsert|use|"
    r"push|extend|to)_?system",
    "sys_": r"sys_(?:prompt|message|msg|instruction)",
    "sysprompt": "",
    "sysmsg": "",
    "developer": r"[\"']developer[\"']|developer_?(?:prompt|message|instruction)",
    "instructions": "",
    "preamble": "",
    "tool": r"tools[\"']?\s*[=:,]|tools\s*\(|tool_?(?:def|spec|schema|list|declaration)|"
    r"\btool\s*(?:\.define|\.create)?\s*\(|(?:define|create)_?tool",
    "definitions": r"definitions\s*\(",
    "function_": r"function_(?:def|spec|schema|declaration)",
    "input_schema": "",
    "inputschema": "",
    "parameters": r"parameters[\"']?\s*:\s*\{\s*[\"']?type[\"']?\s*:",
    "functiondecl": "",
    "functionschema": "",
    "messages.": r"messages\.(?:create|stream|new|parse)",
    "responses.": r"responses\.(?:create|stream|new|parse)",
    "completion": r"completions?\.(?:create|stream|new|parse)|completion\s*\(|chat_?completion",
    "converse": "",
    "generate": r"generate_?(?:content|text|object)",
    "stream": r"stream_?(?:text|object)",
    "from_messages": "",
    "frommessages": "",
    "createmessage": "",
    "create_message": "",
    "cache_key": "",
    "cachekey": "",
    "call_id": "",
    "callid": "",
    "tool_use": "",
    "tooluse": "",
    "toolcall": "",
    "tool_call": "",
    "promptlint: prompt": "",
    "role": r"[\"']role[\"']|\brole\s*[:=]",
}
# What else a function that builds a prompt, or that gives a part of one by its name, may have in it.
PARTS: Mapping[str, str] = {
    **dict.fromkeys(
        ("system", "prompt", "instruction", "tools", "definitions", "cache_key", "cachekey", "preamble"), ""
    ),
    **dict.fromkeys(("hashmap", "hashset", "map[", "frozenset", "user", "customer", "tenant", "nonce"), ""),
    **dict.fromkeys(("session_id", "sessionid", "conversation", "request_id", "requestid", "select"), ""),
    **dict.fromkeys(("retrieved", "relevant_", "recall", "search_results", "turn_", "turnc", "tokens_", "tokensu"), ""),
    "role": r"\brole\b",
    "set": r"\bset\b",
}


class Stems:
    """Words with patterns around them. Texts that are searched have to be in lower case."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = [
            (word.encode(), re.split(r"\W", word)[0].encode(), re.compile(text.encode()) if text else None)
            for word, text in words.items()
        ]

    def found(self, low: bytes) -> bool:
        return next(self._offsets(low), None) is not None

    def offsets(self, low: bytes, words: Vocabulary) -> list[int]:
        """Where words stand in a text with this vocabulary."""
        return sorted(self._offsets(low, words.low))

    def _offsets(self, low: bytes, used: bytes | None = None) -> Iterator[int]:
        for word, name, around in self._words:
            if used is not None and name not in used:
                continue
            for at in _occurrences(low, word):
                if around is None or around.search(low, max(0, at - _AROUND), at + len(word) + _AROUND):
                    yield at


class Vocabulary:
    """The identifiers of a file, each once: a tenth of it, in which most words are not found."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.names = frozenset(_IDENTIFIER.findall(data))
        self.low = b" ".join(self.names).lower()
        self._offsets: dict[bytes, list[int]] = {}

    def offsets(self, name: bytes) -> list[int]:
        """Where an identifier stands."""
        if name not in self.names:
            return []
        if name not in self._offsets:
            self._offsets[name] = [at for at in _occurrences(self._data, name) if self._is_whole(at, at + len(name))]
        return self._offsets[name]

    def _is_whole(self, start: int, end: int) -> bool:
        edges = (self._data[max(0, start - 1) : start], self._data[end : end + 1])
        return not any(edge.isalnum() or edge == b"_" for edge in edges)


def _occurrences(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + len(word))


def before(data: bytes, at: int) -> bytes:
    """The identifier in front of the dot or colons before an offset."""
    return re.split(rb"\W", data[max(0, at - 60) : at].rstrip(b".:?"))[-1]


def holds(offsets: list[int], span: tuple[int, int]) -> bool:
    """Whether one of the offsets, which are sorted, lies in a span."""
    at = bisect_left(offsets, span[0])
    return at < len(offsets) and offsets[at] < span[1]


def together(groups: Iterable[list[int]]) -> list[int]:
    return sorted(offset for group in groups for offset in group)
