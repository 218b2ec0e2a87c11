"""The rules on logs (PL8xx): requests put into strands by what was reported of them, and judged by the rulebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.model.finding import Finding
from promptlint.model.strand import LogNote, Strand, Turn
from promptlint.trace.step import Step

if TYPE_CHECKING:
    from promptlint.rulebook import Rulebook

# Names under which logs say which process sent a request, the most telling first.
PROCESS_FIELDS = ("process", "process_id", "pid", "instance", "pod", "container", "run_id", "hostname", "host")
_MOST_FLOORS = 20  # places in prompts that are looked up
_COVERED = 0.8  # of a session's requests to one model in one strand: then lengths alone show that it only grows


class UsageRules:
    """Collects what was reported of each request; some 300 bytes each, no text.

    `named(step, tokens)`: which component of the step's prompt stands at that many reported tokens (empty: unknown).
    """

    def __init__(self, named: Callable[[Step, int], str] | None = None) -> None:
        self._named = named
        self._open: dict[tuple[str, str], list[list[Turn]]] = defaultdict(list)  # by session and model
        self._with_text: set[int] = set()
        self._floors: dict[tuple[str, int], str] = {}

    def add(self, step: Step) -> None:
        turn = turn_of(step)
        if turn is None or step.relation == "retry":
            return
        strands = self._open[turn.session, turn.model]
        strand = self._continued(step, turn, strands)
        if strand is None:
            strands.append([turn])
        else:
            strand.append(self._with_floor(step, turn, strand[-1]))
        if has_prompt(step):
            self._with_text.add(turn.number)

    def strands(self) -> list[Strand]:
        """All strands, in the order of their first requests."""
        found = []
        for strands in self._open.values():
            total = sum(map(len, strands))
            for turns in strands:
                certain = turns[0].number in self._with_text or len(turns) >= _COVERED * total
                found.append(Strand(tuple(turns), certain))
        return sorted(found, key=lambda strand: strand.turns[0].number)

    def findings(self, book: Callable[[], Rulebook]) -> list[tuple[Finding, LogNote]]:
        """What the rules of a book say; it is asked for only where the log has any usage."""
        if not self._open:
            return []
        from promptlint.rulebook.traffic import findings_on

        return list(findings_on(self.strands(), book()))

    def _continued(self, step: Step, turn: Turn, strands: list[list[Turn]]) -> list[Turn] | None:
        """The strand that a request goes on from: the log's own predecessor, else the longest that still fits."""
        if has_prompt(step):
            if step.relation != "continues" or step.previous is None:
                return None
            number = step.previous.number
            found = next((strand for strand in reversed(strands) if strand[-1].number == number), None)
            return found if found is not None and found[-1].input <= turn.input else None
        fitting = [strand for strand in strands if strand[-1].input <= turn.input]
        return max(fitting, key=lambda strand: strand[-1].input, default=None)

    def _with_floor(self, step: Step, turn: Turn, before: Turn) -> Turn:
        """The turn with the component in which its cached part ends, where that part stays while the prompt grows."""
        stays = turn.cached and turn.cached == before.cached and before.input - turn.cached >= turn.slack
        if self._named is None or not has_prompt(step) or not stays:
            return turn
        key = (turn.session, turn.cached)
        if key not in self._floors and len(self._floors) < _MOST_FLOORS:
            self._floors[key] = self._named(step, turn.cached)
        return replace(turn, floor=self._floors.get(key, ""))


def turn_of(step: Step) -> Turn | None:
    """The request as rules see it; None where the log does not say how many tokens were cached."""
    exchange, usage = step.exchange, step.exchange.usage
    if usage is None or usage.input is None or usage.cached is None:
        return None
    fields, whole = exchange.fields, has_prompt(step)
    return Turn(
        number=step.number,
        file=exchange.file,
        line=exchange.line,
        sent_at=exchange.sent_at,
        policy=step.policy,
        model=exchange.model,
        session=step.session if whole else exchange.session,
        known=bool(exchange.session) or whole,
        input=usage.input,
        cached=usage.cached,
        written=usage.written or 0,
        written_long=usage.written_long or 0,
        process=next((fields[name] for name in PROCESS_FIELDS if fields.get(name)), ""),
        expected=step.reuse if whole else None,
        unused=step.unused,
    )


def has_prompt(step: Step) -> bool:
    """Whether the log holds the whole prompt, so that a cache could be asked for it."""
    return step.reuse is not None and not step.exchange.partial
