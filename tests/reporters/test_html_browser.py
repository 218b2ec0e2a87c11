"""The HTML report in a real Chromium: nothing is requested or runs, keyboard and assistive technology reach it all."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import html_samples
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, FloatRect, Locator, Page, Route, expect, sync_playwright
from support import ROOT, Run

from promptlint import rulebook
from promptlint.model.report import Report
from promptlint.reporters.html import render
from promptlint.reporters.setup import Setup

IN_CI = bool(os.environ.get("CI"))  # read before the environment of the tests is scrubbed
ARGUMENTS = (
    "--no-sandbox",  # CI runs as root, where Chromium has none
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None and IN_CI:
        pytest.fail("no Chromium on this machine; .ci/run installs Debian's package chromium")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """One page in a browser of its own that reaches nothing; what it asks for and complains of is kept."""

    def __init__(self, browser: Browser, file: Path, **settings: Any) -> None:
        self.asked: list[str] = []
        self.said: list[str] = []
        self.context = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **settings})
        self.context.set_default_timeout(20_000)
        self.context.route("**/*", self._route)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(file.as_uri())

    def _dialog(self, dialog: Dialog) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def _route(self, route: Route) -> None:
        self.asked.append(route.request.url)
        if len(self.asked) == 1:
            route.continue_()
        else:
            route.abort()


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    """Opens a report; in the end the page must have asked for itself alone and complained of nothing."""
    visits: list[Visit] = []

    def open_page(report: Report | Path, **settings: Any) -> Visit:
        file = report if isinstance(report, Path) else tmp_path / f"report-{len(visits)}.html"
        if isinstance(report, Report):
            rules = {rule.code: rule for rule in rulebook.load().rules}
            file.write_text(render(report, Setup(rules=rules)), "utf-8", newline="")
        visits.append(Visit(browser, file, **settings))
        return visits[-1]

    yield open_page
    for each in visits:
        asked, said = each.asked, each.said
        each.context.close()
        assert len(asked) == 1 and asked[0].startswith("file:"), asked
        assert said == []


def box(shown: Locator) -> FloatRect:
    """Where an element stands, in CSS pixels."""
    found = shown.bounding_box()
    assert found is not None
    return found


def background(page: Page) -> list[int]:
    """Red, green and blue of the page."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *itertools.product(("full", "nasty", "empty", "trace", "trace-nasty"), ("light", "dark")),
        ("large", "light"),
        ("trace-usage", "light"),
    ],
)
def test_axe_finds_no_fault(visit: Callable[..., Visit], name: str, scheme: str) -> None:
    page = visit(html_samples.PAGES[name], color_scheme=scheme).page
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", ["nasty", "trace-nasty"])
def test_hostile_text_is_text(visit: Callable[..., Visit], name: str) -> None:
    opened = visit(html_samples.PAGES[name])
    page = opened.page
    page.wait_for_timeout(100)
    assert page.evaluate("top.hit") is None
    assert page.locator("script, img, iframe, [onload], [onerror]").count() == 0
    assert "<script>top.hit=1</script>" in page.inner_text("main")
    assert r"\u202e<b>evil" in page.inner_text("main")
    # Were something to get in all the same, the policy of the page would not let it run or load.
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=top.hit=6>')")
    page.evaluate("s = document.createElement('script'); s.textContent = 'top.hit=7'; document.body.append(s)")
    page.wait_for_timeout(100)
    assert page.evaluate("top.hit") is None
    assert [each for each in opened.said if "Content Security Policy" not in each] == []
    assert len(opened.said) >= 2
    opened.said.clear()


def test_the_bar_is_drawn_to_scale(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["full"]).page
    bar = page.locator(".pieces").first
    whole = box(bar)
    parts = [box(piece) for piece in bar.locator("span").all()]
    tokens = [int((piece.get_attribute("data-tokens") or "").replace(",", "")) for piece in bar.locator("span").all()]
    assert tokens == [128, 226, 2022]
    place = whole["x"]
    for part, count in zip(parts, tokens, strict=True):
        assert part["x"] == pytest.approx(place, abs=1)
        assert part["width"] == pytest.approx(whole["width"] * count / sum(tokens), abs=1)
        place += part["width"]
    assert place == pytest.approx(whole["x"] + whole["width"], abs=1)
    needle = box(bar.locator(".needle").first)
    assert needle["x"] + 1 == pytest.approx(whole["x"] + whole["width"] * 354 / 2376, abs=1)
    flag = box(page.locator(".flags a").first)
    assert flag["x"] + flag["width"] / 2 == pytest.approx(needle["x"] + 1, abs=2)


def focused(page: Page) -> str:
    shown = page.evaluate("(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText)")
    assert isinstance(shown, str)
    return " ".join(shown.split())


def test_the_keyboard_reaches_everything(visit: Callable[..., Visit]) -> None:
    page = visit(Report("diff", (html_samples.full(),), html_samples.report().findings[:1])).page
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(focused(page))
        ring = page.evaluate("""() => {
            const here = document.activeElement;
            const style = getComputedStyle(here.matches('.theme input') ? here.parentElement : here);
            return style.outlineStyle + ' ' + style.outlineWidth;
        }""")
        assert ring == "solid 3px", seen[-1]
    order = [
        "Cause 1, PL101 timestamp-in-prefix, at token 354",
        "Cause 2, PL304 tool-description-changed, at token 2,334",
        "The bar in numbers",
        "Text around it of PL101 timestamp-in-prefix",
        "Text around it of PL304 tool-description-changed",
        "1. PL101 timestamp-in-prefix",
        "2. PL304 tool-description-changed",
    ]
    assert [each for each in seen if each in order] == order


def test_a_flag_leads_to_its_cause_and_enter_opens_the_text(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["full"]).page
    page.locator(".flags a").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#pair-1-cause-2")
    cause = page.locator("#pair-1-cause-2")
    assert cause.evaluate("each => each.matches(':target')")
    expect(cause).to_be_in_viewport()
    page.keyboard.press("Tab")
    assert focused(page) == "Text around it of PL304 tool-description-changed"
    excerpt = cause.locator(".excerpt")
    assert not excerpt.is_visible()
    page.keyboard.press("Enter")
    assert excerpt.is_visible()
    assert excerpt.locator("ins").inner_text() == "a"
    page.keyboard.press("Enter")
    assert not excerpt.is_visible()


def test_assistive_technology_is_told_what_is_shown(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["full"]).page
    tree = page.locator("body").aria_snapshot()
    told = [line.strip().removeprefix("- ") for line in tree.split("\n")]
    for wanted in (
        'heading "promptlint check" [level=1]',
        'heading "agent/before.json to agent/after.json" [level=2]:',
        'list "Causes on the bar":',
        'link "Cause 1, PL101 timestamp-in-prefix, at token 354":',
        'heading "Causes, in prompt order" [level=3]',
        'heading "PL101 timestamp-in-prefix error" [level=4]:',
        'columnheader "Then reusable"',
        'rowheader "generic, sglang"',
        'radio "Dark"',
        'navigation "Pairs":',
        'deletion: "7"',
        'insertion: "9"',
    ):
        assert wanted in told, tree
    bar = (
        "The later prompt, tokens 0 to 2,376: 0 to 128 reusable or not: the facts are uncertain; 128 to 354 the same,"
        " but not reusable; 354 to 2,376 different or behind a difference."
    )
    assert page.get_by_role("img", name=bar, exact=True).count() == 1


def test_colours_follow_the_system_and_the_switch(visit: Callable[..., Visit]) -> None:
    light = visit(html_samples.PAGES["full"], color_scheme="light").page
    dark = visit(html_samples.PAGES["full"], color_scheme="dark").page
    assert min(background(light)) > 200
    assert max(background(dark)) < 60
    dark.get_by_label("Light").check()
    assert background(dark) == background(light)
    light.get_by_label("Dark").focus()
    light.keyboard.press("Space")
    assert max(background(light)) < 60
    light.keyboard.press("ArrowLeft")
    assert min(background(light)) > 200


def test_without_scripts_in_print_and_on_a_telephone(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["full"], java_script_enabled=False).page
    page.locator("summary", has_text="Text around it").first.click()
    assert page.locator(".causes .excerpt").first.is_visible()

    page = visit(html_samples.PAGES["full"], color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert box(page.locator(".causes .excerpt").first)["height"] > 20
    assert not page.locator(".theme").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert max(map(int, re.findall(r"\d+", ink)[:3])) < 60
    assert page.pdf(format="A4").startswith(b"%PDF-")

    for name in ("nasty", "trace-nasty"):
        page = visit(html_samples.PAGES[name], viewport={"width": 320, "height": 640}).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_replayed_log_by_keyboard_and_for_a_screen_reader(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["trace"]).page
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(focused(page))
    order = [
        "The numbers of: Hit rate over time",
        "The numbers of: Where prompts part from the one before",
        "The prefixes as a list",
        "The numbers of: Hit rate against cache size",
    ]
    assert [each for each in seen if each in order] == order
    page.locator("summary", has_text="The prefixes as a list").focus()
    page.keyboard.press("Enter")
    assert page.locator(".tree li").nth(3).is_visible()
    tree = page.locator("body").aria_snapshot()
    for wanted in (
        'heading "Fix first: PL101 timestamp-in-prefix" [level=3]',
        'img "All tokens of the log: 1,600,000 tokens cached; 2,760,000 tokens lost, avoidable;',
        'img "Hit rate over time From 2026-06-17 09:00 to 16:50 the hit rate lies between 0.0 % and 41.0 %."',
        'columnheader "With all above"',
        'rowheader "vllm, 10,000 blocks of 16"',
    ):
        assert wanted in tree, tree


def test_sixty_causes_in_two_hundred_thousand_tokens(visit: Callable[..., Visit]) -> None:
    page = visit(html_samples.PAGES["large"]).page
    assert page.locator(".needle").count() >= 60
    flags = [box(flag) for flag in page.locator(".bar").first.locator(".flags a").all()]
    for left, right in itertools.pairwise(flags):
        assert left["x"] + left["width"] <= right["x"]
    assert page.locator("*").count() < 4_000


def conversation(words: int, edited: bool) -> dict[str, Any]:
    """A request of about as many tokens as words, all different so that no text repeats; `edited` at three places."""
    turns = [
        {
            "role": ("user", "assistant")[n % 2],
            "content": " ".join(f"word {i}" for i in range(n * 1_000, n * 1_000 + 500)),
        }
        for n in range(words // 1_500)
    ]
    turns.append({"role": "user", "content": "Go on."})
    if edited:
        turns[40]["content"] += "\n"
        turns[80]["content"] = turns[80]["content"].replace("word", "Word", 1)
    clock = "2026-11-30T10:00:09Z" if edited else "2026-11-30T10:00:07Z"
    system = {"role": "system", "content": f"You answer questions about ferries. It is {clock}. Be brief."}
    return {"model": "gpt-5.4", "messages": [system, *turns]}


def test_a_real_report_of_two_hundred_thousand_tokens(
    visit: Callable[..., Visit], promptlint: Callable[..., Run], tmp_path: Path
) -> None:
    for name, edited in (("before.json", False), ("after.json", True)):
        (tmp_path / name).write_text(json.dumps(conversation(210_000, edited)), "utf-8")
    run = promptlint("diff", "before.json", "after.json", "--format", "html=report.html", cwd=tmp_path)
    assert (run.status, run.out, run.err) == (1, "", "")
    assert (tmp_path / "report.html").stat().st_size < 100_000
    page = visit(tmp_path / "report.html").page
    label = page.locator(".track").first.get_attribute("aria-label") or ""
    total = int(re.findall(r"\d[\d,]*", label)[1].replace(",", ""))
    assert total >= 200_000
    assert page.locator(".causes > li h4 code").all_inner_texts()[0] == "PL101"
    assert page.locator(".survival tbody tr").count() > 5


def test_the_example_of_the_readme(visit: Callable[..., Visit], promptlint: Callable[..., Run], tmp_path: Path) -> None:
    folder = ROOT / "examples" / "clock"
    file = tmp_path / "report.html"
    run = promptlint("diff", str(folder / "before.json"), str(folder / "after.json"), "--format", f"html={file}")
    assert run.status == 1
    opened = visit(file)
    page = opened.page
    assert page.locator("h4 code").all_inner_texts() == ["PL202", "PL101"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
