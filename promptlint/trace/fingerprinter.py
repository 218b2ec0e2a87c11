"""From an exchange to its fingerprint: the ids that `diff` computes for the same request, each unique text once."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

from promptlint import policies, providers, render, tokenizers
from promptlint.jsonspans import from_plain
from promptlint.model.errors import ConfigError, InputError
from promptlint.model.history import messages
from promptlint.model.policy import CachePolicy, Marks, Matching
from promptlint.model.prompt import Prompt, Section, Setting
from promptlint.model.rendering import Rendering
from promptlint.model.source import Source
from promptlint.model.traffic import Exchange
from promptlint.policies.marks import placed_keys, setting_keys, with_implicit
from promptlint.render.hosted import inexact
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.library import Library
from promptlint.trace.options import TraceOptions
from promptlint.trace.parts import Item, Parts
from promptlint.trace.units import FIELDS, Draft, Joined, Units, pieced, reader

Keys = tuple[tuple[Section | None, str, str], ...]

_USAGE = "tokens as the provider counts them"
_IDS = "tokens as the log has them"
_OPENINGS = 256  # that are remembered


class Fingerprinter:
    """Makes fingerprints over one library; what came before changes the time it takes, never the result."""

    def __init__(self, options: TraceOptions, library: Library | None = None) -> None:
        self.library = Library() if library is None else library
        self._options = options
        self._template = _chat_template(options)
        self._policies: dict[tuple[str, str, str, bool], CachePolicy] = {}
        self._engines: dict[int, CachePolicy] = {}
        self._choices: dict[str, tokenizers.Choice] = {}
        self._known_keys: dict[tuple[Item, str, frozenset[str], str], Keys] = {}
        self._units: dict[tuple[str, str, str, str], Units] = {}
        self._openings: dict[tuple[object, ...], Joined] = {}

    def of(self, exchange: Exchange) -> Fingerprint:
        """Raises InputError where the body is no request that can be read."""
        draft = self.begin(exchange)
        self.library.settle()
        return self.finish(draft)

    def begin(self, exchange: Exchange) -> Draft:
        """Reads a request, whose texts then wait in the library for their ids. Raises InputError, as above."""
        body = exchange.body
        if body is None:
            return Draft(exchange)
        if not isinstance(body, dict):
            raise InputError("the request is no JSON object")
        wire = exchange.wire
        named = body.get("modelId" if wire == "bedrock" and "modelId" in body else "model")
        model = self._options.model or (named if isinstance(named, str) and named else exchange.model)
        draft = Draft(exchange, body, model)
        if self._template is None and "cache_control" not in body and wire in FIELDS:
            self._divide(draft, body)
        return draft

    def finish(self, draft: Draft) -> Fingerprint:
        """What `begin` began, after the library was settled. Raises InputError, as above."""
        exchange, body = draft.exchange, draft.body
        if draft.units is not None and draft.parts is not None and body is not None:
            found = self._joined(draft, body, draft.units, draft.parts)
            return marked_at_end(found) if exchange.partial else found
        if body is not None:
            return self._of_whole(exchange, body, draft.model)
        model = self._options.model or exchange.model
        policy = self._policy(exchange, model, marked=False)
        if exchange.blocks is not None:
            return self._of_blocks(exchange, policy, model)
        if exchange.ids is not None:
            chunks = self.library.run(exchange.ids)
            return self._of_chunks(policy, model, len(exchange.ids), chunks)
        tokens = exchange.usage.input if exchange.usage and exchange.usage.input else 0
        return Fingerprint(policy, model, tokens, array("I"), Marks(), True, "", _USAGE)

    def _of_blocks(self, exchange: Exchange, policy: CachePolicy, model: str) -> Fingerprint:
        blocks, size = exchange.blocks or (), max(1, exchange.block_size)
        whole = len(blocks) * size
        tokens = exchange.usage.input if exchange.usage and exchange.usage.input else whole
        if not whole - size < tokens <= whole:
            tokens = whole
        last = tokens - (whole - size)
        chunks = array("I", [self.library.block(block, size) for block in blocks[:-1]])
        if blocks:
            chunks.append(self.library.block(blocks[-1], last))
        if not (self._options.provider or exchange.provider):
            policy = self._engine(size)
        return self._of_chunks(policy, model, tokens, chunks, block=size)

    def _of_chunks(
        self, policy: CachePolicy, model: str, tokens: int, chunks: array[int], block: int = 0
    ) -> Fingerprint:
        """Of a prompt without text. Its pieces stand for messages, but the last one, which grows."""
        marks = Marks(keys=_model_key(policy, model))
        said = array("I", [self.library.message(array("I", [number]), "") for number in chunks[:-1]])
        return Fingerprint(policy, model, tokens, chunks, marks, True, "", _IDS, history=said, block=block)

    def _engine(self, size: int) -> CachePolicy:
        """Block hashes come from engines: whole blocks are reused, and the last token is computed anew."""
        if size not in self._engines:
            self._engines[size] = replace(providers.find("vllm", "", ""), block=size)
        return self._engines[size]

    def _divide(self, draft: Draft, body: Mapping[str, Any]) -> None:
        """Finds the parts of a body, under the policy that its markers decide."""
        exchange, model = draft.exchange, draft.model
        policy = self._policy(exchange, model, marked=False)
        with_markers = self._policy(exchange, model, marked=True)
        units = self._units_of(exchange.wire, with_markers, model)
        parts = units.of(body)
        if policy is not with_markers and not any(item.unit.marked for _, item in parts.items):
            units = self._units_of(exchange.wire, policy, model)
            parts = units.of(body)
        draft.units, draft.parts = units, parts
        exchange.body = parts.body

    def _joined(self, draft: Draft, body: Mapping[str, Any], units: Units, parts: Parts) -> Fingerprint:
        """The parts of a body put together."""
        model, policy = draft.model, units.policy
        said = next((at for at, (_, item) in enumerate(parts.items) if item.unit.said >= 0), len(parts.items))
        opening = self._opening(units, parts, said)
        whole = opening.with_items(parts.items[said:], units) if said < len(parts.items) else opening
        choice = self._choice(model)
        layout = "" if draft.exchange.wire == "openai-completions" else inexact(hosted=policy.hosted)
        reasons = _reasons(layout, choice)
        splitting = self._keys(parts.rest, whole.settings, policy, whole.on, _unnamed(body, model))
        keys = placed_keys(splitting, whole.starts, (whole.tokens,), policy)
        return Fingerprint(
            policy=policy,
            model=model,
            tokens=whole.tokens,
            chunks=whole.chunks,
            marks=Marks(with_implicit(whole.blocks, whole.settings, policy), keys, not reasons),
            exact=not reasons,
            vocabulary=choice.tokenizer.name,
            reason=reasons,
            history=whole.history,
            preamble=opening.preamble,
            head=len(opening.chunks),
            starts=whole.starts,
        )

    def _opening(self, units: Units, parts: Parts, said: int) -> Joined:
        """The parts before the first message, which are mostly those of an earlier request."""
        key = (units, parts.rest, *parts.items[:said])
        found = self._openings.get(key)
        if found is None:
            if len(self._openings) == _OPENINGS:
                self._openings.clear()
            found = Joined(settings=parts.rest.unit.settings).with_items(parts.items[:said], units)
            found.preamble = self.library.message(found.chunks, "")
            self._openings[key] = found
        return found

    def _keys(
        self, rest: Item, settings: tuple[Setting, ...], policy: CachePolicy, on: frozenset[str], model: str
    ) -> Keys:
        """What splits caches, which is mostly what it was for the request before."""
        if settings is not rest.unit.settings:
            return setting_keys(settings, policy, on, model)
        key = (rest, policy.id, on, model)
        if key not in self._known_keys:
            self._known_keys[key] = setting_keys(settings, policy, on, model)
        return self._known_keys[key]

    def _of_whole(self, exchange: Exchange, body: Mapping[str, Any], model: str) -> Fingerprint:
        """Reads a body as a whole: for a chat template, and where a marker depends on what stands last."""
        prompt = reader(exchange.wire)(Source(exchange.file, ""), from_plain(body))
        marked = any(component.breakpoint for component in prompt.components)
        policy = self._policy(exchange, model, marked=marked)
        rendering = render.render(prompt, policy.order, self._template, hosted=policy.hosted)
        choice = self._choice(model)
        if rendering.joined:
            sequence = tokenizers.tokenize(rendering, choice, specials=self._template is not None)
            chunks, ends = self.library.run(sequence.ids), sequence.slot_ends
        else:
            chunks, ends = self._pieced(rendering, choice)
        components = [slot.component for slot in rendering.slots]
        marks = policies.marks(components, ends, prompt.settings, policy, model=_unnamed(body, model))
        reasons = _reasons("" if rendering.exact else rendering.reason, choice)
        said = [self.library.message(_digest(message.text), message.role) for message in messages(components)]
        return Fingerprint(
            policy=policy,
            model=model,
            tokens=ends[-1] if ends else 0,
            chunks=chunks,
            marks=Marks(marks.blocks, marks.keys, exact=not reasons),
            exact=not reasons,
            vocabulary=choice.tokenizer.name,
            reason=reasons,
            history=array("I", said),
            preamble=self.library.message(_digest(_preamble(prompt)), ""),
        )

    def _pieced(self, rendering: Rendering, choice: tokenizers.Choice) -> tuple[array[int], array[int]]:
        chunks, ends = array("I"), array("I")
        for slot in rendering.slots:
            for piece in slot.pieces:
                chunks.extend(pieced(piece, choice.tokenizer, self.library))
            ends.append(len(chunks))
        self.library.settle()
        self.library.check(chunks)
        counts = [0, *accumulate(map(self.library.sizes.__getitem__, chunks))]
        return chunks, array("I", map(counts.__getitem__, ends))

    def _policy(self, exchange: Exchange, model: str, *, marked: bool) -> CachePolicy:
        provider = self._options.provider or exchange.provider
        key = (provider, exchange.wire, model, marked)
        if key not in self._policies:
            try:
                found = providers.find(provider or None, exchange.wire, model, has_markers=marked)
            except ConfigError:
                if self._options.provider:
                    raise
                found = providers.find(None, exchange.wire, model, has_markers=marked)  # a name that only the log knows
            self._policies[key] = next((known for known in self._policies.values() if known == found), found)
        return self._policies[key]

    def _choice(self, model: str) -> tokenizers.Choice:
        if model not in self._choices:
            self._choices[model] = tokenizers.choose(model, self._options.tokenizer)
        return self._choices[model]

    def _units_of(self, wire: str, policy: CachePolicy, model: str) -> Units:
        vocabulary = self._choice(model).tokenizer
        key = (wire, policy.id, model, vocabulary.name)
        if key not in self._units:
            self._units[key] = Units(wire, policy, vocabulary, self.library)
        return self._units[key]


def marked_at_end(found: Fingerprint) -> Fingerprint:
    """Of a transcript that shows no markers: one is assumed at the end of each request, where agents set it."""
    policy, blocks = found.policy, found.marks.blocks
    if policy.matching is not Matching.BREAKPOINT or not blocks or any(block.marked is not None for block in blocks):
        return found
    last = replace(blocks[-1], marked=policy.ttl_default or 0)
    return replace(found, marks=replace(found.marks, blocks=(*blocks[:-1], last)))


def _reasons(layout: str, choice: tokenizers.Choice) -> str:
    """Why token counts are not exact; empty where they are."""
    return "; ".join(filter(None, (layout, "" if choice.exact else choice.reason)))


def _model_key(policy: CachePolicy, model: str) -> tuple[tuple[int, str, str], ...]:
    return placed_keys(setting_keys((), policy, (), model), {}, (), policy)


def _unnamed(body: Mapping[str, Any], model: str) -> str:
    """The model where the body itself names none."""
    return "" if "model" in body or "modelId" in body else model


def _preamble(prompt: Prompt) -> str:
    return "\0".join(one.text for one in prompt.components if one.section is not Section.MESSAGES)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _chat_template(options: TraceOptions) -> render.ChatTemplate | None:
    """The one that was asked for, or that of the tokenizer's folder. Raises InputError."""
    folder = options.tokenizer
    folder = folder if folder and Path(folder).is_dir() else None
    if options.chat_template:
        return render.load_chat_template(options.chat_template, folder)
    return render.load_chat_template(folder) if folder and render.has_chat_template(folder) else None
