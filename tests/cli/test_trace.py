"""`promptlint trace` on the command line: what it ends with, what it refuses, and that nothing leaks."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support import ROOT, Run, sarif_schema, shared

from promptlint import providers
from promptlint.model.traffic import Exchange
from promptlint.readers.logs import read
from promptlint.reporters.formats import FORMATS
from promptlint.trace.options import TraceOptions
from promptlint.trace.usual import completed

EXAMPLE = ROOT / "examples" / "traffic" / "desk.jsonl.gz"
SCHEMA = json.loads((files("promptlint.reporters") / "report.schema.json").read_text("utf-8"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The example's first 12 requests, unpacked."""
    with gzip.open(EXAMPLE, "rt", encoding="utf-8") as stream:
        lines = [next(stream) for _ in range(12)]
    file = tmp_path / "desk.jsonl"
    file.write_text("".join(lines), "utf-8")
    return file


def document(run: Run) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(run.out)
    Draft202012Validator(SCHEMA).validate(loaded)
    return loaded


def test_the_example_log_is_what_its_script_writes() -> None:
    script = runpy.run_path(str(EXAMPLE.with_name("make.py")))
    written = [json.loads(line) for line in gzip.decompress(EXAMPLE.read_bytes()).splitlines()]
    assert written == script["records"]()


def test_the_example_names_its_causes_and_what_repairing_them_brings(promptlint: Callable[..., Run]) -> None:
    run = promptlint("trace", str(EXAMPLE), "--by", "user", "--cache", "unbounded", "--format", "json")
    assert (run.status, run.err) == (1, "")
    report = document(run)
    trace = report["trace"]
    assert (trace["hits"]["requests"], trace["records"], trace["unreadable"], len(trace["sessions"])) == (40, 40, 0, 6)
    assert sum(each["tokens"] for each in trace["waste"]) == trace["hits"]["tokens"] - trace["hits"]["read"]
    ranked = [each for each in trace["waste"] if each["avoidable"]]
    assert [each["code"] for each in ranked] == ["PL101", "PL201", "PL104"]
    assert ranked[0]["rate_alone"] == ranked[0]["rate_cumulative"] > 2 * trace["hits"]["rate"]
    assert ranked[-1]["rate_cumulative"] > 0.95
    assert [each["code"] for each in report["findings"]][:2] == ["PL101", "PL201"]
    assert sum(each["requests"] for each in trace["divergences"]) == 20
    (first, *_) = trace["prefixes"]["children"]
    assert "Ada" in first["parts"] and "Ben" in first["parts"] and first["label"] == "system[0].text"
    assert {each["value"] for each in trace["groups"] if each["by"] == "user"} == {"ada", "ben"}
    assert len(trace["caches"]) == 2


def test_a_log_that_is_named_twice_counts_once(promptlint: Callable[..., Run]) -> None:
    trace = document(promptlint("trace", str(EXAMPLE), str(EXAMPLE), "--format", "json"))["trace"]
    assert trace["hits"]["requests"] == 40


def test_a_long_name_is_shortened_in_tables(promptlint: Callable[..., Run], tmp_path: Path) -> None:
    records = [{"session": "s" * 5_000, "model": "gpt-5.1", "usage": {"prompt_tokens": 2_000}}] * 2
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    text = promptlint("trace", str(tmp_path / "a.jsonl"), "--by", "session").out
    assert "sss…sss" in text and max(map(len, text.splitlines())) < 200


def test_a_field_that_no_request_has_is_said(promptlint: Callable[..., Run]) -> None:
    trace = document(promptlint("trace", str(EXAMPLE), "--by", "tenant", "--format", "json"))["trace"]
    assert "No request of the log names its tenant." in trace["notes"]


def test_a_broken_record_is_named_and_ends_a_strict_run(promptlint: Callable[..., Run], log: Path) -> None:
    lines = log.read_text("utf-8").splitlines(keepends=True)
    log.write_text("".join([*lines[:4], '{"request": {"model": \n', *lines[4:]]), "utf-8")
    run = promptlint("trace", "desk.jsonl", "--format", "json", cwd=log.parent)
    shown = document(run)
    assert [each["what"] for each in shown["skipped"]] == ["desk.jsonl:5"]
    assert (shown["trace"]["unreadable"], shown["trace"]["hits"]["requests"]) == (1, 12)
    text = promptlint("trace", "desk.jsonl", cwd=log.parent)
    assert "skipped desk.jsonl:5: " in text.out
    strict = promptlint("trace", "desk.jsonl", "--strict", cwd=log.parent)
    assert (strict.status, strict.out) == (2, "")
    assert strict.err.startswith("promptlint: desk.jsonl:5") and strict.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl"),
        (("desk.jsonl", "--format-in", "telegram"), "telegram"),
        (("desk.jsonl", "--cache", "memory:many"), "memory"),
        (("desk.jsonl", "--cache", "vllm:" + "9" * 5000), "unknown cache"),
        (("desk.jsonl", "--provider", "acme"), "acme"),
        (("desk.jsonl", "--select", "PL777"), "PL777"),
        (("desk.jsonl", "--min-hit-rate", "70"), "min-hit-rate"),
        (("desk.jsonl", "--min-hit-rate", "nan"), "from 0 to 1"),
        (("",), "the name of a log is empty"),
        (("desk.jsonl", "--chat-template", "nowhere.jinja"), "promptlint: nowhere.jinja: no such file"),
        (("desk.jsonl", "--format", "json=desk.jsonl"), "would be overwritten"),
        (("notes.txt",), "notes.txt"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, promptlint: Callable[..., Run], log: Path
) -> None:
    log.with_name("notes.txt").write_text("Dear diary,\nnothing was logged today.\n", "utf-8")
    run = promptlint("trace", *arguments, cwd=log.parent)
    assert (run.status, run.out) == (2, "")
    assert message in run.err and run.err.startswith("promptlint: ") and run.err.count("\n") == 1


def test_any_size_of_a_cache_is_replayed_in_the_memory_of_the_log(promptlint: Callable[..., Run], log: Path) -> None:
    sizes = ("--cache", f"vllm:{10**18 - 1}", "--cache", f"llama.cpp:{10**18 - 1}", "--cache", "unbounded")
    run = promptlint("trace", log.name, *sizes, "--format", "json", "--fail-on", "never", cwd=log.parent)
    by_name = {each["name"]: each["hits"]["read"] for each in document(run)["trace"]["caches"]}
    assert len({*by_name}) >= 3 and all(by_name.values())


def test_more_tokens_reported_as_cached_than_were_sent_lose_nothing(
    promptlint: Callable[..., Run], tmp_path: Path
) -> None:
    usage = {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 99}}
    lines = [json.dumps({"ts": at, "model": "gpt-4o", "usage": usage}) for at in range(5)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines), "utf-8")
    run = promptlint("trace", "log.jsonl", "--format", "json", cwd=tmp_path)
    assert (run.status, run.err, document(run)["trace"]["waste"]) == (0, "", [])


def test_a_report_goes_into_a_pipe(promptlint: Callable[..., Run], log: Path) -> None:
    """What a shell makes of `--format json=>(jq .)`."""
    reading, writing = os.pipe()
    name = f"/dev/fd/{writing}"
    if not os.path.exists(name):  # noqa: PTH110 (Path.exists would ask the same)
        pytest.skip("no /dev/fd on this system")
    run = promptlint("trace", "desk.jsonl", "--select", "PL101", "--format", f"concise={name}", cwd=log.parent)
    os.close(writing)
    with os.fdopen(reading) as stream:
        assert "12 requests" in stream.read()
    assert run.err == ""


@pytest.mark.parametrize("closed", ["<&-", "</dev/null"])
def test_standard_input_that_is_closed_is_an_error_and_an_empty_one_is_none(closed: str) -> None:
    command = f'"{sys.executable}" -m promptlint trace - {closed}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, timeout=120, check=False)
    expected = (2, b"promptlint: -: standard input is closed\n") if closed == "<&-" else (0, b"")
    assert (done.returncode, done.stderr) == expected


def test_a_run_that_is_interrupted_ends_with_130_and_leaves_no_report(log: Path) -> None:
    """The log is a pipe that nobody closes, so the run waits for its end."""
    os.mkfifo(log.with_name("pipe"))
    command = (sys.executable, "-m", "promptlint", "trace", "pipe", "--format", "json=out.json")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        subprocess.Popen(command, cwd=log.parent, env=environment, stderr=subprocess.PIPE) as running,
        log.with_name("pipe").open("wb") as pipe,  # returns when the other side has opened it
    ):
        pipe.write(log.read_bytes())
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (130, b"")
    assert sorted(path.name for path in log.parent.iterdir()) == ["desk.jsonl", "pipe"]


def test_the_hit_rate_and_the_findings_decide_the_exit_status(promptlint: Callable[..., Run], log: Path) -> None:
    def status(*arguments: str) -> int:
        return promptlint("trace", "desk.jsonl", *arguments, "--format", "json", cwd=log.parent).status

    assert status() == 1
    assert status("--fail-on", "never") == 0
    assert status("--select", "PL804") == 0
    assert status("--fail-on", "never", "--min-hit-rate", "0.99") == 1
    assert status("--fail-on", "never", "--min-hit-rate", "0.01") == 0


def test_a_hit_rate_that_nothing_tells_is_no_pass(promptlint: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"usage": {"prompt_tokens": 9000}, "model": "gpt-5"}\n' * 3, "utf-8")
    assert promptlint("trace", "log.jsonl", cwd=tmp_path).status == 0
    run = promptlint("trace", "log.jsonl", "--min-hit-rate", "0.5", cwd=tmp_path)
    assert (run.status, run.out) == (2, "")
    assert run.err.endswith("so --min-hit-rate has nothing to judge\n")


def test_the_configuration_says_what_the_command_line_leaves_open(promptlint: Callable[..., Run], log: Path) -> None:
    settings = 'ignore = ["PL101"]\nfail-on = "never"\n[trace]\nby = ["user"]\nmin-hit-rate = 0.99\n'
    log.with_name("promptlint.toml").write_text(settings)

    def traced(*arguments: str, status: int) -> dict[str, Any]:
        run = promptlint("trace", log.name, "--format", "json", *arguments, cwd=log.parent)
        assert run.status == status, run
        return document(run)

    shown = traced(status=1)  # by the hit rate
    assert "PL101" not in {each["code"] for each in shown["findings"]}
    assert {each["by"] for each in shown["trace"]["groups"]} == {"user"}
    shown = traced("--min-hit-rate", "0", "--by", "day", status=0)
    assert {each["by"] for each in shown["trace"]["groups"]} == {"day"}
    assert "PL101" in {each["code"] for each in traced("--isolated", status=1)["findings"]}
    log.with_name("promptlint.toml").write_text("[trace]\nmin-hit-rate = 7\n")
    run = promptlint("trace", log.name, cwd=log.parent)
    assert (run.status, run.out) == (2, "")
    assert "promptlint.toml:2:16: 'min-hit-rate' must be a share between 0 and 1" in run.err


@pytest.mark.parametrize(
    ("provider", "model", "asked", "policy"),
    [
        ("vllm", "house", {}, "vllm"),
        ("", "claude-opus-5", {}, "anthropic-opus-5"),
        ("vertex-anthropic", "claude-opus-5", {"model": "claude-opus-5"}, "vertex-anthropic-opus-5"),
        ("anthropic", "claude-opus-5", {"model": "gpt-5-mini"}, "openai-pre-5.5"),  # it does not serve that model
        ("azure-openai", "gpt-5.1", {"model": "our-deployment"}, "azure-openai-pre-5.6"),
    ],
)
def test_the_usual_provider_and_model_are_of_requests_that_tell_less(
    provider: str, model: str, asked: dict[str, str], policy: str
) -> None:
    options = TraceOptions(usual_provider=provider, usual_model=model)
    exchange = Exchange("a", 1, wire="openai-chat", body={"messages": [], **asked})
    (found,) = completed([exchange], options)
    named = asked.get("model") or found.model
    assert providers.find(found.provider or None, "openai-chat", named).id == policy


def test_a_redacted_report_holds_no_name_and_no_text(promptlint: Callable[..., Run], log: Path) -> None:
    secrets = ("ben", "desk-1", "kestrel", "wheelchair")
    for name in FORMATS:
        arguments = ("trace", "desk.jsonl", "--by", "user", "--by", "session", "--format", name)
        shown = promptlint(*arguments, "--redact", cwd=log.parent).out.lower()
        assert shown, name
        assert not [secret for secret in secrets[2:] if secret in shown], name
        rows = [row for row in shown.split("\n") if "desk.jsonl" not in row]
        assert not [row for row in rows if any(secret in row.split() for secret in secrets[:2])], name


def test_a_redacted_report_keeps_its_figures(promptlint: Callable[..., Run]) -> None:
    shown = promptlint("trace", str(EXAMPLE), "--redact").out
    assert "29 % of the prompt tokens of this conversation (7 requests) came from the cache, 85 % could have" in shown
    assert "A clock finer than a day stands in the stable prefix." in shown
    assert "  usage · " in shown and "session 3" in shown


def test_standard_input_and_several_files(
    promptlint: Callable[..., Run], log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = log.read_text("utf-8").splitlines(keepends=True)
    for name, part in (("a.jsonl", lines[::2]), ("b.jsonl", lines[1::2])):
        log.with_name(name).write_text("".join(part), "utf-8")
    whole = document(promptlint("trace", "desk.jsonl", "--format", "json", cwd=log.parent))
    split = document(promptlint("trace", "a.jsonl", "b.jsonl", "--format", "json", cwd=log.parent))
    assert split["trace"]["hits"] == whole["trace"]["hits"]
    with log.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream})())
        piped = document(promptlint("trace", "-", "--format", "json", cwd=log.parent))
    assert piped["trace"]["hits"] == whole["trace"]["hits"]


def test_progress_counts_the_bytes_of_the_file_as_it_is_stored(log: Path) -> None:
    for file in (log, EXAMPLE):
        told: list[int] = []
        assert list(read(str(file), None, lambda bad: pytest.fail(bad.why), told.append))
        assert sum(told) == file.stat().st_size


def test_a_bar_is_for_people_and_for_long_logs_only(
    promptlint: Callable[..., Run], log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    assert promptlint("trace", "desk.jsonl", "--fail-on", "never", cwd=log.parent).status == 0
    assert screen.getvalue() == ""
    monkeypatch.setattr("promptlint.cli.progress.LONG", 1_000)
    monkeypatch.setenv("TERM", "xterm")
    run = promptlint("trace", "desk.jsonl", "--fail-on", "never", cwd=log.parent)
    frames = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    for what in ("reading", "replaying repairs"):
        assert what not in run.out
        *_, (read_so_far, whole) = re.findall(rf"{what} [^\r\n]*? ([0-9.]+)/([0-9.]+) kB", frames)
        assert read_so_far == whole


def test_other_formats_carry_the_findings_with_their_places_in_the_log(promptlint: Callable[..., Run]) -> None:
    shown = {name: promptlint("trace", str(EXAMPLE), "--format", name).out for name in FORMATS}
    for name, text in shown.items():
        assert "PL101" in text and "desk.jsonl.gz" in text, name
    Draft202012Validator(sarif_schema()).validate(json.loads(shown["sarif"]))
    assert json.loads(shown["gitlab"])[0]["location"]["lines"]["begin"] > 1


@pytest.mark.parametrize(("case", "rate"), [("claude-code/session.jsonl", 0.942), ("codex/session.jsonl", 0.830)])
def test_of_a_transcript_without_parts_of_its_prompts_only_the_report_counts(
    case: str, rate: float, promptlint: Callable[..., Run]
) -> None:
    trace = document(promptlint("trace", str(shared(f"traces/{case}")), "--format", "json"))["trace"]
    assert any("transcripts" in note for note in trace["notes"])
    assert round(trace["hits"]["reported_rate"], 3) == rate
    assert trace["hits"]["tokens"] == 0, "what was simulated on a part of a prompt is no hit rate"
    assert trace["hits"]["cost"] > 0
    assert not [each for each in trace["waste"] if each["code"] == "PL502"]


def test_a_stream_without_unicode_gets_ascii(log: Path) -> None:
    command = (sys.executable, "-m", "promptlint", "trace", "desk.jsonl", "--fail-on", "never")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "iso-8859-1"}
    done = subprocess.run(command, cwd=log.parent, env=environment, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii() and b"\\u25" not in done.stdout
    assert b"  100 % |" in done.stdout and b"####" in done.stdout


def test_a_log_in_which_nothing_is_wrong_loads_no_rules(tmp_path: Path) -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(body) + "\n", "utf-8")
    code = (
        "import sys; from promptlint.cli import main\n"
        "assert main() == 0\n"
        "print(*(name for name in sys.modules if name.startswith(('promptlint.matchers', 'promptlint.pipeline'))))"
    )
    command = [sys.executable, "-c", code, "trace", str(file), "--format", f"json={tmp_path / 'report.json'}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == ""
