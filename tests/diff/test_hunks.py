"""The first differing region: exact at its start, whole words, the same wherever it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from promptlint.diff.hunks import first_hunk
from promptlint.model.common import shared_ends

TEXTS = st.text(alphabet="ab 1:.\n-é", max_size=60)


def hunk_texts(before: str, after: str) -> tuple[str, str]:
    hunk = first_hunk(before, after)
    assert hunk is not None
    return before[hunk.before.start : hunk.before.end], after[hunk.after.start : hunk.after.end]


def test_a_value_is_seen_whole() -> None:
    assert hunk_texts("at 2026-11-30T14:05:12Z sharp", "at 2026-11-30T14:07:12Z sharp") == (
        "2026-11-30T14:05:12Z",
        "2026-11-30T14:07:12Z",
    )
    assert hunk_texts("mail to ada@example.org now", "mail to bo@example.org now") == (
        "ada@example.org",
        "bo@example.org",
    )


def test_only_the_first_of_two_differences() -> None:
    before = "name: Ada\nand a line that stays\nclock: 14:05\nend"
    after = "name: Bo\nand a line that stays\nclock: 14:06\nend"
    assert hunk_texts(before, after) == ("Ada", "Bo")


def test_inserted_and_removed_lines() -> None:
    assert hunk_texts("a\nb\nc\n", "a\nx\nb\nc\n") == ("", "x\n")
    assert hunk_texts("a\nx\nb\nc\n", "a\nb\nc\n") == ("x\n", "")


def test_a_long_text_is_not_aligned_as_a_whole() -> None:
    lines = [f"line {number} of the text" for number in range(20_000)]
    changed = [line if index % 2 else f"{line}!" for index, line in enumerate(lines)]
    old, new = hunk_texts("\n".join(lines), "\n".join(changed))
    assert new == old + "!"


@given(TEXTS, TEXTS)
def test_the_region_begins_at_the_first_difference(before: str, after: str) -> None:
    hunk = first_hunk(before, after)
    if before == after:
        assert hunk is None
        return
    assert hunk is not None
    assert hunk.first == len(common_prefix(before, after))
    assert hunk.before.start == hunk.after.start <= hunk.first
    assert before[: hunk.before.start] == after[: hunk.after.start]
    assert hunk.first <= max(hunk.before.end, hunk.after.end)


@given(TEXTS, TEXTS)
def test_setting_regions_equal_one_by_one_ends_in_equality(before: str, after: str) -> None:
    last = -1
    for _ in range(200):
        hunk = first_hunk(before, after)
        if hunk is None:
            return
        assert hunk.first > last
        last = hunk.first
        after = after[: hunk.after.start] + before[hunk.before.start : hunk.before.end] + after[hunk.after.end :]
    raise AssertionError("no end")


def common_prefix(before: str, after: str) -> str:
    length = 0
    while length < min(len(before), len(after)) and before[length] == after[length]:
        length += 1
    return before[:length]


@given(TEXTS, TEXTS)
def test_shared_ends_agree_with_the_plain_loop(before: str, after: str) -> None:
    head = len(common_prefix(before, after))
    tail = len(common_prefix(before[head:][::-1], after[head:][::-1]))
    assert shared_ends(before, after) == (head, tail)


def test_repetitive_text_does_not_hang() -> None:
    before = "zanzibar 2026-01-02T03:04:05Z quokka " * 200
    after = "zanzibar 2026-01-02T03:04:06Z quokka " * 200
    assert hunk_texts(before, after) == ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z")
    assert hunk_texts("a b " * 5000 + "x", "b a " * 5000 + "y") != ("", "")
    assert hunk_texts("ab\n" * 20_000 + "x", "cd\n" * 20_000 + "y")[0].startswith("ab")
