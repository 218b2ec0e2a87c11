"""Replays fingerprints in the order in which their requests were sent: sessions, caches, and sums over both."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from promptlint.model.policy import Reuse
from promptlint.model.traced import Session, Simulated
from promptlint.model.traffic import Exchange
from promptlint.trace.branches import Branches
from promptlint.trace.curve import Curve
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.library import Library
from promptlint.trace.middle import Repeats
from promptlint.trace.options import TraceOptions
from promptlint.trace.sessions import Conversation, Sessions
from promptlint.trace.simulate import Caches
from promptlint.trace.step import Step
from promptlint.trace.tally import Groups, Moments, Outcome, Prices, Tally, outcome
from promptlint.trace.trail import Trail
from promptlint.trace.tree import Node, Tree

_BODIES = 64_000_000  # characters of bodies that are kept, counted where earlier ones do not have them
_CHARACTERS = 4  # of a token, about


class Replay:
    """One pass over a log. `add` gives the step of a request; the results hold for all steps so far."""

    def __init__(self, options: TraceOptions, library: Library) -> None:
        self.tree = Tree(library)
        self.nodes: list[Node] = []  # the path of the latest request in the tree
        self._library = library
        self._sessions = Sessions(library)
        self._caches = Caches(library, options.caches)
        self._prices = Prices()
        self._curve = Curve()
        self._repeats = Repeats(library)
        self._branches = Branches(self.tree, library)
        self._steps = 0
        self._blocks = self._held = 0  # of logs of block hashes
        self._bodies: deque[tuple[Exchange, int]] = deque()
        self._body_size = 0
        self._total = Tally()
        self._groups = Groups(options.by)
        self._moments = Moments()
        self._of_session: dict[str, Tally] = {}
        self._of_cache: dict[str, Tally] = {each.name: Tally() for each in self._caches.asked}
        self._own: dict[str, tuple[str, int]] = {}  # policy id → how it matches, requests

    def add(self, exchange: Exchange, found: Fingerprint) -> Step:
        placement = self._sessions.place(exchange, found)
        kept = placement.previous
        previous = kept.step if kept else None
        step = Step(
            number=self._steps,
            exchange=exchange,
            policy=found.policy,
            tokens=found.tokens,
            exact=found.exact,
            session=placement.conversation.name,
            relation=placement.relation,
            previous=replace(previous, previous=None) if previous else None,
            idle=_idle(previous, exchange),
        )
        self._steps += 1
        if found.chunks:
            self._ask(step, found, kept.leaf if kept else None)
        self._sessions.keep(placement, step, found, self.nodes[-1] if found.chunks else None)
        self._count(step, found, placement.conversation)
        self._let_go(step)
        return step

    def _let_go(self, step: Step) -> None:
        """Bodies are kept to compare later ones with; the oldest go when what is new in them is too much."""
        self._bodies.append((step.exchange, new := _CHARACTERS * (step.tokens - step.seen)))
        self._body_size += new
        while self._body_size > _BODIES:
            exchange, size = self._bodies.popleft()
            exchange.body = exchange.reply = None
            self._body_size -= size

    def _ask(self, step: Step, found: Fingerprint, before: Node | None) -> None:
        """What the tree and the caches say of a request."""
        time = step.exchange.sent_at or 0.0
        self.nodes, step.seen = self.tree.add(found.chunks, found.tokens)
        self._repeats.add(self.nodes, step.seen, found.tokens)
        step.shared = self._shared(before) if before else 0
        trail = Trail(self.tree, self.nodes, found.tokens)
        step.reuse = self._caches.own(step.exchange, found, trail, time)
        step.others = self._caches.others(found, trail, time)
        if step.exchange.usage is not None and step.exchange.sent_at is not None:  # there is something to compare
            step.unused = self._caches.unused(step.exchange, found, trail, time)
        self._curve.add(self.nodes, found.tokens, found.block)
        self._branches.add(step, self.nodes[-1], found.marks)

    def _shared(self, leaf: Node | None) -> int:
        """Tokens that the prompt ending at `leaf` begins with, as the latest one does."""
        own = {node.end: node for node in self.nodes}
        while leaf is not None and own.get(leaf.end) is not leaf:
            leaf = leaf.parent
        return leaf.end if leaf else 0

    def _count(self, step: Step, found: Fingerprint, conversation: Conversation) -> None:
        one = outcome(step, self._prices.of(step, found.model, _lifetime(found)))
        if found.block:
            self._blocks += len(found.chunks)
            self._held += len(found.chunks) if step.seen == found.tokens else step.seen // found.block
        self._total.add(one)
        self._groups.add(step, one)
        self._moments.add(step, one)
        if conversation.name not in self._of_session:
            self._of_session[conversation.name] = Tally()
        self._of_session[conversation.name].add(one)
        matching, requests = self._own.get(step.policy.id, (step.policy.matching.value, 0))
        self._own[step.policy.id] = (matching, requests + 1)
        for name, reuse in step.others.items():
            self._of_cache[name].add(_under(step, reuse))

    def result(self) -> Mapping[str, Any]:
        """Fields of Traced."""
        own = max(self._own, key=lambda name: self._own[name][1], default="")
        hits = self._total.hits()
        caches = [Simulated("provider", own, "unbounded", hits, self._note())] if own else []
        caches += [
            Simulated(each.name, each.engine, each.words, self._of_cache[each.name].hits())
            for each in self._caches.asked
        ]
        return {
            "hits": hits,
            "caches": tuple(caches),
            "groups": self._groups.result(),
            "moments": self._moments.result(),
            "sessions": tuple(self._session(one) for one in self._sessions.all),
            "tree": self._branches.result(),
            "curve": self._curve.result(),
            "middle": self._repeats.result(),
            "notes": self._notes(),
            "unique_tokens": self._library.tokens,
        }

    def _notes(self) -> tuple[str, ...]:
        notes = []
        if self._blocks:
            share = self._held / self._blocks
            notes.append(
                f"{self._held:,} of {self._blocks:,} block hashes stand behind none that is new ({share:.2%}). "
                "Rates count tokens: whole blocks, and never the last token, which an engine always computes."
            )
        notes += [f"No request of the log names its {name}." for name in self._groups.unknown()]
        if self._caches.asked:
            notes.append("Engines also hold what they generated; of a log, only prompts are replayed.")
        return tuple(notes)

    def _note(self) -> str:
        if len(self._own) < 2:
            return ""
        return "; ".join(f"{name}: {requests:,} requests" for name, (_, requests) in sorted(self._own.items()))

    def _session(self, one: Conversation) -> Session:
        several = one.kind == "auxiliary" and one.requests - one.retries > 1
        hits = self._of_session[one.name].hits()
        return Session(one.name, "subagent" if several else one.kind, one.parent, one.requests, one.retries, hits)


def _under(step: Step, reuse: Reuse) -> Outcome:
    return Outcome(step.tokens, reuse.tokens, reuse.written, 0, 0, None)


def _idle(previous: Step | None, exchange: Exchange) -> float | None:
    if previous is None or previous.exchange.sent_at is None or exchange.sent_at is None:
        return None
    return exchange.sent_at - previous.exchange.sent_at


def _lifetime(found: Fingerprint) -> int | None:
    """The lifetime of the last marker, by which a write is paid."""
    return next((block.marked for block in reversed(found.marks.blocks) if block.marked), None)
