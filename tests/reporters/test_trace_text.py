"""A replayed log in a terminal and in a pipe: the first screen, the plots, ASCII, and hostile text."""

from __future__ import annotations

import dataclasses

import pytest
import trace_samples
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from promptlint import rulebook
from promptlint.model.finding import Severity
from promptlint.model.report import Report
from promptlint.model.traced import CurvePoint, Hits, Moment
from promptlint.reporters import text
from promptlint.reporters.ascii import in_ascii
from promptlint.reporters.lines import columns
from promptlint.reporters.plots import Measure, bar, bars, clipped
from promptlint.reporters.setup import Setup
from promptlint.reporters.trace_sections import interpolated
from promptlint.reporters.trace_words import merged, percent, times

RULES = {"PL101": dataclasses.replace(rulebook.load().rule("PL101"), fix="Give only the date.")}


def render(report: Report, *, width: int | None = None, colour: bool = False, wanted: float | None = None) -> str:
    return text.render(report, Setup(rules=RULES, width=width, colour=colour, min_hit_rate=wanted))


def test_the_whole_report_at_80_columns() -> None:
    assert render(trace_samples.ALL["full"], width=80) == snapshot("""\
logs/desk.jsonl: 1,240 requests
  2 sessions · cache rules of anthropic-1024, unbounded
  tokens by o200k_base, not exact: Claude's vocabulary is not public

  hit rate  31.4 % by the cache's rules · 30.9 % as the provider reported it
  tokens    5,100,000 in prompts: 1,600,000 cached, 3,500,000 computed
  cost      $14.37 for the prompts, $9.11 of it lost to what can be fixed

  0 █████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░ 5,100,000
    █ 1,600,000 cached   ▒ 2,760,000 lost, avoidable   ░ 740,000 unavoidable

Fix first: PL101 timestamp-in-prefix in system[0].text
  logs/desk.jsonl:14:1: the clock value 09:14:52 was 09:14:07 before
  fix: Give only the date.
  It loses 1,930,000 tokens in 1,180 requests, 69.9 % of what can be saved,
    $6.37. Repaired alone, the hit rate goes from 31.4 % to 61.2 %; with all
    causes that were replayed, to 79.1 %.

Where tokens are lost, and the hit rate with the cause repaired
                                                           tokens  of all   cost
  1. PL101 timestamp-in-prefix     ███████████████████  1,930,000  37.8 %  $6.37
     system[0].text · 1,180 requests · repaired alone: 61.2 %
  2. PL203 unstable-tool-order     ██████▎                640,000  12.5 %  $2.11
     tools · 212 requests · repaired alone: 37.1 %, with all above: 79.1 %
  3. idle beyond the lifetime      █▉                     190,000   3.7 %  $0.63
     64 requests
     new text                      ██████▏                620,000  12.2 %      –
     cold start                    ▊                       75,200   1.5 %  $0.25
     warm, missed by the provider  ▍                       41,000   0.8 %  $0.14
     minimum, block or last token  ▏                        3,800   0.1 %      –

Hit rate over time, simulated
  100 % │
        │
   50 % │  ▂▃▂▅ ▃▄▁ ▄  ▂▃▂▅ ▃▄▁ ▄  ▂▃▂▅ ▃▄▁ ▄  ▂▃▂▅ ▃▄▁ ▄
        │ ▃████▂███▆█ ▃████▂███▆█ ▃████▂███▆█ ▃████▂███▆█
    0 % └────────────────────────────────────────────────
         2026-06-17 09:00 UTC                       16:50

Where prompts part from the one before, and the tokens lost behind that place
                                                                tokens  requests
  token 0 to 1,024      █████████▊                             420,000       160
  token 1,024 to 2,048  ███████████████████████████████████  1,510,000     1,020
  token 2,048 to 4,096  ██████████████▉                        640,000       212
  token 4,096 to 8,192  ▊                                       31,000        15

  The same log under other caches      hit rate        read     written     cost
  ──────────────────────────────────────────────────────────────────────────────
  anthropic-1024, unbounded              31.4 %   1,600,000   1,750,000   $14.37
  vllm, 10,000 blocks of 16              25.7 %   1,310,000   1,895,000        –
  generic, unbounded                     34.5 %   1,760,000   1,670,000        –
     no rule but the prefix

  By user                     requests      tokens   hit rate   reported    cost
  ──────────────────────────────────────────────────────────────────────────────
  ann                              700   3,000,000     30.0 %     29.3 %   $8.00
  bob                              540   2,100,000     33.3 %          –   $6.37

  By model                   requests      tokens   hit rate   reported     cost
  ──────────────────────────────────────────────────────────────────────────────
  claude-sonnet-4-6             1,240   5,100,000     31.4 %          –   $14.37

  Worst of 2 sessions           requests    tokens   hit rate   reported    cost
  ──────────────────────────────────────────────────────────────────────────────
  s-17                                24   310,000      3.9 %      3.5 %   $1.10
     1 retried
  s-17/2                               9    81,000     37.0 %          –       –
     subagent of s-17

Prefixes that requests share, in tokens from the first one, and where they part
  0 · 1,240 requests
  ├ 2,310 to system[0].text · 1,150 requests, 41 users, 96 sessions
  │ │ worth warming: 217,140 tokens would be read
  │ │ part on: You help Ann… | You help Bob…
  │ ├ 3,900 to messages[0].content[0].text · 700 requests, 1 user, 50 sessions
  │ └ 2,480 to messages[0].content · 450 requests, 40 users, 46 sessions
  │     part on: Hello | Good morning
  └ 410 to system[0].text · 90 requests, 30 users, 90 sessions

Hit rate against cache size, least recently used, by size on a log scale
  100 % │
        │
   50 % │                               ▁▁▁▁▁▁▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂
        │▁▁▁▁▁▁▁▁▁▂▂▂▃▃▃▄▄▅▅▆▆▆▇▇▇▇██████████████████████████████████
    0 % └────────────────────────────────────────────────────────────
         1 k                                             4.1 M tokens

Repeated in the middle: 410,000 tokens (8.0 %), not reusable by prefix caching.
  Non-prefix methods could at most recover as much; it is no part of the savings
  above.
  See CacheBlend, https://doi.org/10.1145/3689031.3696098

Predicted against reported: 1,190 of 1,228 requests agree; 1,598,000 tokens
  predicted, 1,551,000 reported as cached.
  They differ because                                                   requests
  ──────────────────────────────────────────────────────────────────────────────
  warm prefix, no hit: the provider's side                                    12
  counts of this vocabulary are estimates                                     26

  The provider's own reasons (0 of 1,101 as diagnosed here)             requests
  ──────────────────────────────────────────────────────────────────────────────
  system_changed                                                           1,101

  logs/desk.jsonl:907: 2,048 to 2,304 predicted, 0 reported: warm prefix, no
    hit: the provider's side

logs/desk.jsonl:14:1: error PL101 timestamp-in-prefix
  the clock value 09:14:52 was 09:14:07 before: 1,930,000 tokens are computed
  again
  system[0].text · 1,930,000 tokens lost · high confidence · same conversation
  fix: Give only the date.

note: entries are taken to be shared within a workspace

skipped logs/desk.jsonl:17: not valid JSON: expected a comma
skipped logs/desk.jsonl:520: ends in the middle of a record

1 error in 1 file, 1,240 requests, 2 skipped
""")


def test_the_first_screen_says_what_is_wrong_what_it_costs_and_what_to_do_first() -> None:
    screen = "\n".join(render(trace_samples.ALL["full"], width=80).split("\n")[:24])
    for wanted in (
        "31.4 %",
        "30.9 %",
        "$14.37",
        "$9.11",
        "Fix first: PL101",
        "logs/desk.jsonl:14:1",
        "61.2 %",
        "fix: ",
    ):
        assert wanted in screen


def test_usage_alone_shows_what_was_reported() -> None:
    assert render(trace_samples.ALL["usage"]) == snapshot("""\
usage.jsonl: 48 requests
  1 session
  tokens as reported by the provider

  hit rate  20.0 % as the provider reported it
  tokens    480,000 in prompts: 96,000 cached, 384,000 computed

  0 ██████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 480,000
    █ 96,000 cached   ░ 384,000 computed

Hit rate over time, as reported
  100 % │
        │
   50 % │
        │▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
    0 % └────────────────────────────────────────────────────────────────
         request 0                                             request 42

  Worst of 1 session                 requests   tokens  hit rate  reported  cost
  s-1                                      48  480,000         –    20.0 %     –

no findings in 1 file, 48 requests
""")


def test_an_empty_log() -> None:
    assert render(trace_samples.ALL["nothing"]) == snapshot("""\
empty.jsonl: 0 requests
no findings in 1 file, 0 requests
""")


def test_what_to_fix_first_without_texts_is_what_the_findings_say() -> None:
    report = trace_samples.ALL["usage"]
    floor, low = (
        dataclasses.replace(trace_samples.TRACED.findings[0], code=code, severity=severity, tokens_lost=lost)
        for code, severity, lost in (("PL802", Severity.ERROR, 48_000), ("PL801", Severity.WARNING, 90_000))
    )
    shown = render(dataclasses.replace(report, findings=(low, floor)))
    assert "Fix first: PL802" in shown and "It loses 48,000 tokens, 10.0 % of all." in shown
    assert "Fix first" not in render(report)


def test_nothing_to_fix_says_what_remains() -> None:
    waste = tuple(each for each in trace_samples.WASTE if each.kind in ("new", "cold", "rules"))
    rest = trace_samples.report(dataclasses.replace(trace_samples.TRACED, waste=waste, findings=()))
    assert "Nothing to fix: what was computed could not have been read." in render(rest)
    missed = dataclasses.replace(waste[0], kind="provider", tokens=400_000)
    rest = trace_samples.report(dataclasses.replace(trace_samples.TRACED, waste=(missed,), findings=()))
    assert "no cause was found in the prompts (400,000 tokens warm, missed by the provider)." in render(rest)


def test_a_hit_rate_below_the_wanted_one_is_said_and_fails_the_run() -> None:
    report = trace_samples.ALL["full"]
    quiet = dataclasses.replace(report, findings=())
    assert "the hit rate, 31.4 %, is below the 70.0 % that is wanted" in render(report, wanted=0.7)
    assert "that is wanted" not in render(report, wanted=0.3)
    assert Setup(min_hit_rate=0.7).fails_run(quiet) and not Setup(min_hit_rate=0.3).fails_run(quiet)
    assert Setup(min_hit_rate=0.3).fails_run(trace_samples.ALL["usage"])
    assert not Setup(min_hit_rate=0.3).fails_run(trace_samples.ALL["nothing"])


@pytest.mark.parametrize("name", ["full", "usage", "nothing"])
@pytest.mark.parametrize("width", [72, 80, 100, 200])
def test_nothing_is_wider_than_the_terminal(name: str, width: int) -> None:
    assert max(columns(row) for row in render(trace_samples.ALL[name], width=width).split("\n")) <= min(width, 100)


def test_a_pipe_gets_neither_colour_nor_broken_lines() -> None:
    shown = render(trace_samples.ALL["full"])
    assert "\x1b" not in shown
    assert "It loses 1,930,000 tokens in 1,180 requests, 69.9 % of what can be saved, $6.37." in shown
    assert "\x1b[" in render(trace_samples.ALL["full"], colour=True, width=80)


def test_everything_that_is_drawn_has_an_ascii_form() -> None:
    for name in ("full", "usage", "nothing"):
        plain = in_ascii(render(trace_samples.ALL[name], width=80))
        assert plain.isascii(), [sign for sign in plain if not sign.isascii()]


def test_hostile_text_stays_text() -> None:
    shown = render(trace_samples.ALL["hostile"])
    assert "\x1b" not in shown and "\u202e" not in shown and "\r" not in shown
    assert not [row for row in shown.split("\n") if row.lstrip().startswith("::")]
    assert "##[command]" not in shown


@given(st.lists(st.tuples(st.text(max_size=30), st.floats(0, 1e9)), max_size=6), st.integers(40, 120))
def test_bars_fit_and_keep_the_order_of_sizes(rows: list[tuple[str, float]], width: int) -> None:
    drawn = list(bars([Measure(label, size, (f"{size:,.0f}",)) for label, size in rows], width))
    assert len(drawn) == len(rows)
    assert all(columns("".join(part.text for part in each.parts)) + each.indent <= width for each in drawn)
    lengths = [each.parts[1].text.count("█") for each in drawn]
    ranked = sorted(range(len(rows)), key=lambda index: rows[index][1])
    assert [lengths[index] for index in ranked] == sorted(lengths)


def test_bars_are_exact_to_an_eighth_and_show_what_is_there_at_all() -> None:
    assert (bar(0, 10), bar(1, 10), bar(0.5, 10)) == ("", "█" * 10, "█" * 5)
    assert (bar(0.0001, 10), bar(0.46, 10)) == ("▏", "████▋")


def test_labels_are_cut_in_the_middle() -> None:
    assert clipped("messages[0].content[12].text", 15) == "message…12].text"[:7] + "…" + "12].text"[-7:]
    assert columns(clipped("日本語" * 10, 11)) <= 11


def test_rates_are_never_rounded_to_all_or_nothing() -> None:
    shown = [percent(each) for each in (0.0, 0.0004, 0.3137, 0.9999, 1.0, None)]
    assert shown == ["0.0 %", "< 0.1 %", "31.4 %", "99.9 %", "100.0 %", "–"]


def test_stretches_of_time_are_added_up_and_named() -> None:
    moments = trace_samples.MOMENTS
    few = merged(moments, 10)
    assert len(few) == 10 and few[0].start == moments[0].start
    assert sum(each.hits.requests for each in few) == sum(each.hits.requests for each in moments)
    assert sum(each.hits.read for each in few) == sum(each.hits.read for each in moments)
    assert times(moments) == ("2026-06-17 09:00 UTC", "16:50")
    assert times([Moment(1.0, Hits(5)), Moment(6.0, Hits(5))]) == ("request 1", "request 6")
    assert times([Moment(0.0, Hits(5)), Moment(600.0, Hits(5))]) == ("0 s", "600 s")


def test_the_curve_passes_through_its_points_on_a_log_scale() -> None:
    points = [CurvePoint(100, 0.0), CurvePoint(1_000, 0.4), CurvePoint(10_000, 1.0)]
    assert interpolated(points, 5) == pytest.approx([0.0, 0.2, 0.4, 0.7, 1.0])
