"""Clock values and calendar dates in text, in the shapes that programs and people write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, pair_of, window
from promptlint.matchers._wording import in_example, live
from promptlint.model.source import Span

# Short forms that are words as well count only with a capital letter.
_MONTH = (
    r"(?:jan(?:uary|uar|vier|eiro|uari)?|feb(?:ruary|ruar|brero|ruari)?|févr?(?:ier)?|march|märz|marzo|mars|março|maart|"
    r"(?-i:Mar|MAR|May|MAY|Mai|Maj|Mei|mai|mei)|mayo|maggio|maio|apr(?:il|ile)?|avr(?:il)?|abril|june?|juin|juni|junio|"
    r"july?|juli|julio|juil(?:let)?|giugno|luglio|aug(?:ust|ustus)?|août|agosto|sept?(?:ember|embre|iembre)?|"
    r"settembre|setembro|o[ck]t(?:ober|obre|ubre)?|ottobre|outubro|nov(?:ember|embre|iembre|embro)?|"
    r"de[cz](?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)?|"
    r"январ[ья]|феврал[ья]|марта?|апрел[ья]|ма[йя]|июн[ья]|июл[ья]|августа?|сентябр[ья]|октябр[ья]|ноябр[ья]|декабр[ья])"
)
_WEEKDAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:Mon|Tue|Wed|Thu|Fri|Sat|Sun|MON|TUE|WED|THU|FRI|SAT|SUN)|"
    r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    r"lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|"
    r"понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|"
    r"[月火水木金土日]曜日|(?:星期|周)[一二三四五六日天]|[월화수목금토일]요일)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ZONE = r"(?:\s?(?:Z\b|UTC\b|GMT\b|(?-i:[A-Z]{2,4}T)\b|[+-]\d\d:?\d\d\b))?"
_YEAR = r"(?:19|20)\d\d"
_DAYS = (
    rf"(?<![\d.\w]){_YEAR}([-/._])(?:1[0-2]|0?[1-9])\1{_DAY}(?!\d|[-/._]\d)",
    rf"(?<![\d.\w]){_DAY}([-/.])(?:1[0-2]|0?[1-9])\1{_YEAR}(?!\d|[-/.]\d)",
    rf"(?<![\d.\w])(?:1[0-2]|0?[1-9])/{_DAY}/(?:{_YEAR}|\d\d)(?![\d/])",
    rf"(?<![\w.]){_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d|[A-SU-Z_a-su-z])",
    rf"(?<!\w)(?:{_WEEKDAY}[.,]{{0,2}}\s+(?:the\s+|den\s+|le\s+)?)?{_DAY}(?:st|nd|rd|th|er|º|\.)?[\s-](?:of\s|de\s)?{_MONTH}(?!\w)\.?"
    rf"(?:,?[\s-](?:de\s|del\s)?{_YEAR}(?!\d))?",
    rf"(?<!\w)(?:{_WEEKDAY}[.,]{{0,2}}\s+)?{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?(?![\d:])(?:,?\s+{_YEAR}(?!\d))?",
    rf"(?<!\w){_MONTH}\.?\s+(?:de\s+)?{_YEAR}(?!\d)",
    rf"(?<!\w){_WEEKDAY}(?!\w)",
    r"\d{2,4}[年년]\s?\d{1,2}[月월](?:\s?\d{1,2}[日일])?",
    rf"(?<![\w.-]){_YEAR}-?W(?:[0-4]\d|5[0-3])(?:-?[1-7])?(?!\w)",
    rf"(?<![\w./-]){_YEAR}-(?:0[1-9]|1[0-2])(?![\w-])",
    r"\d{1,2}月\d{1,2}日",
)
_CLOCKS = (
    rf"(?<![\d:.])(?:2[0-3]|[01]?\d)[:：][0-5]\d(?:[:：][0-5]\d(?:[.,]\d{{1,9}})?)?(?:\s?[ap]\.?m\b\.?)?{_ZONE}(?!\d|:\d)",
    r"(?<![\d:.])(?:1[0-2]|0?[1-9])(?:[.:][0-5]\d)?\s?[ap]\.?m\b\.?",
    r"(?<![\w:.])(?:2[0-3]|[01]?\d)(?:[.:][0-5]\d)?\s?(?:uhr\b(?:\s?[0-5]\d)?|h(?:\s?[0-5]\d)?(?!\w))",
    r"(?<=kl\s|kl\.)(?:2[0-3]|[01]?\d)[.:][0-5]\d(?!\d)",
    r"(?:[上下]午|오전|오후)?\s?\d{1,2}[時时点點시]\s?(?:\d{1,2}[分분])?\s?(?:\d{1,2}[秒초])?",
    rf"(?<=\dT)\d{{2}}:?\d{{2}}(?::?\d{{2}}(?:[.,]\d{{1,9}})?)?{_ZONE}",
    rf"(?<![\w.]){_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[T_-]?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?:[.,]\d{{1,9}})?{_ZONE}(?!\d)",
)
_EPOCH = r"(?<![\d.\w-])(?:1[5-9]|2[01])\d{8}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?(?![\d\w])"
_GLUE = r"[\s,T_|()\[\]@–-]{0,3}(?:at|um|à|a las|alle|às|kl\.?|klo|в|on|den|le)?\s?"
_RANGE = r"^\s?(?:-|–|—|to|until|till|bis|à|and)\s?\d{1,2}(?:[:.]\d\d|\s?[ap]m)"
_OPEN_RANGE = r"\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?\s?(?:-|–|—|\bto\b|\buntil\b|\band\b)\s?$"
_OTHER_NUMBER = (
    r"\b(?:phone|tel|telephone|call|fax|mobile|isbn|order|invoice|sku|account|card|iban|number|no|nr|ref)"
    r"(?:[ _-]?(?:number|no|nr|id))?\b[\s:.#=+(]{0,4}$"
)
PATTERNS = (*_DAYS, *_CLOCKS, _EPOCH, _GLUE, _RANGE, _OPEN_RANGE, _OTHER_NUMBER)

_YEAR_SECONDS = 366 * 86_400
_FULL_HOUR = re.compile(
    r"\d{1,2}(?:[:.]00){1,2}(?:[.,]0+)?\s?(?:[ap]\.?m\.?|Z|UTC|GMT|[+-]\d\d:?\d\d)?", re.I
).fullmatch
_UNROUND = re.compile(r"\d{1,2}[:.]\d[1-46-9]").match
_PART_OF_DATE = re.compile(r"\d{4}-\d\d|\d{4}-?W.+|\d{2,4}[年년]\s?\d{1,2}[月월]|\d{1,2}月.*").fullmatch


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, a time of day or both; `full`: a date with its year and day."""

    span: Span
    time: str
    dated: bool
    full: bool


def clocks(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Clock values that differ, and whether the words around say that they are read at run time."""
    for old, new in _moment_pairs(site):
        if (old.time or new.time) and not _at_day_level(old, new):
            context = _context(site, old, new)
            # A full date beside it, or seconds: the shape alone is that of a stamp. `14:05` alone may be anything.
            strong = old.full or new.full or any(part.count(":") > 1 for part in (old.time, new.time))
            if context or (context is None and strong):
                pair = pair_of(site, old.span, new.span)
                # The same day at another time is a clock, whatever stands around it.
                same_day = old.full and new.full and pair.before_text[:8] == pair.after_text[:8]
                yield pair, bool(context) or same_day
    yield from _epochs(site)


def dates(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Dates that differ, without a time of day that does."""
    for old, new in _moment_pairs(site):
        if _at_day_level(old, new):
            context = _context(site, old, new)
            if context or (context is None and old.full and new.full):
                yield pair_of(site, old.span, new.span), bool(context)


def _at_day_level(old: Moment, new: Moment) -> bool:
    """Whether only the day differs: no time of day, or the same full hour on both sides (midnight, a daily job)."""
    if not (old.dated and new.dated):
        return False
    return not (old.time or new.time) or (old.time == new.time and bool(_FULL_HOUR(old.time)))


def _context(site: Site, old: Moment, new: Moment) -> bool | None:
    """What the words around say (see `live`); a line or a bracket that holds nothing else is a stamp."""
    pair = pair_of(site, old.span, new.span)
    if compiled(_RANGE).match(pair.trail, 0, len(pair.trail)) or compiled(_OPEN_RANGE).search(pair.lead):
        return False
    if not go_on_alike(site, old.span.end, new.span.end) or in_example(site.after, new.span.start):
        return False
    if pair.lead.rstrip()[-1:] in ("[", "<"):
        return True
    said = live(pair.lead, pair.trail)
    if said is None and pair.lead.rstrip()[-1:] == "|" and pair.trail.lstrip()[:1] == "|":
        # In a row of a table a time is a stamp where it is none of those that people agree upon.
        return True if _UNROUND(old.time) or _UNROUND(new.time) else None
    alone = not pair.lead.strip(" (*#|-") and not pair.trail.strip(" )*|.")
    return True if said is None and alone else said


def _moment_pairs(site: Site) -> Iterator[tuple[Moment, Moment]]:
    news = {moment.span.start: moment for moment in _moments(site.after, site.first)}
    for old in _moments(site.before, site.first):
        new = news.get(old.span.start)
        if new and site.before[old.span.start : old.span.end] != site.after[new.span.start : new.span.end]:
            yield old, new


def _moments(text: str, first: int) -> Iterator[Moment]:
    """The date and time that hold the first difference, as one value where they stand together."""
    cut, base = window(text, first)
    run: list[_Found] = []
    for part in [*_parts(cut), None]:
        if part and run and compiled(_GLUE).fits(cut, run[-1].end, part.start):
            run.append(part)
            continue
        if run and base + run[0].start <= first <= base + run[-1].end:
            yield _moment(cut, base, run)
        run = [part] if part else []


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    clock: bool


def _parts(text: str) -> list[_Found]:
    """Dates and times of day that do not overlap; of two that do, the earlier one, or else the longer one."""
    found = [
        _Found(match.start(), match.end(), clock)
        for clock, patterns in ((True, _CLOCKS), (False, _DAYS))
        for pattern in patterns
        for match in compiled(pattern).finditer(text, 0, len(text))
    ]
    kept: list[_Found] = []
    for part in sorted(found, key=lambda part: (part.start, -part.end)):
        if part.end > part.start and (not kept or part.start >= kept[-1].end):
            kept.append(part)
    return kept


def _moment(text: str, base: int, run: list[_Found]) -> Moment:
    time = "".join(text[part.start : part.end] for part in run if part.clock)
    days = [text[part.start : part.end] for part in run if not part.clock]
    compact = sum(char.isdigit() for char in time) >= 12 and time[:8].isdigit()
    full = compact or any(sum(map(str.isdigit, day)) >= 5 and not _PART_OF_DATE(day) for day in days)
    return Moment(Span(base + run[0].start, base + run[-1].end), time, bool(days) or compact, full)


def _epochs(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Seconds, milli-, micro- or nanoseconds since 1970: two such numbers less than a year apart."""
    spans = []
    for text in (site.before, site.after):
        cut, base = window(text, site.first)
        spans.append(
            [
                Span(base + match.start(), base + match.end())
                for match in compiled(_EPOCH).finditer(cut, 0, len(cut))
                if base + match.start() <= site.first <= base + match.end()
            ]
        )
    for old in spans[0]:
        for new in spans[1]:
            pair = pair_of(site, old, new)
            near = abs(int(pair.before_text[:10]) - int(pair.after_text[:10])) < _YEAR_SECONDS
            if old.start == new.start and near and not compiled(_OTHER_NUMBER).search(pair.lead):
                yield pair, bool(live(pair.lead, pair.trail))
