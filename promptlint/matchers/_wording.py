"""Words around a value that tell a live value from one that an author wrote."""

from __future__ import annotations

import re

from promptlint.matchers._values import compiled

# The value is read at run time.
NOW = (
    r"\b(?:now|ts|current(?:ly)?|today(?:'s)?|tonight|present|as of|it is|it's|generated|rendered|compiled|assembled|"
    r"clock|timestamp|time is|date is|date ?(?:and|&|/)? ?time|datetime|local time|time|date|fetched|retrieved|synced|"
    r"refreshed|snapshot|at runtime|utc|request(?:ed)? at|sent at|received at|started at|created at|"
    r"last (?:seen|sync|updated?|refresh|fetch|check(?:ed)?|run|poll|scan|activity|active)|"
    r"es ist|il est|son las|sono le|são|het is|"
    r"jetzt|heute|aktuell\w*|uhrzeit|datum|stand|heure|maintenant|aujourd'hui|actuelle?|hora|ahora|hoy|fecha|actual|"
    r"oggi|adesso|ora|data|hoje|agora|vandaag|nu|idag|сейчас|сегодня|время|дата|bugün|şu an)\b"
    r"|现在|当前|今天|时间|日期|現在|今日|本日|時刻|日時|지금|오늘|현재|الآن|اليوم|अभी|आज|עכשיו|היום"
)
# An author wrote it: it changes when the text is edited.
WRITTEN = (
    r"\b(?:(?:release|due|start|end|effective|expiry|publication|delivery|hire|order|invoice|closing|opening)"
    r"[ _-](?:date|time)|(?:date|day|time) of \w+|birth ?da(?:y|te)|open(?:s|ing)?|clos(?:e|es|ed|ing)|"
    r"hours?|from|until|till|between|deadline|due|every|daily|each|weekly|"
    r"schedul\w*|starts?|begins?|ends?|meetings?|appointments?|reservations?|bookings?|shifts?|"
    r"class(?:es)?|check-?(?:in|out)|"
    r"departs?|departures?|arriv\w*|before|after|valid|expir\w*|versions?|released?|release|since|founded|born|"
    r"published|effective|contract|signed|dated|example|e\.g|format|for instance|such as|like|edition|revised|revision|"
    r"cut-?off|knowledge|copyright|act|law|regulation|article|chapter|verse|section|paragraph|policy|in force|"
    r"geöffnet|öffnungszeiten|von|bis|gültig|ouvert|ouverture|fermé|horaires?|abierto|horario|aperto|orario)\b"
)
_LEAD = 70  # characters before a value in which its context stands
_TRAIL = 30
_TURN = r"^\s*(?:[-*>]\s*)?[\"“']?(?:user|human|assistant|ai|bot|q|a|question|answer|input|output|agent|model)\s*:"
_EXAMPLE_TITLE = r"\b(?:examples?|few-?shots?|samples?|beispiele?|exemples?|ejemplos?)\b"
_EXAMPLE = (
    r"(?:(?:\b(?:examples?|beispiel|exemple|ejemplo)\s?[:=(]|<example)[^\n]{0,60}"
    r"|\b(?:for example|for instance|e\.g\.)(?:(?![.!?]\s+(?-i:[A-Z]))[^\n]){0,60})$"  # to the end of the sentence
)
_HEADING = r"(?m)^(?:#{1,6}\s.*|\s*</?[A-Za-z][\w:.-]*[^<>\n]{0,120}>\s*$|[^\n]{1,80}:\s*$)"


def live(lead: str, trail: str) -> bool | None:
    """Whether the words around a value say that it is read at run time (True) or was written (False); None: neither.

    Of two words before the value the nearer one counts; words behind it only where none stands before.
    """
    lead, trail = _clause(lead[-_LEAD:]).replace("_", " "), re.split(r"[.!?;]\s|\|", trail[:_TRAIL])[0]
    now, written = _last(NOW, lead), _last(WRITTEN, lead)
    if max(now, written) >= 0:
        return now > written
    now, written = _first(NOW, trail), _first(WRITTEN, trail)
    return now < written if now != written else None


def _clause(lead: str) -> str:
    """The last sentence of a text."""
    for mark in (". ", "! ", "? ", "; "):
        lead = lead[lead.rfind(mark) + len(mark) :] if mark in lead else lead
    return lead


def _last(pattern: str, text: str) -> int:
    return max((match.end() for match in compiled(pattern).finditer(text, 0, len(text))), default=-1)


def _first(pattern: str, text: str) -> int:
    return next((match.start() for match in compiled(pattern).finditer(text, 0, len(text))), len(text))


def in_example(text: str, at: int) -> bool:
    """Whether a place stands in an example of a dialogue, or below a heading that says example."""
    start = text.rfind("\n", 0, at) + 1
    if compiled(_TURN).search(text[start : start + 40]) and _other_turn(text, start):
        return True
    window = text[max(0, at - 1500) : start]
    headings = [match[0] for match in compiled(_HEADING).finditer(window, 0, len(window))]
    line = text[start:at][-90:]
    return any(map(compiled(_EXAMPLE_TITLE).search, headings[-1:])) or compiled(_EXAMPLE).search(line)


def _other_turn(text: str, start: int) -> bool:
    """Whether the line before or behind is a turn of a dialogue too."""
    before = text[max(0, start - 400) : start].rstrip().rsplit("\n", 1)[-1]
    behind = text[start : start + 600].partition("\n")[2].lstrip()[:40]
    turn = compiled(_TURN)
    return turn.search(before) or turn.search(behind)
