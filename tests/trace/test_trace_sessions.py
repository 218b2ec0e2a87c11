"""Conversations found in logs, against logs that were made with labels."""

from __future__ import annotations

import random
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from promptlint.model.traffic import Exchange
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.options import TraceOptions
from promptlint.trace.replay import Replay
from promptlint.trace.step import Step

WORDS = [
    "harbour", "invoice", "ferry", "ticket", "refund", "window", "quota", "branch", "compile", "deploy", "river",
    "storage", "margin", "notebook", "signal", "planet", "garden", "engine", "letter", "market", "island", "copper",
]  # fmt: skip
HOUSE = "You are the desk of a ferry line. Keep answers short, name the crossing, and never promise a refund. " * 6
TITLE = "Write a title of at most five words for the conversation that follows. Answer with the title alone."
AGENT = "You search a code base and report file names. Use no more than three calls, and end with a summary line. " * 4

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Labelled:
    exchange: Exchange
    conversation: str
    relation: str


class Chats:
    """Logs of interleaved conversations. `clock`: the system prompt tells the time; `ids`: the log names sessions."""

    def __init__(self, seed: int, *, clock: bool, ids: bool) -> None:
        self._random = random.Random(seed)
        self._clock, self._ids = clock, ids
        self._time = 1_760_000_000.0
        self.made: list[Labelled] = []

    def words(self, count: int) -> str:
        return " ".join(self._random.choices(WORDS, k=count))

    def send(
        self, name: str, relation: str, messages: list[Message], *, system: str = HOUSE, status: int = 200
    ) -> None:
        self._time += self._random.uniform(1, 4)
        if self._clock and system is HOUSE:
            system = f"It is {self._time:.0f}. {HOUSE}"
        body = {"model": "gpt-4o", "messages": [{"role": "system", "content": system}, *messages]}
        session = name.partition("/")[0] if self._ids else ""
        exchange = Exchange("log", len(self.made) + 1, self._time, wire="openai-chat", body=body, session=session)
        exchange.status = status
        self.made.append(Labelled(exchange, name, relation))

    def user(self) -> Message:
        return {"role": "user", "content": self.words(12)}

    def answer(self) -> Message:
        return {"role": "assistant", "content": self.words(15)}

    def conversation(self, name: str) -> Iterator[None]:
        """One conversation, a request at a time; what happens in it is drawn."""
        history = [self.user()]
        self.send(name, "first", history)
        yield
        for turn in range(self._random.randint(2, 6)):
            kind = self._random.random()
            if kind < 0.15:
                self.send(name, "retry", history, status=200)
                yield
            elif kind < 0.25 and turn == 0:
                self.send(f"{name}/title", "auxiliary", history[:1], system=TITLE)
                yield
            elif kind < 0.4:
                yield from self._agent(f"{name}/agent {turn}", history)
            older = list(history)
            history = [*history, self.answer(), self.user()]
            if kind > 0.9 and len(older) > 4:
                older_state = [*older[:3], self.user()]
                self.send(f"{name}/fork {turn}", "fork", older_state)
                yield
            if 0.8 < kind < 0.9 and len(history) > 6:
                history = [history[0], {"role": "assistant", "content": "(removed)"}, *history[2:]]
            self.send(name, "continues", history)
            yield

    def _agent(self, name: str, history: list[Message]) -> Iterator[None]:
        """A sub-agent is given the user's words."""
        task = [history[-1]]
        self.send(name, "auxiliary", task, system=AGENT)
        yield
        self.send(name, "continues", [*task, self.answer(), self.user()], system=AGENT)
        yield

    def interleaved(self, count: int) -> list[Labelled]:
        running = [self.conversation(f"c{number}") for number in range(count)]
        while running:
            one = self._random.choice(running[:6])
            if next(one, StopIteration) is StopIteration:
                running.remove(one)
        return self.made


def replayed(exchanges: list[Exchange]) -> list[Step]:
    fingerprinter = Fingerprinter(TraceOptions())
    replay = Replay(TraceOptions(), fingerprinter.library)
    return [replay.add(exchange, fingerprinter.of(exchange)) for exchange in exchanges]


def purity(labels: list[str], found: list[str]) -> float:
    """Share of requests that are in their conversation, where each found one stands for its most frequent label."""
    members: dict[str, Counter[str]] = defaultdict(Counter)
    for label, name in zip(labels, found, strict=True):
        members[name][label] += 1
    taken: set[str] = set()
    right = 0
    for counter in sorted(members.values(), key=lambda one: -max(one.values())):
        label, count = counter.most_common(1)[0]
        right += count if label not in taken else 0
        taken.add(label)
    return right / len(labels)


@pytest.mark.parametrize("ids", [False, True], ids=["no ids", "ids"])
@pytest.mark.parametrize("clock", [False, True], ids=["steady", "clock"])
def test_labelled_conversations(clock: bool, ids: bool, record_property: Any) -> None:
    labelled = Chats(seed=11, clock=clock, ids=ids).interleaved(60)
    steps = replayed([one.exchange for one in labelled])
    score = purity([one.conversation for one in labelled], [step.session for step in steps])
    right = sum(one.relation == step.relation for one, step in zip(labelled, steps, strict=True)) / len(steps)
    record_property("assignment", score)
    print(f"{len(steps)} requests: {score:.1%} in their conversation, {right:.1%} with the right relation")
    wrong = Counter((one.relation, step.relation) for one, step in zip(labelled, steps, strict=True))
    print({pair: count for pair, count in wrong.items() if pair[0] != pair[1]})
    assert score >= 0.97
    assert right >= 0.97


def test_token_ids_that_grow_within_their_last_piece_are_no_retry() -> None:
    ids = range(900)
    prompts = [array("I", ids[:size]) for size in (800, 802, 804, 804)]
    exchanges = [Exchange("log", line, float(line), session="s", ids=each) for line, each in enumerate(prompts, 1)]
    assert [step.relation for step in replayed(exchanges)] == ["first", "continues", "continues", "retry"]


def test_the_same_prompt_at_another_model_is_no_retry_and_does_not_lead_the_conversation_away() -> None:
    chats = Chats(seed=1, clock=False, ids=False)
    said: list[Message] = []
    for _ in range(2):
        said = [*said, chats.user()]
        for model in ("gpt-4o", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o"):
            chats.send("c", "", said)
            chats.made[-1].exchange.body["model"] = model
        said = [*said, chats.answer()]
    steps = replayed([one.exchange for one in chats.made])
    main, title, summary = "session 1", "session 1/1", "session 1/2"
    assert [(step.session, step.relation) for step in steps] == [
        *((main, "first"), (title, "auxiliary"), (title, "retry"), (main, "retry")),
        *((main, "continues"), (summary, "auxiliary"), (summary, "retry"), (main, "retry")),
    ]
