"""Requests read part by part: a tool, a system prompt or a message is read, rendered and encoded once."""

from __future__ import annotations

import importlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import accumulate
from typing import Any

from promptlint import render
from promptlint.jsonspans import Node, from_plain
from promptlint.model.policy import Block, CachePolicy
from promptlint.model.prompt import Prompt, Section, Setting
from promptlint.model.rendering import Piece, PieceKind
from promptlint.model.source import Source
from promptlint.model.traffic import Exchange
from promptlint.policies.marks import content_blocks, switched
from promptlint.tokenizers import Vocabulary
from promptlint.trace.library import Library
from promptlint.trace.parts import Item, Parts, Unit, moved, packed, placed_blocks, same

NOWHERE = Source("", "")
_RAW = 32_000_000  # characters of parsed JSON that are kept to be compared with what comes next

# Content fields of each wire format; lists in those of _LISTS are read item by item, as no item depends on another.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("tools", "system", "messages"),
    "openai-chat": ("tools", "functions", "messages"),
    "openai-responses": ("tools", "instructions", "input"),
    "openai-completions": ("prompt",),
    "gemini": ("tools", "systemInstruction", "system_instruction", "contents"),
    "bedrock": ("toolConfig", "system", "messages"),
}
_LISTS = frozenset({"messages", "input", "contents"})
_STAND_IN = "a text that stands for any other"
_MANY = frozenset({"tools", "functions", "toolConfig"})  # of so many small values that their JSON is compared
# System messages count as the system prompt until another message has come: such a one is put before those behind it.
_LEADING: Mapping[str, Any] = {"openai-chat": {"role": "user"}, "openai-responses": {"role": "user"}}


class Units:
    """The units of requests of one wire format under one policy and vocabulary. Raises InputError for bad bodies."""

    def __init__(self, wire: str, policy: CachePolicy, vocabulary: Vocabulary, library: Library) -> None:
        self._wire = wire
        self.policy = policy
        self._vocabulary = vocabulary
        self._library = library
        self._ranks = {section: rank for rank, section in enumerate(policy.order)}
        self._read = reader(wire)
        self._items: dict[bytes, Item] = {}
        self._settings: dict[bytes, Item] = {}  # by their JSON
        self._first: dict[str, Item] = {}
        self._moulds: dict[tuple[str, bool], tuple[Unit, int]] = {}  # with the place of the text among its chunks
        self._raw = 0

    def of(self, body: Mapping[str, Any]) -> Parts:
        """The parts of a body in cache order."""
        fields = FIELDS[self._wire]
        rest = self._setting({key: value for key, value in body.items() if key not in fields})
        shared = {**body, **(rest.raw or {})}
        parts: list[tuple[int, Item]] = []
        for key in fields:
            value = body.get(key)
            if value is None:
                continue
            if type(value) is not list or key not in _LISTS:
                item = self._item(key, value, self._first.get(key))
            else:
                items = list(self._walk(key, value))
                parts += enumerate(items)
                shared[key] = [value[at] if item.raw is None else item.raw for at, item in enumerate(items)]
                continue
            parts.append((-1, item))
            shared[key] = value if item.raw is None else item.raw
        parts.sort(key=_rank)
        return Parts(parts, rest, shared)

    def _walk(self, key: str, values: Sequence[Any]) -> Iterator[Item]:
        before: Item | None = None
        hint = self._first.get(key)
        leading = True
        for value in values:
            item = self._item(key, value, hint, leading=leading, before=before)
            leading = item.unit.leading
            before, hint = item, item.next
            yield item

    def _item(
        self, key: str, value: Any, hint: Item | None, *, leading: bool = True, before: Item | None = None
    ) -> Item:
        if hint is not None and value is not None and hint.leading == leading:
            if hint.raw is value or hint.latest is value:
                return hint
            if key not in _MANY and same(hint.raw, value):
                hint.latest = value if key not in _LISTS else None
                return hint
        written = packed(value)
        digest = blake2b(written, digest_size=16, key=f"{key} {leading}".encode()).digest()
        item = self._items.get(digest)
        if item is None:
            made = self._text(key, value, leading) or self._unit(key, value, leading)
            item = self._items[digest] = Item(None, made, leading)
        if item.raw is None:
            self._raw += len(written)
            if self._raw > _RAW:
                self._forget()
            item.raw = value
        elif key not in _LISTS:
            item.latest = value
        if before is None:
            self._first[key] = item
        else:
            before.next = item
        return item

    def _forget(self) -> None:
        for item in self._items.values():
            item.raw = item.latest = None
        self._raw = 0

    def _setting(self, rest: dict[str, Any]) -> Item:
        written = packed(rest)
        item = self._settings.get(written)
        if item is None:
            settings = self._read(NOWHERE, from_plain(rest)).settings
            unit = Unit(Section.SYSTEM, 0, array("I"), frozenset(), settings=settings)
            item = self._settings[written] = Item(rest, unit)
        return item

    def _text(self, key: str, value: Any, leading: bool) -> Unit | None:
        """A message that is one text: read as another text in its place was. None for all others."""
        if key not in _LISTS or type(value) is not dict or tuple(value) != ("role", "content"):
            return None
        role, text = value["role"], value["content"]
        if type(role) is not str or type(text) is not str or not text:
            return None
        if (role, leading) not in self._moulds:
            read = self._unit(key, {"role": role, "content": _STAND_IN}, leading)
            place = read.chunks.index(self._library.encoded(_STAND_IN, self._vocabulary)[0])
            self._moulds[role, leading] = read, place
        mould, at = self._moulds[role, leading]
        here = self._library.encoded(text, self._vocabulary)
        chunks = mould.chunks[:at] + here + mould.chunks[at + 1 :]
        return Unit(
            section=mould.section,
            rank=mould.rank,
            chunks=chunks,
            on=mould.on,
            like=mould,
            said=-1 if mould.said < 0 else self._library.message(chunks, role),
            leading=mould.leading,
            at=mould.at,
        )

    def measure(self, unit: Unit) -> None:
        """Counts the tokens of a unit whose chunks are encoded. Raises InputError where one of them cannot be."""
        library = self._library
        library.check(unit.chunks)
        like = unit.like
        if like is not None:
            if like.tokens < 0:
                self.measure(like)
            tokens = library.length(unit.chunks)
            more = tokens - like.tokens
            unit.blocks = tuple(moved(block, more, block.path, block.message) for block in like.blocks)
        else:
            counts = [0, *accumulate(map(library.sizes.__getitem__, unit.chunks))]
            tokens = counts[-1]
            unit.blocks = content_blocks(unit.components, [counts[end] for end in unit.ends], self.policy)
            unit.components = unit.ends = ()
        unit.tokens = tokens

    def _unit(self, key: str, value: Any, leading: bool) -> Unit:
        """Reads one value as a request of its own."""
        settings: tuple[Setting, ...] = ()
        at = -1
        if key in _LISTS and type(value) is not str:
            first = [] if leading or self._wire not in _LEADING else [_LEADING[self._wire]]
            prompt = self._read(NOWHERE, from_plain({key: [*first, value]}))
            at = len(first)
            components = tuple(one for one in prompt.components if not first or one.message == at)
        else:
            prompt = self._read(NOWHERE, from_plain({key: value}))
            components, settings = prompt.components, prompt.settings
        return replace(self._made(replace(prompt, components=components), leading), at=at, settings=settings)

    def _made(self, prompt: Prompt, leading: bool) -> Unit:
        rendering = render.render(prompt, self.policy.order)
        chunks, ends = array("I"), array("I")
        for slot in rendering.slots:
            for piece in slot.pieces:
                chunks.extend(pieced(piece, self._vocabulary, self._library))
            ends.append(len(chunks))
        placed = [slot.component for slot in rendering.slots]
        section = placed[0].section if placed else Section.MESSAGES
        is_message = bool(placed) and section is Section.MESSAGES
        said = self._library.message(chunks, placed[0].role) if is_message else -1
        return Unit(
            section=section,
            rank=self._ranks.get(section, len(self._ranks)),
            chunks=chunks,
            components=placed,
            ends=ends,
            on=switched(placed),
            marked=any(component.breakpoint for component in placed),
            said=said,
            leading=leading and section is Section.SYSTEM,
        )


@dataclass(slots=True)
class Joined:
    """Parts of a body put together; fields as in Fingerprint. `preamble`: where these are all before the messages."""

    settings: tuple[Setting, ...]
    chunks: array[int] = field(default_factory=lambda: array("I"))
    history: array[int] = field(default_factory=lambda: array("I"))
    blocks: tuple[Block, ...] = ()
    starts: Mapping[Section, int] = field(default_factory=dict)
    on: frozenset[str] = frozenset()
    tokens: int = 0
    preamble: int = 0

    def with_items(self, items: Iterable[tuple[int, Item]], units: Units) -> Joined:
        """These parts and further ones, each with its index in a list. Raises InputError, as `Units.measure`."""
        chunks, history, blocks = self.chunks[:], self.history[:], list(self.blocks)
        starts, on, settings, tokens = {**self.starts}, self.on, self.settings, self.tokens
        for index, item in items:
            unit = item.unit
            if unit.tokens < 0:
                units.measure(unit)
            starts.setdefault(unit.section, tokens)
            if unit.said >= 0:
                history.append(unit.said)
            chunks.extend(unit.chunks)
            blocks += placed_blocks(item, tokens, index)
            tokens += unit.tokens
            on |= unit.on
            settings += unit.settings
        return Joined(settings, chunks, history, tuple(blocks), starts, on, tokens)


@dataclass(slots=True)
class Draft:
    """A request that was read, and whose texts may wait to be encoded. `units` and `parts`: those of a body, if any."""

    exchange: Exchange
    body: Mapping[str, Any] | None = None
    model: str = ""
    units: Units | None = None
    parts: Parts | None = None


def _rank(part: tuple[int, Item]) -> int:
    return part[1].unit.rank


def reader(wire: str) -> Callable[[Source, Node], Prompt]:
    """What reads a request of this wire format."""
    module = importlib.import_module(f"promptlint.readers.{wire.replace('-', '_')}")
    read: Callable[[Source, Node], Prompt] = module.read
    return read


def pieced(piece: Piece, vocabulary: Vocabulary, library: Library) -> array[int]:
    """The chunks of a piece of a rendering whose pieces are encoded one by one."""
    if piece.kind is PieceKind.TEXT:
        return library.encoded(piece.text, vocabulary)
    return array("I", [library.marker(piece.text, 1 if piece.kind is PieceKind.MARKER else piece.tokens)])
