"""Which conversation a request belongs to: by an id in the log, or because its messages go on from another's.

A request continues the conversation whose last messages its own begin with. Where a history was edited, truncated or
rewritten, most of what it held must still be there. One that goes on from an older state is a fork; one with another
system prompt or other tools goes its own way, and so does the same prompt at another model (a title, a summary, a
sub-agent).
"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field

from promptlint.model.traffic import Exchange
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.library import Library
from promptlint.trace.step import Step
from promptlint.trace.tree import Node

RETRY = 60.0  # seconds in which the same prompt again is a retry
_SIDE = 300.0  # seconds in which a request that repeats a message under another preamble belongs to that conversation
_KEPT = 0.5  # share of its messages, or of a preamble, that goes on in another one
_RECENT = 16  # steps of a conversation that a fork may go back to
_OWNERS = 8  # conversations that are known to have come through one state
_WORDS = 4_000  # tokens up to which preambles are compared token by token
_PAIRS = 20_000  # of preambles that were compared
_ANSWERS = frozenset({"assistant", "model"})


@dataclass(slots=True, eq=False)
class Kept:
    """A step, the state of its conversation after it, and where its prompt ends in the tree (None: usage alone)."""

    state: int
    step: Step
    leaf: Node | None


@dataclass(slots=True, eq=False)
class Conversation:
    """`state` is the number of its last messages in the chain of all histories; `steps` are its last ones."""

    name: str
    kind: str
    parent: str
    scope: str
    state: int = 0
    last: Fingerprint | None = None
    children: int = 0
    requests: int = 0
    retries: int = 0
    steps: deque[Kept] = field(default_factory=lambda: deque(maxlen=_RECENT))

    @property
    def step(self) -> Kept | None:
        return self.steps[-1] if self.steps else None


@dataclass(slots=True)
class Placement:
    """Where a request belongs: `states` are those after each of its messages."""

    conversation: Conversation
    relation: str
    previous: Kept | None
    states: list[int]


class Sessions:
    """Finds the conversation of each request, which are to come in the order in which they were sent."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._next: dict[tuple[int | str, int], int] = {}  # (state or scope, message) → state
        self._owners: dict[int, list[Conversation]] = {}  # by state: the conversations that came through, latest last
        self._compared: dict[tuple[int, int], bool] = {}
        self._holder: dict[tuple[str, int], Conversation] = {}  # by message
        self._of_scope: dict[str, list[Conversation]] = {}
        self.all: list[Conversation] = []

    def place(self, exchange: Exchange, found: Fingerprint) -> Placement:
        if not found.chunks:
            return self._by_usage(exchange)
        scope = f"id {exchange.session}" if exchange.session else f"user {exchange.user}"
        states = self._states(scope, found.history)
        placement = self._placed(exchange, found, scope, states)
        if placement is None and exchange.session:
            placement = self._same_id(found, scope, states)
        return placement or self._opened(exchange, found, scope, states)

    def keep(self, placement: Placement, step: Step, found: Fingerprint, leaf: Node | None) -> None:
        """Remembers a step as the last one of its conversation."""
        conversation = placement.conversation
        state = placement.states[-1] if placement.states else 0
        conversation.requests += 1
        conversation.retries += placement.relation == "retry"
        conversation.state, conversation.last = state, found
        conversation.steps.append(Kept(state, step, leaf))
        for state in reversed(placement.states):
            owners = self._owners.setdefault(state, [])
            if owners and owners[-1] is conversation:
                break
            if conversation in owners:
                owners.remove(conversation)
            owners.append(conversation)
            del owners[:-_OWNERS]
        for message in found.history[-2:]:
            self._holder[conversation.scope, message] = conversation

    def _by_usage(self, exchange: Exchange) -> Placement:
        """Where only the usage is known, what one caller sends to one model is taken as one conversation."""
        scope = f"usage {exchange.session} {exchange.user} {exchange.model}"
        known = self._of_scope.get(scope)
        if known:
            return Placement(known[0], "continues", known[0].step, [])
        name = exchange.session or exchange.user or f"session {len(self.all) + 1}"
        return Placement(self._made(name, "main", "", scope), "first", None, [])

    def _states(self, scope: str, history: array[int]) -> list[int]:
        """The state after each message; new ones are numbered."""
        state: int | str = scope
        states = []
        for message in history:
            known = self._next.get((state, message))
            if known is None:
                known = self._next[state, message] = len(self._next) + 1
            state = known
            states.append(known)
        return states

    def _placed(self, exchange: Exchange, found: Fingerprint, scope: str, states: list[int]) -> Placement | None:
        depth, conversation = self._deepest(found, states)
        if conversation is None or conversation.last is None:
            return self._by_content(found, scope, states)
        last, step = conversation.last, conversation.step
        if depth == len(states):
            return self._again(exchange, found, conversation, states)
        if conversation.state == states[depth - 1] or self._edited(last.history, found.history, depth):
            return Placement(conversation, "continues", step, states)
        return self._fork(found, conversation, depth, states)

    def _deepest(self, found: Fingerprint, states: list[int]) -> tuple[int, Conversation | None]:
        """The conversation, under a version of the same preamble, that has most of the first messages."""
        for depth in range(len(states), 0, -1):
            related = [
                one for one in self._owners.get(states[depth - 1], ()) if one.last and self._related(found, one.last)
            ]
            if related:
                ends = [one for one in related if one.state == states[depth - 1]]
                return depth, max(reversed(ends or related), key=lambda one: _model(one) == found.model)
        return 0, None

    def _again(
        self, exchange: Exchange, found: Fingerprint, conversation: Conversation, states: list[int]
    ) -> Placement | None:
        """A state that was there before."""
        step = conversation.step
        assert step is not None
        if _model(conversation) != found.model:
            return Placement(self._below(conversation, "auxiliary"), "auxiliary", step, states)
        if conversation.state != states[-1]:
            return self._fork(found, conversation, len(states), states)
        last = conversation.last
        if last is not None and not found.vocabulary and found.tokens > last.tokens:  # ids: the last piece has grown
            return Placement(conversation, "continues", step, states)
        before = step.step.exchange
        failed = before.status is not None and before.status >= 400
        timed = exchange.sent_at is not None and before.sent_at is not None
        soon = not timed or (exchange.sent_at or 0) - (before.sent_at or 0) <= RETRY
        if failed or soon or exchange.session or self._answered(found.history):
            return Placement(conversation, "retry", step, states)
        return None

    def _fork(self, found: Fingerprint, parent: Conversation, depth: int, states: list[int]) -> Placement | None:
        """One that goes on from the state after `depth` messages, in which a model has answered."""
        if not self._answered(found.history[:depth]):
            return None  # all that is shared is how it opens
        back = next((kept for kept in reversed(parent.steps) if kept.state == states[depth - 1]), parent.step)
        return Placement(self._below(parent, "fork"), "fork", back, states)

    def _by_content(self, found: Fingerprint, scope: str, states: list[int]) -> Placement | None:
        """Histories that lost their opening, or have it edited."""
        for message in reversed(found.history[:-1]):
            holder = self._holder.get((scope, message))
            if holder and holder.last and self._related(found, holder.last):
                old = set(holder.last.history)
                if len(old & set(found.history)) >= _KEPT * len(old):
                    return Placement(holder, "continues", holder.step, states)
        return None

    def _same_id(self, found: Fingerprint, scope: str, states: list[int]) -> Placement | None:
        """What an id puts together although the messages do not."""
        begins = not self._answered(found.history)
        for conversation in reversed(self._of_scope.get(scope, ())):
            last = conversation.last
            if last is None or conversation.kind == "fork" or not self._related(found, last):
                continue
            if conversation.kind == "main" or not begins or not self._answered(last.history):
                return Placement(conversation, "continues", conversation.step, states)
        return None

    def _opened(self, exchange: Exchange, found: Fingerprint, scope: str, states: list[int]) -> Placement:
        """A conversation of its own; beside another one where an id, or a message that both hold, says so."""
        known = self._of_scope.get(scope, [])
        parent = None
        if exchange.session:
            parent = next(iter(known), None)
        elif found.history:
            parent = self._beside(exchange, found, scope, states)
        if parent is None:
            name = exchange.session or f"session {len(self.all) + 1}"
            return Placement(self._made(name, "main", "", scope), "first", None, states)
        return Placement(self._below(parent, "auxiliary"), "auxiliary", parent.step, states)

    def _beside(self, exchange: Exchange, found: Fingerprint, scope: str, states: list[int]) -> Conversation | None:
        owner = next((self._owners[state][-1] for state in reversed(states) if state in self._owners), None)
        parent = owner or next(
            (self._holder[scope, one] for one in reversed(found.history) if (scope, one) in self._holder), None
        )
        if parent is None or parent.last is None or parent.step is None or self._related(found, parent.last):
            return None
        before, now = parent.step.step.exchange.sent_at, exchange.sent_at
        return parent if before is None or now is None or now - before <= _SIDE else None

    def _below(self, parent: Conversation, kind: str) -> Conversation:
        parent.children += 1
        return self._made(f"{parent.name}/{parent.children}", kind, parent.name, parent.scope)

    def _made(self, name: str, kind: str, parent: str, scope: str) -> Conversation:
        conversation = Conversation(name, kind, parent, scope)
        self.all.append(conversation)
        self._of_scope.setdefault(scope, []).append(conversation)
        return conversation

    def _answered(self, history: array[int]) -> bool:
        """Whether a model has answered in these messages; of a log without roles nothing can be said."""
        speakers = self._library.speakers
        return any(message < len(speakers) and speakers[message] in _ANSWERS for message in history)

    def _edited(self, old: array[int], new: array[int], depth: int) -> bool:
        """Whether the new history is the old one with messages changed from `depth` on, and more behind them."""
        gone, come = old[depth:], new[depth:]
        if not self._answered(new):
            return False
        if len(gone) == 1:  # its last message: there is an answer to it, so it was not asked anew
            return len(come) > 1
        return len(new) >= depth + len(gone) and len(set(gone) & set(come)) >= _KEPT * len(set(gone))

    def _related(self, new: Fingerprint, old: Fingerprint) -> bool:
        """Whether two preambles are versions of one."""
        if new.preamble == old.preamble:
            return True
        pair = (new.preamble, old.preamble)
        if pair not in self._compared:
            if len(self._compared) > _PAIRS:
                self._compared.clear()
            self._compared[pair] = self._alike(self._before_messages(new), self._before_messages(old))
        return self._compared[pair]

    def _alike(self, ours: array[int], theirs: array[int]) -> bool:
        sizes = self._library.sizes
        common = sum(sizes[chunk] for chunk in set(ours) & set(theirs))
        longest = max(self._library.length(ours), self._library.length(theirs))
        if common >= _KEPT * longest:
            return True
        if longest > _WORDS:
            return False
        left, right = set(self._library.flat(ours)), set(self._library.flat(theirs))
        return len(left & right) >= _KEPT * max(len(left), len(right))

    def _before_messages(self, found: Fingerprint) -> array[int]:
        return found.chunks[: found.head]


def _model(conversation: Conversation) -> str:
    return conversation.last.model if conversation.last else ""
