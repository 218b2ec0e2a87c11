"""Bundled patterns run in `re`, which cannot be stopped: none of them may take long on any window of text."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from promptlint import matchers
from promptlint.matchers._values import compiled
from promptlint.rulebook.load import load

# One run of each kind of character that the patterns name, alone and as the repeated unit of two and three.
ATOMS = [*" \t\naAé日0.,:;-_/\\@=|#*<>([{\"'`$%+~│─TZf", "12", "id", "is", "of", "May ", "name: ", "user ", "now "]
ATOMS += ["step ", "- a", "a/", "a.b", "- "]
WINDOW = 480
PATIENCE = 5.0  # seconds of the processor for one window of text; the slowest takes a hundredth

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts `re`")


@contextmanager
def bounded() -> Iterator[None]:
    """Raises TimeoutError inside the block when it takes too long: `re` looks at signals while it backtracks."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def patterns() -> list[tuple[str, str]]:
    """All patterns of the matchers' modules and of the rule files, by where they stand."""
    found = []
    for module in pkgutil.iter_modules(matchers.__path__):
        loaded = importlib.import_module(f"promptlint.matchers.{module.name}")
        found += [(module.name, pattern) for pattern in getattr(loaded, "PATTERNS", ())]
    for rule in load().rules:
        for name in getattr(rule.params, "__slots__", ()):
            value = getattr(rule.params, name)
            if isinstance(value, tuple) and name not in ("sections", "kinds", "settings", "exclude"):
                found += [(rule.code, pattern) for pattern in value if isinstance(pattern, str)]
    return list(dict.fromkeys(found))


def windows() -> Iterator[str]:
    for atom in ATOMS:
        yield (atom * WINDOW)[:WINDOW]
        yield (atom * WINDOW)[: WINDOW - 1] + "!"
    for left, right in itertools.product(ATOMS, repeat=2):
        yield ((left + right) * WINDOW)[: WINDOW - 1] + "\x00"
    chance = random.Random(7)
    for _ in range(300):
        unit = "".join(chance.choices(ATOMS, k=chance.randint(3, 6)))
        yield (unit * WINDOW)[: WINDOW - 1] + "\x00"


HOSTILE = list(windows())


def look(pattern: str) -> None:
    """What matchers do with a pattern, on every hostile window."""
    bundled = compiled(pattern)
    for text in HOSTILE:
        with bounded():
            for _ in bundled.finditer(text, 0, len(text)):
                pass
            bundled.fits(text)


@pytest.mark.parametrize(("where", "pattern"), patterns(), ids=lambda value: value[:40])
def test_no_window_of_text_holds_a_pattern_up(where: str, pattern: str) -> None:
    look(pattern)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(?:\w+\s?)+:", r"(\d|\d\d)+x"])
def test_the_check_notices_a_pattern_that_can_be_held_up(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_pattern_safety.PATIENCE", 0.5)
    with pytest.raises(TimeoutError):
        look(pattern)
