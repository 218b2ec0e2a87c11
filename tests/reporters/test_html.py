"""The HTML report without a browser: well-formed, self-contained, neutral towards any text, and drawn to scale."""

from __future__ import annotations

import dataclasses
import itertools
import re
from xml.etree.ElementTree import Element

import html5lib
import html_samples
import pytest
import sample_reports
import trace_samples
from html_samples import PAGES
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint import rulebook
from promptlint.model.report import Boundary, Report, TokenCounts
from promptlint.reporters import trace_plots
from promptlint.reporters.html import render
from promptlint.reporters.html_bar import close_up, stretches, whole
from promptlint.reporters.setup import Setup

SETUP = Setup(rules={rule.code: rule for rule in rulebook.load().rules})


def parsed(page: str) -> Element:
    """The document of a strict HTML parser, which raises for any mistake in the markup."""
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert isinstance(root, Element)
    return root


def elements(root: Element, *names: str) -> list[Element]:
    return [each for each in root.iter() if isinstance(each.tag, str) and (not names or each.tag in names)]


SVG = "{http://www.w3.org/2000/svg}"


def text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


@pytest.mark.parametrize("name", PAGES)
def test_a_strict_parser_takes_the_page_and_it_is_the_same_every_time(name: str) -> None:
    page = render(PAGES[name], SETUP)
    assert page == render(PAGES[name], SETUP)
    assert page.startswith("<!DOCTYPE html>\n")
    page.encode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in page)
    root = parsed(page)
    ids = [each.get("id") for each in elements(root) if each.get("id")]
    assert len(ids) == len(set(ids))
    for each in elements(root):
        assert set(each.get("aria-labelledby", "").split()) <= {*ids, "pairs"}
        assert each.get("href", "#").removeprefix("#") in {*ids, ""}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_for_and_nothing_can_run(name: str) -> None:
    page = render(PAGES[name], SETUP)
    root = parsed(page)
    assert not elements(root, "script", "link", "img", "iframe", "object", "embed", "form", "base", "video")
    for each in elements(root):
        assert not {"src", "srcset", "action", "data", "poster", "background"} & set(each.attrib)
        assert not [name for name in each.attrib if name.startswith("on")]
        assert each.get("href", "#").startswith("#")
    for plot in elements(root, f"{SVG}svg"):
        assert {each.tag for each in elements(plot)} <= {f"{SVG}{name}" for name in ("svg", "title", "desc", "path")}
    (style,) = elements(root, "style")
    assert not re.search(r"url\(|@import|expression|</", text(style))
    (policy,) = [each for each in elements(root, "meta") if each.get("http-equiv")]
    assert policy.get("content") == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize("name", PAGES)
def test_headings_lists_and_tables_are_what_they_look_like(name: str) -> None:
    root = parsed(render(PAGES[name], SETUP))
    levels = [int(each.tag[1]) for each in elements(root, "h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert len(elements(root, "main")) == 1
    for head in elements(root, "th"):
        assert head.get("scope") in ("col", "row")
    for details in elements(root, "details"):
        assert details[0].tag == "summary" and text(details[0])
    for track in [each for each in elements(root) if each.get("class") == "track"]:
        assert track.get("role") == "img" and "token" in track.get("aria-label", "")


def shape(root: Element) -> list[tuple[str, tuple[str, ...]]]:
    """Which elements there are, and with which attributes."""
    return [(each.tag, tuple(sorted(each.attrib))) for each in elements(root)]


@pytest.mark.parametrize("nasty", html_samples.NASTY)
def test_no_text_becomes_markup(nasty: str) -> None:
    harmless = parsed(render(html_samples.report("x" * len(nasty)), SETUP))
    page = parsed(render(html_samples.report(nasty), SETUP))
    kept = [each for each in shape(page) if each[0] not in ("span", "del", "ins", "p")]  # runs of excerpts, hints
    assert kept == [each for each in shape(harmless) if each[0] not in ("span", "del", "ins", "p")]


def test_no_text_of_a_log_becomes_markup() -> None:
    pages = [parsed(render(trace_samples.spoiled(each), SETUP)) for each in ("x", *html_samples.NASTY)]
    assert all(shape(page) == shape(pages[0]) for page in pages)


def test_every_plot_has_a_title_a_sentence_and_a_table_that_says_the_same() -> None:
    root = parsed(render(PAGES["trace"], SETUP))
    plots = [each for each in elements(root, "figure") if each.get("class", "").startswith("plot")]
    titles = [text(elements(plot, "h3")[0]) for plot in plots]
    assert titles == [
        "Hit rate over time",
        "Where prompts part from the one before",
        "Prefixes that requests share",
        "Hit rate against cache size",
    ]
    for plot in plots:
        (drawn,) = elements(plot, f"{SVG}svg")
        assert (drawn.get("role"), drawn[0].tag, drawn[1].tag) == ("img", f"{SVG}title", f"{SVG}desc")
        assert text(drawn[1])
    time, positions, _, sizes = plots
    assert len(elements(elements(time, "tbody")[0], "tr")) == len(trace_samples.MOMENTS)
    assert len(elements(elements(positions, "tbody")[0], "tr")) == len(trace_samples.BINS)
    assert len(elements(elements(sizes, "tbody")[0], "tr")) == len(trace_samples.CURVE)
    (tree,) = [each for each in elements(root, "ul") if each.get("class") == "tree"]
    assert len(elements(tree, "li")) == 5


def test_plots_are_drawn_to_scale() -> None:
    positions = trace_plots.positions(trace_samples.TRACED)
    assert positions is not None
    heights = [float(shape.d.split("v")[1].split("h")[0]) for shape in positions.shapes]
    lost = [each.lost for each in trace_samples.BINS]
    assert [height / max(heights) for height in heights] == pytest.approx([each / max(lost) for each in lost], abs=1e-3)
    tree = trace_plots.prefixes(trace_samples.TREE)
    assert tree is not None
    # To the right tokens of 3,900, downwards requests of 1,240: where each begins, its width and its height.
    drawn = [tuple(map(float, re.findall(r"[\d.]+", shape.d)))[:4] for shape in tree.shapes]
    wide, high = 1000 / 3_900, 1000 / 1_240
    wanted = [(0, 0, 2_310, 1_150), (2_310, 0, 1_590, 700), (2_310, 700, 170, 450), (0, 1_150, 410, 90)]
    for own, (x, y, tokens, requests) in zip(drawn, wanted, strict=True):
        assert own == pytest.approx((x * wide, y * high, tokens * wide, requests * high), abs=0.2)


@settings(max_examples=20)  # a strict parse of a whole page takes its time
@given(st.text(max_size=60))
def test_any_text_is_shown_as_text(anything: str) -> None:
    page = render(html_samples.report(anything), SETUP)
    root = parsed(page)
    assert all(character.isprintable() or character == "\n" for character in page)
    assert not elements(root, "script", "img", "b")


def test_hostile_text_can_be_read() -> None:
    page = text(parsed(render(html_samples.report("".join(html_samples.NASTY)), SETUP)))
    for shown in (
        "<script>top.hit=1</script>",
        "</style></title><script>top.hit=2</script>",
        r"\x1b[31m\x1b]8;;http://example.invalid\x07\x9b0m",
        r"\u202e<b>evil\u2066\u200f\u2028",
        "{{ 7*7 }}{% raw %}&lt;b&gt;&#60;",
        r"\ud800\x00\r⏎--><!--]]>",
    ):
        assert shown in page


@given(st.lists(st.integers(0, 5_000), min_size=5, max_size=5), st.booleans())
def test_the_parts_of_the_bar_add_up(places: list[int], grown: bool) -> None:
    low, reusable, high, shared, after = sorted(places)
    base = html_samples.full()
    each = dataclasses.replace(
        base,
        tokens=TokenCounts(after, after, shared, reusable, low, high, after - reusable, True, "o200k_base", ""),
        divergence=None if grown else base.divergence,
    )
    parts = list(stretches(each))
    assert [start for _, _, start, _ in parts] == [0, *(end for _, _, _, end in parts[:-1])][: len(parts)]
    bar = whole(each)
    assert sum(piece.tokens for piece in bar.pieces) == after
    assert sum(float(piece.width.rstrip("%")) for piece in bar.pieces) == pytest.approx(100 if after else 0, abs=0.01)
    kinds = {piece.kind: piece.tokens for piece in bar.pieces}
    assert kinds.get("cached", 0) == low
    assert kinds.get("maybe", 0) == high - low
    assert kinds.get("shared", 0) == shared - high
    assert kinds.get("grown" if grown else "computed", 0) == after - shared


def test_causes_marks_and_sections_stand_where_they_belong() -> None:
    bar = whole(html_samples.full())
    assert [(sign.token, sign.left) for sign in bar.needles] == [(354, "14.899%"), (2334, "98.232%")]
    assert [(flag.first, flag.last) for flag in bar.flags] == [(1, 1), (2, 2)]
    assert bar.flags[0].label == "Cause 1, PL101 timestamp-in-prefix, at token 354"
    assert [sign.token for sign in bar.marks] == [128, 1300]
    assert [(piece.label, piece.start, piece.end) for piece in bar.sections] == [
        ("tools", 0, 300),
        ("system", 300, 1300),
        ("messages", 1300, 2376),
    ]
    assert [sign.token for sign in bar.blocks][:3] == [0, 64, 128]
    assert [sign.label for sign in bar.ticks] == ["0", "500", "1,000", "1,500", "2,000", "2,376"]


def test_the_close_up_shows_the_blocks_around_the_divergence() -> None:
    each = html_samples.large().comparisons[0]
    assert whole(each).blocks == ()
    near = close_up(each)
    assert near is not None
    assert (near.start, near.end) == (0, 140)
    assert [sign.token for sign in near.blocks] == list(range(0, 140, 16))
    assert sum(piece.tokens for piece in near.pieces) == 140
    assert close_up(dataclasses.replace(each, divergence=None)) is None


def test_the_close_up_is_drawn_to_its_own_scale() -> None:
    each = html_samples.full()
    assert each.divergence is not None
    far = dataclasses.replace(
        each,
        tokens=dataclasses.replace(each.tokens, after=10_000, shared=5_000),
        divergence=dataclasses.replace(each.divergence, token=5_000),
        repairs=(dataclasses.replace(each.repairs[0], token=5_000),),
    )
    near = close_up(far)
    assert near is not None
    assert (near.start, near.end) == (4_488, 5_512)
    assert [(piece.kind, piece.left, piece.width) for piece in near.pieces] == [
        ("shared", "0.000%", "50.000%"),
        ("computed", "50.000%", "50.000%"),
    ]
    assert [sign.left for sign in near.needles] == ["50.000%"]
    assert near.blocks[0].token == 4_544
    assert near.blocks[0].left == "5.469%"


def test_many_causes_and_marks_stay_few_elements() -> None:
    report = html_samples.large()
    bar = whole(report.comparisons[0])
    assert len(bar.needles) == 60
    flagged = [number for flag in bar.flags for number in range(flag.first, flag.last + 1)]
    assert flagged == list(range(1, 61))
    assert len(bar.flags) <= 20
    assert len(bar.marks) <= 201
    page = render(report, SETUP)
    assert page.count("<") < 8_000
    assert "… and 1,900 more breakpoints" in page
    assert len(page) < 300_000


def test_of_very_many_pairs_those_that_lose_most_are_shown_in_full_and_the_others_as_rows() -> None:
    shown = html_samples.many(400)
    page = render(shown, SETUP)
    root = parsed(page)
    articles = elements(root, "article")
    assert [each.get("id") for each in articles] == [f"pair-{number}" for number in range(351, 401)]
    assert "400 pairs; the 50 with the most tokens to compute again are shown in full below" in text(root)
    first, rest = (
        each for each in elements(root, "table") if each.get("class") is None and len(elements(each, "tr")) > 50
    )
    assert len(elements(first, "tr")) == 401
    assert len(elements(first, "a")) == 50
    assert len(elements(rest, "tr")) == 351
    assert page.count("the clock value") == 400, "each finding is told once"
    more = len(render(html_samples.many(800), SETUP)) - len(page)
    assert more < 400 * 1_500, "bytes of a row with its finding"


def test_the_page_says_what_the_report_says() -> None:
    root = parsed(render(html_samples.report(), SETUP))
    page = text(root)
    for shown in (
        "1 error, 2 warnings in 5 files",
        "agent/before.json → agent/after.json",
        "anthropic reuses 128 of 2,376 tokens: no breakpoint was written between token 128 and token 354.",
        "This provider keeps whole blocks of 64 tokens: the prompt fills 37, of which 2 are reusable.",
        "128 5.3 %, between 0 and 128",
        "the clock value 10:00:09 was 10:00:07 before",
        "Fix: Move the clock",
        "agent/after.json:3:58",
        "cost a day$64.15",
        "Traffic: 10,000 requests a day.",
        "Prices: genai-prices 0.2.3, 2026-11-02",
        "the minimum of this model is documented twice",
        "prompts/package.json is no request",
        "The later prompt only grew.",
    ):
        assert shown in page
    (plan,) = [t for t in elements(root, "table") if "Then shared" in text(t)]
    rows = [[text(cell) for cell in row] for row in elements(plan, "tr")[1:]]
    assert rows == [
        ["as it is", "", "354", "128", "5.3 %", ""],
        ["1. PL101 timestamp-in-prefix", "1,980", "2,334", "2,304", "96.9 %", "$0.0064"],
        ["2. PL304 tool-description-changed", "42", "2,376", "2,304", "96.9 %", ""],
    ]
    (providers,) = [t for t in elements(root, "table") if t.get("class") == "survival"]
    rows = [[text(cell) for cell in row] for row in elements(providers, "tr")[1:]]
    assert rows == [
        ["anthropic this report", "128 0 to 128", "5.3 %", "354", "no breakpoint"],
        ["generic, sglang", "354", "14.8 %", "354", "354 of 354 shared"],
        ["vllm", "352", "14.8 %", "354", "352 of 354 shared"],
        ["gemini", "0", "0 %", "30", "0 of 30 shared"],
    ]


def test_each_finding_is_told_once_and_with_its_pair() -> None:
    root = parsed(render(html_samples.report(), SETUP))
    first, second = elements(root, "article")
    assert "nothing is marked" in text(first)
    assert "nothing is marked" not in text(second)
    page = text(root)
    assert page.count("the clock value") == 1
    assert page.count("nothing is marked") == 2  # on this pair, and on a file of no pair


def test_text_around_a_difference_is_cut_as_in_every_report() -> None:
    excerpt = dataclasses.replace(sample_reports.CLOCK, shared="s" * 40, before="b" * 40, after="a" * 40)
    each = dataclasses.replace(html_samples.full(), excerpt=excerpt)
    root = parsed(render(Report("diff", (each,)), SETUP))
    shown = [text(side) for side in elements(root, "dd") if "ss" in text(side)]
    assert shown == [f"…{'s' * 40}{'b' * 40}…", f"…{'s' * 40}{'a' * 40}…"]


def test_a_prompt_without_tokens_is_drawn_too() -> None:
    each = dataclasses.replace(
        html_samples.full(),
        tokens=TokenCounts(0, 0, 0, 0, 0, 0, 0, True, "o200k_base", ""),
        sections=(),
        marks=(Boundary(0, "cache marker"),),
        repairs=(),
        divergence=None,
    )
    root = parsed(render(Report("diff", (each,)), SETUP))
    assert "No token changed." in text(root)
