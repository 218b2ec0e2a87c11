"""Why a request parts from an earlier one: the pair diagnosis of the pipeline, once for all pairs that part alike."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from promptlint import readers
from promptlint.model.errors import PromptlintError
from promptlint.model.finding import Finding, Scope, Severity
from promptlint.model.prompt import Prompt
from promptlint.model.source import Source
from promptlint.model.traffic import Exchange
from promptlint.trace.differences import ALIKE, Opening, alike, differences, instructing
from promptlint.trace.options import TraceOptions
from promptlint.trace.repair import Repair, repair_of
from promptlint.trace.step import Step

if TYPE_CHECKING:  # loading all that diagnoses takes longer than many a log, of which most need none
    from promptlint.pipeline.compare import Outcome
    from promptlint.pipeline.prepare import Workshop
    from promptlint.rulebook import Rulebook

_MESSAGE = re.compile(r"(?:messages|input|contents)\[([0-9]+)\]")
_NEARLY = 0.98  # of what was the same; the rest is rounding
_MOST = 200  # pairs that are diagnosed in full; a log that parts in more ways than that has no first cause


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of a pair. Repairing it and all before it shares `shared` tokens with the earlier request.

    `finding` is None where its rule is not among those that are reported. `in_history`: it is in a message of the
    conversation, and not in what stands before that. `repair`: how it is undone in any request, where that is known.
    """

    code: str
    name: str
    path: str
    shared: int
    in_history: bool
    finding: Finding | None
    repair: Repair | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A pair of `before` and `after` tokens. Once all causes are repaired both share `same`, of which the provider
    reuses `reusable`.

    `about`: further findings, warnings at least: on markers and lengths (which say why the provider keeps less) or on
    routing.
    `complete`: every difference was explained. `reason`: the one that the provider's own diagnosis would give. `tail`:
    characters of the later prompt from its first changed message on.
    """

    before: int
    after: int
    scope: Scope
    causes: tuple[Cause, ...]
    same: int
    reusable: int
    about: tuple[Finding, ...]
    complete: bool
    reason: str
    tail: int = 0


# Of a session's requests that have other instructions: a sub-agent, which begins anew.
_UNRELATED = Diagnosis(0, 0, Scope.UNKNOWN, (), 0, 0, (), complete=True, reason="")


class Diagnoses:
    """Diagnoses pairs of requests of a log; `done` were diagnosed in full, `grouped` took over another's."""

    def __init__(self, options: TraceOptions) -> None:
        self._options = options
        self._workshops: dict[tuple[str, str], Workshop] = {}
        self._known: dict[Hashable, Diagnosis | None] = {}
        self.done = 0
        self.grouped = 0
        self.refused = 0

    @cached_property
    def reported(self) -> Rulebook:
        """The rules that are reported; loaded when the first one is needed. Raises ConfigError."""
        from promptlint import rulebook

        book = rulebook.load_with(self._options.rules) if self._options.rules else rulebook.load()
        return book.chosen(self._options.select, self._options.ignore)

    def of(self, before: Step, after: Step, *, one_conversation: bool) -> Diagnosis | None:
        """None where the requests cannot be read as prompts, or too many other pairs were diagnosed before.

        What is taken over from another pair is moved: a cause in the history stands further behind in a longer one.
        """
        old, new = before.exchange, after.exchange
        if not isinstance(old.body, dict) or not isinstance(new.body, dict):
            return None
        found = differences(old.body, new.body, one_conversation=one_conversation)
        if not found.any and not one_conversation and after.reuse and after.reuse.tokens >= _NEARLY * after.seen:
            return None  # both begin alike, and the cache gave that
        key = (after.policy.id, new.model == old.model, found.signature)
        if key in self._known:
            known = self._known[key]
            self.grouped += known is not None
            return known and moved(known, before.tokens, after.tokens, found.tail)
        if self.done >= _MOST:
            self.refused += 1
            return None
        self.done += 1
        if one_conversation and alike(Opening(new.body), Opening(old.body)) < ALIKE:
            fresh: Diagnosis | None = _UNRELATED
        else:
            fresh = self._diagnosed(before, after, _scope(old, new, one_conversation))
        self._known[key] = replace(fresh, tail=found.tail) if fresh else None
        return self._known[key]

    def workshop(self, step: Step) -> Workshop:
        """What pairs under a step's rules are compared with."""
        from promptlint.pipeline.options import Options
        from promptlint.pipeline.prepare import Workshop

        key = (step.policy.id, step.exchange.model)
        if key not in self._workshops:
            given = self._options
            self._workshops[key] = Workshop(
                Options(
                    provider=step.policy.id,
                    model=given.model or step.exchange.model or None,
                    tokenizer=given.tokenizer,
                    chat_template=given.chat_template,
                    rules=given.rules,
                    select=given.select,
                    ignore=given.ignore,
                    severity=given.severity,
                )
            )
        return self._workshops[key]

    def component_at(self, step: Step, tokens: int) -> str:
        """Path of the component in which the first `tokens` tokens of a request end, counted as in its usage."""
        usage = step.exchange.usage
        try:
            prepared = self.workshop(step).prepare(prompt_of(step), step.policy)
        except PromptlintError:
            return ""
        ends = prepared.tokens.slot_ends
        if usage is None or not usage.input or not ends:
            return ""
        place = bisect_left(ends, tokens * ends[-1] / usage.input)
        return prepared.rendering.slots[min(place, len(ends) - 1)].component.location.path

    def _diagnosed(self, before: Step, after: Step, scope: Scope) -> Diagnosis | None:
        from promptlint.pipeline.compare import compare

        try:
            later = prompt_of(after)
            outcome = compare(prompt_of(before), later, self.workshop(after), scope)
        except PromptlintError:
            return None
        return _diagnosis(outcome, scope, later.source.text, after.exchange.body)


def prompt_of(step: Step) -> Prompt:
    """The request of a step as the readers give it. Raises InputError."""
    exchange = step.exchange
    text = json.dumps(exchange.body, ensure_ascii=False, separators=(",", ":"))
    return readers.read(Source(f"{exchange.file}:{exchange.line}.json", text))


def _scope(old: Exchange, new: Exchange, one_conversation: bool) -> Scope:
    if one_conversation:
        return Scope.SAME_CONVERSATION
    other_user = bool(old.user and new.user and old.user != new.user)
    return Scope.OTHER_USER if other_user else Scope.NEW_CONVERSATION


def _diagnosis(outcome: Outcome, scope: Scope, source: str, body: Any) -> Diagnosis | None:
    """`source` is the compact JSON of `body`, the later request."""
    comparison = outcome.comparison
    if comparison is None:
        return None
    left = list(outcome.findings)
    causes = []
    for repair in comparison.repairs:
        finding = next((each for each in left if (each.code, each.location.path) == (repair.code, repair.path)), None)
        if finding is not None:
            left.remove(finding)
        message = _MESSAGE.match(repair.path)
        in_history = message is not None and int(message[1]) >= instructing(body)
        undone = repair_of(finding, source, body) if finding else None
        causes.append(Cause(repair.code, repair.name, repair.path, repair.cumulative, in_history, finding, undone))
    tokens, last = comparison.tokens, comparison.repairs[-1] if comparison.repairs else None
    return Diagnosis(
        before=tokens.before,
        after=tokens.after,
        scope=scope,
        causes=tuple(causes),
        same=last.cumulative if last else tokens.shared,
        reusable=last.reusable if last else tokens.reusable,
        about=tuple(finding for finding in left if finding.severity is not Severity.INFO),
        complete=not outcome.skipped,
        reason=comparison.vendor_reason,
    )


def moved(known: Diagnosis, before: int, after: int, tail: int) -> Diagnosis:
    """The diagnosis of a like pair of other lengths; `tail` characters stand from its first changed message on.

    What stands before the history is as long as it was. In one conversation, the end of what both share moves with
    the earlier prompt.
    """
    by = before - known.before if known.scope is Scope.SAME_CONVERSATION else 0
    causes = []
    for cause, following in zip_longest(known.causes, known.causes[1:]):
        shared = cause.shared
        if following is None:
            shared = known.same + by
        elif following.in_history and known.tail:
            shared = after - round((known.after - shared) * tail / known.tail)
        causes.append(replace(cause, shared=max(0, shared)))
    same, reusable = max(0, known.same + by), max(0, known.reusable + by)
    return replace(known, before=before, after=after, causes=tuple(causes), same=same, reusable=reusable, tail=tail)
