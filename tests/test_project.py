"""The project's own frame: lint, types, layers, sizes, the wheel, and pages that have to agree with each other."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from support import ROOT

import promptlint as package

PACKAGE = ROOT / "promptlint"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = sorted(PACKAGE.rglob("*.py"))


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def script(name: str) -> Path:
    return Path(sys.executable).with_name(name)


@pytest.mark.parametrize(
    "command",
    [
        (sys.executable, "-m", "ruff", "check", "."),
        (sys.executable, "-m", "ruff", "format", "--check", "."),
        (sys.executable, "-m", "mypy"),
        (script("lint-imports"), "--no-cache"),
    ],
    ids=["ruff-check", "ruff-format", "mypy", "lint-imports"],
)
def test_checks(command: tuple[str | Path, ...]) -> None:
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_small_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module's first line says what it is for"
    assert text.count("\n") < 300
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert [(function.name, length(function)) for function in functions if length(function) >= 40] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def files_under(folder: Path) -> set[str]:
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if "__pycache__" not in name}


def test_the_wheel_holds_code_data_and_rules(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {f"promptlint/{name}" for name in files_under(PACKAGE)}
    expected |= {f"promptlint/_rules/{name}" for name in files_under(ROOT / "rules")}
    assert {name for name in names if name.startswith("promptlint/")} == expected
    for pattern in (
        r"promptlint/_rules/.+\.yaml",
        r"promptlint/providers/.+\.yaml",
        r"promptlint/.+\.schema\.json",
        r"promptlint/py\.typed",
    ):
        assert [name for name in names if re.fullmatch(pattern, name)], pattern


def test_the_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    done = run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, wheel)
    assert done.returncode == 0, done.stderr
    where = run(
        sys.executable, "-c", "import promptlint; print(promptlint.__file__)", cwd=tmp_path, PYTHONPATH=str(target)
    )
    assert Path(where.stdout.strip()).is_relative_to(target), "the installed copy is tested, not the checkout"
    example = ROOT / "examples" / "clock"
    diff = run(
        target / "bin" / "promptlint",
        *("diff", example / "before.json", example / "after.json"),
        cwd=tmp_path,
        PYTHONPATH=str(target),
    )
    assert diff.returncode == 1, diff.stderr
    assert "PL101" in diff.stdout


def test_diff_imports_nothing_slow() -> None:
    example = ROOT / "examples" / "clock"
    command = (script("promptlint"), "diff", example / "before.json", example / "after.json")
    done = run(sys.executable, "-X", "importtime", *command)
    assert done.returncode == 1, done.stderr
    imported = set(re.findall(r"^import time:.*\|\s+([A-Za-z_]\w*)", done.stderr, re.MULTILINE))
    assert "promptlint" in imported and "tiktoken" in imported
    assert not imported & {
        "pydantic",
        "jinja2",
        "tokenizers",
        "huggingface_hub",
        "numpy",
        "requests",
        "httpx2",
        "asyncio",
        "rich",
    }


def test_the_benchmark_runs() -> None:
    done = run(sys.executable, "benchmarks/diff_speed.py", "--runs", "1")
    assert done.returncode == 0, done.stderr
    heads = [line.split("  ")[0] for line in done.stdout.splitlines()[2:]]
    assert heads == ["wall, s", "user+sys, s", "peak RSS, MB"]


def test_the_benchmark_of_checks_runs() -> None:
    done = run(sys.executable, "benchmarks/check_speed.py", "--runs", "1", "--files", "2")
    assert done.returncode == 0, done.stderr
    names = [line[:22].strip() for line in done.stdout.splitlines()]
    assert names[:4] == ["2 files", "git diff --stat", "ruff check, cold", "ruff check, warm"]
    assert "one edited, warm" in names


def test_ci_runs_the_readme_test_command() -> None:
    (command,) = re.findall(r"^\.venv/bin/(python -m pytest.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    last = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1]
    assert last.replace('"', "").endswith(f"$venv/bin/{command}")
    assert "run: bash .ci/run" in (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")


def test_every_dependency_is_justified() -> None:
    declared = {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]}
    names = {re.split(r"[<>=~! ]", requirement)[0] for requirement in declared}
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| ([A-Za-z0-9, -]+) \| .+ \|$", page, re.MULTILINE)
    assert names == {name for row in rows for name in row.split(", ")} - {"package", "layer"}


def test_the_version_has_an_entry_in_the_changelog() -> None:
    assert f"\n## [{package.__version__}] - " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_network_is_closed() -> None:
    with socket.socket() as outside, pytest.raises(AssertionError, match="tried to reach"):
        outside.connect(("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="tried to look up"):
        socket.getaddrinfo("example.org", 80)
