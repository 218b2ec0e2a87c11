"""Chat templates in a check: what trying them with conversations has shown, as findings of the rules on them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint import tokenizers
from promptlint.jsonspans import locate
from promptlint.matchers import chat_template
from promptlint.model.errors import InputError, TokenizerUnavailable
from promptlint.model.finding import Finding, Place, Related, Scope
from promptlint.model.prompt import Prompt, Skip
from promptlint.model.source import Source, Span
from promptlint.model.symptom import Symptom
from promptlint.pipeline.compare import Outcome
from promptlint.pipeline.prepare import Workshop
from promptlint.readers.template import chat
from promptlint.readers.template.chat import ChatText
from promptlint.rulebook.load import STANDARD_FACTS
from promptlint.rulebook.rule import Rule

if TYPE_CHECKING:
    from promptlint.render.trials.trial import Trial

_TOKENIZER = "tokenizer.json"
_SCOPES = {"date": Scope.OTHER_DAY, "position": Scope.UNKNOWN, "stopped": Scope.UNKNOWN}


def look_at(source: Source, workshop: Workshop) -> Outcome:
    """The findings on one file with chat templates. Raises InputError for one that is no template at all."""
    templates = chat.read(source)
    if not templates:
        return Outcome(None, (), (Skip(source.name, "holds no chat template"),))
    skips: list[Skip] = []
    findings: list[Finding] = []
    for template in templates:
        findings += _findings(template, workshop, skips)
    return Outcome(None, tuple(findings), tuple(skips))


def _findings(template: ChatText, workshop: Workshop, skips: list[Skip]) -> Iterator[Finding]:
    rules = workshop.reported.on("chat-template")
    for symptom in _symptoms(template, workshop, skips):
        for rule in rules:
            if rule.matcher.applies(symptom, rule.params):
                yield _finding(rule, symptom, template)


def _symptoms(template: ChatText, workshop: Workshop, skips: list[Skip]) -> list[Symptom]:
    from promptlint.pipeline.symptoms import Symptoms, stopped  # loads jinja2
    from promptlint.render.failures import Failure
    from promptlint.render.load import MAX_TEMPLATE
    from promptlint.render.trials.trace import TemplateFailed, TracedTemplate
    from promptlint.render.trials.trial import try_template

    name = template.location.source.name
    if len(template.text) > MAX_TEMPLATE:
        raise InputError(f"a chat template of more than {MAX_TEMPLATE:,} characters is not read", name=name)
    try:
        traced = TracedTemplate(template.text, _specials(name))
        trial = try_template(traced, template.tools)
        skips += _untried(template, trial)
        return list(Symptoms(traced, template.text, trial, _vocabulary(name, workshop, skips)).found())
    except TemplateFailed as failed:
        if failed.kind in (Failure.STOPPED, Failure.FORBIDDEN):
            return [stopped(failed, template.text)]
        message = f"the chat template has an error: {failed.reason}"
        place = _place(template, failed.span) if failed.span is not None else None
        line, column = (place.line, place.column) if place else (None, None)
        raise InputError(message, name=name, line=line, column=column) from None


def _untried(template: ChatText, trial: Trial) -> Iterator[Skip]:
    """What could not be tried; shapes that the template itself refuses are none of its uses."""
    from promptlint.render.failures import Failure
    from promptlint.render.trials.wording import described

    name, refused = template.location.source.name, trial.refused
    failed = [shape for shape, why in refused.items() if why.kind is not Failure.REFUSED]
    if not trial.tried:
        reason = next(iter(refused.values())).reason
        yield Skip(name, f"the chat template takes none of {len(refused)} shapes of conversation: {reason}")
    elif failed:
        shapes = described(failed, (*trial.tried, *refused))
        yield Skip(name, f"the chat template cannot be rendered {shapes}: {refused[failed[0]].reason}")


def _specials(name: str) -> dict[str, str]:
    """The special tokens beside a template."""
    from promptlint.render.load import special_tokens
    from promptlint.render.trials.trial import STAND_INS

    return special_tokens(os.path.dirname(name)) or STAND_INS  # noqa: PTH120 (an empty name is this folder)


def _vocabulary(name: str, workshop: Workshop, skips: list[Skip]) -> tokenizers.Vocabulary:
    """The one that the user names, else the model's own that lies beside the template, else the usual one."""
    beside = Path(name).with_name(_TOKENIZER)
    if workshop.options.tokenizer is None and beside.is_file():
        try:
            return tokenizers.load(str(beside), workshop.options.cache)
        except TokenizerUnavailable as error:
            skips.append(Skip(str(beside), f"counted with another vocabulary: {error.message}"))
    return workshop.choice(Prompt(Source(name, ""), "text", ())).tokenizer


def _finding(rule: Rule, symptom: Symptom, template: ChatText) -> Finding:
    place = _place(template, symptom.span)
    scope = _SCOPES.get(symptom.kind, Scope.SAME_CONVERSATION)
    lost = "some" if symptom.lost is None else f"{symptom.lost:,}"
    facts = {**_UNSAID, **symptom.facts, "lost": lost, "path": place.path or place.file, "scope": scope.value}
    marked = template.text[symptom.span.start : symptom.span.end]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        scope=scope,
        message=rule.message.format_map(facts),
        location=place,
        marked=marked,
        related=tuple(Related(message, _place(template, span)) for message, span in symptom.related),
        tokens_lost=symptom.lost,
        fingerprint=_fingerprint(rule, place.path, marked),
        facts=facts,
    )


_UNSAID = dict.fromkeys((*STANDARD_FACTS, *chat_template.FACTS), "")


def _place(template: ChatText, span: Span) -> Place:
    location, text = template.location, template.text
    start, end = (location.source.position(locate(location, text, char)[2]) for char in (span.start, span.end))
    return Place.between(location.source.name, location.path, start, end)


def _fingerprint(rule: Rule, path: str, marked: str) -> str:
    """Stays the same when lines move: the rule, the field, and the tag as it is written."""
    return hashlib.sha256("\0".join((rule.code, path, " ".join(marked.split()))).encode()).hexdigest()[:16]
