"""Formats, places and terminals as a user meets them: many reports of one run, a job summary, rich where it is seen."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from support import ROOT, Run

from promptlint.reporters.formats import FORMATS

CLOCK = ROOT / "examples" / "clock"
PAIR = (str(CLOCK / "before.json"), str(CLOCK / "after.json"))
Promptlint = Callable[..., Run]


def test_all_formats_of_one_run(promptlint: Promptlint, tmp_path: Path) -> None:
    wanted = [part for name in FORMATS for part in ("--format", f"{name}={tmp_path / name}")]
    run = promptlint("diff", *PAIR, *wanted, "--format", "concise")
    assert (run.status, run.err) == (1, "")
    assert {path.name for path in tmp_path.iterdir()} == set(FORMATS)
    files = {name: (tmp_path / name).read_text("utf-8") for name in FORMATS}
    assert run.out == files["concise"]
    codes = [finding["code"] for finding in json.loads(files["json"])["findings"]]
    assert codes
    assert [result["ruleId"] for result in json.loads(files["sarif"])["runs"][0]["results"]] == codes
    assert [issue["check_name"] for issue in json.loads(files["gitlab"])] == codes
    assert [failure.get("type") for failure in Xml.fromstring(files["junit"]).iter("failure")] == codes
    assert len(re.findall(r"(?m)^::error ", files["github"])) == len(codes)
    assert all(code in files["github-summary"] and code in files["html"] for code in codes)
    assert all("\x1b" not in text for text in files.values())


def test_paths_begin_at_the_top_of_the_repository(promptlint: Promptlint, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "services" / "chat"
    folder.mkdir(parents=True)
    for name in ("before.json", "after.json"):
        (folder / name).write_bytes((CLOCK / name).read_bytes())
    run = promptlint("diff", "before.json", "after.json", "--format", "sarif", cwd=folder)
    (location, *_) = json.loads(run.out)["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "services/chat/after.json"
    assert "file=services/chat/after.json," in promptlint("diff", *PAIR_NAMES, "--format", "github", cwd=folder).out
    assert "\nafter.json:217:23: error" in promptlint("diff", *PAIR_NAMES, cwd=folder).out


PAIR_NAMES = ("before.json", "after.json")


def test_the_job_summary_is_appended(promptlint: Promptlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    for _ in range(2):
        assert "::error file=" in promptlint("diff", *PAIR, "--format", "github").out
    text = summary.read_text("utf-8")
    assert text.startswith("# Before\n## promptlint: 2 errors")
    assert text.count("## promptlint") == 2
    promptlint("diff", *PAIR, "--format", "text")
    assert summary.read_text("utf-8") == text


def test_an_unknown_format_is_told(promptlint: Promptlint) -> None:
    run = promptlint("diff", *PAIR, "--format", "xml")
    assert run.status == 2
    assert run.err == f"promptlint: --format xml: unknown format; there are {', '.join(FORMATS)}\n"
    assert promptlint("rules", "list", "--format", "sarif").status == 2


def test_redact_reaches_every_format(promptlint: Promptlint, tmp_path: Path) -> None:
    wanted = [part for name in FORMATS for part in ("--format", f"{name}={tmp_path / name}")]
    assert promptlint("diff", *PAIR, *wanted, "--redact").status == 1
    for name in FORMATS:
        text = (tmp_path / name).read_text("utf-8")
        assert "21:14:52" not in text and "21&#58;14" not in text, name
        assert "colleague" not in text and "open_ticket" not in text, name
        assert "0000-00-00" in text or name not in ("text", "concise", "json", "gitlab"), name


def test_a_pipe_does_without_rich() -> None:
    code = (
        "import sys; from promptlint.cli import main; sys.argv[1:] = ['diff', *sys.argv[1:]]; main();"
        "print('rich' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *PAIR]
    for variables, used in (({}, "False"), ({"FORCE_COLOR": "1"}, "True")):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | variables
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)
        assert done.stderr.strip() == used
        assert ("\x1b[" in done.stdout) == bool(variables)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
        assert "fix: Build schemas with ordered maps, or serialise them once and keep the bytes.\n" in plain


def in_terminal(width: int, *arguments: str, **variables: str) -> str:
    """What the command writes to a terminal of that width."""
    import pty

    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": str(width), **variables}
    main_end, other_end = pty.openpty()
    command = [sys.executable, "-m", "promptlint", *arguments]
    with subprocess.Popen(command, env=environment, stdout=other_end, stderr=subprocess.DEVNULL) as process:
        os.close(other_end)
        shown = b""
        while chunk := _read(main_end):
            shown += chunk
    os.close(main_end)
    assert process.returncode in (0, 1)
    return shown.decode("utf-8").replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux reports the closed other end so
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "arguments", [("diff", *PAIR), ("rules", "list"), ("rules", "show", "PL101"), ("providers", "show", "anthropic")]
)
@pytest.mark.parametrize("width", [80, 120])
def test_terminals(width: int, arguments: tuple[str, ...]) -> None:
    shown = in_terminal(width, *arguments)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b[1m" in shown or "\x1b[2m" in shown
    assert set(re.findall(r"\x1b\[[^m]*m", shown)) <= {f"\x1b[{code}m" for code in CODES}
    assert in_terminal(width, *arguments, NO_COLOR="1") == plain
    if arguments[0] == "diff":
        rows = [row for row in plain.split("\n") if str(CLOCK) not in row]
        assert max(map(len, rows)) <= min(width, 100)
        assert "  fix: Build schemas" in plain


CODES = ("0", "1", "2", "31", "32", "33", "36", "1;31", "1;32", "1;33", "1;36")
