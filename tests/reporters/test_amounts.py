"""Numbers as people read them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from promptlint.reporters.amounts import count, money, scaled, seconds


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0", "$0.00"),
        ("0.0000123", "$0.000012"),
        ("0.00641520", "$0.0064"),
        ("0.0999", "$0.10"),
        ("0.99999", "$1.00"),
        ("1", "$1.00"),
        ("1234567.891", "$1,234,567.89"),
        ("-0.0123", "-$0.012"),
    ],
)
def test_money(amount: str, shown: str) -> None:
    assert money(Decimal(amount)) == shown


def test_units() -> None:
    assert count(1, "file") == "1 file"
    assert count(12_345, "token") == "12,345 tokens"
    assert scaled(3.42e14, "FLOP") == "342 TFLOP"
    assert scaled(999, "B") == "999 B"
    assert scaled(1e30, "FLOP") == "1e+12 EFLOP"
    assert seconds(0.0432) == "43 ms"
    assert seconds(12.34) == "12.3 s"
