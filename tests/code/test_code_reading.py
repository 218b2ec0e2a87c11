"""Reading source code: the way of a value over files, notebooks, what is skipped and why, and a house's own names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Run

from promptlint.model.finding import Finding
from promptlint.model.flow import Additions
from promptlint.model.source import Source
from promptlint.pipeline import Options, check

CLOCK = 'from datetime import datetime\ndef system_prompt():\n    return f"It is {datetime.now()}. Be brief."\n'


def found(name: str, text: str, additions: Additions | None = None) -> list[Finding]:
    return list(check([(None, Source(name, text))], Options(code=additions or Additions())).findings)


def skipped(name: str, text: str) -> list[str]:
    return [skip.why for skip in check([(None, Source(name, text))], Options()).skipped]


def test_the_way_from_the_source_to_the_sink_and_the_tokens_behind_it() -> None:
    text = (
        "from datetime import datetime\n"
        "def header():\n"
        "    now = datetime.now()\n"
        '    return "time: " + now.isoformat()\n'
        "def system_prompt():\n"
        '    return header() + "\\nAnswer in one short sentence."\n'
    )
    (finding,) = found("prompt.py", text)
    assert finding.code == "PL101"
    assert finding.marked == "now.isoformat()"
    assert (finding.location.line, finding.location.column) == (4, 23)
    assert [(related.message, related.location.line) for related in finding.related] == [
        ("the clock is read here", 3),
        ("assigned to now", 3),
        ("through header()", 6),
        ("lands in what system_prompt() returns", 5),
    ]
    assert finding.tokens_lost is not None and 5 <= finding.tokens_lost <= 10
    assert "fixed tokens stand behind it" in finding.message


@pytest.mark.parametrize(
    ("files", "asked", "place"),
    [
        (
            {
                "app/clock.py": "import time\ndef stamp():\n    return time.ctime()\n",
                "app/prompt.py": "from .clock import stamp\ndef system_prompt():\n    return 'Now ' + stamp()\n",
            },
            "app/prompt.py",
            ("app/clock.py", 3),
        ),
        (
            {
                "a.ts": "export const stamp = () => new Date().toISOString();\n",
                "b.ts": 'import { stamp } from "./a";\nexport const systemPrompt = () => `Now ${stamp()}`;\n',
            },
            "b.ts",
            ("a.ts", 1),
        ),
        (
            {
                "a.go": "package p\nfunc stamp() string { return time.Now().String() }\n",
                "b.go": 'package p\nfunc SystemPrompt() string { return "Now " + stamp() }\n',
            },
            "b.go",
            ("a.go", 2),
        ),
        (
            {
                "clock.rs": "pub fn stamp() -> String { Utc::now().to_rfc3339() }\n",
                "prompt.rs": 'use crate::clock::stamp;\nfn system_prompt() -> String { format!("Now {}", stamp()) }\n',
            },
            "prompt.rs",
            ("clock.rs", 1),
        ),
    ],
    ids=["python", "typescript", "go", "rust"],
)
def test_functions_of_other_files_are_followed(
    files: dict[str, str],
    asked: str,
    place: tuple[str, int],
    tmp_path: Path,
    promptlint: Callable[..., Run],
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    run = promptlint("check", "--format", "json", asked, cwd=tmp_path)
    assert run.status == 1, run.err
    (finding,) = json.loads(run.out)["findings"]
    assert finding["code"] == "PL101"
    assert (finding["location"]["file"], finding["location"]["line"]) == place


def test_a_notebook_is_read_at_the_places_of_its_cells() -> None:
    lines = ["from datetime import datetime\n", "%pip install openai\n", 'system_prompt = f"{x}"\n']
    call = 'client.responses.create(model="m", instructions=f"It is {datetime.now()}", input="é")'
    cells = [
        {"cell_type": "markdown", "source": ["system_prompt"]},
        {"cell_type": "code", "source": [*lines, call]},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    (finding,) = found("talk.ipynb", text)
    assert finding.code == "PL101"
    assert "datetime.now()" in text.splitlines()[finding.location.line - 1]


def test_a_broken_notebook_is_a_skip() -> None:
    assert len(skipped("talk.ipynb", '{"cells": [prompt')) == 1


def test_a_comment_declares_a_constant_to_be_a_prompt() -> None:
    text = 'import os\ndef make():\n    {}\n    HEAD = f"You work in {{os.getcwd()}}. Be brief."\n    return HEAD\n'
    assert [finding.code for finding in found("a.py", text.format("# promptlint: prompt"))] == ["PL105"]
    assert found("a.py", text.format("# a prompt")) == []


def test_a_house_adds_its_own_names() -> None:
    text = "def build(q):\n    return send(persona='x ' + house_clock(), prompt=wrap(names_of_plugins()))\n"
    additions = Additions(sources=(("clock", "house_clock"),), sinks=(("system", "build"),))
    assert found("a.py", text) == []
    text = "def build(q):\n    return 'It is ' + house_clock() + ', be brief'\n# prompt\n"
    assert found("a.py", text) == []
    assert [finding.code for finding in found("a.py", text, additions)] == ["PL101"]


@pytest.mark.parametrize(
    "name", ["tests/test_prompt.py", "prompt_test.go", "src/prompt.test.ts", "a/__tests__/prompt.ts", "conftest.py"]
)
def test_tests_are_silent(name: str) -> None:
    assert found(name, CLOCK) == []


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("A.java", "class A {}", "not read"),
        ("big.py", "# prompt\n" + "x = 1\n" * 400_000, "files above"),
        ("min.js", "const system_prompt='" + "a" * 30_000 + "'", "minified"),
        ("broken.py", CLOCK + "def (((\n", "syntax errors"),
    ],
    ids=["language", "size", "minified", "syntax"],
)
def test_what_is_not_read_says_why(name: str, text: str, why: str) -> None:
    assert [why in reason for reason in skipped(name, text)] == [True]


def test_what_stands_around_a_syntax_error_is_read() -> None:
    assert [finding.code for finding in found("broken.py", CLOCK + "def (((\n")] == ["PL101"]


@pytest.mark.parametrize(
    "text",
    [
        "prompt = " + "(" * 5000 + "1" + ")" * 5000,
        "system_prompt = " + " + ".join(["'a'"] * 5000),
        "system_prompt = " + "[" * 3000 + "]" * 3000,
        "def system_prompt():\n" + "".join(f"{'  ' * i} if x:\n" for i in range(90)) + "  " * 92 + "pass\n",
        "def system_prompt(x):\n    return system_prompt(system_prompt(x))\n",
        "system_prompt = 1\n" + "def f(x):\n    return [f(y) for y in x]\n" * 2000,
    ],
    ids=["brackets", "sum", "lists", "ifs", "recursion", "many"],
)
def test_deep_nesting_ends(text: str) -> None:
    assert found("deep.py", text) == []


def test_bases_that_lead_in_a_circle_end() -> None:
    text = "class A(B):\n    pass\nclass B(A):\n    def system_prompt(self):\n        return self.head_text()\n"
    assert found("circle.py", text) == []


def test_a_folder_is_read_with_its_source_files(tmp_path: Path, promptlint: Callable[..., Run]) -> None:
    (tmp_path / "prompt.py").write_text(CLOCK, "utf-8")
    (tmp_path / "notes.txt").write_text("You are brief.\n", "utf-8")
    run = promptlint("check", "--format", "json", ".", cwd=tmp_path)
    assert run.status == 1, run.err
    report = json.loads(run.out)
    assert [(finding["code"], finding["location"]["file"]) for finding in report["findings"]] == [
        ("PL101", "prompt.py")
    ]
