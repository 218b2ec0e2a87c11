"""Collects the components, settings, skips and errors of one request; every wire format builds through it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from operator import itemgetter

from promptlint.jsonspans import MARKERS, JsonKind, Member, Node, child_path, dumps, dumps_member
from promptlint.model.prompt import Breakpoint, Component, Kind, Prompt, Section, Setting, Skip
from promptlint.model.source import Form, Location, Source, Span
from promptlint.readers import media
from promptlint.readers.checked import Checked

# Proofs and ciphertext for the provider's own use. The model sees what they stand for, never these characters.
ENCRYPTED = frozenset({"signature", "thoughtSignature", "thought_signature", "encrypted_content", "encrypted_index"})
_ENCRYPTED_WHY = "signed or encrypted by the provider; not prompt text, so not compared or counted"

_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LIFETIME = re.compile(r"([0-9]{1,6})([smhd])").fullmatch


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in the prompt the next components belong; fields as those of a component."""

    section: Section
    role: str = ""
    message: int = -1
    block: int = -1


class Builder(Checked):
    """State of reading one request. `vendor` chooses the formula for images (see media)."""

    def __init__(self, source: Source, wire: str, vendor: str) -> None:
        super().__init__(source)
        self.wire = wire
        self.vendor = vendor
        self.components: list[Component] = []
        self._skips: dict[str, str] = {}
        self._encrypted: set[str] = set()
        self._call_names: dict[str, str] = {}
        self._settings: list[Setting] = []

    def skip(self, what: str, why: str) -> None:
        """Note what could not be looked at."""
        self._skips.setdefault(what, why)

    # Components

    def location(self, node: Node, path: str, form: Form) -> Location:
        return Location(self.source, Span(node.start, node.end), path, form)

    def add(
        self, spot: Spot, kind: Kind, text: str, location: Location, *, name: str = "", call_id: str = ""
    ) -> Component:
        component = Component(
            spot.section, kind, text, location, spot.role, spot.message, spot.block, name=name, call_id=call_id
        )
        self.components.append(component)
        return component

    def text(self, spot: Spot, kind: Kind, node: Node | None, path: str, *, name: str = "", call_id: str = "") -> None:
        """A component from a string; nothing where it is absent."""
        if node is None or node.kind is JsonKind.NULL:
            return
        if node.string is None:
            self.wrong(node, path, "a string")
            return
        self.add(spot, kind, node.string, self.location(node, path, Form.JSON_STRING), name=name, call_id=call_id)

    def data(self, spot: Spot, kind: Kind, node: Node | None, path: str, *, name: str = "", call_id: str = "") -> None:
        """A component from a caller's own JSON (arguments, a function's response): nothing in it is a marker.

        A string stands as it is: what the model sees are its characters, not the quotes.
        """
        if node is None or node.kind is JsonKind.NULL:
            return
        if node.string is not None:
            self.text(spot, kind, node, path, name=name, call_id=call_id)
            return
        self.add(spot, kind, dumps(node), self.location(node, path, Form.JSON_VALUE), name=name, call_id=call_id)

    def tool(self, index: int, node: Node, path: str, name: Node | None) -> None:
        """One tool definition, with its cache marker.

        A tool whose loading is deferred is no part of the prompt: where a search finds it, it is appended (Anthropic
        and OpenAI, "Tool search").
        """
        deferred = node.get("defer_loading")
        if deferred is not None and deferred.kind is JsonKind.TRUE:
            return
        spot = Spot(Section.TOOLS, block=index)
        first = len(self.components)
        location = self.location(node, path, Form.JSON_VALUE)
        self.add(spot, Kind.TOOL, dumps(node, MARKERS), location, name=(name.string or "") if name else "")
        self.mark(first, node, path)
        function = node.get("function")  # some gateways take the marker of an OpenAI-shaped tool in here
        if function is not None:
            self.mark(first, function, f"{path}.function")

    def role(self, spot: Spot, node: Node | None, path: str, default: str, nearest: Node) -> None:
        """The component that opens a message; `default` where the wire format lets the role out."""
        if node is not None and node.string is not None:
            self.add(spot, Kind.ROLE, node.string, self.location(node, path, Form.JSON_STRING))
        else:
            here = Location(self.source, Span(nearest.start, nearest.start), path, Form.NONE)
            self.add(spot, Kind.ROLE, default, here)

    def call(
        self,
        spot: Spot,
        call_id: tuple[Node | None, str],
        name: tuple[Node | None, str],
        arguments: tuple[Node | None, str],
    ) -> None:
        """A tool call: id, name and arguments, each a (value, path) of its own."""
        for node, path in (call_id, name):
            self.string(node, path)
        known = (call_id[0].string or "") if call_id[0] else ""
        called = (name[0].string or "") if name[0] else ""
        if known:
            self._call_names[known] = called
        self._named(spot, Kind.CALL_ID, call_id, called, known)
        self._named(spot, Kind.CALL_NAME, name, called, known)
        self.data(spot, Kind.ARGUMENTS, *arguments, name=called, call_id=known)

    def _named(self, spot: Spot, kind: Kind, value: tuple[Node | None, str], name: str, call_id: str) -> None:
        node, path = value
        if node is not None and node.string is not None:
            self.add(spot, kind, node.string, self.location(node, path, Form.JSON_STRING), name=name, call_id=call_id)

    def called(self, call_id: str) -> str:
        """Name of the tool that an earlier call with this id was for, if there is one."""
        return self._call_names.get(call_id, "")

    def answer(self, spot: Spot, node: Node | None, path: str) -> tuple[str, str]:
        """The id that a tool result answers to; returns (id, name of the tool that was called with it)."""
        call_id = self.string(node, path)
        name = self.called(call_id)
        self.text(spot, Kind.CALL_ID, node, path, name=name, call_id=call_id)
        return call_id, name

    def opaque(
        self,
        spot: Spot,
        kind: Kind,
        node: Node | None,
        path: str,
        *,
        media_type: str = "",
        low_detail: bool = False,
        call_id: str = "",
    ) -> None:
        """Content without text (an image, a document, audio) by its hash; `name` is its media type."""
        value = self.string(node, path)
        if node is None or node.string is None:
            return
        content, declared, whole = media.decoded(value)
        tokens = media.estimate(kind, content if whole else None, self.vendor, low_detail=low_detail)
        component = self.add(
            spot,
            kind,
            media.content_hash(content),
            self.location(node, path, Form.NONE),
            name=media_type or declared,
            call_id=call_id,
        )
        self.components[-1] = replace(component, opaque_tokens=tokens)

    def rest(self, spot: Spot, node: Node, path: str, known: Collection[str]) -> None:
        """Every field that is not in `known`, as components of their own; null is the same as absent.

        In the order of their names: a server that parses the object does not see the order they were sent in.
        """
        for member in sorted(node.members, key=itemgetter(0)):
            key, _, _, value = member
            if key in ENCRYPTED:
                self._encrypted.add(key)
            elif key not in known and key not in MARKERS and value.kind is not JsonKind.NULL:
                self.member(spot, Kind.FIELD, member, path)

    def member(self, spot: Spot, kind: Kind, member: Member, path: str, name: str = "") -> None:
        """A field as `"name":value`; `path` is that of the object it stands in."""
        key, start, _, value = member
        where = Location(self.source, Span(start, value.end), child_path(path, key), Form.JSON_MEMBER)
        self.add(spot, kind, dumps_member(key, value, MARKERS), where, name=name)

    # Cache markers

    def mark(self, first: int, node: Node, path: str) -> None:
        """Attach the cache marker of a block to its last component; `first` is where its components begin."""
        for key in ("cache_control", "prompt_cache_breakpoint"):
            marker = node.get(key)
            where = child_path(path, key)
            if marker is None or self.object(marker, where) is None:
                continue
            if len(self.components) == first:
                self.skip(where, "the block it marks has no content")
            else:
                self.attach(len(self.components) - 1, marker, where)

    def attach(self, index: int, marker: Node, path: str, *, automatic: bool = False) -> None:
        """Put a breakpoint on component number `index`, if none stands there yet."""
        if self.components[index].breakpoint is not None:
            self.skip(path, "another cache marker already ends at the same place")
            return
        match = _LIFETIME(self.string(marker.get("ttl"), child_path(path, "ttl")))
        seconds = int(match.group(1)) * _UNIT_SECONDS[match.group(2)] if match else None
        mark = Breakpoint(self.location(marker, path, Form.JSON_VALUE), seconds, automatic)
        self.components[index] = replace(self.components[index], breakpoint=mark)

    # The result

    def settings_of(self, node: Node, path: str, known: Collection[str]) -> None:
        """Each field that is not in `known` as a setting, and each field of such a field that is an object."""
        for key, _, _, value in node.members:
            if key not in known:
                where = child_path(path, key)
                self._settings.append(self._setting(where, value))
                self._settings.extend(
                    self._setting(child_path(where, inner), leaf) for inner, _, _, leaf in value.members
                )

    def finish(self, body: Node, content_keys: Collection[str], model: Node | None) -> Prompt:
        """The prompt. Top-level fields outside `content_keys` are settings, and so is each field of such an object.

        Raises InputError, or Problems where there are several.
        """
        model_name = self.string(model, "model")
        self.raise_errors()
        self.settings_of(body, "", content_keys)
        skips = [Skip(what, why) for what, why in self._skips.items()]
        if self._encrypted:
            skips.append(Skip(", ".join(sorted(self._encrypted)), _ENCRYPTED_WHY))
        return Prompt(
            self.source,
            self.wire,
            tuple(self.components),
            model=model_name,
            settings=tuple(self._settings),
            skipped=tuple(skips),
            request=body.plain(),
            key_order=tuple(member[0] for member in body.members),
        )

    def _setting(self, path: str, value: Node) -> Setting:
        return Setting(path, dumps(value), self.location(value, path, Form.JSON_VALUE))
