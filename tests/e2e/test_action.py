"""`action.yml` and the CI examples: their schemas, an audit for injected scripts, and their scripts run with bash."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hooking import REF_PINS, Hooks, Repository
from jsonschema import Draft7Validator
from support import ROOT, sarif_schema

RULES = "".join(f"Rule {n}: answer question {n} in plain words and cite page {n} of the manual.\n" for n in range(150))
CI = ROOT / "examples" / "ci"


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return loaded


ACTION = load(ROOT / "action.yml")
INSTALL, CHECK, UPLOAD = ACTION["runs"]["steps"]


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-actions", ROOT / "action.yml"),
        ("github-workflows", CI / "github.yml"),
        ("gitlab-ci", CI / "gitlab-ci.yml"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_schemas(schema: str, path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_script_can_be_injected(tmp_path: Path) -> None:
    config = tmp_path / "zizmor.yml"
    config.write_text(yaml.safe_dump(REF_PINS), "utf-8")
    workflow = tmp_path / ".github" / "workflows" / "promptlint.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_bytes((CI / "github.yml").read_bytes())
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress", "--config", str(config)]
    done = subprocess.run(
        [*command, str(ROOT / "action.yml"), str(workflow)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_inputs_are_those_that_are_used() -> None:
    assert set(re.findall(r"inputs\.([a-z-]+)", json.dumps(ACTION["runs"]))) == set(ACTION["inputs"])


NOTHING: Mapping[str, str] = {}


class Runner:
    """Steps of the action in a repository, with files and variables as a runner of GitHub gives them."""

    def __init__(self, repository: Repository, temporary: Path) -> None:
        self.repository = repository
        self.temporary = temporary
        for name in ("output", "summary"):
            (temporary / name).touch()

    def run(self, step: dict[str, Any], event: Mapping[str, str] = NOTHING, **inputs: str) -> tuple[int, str]:
        given = {f"inputs.{name}": spec["default"] for name, spec in ACTION["inputs"].items()}
        given |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        given |= {f"github.event.{name}": value for name, value in event.items()}
        given["github.action_path"] = str(ROOT)
        variables = {name: _evaluated(value, given) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.repository.folder,
            env={
                **self.repository.environment,
                **variables,
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_OUTPUT": str(self.temporary / "output"),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return done.returncode, done.stdout + done.stderr

    def read(self, name: str) -> str:
        return (self.temporary / name).read_text("utf-8")


def _evaluated(expression: str, given: dict[str, str]) -> str:
    """`${{ a || b }}`: the first that is set and not empty."""
    inside = re.fullmatch(r"\$\{\{ (.+) \}\}", expression)
    assert inside, expression
    return next((given[name] for name in inside[1].split(" || ") if given.get(name)), "")


@pytest.fixture(scope="module")
def installed(hooks: Hooks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the first step leaves in the runner's temporary folder."""
    folder = tmp_path_factory.mktemp("runner")
    runner = Runner(Repository(folder / "empty", hooks.environment), folder)
    status, said = runner.run(INSTALL)
    assert status == 0, said
    return folder


@pytest.fixture
def runner(hooks: Hooks, installed: Path, tmp_path: Path) -> Runner:
    """A pull request: the prompt was edited at the top."""
    repository = Repository(tmp_path / "work tree", hooks.environment)
    repository.write("prompts/system.md", RULES)
    repository.write("texts/page.md", RULES)
    repository.commit("Before")
    repository.run("git", "switch", "--quiet", "--create", "feature")
    for name in ("prompts/system.md", "texts/page.md"):
        repository.write(name, "Be kind.\n" + RULES)
    repository.commit("After")
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary" / "promptlint").symlink_to(installed / "promptlint")
    return Runner(repository, tmp_path / "temporary")


def base_of(runner: Runner) -> dict[str, str]:
    return {"pull_request.base.sha": runner.repository.run("git", "rev-parse", "main").strip()}


def test_a_pull_request_is_compared_with_its_base(runner: Runner) -> None:
    status, said = runner.run(CHECK, base_of(runner))
    assert status == 1
    assert "::error file=prompts/system.md,line=1," in said
    assert "::error file=texts/page.md,line=1," in said
    assert "PL304" in runner.read("summary")
    report = runner.temporary / "promptlint.sarif"
    assert runner.read("output") == f"status=1\nsarif-file={report}\n"
    sarif = json.loads(report.read_text("utf-8"))
    Draft7Validator(sarif_schema()).validate(sarif)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["PL304", "PL304"]


def test_without_a_base_nothing_is_compared(runner: Runner) -> None:
    status, said = runner.run(CHECK)
    assert (status, "::error" in said) == (0, False)


def test_inputs(runner: Runner) -> None:
    runner.repository.write("strict.toml", 'ignore = ["PL304"]\n')
    inputs = {"paths": "prompts\r\n\n  \n".replace("  \n", ""), "since": "main"}
    assert "texts/page.md" not in runner.run(CHECK, NOTHING, **inputs)[1]
    assert runner.read("summary")
    runner.temporary.joinpath("summary").write_text("")
    assert runner.run(CHECK, NOTHING, fail_on="never", summary="false", **inputs)[0] == 0
    assert runner.read("summary") == ""
    assert runner.run(CHECK, NOTHING, config="strict.toml", **inputs)[0] == 0


@pytest.mark.parametrize("value", ["$(touch bad)", "; touch bad", "-x\n--exit-zero", "`touch bad`"])
def test_inputs_are_never_run_and_never_options(runner: Runner, value: str) -> None:
    for name in ("paths", "since", "config", "fail_on"):
        status, said = runner.run(CHECK, NOTHING, **{"since": "main", name: value})
        assert status == 2, said
        assert "promptlint: " in said
    assert not list(runner.repository.folder.rglob("bad"))
    assert "sarif-file" not in runner.read("output")


def test_what_could_not_be_done_uploads_nothing(runner: Runner) -> None:
    (runner.temporary / "promptlint.sarif").write_text("of an earlier step")
    assert runner.run(CHECK, since="no-such-branch")[0] == 2
    assert runner.read("output") == "status=2\n"
    assert "steps.check.outputs.sarif-file != ''" in UPLOAD["if"]
    assert UPLOAD["with"]["sarif_file"] == "${{ steps.check.outputs.sarif-file }}"


def test_the_gitlab_job(runner: Runner) -> None:
    job = load(CI / "gitlab-ci.yml")["promptlint"]
    install, check = job["script"]
    assert install == "python -m pip install promptlint-cache"
    repository = runner.repository
    repository.environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = base_of(runner)["pull_request.base.sha"]
    assert "error PL304" in repository.run("sh", "-e", "-c", check, status=1)
    report = json.loads(repository.read(job["artifacts"]["reports"]["codequality"]))
    assert sorted(issue["location"]["path"] for issue in report) == ["prompts/system.md", "texts/page.md"]
