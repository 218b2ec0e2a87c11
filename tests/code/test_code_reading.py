"""Reading source code: the way of a value over files, notebooks, what is skipped and why, and a house's own names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Run

from promptlint.cli.known import KNOWN
from promptlint.config import Finder
from promptlint.model.finding import Finding
from promptlint.model.flow import Additions
from promptlint.model.source import Source
from promptlint.pipeline import Options, check
from promptlint.pipeline.plan import plan
from promptlint.readers.code import Files, Reader, parts
from promptlint.sources.files import beside, lies_in, text_of, top_of

CLOCK = 'from datetime import datetime\ndef system_prompt():\n    return f"It is {datetime.now()}. Be brief."\n'


def found(name: str, text: str) -> list[Finding]:
    return list(check([(None, Source(name, text))], Options()).findings)


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


CLOCKED = "from datetime import datetime\nimport os\nfrom pathlib import Path\n"
ROLE = "    return f'It is {datetime.now()}. {role}'\n"


@pytest.mark.parametrize(
    ("name", "text", "counted"),
    [
        ("a.py", f"{CLOCKED}role = Path('prompts/desk.md').read_text('utf-8')\ndef system_prompt():\n{ROLE}", True),
        ("a.py", f"{CLOCKED}HERE = Path(__file__).resolve().parent\ndef system_prompt():\n"
         f"    role = (HERE / 'prompts' / 'desk.md').read_text().strip()\n{ROLE}", True),
        ("app/a.py", f"{CLOCKED}def system_prompt():\n    with open('prompts/desk.md') as file:\n"
         f"        role = file.read()\n{ROLE}", True),
        ("app/a.py", f"{CLOCKED}TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"
         f"def system_prompt():\n    role = open(os.path.join(TOP, 'prompts', 'desk.md')).read()\n{ROLE}", True),
        ("a.ts", "const role = fs.readFileSync(path.join(__dirname, 'prompts/desk.md'), 'utf8');\n"
         "export const systemPrompt = () => `It is ${new Date().toISOString()}. ${role}`;\n", True),
        ("a.ts", "const role = readFileSync(new URL('./prompts/desk.md', import.meta.url), 'utf8');\n"
         "export const systemPrompt = () => `It is ${new Date().toISOString()}. ${role}`;\n", True),
        ("a.py", f"{CLOCKED}def system_prompt(name):\n    role = open(f'prompts/{{name}}.md').read()\n{ROLE}", False),
        ("a.py", f"{CLOCKED}role = open('prompts/gone.md').read()\ndef system_prompt():\n{ROLE}", False),
        ("a.py", f"{CLOCKED}role = open('../outside.md').read()\ndef system_prompt():\n{ROLE}", False),
        ("a.py", f"{CLOCKED}role = open('link.md').read()\ndef system_prompt():\n{ROLE}", False),
    ],
)  # fmt: skip
def test_the_text_of_a_prompt_file_that_is_read_stands_behind_a_cause(
    name: str, text: str, counted: bool, tmp_path: Path, promptlint: Callable[..., Run]
) -> None:
    """A path that is written out, in the repository alone."""
    top = tmp_path / "repo"
    for folder in (".git", "prompts", "app"):
        (top / folder).mkdir(parents=True)
    for file in (top / "prompts" / "desk.md", tmp_path / "outside.md"):
        file.write_text("Answer in plain words. " * 100, "utf-8")
    (top / "link.md").symlink_to(tmp_path / "outside.md")
    (top / name).write_text(text, "utf-8")
    run = promptlint("check", "--format", "json", name, cwd=top)
    (finding,) = json.loads(run.out)["findings"]
    assert finding["code"] == "PL101"
    assert (finding["tokens_lost"] >= 500) is counted, finding["message"]


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
    assert len(skipped("talk.ipynb", '{"cells": [system_prompt')) == 1


def test_a_comment_declares_a_constant_to_be_a_prompt() -> None:
    text = 'import os\ndef make():\n    {}\n    HEAD = f"You work in {{os.getcwd()}}. Be brief."\n    return HEAD\n'
    assert [finding.code for finding in found("a.py", text.format("# promptlint: prompt"))] == ["PL105"]
    assert found("a.py", text.format("# a prompt")) == []


HOUSE = {
    "clock": "def build(q):\n    return 'It is ' + watch.read() + ', be brief'\n",
    "request": "import time\ndesk.ask(instructions=f'It is {time.time()}. Be brief.', input=q)\n",
    "argument": "import time\ndef go():\n    desk.send(persona=f'It is {time.time()}. Be brief.')\n",
    "listing": "def plugins():\n    return load()\nsystem_prompt = ', '.join(plugins())\n",
    "order": "def tidy(x):\n    return [*x]\ndef system_prompt(names: set[str]):\n    return ', '.join(tidy(names))\n",
    "user": "def tidy(x):\n    return x\ndef system_prompt(user_name):\n    return 'Help ' + tidy(user_name) + '.'\n",
    "helper": "import uuid\ndef short(x):\n    return tidy(x)\n"
    "def system_prompt():\n    return 'Run ' + str(short(uuid.uuid4())) + ': be brief.'\n",
}


@pytest.mark.parametrize(
    ("text", "additions", "codes"),
    [
        ("clock", "sources.clock = ['watch.read']\nsinks.system = ['build']", ["PL101"]),
        ("clock", "sources.clock = ['clock.read']\nsinks.system = ['build']", []),
        ("request", "", []),
        ("request", "sinks.request = ['desk.ask']", ["PL101"]),
        ("argument", "sinks.system = ['persona']", ["PL101"]),
        ("listing", "sources.order = ['plugins']", ["PL203"]),
        ("order", "", ["PL203"]),
        ("order", "sanitizers.order = ['tidy']", []),
        ("user", "", ["PL104"]),
        ("user", "sanitizers.identity = ['tidy']", []),
        ("user", "sanitizers.clock = ['tidy']", ["PL104"]),
        ("helper", "sanitizers.random = ['tidy']", []),
    ],
)
def test_a_house_adds_its_own_names(
    text: str, additions: str, codes: list[str], tmp_path: Path, promptlint: Callable[..., Run]
) -> None:
    (tmp_path / "desk.py").write_text(HOUSE[text], "utf-8")
    (tmp_path / "promptlint.toml").write_text(f"[code]\n{additions}\n", "utf-8")
    run = promptlint("check", "--format", "json", "desk.py", cwd=tmp_path)
    assert [finding["code"] for finding in json.loads(run.out)["findings"]] == codes


@pytest.mark.parametrize(
    "name", ["tests/test_prompt.py", "prompt_test.go", "src/prompt.test.ts", "a/__tests__/prompt.ts", "conftest.py"]
)
def test_tests_are_silent(name: str) -> None:
    assert found(name, CLOCK) == []


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("A.java", "class A {}", "not read"),
        ("a.kt", "val system_prompt = 1", "(.kt) is not read"),
        ("a.cs", "", "(.cs) is not read"),
        ("a.rb", "", "(.rb) is not read"),
        ("a.php", "", "(.php) is not read"),
        ("min.ts", "export const systemPrompt=1;" * 200_000, "files above"),
        ("big.py", "# system_prompt\n" + "x = 1\n" * 400_000, "files above"),
        ("min.js", "const system_prompt='" + "a" * 30_000 + "'", "minified"),
        ("broken.py", CLOCK + "def (((\n", "syntax errors"),
    ],
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
        "system_prompt = " + "[" * 10_000 + "]" * 10_000,
        "def system_prompt():\n" + "".join(f"{'  ' * i} if x:\n" for i in range(90)) + "  " * 92 + "pass\n",
        "def system_prompt(x):\n    return system_prompt(system_prompt(x))\n",
        "system_prompt = 1\n" + "def f(x):\n    return [f(y) for y in x]\n" * 2000,
    ],
    ids=["brackets", "sum", "lists", "ifs", "recursion", "many"],
)
def test_deep_nesting_ends(text: str) -> None:
    assert found("deep.py", text) == []


def test_a_hundred_thousand_lines_are_read_to_the_end() -> None:
    assert [finding.location.line for finding in found("long.py", "x = 1\n" * 100_000 + CLOCK)] == [100_003]


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


@pytest.mark.parametrize("additions", [Additions(), Additions(sinks=(("system", "persona"),))])
def test_many_files_are_read_by_several_processes_with_the_same_result(
    additions: Additions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared.py"
    shared.write_text("import time\ndef stamp():\n    return time.ctime()\n", "utf-8")
    text = "from shared import stamp\ndef system_prompt():\n    return 'Now ' + stamp() + f'{n}. Be brief.'\n"
    sources = [Source(str(tmp_path / f"p{number}.py"), text) for number in range(30)]
    sources.append(Source(str(tmp_path / "q.py"), CLOCK.replace("system_prompt", "persona") + "# system_prompt\n"))
    files = Files(exists=os.path.isfile, text=text_of, listing=beside, top=top_of, inside=lies_in)
    monkeypatch.setattr(parts, "_PART", 500)
    alone = Reader(files, additions).read(sources)
    monkeypatch.setattr(parts, "_LEAST", 1)
    monkeypatch.setattr(parts, "_processors", lambda: 3)
    monkeypatch.setattr(parts, "_part", None)  # nothing is read in this process
    assert Reader(files, additions).read(sources) == alone
    assert [len(flows) for flows, _ in alone] == [1, *[0] * 29, len(additions.sinks)]


def test_a_process_that_fails_is_replaced_by_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_LEAST", 1)
    monkeypatch.setattr(parts, "_PART", 1)
    monkeypatch.setattr(parts, "_processors", lambda: 2)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert [finding.code for finding in found("a.py", CLOCK)] == ["PL101"]
    sources = [Source("a.py", CLOCK), Source("b.py", CLOCK)]
    report = check([(None, source) for source in sources], Options())
    assert [finding.location.file for finding in report.findings] == ["a.py", "b.py"]


def test_files_that_say_nothing_are_not_held(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n" * 1000, "utf-8")
    (tmp_path / "ignoring.py").write_text("x = 1  # promptlint: ignore[PL101]\n", "utf-8")
    (tmp_path / "prompt.py").write_text(CLOCK, "utf-8")
    jobs = plan([str(tmp_path)], Finder(KNOWN), Options()).jobs
    texts = {Path(job.after[0].name).name: job.after[0].text for job in jobs}
    assert texts == {"plain.py": "", "ignoring.py": "x = 1  # promptlint: ignore[PL101]\n", "prompt.py": CLOCK}


def test_a_text_that_is_put_together_of_itself_again_and_again_is_read_in_time() -> None:
    """Two to the power of 300 pieces; where the clock comes from is known all the same."""
    doubled = "".join(f'    x{at + 1} = f"{{x{at}}} and {{x{at}}}"\n' for at in range(300))
    text = f"from datetime import datetime\ndef system_prompt():\n    x0 = datetime.now()\n{doubled}    return x300\n"
    (finding,) = found("prompt.py", text)
    assert finding.code == "PL101"
