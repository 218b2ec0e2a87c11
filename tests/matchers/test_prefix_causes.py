"""Causes in tools and system text through the whole program: one by one, several at once, and their near misses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from text_sites import marked

from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import Options, diff
from promptlint.rulebook.examples import inputs
from promptlint.rulebook.rule import Example

TASK = "You answer questions about a bicycle workshop. Be brief and polite in every answer that you give to people.\n"
FIRST = [{"user": "Is the pool open?"}]
NEXT = [*FIRST, {"assistant": "Yes it is, until six."}, {"user": "Thanks"}]
OTHER = [{"user": "Where do I return a book?"}]
GROUPS = ("PL1", "PL2", "PL3")


def report(before: Any, after: Any, provider: str = "anthropic") -> Report:
    old, new = inputs(Example(before, after, provider))
    assert old is not None
    return diff([old.source, new.source], Options(provider=provider))


def codes(found: Report) -> list[str]:
    assert not found.skipped, found.skipped
    return [finding.code for finding in found.findings if finding.code.startswith(GROUPS)]


def of_system(before: str, after: str, *, same: bool = True) -> list[str]:
    """Codes for two system texts, within one conversation or in another one."""
    messages = NEXT if same else OTHER
    return codes(report({"system": before, "messages": FIRST}, {"system": after, "messages": messages}))


def of_tools(before: list[Any], after: list[Any]) -> list[str]:
    return codes(report({"tools": before, "system": TASK}, {"tools": after, "system": TASK}))


def tool(name: str, description: str = "Looks one record up.", schema: Any = None) -> dict[str, Any]:
    plain = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "on": {"type": "string", "description": "a day"}},
        "required": ["id", "on"],
    }
    return {"name": name, "description": description, "input_schema": schema or plain}


LIST = "Known:\n- likes tea\n- has a dog\n- rows\n\nEnd of what is known about the person."
MOVED = "Known:\n- rows\n- likes tea\n- has a dog\n\nEnd of what is known about the person."


def test_a_clock_a_name_and_a_moved_list_in_one_text() -> None:
    before = f"It is now 14:05:12.\nuser_name: Ada Quill\n{TASK}{LIST}"
    after = f"It is now 14:06:12.\nuser_name: Bo Ferrand\n{TASK}{MOVED}"
    assert of_system(before, after) == ["PL101", "PL104", "PL203"]


def test_two_edited_sentences_and_a_clock_between_them() -> None:
    text = "Sort mail into {nine|seven} folders.\nCurrent time: {14:05|14:09}\nName the source of each {figure|number}."
    assert of_system(*marked(text)) == ["PL304", "PL101", "PL304"]


def test_a_moved_tool_other_keys_and_a_date_in_three_tools() -> None:
    keys, other = ({"type": "object", "title": "X"}, {"title": "X", "type": "object"})
    before = [tool("a"), tool("b"), tool("c", schema=keys), tool("d", "Searches. Today is 12 May 2026.")]
    after = [tool("b"), tool("a"), tool("c", schema=other), tool("d", "Searches. Today is 13 May 2026.")]
    assert of_tools(before, after) == ["PL201", "PL202", "PL302"]


def test_an_added_tool_hides_no_cause_in_those_behind_it() -> None:
    moved = tool("b")
    moved["input_schema"] = {**moved["input_schema"], "required": ["on", "id"]}
    before = [tool("a"), tool("b"), tool("d", "Searches. Today is 12 May 2026.")]
    after = [tool("a"), tool("aa"), moved, tool("d", "Searches. Today is 13 May 2026.")]
    assert of_tools(before, after) == ["PL301", "PL205", "PL302"]


def test_a_tool_that_came_before_one_whose_keys_moved() -> None:
    """The new tool begins like the one it stands before; with it gone, the prompts part even earlier."""
    moved = dict(reversed(tool("store_record").items()))
    before = [tool("check_order"), tool("store_record"), tool("weigh_parcel")]
    found = report(
        {"tools": before, "system": TASK},
        {"tools": [before[0], tool("store_parcel"), moved, before[2]], "system": TASK},
    )
    assert codes(found) == ["PL202", "PL301"]
    comparison = found.comparisons[0]
    first, second = comparison.repairs
    assert (first.recovers, first.cumulative) == (0, comparison.tokens.shared)
    assert second.cumulative == comparison.tokens.before


def test_a_tool_sorted_into_the_middle_is_no_change_of_order() -> None:
    names = ("a", "c", "e", "g")
    assert of_tools([tool(n) for n in names], [tool(n) for n in sorted((*names, "d"))]) == ["PL301"]


def test_tools_that_came_and_tools_that_moved_are_two_causes() -> None:
    before, after = [tool(n) for n in "abc"], [tool(n) for n in ("zz", "c", "b", "a")]
    assert of_tools(before, after) == ["PL201", "PL301"]


def test_three_causes_in_one_tool() -> None:
    before = {"type": "object", "properties": {"id": {"enum": ["x", "y"]}, "on": {"type": "string"}}}
    after = {"properties": {"on": {"type": "string"}, "id": {"enum": ["y", "x"]}}, "type": "object"}
    old, new = tool("d", "Today is 12 May 2026.", before), tool("d", "Today is 13 May 2026.", after)
    assert of_tools([old], [new]) == ["PL302", "PL202", "PL205"]


def test_keys_drift_is_one_cause_for_all_tools_even_past_an_added_one() -> None:
    keys, other = ({"type": "object", "title": "X"}, {"title": "X", "type": "object"})
    before = [tool(name, schema=keys) for name in "acd"]
    after = [tool(name, schema=other) for name in "abcd"]
    assert of_tools(before, after) == ["PL202", "PL301"]


def test_edits_around_a_date_in_one_description() -> None:
    old, new = marked("{Searches|Finds} records. Today is {12 May 2026|13 May 2026}. Use {|wise }filters.")
    assert of_tools([tool("d", old)], [tool("d", new)]) == ["PL303", "PL302", "PL303"]


@pytest.mark.parametrize(
    ("code", "description"),
    [
        ("PL302", "Runs in {/srv/a|/srv/b}."),
        ("PL302", "Sends mail as {ada@example.org|bo@example.net}."),
        ("PL302", "Session {7c9e6679-7425-40de-944b-e07fc1f90ae7|0f8fad5b-d9cb-469f-a165-70867728950e}."),
        ("PL302", 'Quotes "and \\ escapes". Turn: {3|4}'),
        ("PL302", "Available agents: plan, {read|read, test}. Use with care."),
        ("PL203", "Agents:\n{- plan: x\n- read: y|- read: y\n- plan: x}"),
        ("PL303", "Agents:\n- plan: {makes|writes} plans\n- read: reads"),
        ("PL303", "Finds at most {5|8} records."),
        ("PL303", "Finds {records|orders}."),
    ],
)
def test_what_differs_in_a_description(code: str, description: str) -> None:
    old, new = marked(description)
    assert of_tools([tool("d", old)], [tool("d", new)]) == [code]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # The same things in another order.
        ("PL203", "Use {red, green and blue|blue, red and green} only."),
        ("PL203", "1. {alpha\n2. beta\n3. gamma|beta\n2. gamma\n3. alpha}"),
        ("PL203", "### {sort\nSorts.\n\n### route\nRoutes.|route\nRoutes.\n\n### sort\nSorts.}\n"),
        ("PL203", 'Ids: ["a1", "b2", {"c3", "d4"|"d4", "c3"}] and more.'),
        ("PL203", "Tags: {red blue green|green red blue}"),
        ("PL304", "Be {polite to all and brief|brief to all and polite}."),
        # The same JSON.
        ("PL202", 'Config: {{"a": 1, "b": 2}|{"b": 2, "a": 1}} end'),
        ("PL206", 'Config: {{"a": [1, 2]}|{"a":[1,2]}} end'),
        ("PL304", 'Config: {{"a": 1}|{"a": 1.0}} end'),
        # Passages and files below a title that stays.
        ("PL107", "<context>\n{The pool closes in August.|Umbrellas wait at the depot.}\n</context>"),
        ("PL107", "Known about this person:\n- {likes tea\n- has a dog|plays chess\n- rows on Sundays}"),
        ("PL107", "{|## Relevant memories\n- likes tea\n\n}Be kind to everyone who comes to the desk and asks."),
        ("PL108", "# MEMORY.md\n- Keys hang left.\n{|- The yard is shut.\n}# Task\nAnswer."),
        ("PL108", "Contents of /srv/AGENTS.md:\nUse {tabs|two blanks}.\nRun the tests first."),
        ("PL107", "<recalled-context>\nThe man {works on a pump.|dislikes noise.}\n</recalled-context>"),
        (
            "PL107",
            '## Hallazgos\n<doc n="{3">\nFees are due.\n</doc>\n<doc n="9">\nA coin.|5">\nBoats go east.\n</doc>\n'
            '<doc n="7">\nDogs swim early.}\n</doc>\n',
        ),
        ("PL108", "<claude_md>\nUse {tabs|two blanks}. Run the tests.\n</claude_md>"),
        ("PL108", "The project has rules:\n\n`AGENTS.md`:\n``````\nUse {tabs|two blanks}.\n``````\n"),
        ("PL108", "<skills>\n  wheels:\n    - true: true a wheel\n{|  brakes:\n    - bleed: bleed one\n}</skills>"),
        ("PL103", "# Scratchpad directory\nUse this one:\n`/tmp/x/{5f1f9f0e-2f5b-4a43|b8c0d9a2-77f3-41f0}/pad`\n"),
        ("PL105", '## Instance configuration\n"workflows": {12|13},\n"queue": "idle",\n'),
        ("PL304", "## Lost\n{Lost items are kept for sixty days.|Found things stay until summer ends.}"),
        ("PL304", "## Context\nAnswer in {short|plain} sentences and name the source of each of the figures."),
        # Surroundings in whole lines.
        ("PL105", "Files:\nsrc/a.py\nsrc/b.py\n{|src/c.py\n}src/d.py\nEnd."),
        ("PL105", "<tree>\n├── a\n│   ├── b.py\n{|│   ├── c.py\n}└── d\n</tree>"),
        ("PL105", "<env>\nShell: bash\n{|Git branch: main\n}Platform: linux\n</env>"),
        ("PL304", "Rules:\n- be kind\n{|- be quick\n}- be brief and name the source of every figure that you give."),
    ],
)
def test_what_differs_in_system_text(code: str, text: str) -> None:
    before, after = split(text)
    assert of_system(TASK + before + "\n\n" + TASK, TASK + after + "\n\n" + TASK) == [code]


def split(text: str) -> tuple[str, str]:
    """`{old|new}` with braces inside either side: the outermost pair that holds a bar between two sides."""
    bar = next(i for i, char in enumerate(text) if char == "|" and _depth(text, i) == 1)
    start = max(i for i in range(bar) if text[i] == "{" and _depth(text, i) == 0)
    end = next(i for i in range(bar, len(text)) if text[i] == "}" and _depth(text, i + 1) == 0)
    return text[:start] + text[start + 1 : bar] + text[end + 1 :], text[:start] + text[bar + 1 : end] + text[end + 1 :]


def _depth(text: str, end: int) -> int:
    return text.count("{", 0, end) - text.count("}", 0, end)


def test_a_preamble_with_a_clock_and_the_passages_below_it() -> None:
    frame = "<recall>\nRecalled at 2026-05-12 {}:\n{}\n</recall>\n"
    before = TASK + frame.format("14:05", "- likes tea\n- has a dog")
    after = TASK + frame.format("14:09", "- plays chess\n- rows on Sundays")
    assert of_system(before, after) == ["PL101", "PL107"]


def test_another_customers_profile_is_an_identity_only_in_another_conversation() -> None:
    before = TASK + "## Business profile\nAcme bakes bread in Bonn and sells it at six markets.\n"
    after = TASK + "## Business profile\nGlobex plants trees and cuts hedges for the parks of Lima.\n"
    assert of_system(before, after, same=False) == ["PL104"]
    assert set(of_system(before, after)) == {"PL304"}


def test_a_file_below_a_heading_of_retrieval_is_still_a_file() -> None:
    text = "## Sources\nContents of AGENTS.md:\n- use tabs\n{- run the tests\n|}(end of AGENTS.md)\n"
    before, after = split(text)
    assert of_system(TASK + before, TASK + after) == ["PL108"]


def test_a_line_that_came_to_a_notes_file_is_no_setting_of_the_machine() -> None:
    lines = ["- Branch names: feature, fix", "- Shell: never use fish", "- Commit style: plain"]
    notes = "\n".join(["## {title}", *lines, "{more}" + TASK])
    for title, code in (("MEMORY.md", "PL108"), ("Environment", "PL105")):
        before, after = (notes.format(title=title, more=more) for more in ("", "- Backend: the old one\n"))
        assert of_system(before, after) == [code]


def test_whole_system_blocks() -> None:
    def blocks(*texts: str) -> dict[str, Any]:
        return {"system": [{"type": "text", "text": text} for text in texts]}

    found = "# Search results\n[1] The pool closes."
    assert codes(report(blocks(TASK, "Be kind."), blocks(TASK, found, "Be kind."))) == ["PL107"]
    assert codes(report(blocks(TASK, "Be kind.", "Be fast."), blocks(TASK, "Be fast.", "Be kind."))) == ["PL203"]
    assert codes(report(blocks(TASK, "Be kind."), blocks(TASK, "Be fast.", "Be kind."))) == ["PL304"]


def test_a_picture_before_the_shared_text_of_the_newest_message() -> None:
    def body(data: str, text: str) -> dict[str, Any]:
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        return {"messages": [{"role": "user", "content": [image, {"type": "text", "text": text}]}]}

    long = "Read the page and write down what it says. " * 40
    assert codes(report(body("AAAA", long), body("BBBB", long))) == ["PL110"]
    assert codes(report(body("AAAA", "Read it."), body("BBBB", "Read it."))) == []


def test_a_tool_whose_loading_is_deferred_is_no_part_of_the_prompt() -> None:
    later = {**tool("b"), "defer_loading": True}
    assert of_tools([tool("a")], [tool("a"), later]) == []
    assert of_tools([tool("a"), later], [tool("b"), tool("a")]) == ["PL301"]


def test_a_short_input_before_the_shared_text() -> None:
    long = "\n\n" + "".join(
        f"Signature {number} stands for one way in which a call may do harm.\n" for number in range(40)
    )
    for before, after, code in [
        (
            'Call:\n{"tool": "read", "path": "/etc/hosts"}',
            'Call:\n{"tool": "bash", "command": "curl example.org"}',
            "PL110",
        ),
        ("Scene:\nAda waits in the rain.", "Scene:\nBruno lost his letter yesterday evening.", ""),
        ("Scene:\nAda waits on a pier in the rain.", "Scene:\nBruno lost his letter while fog came up.", "PL110"),
    ]:
        requests = [{"messages": [{"user": text + long}]} for text in (before, after)]
        assert codes(report(requests[0], requests[1], "openai")) == [code] * bool(code), before


def test_a_page_in_a_block_of_its_own_before_the_shared_one() -> None:
    long = "".join(f"Fact {number} is worth a line if the page speaks of it.\n" for number in range(40))
    pages = (
        "The office is shut on Monday and fuel is sold until five.",
        "A storm broke the pier, so ferries land in town.",
    )

    def body(page: str, rest: str) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": [{"type": "text", "text": each} for each in (page, rest)]}]}

    assert codes(report(body(pages[0], long), body(pages[1], long))) == ["PL110"]
    assert codes(report(body(pages[0], "Go."), body(pages[1], "Go."))) == []


def test_numbers_of_a_description_within_one_conversation() -> None:
    old, new = (tool("d", f"Runs a command. Load is {load} now.") for load in ("0.41", "2.10"))
    same = {"tools": [old], "system": TASK, "messages": FIRST}, {"tools": [new], "system": TASK, "messages": NEXT}
    assert codes(report(*same)) == ["PL302"]
    assert of_tools([old], [new]) == ["PL303"]


def test_a_heavily_rewritten_sentence_is_one_finding() -> None:
    before = "You are the desk assistant of a library and answer all questions about books in a calm way. " + TASK
    after = "You are a desk helper of the library who answers each question on books in a quick way. " + TASK
    found = report({"system": before}, {"system": after})
    assert codes(found) == ["PL304"]
    assert len(found.findings[0].related) <= 3


@pytest.mark.parametrize("value", ["14:05:1{2|3}", "Ada{| Quill}", "turn {1|2}"])
def test_the_newest_message_may_hold_any_value(value: str) -> None:
    old, new = marked(value)
    assert codes(report({"messages": [{"user": old}]}, {"messages": [{"user": new}]})) == []


def test_repairs_add_up_when_causes_are_set_equal_one_by_one() -> None:
    text = "It is now {14:05:12|14:06:12}.\nSort mail into {nine|seven} folders.\nTurn: {3|4}\n" + TASK
    before, after = marked(text)
    (comparison,) = report({"system": before, "messages": FIRST}, {"system": after, "messages": NEXT}).comparisons
    repairs = comparison.repairs
    assert [repair.code for repair in repairs] == ["PL101", "PL304", "PL106"]
    assert all(repair.recovers >= 0 for repair in repairs)
    assert [repair.cumulative for repair in repairs] == sorted(repair.cumulative for repair in repairs)


@pytest.mark.parametrize(
    "before",
    [
        "[" * 20_000 + " a",
        "[1, " * 20_000 + '"a"',
        "\n".join(f"<t{n}>" for n in range(5_000)) + "\n- a",
        '{"a":' * 3_000,
    ],
    ids=["brackets", "open lists", "open tags", "deep objects"],
)
def test_hostile_text_is_an_edit_and_no_error(before: str) -> None:
    assert set(of_system(before + " x\n" + TASK, before + " y\n" + TASK)) == {"PL304"}


def test_thousands_of_moved_lines_are_one_cause() -> None:
    lines = [f"- item number {n} of the list" for n in range(10_000)]
    assert of_system(TASK + "\n".join(lines) + "\n" + TASK, TASK + "\n".join(lines[::-1]) + "\n" + TASK) == ["PL203"]


RULES = "".join(f"Rule {n}: write the name of drawer number {n} in full.\n" for n in range(40))
PAGES = (
    "Title: narrow file\nThe clerk weighs each parcel in the yard and writes the sum on the lid.\n\n",
    "Title: late pallet\nNobody may enter the depot at night, and the keys hang behind the north door.\n\n",
)
RESULTS = (
    "Search results:\n[1] Kayaks travel on the car deck for the price of a bicycle.\n\nBring a rope.\n\n",
    "Search results:\n[1] Names are changed at any counter with a passport.\n[2] A missed train is paid by nobody.\n\n",
)


def of_text(before: str, after: str) -> list[str]:
    return codes(diff([Source("before.txt", before), Source("after.txt", after)], Options()))


def test_a_page_behind_search_results_is_a_cause_of_its_own() -> None:
    before, after = (found + TASK + "\n" + page + RULES for found, page in zip(RESULTS, PAGES, strict=True))
    assert of_text(before, after) == ["PL107", "PL110"]


def test_an_edit_and_passages_behind_it_are_two_causes() -> None:
    memories = (
        "## Relevant memories\n- rows at dawn\n- owns a boat\n\n",
        "## Relevant memories\n- is afraid of dogs\n\n",
    )
    before = TASK + "Be quick and kind to all guests.\n\n" + memories[0] + RULES
    after = TASK + "Name the office hours. Be quick and kind to all guests.\n\n" + memories[1] + RULES
    assert of_text(before, after) == ["PL304", "PL107"]


MAIL = "Mail:\nDear Sir or Madam, {}. Please answer as soon as possible.\nKind regards, {}\nSent from my phone"


def test_two_inputs_behind_the_prompt_share_a_phrase() -> None:
    before = RULES + MAIL.format("my suitcase was lost on the way home", "Ada Quill")
    after = RULES + MAIL.format("I would like to know when the office opens", "Bo Marsh")
    assert of_text(before, after) == []
    assert of_text(before + "\n\n" + RULES, after + "\n\n" + RULES) != []
    assert (
        of_text(
            RULES + "La fête à Öland dure près de trois été déjà",
            RULES + "La fe\u0302te a\u0300 O\u0308land dure pre\u0300s de trois e\u0301te\u0301 de\u0301ja\u0300",
        )
        == []
    )


def test_a_message_moved_before_the_tools_is_not_their_set() -> None:
    names = ("read_file", "find_name", "save_note")
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names]
    note = {"system": "From now on name the price of each part as well."}
    talk = [{"system": TASK}, {"user": "Is the pool open on Sunday?"}, {"assistant": "Yes it is, until six."}]
    before = {"tools": tools, "messages": [*talk, note, {"user": "And on Monday?"}]}
    after = {"tools": tools[:2], "messages": [talk[0], note, *talk[1:], {"user": "And on Monday?"}]}
    found = [finding.code for finding in report(before, after, "deepseek").findings]
    assert [code for code in found if code != "PL604"] == ["PL412", "PL301"]


def test_a_system_block_without_text_is_no_edit_of_text() -> None:
    """Only its role is left in the end: there is nothing that a finding could point at."""
    before, after = (
        {"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": messages, "system": [{"role": "user", **block}]}
        for messages, block in (([], {"content": [{"type": "text"}]}), ([{"role": "user", "content": None}], {}))
    )
    report = diff([Source("a.json", json.dumps(before)), Source("b.json", json.dumps(after))], Options())
    assert [skip.why for skip in report.skipped] == ["no rule explains this difference"]
