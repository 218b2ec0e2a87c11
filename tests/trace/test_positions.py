"""Where prompts part from the one before: bins that double, and only prompts that do not merely grow."""

from __future__ import annotations

from promptlint import providers
from promptlint.model.policy import Reuse
from promptlint.model.traced import Bin
from promptlint.model.traffic import Exchange
from promptlint.trace.positions import Positions
from promptlint.trace.step import Step

POLICY = providers.find("vllm", "openai-chat", "")


def step(tokens: int, shared: int = 0, before: int | None = None, *, replayed: bool = True) -> Step:
    previous = None if before is None else step(before)
    reuse = Reuse(0, "", 0, 0) if replayed else None
    exchange = Exchange("log.jsonl", 1)
    return Step(0, exchange, POLICY, tokens, True, "s", "continues", previous, shared, reuse=reuse)


def bins(*steps: Step) -> tuple[Bin, ...]:
    positions = Positions()
    for each in steps:
        positions.add(each)
    found = positions.result()["bins"]
    assert isinstance(found, tuple)
    return found


def test_growth_first_requests_and_usage_alone_part_nowhere() -> None:
    assert bins(step(900), step(900, 700, 700), step(900, 900, 900), step(900, 0, 700, replayed=False)) == ()


def test_what_both_had_behind_the_place_is_lost() -> None:
    assert bins(step(1_000, 300, 900), step(500, 255, 900), step(1_000, 256, 1_000), step(9_000, 2_047, 3_000)) == (
        Bin(0, 256, 1, 245),
        Bin(256, 512, 2, 600 + 744),
        Bin(512, 1_024, 0, 0),
        Bin(1_024, 2_048, 1, 953),
    )
