"""Ids, hashes and nonces: values that were drawn and not written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from promptlint.matchers._labels import labelled
from promptlint.matchers._people import names_someone
from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, labelled_pairs, value_pairs
from promptlint.matchers._wording import in_example

_SHAPES = (
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    r"(?<!\w)[0-9a-f]{6,128}(?!\w)",
    r"(?<!\w)(?-i:[0-9A-HJKMNP-TV-Z]{26})(?!\w)",
    r"(?<![\w.-])[a-z]{2,12}[_-][A-Za-z0-9]{6,64}(?![\w-])",
    r"(?<![\w.@-])[A-Za-z0-9_-]{10,128}={0,2}(?![\w@-])",
    r"(?<![\w+/.@-])[A-Za-z0-9+/]{16,400}={0,2}(?![\w@])",
    r"(?<![\w.,-])\d{15,20}(?![\w.,-])",
    r"(?<=[\w\"'][=:])[0-9a-f]{4,5}(?!\w)",
)
# What a build puts behind its version: letters and digits of a hash, for example the last part of `2.1.41.a3f`.
_BUILDS = (r"(?<=\d\.\d[.+-])[0-9a-f]{3,40}(?![\w.])", r"(?<=\d\.\d\d[.+-])[0-9a-f]{3,40}(?![\w.])")
_LABELLED = (r"(?:[A-Za-z0-9]{1,12}[_-])?[A-Za-z0-9_.+/-]{4,200}(?::[A-Za-z0-9]{2,40})?={0,2}",)
_LABELS = (
    r"(?:\b|_)(?:\w{0,20}[ _-])?(?:ids?|uuid|guid|ulid|nonce|hash|sha-?\d*|sum|md5|crc|cch|checksum|digest|sig|h?mac|"
    r"token|trace|rev|span|request|req|"
    r"run|invocation|correlation|job|seed|salt|build|session|fingerprint|etag|signature|boundary|marker|nonce|"
    r"(?:cache|api|access|session|idempotency)[ _-]?key|(?:verification|session|access)[ _-]?code)"
    r"[\"'`]?\s{0,3}(?:[:=#]|\bis\b)\s{0,3}[\"'`]?(?:Bearer\s)?",
    r"\b(?:fingerprint|hash|checksum|sum|etag|digest|rev|nonce|id|request|req|run|trace|span|job|"
    r"invocation|session|nonce|build)[ #]{1,2}",
)
_PUBLIC_NUMBER = (
    r"\b(?:isbn|issn|doi|phone|tel|fax|iban|vat|order|invoice|sku|article|item|part|model|version|release|"
    r"no|nr|number)\b\W{0,12}$"
)
PATTERNS = (*_SHAPES, *_BUILDS, *_LABELLED, *_LABELS, _PUBLIC_NUMBER)

_CASED = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+").fullmatch
_DRAWN = 4  # characters in which two drawn values must be able to differ
_LONG = 12  # characters from which on one of two values of that length need not look drawn
_AGREE = 0.4  # share of places in which two drawn values have the same character by chance, with room


def ids(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Ids that differ, and whether a label calls them so; not those of a user, tenant or conversation."""
    if any(names_someone(value.words) for value in labelled(site)):
        return
    for pair in value_pairs(site, _SHAPES):
        if _two_draws(pair, site.first) and _stands_alone(site, pair):
            yield pair, compiled(_LABELS[0]).search(pair.lead[-40:])
    for pair in value_pairs(site, _BUILDS):
        if len(pair.before_text) == len(pair.after_text) and all(map(_mixed, (pair.before_text, pair.after_text))):
            yield pair, True
    for pair in labelled_pairs(site, _LABELS, _LABELLED):
        texts = (pair.before_text, pair.after_text)
        if (all(map(_mixed, texts)) or _drawn_pair(*texts)) and _stands_alone(site, pair):
            yield pair, True


def _stands_alone(site: Site, pair: ValuePair) -> bool:
    if compiled(_PUBLIC_NUMBER).search(pair.lead[-40:]):
        return False
    return go_on_alike(site, pair.before.end, pair.after.end) and not in_example(site.after, pair.after.start)


def _two_draws(pair: ValuePair, first: int) -> bool:
    """Whether two values are draws of one kind: they look drawn, are of one length and hardly agree behind `first`.

    Two article numbers or versions differ in a digit or two; two random values in almost every place.
    """
    old, new = pair.before_text, pair.after_text
    if not _drawn_pair(old, new) or abs(len(old) - len(new)) > max(2, len(new) // 8):
        return False
    shared = first - pair.after.start
    left, right = old[shared:], new[shared:]
    places = min(len(left), len(right))
    agree = sum(a == b and a.isalnum() for a, b in zip(left, right, strict=False))
    return places >= _DRAWN and agree <= _AGREE * places


def _drawn_pair(old: str, new: str) -> bool:
    drawn = [looks_drawn(text) or looks_drawn(_last_part(text)) for text in (old, new)]
    if all(drawn) or (any(drawn) and len(old) == len(new) >= _LONG):
        return True
    # Of two hexadecimal values of one length, one may have come without a letter or a digit.
    both = old + new
    return len(old) == len(new) >= 6 and bool(_HEX(old) and _HEX(new)) and not both.isalpha() and not both.isdigit()


def _last_part(text: str) -> str:
    return text.replace("-", "_").rpartition("_")[2]


def _mixed(value: str) -> bool:
    """Letters and digits, not a version number or a word with a number behind it."""
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    dotted = value.count(".") > 0
    return digits > 0 and not dotted and (letters > 0 or digits >= 4)


def looks_drawn(value: str) -> bool:
    """Whether a value looks drawn rather than written: letters and digits mixed, or long hexadecimal."""
    plain = "".join(char for char in value if char.isalnum())
    digits = sum(char.isdigit() for char in plain)
    letters = len(plain) - digits
    turns = sum(left.isdigit() != right.isdigit() for left, right in pairwise(plain))
    if not digits:
        upper = sum(char.isupper() for char in plain[1:])
        return len(plain) >= 10 and 2 <= upper <= len(plain) - 3 and _restless_case(plain)
    words = [part for part in value.replace("_", "-").split("-") if part.isalpha() and part.islower() and len(part) > 3]
    if len(words) > 1:  # a name of several words, as `release-notes-2026`
        return False
    return (letters > 0 and turns >= 2) or (letters > 0 and len(plain) >= 24) or len(plain) >= 15


def _restless_case(value: str) -> bool:
    """Whether the words that case marks (`get`, `User`, `Name`) are too short for words."""
    return len(value) <= 2.7 * len(_CASED.findall(value))
