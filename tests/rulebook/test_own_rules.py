"""Rule files of a house: tested by `rules test`, data only, never taken for promptlint's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Run

HOUSE = """\
code: HOUSE1
name: house-ticket-in-prefix
summary: A ticket number stands in the stable prefix.
severity: error
confidence: high
since: "1"
why: Tickets change from request to request.
fix: Leave the ticket out of the prompt.
message: "ticket {after_value} was {before_value}"
subject: divergence
beats: [PL1, PL304]
detect:
  matcher: volatile_value
  patterns: ['TCK-(?:\\w+)*\\d']
bad:
  - before: {system: "Ticket TCK-1 is open. You answer questions about it in short sentences."}
    after: {system: "Ticket [|TCK-2|] is open. You answer questions about it in short sentences."}
good:
  - before: {system: "Ticket TCK-1 is open."}
    after: {system: "Ticket TCK-1 is open."}
"""


def test_a_rule_that_holds(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    (tmp_path / "ticket.yaml").write_text(HOUSE)
    run = promptlint("rules", "test", str(tmp_path))
    assert run.status == 0, run.err
    assert "1 bad and 1 good examples hold" in run.out


def test_an_example_that_does_not_hold_is_status_1(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    (tmp_path / "ticket.yaml").write_text(HOUSE.replace("[|TCK-2|] is", "TCK-2 [|is|]"))
    run = promptlint("rules", "test", str(tmp_path / "ticket.yaml"))
    assert run.status == 1
    assert "bad[0]: marked" in run.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HOUSE1", "PL101", "taken"),
        ("'TCK-(?:", "'(TCK-(?:", "does not compile"),
        ("matcher: volatile_value", "matcher: subprocess", "there is no matcher"),
        ("summary:", "sumary:", "unknown key 'sumary'"),
    ],
)
def test_a_broken_rule_file_is_status_2(
    old: str, new: str, message: str, tmp_path: Path, promptlint: Callable[..., Run]
) -> None:
    assert old in HOUSE
    (tmp_path / "ticket.yaml").write_text(HOUSE.replace(old, new))
    run = promptlint("rules", "test", str(tmp_path))
    assert run.status == 2
    assert message in run.err
    assert "ticket.yaml" in run.err


def test_a_hostile_pattern_is_stopped(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    hostile = HOUSE.replace("TCK-(?:\\w+)*\\d", "(?:x+)+y").replace("Ticket TCK", f"{'x' * 200} TCK")
    (tmp_path / "ticket.yaml").write_text(hostile)
    run = promptlint("rules", "test", str(tmp_path))
    assert run.status == 1  # the pattern finds nothing, and the run ends


def test_a_folder_without_rules(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    run = promptlint("rules", "test", str(tmp_path))
    assert run.status == 2
    assert "no rule file" in run.err


def test_a_configuration_names_rule_files_for_checks_and_traces(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "ticket.yaml").write_text(HOUSE)
    (tmp_path / "promptlint.toml").write_text('rules = ["house"]\nselect = ["HOUSE1"]\nseverity.HOUSE1 = "warning"\n')
    bodies = [
        {"model": "gpt-5.1", "messages": [{"role": "system", "content": f"Ticket TCK-{number}. {'Be kind. ' * 900}"}]}
        for number in (1, 2)
    ]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(body)}\n" for body in bodies))
    run = promptlint("trace", "log.jsonl", "--format", "concise", cwd=tmp_path)
    assert run.status == 0 and "warning HOUSE1" in run.out, run
    (tmp_path / "prompt.md").write_text("<!-- promptlint: ignore-file[HOUSE1] -->\nBe kind.\n")
    run = promptlint("check", ".", cwd=tmp_path)
    assert run.status == 0 and "does not exist" not in run.out, run
    (tmp_path / "promptlint.toml").write_text('select = ["HOUSE1"]\n')
    assert promptlint("check", ".", cwd=tmp_path).status == 2
