"""The text report: what it shows at 80 columns, in a pipe and in colour, and that prompt text cannot escape from it."""

from __future__ import annotations

import dataclasses
import re

import pytest
import sample_reports
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from promptlint import rulebook
from promptlint.model.prompt import Skip
from promptlint.model.report import Excerpt, Report
from promptlint.reporters import concise, text
from promptlint.reporters.excerpt import differing, sides
from promptlint.reporters.lines import Bar, columns, drawn, paint
from promptlint.reporters.setup import Setup

FIX = "Move the clock behind the last stable text, into the newest user message, or give only the date."
RULES = {"PL101": dataclasses.replace(rulebook.load().rule("PL101"), fix=FIX)}


def render(report: Report, *, fixes: bool = False, width: int | None = None, colour: bool = False) -> str:
    return text.render(report, Setup(rules=RULES if fixes else {}, width=width, colour=colour))


def test_diff_at_80_columns() -> None:
    assert render(sample_reports.DIFF, fixes=True, width=80) == snapshot("""\
agent/before.json → agent/after.json
  anthropic-claude-sonnet-4-5 · claude-sonnet-4-5 · same conversation
  tokens by o200k_base, not exact: the vocabulary of this model is not public

  0 ████▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 2,376
    █ 0 to 128 reusable   ▒ 226 shared, not reusable   ░ 2,022 to compute

agent/after.json:3:58: the prompts part here
  token 354, character 58 in system[0].text
  - pport agent. Now: 2026-11-30T10:00:07Z. Be brief.
  + pport agent. Now: 2026-11-30T10:00:09Z. Be brief.

  anthropic reuses 128 of 2,376 tokens: no breakpoint was written between token
    128 and token 354.

  causes, in prompt order                      recovers   then shared   reusable
  ──────────────────────────────────────────────────────────────────────────────
  1. PL101 timestamp-in-prefix                    1,980         2,334      2,304
     system[0].text
  2. PL304 tool-description-changed                  42         2,376      2,304
     tools[12].input_schema.properties.path.
     description

  costs each time: $0.0064 for each such request, $64.15 a day
    Traffic: 10,000 requests a day.
    Every request would otherwise hit.
    Prices: genai-prices 0.2.3, 2026-11-02.

agent/after.json:3:58: error PL101 timestamp-in-prefix
  the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again
  system[0].text · 2,022 tokens lost · high confidence · same conversation
  agent/before.json:3:58: the earlier value
  fix: Move the clock behind the last stable text, into the newest user message,
       or give only the date.

note: the minimum of this model is documented twice: 1,024 and 2,048 tokens

1 error in 2 files, 1 pair compared
""")


def test_check_at_80_columns() -> None:
    assert render(sample_reports.CHECK, width=80) == snapshot("""\
agent/before.json → agent/after.json
  anthropic-claude-sonnet-4-5 · claude-sonnet-4-5 · same conversation
  tokens by o200k_base, not exact: the vocabulary of this model is not public

  0 ████▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 2,376
    █ 0 to 128 reusable   ▒ 226 shared, not reusable   ░ 2,022 to compute

agent/after.json:3:58: the prompts part here
  token 354, character 58 in system[0].text
  - pport agent. Now: 2026-11-30T10:00:07Z. Be brief.
  + pport agent. Now: 2026-11-30T10:00:09Z. Be brief.

  anthropic reuses 128 of 2,376 tokens: no breakpoint was written between token
    128 and token 354.

  causes, in prompt order                      recovers   then shared   reusable
  ──────────────────────────────────────────────────────────────────────────────
  1. PL101 timestamp-in-prefix                    1,980         2,334      2,304
     system[0].text
  2. PL304 tool-description-changed                  42         2,376      2,304
     tools[12].input_schema.properties.path.
     description

  costs once: $1,234.50 for each warm cache entry, $0.000012 in all, 342 TFLOP
    of prefill, 2.81 GB of KV state, 430 ms to the first token
    40 warm entries.

prompts/system.md: only grew, 1,200 of 1,500 tokens reusable on vllm

agent/after.json:3:58: error PL101 timestamp-in-prefix
  the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again
  system[0].text · 2,022 tokens lost · high confidence · same conversation
  agent/before.json:3:58: the earlier value

note: the minimum of this model is documented twice: 1,024 and 2,048 tokens

skipped prompts/package.json: is no request

1 error in 3 files, 2 pairs compared, 1 skipped
""")


def test_files_that_are_skipped_for_one_reason_share_a_line() -> None:
    skips = (*(Skip(f"{name}.json", "is no request") for name in "abcdefg"), Skip("x.md", "is empty"))
    assert render(Report("check", skipped=skips, files_checked=8)).startswith("""\
skipped a.json, b.json, c.json, d.json, e.json and 2 more: is no request
skipped x.md: is empty
""")


def test_a_pair_that_only_grew() -> None:
    report = Report("diff", (sample_reports.growth(),), files_checked=2)
    assert render(report, width=80) == snapshot("""\
HEAD:prompts/system.md → prompts/system.md
  vllm · release
  tokens by o200k_base

  0 ████████████████████████████████████████████████████████░░░░░░░░░░░░░░ 1,500
    █ 1,200 reusable   ░ 300 new

  No divergence: the later prompt only grew.
  vllm reuses 1,200 of 1,500 tokens: 1,200 shared, a multiple of 16.

no findings in 2 files, 1 pair compared
""")


def test_nothing_looked_at() -> None:
    assert render(sample_reports.EMPTY) == snapshot("no findings in 0 files\n")


@pytest.mark.parametrize("name", ["diff", "check"])
@pytest.mark.parametrize("width", [20, 60, 80, 200])
def test_a_terminal_wraps_prose_and_never_a_place(name: str, width: int) -> None:
    shown = render(sample_reports.ALL[name], fixes=True, width=width)
    assert "agent/after.json:3:58: error PL101 timestamp-in-prefix\n" in shown
    assert "agent/after.json:3:58: the prompts part here\n" in shown
    if width >= 80:
        assert max(columns(row) for row in shown.split("\n")) <= min(width, 100)


def test_a_pipe_never_wraps() -> None:
    long = "word " * 100 + "end"
    finding = dataclasses.replace(sample_reports.FINDING, message=long)
    assert f"  {long}\n" in render(Report("check", findings=(finding,)))


def test_colour_adds_nothing_but_codes() -> None:
    plain = render(sample_reports.DIFF, fixes=True, width=80)
    coloured = render(sample_reports.DIFF, fixes=True, width=80, colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b[2mpport agent. Now: 2026-11-30T10:00:0\x1b[0m\x1b[1;31m7\x1b[0m" in coloured
    assert "\x1b[1;32m9\x1b[0m\x1b[2mZ. Be brief.\x1b[0m" in coloured


def test_prompt_text_and_file_names_are_harmless() -> None:
    for width in (None, 80):
        shown = render(sample_reports.HOSTILE, width=width)
        assert all(character.isprintable() for character in shown.replace("\n", ""))
        assert not re.search(r"(?m)^\s*::", shown)
        assert not re.search(r"##\w*\[", shown)
        assert r"\x1b[31mred\x07" in shown
        assert r"b\u202eevil\x9b0m [bold]x[/bold]" in shown
        assert r"\r⏎::error::x \ud800" in shown
        assert r"line one⏎::set-output name=x::y\x1b]8;;http://example.invalid\x07" in shown
        shown.encode("utf-8")


@given(st.text(), st.text(), st.text(), st.sampled_from([None, 20, 80]))
def test_any_text_is_shown_on_two_lines(shared: str, before: str, after: str, width: int | None) -> None:
    shown = paint(sides(Excerpt(shared[-40:], before[:40], after[:40]), width), width=width, colour=False)
    rows = shown.removesuffix("\n").split("\n")
    assert rows[0].startswith("  -")
    assert rows[1].startswith("  +")
    assert len(rows) == 2 or "look the same" in shown
    assert all(row.isprintable() for row in rows)
    if width is not None:
        assert all(columns(row) <= width for row in rows[:2])


def shown_sides(
    shared: str, before: str, after: str, width: int | None = None, differs: tuple[int, int] | None = None
) -> str:
    return paint(sides(Excerpt(shared, before, after, *(differs or ())), width), width=width, colour=False)


def test_spaces_accents_and_ends_can_be_seen() -> None:
    assert shown_sides("a", " ", "") == snapshot("""\
  - a·
  + a(ends here)
""")
    assert shown_sides("caf", "e\u0301 ok", "\xe9 ok") == snapshot("""\
  - café ok
  + café ok
    these look the same and are not: U+0065 U+0301 against U+00E9
""")
    assert shown_sides("x", "\u0301", "\xa0") == snapshot("""\
  - x\\u0301
  + x\\xa0
""")
    assert shown_sides("s" * 40, "b" * 40, "a" * 40, 60) == snapshot("""\
  - …ssssssssssssssbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
  + …ssssssssssssssaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
""")
    assert shown_sides("日本" * 20, "語" * 40, "x", 40) == snapshot("""\
  - …語語語語語語語語語語語語語語語語語…
  + …本日本日本日本日本日本日本日本日本x
""")


@pytest.mark.parametrize(
    ("excerpt", "parts"),
    [
        (Excerpt("Be kind. ", "Then ask.", "Be brief. Then ask.", 0, 10), ("", "Be brief. ")),
        (Excerpt("Be kind. ", "Be brief. Then ask.", "Then ask.", 10, 0), ("Be brief. ", "")),
        (Excerpt("10:00:0", "7Z. Be brief.", "9Z. Be brief.", 2, 2), ("7", "9")),
        (Excerpt("a", "b" * 40, "c" * 40, 40, 40), ("b" * 40, "c" * 40)),
        (Excerpt("a", "bz", "cz"), ("b", "c")),
        (Excerpt("a", "b" * 39 + "z", "c" * 39 + "z"), ("b" * 39 + "z", "c" * 39 + "z")),
    ],
)
def test_only_what_differs_is_highlighted(excerpt: Excerpt, parts: tuple[str, str]) -> None:
    assert differing(excerpt) == parts
    shown = paint(sides(excerpt, None), width=None, colour=True).split("\n")
    for row, part, code in zip(shown, parts, ("1;31", "1;32"), strict=False):
        assert (f"\x1b[{code}m" in row) == bool(part)


def test_a_bar_shows_every_part_that_is_there() -> None:
    bar = Bar(((1, "a", ""), (0, "b", ""), (9_999, "c", "")), "0", "10,000")
    for width in (10, 40, 80, 100):
        runs = [run.text for run in drawn(bar, width)]
        assert runs[1] == "a" and runs[2] == "" and set(runs[3]) == {"c"}
        assert sum(map(columns, runs)) + bar.indent == max(width, 21)


def test_concise_is_one_line_a_finding() -> None:
    assert concise.render(sample_reports.CHECK, Setup(width=20)) == snapshot("""\
agent/after.json:3:58: error PL101 timestamp-in-prefix the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again
prompts/package.json: skipped: is no request
1 error in 3 files, 2 pairs compared, 1 skipped
""")  # noqa: E501
    shown = concise.render(sample_reports.HOSTILE, Setup())
    assert shown.count("\n") == 3
    assert all(row.isprintable() for row in shown.split("\n"))


def test_colour_in_a_pipe_does_not_wrap() -> None:
    shown = render(sample_reports.CHECK, fixes=True, colour=True)
    assert "\x1b[1;31merror" in shown
    assert f"fix: \x1b[0m{FIX}\n" in shown
