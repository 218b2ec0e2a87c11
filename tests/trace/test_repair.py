"""A log replayed with its causes repaired has the hit rate of the log that was made without them, to the token."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from made_logs import MARKER, records, written

from promptlint.model.traced import Traced
from promptlint.trace.differences import unmarked
from promptlint.trace.options import TraceOptions
from promptlint.trace.region import Region, parsed, value_at, with_value
from promptlint.trace.repair import Repair, Repairer
from promptlint.trace.run import run


def traced(path: Path, *causes: str, pinned: bool = False, wire: str = "anthropic") -> Traced:
    log = records(*causes, sessions=3, turns=5, pinned=pinned, wire=wire)
    return run([str(written(path / "log.jsonl", log))], TraceOptions())


@pytest.mark.parametrize("wire", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "causes",
    [("clock",), ("order",), ("keys",), ("identity",), ("clock", "order"), ("order", "keys", "clock", "identity")],
)
def test_the_replay_has_the_rate_of_the_repaired_log(causes: tuple[str, ...], wire: str, tmp_path: Path) -> None:
    broken, repaired = traced(tmp_path, *causes, wire=wire), traced(tmp_path, *causes, pinned=True, wire=wire)
    replayed = [waste for waste in broken.waste if waste.cumulative is not None]
    assert len(replayed) == len(causes)
    assert replayed[-1].cumulative == repaired.hits.rate > broken.hits.rate
    assert replayed[0].alone == replayed[0].cumulative


@pytest.mark.parametrize("cause", ["edited", "window", "model", "thinking"])
def test_what_changed_within_a_conversation_is_as_it_was_first_sent(cause: str, tmp_path: Path) -> None:
    broken, whole = traced(tmp_path, cause), traced(tmp_path)
    (replayed,) = (waste for waste in broken.waste if waste.cumulative is not None)
    assert replayed.alone == whole.hits.rate > broken.hits.rate


@pytest.mark.parametrize("cause", ["clock", "order"])
def test_another_program_that_comes_first_has_nothing_to_set(cause: str, tmp_path: Path) -> None:
    titles = {"model": "claude-sonnet-4-5", "system": "Find a title.", "messages": [{"role": "user", "content": "x"}]}
    first = (1_779_999_990.0, "titles", "user-0", titles)
    logs = [[first, *records(cause, sessions=3, pinned=pinned)] for pinned in (False, True)]
    broken, repaired = (run([str(written(tmp_path / "log.jsonl", log))], TraceOptions()) for log in logs)
    (waste,) = (waste for waste in broken.waste if waste.alone is not None)
    assert waste.alone == repaired.hits.rate > broken.hits.rate


def test_markers_where_none_were(tmp_path: Path) -> None:
    bare = [(at, session, user, unmarked(body)) for at, session, user, body in records(sessions=3)]
    system = [{"type": "text", "text": bare[0][3]["system"][0]["text"], **MARKER}]
    marked = [(at, session, user, {**body, **MARKER, "system": system}) for at, session, user, body in bare]
    broken, repaired = (run([str(written(tmp_path / "log.jsonl", log))], TraceOptions()) for log in (bare, marked))
    (waste,) = (waste for waste in broken.waste if waste.code == "PL502")
    assert broken.hits.read == 0
    assert waste.alone == repaired.hits.rate > 0.8


def test_one_repair_alone_brings_nothing_where_another_cause_breaks_the_same_prefix(tmp_path: Path) -> None:
    first, second = (waste for waste in traced(tmp_path, "clock", "order").waste if waste.alone is not None)
    assert (first.alone, second.alone) == (0, 0)
    assert second.cumulative is not None
    assert second.cumulative > 0.9


def test_what_was_assumed_is_said_and_standard_input_is_not_read_twice(tmp_path: Path) -> None:
    result = traced(tmp_path, "clock")
    assert any("replayed as if the text there is that of the first request of the log" in note for note in result.notes)


def test_bodies_are_not_changed_by_a_repair() -> None:
    log = list(records("clock", "order", "keys", "edited", turns=5))
    before = copy.deepcopy([body for *_, body in log])
    repairs = [
        Repair("order", ("tools",)),
        Repair("schemas", ("tools",)),
        Repair("text", ("system", 0, "text"), regions=(Region("Current time: ", 0, "\n1"),)),
        Repair("history", ("messages",)),
        Repair("setting", ("model",)),
    ]
    repairer = Repairer(repairs)
    repaired = [repairer.apply(body, session) for _, session, _, body in log]
    assert [body for *_, body in log] == before
    assert repaired != before
    unbroken = [body for *_, body in records("clock", turns=5, pinned=True)]
    firsts = {session: body["system"] for _, session, _, body in reversed(log)}
    assert [body["system"] for body in repaired] == [firsts[session] for _, session, _, _ in log]
    assert [body["messages"] for body in repaired] == [body["messages"] for body in unbroken]


def test_lines_take_the_order_of_the_first_and_others_stay() -> None:
    path = ("system",)
    repairer = Repairer([Repair("lines", path)])
    first = {"system": "head\nred\ngreen\nblue\nend", "messages": []}
    assert repairer.apply(first, "a") == first
    later = {"system": "head\nblue\nnew\nred\ngreen\nend", "messages": []}
    assert repairer.apply(later, "a")["system"] == "head\nred\nnew\ngreen\nblue\nend"


@pytest.mark.parametrize(
    ("region", "text", "found"),
    [
        (Region("at ", 0, " on"), "at noon on Monday", "noon"),
        (Region("at ", 1, ""), "at noon, at night", "night"),
        (Region("", 0, " on"), "noon on Monday", "noon"),
        (Region("at ", 2, ""), "at noon, at night", None),
        (Region("at ", 0, " by"), "at noon on Monday", None),
    ],
)
def test_a_region_is_found_by_what_stands_around_it(region: Region, text: str, found: str | None) -> None:
    span = region.span(text)
    assert (text[slice(*span)] if span else None) == found


def test_paths() -> None:
    path = parsed("messages[4].content[0].text")
    assert path == ("messages", 4, "content", 0, "text")
    body = {"messages": [0, 0, 0, 0, {"content": [{"text": "a"}]}]}
    assert value_at(body, path) == "a"
    assert value_at(body, parsed("messages[5].content")) is None
    assert value_at(with_value(body, path, "b"), path) == "b"
    assert value_at(body, path) == "a"
