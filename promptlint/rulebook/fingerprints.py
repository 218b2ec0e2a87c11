"""Names for findings and edits that stay the same when lines move: neither line numbers nor volatile values count."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from promptlint.model.finding import Finding
from promptlint.model.matching import Change, FromAfter, FromBefore, Rearranged, Repair
from promptlint.model.prompt import Component
from promptlint.model.source import Span

_AROUND = 80  # characters on each side of a marked text, within its line
_INDEX = re.compile(r"\[[0-9]+\]")
_LONG_IDS = re.compile(r"[0-9a-fA-F]{8,}")
_DIGITS = re.compile(r"[0-9]+")


def place_of(code: str, path: str, component: Component | None, span: Span | None) -> str:
    """The name of a finding within its file: the rule, the field and the text around what is marked.

    The marked text itself is left out, because a volatile value is another one each time.
    """
    around = ""
    if component is not None and span is not None:
        text = component.text
        start = max(text.rfind("\n", 0, span.start) + 1, span.start - _AROUND)
        end = text.find("\n", span.end)
        end = min(len(text) if end < 0 else end, span.end + _AROUND)
        around = f"{component.name}\0{_steady(text[start : span.start])}\0{_steady(text[span.end : end])}"
    return _digest(code, _INDEX.sub("[]", path), around)


def edit_of(change: Change, repair: Repair) -> str:
    """The name of one edit: what its repair would set equal, as it was and as it is, in whole lines or components."""
    was: list[str] = []
    spliced: dict[int, str] = {}
    for part in repair.parts:
        if isinstance(part, FromAfter):
            was.append(_whole(change.after[part.index]))
        elif isinstance(part, FromBefore):
            was.append(_whole(change.before[part.index]))
        elif isinstance(part, Rearranged):
            was.append(_whole(change.before[part.before]))
        else:
            was.append(_lines(change.before[part.before], part.before_span))
            spliced[part.after] = _lines(change.after[part.after], part.after_span)
    now = [spliced.get(i) or _whole(change.after[i]) for i in range(repair.start, repair.stop)]
    gone, come = [text for text in was if text not in now], [text for text in now if text not in was]
    if not gone and not come:  # only the order is another one
        gone, come = was, now
    return _digest("was", *gone, "is", *come)


def joined(*edits: str) -> str:
    """The name of several edits that make up one finding."""
    return _digest(*edits)


def numbered(findings: Iterable[Finding], named: Callable[[str], str] = str) -> tuple[Finding, ...]:
    """The findings with their final fingerprints: with the file, as `named` calls it, and numbered where equal."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for each in findings:
        key = (named(each.location.file), each.fingerprint)
        seen[key] += 1
        found.append(replace(each, fingerprint=_digest(*key, str(seen[key]))[:16]))
    return tuple(found)


def _whole(component: Component) -> str:
    return f"{component.section.value}\0{component.name}\0{component.text}"


def _lines(component: Component, span: Span) -> str:
    """The whole lines of a span."""
    text = component.text
    end = text.find("\n", span.end)
    lines = text[text.rfind("\n", 0, span.start) + 1 : len(text) if end < 0 else end]
    return f"{component.section.value}\0{component.name}\0{lines}"


def _steady(text: str) -> str:
    return " ".join(_DIGITS.sub("0", _LONG_IDS.sub("0", text)).split())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
