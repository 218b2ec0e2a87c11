"""Numbers as people read them: thousands apart, money to two figures that matter, large units by prefix."""

from __future__ import annotations

from decimal import Context, Decimal

_TWO_FIGURES = Context(prec=2)
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


def count(number: int, noun: str) -> str:
    """`1 token`, `1,200 tokens`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def money(amount: Decimal) -> str:
    """US dollars: cents from one dollar on, two significant figures below."""
    if amount < 0:
        return f"-{money(-amount)}"
    short = _TWO_FIGURES.plus(amount)
    return f"${short:f}" if 0 < short < 1 else f"${amount:,.2f}"


def scaled(number: float, unit: str) -> str:
    """`2.1 TFLOP`: three significant figures with a decimal prefix."""
    power = 0
    while number >= 1000 and power < len(_PREFIXES) - 1:
        number /= 1000
        power += 1
    return f"{number:.3g} {_PREFIXES[power]}{unit}".rstrip()


def seconds(duration: float) -> str:
    """Milliseconds below one second."""
    return f"{duration * 1000:.0f} ms" if duration < 1 else f"{duration:,.1f} s"
