"""Commands, exit statuses and where output goes."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support import Run

from promptlint import __version__
from promptlint.cli import main, output, provider_pages
from promptlint.model.errors import InputError
from promptlint.model.finding import Finding, Place, Scope, Severity
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Skip
from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import checking
from promptlint.pipeline.checking import Checked, Placed
from promptlint.pipeline.jobs import Plan

SCHEMA = json.loads((files("promptlint.reporters") / "report.schema.json").read_text("utf-8"))
PLACE = Place("a.md", "", 1, 1, 1, 2)


@dataclasses.dataclass
class Fake:
    """Stands for the pipeline: keeps what it was given and answers with `findings`, or raises `error`."""

    severities: tuple[Severity, ...] = ()
    error: BaseException | None = None
    options: Any = None
    sources: Sequence[Source] = ()
    plan: Plan = dataclasses.field(default_factory=lambda: Plan(()))

    def report(self, command: str) -> Report:
        if self.error:
            raise self.error
        findings = tuple(
            Finding("PL101", "timestamp-in-prefix", severity, "high", Scope.UNKNOWN, "a clock", PLACE)
            for severity in self.severities
        )
        return Report(command, findings=findings, skipped=(Skip("x", "y"),), files_checked=2)

    def diff(self, sources: Sequence[Source], options: object) -> Report:
        self.sources, self.options = sources, options
        return self.report("diff")

    def run(self, plan: Plan) -> Checked:
        self.plan = plan
        report = self.report("check")
        placed = tuple(Placed(finding, plan.jobs[0], "a.md", "b.json") for finding in report.findings)
        return Checked((), placed, placed, (*plan.skipped, *report.skipped))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    from promptlint import pipeline

    made = Fake()
    module = types.SimpleNamespace(Options=pipeline.Options, diff=made.diff)
    monkeypatch.setattr("promptlint.pipeline", module)
    monkeypatch.setattr(checking, "run", made.run)
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("one")
    Path("b.md").write_text("two")
    return made


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["promptlint", *arguments])
        status = main()
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("severities", "fail_on", "status"),
    [
        ((), None, 0),
        ((Severity.WARNING,), None, 0),
        ((Severity.WARNING, Severity.ERROR), None, 1),
        ((Severity.WARNING,), "warning", 1),
        ((Severity.INFO,), "warning", 0),
        ((Severity.INFO,), "info", 1),
        ((Severity.ERROR,), "never", 0),
    ],
)
def test_exit_status(
    fake: Fake, call: Call, severities: tuple[Severity, ...], fail_on: str | None, status: int
) -> None:
    fake.severities = severities
    options = ["--fail-on", fail_on] if fail_on else []
    assert call("diff", "a.md", "b.md", *options)[0] == status
    assert call("check", "a.md", *options)[0] == status


def test_options_reach_the_pipeline(fake: Fake, call: Call) -> None:
    call(
        *("diff", "a.md", "b.md", "--provider", "vllm", "--model", "m", "--tokenizer", "t", "--chat-template", "c"),
        *("--model-config", "k", "--requests-per-day", "1e4", "--warm-entries", "3", "--tokens-per-second", "2.5"),
        *("--gateway", "--select", "PL1,PL203", "--select", "PL4", "--ignore", "x, y"),
    )
    said = {name: value for name, value in dataclasses.asdict(fake.options).items() if value}
    assert said == {
        "provider": "vllm",
        "model": "m",
        "tokenizer": "t",
        "chat_template": "c",
        "model_config": "k",
        "requests_per_day": 10_000.0,
        "warm_entries": 3,
        "tokens_per_second": 2.5,
        "gateway": True,
        "select": ("PL1", "PL203", "PL4"),
        "ignore": ("x", "y"),
    }
    assert [source.text for source in fake.sources] == ["one", "two"]


def test_check_walks_folders_and_reports_what_it_left_out(fake: Fake, call: Call) -> None:
    Path("bad.txt").write_bytes(b"\xff")
    status, out, _ = call("check", ".", "--format", "json")
    assert status == 0
    sources = [source for job in fake.plan.jobs for source in job.after]
    assert [(source.name, source.walked) for source in sources] == [("a.md", True), ("b.md", True)]
    report = json.loads(out)
    Draft202012Validator(SCHEMA).validate(report)
    assert [skip["what"] for skip in report["skipped"]] == ["bad.txt", "x"]


def test_several_formats_in_one_run(fake: Fake, call: Call) -> None:
    fake.severities = (Severity.ERROR,)
    Path("old.json").write_text("old")
    Path("old.json").chmod(0o640)
    status, out, err = call("diff", "a.md", "b.md", "--format", "json=old.json", "--format", "text")
    assert (status, err) == (1, "")
    assert "a.md:1:1: error PL101 timestamp-in-prefix\n" in out
    assert json.loads(Path("old.json").read_text())["summary"]["findings"] == {"error": 1, "warning": 0, "info": 0}
    assert Path("old.json").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["a.md", "b.md", "old.json"]
    status, out, err = call("diff", "a.md", "b.md", "--format", "json=new.json", "--format", "text=-")
    assert "error PL101" in out


def test_a_file_alone_leaves_standard_output_empty(fake: Fake, call: Call) -> None:
    assert call("diff", "a.md", "b.md", "--format", "text=report.txt") == (0, "", "")
    assert "no findings" in Path("report.txt").read_text("utf-8")


def test_links_and_devices_are_written_through(fake: Fake, call: Call) -> None:
    Path("real.json").write_text("old")
    Path("link.json").symlink_to("real.json")
    assert call("diff", "a.md", "b.md", "--format", "json=link.json", "--format", "text=/dev/null")[0] == 0
    assert Path("link.json").is_symlink()
    assert json.loads(Path("real.json").read_text())["version"] == 1
    assert not Path("/dev/null").is_file()


def test_no_file_is_left_when_one_cannot_be_written(fake: Fake, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output, "_mode", refuse)
    status, out, err = call("diff", "a.md", "b.md", "--format", "json=r.json", "--format", "text")
    assert (status, out) == (2, "")
    assert err == "promptlint: r.json: --format: cannot be written: No space left on device\n"
    assert sorted(path.name for path in Path().iterdir()) == ["a.md", "b.md"]


@pytest.mark.parametrize("error", [ValueError("oh\nno"), RecursionError(), MemoryError()])
def test_a_crash_is_never_a_verdict(
    fake: Fake, call: Call, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    fake.error = error
    status, out, err = call("diff", "a.md", "b.md", "--format", "json=r.json")
    assert (status, out) == (2, "")
    assert err.startswith(f"promptlint: internal error: {type(error).__name__}")
    assert "please report" in err
    assert err.count("\n") == 1
    assert not Path("r.json").exists()
    monkeypatch.setenv("PROMPTLINT_DEBUG", "1")
    assert "Traceback" in call("diff", "a.md", "b.md")[2]


def test_a_panic_and_an_interrupt(fake: Fake, call: Call) -> None:
    class Panic(BaseException):
        pass

    fake.error = Panic("rust")
    assert call("diff", "a.md", "b.md")[0] == 2
    fake.error = KeyboardInterrupt()
    assert call("diff", "a.md", "b.md") == (130, "", "")
    fake.error = InputError("is wrong", name="a.md", line=1, column=2)
    assert call("diff", "a.md", "b.md") == (2, "", "promptlint: a.md:1:2: is wrong\n")


def test_version_and_help(call: Call) -> None:
    assert call("--version") == (0, f"promptlint {__version__}\n", "")
    for arguments in (("-h",), ("diff", "-h"), ("check", "--help"), ("rules", "-h"), ("providers", "show", "-h")):
        status, out, err = call(*arguments)
        assert (status, err) == (0, "")
        assert out.startswith("Usage: promptlint ")
        for repeated in ("PATHS...", "AFTER...", "[ARGS]..."):
            out = out.replace(repeated, "")
        assert "…" not in out
        assert "..." not in out
    status, out, err = call()
    assert (status, out) == (2, "")
    assert "Commands:" in err


def test_rules(call: Call) -> None:
    status, out, _ = call("rules", "list")
    assert status == 0
    assert "PL101  timestamp-in-prefix" in out
    status, out, _ = call("rules", "list", "--format", "json")
    assert {"code", "name", "severity", "confidence", "summary"} == set(json.loads(out)[0])
    status, shown, _ = call("rules", "show", "timestamp-in-prefix")
    assert shown.startswith("PL101 timestamp-in-prefix\n")
    assert shown == call("rules", "show", "pl101")[1]
    assert "[|" in shown and "References" in shown
    page = json.loads(call("rules", "show", "PL101", "--format", "json")[1])
    assert page["code"] == "PL101"
    assert page["bad"] and page["good"] and page["fix"]


def test_providers_carry_source_and_date(call: Call) -> None:
    status, out, _ = call("providers", "list")
    assert status == 0
    assert "anthropic\n" in out
    listed = json.loads(call("providers", "list", "--format", "json")[1])
    assert {entry["family"] for entry in listed} >= {"anthropic", "openai", "vllm", "generic"}
    for family in {entry["family"] for entry in listed}:
        entries = json.loads(call("providers", "show", family, "--format", "json")[1])
        assert all(entry["fact"]["sources"] and entry["fact"]["checked"] for entry in entries), family
        status, out, _ = call("providers", "show", family)
        assert status == 0
        assert out.count("\n  checked") == len(entries)
        assert out.count("\n  source") >= len(entries)
    (entry,) = json.loads(call("providers", "show", "anthropic-1024", "--format", "json")[1])
    assert entry["min_tokens"] == 1024
    assert re.search(r"minimum, in tokens +1,024\n", call("providers", "show", "anthropic-1024")[1])


def test_every_field_of_a_policy_has_its_name_on_the_page() -> None:
    fields = {field.name for field in dataclasses.fields(CachePolicy)}
    assert fields - set(provider_pages.LABELS) == {
        *("id", "family", "fact", "notes"),  # stand elsewhere on the page
        *("min_tokens_status", "block_status"),  # are among the notes
    }


def test_colour_and_width_follow_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "72")
    assert output.terminal() == output.Terminal(None, colour=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert output.terminal() == output.Terminal(None, colour=True)
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert output.terminal() == output.Terminal(72, colour=True)
    monkeypatch.setenv("TERM", "dumb")
    assert output.terminal() == output.Terminal(72, colour=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert output.terminal() == output.Terminal(72, colour=False)


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "promptlint", *arguments], check=False, timeout=60, **options)


def test_a_reader_that_has_gone_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = process("rules", "list", stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        done = process("rules", "list", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"promptlint: standard output cannot be written")
    assert done.stderr.count(b"\n") == 1


def test_output_that_the_encoding_lacks(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one", "utf-8")
    (tmp_path / "b.md").write_text("two", "utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = process("diff", "a.md", "b.md", cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    assert b"a.md -> b.md" in done.stdout


def test_starting_loads_nothing_heavy() -> None:
    code = "import sys; from promptlint.cli import main; sys.argv[1:] = ['--version']; main(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split("\n")[1].split())
    assert not loaded & {"rich", "pydantic", "tiktoken", "tokenizers", "jinja2", "yaml", "promptlint.pipeline"}


def test_a_pair_loads_only_what_a_pair_needs(tmp_path: Path) -> None:
    body = {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
    for name, clock in (("a.json", "09:14:07"), ("b.json", "09:15:52")):
        (tmp_path / name).write_text(json.dumps({**body, "system": f"It is {clock}."}), "utf-8")
    code = "import sys; from promptlint.cli import main; print(main(), *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "diff", "a.json", "b.json"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    status, *loaded = done.stdout.splitlines()[-1].split()
    assert status == "1"
    assert "promptlint.matchers.volatile_value" in loaded
    others = ("cli.check", "cli.trace", "config", "readers.code", "readers.logs", "readers.template", "suppressions")
    rules = ("value_flow", "varying_region", "chat_template", "hit_rate")
    unused = {*(f"promptlint.{name}" for name in others), *(f"promptlint.matchers.{name}" for name in rules)}
    assert not unused & set(loaded)


def test_a_shell_completes_names_of_commands_with_status_0(
    promptlint: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_PROMPTLINT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "promptlint pro")
    monkeypatch.setenv("COMP_CWORD", "1")
    run = promptlint()
    assert (run.status, run.out.split(), run.err) == (0, ["providers"], "")


def test_an_interrupt_that_click_does_not_see_is_one(
    promptlint: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("promptlint.cli.app.app", interrupted)
    assert promptlint("rules", "list") == Run(130, "", "")


def test_a_broken_installation_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise ImportError('no click here')", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "promptlint", "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "promptlint: cannot be loaded: no click here; install it again\n"
