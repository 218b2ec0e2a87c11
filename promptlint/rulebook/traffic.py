"""Rules on logs: what they say of the requests of a log, as findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from promptlint.model.finding import Finding, Place, Related, Scope
from promptlint.model.strand import LogNote, Strand, Turn
from promptlint.rulebook import fingerprints
from promptlint.rulebook.rule import Rule, Rulebook

_FURTHER = 4  # more requests of one cause that a finding names


def findings_on(log: Sequence[Strand], book: Rulebook) -> Iterator[tuple[Finding, LogNote]]:
    """Each finding with the note of the request that lost most; what has one cause in many conversations is one."""
    for rule in book.on("log"):
        heard = [strand for strand in log if not rule.providers or strand.turns[0].policy.family in rule.providers]
        groups: dict[str, list[LogNote]] = defaultdict(list)
        for note in rule.matcher.notes(heard, rule.params):
            groups[note.key].append(note)
        for key, notes in groups.items():
            notes.sort(key=lambda note: -note.lost)
            yield _finding(rule, key, notes), notes[0]


def place_of(turn: Turn) -> Place:
    """The usage of a request in the log. A log is read by records, so only the line is known."""
    return Place(turn.file, "usage", turn.line, 1, turn.line, 1)


def _finding(rule: Rule, key: str, notes: Sequence[LogNote]) -> Finding:
    worst, lost = notes[0], sum(note.lost for note in notes)
    turn = worst.turn
    standard = {
        "lost": f"{lost:,}",
        "recovers": "",
        "path": "usage",
        "provider": turn.policy.family,
        "model": turn.model or turn.policy.family,
        "section": "messages",
        "scope": Scope.SAME_CONVERSATION.value,
        "before": "",
        "after": "",
    }
    facts = {**standard, **worst.facts}
    message = rule.message.format_map(facts)
    if len(notes) > 1:
        message += f" (and {len(notes) - 1:,} more like it; {lost:,} tokens in all)"
    further = [*worst.also, *(note.turn for note in notes[1:])][:_FURTHER]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        scope=Scope.SAME_CONVERSATION,
        message=message,
        location=place_of(turn),
        related=tuple(Related("also here", place_of(other)) for other in further),
        tokens_lost=lost,
        fingerprint=fingerprints.place_of(rule.code, key, None, None),
        facts=facts,
    )
