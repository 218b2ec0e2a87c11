"""Causes into findings: message, place in the file, neighbours of the same cause drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from promptlint.diff.locate import point
from promptlint.model.finding import Finding, Place, Related, Scope
from promptlint.model.matching import Change, Mark, Note
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Component, Prompt
from promptlint.model.source import Form, Location, Position, Span
from promptlint.rulebook import fingerprints
from promptlint.rulebook.explain import Step
from promptlint.rulebook.rule import Rule

_UNAVAILABLE = "unavailable"
_EXCERPT = 40  # characters of prompt text that a message shows at most


@dataclass(frozen=True, slots=True)
class Cause:
    """Something to repair: a rule at a position of the shared prefix (in tokens), with the steps that it took."""

    rule: Rule
    position: int
    path: str
    finding: Finding
    step: Step | None = None  # the last of its steps
    setting: str | None = None


def causes(
    steps: Sequence[Step], noted: Sequence[tuple[Rule, Note]], later: Prompt, policy: CachePolicy, scope: Scope
) -> list[Cause]:
    """All causes in render order. Consecutive steps of one rule in one component are one cause."""
    found: list[Cause] = []
    for step in steps:
        finding = _of_step(step, later, policy, scope)
        last = found[-1] if found else None
        if last and last.step and last.rule is step.rule and _same_place(last.step, step, scope):
            found[-1] = _joined(last, step, finding)
        else:
            found.append(Cause(step.rule, step.shared, finding.location.path, finding, step))
    for rule, note in noted:
        if note.level_token is not None:
            finding = of_note(rule, note, later, policy, scope)
            found.append(Cause(rule, note.level_token, finding.location.path, finding, setting=note.setting))
    # A setting that splits at a token comes before the text that follows it.
    return sorted(found, key=lambda cause: (cause.position, cause.step is not None))


def _same_place(left: Step, right: Step, scope: Scope) -> bool:
    """Whether two steps are in one component; in a release also on one line, for each edit is judged by itself."""
    if left.change.at_after != right.change.at_after:
        return False
    before = right.change.component_before
    if scope is not Scope.RELEASE or before is None:
        return True
    marks = left.match.before, right.match.before
    return (
        marks[0] is not None
        and marks[1] is not None
        and "\n" not in before.text[marks[0].span.end : marks[1].span.start]
    )


def _joined(cause: Cause, step: Step, finding: Finding) -> Cause:
    related = (*cause.finding.related, Related("also here", finding.location))
    edit = fingerprints.joined(cause.finding.change, finding.change)
    return Cause(cause.rule, cause.position, cause.path, replace(cause.finding, related=related, change=edit), step)


def _of_step(step: Step, later: Prompt, policy: CachePolicy, scope: Scope) -> Finding:
    change, match = step.change, step.match
    after = (change.after[match.after.index], match.after) if match.after else None
    before = (change.before[match.before.index], match.before) if match.before else None
    primary = after or before
    assert primary is not None
    place, marked = _place(*primary)
    related = [Related("was", _place(*before)[0])] if after and before else []
    if after is None and scope is Scope.RELEASE and change.after:  # an earlier version is no file that one could open
        place, related = _gap(change), [Related("was", place)]
    related += [Related("also here", _further(change, *marks)) for marks in match.also]
    facts = {
        "before": excerpt(_text(*before)) if before else "",
        "after": excerpt(_text(*after)) if after else "",
        "section": primary[0].section.value,
        **match.facts,
    }
    lost = step.total - step.shared
    finding = _finding(step.rule, place, marked, facts, later, policy, scope, lost, tuple(related))
    return replace(
        finding,
        fingerprint=fingerprints.place_of(step.rule.code, place.path, primary[0], primary[1].span),
        change=fingerprints.edit_of(change, match.repair),
    )


def _gap(change: Change) -> Place:
    """The place in the later version from which something is gone: before what follows, or at the end."""
    component = change.component_after
    mark = Mark(0, Span(0, 0))
    if component is None:
        component = change.after[-1]
        mark = Mark(0, Span(len(component.text), len(component.text)))
    return _place(component, mark)[0]


def _further(change: Change, after: Mark | None, before: Mark | None) -> Place:
    """A further place of a cause; the earlier prompt's where the later one has none."""
    if after is not None:
        return _place(change.after[after.index], after)[0]
    assert before is not None
    return _place(change.before[before.index], before)[0]


def of_note(rule: Rule, note: Note, prompt: Prompt, policy: CachePolicy, scope: Scope) -> Finding:
    """The finding of a rule on a pair or on a single request."""
    component = note.component
    if component is not None and note.span is not None:
        place, marked = _place(component, Mark(0, note.span))
    elif component is not None and component.breakpoint is not None:
        place, marked = _place_of(component.breakpoint.location)
    elif component is not None:
        place, marked = _place(component, Mark(0, Span(0, len(component.text))))
    else:
        place, marked = _setting_place(prompt, note.setting or "")
    facts = {"section": component.section.value if component else "settings", "before": "", "after": "", **note.facts}
    finding = _finding(rule, place, marked, facts, prompt, policy, scope, note.lost, ())
    # What vendors diagnose is a difference of two requests: of their settings here, as no text is compared.
    compared = rule.subject == "pair" and component is None
    return replace(
        finding,
        severity=note.severity or finding.severity,
        confidence=note.confidence or finding.confidence,
        fingerprint=fingerprints.place_of(rule.code, place.path, component, note.span),
        vendor_reason=_vendor_reason(policy, "", note.setting or "") if compared else "",
    )


def _finding(
    rule: Rule, place: Place, marked: str, facts: Mapping[str, str], prompt: Prompt, policy: CachePolicy, scope: Scope,
    lost: int | None, related: tuple[Related, ...],
) -> Finding:  # fmt: skip
    standard = {
        "lost": f"{lost:,}" if lost is not None else "some",
        "recovers": "",
        "path": place.path or place.file,
        "provider": policy.family,
        "model": prompt.model or policy.family,
        "scope": scope.value,
    }
    facts = {**standard, **facts}
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        scope=scope,
        message=rule.message.format_map(facts),
        location=place,
        marked=marked,
        related=related,
        tokens_lost=lost,
        vendor_reason=_vendor_reason(policy, facts["section"], facts.get("setting", "")),
        facts=facts,
    )


def diagnosis(found: Sequence[Cause], noted: Sequence[tuple[Rule, Note]], policy: CachePolicy) -> str:
    """What the provider's own diagnosis would say of the pair: it names one reason, that of the first cause.

    `unavailable` is what it says where nothing else differs.
    """
    settings = [note.setting for _, note in noted if note.setting and note.component is None]
    reasons = [cause.finding.vendor_reason for cause in found]
    reasons += [_vendor_reason(policy, "", setting) for setting in settings]
    named = [reason for reason in reasons if reason]
    return next((reason for reason in named if reason != _UNAVAILABLE), named[0] if named else "")


def _vendor_reason(policy: CachePolicy, section: str, setting: str) -> str:
    """The provider's name for a change of a section, or of a setting by its path, flattened path or last part."""
    names = (setting, setting.replace(".", "_"), setting.rpartition(".")[2]) if setting else (section,)
    return next((policy.vendor_reasons[name] for name in names if name in policy.vendor_reasons), "")


def excerpt(text: str) -> str:
    """At most 40 characters of prompt text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1] + "…"


def _text(component: Component, mark: Mark) -> str:
    return component.text[mark.span.start : mark.span.end]


def _place(component: Component, mark: Mark) -> tuple[Place, str]:
    """A marked text of a component as a place in its file."""
    if component.location.form is Form.NONE and len(mark.span):  # content that has no text of its own
        return _place_of(component.location)[0], _text(component, mark)
    start = point(0, component, mark.span.start)
    end_offset = start.offset
    if len(mark.span) and component.location.form in (Form.JSON_VALUE, Form.JSON_MEMBER):
        # The offset behind the last character would be that of whatever comes next in the value.
        end_offset = point(0, component, mark.span.end - 1).offset + 1
    elif len(mark.span):
        end_offset = point(0, component, mark.span.end).offset
    source = component.location.source
    return (
        _between(
            source.name, start.path, source.position(start.offset), source.position(max(end_offset, start.offset))
        ),
        _text(component, mark),
    )


def _place_of(location: Location) -> tuple[Place, str]:
    source, span = location.source, location.span
    place = _between(source.name, location.path, source.position(span.start), source.position(span.end))
    return place, source.text[span.start : span.end]


def _setting_place(prompt: Prompt, path: str) -> tuple[Place, str]:
    within = (prompt.setting(path[:end]) for end in range(len(path), 0, -1) if path[end : end + 1] in ("", "."))
    setting = next((setting for setting in within if setting is not None), None)
    if setting is None:  # the later request no longer has it: the request itself is the place
        return _between(prompt.source.name, path, Position(1, 1), Position(1, 1)), ""
    place, marked = _place_of(setting.location)
    return replace(place, path=path), marked


def _between(file: str, path: str, start: Position, end: Position) -> Place:
    return Place.between(file, path, start, end)
