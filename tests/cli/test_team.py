"""A prompt of several files in a real repository: budgets, acceptance, trailers, baseline, suppressions, settings."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import Run

RULES = "".join(
    f"## Rule {n}\n\nAnswer question {n} in plain words and cite the page of the manual.\n\n" for n in range(120)
)
SYSTEM = f"You work at the passenger desk.\n\n{RULES}"
TOOLS = [
    {
        "name": f"tool_{n}",
        "description": f"Looks up record number {n} in the archive.",
        "input_schema": {"type": "object", "properties": {"id": {"type": "string"}, "limit": {"type": "integer"}}},
    }
    for n in range(20)
]
CONFIG = """\
[tool.promptlint.prompts.desk]
provider = "openai"
model = "gpt-5"
parts = ["agent/tools.json", "agent/system.md", "agent/few_shots/*.yaml"]
"""


class Repo:
    def __init__(self, folder: Path, promptlint: Callable[..., Run]) -> None:
        self.folder = folder
        self._promptlint = promptlint

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid")
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")

    def commit(self, message: str = "x") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def run(self, *arguments: str, status: int = 0, at: str = ".") -> str:
        done = self._promptlint(*arguments, cwd=self.folder / at)
        assert done.status == status, (done.out, done.err)
        return done.out if status < 2 else done.err

    def findings(self, *arguments: str, status: int = 0, at: str = ".") -> list[dict[str, Any]]:
        report = json.loads(self.run("check", *arguments, "--format", "json", status=status, at=at))
        found: list[dict[str, Any]] = report["findings"]
        return found

    def codes(self, *arguments: str, status: int = 0, at: str = ".") -> list[tuple[str, str, str]]:
        found = self.findings(*arguments, status=status, at=at)
        return [(each["code"], each["severity"], each["location"]["file"]) for each in found]


@pytest.fixture
def repo(tmp_path: Path, promptlint: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    made = Repo(tmp_path, promptlint)
    made.git("init", "-q", "-b", "main")
    made.write("agent/system.md", SYSTEM)
    made.write("agent/tools.json", json.dumps(TOOLS, indent=2))
    made.write("agent/few_shots/a.yaml", "- user: Hello\n  assistant: Good morning, where do you want to go?\n")
    made.write("agent/few_shots/b.yaml", "- user: Where is gate 4?\n  assistant: Left of the stairs.\n")
    made.write("alone.md", "Alone.\n" * 20)
    made.write("pyproject.toml", CONFIG)
    made.commit()
    return made


TOP = SYSTEM.replace("You work", "You are a friendly clerk and work")
END = SYSTEM.rstrip() + " Then stop and wait.\n"


def test_an_edit_at_the_top_fails_with_line_and_numbers_and_one_at_the_end_passes(repo: Repo) -> None:
    repo.write("agent/system.md", END)
    repo.run("check", ".", "--since", "HEAD")
    repo.write("agent/system.md", TOP)
    (found,) = repo.findings(".", "--since", "HEAD", status=1)
    assert (found["code"], found["severity"], found["scope"]) == ("PL304", "error", "release")
    assert (found["location"]["file"], found["location"]["line"]) == ("agent/system.md", 1)
    assert found["cost"]["kind"] == "one-off"
    assert "3,200 cached tokens go cold: the budget is less than 1,024, the provider's minimum" in found["message"]
    assert any("after this line the same text would cost" in each["message"] for each in found["related"])


def test_an_edit_in_one_part_costs_what_follows_in_the_others(repo: Repo) -> None:
    tools = json.loads(json.dumps(TOOLS))
    tools[3]["description"] = "Looks up a record of the archive by its number."
    repo.write("agent/tools.json", json.dumps(tools, indent=2))
    (found,) = repo.findings("agent/tools.json", "--since", "HEAD", status=1)
    assert (found["code"], found["location"]["file"]) == ("PL303", "agent/tools.json")
    assert found["tokens_lost"] > 3_000


def test_tools_with_other_key_order_are_an_error_of_their_own(repo: Repo) -> None:
    repo.write("agent/tools.json", json.dumps([dict(sorted(tool.items(), reverse=True)) for tool in TOOLS], indent=2))
    assert ("PL202", "error", "agent/tools.json") in repo.codes(".", "--since", "HEAD", status=1)


def test_added_and_removed_parts(repo: Repo) -> None:
    repo.write("agent/few_shots/c.yaml", "- user: Thanks\n  assistant: You are welcome.\n")
    assert repo.codes(".", "--since", "HEAD") == []
    (repo.folder / "agent/few_shots/a.yaml").unlink()
    options = ("--since", "HEAD", "--provider", "generic", "--max-lost-tokens", "10")
    rows = repo.codes(".", *options, status=1)
    assert rows[0][:2] == ("PL304", "error")
    assert {row[2] for row in rows} <= {"agent/few_shots/b.yaml", "agent/few_shots/c.yaml"}


def test_what_is_gone_is_reported_where_it_was_missed(repo: Repo) -> None:
    repo.write("agent/tools.json", json.dumps(TOOLS[:4] + TOOLS[5:], indent=2))
    (found,) = repo.findings(".", "--since", "HEAD", status=1)
    assert (found["code"], found["severity"]) == ("PL301", "error")
    assert found["location"]["file"] == "agent/tools.json"
    assert found["related"][0]["location"]["file"] == "HEAD:agent/tools.json"
    repo.write("agent/tools.json", json.dumps(TOOLS, indent=2))
    repo.write("pyproject.toml", CONFIG.replace('"agent/tools.json", ', ""))
    assert repo.codes(".", "--since", "HEAD", status=1)[0][:2] == ("PL301", "error")


def test_a_renamed_part_is_followed(repo: Repo) -> None:
    repo.git("mv", "agent/system.md", "agent/prompt.md")
    repo.write("pyproject.toml", CONFIG.replace("system.md", "prompt.md"))
    assert repo.codes(".", "--since", "HEAD") == []
    repo.write("agent/prompt.md", TOP)
    assert repo.codes(".", "--since", "HEAD", status=1) == [("PL304", "error", "agent/prompt.md")]


def test_another_order_of_parts_is_an_edit_too(repo: Repo) -> None:
    parts = '["agent/few_shots/*.yaml", "agent/tools.json", "agent/system.md"]'
    repo.write("pyproject.toml", CONFIG.partition("parts")[0] + f"parts = {parts}\n")
    assert [row[1] for row in repo.codes(".", "--since", "HEAD", status=1)] == ["error"]


def test_new_and_deleted_prompts_break_nothing(repo: Repo) -> None:
    repo.write("new.md", SYSTEM)
    (repo.folder / "alone.md").unlink()
    assert repo.codes(".", "--since", "HEAD") == []


@pytest.mark.parametrize(
    ("budget", "status"),
    [
        ("max-lost-tokens = 3200", 0),
        ("max-lost-tokens = 3199", 1),
        ("max-lost-share = 1.0", 0),
        ("max-lost-share = 0.5", 1),
        ("max-cost = 0.5", 0),
        ('max-cost = "0.0001"', 1),
    ],
)
def test_budgets(repo: Repo, budget: str, status: int) -> None:
    repo.write("pyproject.toml", f"{CONFIG}budget = {{{budget}}}\n")
    repo.commit()
    repo.write("agent/system.md", TOP)
    assert repo.codes(".", "--since", "HEAD", status=status)[0][:2] == ("PL304", "error" if status else "info")


def test_a_cost_budget_without_a_price_says_so(repo: Repo) -> None:
    repo.write("pyproject.toml", CONFIG.replace("openai", "vllm").replace("gpt-5", "x") + "budget = {max-cost = 1}\n")
    repo.commit()
    repo.write("agent/system.md", TOP)
    assert "max-cost cannot be checked" in repo.run("check", ".", "--since", "HEAD")


def test_accepting_is_open_and_bound_to_the_change(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    assert "promptlint-baseline.json" in repo.run("accept", "agent/system.md", "--reason", "new tone")
    baseline = json.loads((repo.folder / "promptlint-baseline.json").read_text())
    assert [(each["file"], each["reason"]) for each in baseline["accepted"]] == [("agent/system.md", "new tone")]
    (found,) = repo.findings(".", "--since", "HEAD")
    assert found["severity"] == "info"
    assert found["message"].endswith("(accepted: new tone)")
    repo.write("agent/system.md", TOP + "More at the end, and this is harmless.\n")
    repo.run("check", ".", "--since", "HEAD")
    repo.write("agent/system.md", TOP.replace("friendly", "unfriendly"))
    repo.run("check", ".", "--since", "HEAD", status=1)


def test_accepting_by_the_name_of_the_prompt(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    repo.run("accept", "desk", "--reason", "new tone")
    repo.run("check", ".", "--since", "HEAD")
    assert "nothing to accept" in repo.run("accept", "desk", "--reason", "again", status=2)
    assert "no prompt of that name" in repo.run("accept", "dusk", "--reason", "again", status=2)
    assert "--reason" in repo.run("accept", "desk", "--reason", " ", status=2)


def test_a_trailer_accepts_what_its_commit_did_and_no_more(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "feature")
    repo.write("agent/system.md", TOP)
    repo.commit("Kinder words\n\nPromptlint-Accept: agent/system.md asked for by support")
    (found,) = repo.findings(".", "--since", "main")
    assert found["message"].endswith("(accepted: asked for by support)")
    repo.write("agent/system.md", TOP.replace("friendly", "stern"))
    repo.run("check", ".", "--since", "main", status=1)


def test_since_means_the_merge_base(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "feature")
    repo.write("alone.md", "Alone.\n" * 20 + "And more.\n")
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write("agent/system.md", TOP)
    repo.commit()
    repo.git("switch", "-q", "feature")
    report = json.loads(repo.run("check", ".", "--since", "main", "--format", "json"))
    (comparison,) = report["comparisons"]
    assert comparison["after"]["file"] == "alone.md"
    assert any("merge base" in note for note in comparison["notes"])


def test_staged_parts(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    assert repo.codes(".", "--staged") == []
    repo.git("add", "-A")
    repo.write("agent/system.md", SYSTEM)
    assert repo.codes(".", "--staged", status=1) == [("PL304", "error", "agent/system.md")]


def test_from_another_folder(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    assert repo.codes("system.md", "--since", "HEAD", status=1, at="agent") == [("PL304", "error", "system.md")]
    repo.run("accept", "system.md", "--reason", "x", at="agent")
    repo.run("check", ".", "--since", "HEAD")


CLOCK_REQUEST = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 10,
    "system": [{"type": "text", "text": f"You help.\n{RULES}"}],
    "messages": [{"role": "user", "content": "Hello"}],
}


def test_baseline_create_update_prune(repo: Repo) -> None:
    repo.write("request.json", json.dumps(CLOCK_REQUEST, indent=2))
    assert ("PL502", "warning", "request.json") in repo.codes("request.json", "--fail-on", "warning", status=1)
    repo.run("baseline", "create", ".")
    assert repo.codes("request.json", "--fail-on", "info") == []
    assert "exists already" in repo.run("baseline", "create", ".", status=2)
    before = (repo.folder / "promptlint-baseline.json").read_bytes()
    repo.write("request.json", "\n\n" + json.dumps(CLOCK_REQUEST, indent=3))  # lines moved
    assert repo.codes("request.json", "--fail-on", "info") == []
    repo.run("baseline", "update", ".")
    assert (repo.folder / "promptlint-baseline.json").read_bytes() == before
    (repo.folder / "request.json").unlink()
    repo.run("baseline", "prune", ".")
    assert json.loads((repo.folder / "promptlint-baseline.json").read_text())["findings"] == []


@pytest.mark.parametrize("clock", ["{{ now() }}", "{current_time}"])
def test_a_clock_in_a_template_fails_whatever_was_accepted(repo: Repo, clock: str) -> None:
    repo.write("agent/system.md", f"It is {clock}.\n{SYSTEM}")
    repo.run("accept", "agent/system.md", "--since", "HEAD", "--reason", "wanted")
    repo.run("baseline", "update", ".")
    codes = repo.codes(".", "--since", "HEAD", status=1)
    assert ("PL101", "error", "agent/system.md") in codes


def test_update_leaves_files_that_were_not_checked(repo: Repo) -> None:
    for name in ("one.json", "two.json"):
        repo.write(name, json.dumps(CLOCK_REQUEST))
    repo.run("baseline", "create", ".")
    repo.run("baseline", "update", "one.json")
    found = json.loads((repo.folder / "promptlint-baseline.json").read_text())["findings"]
    assert {each["file"] for each in found} == {"one.json", "two.json"}


def test_suppressions_in_place(repo: Repo) -> None:
    repo.write("agent/system.md", "<!-- promptlint: ignore[PL304] -->\n" + SYSTEM)
    repo.commit()
    repo.write("agent/system.md", "<!-- promptlint: ignore[PL304] -->\n" + TOP)
    assert repo.codes(".", "--since", "HEAD") == []
    repo.write("agent/system.md", "<!-- promptlint: ignore[PL304] -->\n" + END)
    assert "agent/system.md:1: unused suppression" in repo.run("check", ".", "--since", "HEAD")
    repo.write("alone.md", "<!-- promptlint: ignore[PL9999] -->\n")
    assert "a rule that does not exist" in repo.run("check", "alone.md")


def test_per_path_ignores_severities_and_thresholds(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    for extra in (
        'per-path-ignores."agent/*.md" = ["PL304"]',
        'ignore = ["stable-text-edited"]',
        'select = ["PL1"]',
    ):
        repo.write("pyproject.toml", f"[tool.promptlint]\n{extra}\n{CONFIG}")
        assert repo.codes(".", "--since", "HEAD") == []
    repo.write(
        "pyproject.toml", f"[tool.promptlint]\nseverity.PL304 = 'warning'\n{CONFIG}budget.max-lost-tokens = 9999\n"
    )
    assert repo.codes(".", "--since", "HEAD")[0][1] == "warning"
    assert repo.codes(".", "--since", "HEAD", "--severity", "error") == []
    assert repo.codes(".", "--since", "HEAD", "--min-confidence", "high") == []


def test_fail_on_exit_zero_statistics_quiet(repo: Repo) -> None:
    repo.write("agent/system.md", TOP)
    repo.run("check", ".", "--since", "HEAD", "--exit-zero")
    repo.write("pyproject.toml", f"[tool.promptlint]\nfail-on = 'never'\n{CONFIG}")
    repo.run("check", ".", "--since", "HEAD")
    repo.run("check", ".", "--since", "HEAD", "--fail-on", "error", status=1)
    assert repo.run("check", ".", "--since", "HEAD", "--statistics") == "     1  PL304  stable-text-edited\n"
    assert "reusable" not in repo.run("check", ".", "--since", "HEAD", "--quiet")


def test_show_files_and_settings(repo: Repo) -> None:
    house = "[tool.promptlint.code]\nsources.clock = ['stamp']\n"
    repo.write("pyproject.toml", f"[tool.promptlint]\nexclude = ['drafts/']\ninclude = ['*.tmpl']\n{CONFIG}\n{house}")
    repo.write("drafts/x.md", "x")
    repo.write("y.tmpl", "y")
    assert repo.run("check", ".", "--show-files").splitlines() == [
        "agent/tools.json\tdesk",
        "agent/system.md\tdesk",
        "agent/few_shots/a.yaml\tdesk",
        "agent/few_shots/b.yaml\tdesk",
        "alone.md",
        "y.tmpl",
    ]
    assert "drafts/x.md" in repo.run("check", "drafts/x.md", "--show-files")
    shown = repo.run("check", ".", "--show-settings")
    assert shown.startswith("# pyproject.toml\n")
    assert 'exclude = ["drafts/"]' in shown
    assert 'code.sources.clock = ["stamp"]' in shown
    assert '[prompts."desk"]' in shown
    assert "no configuration file" in repo.run("check", ".", "--isolated", "--show-settings")


def test_a_text_that_the_configuration_includes_is_a_prompt(repo: Repo) -> None:
    repo.write("texts/desk.md", f"It is {{{{ now() }}}}.\n{RULES}")
    assert repo.codes("texts") == []
    repo.write("promptlint.toml", 'include = ["texts/"]\n')
    repo.git("add", "-A")
    for arguments in (("texts",), ("texts", "--staged")):
        assert [code for code, *_ in repo.codes(*arguments, status=1)] == ["PL101"]


def test_the_model_of_the_configuration_chooses_the_provider(repo: Repo) -> None:
    repo.write("promptlint.toml", 'model = "claude-opus-5"\n')
    repo.write("alone.md", f"Now: 2026-11-30 10:00\n{RULES}")

    def provider(*more: str) -> str:
        run = repo.run("check", "alone.md", "--since", "HEAD", "--format", "json", *more)
        return str(json.loads(run)["comparisons"][0]["provider"])

    assert provider() == "anthropic"
    assert provider("--model", "gpt-5.6") == "openai"
    assert provider("--provider", "vllm") == "vllm"
    assert provider("--isolated") == "generic"


def test_the_nearest_configuration_decides_for_each_file(repo: Repo) -> None:
    repo.write("sub/promptlint.toml", 'ignore = ["PL502"]\n')
    repo.write("sub/request.json", json.dumps(CLOCK_REQUEST))
    repo.write("request.json", json.dumps(CLOCK_REQUEST))
    rows = repo.codes(".", "--select", "PL502")
    assert rows == [("PL502", "warning", "request.json")]


def test_anthropic_parts_lose_from_the_last_marker_before_the_edit(repo: Repo) -> None:
    config = CONFIG.replace("openai", "anthropic").replace("gpt-5", "claude-sonnet-4-5")
    repo.write("pyproject.toml", config)
    repo.commit()
    repo.write("agent/few_shots/b.yaml", "- user: Where is gate 4?\n  assistant: Right of the stairs.\n")
    repo.run("check", ".", "--since", "HEAD")
    repo.write("agent/system.md", END)
    repo.run("check", ".", "--since", "HEAD", status=1)
    repo.write("agent/system.md", SYSTEM)
    repo.write("pyproject.toml", config + 'breakpoints = ["agent/tools.json"]\n')
    repo.commit()
    repo.write("agent/system.md", TOP)  # nothing behind the tools was ever cached
    assert [row[1] for row in repo.codes(".", "--since", "HEAD")] == ["info"]
