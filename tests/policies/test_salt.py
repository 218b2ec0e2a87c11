"""Keys split a sequence at their position and nowhere else."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.common import common_prefix
from promptlint.model.tokens import SYNTHETIC
from promptlint.policies.salt import salted

IDS = array("I", range(100, 200))


def test_no_keys_change_nothing() -> None:
    assert salted(IDS, ()) is IDS
    assert salted(IDS, [(100, "thinking", "1")]) is IDS


def test_one_id_is_replaced_by_a_synthetic_one() -> None:
    result = salted(IDS, [(40, "thinking", '{"type":"enabled"}')])
    assert common_prefix(IDS, result) == 40
    assert result[40] >= SYNTHETIC
    assert result[41:] == IDS[41:]
    assert IDS[40] == 140  # the caller's array is left alone


def test_the_value_is_the_same_in_every_process() -> None:
    assert salted(IDS, [(0, "model", '"a"')])[0] == 3254476587


def test_order_of_keys_does_not_matter_and_each_counts() -> None:
    both = [(7, "a", "1"), (7, "b", "2")]
    assert salted(IDS, both) == salted(IDS, both[::-1])
    assert common_prefix(salted(IDS, both), salted(IDS, both[:1])) == 7


@given(st.integers(0, 99), st.text(), st.text(), st.text())
def test_different_values_part_at_the_position(position: int, path: str, one: str, other: str) -> None:
    parted = common_prefix(salted(IDS, [(position, path, one)]), salted(IDS, [(position, path, other)]))
    assert parted == (len(IDS) if one == other else position)
