"""Templates in a check: what varies in them, with the fixed text behind it, as findings of the rules on templates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from promptlint.model.errors import InputError
from promptlint.model.finding import Finding, Place, Related, Scope
from promptlint.model.prompt import Prompt, Skip
from promptlint.model.source import Source, Span
from promptlint.model.template import Fixed, Region, Standing, Template
from promptlint.pipeline.compare import Outcome
from promptlint.pipeline.prepare import Workshop
from promptlint.pipeline.standing import Layout, Move
from promptlint.readers import template
from promptlint.readers.template.kind import is_chat_template
from promptlint.rulebook.rule import Rule

_SHOWN = 40  # characters of a text that a message quotes
_MOST_PLACES = 20  # further places of one value that a finding names
_ORDER = "mapping"  # the kind that is looked for in chat templates; the rest of them is found by running them


def with_regions(outcome: Outcome, sources: Sequence[Source], workshop: Workshop) -> Outcome:
    """The outcome of a prompt with the findings on what varies in its files.

    Raises InputError for a template that cannot be read; one that was only found in a folder is a skip.
    """
    rules = workshop.reported.on("template")
    if not rules or not any(template.may_be(source) for source in sources):
        return outcome
    skips: list[Skip] = []
    try:
        found = [_looked_at(each, rules, workshop) for each in _templates(sources, workshop, skips)]
    except InputError as error:
        if not sources[0].walked:
            raise
        return replace(outcome, skipped=(*outcome.skipped, Skip(error.name or sources[0].name, error.message)))
    return replace(
        outcome,
        findings=(*outcome.findings, *(finding for findings, _ in found for finding in findings)),
        skipped=(*outcome.skipped, *skips),
        included=tuple(dict.fromkeys(source for _, included in found for source in included)),
    )


def _looked_at(each: Template, rules: Sequence[Rule], workshop: Workshop) -> tuple[list[Finding], list[Source]]:
    """The findings on one prompt, and the included files that they are in."""
    chat = each.syntax == "jinja" and is_chat_template(each.source.text)
    layout = Layout(each, lambda text: len(workshop.choice(_PROMPT).tokenizer.encode(text)))
    found: dict[tuple[str, str, str, str], list[Standing]] = {}
    for standing in layout.standings():
        region = standing.region
        for rule in rules:
            wanted = not chat or region.kind == _ORDER
            if wanted and rule.matcher.applies(standing, rule.params):
                key = (rule.code, region.form, region.name, region.source.name)
                found.setdefault(key, []).append(standing)
    named = {rule.code: rule for rule in rules}
    findings = [_finding(named[key[0]], places, layout) for key, places in found.items()]
    return findings, [places[0].region.source for places in found.values() if places[0].region.included]


_PROMPT = Prompt(Source("-", ""), "text", ())
_STANDARD = {"recovers": "", "provider": "", "model": "", "section": "", "before": "", "after": ""}


def distinct(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Of findings on the same place of an included file the one with the most behind it."""
    outcomes = list(outcomes)
    most: dict[tuple[str, Place], int] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            key = (finding.code, finding.location)
            most[key] = max(most.get(key, -1), finding.tokens_lost or 0)
    seen: set[tuple[str, Place]] = set()
    found = []
    for outcome in outcomes:
        kept = []
        for finding in outcome.findings:
            key = (finding.code, finding.location)
            if "region" not in finding.facts or (key not in seen and (finding.tokens_lost or 0) == most[key]):
                kept.append(finding)
                seen.add(key)
        found.append(outcome if len(kept) == len(outcome.findings) else replace(outcome, findings=tuple(kept)))
    return found


def _templates(sources: Sequence[Source], workshop: Workshop, skips: list[Skip]) -> list[Template]:
    """The prompts of a file, or the one that several files make up."""
    if len(sources) == 1:
        found, skipped = workshop.templates.read(sources[0])
        skips += skipped
        return found
    parts: list[Fixed | Region] = []
    roles: list[str] = []
    for source in sources:
        found, skipped = workshop.templates.read(source)
        skips += skipped
        for each in found or [_fixed(source)]:
            parts += [replace(part, message=part.message + len(roles)) for part in each.parts]
            roles += each.roles
    return [Template(sources[0], "parts", tuple(roles), tuple(parts))]


def _fixed(source: Source) -> Template:
    return Template(source, "text", ("",), (Fixed(source.text, source, Span(0, len(source.text))),))


def _finding(rule: Rule, places: Sequence[Standing], layout: Layout) -> Finding:
    """One finding for what fills several places of a prompt: the first place, with the others besides."""
    standing = places[0]
    region = standing.region
    place = _place(region.source, region.span)
    marked = region.source.text[region.span.start : region.span.end]
    tokens = f"{standing.tokens:,} tokens of fixed text" if standing.tokens else ""
    behind = " and ".join(part for part in (tokens, "the history" if standing.history else "") if part) or "nothing"
    move = layout.reordering(region)
    facts = {"what": _short(marked), "behind": behind, **_said(move)}
    facts |= {"lost": f"{standing.tokens:,}", "region": region.form}
    related = [Related("included here", _place(source, span)) for source, span in region.included]
    if move.behind is not None:
        related.append(Related("the fixed text behind it ends here", _end_of(move.behind)))
    more = [each.region for each in places[1 : 1 + _MOST_PLACES]]
    related += [Related("also here", _place(each.source, each.span)) for each in more]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        scope=Scope.UNKNOWN,
        message=rule.message.format_map({**_STANDARD, **facts, "path": place.path, "scope": Scope.UNKNOWN.value}),
        location=place,
        marked=marked,
        related=tuple(related),
        tokens_lost=standing.tokens,
        fingerprint=_fingerprint(rule, region),
        facts=facts,
    )


def _said(move: Move) -> dict[str, str]:
    """The reordering in words; the text that it names stands alone, so that it can be redacted."""
    if move.behind is None:
        return dict.fromkeys(("move", "anchor", "saves"), "")
    others = f" with the next {'one' if move.others == 1 else move.others}" if move.others else ""
    line = move.behind.source.position(_end_of_text(move.behind)).line
    saves = f" (line {line}) it lets {move.saved:,} more be shared"
    return {"move": f"; moved{others} behind ", "anchor": f"“…{_tail(move.behind)}”", "saves": saves}


def _tail(part: Fixed) -> str:
    """The last words up to the end of a text."""
    end = _end_of_text(part) + 1
    return " ".join(part.source.text[max(0, end - 2 * _SHOWN) : end].split())[-_SHOWN:]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 2 * _SHOWN else f"{plain[: 2 * _SHOWN - 1]}…"


def _end_of_text(part: Fixed) -> int:
    """The place of the last character of a text that is no white space."""
    plain = part.source.text[part.span.start : part.span.end]
    if not plain.endswith("\n") and part.span.end < len(part.source.text):  # a line that goes on with a placeholder
        plain = plain[: plain.rfind("\n") + 1] or plain
    plain = plain.rstrip()
    return part.span.start + max(len(plain) - 1, 0)


def _end_of(part: Fixed) -> Place:
    last = _end_of_text(part)
    return _place(part.source, Span(last, last + 1))


def _place(source: Source, span: Span) -> Place:
    return Place.between(source.name, "", source.position(span.start), source.position(span.end))


def _fingerprint(rule: Rule, region: Region) -> str:
    """Stays the same when lines move: the rule, and what the region is filled with."""
    return hashlib.sha256("\0".join((rule.code, region.form, region.name)).encode("utf-8", "replace")).hexdigest()[:16]
