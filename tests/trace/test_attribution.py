"""Every lost token has one cause: the sums are exact, known causes are found, and like pairs are diagnosed once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_logs import CAUSES, INSTRUCTIONS, MARKER, NAMES, START, Record, records, tool, words, written
from slow_steps import steps

from promptlint.model.traced import Traced, Waste
from promptlint.model.traffic import Exchange
from promptlint.trace.causes import Key, Splitter
from promptlint.trace.diagnosis import Diagnoses
from promptlint.trace.differences import unmarked
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run

FOUND = {
    "clock": Key("rule", "PL101", "system[0].text"),
    "order": Key("rule", "PL201", "tools[].name"),
    "identity": Key("rule", "PL104", "system[0].text"),
    "keys": Key("rule", "PL202", "tools[].input_schema.properties"),
    "edited": Key("rule", "PL401", "messages[].content[].text"),
    "model": Key("model", "PL601", "model"),
    "thinking": Key("rule", "PL602", "thinking"),
    "late": Key("ttl"),
    "window": Key("rule", "PL402", "messages[].content[].text"),
}


def exchanges(log: list[Record]) -> list[Exchange]:
    return [
        Exchange("log.jsonl", line, sent_at=at, session=session, user=user, body=body, model=body["model"])
        for line, (at, session, user, body) in enumerate(log, 1)
    ]


def split(log: list[Record], *, each_in_full: bool = False) -> tuple[Counter[Key], Diagnoses]:
    """Lost tokens by cause; the sum of each request's parts is checked."""
    diagnoses = Diagnoses(TraceOptions())
    splitter = Splitter(diagnoses)
    found: Counter[Key] = Counter()
    for step in steps(exchanges(log)):
        if each_in_full:
            diagnoses._known.clear()
        parts = splitter.split(step)
        assert step.reuse is not None
        assert all(part.tokens > 0 for part in parts)
        assert sum(part.tokens for part in parts) == step.tokens - step.reuse.tokens
        found.update({part.key: part.tokens for part in parts})
    return found, diagnoses


def traced(path: Path, log: list[Record]) -> Traced:
    return run([str(written(path / "log.jsonl", log))], TraceOptions())


def wasted(result: Traced) -> dict[tuple[str, str], Waste]:
    return {(waste.kind, waste.code): waste for waste in result.waste}


@settings(max_examples=25, deadline=None)
@given(
    causes=st.sets(st.sampled_from(CAUSES), max_size=4),
    sessions=st.integers(1, 3),
    turns=st.integers(1, 4),
    wire=st.sampled_from(["anthropic", "openai"]),
    every=st.sampled_from([1.0, 40.0, 290.0, 301.0]),
)
def test_the_parts_of_each_request_add_up(causes: set[str], sessions: int, turns: int, wire: str, every: float) -> None:
    split(list(records(*sorted(causes), sessions=sessions, turns=turns, wire=wire, every=every)))


@pytest.mark.parametrize("cause", CAUSES)
def test_a_known_cause_is_what_tokens_are_lost_to(cause: str, tmp_path: Path) -> None:
    found, _ = split(list(records(cause, sessions=2, turns=4)))
    found.pop(Key("new"))
    key, tokens = found.most_common(1)[0]
    assert key == FOUND[cause]
    assert tokens >= 0.9 * found.total()


def test_nothing_wrong_means_that_only_new_text_is_lost() -> None:
    found, diagnoses = split(list(records(sessions=3, turns=4)))
    assert found.pop(Key("new")) > 0
    assert found.total() <= 3 * 16
    assert diagnoses.done <= 2


def test_of_several_causes_each_has_what_lies_behind_it() -> None:
    found, _ = split(list(records("order", "clock", "identity", sessions=2, turns=3)))
    together = {cause: found[FOUND[cause]] for cause in ("order", "clock", "identity")}
    assert min(together.values()) > 0
    alone, _ = split(list(records("clock", sessions=2, turns=3)))
    assert sum(together.values()) == pytest.approx(alone[FOUND["clock"]], abs=80)


@pytest.mark.parametrize("causes", [("clock",), ("order", "clock"), ("clock", "identity"), ("clock", "edited")])
def test_what_is_taken_over_from_a_like_pair_is_what_a_diagnosis_would_say(causes: tuple[str, ...]) -> None:
    log = list(records(*causes, sessions=3, turns=5))
    grouped, diagnoses = split(log)
    full, each = split(log, each_in_full=True)
    assert diagnoses.grouped > diagnoses.done < each.done
    assert set(grouped) == set(full)
    for key, tokens in full.items():
        assert grouped[key] == pytest.approx(tokens, rel=0.02, abs=60)


def test_the_waste_of_a_log_adds_up_and_names_the_request_that_lost_most(tmp_path: Path) -> None:
    log = list(records("clock", "order", "late", sessions=2, turns=4))
    result = traced(tmp_path, log)
    assert sum(waste.tokens for waste in result.waste) == result.hits.tokens - result.hits.read
    clock = wasted(result)["rule", "PL101"]
    assert clock.place is not None
    assert (clock.place.path, clock.place.line) == ("system[0].text", 5)  # the first of the second conversation
    assert clock.dollars is not None
    assert clock.dollars > 0
    assert [waste.kind for waste in result.waste][-1] == "new"


def test_findings_of_causes_point_into_the_log_and_obey_the_options(tmp_path: Path) -> None:
    path = str(written(tmp_path / "log.jsonl", records("clock", "order")))
    findings = run([path], TraceOptions()).findings
    assert {finding.code for finding in findings} == {"PL101", "PL201"}
    assert {finding.location.file for finding in findings} == {path}
    assert all(finding.fingerprint and finding.tokens_lost for finding in findings)
    assert {finding.code for finding in run([path], TraceOptions(ignore=("PL2",))).findings} == {"PL101"}
    assert {finding.code for finding in run([path], TraceOptions(select=("PL2",))).findings} == {"PL201"}
    infos = run([path], TraceOptions(severity=(("PL101", "info"),), min_severity="warning")).findings
    assert {finding.code for finding in infos} == {"PL201"}


def test_the_same_text_to_another_model_is_a_cold_start(tmp_path: Path) -> None:
    models = {"s0": "claude-sonnet-4-5", "s1": "claude-opus-4-5"}
    log = [(at, session, user, {**body, "model": models[session]}) for at, session, user, body in records(turns=3)]
    found, _ = split(log)
    cold = wasted(traced(tmp_path, log))["cold", ""]
    assert (cold.tokens, cold.requests) == (found[Key("cold")], 1)
    assert cold.tokens > 4_000


def test_what_an_engine_of_stated_size_drops_comes_on_top(tmp_path: Path) -> None:
    bodies = [(session, user, {**body, "model": "m"}) for _, session, user, body in records("identity", wire="openai")]
    in_turn = [each for pair in zip(bodies[:4], bodies[4:], strict=True) for each in pair]
    log = [(START + number, session, user, body) for number, (session, user, body) in enumerate(in_turn)]
    path = written(tmp_path / "log.jsonl", log)
    result = run([str(path)], TraceOptions(provider="vllm", caches=("vllm:350", "vllm:100000")))
    evicted = wasted(result)["capacity", ""]
    _, small, large = (cache.hits.read for cache in result.caches)
    assert evicted.tokens == result.hits.read - small > 0
    assert large == result.hits.read
    assert sum(waste.tokens for waste in result.waste) - evicted.tokens == result.hits.tokens - result.hits.read


def test_titles_retries_sub_agents_and_compaction_are_no_findings(tmp_path: Path) -> None:
    log: list[Record] = []
    tools = [tool(name, flipped=False) for name in NAMES]

    def send(
        session: str, instructions: str, said: list[str], *, model: str = "claude-sonnet-4-5", after: int = 20
    ) -> None:
        messages = [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(said)]
        system = [{"type": "text", "text": instructions, **MARKER}]
        body = {"model": model, "max_tokens": 100, "tools": tools, "system": system, "messages": messages, **MARKER}
        at = log[-1][0] + after if log else START
        log.append((at, session, "u", body if len(instructions) > 1_000 else unmarked(body)))

    for number in range(3):
        session, said, sub = f"s{number}", list[str](), list[str]()
        for turn in range(8):
            said.append(f"Question {number}.{turn}: {words(100 * number + turn, 60)}")
            send(session, INSTRUCTIONS, said)
            if turn == 0:
                send(session, "Write a title.", said, model="claude-haiku-4-5", after=1)
            if turn == 3:
                send(session, INSTRUCTIONS, said, after=3)
            for step in range(3 if turn == 4 else 0):
                sub.append(f"Search {number}.{step}: {words(50 * number + step, 50)}")
                send(session, INSTRUCTIONS[::-1], sub, after=8)
                sub.append(f"found {words(step, 30)}")
            said.append(f"Answer {number}.{turn}: {words(77 * number + turn, 40)}")
            if turn == 5:
                said = [f"Summary of what was said: {words(number, 80)}", "Understood, I go on from here."]
    result = traced(tmp_path, log)
    assert result.findings == ()
    assert [one.retries for one in result.sessions if one.kind == "main"] == [1, 1, 1]
    assert [(one.requests, one.retries) for one in result.sessions if one.kind == "auxiliary"] == [(1, 0)] * 3
    assert not [waste for waste in result.waste if waste.kind in ("rule", "model", "unexplained")]
    assert sum(waste.tokens for waste in result.waste) == result.hits.tokens - result.hits.read
