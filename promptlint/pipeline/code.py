"""Source code in a check: the flows of a file as findings of the rules on code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from promptlint.model.finding import Finding, Place, Related, Scope
from promptlint.model.flow import Flow, Station
from promptlint.model.prompt import Prompt, Skip
from promptlint.model.source import Source
from promptlint.pipeline.compare import Outcome
from promptlint.pipeline.options import Options
from promptlint.pipeline.prepare import Workshop
from promptlint.readers.code import is_code
from promptlint.rulebook.rule import Rule


def outcomes(chosen: Iterable[tuple[Options, object]], workshops: Mapping[Options, Workshop]) -> dict[str, Outcome]:
    """The findings on what is source code among the chosen, by the name of the file."""
    by_options: dict[Options, list[Source]] = {}
    for options, each in chosen:
        if isinstance(each, Source) and is_code(each.name):
            by_options.setdefault(options, []).append(each)
    found: dict[str, Outcome] = {}
    for options, sources in by_options.items():
        for source, (flows, skips) in zip(sources, workshops[options].code.read(sources), strict=True):
            found[source.name] = _outcome(flows, skips, workshops[options])
    return found


def _outcome(flows: Sequence[Flow], skips: Sequence[Skip], workshop: Workshop) -> Outcome:
    rules = workshop.reported.on("code")
    findings = (
        _finding(rule, flow, workshop) for flow in flows for rule in rules if rule.matcher.applies(flow, rule.params)
    )
    return Outcome(None, tuple(findings), tuple(skips))


def _finding(rule: Rule, flow: Flow, workshop: Workshop) -> Finding:
    lost = _tokens(flow, workshop)
    place = _place(flow.source, flow.span)
    stand = "token stands" if lost == 1 else "tokens stand"
    behind = f", and at least {lost:,} fixed {stand} behind it" if lost else ""
    facts = {"what": flow.what, "target": flow.target, "behind": behind, "lost": f"{lost or 0:,}"}
    message = rule.message.format_map({**_STANDARD, **facts, "path": place.path, "scope": Scope.UNKNOWN.value})
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        scope=Scope.UNKNOWN,
        message=message,
        location=place,
        marked=flow.source.text[flow.span[0] : flow.span[1]],
        related=tuple(_related(station) for station in flow.stations),
        tokens_lost=lost,
        fingerprint=_fingerprint(rule, flow),
        facts=facts,
    )


_STANDARD = {"recovers": "", "provider": "", "model": "", "section": "", "before": "", "after": ""}


def _tokens(flow: Flow, workshop: Workshop) -> int | None:
    """Tokens of the fixed text behind the place where the value lands."""
    if flow.after is None:
        return None
    if not flow.after:
        return 0
    return len(workshop.choice(Prompt(flow.source, "text", ())).tokenizer.encode(flow.after))


def _place(source: Source, span: tuple[int, int]) -> Place:
    return Place.between(source.name, "", source.position(span[0]), source.position(span[1]))


def _related(station: Station) -> Related:
    """A station of the way, one line at most, so that a report can show it."""
    start, end = station.span
    line_end = station.source.text.find("\n", start)
    return Related(
        station.what, _place(station.source, (start, end if line_end < 0 else max(start, min(end, line_end))))
    )


def _fingerprint(rule: Rule, flow: Flow) -> str:
    """Stays the same when lines move: the rule, the origin as it is written, and what it lands in."""
    return hashlib.sha256("\0".join((rule.code, flow.what, flow.target)).encode()).hexdigest()[:16]
