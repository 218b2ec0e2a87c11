"""The stores against the plain definitions of what they answer."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.common import common_prefix
from promptlint.policies.prefixes import PrefixTable, Prompts

sequences = st.lists(st.lists(st.integers(1, 2), max_size=8).map(lambda ids: array("I", ids)), max_size=12)


@given(sequences, st.lists(st.integers(1, 2), max_size=8))
def test_shared_is_the_greatest_common_prefix(stored: list[array[int]], ids: list[int]) -> None:
    prompts = Prompts()
    for prompt in stored:
        prompts.add(prompt)
    wanted = array("I", ids)
    assert prompts.shared(wanted) == max((common_prefix(wanted, prompt) for prompt in stored), default=0)


@given(sequences, st.lists(st.integers(1, 2), max_size=8))
def test_matching_is_every_stored_prefix(stored: list[array[int]], ids: list[int]) -> None:
    table: PrefixTable[int] = PrefixTable()
    plain: dict[tuple[int, ...], int] = {}
    for number, prompt in enumerate(stored):
        end = len(prompt) // 2
        table.put(prompt, end, number)
        plain[tuple(prompt[:end])] = number
    wanted = array("I", ids)
    expected = [(end, plain[tuple(ids[:end])]) for end in range(len(ids) + 1) if tuple(ids[:end]) in plain]
    assert table.matching(wanted) == expected


def test_a_longer_prompt_takes_the_place_of_its_start() -> None:
    prompts = Prompts()
    prompts.add(array("I", [1, 2]))
    prompts.add(array("I", [1, 2, 3]))
    prompts.add(array("I", [1]))
    assert prompts._sorted == [array("I", [1, 2, 3])]
