"""A log with some of its causes repaired: what should have stayed the same is set to the value that came first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from promptlint.model.finding import Finding
from promptlint.trace.differences import history_key, instructing, marked, name_of, same, unmarked
from promptlint.trace.region import Path, Region, parsed, regions, value_at, with_value

Body = dict[str, Any]
_MARKER = {"cache_control": {"type": "ephemeral"}}
# Repairs that make what says the same look the same: whoever makes them sorts, and so they hold for the whole log.
SORTING = ("order", "schemas", "lines")
_KINDS = {"PL201": "order", "PL202": "schemas", "PL205": "schemas", "PL206": "schemas", "PL301": "tools"}


@dataclass(frozen=True, slots=True)
class Repair:
    """How a cause is repaired in a body. `kind`: `order` (of the tools at `path`), `schemas` (those that say the same),
    `tool` (the one called `name`), `tools` (all), `lines` (their order in a text), `text` (`regions` of it), `history`
    (earlier messages stay as they were sent), `setting`, or `markers` (Anthropic's, at the end of the instructions and
    on the newest message). `everywhere`: set to the first value that the log has there, not to that of each
    conversation; a program that has no such place may come before.
    """

    kind: str
    path: Path
    name: str = ""
    regions: tuple[Region, ...] = ()
    everywhere: bool = False

    @property
    def assumption(self) -> str:
        """In words, what the replay takes for granted."""
        first = f"the first request of {'the log' if self.everywhere else 'each conversation'}"
        moved = (
            " that has it; what it says moves to the newest message, whose few tokens are not counted"
            if self.everywhere
            else ""
        )
        return {
            "order": f"tools stand in the order of {first}",
            "schemas": f"schemas are written as in {first}",
            "tool": f"the tool is that of {first}",
            "tools": f"tools are those of {first}",
            "lines": f"lines stand in the order of {first}",
            "text": f"the text there is that of {first}{moved}",
            "history": "every message stays as it was first sent",
            "setting": f"the value is that of {first}",
            "markers": "a cache marker stood at the end of the instructions and one on the newest message",
        }[self.kind]


def repair_of(finding: Finding, source: str, body: Body) -> Repair | None:
    """How a finding on `body` (its compact JSON is `source`) is repaired; None where nothing general can be said."""
    path = parsed(finding.location.path)
    if not path:
        return None
    tools = next((path[:end] for end in range(1, len(path)) if _is_tool(value_at(body, path[: end + 1]))), None)
    if tools is not None:
        name = name_of(value_at(body, path[: len(tools) + 1]))
        return Repair(_KINDS.get(finding.code, "tool"), tools, name)
    if path[0] == history_key(body) and (len(path) < 2 or int(path[1]) >= instructing(body)):
        return Repair("history", path[:1])
    value = value_at(body, path)
    if isinstance(value, str) and finding.code == "PL203":
        return Repair("lines", path)
    found = regions(finding, source, value) if isinstance(value, str) else []
    if found:
        return Repair("text", path, regions=tuple(found))
    return Repair("setting", path[:1])


def _is_tool(value: Any) -> bool:
    return bool(name_of(value))


@dataclass(slots=True)
class _Memory:
    """What a conversation had first: its first body, and its messages as they were first sent, without markers."""

    first: Body
    history: list[Any] = field(default_factory=list)


class Repairer:
    """Applies repairs to the bodies of a log, in their order."""

    def __init__(self, repairs: Sequence[Repair]) -> None:
        self._repairs = repairs
        self._firsts: dict[int, Body] = {}  # by number of the repair, where it holds for the whole log
        self._sessions: dict[str, _Memory] = {}

    def apply(self, body: Body, session: str, *, last: bool = False) -> Body:
        """The body with all repairs; the given one is not changed. `last`: nothing more of this session comes."""
        memory = self._sessions.setdefault(session, _Memory(body))
        for number, repair in enumerate(self._repairs):
            if repair.kind == "history":
                body = _append_only(body, memory)
            elif repair.kind == "markers":
                body = _marked(body)
            else:
                body = _repaired(body, self._held(number, body) if repair.everywhere else memory.first, repair)
        if last:
            del self._sessions[session]
        return body

    def _held(self, number: int, body: Body) -> Body:
        """The first request of the log that has what a repair sets; tools that come later stand behind those it has."""
        repair, held = self._repairs[number], self._firsts.get(number)
        here = value_at(body, repair.path)
        if held is None:
            if not _has(here, repair):
                return body
            held = body
        tools = value_at(held, repair.path)
        if isinstance(here, list) and isinstance(tools, list) and repair.kind != "tools":
            names = set(map(name_of, tools))
            held = with_value(held, repair.path, [*tools, *(tool for tool in here if name_of(tool) not in names)])
        self._firsts[number] = held
        return held


def _has(value: Any, repair: Repair) -> bool:
    if repair.kind == "text":
        return isinstance(value, str) and any(region.span(value) for region in repair.regions)
    return repair.kind == "setting" or value is not None


def _marked(body: Body) -> Body:
    """The body with Anthropic's automatic marker, which moves along with the newest message, and one on the system."""
    system = body.get("system")
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) and system else system
    if isinstance(blocks, list) and blocks and isinstance(blocks[-1], dict):
        body = {**body, "system": [*blocks[:-1], {**blocks[-1], **_MARKER}]}
    return {**body, **_MARKER}


def _repaired(body: Body, first: Body, repair: Repair) -> Body:
    if repair.kind == "setting":
        key = repair.path[0]
        rest = {name: value for name, value in body.items() if name != key}
        return {**body, key: first[key]} if key in first else rest
    here, there = value_at(body, repair.path), value_at(first, repair.path)
    if here is None or there is None or type(here) is not type(there):
        return body
    if repair.kind == "tools":
        value = there
    elif isinstance(here, list):
        value = _tools_as(here, there, repair)
    elif isinstance(here, str):
        value = _lines_as(here, there) if repair.kind == "lines" else _regions_as(here, there, repair.regions)
    else:
        return body
    return with_value(body, repair.path, value)  # type: ignore[no-any-return]


def _tools_as(here: list[Any], there: list[Any], repair: Repair) -> list[Any]:
    """Tools as another request has them, as far as the repair goes. Markers stay where they are in the list."""
    markers = [marked(tool) for tool in here]
    tools = [unmarked(tool) for tool in here]
    named = {name_of(tool): unmarked(tool) for tool in there}
    if repair.kind == "order":
        rank = {name: place for place, name in enumerate(named)}
        tools.sort(key=lambda tool: rank.get(name_of(tool), len(rank)))
    elif repair.kind == "schemas":  # dictionaries are equal whatever the order of their keys
        others = [named.get(name_of(tool), tool) for tool in tools]
        tools = [other if other == tool else tool for tool, other in zip(tools, others, strict=True)]
    else:
        tools = [named.get(repair.name, tool) if name_of(tool) == repair.name else tool for tool in tools]
    pairs = zip(tools, markers, strict=True)
    return [{**tool, **marker} if marker and isinstance(tool, dict) else tool for tool, marker in pairs]


def _regions_as(here: str, there: str, regions: Sequence[Region]) -> str:
    """A text with its regions as another text has them, the last one first so that earlier ones keep their place."""
    for region in reversed(regions):
        span, other = region.span(here), region.span(there)
        if span and other:
            here = here[: span[0]] + there[other[0] : other[1]] + here[span[1] :]
    return here


def _lines_as(here: str, there: str) -> str:
    """A text whose lines stand in the order of another one; lines that the other has not stay where they are."""
    lines, wanted = here.split("\n"), there.split("\n")
    common = Counter(lines) & Counter(wanted)
    left = common.copy()
    ordered = iter([line for line in wanted if _take(left, line)])
    return "\n".join(next(ordered) if _take(common, line) else line for line in lines)


def _take(counts: Counter[str], line: str) -> bool:
    if not counts[line]:
        return False
    counts[line] -= 1
    return True


def _append_only(body: Body, memory: _Memory) -> Body:
    """The body with its earlier messages as they were first sent, and the new ones behind them.

    Markers stay where the request has them. Messages that were dropped from the head or the middle are there again.
    """
    key = history_key(body)
    if key is None:
        return body
    start, kept = instructing(body), memory.history
    fixed, messages = body[key][:start], body[key][start:]
    dropped = _dropped(messages, kept)
    earlier = list(kept[: len(messages) + dropped])
    for place, now in enumerate(messages[: len(earlier) - dropped], dropped):
        earlier[place] = now if same(now, kept[place]) else _with_marker(kept[place], now)
    new = messages[len(earlier) - dropped :]
    memory.history = [*kept, *map(unmarked, new)]
    return {**body, key: [*fixed, *earlier, *new]}


def _dropped(messages: Sequence[Any], kept: Sequence[Any]) -> int:
    """How many of the messages that were sent before are missing: by how much the others moved forward."""
    for at, message in enumerate(messages):
        if at < len(kept) and same(message, kept[at]):
            continue
        moved = next((place for place in range(at + 1, len(kept)) if same(message, kept[place])), None)
        if moved is not None:
            return moved - at
    return 0


def _with_marker(message: Any, other: Any) -> Any:
    """A message with a marker at its end, where the other one has any."""
    marker = marked(other)
    content = message.get("content") if isinstance(message, dict) else None
    if not marker or not isinstance(content, list) or not content or not isinstance(content[-1], dict):
        return message
    return {**message, "content": [*content[:-1], {**content[-1], **marker}]}
