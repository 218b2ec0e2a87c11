"""Counters and budgets: two texts that are equal but for numbers that count something as the work goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.matchers._labels import labelled
from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, value_pairs
from promptlint.matchers._vocabulary import words
from promptlint.matchers._wording import in_example

_NUMBER = (
    r"(?<![\w.])[-+]?\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\w])|(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?![\d])",
)
# A label before the number, or a word behind it, that says it counts.
_BEFORE = (
    r"\b(?:turns?|rounds?|steps?|iterations?|attempts?|retr(?:y|ies)|cycles?|loops?|passes|messages?|"
    r"calls?|tokens?|requests?|"
    r"cost|spen[dt]|budget|usage|used|remaining|left|balance|credits?|quota|consumed|elapsed|uptime|"
    r"progress|count(?:er)?|total|"
    r"so far|number of \w+|unread|pending|queued?|completed|done|processed|nudges?|errors?|failures?|"
    r"tasks?|items?|context"
    r"(?: window| size| length)?|exchanges?|questions?|score|level|page|version_count|runde|schritt|"
    r"versuch|tour|étape|turno|paso)"
    r"[\"'*_`]{0,3}\s{0,3}(?:[:=#]|\bis\b|\bare\b|number|no\.?|count|id)?\s{0,3}[\"'#($€£~≈]{0,3}$"
)
_BEHIND = (
    r"^\s?(?:%|percent|[$€£]|usd|eur|cents?)?[\s,)]{0,2}(?:/\s?[\d,.]+|(?:out )?of\s+(?:the |your )?"
    r"(?:[\d,.]+)?)?\s{0,2}"
    r"(?:\w+\s){0,2}?(?:tokens?|turns?|rounds?|steps?|iterations?|attempts?|retries|messages?|calls?|"
    r"requests?|remaining|left|used|"
    r"spent|so far|consumed|elapsed|unread|pending|done|completed|ago|credits?|nudges?|errors?|failures?|tasks?|"
    r"tool|context)\b"
)
_FRACTION = r"^\s?(?:\w{2,15}\s)?(?:/|(?:out )?of\b|sur\b|von\b|de\b|di\b|van\b|av\b|из\b)\s?\d"
_FRACTION_END = r"\d\s?(?:/|of|out of)\s?$"
_STATUS = (
    r"\b(?:status|progress|budget|usage|used|remain(?:s|ing)?|left|spent|so far|elapsed|consumed|unread|pending|"
    r"currently|now|have|is turn|ago|full)\b"
)
# An author sets a bound or numbers a list: these change in a release.
_BOUND = (
    r"\b(?:at most|at least|max(?:imum)?|min(?:imum)?|up to|no more than|not more than|fewer than|less "
    r"than|more than|over|under|"
    r"within|every|each|per|limit(?:ed)?(?: (?:of|to|is))?|allow(?:ed|s)?|exceed|between|above|below|"
    r"after|before|than|first|last|top|"
    r"never|always|must|should|may|only|use|keep|give|offer|ask|show|list|return|wait|retry|try|in|"
    r"costs?)\b[^\n\d]{0,24}$"
)
_HEADED = re.compile(
    r"(?i)\b(?:(?:turn|round|iteration|attempt|cycle|step)\s?(?:no\.?|number|#|:)?|(?:message|request|call|question)"
    r"\s?(?:no\.|number|#))\s?$"
).search
PATTERNS = (*_NUMBER, _BEFORE, _BEHIND, _FRACTION, _FRACTION_END, _STATUS, _BOUND)


def counters(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Numbers that count something and differ."""
    for pair in value_pairs(site, _NUMBER):
        if go_on_alike(site, pair.before.end, pair.after.end) and not in_example(site.after, pair.after.start):
            if _is_list_number(site, pair):
                return
            if _counts(site, pair):
                yield pair, True


def _counts(site: Site, pair: ValuePair) -> bool:
    lead, trail = pair.lead[-60:], pair.trail[:40]
    if pair.after_text.startswith("+") and " " in pair.after_text:  # a telephone number
        return False
    clause = re.split(r"[.!?;]\s", lead)[-1]
    for value in labelled(site):
        if value.pair.after.start <= pair.after.start and not value.words & words("bounds"):
            apart = value.verb and pair.after.start - value.pair.after.start > 1  # `the counter is open from 9`
            if not apart and (value.words & words("counting") or (value.words & words("counted") and not value.verb)):
                return True
            break
    if compiled(_BOUND).search(clause) and not compiled(_STATUS).search(clause + trail):
        return False
    fraction = compiled(_FRACTION).search(trail) or compiled(_FRACTION_END).search(lead)
    if fraction and site.same_conversation:
        return True
    named = compiled(_BEFORE).search(lead) or compiled(_BEHIND).search(trail)
    return named and (
        fraction or site.same_conversation or compiled(_STATUS).search(clause + " " + trail) or _headed(lead)
    )


def _headed(lead: str) -> bool:
    """Whether the number follows `turn`, `round`, `attempt` at once: `This is turn 5`, `[round 3]`."""
    return _HEADED(lead) is not None


def _is_list_number(site: Site, pair: ValuePair) -> bool:
    """Whether the number is that of an entry or section: neighbouring lines begin the same way, or a title follows."""
    start = site.after.rfind("\n", 0, pair.after.start) + 1
    head = site.after[start : pair.after.start]
    if not head.strip(" -*#") and pair.trail[:1] in (".", ")"):
        return True
    if head.startswith("#") and re.match(r"[:.)]\s|\s[–—-]\s", pair.trail):
        return True
    if not any(map(str.isalpha, head)):
        return False
    above = site.after[max(0, start - 3000) : start].split("\n")
    below = site.after[pair.after.end : pair.after.end + 3000].split("\n")[1:]
    numbers = (re.match(rf"{re.escape(head)}([\d.,]*\d)", line) for line in (*above, *below))
    return any(number and number[1] not in (pair.before_text, pair.after_text) for number in numbers)
