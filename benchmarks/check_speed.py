"""Time of `promptlint check --since` on 1, 50 and 500 prompt files, beside tools that people call fast.

    python benchmarks/check_speed.py [--runs 5] [--files 1,50,500]

For each number of files a git repository with that many prompts of about 2,000 tokens is made in a temporary folder,
and as many Python files for ruff. Each row is a command as a whole process; all rows run in turn, once to warm up the
disk and `--runs` times for the figures, which are medians of wall time. The columns on the right are ratios to
`git diff --stat` and to `ruff check`.

  git diff --stat        of the edited prompts, as a measure of what git itself needs
  ruff check             of as many Python files, without its cache (cold) and with it (warm)
  nothing changed        `promptlint check . --since HEAD` where no file differs
  one edited             the same with an edit at the top of one file
  all edited             the same with an edit at the top of every file
  no revision            `promptlint check .`: every file by itself

Cold means that promptlint's cache of tokens is empty, warm that the run before has filled it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from diff_speed import measure, sentences

PARAGRAPHS = 15  # of 10 sentences: about 2,000 tokens a prompt


@dataclass(frozen=True, slots=True)
class Row:
    """A command in a folder. `cold`: the folder of its cache, which is emptied before each run."""

    name: str
    command: list[str]
    folder: Path
    cold: Path | None = None


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def prompts(folder: Path, count: int) -> list[Path]:
    """A repository with `count` committed prompts, a few folders of them."""
    rng = random.Random(count)
    files = [folder / "prompts" / f"team_{number % 20}" / f"agent_{number}.md" for number in range(count)]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join(sentences(rng, 10) for _ in range(PARAGRAPHS))
        file.write_text(f"# Agent {number}\n\n{text}\n", "utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Prompts")
    return files


def edited(folder: Path, count: int, edits: int) -> Path:
    folder.mkdir()
    for file in prompts(folder, count)[:edits]:
        file.write_text(file.read_text("utf-8").replace("\n\n", "\n\nAnswer in one sentence. ", 1), "utf-8")
    return folder


def modules(folder: Path, count: int) -> Path:
    """As many Python files of about the same size."""
    folder.mkdir()
    for number in range(count):
        lines = (f'    "item_{line}": ("value {line}", {line}, [{line}, {line + 1}]),\n' for line in range(150))
        (folder / f"module_{number}.py").write_text(f"ITEMS = {{\n{''.join(lines)}}}\n", "utf-8")
    return folder


def rows(top: Path, count: int) -> Iterator[Row]:
    scripts = Path(sys.executable).parent
    check = [str(scripts / "promptlint"), "check", "."]
    since = [*check, "--since", "HEAD"]
    cache = Path(os.environ["PROMPTLINT_CACHE_DIR"])
    whole = edited(top / "whole", count, 0)
    one, all_of_them = edited(top / "one", count, 1), edited(top / "all", count, count)
    yield Row("git diff --stat", ["git", "diff", "--stat"], all_of_them)
    python = modules(top / "modules", count)
    ruff = [str(scripts / "ruff"), "check", "--isolated", "."]
    yield Row("ruff check, cold", [*ruff, "--no-cache"], python)
    yield Row("ruff check, warm", ruff, python)
    yield Row("nothing changed", since, whole)
    for name, command, folder in (
        ("one edited", since, one),
        ("all edited", since, all_of_them),
        ("no revision", check, whole),
    ):
        yield Row(f"{name}, cold", command, folder, cache)
        yield Row(f"{name}, warm", command, folder)


def timed(todo: list[Row], runs: int) -> dict[str, float]:
    """Median wall time in seconds by name."""
    times: dict[str, list[float]] = {row.name: [] for row in todo}
    here = Path.cwd()
    for number in range(runs + 1):
        for row in todo:
            if row.cold:
                shutil.rmtree(row.cold, ignore_errors=True)
            os.chdir(row.folder)
            result = measure(row.command)
            os.chdir(here)
            if number:
                times[row.name].append(result.wall)
    return {name: statistics.median(values) for name, values in times.items()}


def table(count: int, times: dict[str, float]) -> str:
    git_time, cold, warm = (times[name] for name in ("git diff --stat", "ruff check, cold", "ruff check, warm"))
    lines = [f"{f'{count:,} files':22}{'wall, s':>9}{'x git':>8}{'x ruff cold':>13}{'x ruff warm':>13}"]
    for name, wall in times.items():
        lines.append(f"{name:22}{wall:>9.3f}{wall / git_time:>8.1f}{wall / cold:>13.1f}{wall / warm:>13.1f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--files", default="1,50,500")
    options = parser.parse_args()
    for count in map(int, options.files.split(",")):
        with tempfile.TemporaryDirectory() as name:
            os.environ["PROMPTLINT_CACHE_DIR"] = str(Path(name, "cache"))
            print(table(count, timed(list(rows(Path(name), count)), options.runs)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
