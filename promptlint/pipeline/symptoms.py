"""A chat template's trial as symptoms, each with the tokens that it costs in a conversation of twenty turns."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from promptlint.model.common import common_prefix
from promptlint.model.source import Span
from promptlint.model.symptom import Symptom
from promptlint.render.failures import Failure
from promptlint.render.trials.conversations import REALISTIC, Shape
from promptlint.render.trials.trace import TemplateFailed, TracedTemplate
from promptlint.render.trials.trial import NEXT_DAY, Break, Clock, Trial, closing, replay
from promptlint.render.trials.wording import described
from promptlint.rulebook.findings import excerpt
from promptlint.tokenizers import Vocabulary

_PACE = timedelta(seconds=75)  # between two requests of a conversation, where the clock matters
_NONE = timedelta()
_CLOCK_CALL = re.compile(r"strftime_now\s*\((?:'[^']*'|\"[^\"]*\"|[^()'\"])*\)")


@dataclass(frozen=True, slots=True)
class _Replayed:
    """Tokens of a conversation: those of its last request, and those that are computed again (None: not known)."""

    total: int
    lost: int | None

    def said(self, when: str) -> str:
        if self.lost is None:
            return ""
        conversation = f"a conversation of {REALISTIC.turns} turns ({self.total:,} tokens at its end)"
        return f"; {conversation} computes {self.lost:,} tokens again{when}"


class Symptoms:
    """Of one template, with the vocabulary that its tokens are counted in."""

    def __init__(self, template: TracedTemplate, text: str, trial: Trial, vocabulary: Vocabulary) -> None:
        self._template, self._text, self._trial, self._vocabulary = template, text, trial, vocabulary
        self._replayed: dict[tuple[Shape, timedelta], _Replayed] = {}

    def found(self) -> Iterator[Symptom]:
        """One for each place in the template that causes something."""
        clocks: dict[tuple[bool, Span], list[Clock]] = {}
        for clock in self._trial.clocks:
            clocks.setdefault((clock.fine, clock.span), []).append(clock)
        breaks: dict[tuple[bool, Span], list[Break]] = {}
        for each in self._trial.breaks:
            breaks.setdefault((each.tools, each.cause), []).append(each)
        yield from map(self._clock, clocks.values())
        yield from map(self._break, breaks.values())
        yield from self._positions()

    def _clock(self, group: Sequence[Clock]) -> Symptom:
        first = group[0]
        cost = self._replay(first.shape, _PACE) if first.fine else self._next_day(first.shape)
        span = _clock_call(self._text, first.span)
        when = "" if first.fine else " when the day has changed"
        facts = {"what": self._said(span), "shapes": self._shapes(group), "cost": cost.said(when)}
        return Symptom("clock" if first.fine else "date", span, cost.lost, facts=facts)

    def _break(self, group: Sequence[Break]) -> Symptom:
        first = group[0]
        cost = self._replay(first.shape, _NONE)
        facts = {
            "what": self._said(first.cause),
            "shapes": self._shapes(group),
            "char": f"{first.char:,}",
            "length": f"{len(first.earlier):,}",
            "token": f"{self._shared(first.earlier, first.later):,}",
            "where": where(first),
            "cost": cost.said(""),
        }
        others = dict.fromkeys(each.other for each in group)
        related = tuple(("the next request has this there", span) for span in others if span != first.cause)
        return Symptom("tools" if first.tools else "history", first.cause, cost.lost, related, facts)

    def _positions(self) -> Iterator[Symptom]:
        """Conditions that decide about what broke; all of them where the trial could not show what they do."""
        trial = self._trial
        causes = {each.cause for each in trial.breaks}
        broken = causes | {each.other for each in trial.breaks}
        failed = [shape for shape, why in trial.refused.items() if why.kind is not Failure.REFUSED]
        for branch, span, decided in trial.branches:
            if span in causes:
                continue  # the finding on what it prints says it
            if broken & decided:
                reason = "the trial shows that a later request then differs"
            elif failed or not trial.tried:
                reason = "the conversations that would show whether this matters could not be rendered"
            else:
                continue
            yield Symptom("position", span, facts={"what": branch.what, "reason": reason})

    def _shapes(self, group: Sequence[Break] | Sequence[Clock]) -> str:
        return described([each.shape for each in group], list(self._trial.tried))

    def _said(self, span: Span) -> str:
        return excerpt(self._text[span.start : span.end])

    def _shared(self, earlier: str, later: str) -> int:
        return common_prefix(self._ids(earlier), self._ids(later))

    def _ids(self, text: str) -> array[int]:
        return self._vocabulary.encode(text, specials=True)

    def _replay(self, shape: Shape, pace: timedelta) -> _Replayed:
        """Of each request, the tokens before its newest message that the request before does not share."""
        self._template.form = self._trial.tried[shape]
        if (shape, pace) not in self._replayed:
            try:
                self._replayed[shape, pace] = self._all(replay(self._template, shape, REALISTIC, pace))
            except TemplateFailed as failed:  # it takes short conversations only
                if failed.kind is Failure.STOPPED:
                    raise
                self._replayed[shape, pace] = _Replayed(0, None)
        return self._replayed[shape, pace]

    def _all(self, pairs: Iterable[tuple[str, str, str]]) -> _Replayed:
        lost = total = 0
        for earlier, later, newest in pairs:
            ids = self._ids(later)
            total = len(ids)
            if not later.startswith(earlier):
                place = later.find(newest)
                known = self._vocabulary.begun(later, ids, [place])[0] if place >= 0 else total
                lost += max(0, known - common_prefix(self._ids(earlier), ids))
        return _Replayed(total, lost)

    def _next_day(self, shape: Shape) -> _Replayed:
        """What a conversation that goes on after midnight computes again, once."""
        self._template.form = self._trial.tried[shape]
        before, after = closing(self._template, shape, REALISTIC, NEXT_DAY)
        total = len(self._ids(after))
        return _Replayed(total, total - self._shared(before, after))


def stopped(failed: TemplateFailed, text: str) -> Symptom:
    """A template that broke a bound or reached for what the sandbox does not give."""
    span = failed.span if failed.span is not None else Span(0, 0)
    return Symptom("stopped", span, facts={"reason": failed.reason, "what": excerpt(text[span.start : span.end])})


def where(each: Break) -> str:
    """The message at which two requests part, by its index in the later one."""
    found, inside = -1, False
    for index, message in enumerate(each.body["messages"]):
        content = message["content"].rpartition("</think>")[2].strip()
        place = each.later.find(content) if content else -1
        if 0 <= place <= each.char:
            found, inside = index, each.char < place + len(content)
    if found < 0:
        return "before messages[0]"
    return f"{'in' if inside else 'behind'} messages[{found}]"


def _clock_call(text: str, tag: Span) -> Span:
    """The call of the clock in a tag; the tag where the call stands behind a name of its own."""
    call = _CLOCK_CALL.search(text, tag.start, tag.end)
    return Span(*call.span()) if call else tag
