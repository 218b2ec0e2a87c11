"""One form for characters that look alike or are not seen at all."""

from __future__ import annotations

import unicodedata

_QUOTES = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "\u02bc": "'", "\u00b4": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u00ab": '"', "\u00bb": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-", "\u2212": "-",
        "\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\u2060": "", "\ufeff": "", "\ufe0f": "",
        "\u200e": "", "\u200f": "", "\ufe0e": "", "\u02bb": "'",
    }
)  # fmt: skip
# Letters of other scripts that look like Latin ones (the pairs that mix into prompts; UTS #39 has the whole table).
_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТХаеорсухіјѕԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABEKMHOPCTXaeopcyxijsdqwABEZHIKMNOPTYXo",
)


def fold(text: str) -> str:
    """The text with one form for accents, quotes, dashes and look-alike letters, and without invisible characters."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_LOOKALIKES)
    return plain.replace("\u2026", "...")
