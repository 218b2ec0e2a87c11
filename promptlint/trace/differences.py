"""In what two request bodies differ, told cheaply, so that one diagnosis stands for all pairs that part alike."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from promptlint.model.common import common_prefix, shared_ends

_HISTORIES = ("messages", "input", "contents")
_BESIDES = ("tools", "toolConfig", "first")  # of an opening, what is not its instructions
_INSTRUCTIONS = 200  # characters
ALIKE = 0.5  # of an opening's characters, from which on two requests come from one program
_INSTRUCTING = ("system", "developer")
_CONTEXT = 24  # characters before a difference that tell it from another one in the same field
_WORD_END = re.compile(r"[^\s\"<>(\[{=]*\Z")  # the word that differs, of which a part may be equal by chance
_MOST_LINES = 8
_DIGITS = re.compile(r"[0-9]+")
_MARKERS = ("cache_control", "cachePoint")
_SHARED = 32  # values


@dataclass(frozen=True, slots=True)
class Differences:
    """`signature` is equal for pairs that part in the same places and the same way, whatever the values are.

    `any`: there are any. `tail`: characters of the later prompt from the first message on that changed; 0: none did.
    """

    signature: Hashable
    any: bool
    tail: int


def differences(before: Mapping[str, Any], after: Mapping[str, Any], *, one_conversation: bool) -> Differences:
    """Markers are no content: only their number counts. Of another conversation only what stands before it counts."""
    fixed_before, old = _parted(before)
    fixed_after, new = _parted(after)
    found = list(_different("", fixed_before, fixed_after))
    kept, changed = _histories(old, new) if one_conversation else (len(new), [])
    signature = (tuple(dict.fromkeys((*found, *changed))), min(_markers(after), 5), one_conversation)
    tail = sum(len(text) for message in new[kept:] for _, text in _texts("", message)) if changed else 0
    return Differences(signature, bool(found or changed), tail)


def _parted(body: Mapping[str, Any]) -> tuple[dict[str, Any], Sequence[Any]]:
    """What stands before the conversation, messages that instruct included, and the conversation."""
    messages, start = history(body), instructing(body)
    fixed = {key: value for key, value in body.items() if key not in _HISTORIES or not isinstance(value, list)}
    return {**fixed, "instructions": list(messages[:start])} if start else fixed, messages[start:]


def instructing(body: Mapping[str, Any]) -> int:
    """How many messages instruct before the conversation begins."""
    messages = history(body)
    return next((at for at, message in enumerate(messages) if _role(message) not in _INSTRUCTING), len(messages))


def _role(message: Any) -> str:
    return str(message.get("role", "")) if isinstance(message, dict) else ""


def history_key(body: Mapping[str, Any]) -> str | None:
    """The field of a body that holds its messages, in any wire format."""
    return next((key for key in _HISTORIES if isinstance(body.get(key), list)), None)


def history(body: Mapping[str, Any]) -> Sequence[Any]:
    """The messages of a body."""
    key = history_key(body)
    return body[key] if key else ()


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same text for the model: the order of keys counts, markers do not."""
    return not any(_different("", one, other))


def marked(value: Any) -> dict[str, Any]:
    """The cache marker in a value, as the field that it is; empty where there is none."""
    if isinstance(value, dict):
        own = {key: value[key] for key in _MARKERS if key in value}
        return own or next((found for item in value.values() if (found := marked(item))), {})
    return next((found for item in value if (found := marked(item))), {}) if isinstance(value, list) else {}


def unmarked(value: Any) -> Any:
    """A value without the cache markers in it."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key not in _MARKERS}
    return list(map(unmarked, value)) if isinstance(value, list) else value


class Opening:
    """The texts of a request before its conversation and of the first message, by path.

    `told` are its instructions, `all` these and the tools and the first message.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        fixed, messages = _parted(body)
        self._besides = {key: value for key, value in fixed.items() if key in _BESIDES}
        self._besides["first"] = messages[0] if messages else ""
        self.told = dict(_texts("", {key: value for key, value in fixed.items() if key not in _BESIDES}))

    @cached_property
    def all(self) -> Mapping[str, str]:
        return {**self.told, **dict(_texts("", self._besides))}


def alike(one: Opening, other: Opening) -> float:
    """How much of an opening stands in another one at the same path: the share of its characters, 0 to 1.

    The instructions decide where there are any to speak of: a sub-agent may have the same tools.
    """
    told = sum(map(len, one.told.values())) >= _INSTRUCTIONS
    texts, others = (one.told, other.told) if told else (one.all, other.all)
    total = sum(map(len, texts.values()))
    same = sum(sum(shared_ends(text, others.get(path, ""))) for path, text in texts.items())
    return same / total if total else 0.0


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(f"{path}.{key}", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(f"{path}[{name_of(item) or index}]", item)


def name_of(item: Any) -> str:
    """The name of a tool, under any provider's key."""
    if not isinstance(item, dict):
        return ""
    if isinstance(item.get("name"), str):
        return str(item["name"])
    return next((name_of(item[key]) for key in ("function", "toolSpec") if key in item), "")


def _different(path: str, old: Any, new: Any) -> Iterator[Hashable]:
    """Places in which two values differ, order of keys included, without the values."""
    if old is new:  # requests of one log share what they have in common
        return
    if isinstance(old, str) and isinstance(new, str):
        if old != new:
            yield path, *_lines(old, new)
    elif isinstance(old, dict) and isinstance(new, dict):
        ours, theirs = _keys(old), _keys(new)
        if ours != theirs:
            # Which of many schemas have their keys in another order is chance.
            reordered = sorted(ours) == sorted(theirs)
            yield (path.partition("[")[0], "keys") if reordered else (path, *sorted({*ours} ^ {*theirs}))
        for key in ours:
            if key in new:
                yield from _different(f"{path}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        yield from _different_lists(path, old, new)
    elif old != new or type(old) is not type(new):
        yield path, "value"


def _lines(old: str, new: str) -> Iterator[str]:
    """The lines of a text that the other version has not, each by what stands before the change in it."""
    gone, come = _changed_lines(old, new)
    for left, right in zip_longest(gone[:_MOST_LINES], come[:_MOST_LINES], fillvalue=""):
        at = common_prefix(left, right)
        yield _DIGITS.sub("0", _WORD_END.sub("", left[max(0, at - _CONTEXT) : at]))


def _changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines of each version that the other has not, where few lines lie between what both begin and end with."""
    head, tail = shared_ends(old, new)
    begin, end = old.rfind("\n", 0, head) + 1, old.find("\n", len(old) - tail)
    behind = len(old) - end if end >= 0 else 0
    ours, theirs = (text[begin : len(text) - behind].split("\n") for text in (old, new))
    if max(len(ours), len(theirs)) <= _MOST_LINES:  # it is cheaper to look for these than to split long texts
        before, after = f"\n{old}\n", f"\n{new}\n"
        gone = [line for line in ours if f"\n{line}\n" not in after]
        return gone, [line for line in theirs if f"\n{line}\n" not in before]
    known, others = set(new.split("\n")), set(old.split("\n"))
    return [line for line in old.split("\n") if line not in known], [
        line for line in new.split("\n") if line not in others
    ]


def _different_lists(path: str, old: list[Any], new: list[Any]) -> Iterator[Hashable]:
    ours, theirs = list(map(name_of, old)), list(map(name_of, new))
    if ours == theirs:
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _different(f"{path}[{ours[index] or index}]", left, right)
        return
    yield path, "order" if sorted(ours) == sorted(theirs) else "members"
    named = dict(zip(theirs, new, strict=True))
    for name, left in zip(ours, old, strict=True):
        if name and name in named:
            yield from _different(f"{path}[{name}]", left, named[name])


def _keys(value: Mapping[str, Any]) -> list[str]:
    return [key for key in value if key not in _MARKERS]


def _histories(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, list[Hashable]]:
    """How many messages are the same from the first on, and how the first other one differs, but not which it is."""
    kept = 0
    for left, right in zip(old, new, strict=False):
        if left != right and any(_different("", left, right)):
            break
        kept += 1
    if kept == len(old):
        return kept, []
    if kept == len(new):
        return kept, [("history", _role(old[kept]), "gone")]
    one, other = dict(_texts("", old[kept])), dict(_texts("", new[kept]))
    paths = [path for path in {**one, **other} if one.get(path) != other.get(path)]
    texts = [_edit(one.get(path), other.get(path)) for path in paths[:2]]
    return kept, [("history", _role(old[kept]), *(re.sub(r"\[\d+\]", "[]", path) for path in paths[:2]), *texts)]


def _edit(old: str | None, new: str | None) -> str:
    """What became of a text of an earlier message, without the text: but a short one that took its place is named."""
    if old is None or new is None:
        return "came" if old is None else "gone"
    at = common_prefix(old, new)
    if not at and len(new) * 2 < len(old):
        return _DIGITS.sub("0", new[:_CONTEXT])
    return "cut" if len(new) * 2 < len(old) else "other" if not at else "edited"


def _markers(body: Mapping[str, Any]) -> int:
    """Cache markers in a body."""
    return sum((key in _MARKERS) + _markers_in(value) for key, value in body.items())


def _count(value: Any) -> int:
    if isinstance(value, dict):
        return sum(key in _MARKERS for key in value) + sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 0


class _Shared:
    """What `_count` gives for values that many requests share: tools, above all."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int]] = {}

    def __call__(self, value: Any) -> int:
        if not isinstance(value, (dict, list)):
            return 0
        known = self._known.get(id(value))
        if known is None or known[0] is not value:
            if len(self._known) == _SHARED:
                self._known.clear()
            known = self._known[id(value)] = (value, _count(value))
        return known[1]


_markers_in = _Shared()
