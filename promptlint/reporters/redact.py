"""A report without a word of any prompt: letters become `a`, digits `0`; lengths, blanks and punctuation stay.

File names, figures, field names of the wire formats and promptlint's own words are kept. What is not known to be
promptlint's own is taken as a prompt's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.model.divergence import Divergence, Point
from promptlint.model.finding import Finding, Fix, Place, Related, TextEdit
from promptlint.model.prompt import Skip
from promptlint.model.report import Boundary, Comparison, Excerpt, RepairStep, Report, VaryingRegion
from promptlint.model.source import Source
from promptlint.rulebook.rule import Rule

if TYPE_CHECKING:
    from promptlint.model.traced import Traced

# Facts of a rule's message that are figures, words of promptlint's, or field paths. All others may quote a prompt.
_FIGURES = """
    lost recovers count total kept words words_before words_after message messages blocks positions lookback written
    allowed marked minimum stable declared char length token
    rate possible requests floor from to idle lifetime predicted cached missed restarts others
"""
_OWN_WORDS = """
    provider model scope section level unit effect doubt behind move saves region instead ttl earlier_ttl shapes cost
    longer
"""
_PATHS = "path setting key earlier paths better role"
_SENTENCES = "where"  # words of promptlint's with a path among them
_FIGURE = re.compile(r"(?:one|some|[\d,]+(?: ?%)?)?(?: [a-z]+)?")

# Names in the wire formats that are read, and of JSON Schema. Other names in a path are the prompt's own.
_WIRE_NAMES = """
    additionalProperties allOf anyOf args arguments array assistant audio audio_url budget_tokens bytes cachePoint
    cache_control cachedContent cached_content call_id chat_template chat_template_kwargs citations citationsContent
    content contents conversation data default definitions defs description detail developer document document_url
    effort encrypted_content enum examples file fileData fileUri file_data file_id file_uri file_url format
    frequency_penalty function functionCall functionDeclarations functionResponse function_call function_declarations
    function_response functions guardContent guardrailConfig id image image_url include index inferenceConfig
    inlineData inline_data input inputSchema input_audio input_schema instructions items json logprobs
    max_completion_tokens max_tokens media_type message messages metadata mimeType mime_type minimum model modelId
    name null number object oneOf output output_config parallel_tool_calls parameters parametersJsonSchema parts
    pattern presence_penalty previous_response_id prompt prompt_cache_breakpoint prompt_cache_key prompt_cache_options
    prompt_cache_retention properties reasoning reasoningContent reasoning_content reasoning_details reasoning_effort
    refusal required response response_format role safety_identifier schema seed service_tier signature source speed
    status stop stop_sequences store stream stream_options strict string summary system systemInstruction
    system_instruction temperature template text thinking thought thoughtSignature thought_signature title tool
    toolChoice toolConfig toolResult toolSpec toolUse toolUseId tool_call_id tool_calls tool_choice tool_result
    tool_use tool_use_id tools top_k top_p truncation ttl type uri url usage user verbosity video video_url
"""
_KNOWN = frozenset(_WIRE_NAMES.split())
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|\w+')
_PATH_WORD = re.compile(r"\S*(?:\[|\.\w)\S*")
_IN_WORDS = re.compile(r"\S*[\[.]\S*")
_QUOTED = re.compile(r"(?<=['\"`]).*(?=['\"`])", re.DOTALL)
_FILE = re.compile(r"[/:]|^-$|\.(?:md|markdown|txt|text|prompt|jsonl?|ya?ml|toml|j2|jinja2?|tmpl|mustache|hbs)$")


def redacted(report: Report, rules: Mapping[str, Rule]) -> Report:
    """The report for people who may not see the prompts. `rules`: by code, to tell a message's words from its facts."""
    return replace(
        report,
        comparisons=tuple(_comparison(each) for each in report.comparisons),
        findings=tuple(_finding(each, rules.get(each.code)) for each in report.findings),
        skipped=tuple(_skip(each) for each in report.skipped),
        volatility=tuple(_varying(each) for each in report.volatility),
        traced=_traced(report.traced, rules),
    )


def _traced(traced: Traced | None, rules: Mapping[str, Rule]) -> Traced | None:
    if traced is None:
        return None
    from promptlint.reporters.redact_trace import redacted_trace

    return redacted_trace(traced, rules)


def shape(text: str) -> str:
    """Letters (and the marks on them) as `a`, numbers as `0`, everything else as it is."""
    if text.isascii():
        return "".join("a" if each.isalpha() else "0" if each.isdigit() else each for each in text)
    return "".join({"L": "a", "M": "a", "N": "0"}.get(unicodedata.category(each)[0], each) for each in text)


def path_shape(path: str) -> str:
    """A field path in which only the names of the wire format can be read."""

    def shown(match: re.Match[str]) -> str:
        name = match[0]
        return name if name in _KNOWN or name.isdigit() else shape(name)

    return _NAME.sub(shown, path)


def paths_in(words: str) -> str:
    """Words of promptlint's, in which the paths keep the names of the wire format only."""
    return _PATH_WORD.sub(lambda path: path_shape(path[0]), words)


def _finding(finding: Finding, rule: Rule | None) -> Finding:
    facts = {name: _fact(name, value, finding) for name, value in finding.facts.items()}
    return replace(
        finding,
        message=_message(finding, rule, facts),
        location=place_shape(finding.location),
        marked=shape(finding.marked),
        related=tuple(Related(_words(each.message), place_shape(each.location)) for each in finding.related),
        fix=_fix(finding.fix),
        facts=facts,
        change="",  # a hash of the text: short texts could be guessed from it
    )


def _message(finding: Finding, rule: Rule | None, facts: Mapping[str, str]) -> str:
    """The rule's words with the shapes of its facts, and what promptlint added; all shapes where that is not sure."""
    for form in (rule, *rule.also) if rule else ():
        try:
            original = form.message.format_map(finding.facts)
        except KeyError:  # the form for another subject
            continue
        if finding.message.startswith(original):
            return form.message.format_map(facts) + finding.message[len(original) :]
    return shape(finding.message)


def _fact(name: str, value: str, finding: Finding) -> str:
    own = (
        name in _OWN_WORDS.split()
        or (name in _FIGURES.split() and _FIGURE.fullmatch(value))
        or value == finding.location.file
    )
    if own:
        return value
    if name in _SENTENCES.split():
        return paths_in(value)
    return path_shape(value) if name in _PATHS.split() else shape(value)


def place_shape(place: Place) -> Place:
    """The place with a path in which only names of the wire formats can be read."""
    return replace(place, path=path_shape(place.path))


def _fix(fix: Fix | None) -> Fix | None:
    if fix is None:
        return None
    return replace(
        fix, edits=tuple(TextEdit(place_shape(each.location), shape(each.replacement)) for each in fix.edits)
    )


def _skip(skip: Skip) -> Skip:
    return replace(skip, what=skip.what if _FILE.search(skip.what) else path_shape(skip.what), why=_words(skip.why))


def _words(text: str) -> str:
    """Words of promptlint's, which quote what they took from elsewhere."""
    return _QUOTED.sub(lambda quoted: shape(quoted[0]), text, count=1)


def _comparison(each: Comparison) -> Comparison:
    return replace(
        each,
        divergence=_divergence(each.divergence),
        place=place_shape(each.place) if each.place else None,
        excerpt=_excerpt(each.excerpt),
        repairs=tuple(_repair(step) for step in each.repairs),
        marks=tuple(_mark(mark) for mark in each.marks),
    )


def _varying(region: VaryingRegion) -> VaryingRegion:
    return replace(region, place=place_shape(region.place), examples=tuple(map(shape, region.examples)))


def _repair(step: RepairStep) -> RepairStep:
    return replace(step, path=path_shape(step.path), excerpt=_excerpt(step.excerpt))


def _mark(mark: Boundary) -> Boundary:
    return replace(mark, label=_IN_WORDS.sub(lambda path: path_shape(path[0]), mark.label))


def _excerpt(excerpt: Excerpt | None) -> Excerpt | None:
    if excerpt is None:
        return None
    return replace(excerpt, shared=shape(excerpt.shared), before=shape(excerpt.before), after=shape(excerpt.after))


def _divergence(divergence: Divergence | None) -> Divergence | None:
    if divergence is None:
        return None
    return replace(
        divergence,
        before=_point(divergence.before),
        after=_point(divergence.after),
        token_before=_point(divergence.token_before),
        token_after=_point(divergence.token_after),
    )


def _point(point: Point) -> Point:
    """Without the component's text and its source, which hold the whole prompt."""
    component = point.component
    location = component.location
    source = Source(location.source.name, "")
    emptied = replace(
        component,
        text="",
        name="",
        call_id="",
        breakpoint=None,
        location=replace(location, source=source, path=path_shape(location.path)),
    )
    return replace(point, component=emptied, path=path_shape(point.path))
