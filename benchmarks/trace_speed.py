"""Whole-process time and memory of `promptlint trace`, beside what its time is measured against, in one run.

(a) reads and parses the log with orjson and does nothing else; (b) encodes every prompt in full with tiktoken. Logs are
generated from a seed into a temporary folder: requests that share a prefix of 30,000 tokens and end in texts of their
own, and requests that share nothing. Goals: 2.0 times (a) and 400 MB where the prefix is shared, 1.2 times (b) where
nothing is. `python benchmarks/trace_speed.py [--requests 1000 10000] [--unshared 300] [--rounds 3]`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PREFIX = 30_000  # tokens that requests share, about
SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "re",
    "tan",
    "sol",
    "ver",
    "in",
    "con",
    "pro",
    "dis",
    "ter",
    "al",
    "en",
    "um",
    "ar",
    "ex",
    "ist",
    "or",
    "un",
    "per",
    "ment",
    "tion",
    "al",
    "ly",
    "ing",
]
WORDS = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "is",
    "on",
    "for",
    "with",
    "as",
    "by",
    "at",
    "from",
    "that",
    "this",
    "it",
    "be",
    "are",
    "not",
    "or",
    "if",
    "then",
    "when",
    "before",
    "after",
]

PARSE = "import sys, orjson\nfor line in open(sys.argv[1], 'rb'):\n    orjson.loads(line)\n"
ENCODE = """
import sys, base64, orjson, tiktoken
from promptlint.tokenizers import rankfile
from promptlint.tokenizers.vocabularies import PUBLISHED
known = PUBLISHED["o200k_base"]
ranks = {base64.b64decode(token): rank for rank, token in enumerate(rankfile.tokens(known))}
encode = tiktoken.Encoding("", pat_str=known.pattern, mergeable_ranks=ranks, special_tokens={}).encode_ordinary
for line in open(sys.argv[1], "rb"):
    body = orjson.loads(line)["request"]
    for tool in body["tools"]:
        encode(orjson.dumps(tool).decode())
    for block in body["system"]:
        encode(block["text"])
    for message in body["messages"]:
        encode(message["content"])
"""


class Writer:
    """Prose of common and of made-up words, in paragraphs with headings, as long prompts are written."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 3))) for _ in range(2_000)]

    def sentence(self) -> str:
        words = self.random.choices(WORDS, k=9) + self.random.choices(self.names, k=4)
        self.random.shuffle(words)
        return " ".join(words).capitalize() + "."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(2, 6)))

    def prose(self, tokens: int) -> str:
        parts, size = [], 0
        while size < tokens * 4:
            head = f"## {self.sentence()[:40]}\n" if self.random.random() < 0.2 else ""
            parts.append(head + self.paragraph())
            size += len(parts[-1])
        return "\n\n".join(parts)

    def tools(self) -> list[dict[str, Any]]:
        return [
            {
                "name": f"{name}_{number}",
                "description": self.paragraph(),
                "input_schema": {
                    "type": "object",
                    "properties": {key: {"type": "string", "description": self.sentence()} for key in self.names[:4]},
                    "required": self.names[:2],
                },
            }
            for number, name in enumerate(self.random.sample(self.names, 15))
        ]


def requests(count: int, *, shared: bool) -> Iterator[dict[str, Any]]:
    writer = Writer(seed=7)
    tools, system = writer.tools(), writer.prose(PREFIX - 4_000)
    for number in range(count):
        if not shared:
            tools, system = writer.tools(), writer.prose(PREFIX - 4_000)
        yield {
            "timestamp": 1_760_000_000 + 2 * number,
            "user_id": f"user-{number % 40}",
            "request": {
                "model": "claude-sonnet-4-5",
                "max_tokens": 1024,
                "tools": tools,
                "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
                "messages": [{"role": "user", "content": " ".join(writer.sentence() for _ in range(5))}],
            },
        }


def write(path: Path, count: int, *, shared: bool) -> None:
    with path.open("w", encoding="utf-8") as file:
        for request in requests(count, shared=shared):
            file.write(json.dumps(request) + "\n")
        file.flush()
        os.fsync(file.fileno())  # what the system still writes to disk is not to compete with what is measured


def measure(command: list[str], rounds: int) -> tuple[float, float, float]:
    """Least wall seconds, the CPU seconds of that round, and peak memory in MB."""
    # An installed package is compiled, so that of a checkout may be too: the first round does it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    best = (float("inf"), 0.0, 0.0)
    for _ in range(rounds):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{command[1:4]} ended with {process.returncode}")
        best = min(best, (wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
    return best


def show(name: str, log: Path, against: str, code: str, goal: float, rounds: int) -> None:
    base = measure([sys.executable, "-c", code, str(log)], rounds)
    own = measure([sys.executable, "-m", "promptlint", "trace", str(log), "--format", "json"], rounds)
    print(f"{name} ({log.stat().st_size / 1e6:,.0f} MB)")
    for what, (wall, cpu, memory) in ((against, base), ("promptlint trace", own)):
        print(f"  {what:<28} {wall:7.2f} s  {cpu:7.2f} s CPU  {memory:6.0f} MB")
    print(f"  {own[0] / base[0]:.2f} times {against} (goal {goal}); {own[1] / base[1]:.2f} times its CPU time")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--unshared", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for count in given.requests:
            log = Path(folder, "shared.jsonl")
            write(log, count, shared=True)
            show(f"{count:,} requests, one prefix", log, "orjson alone", PARSE, 2.0, given.rounds)
        if given.unshared:
            log = Path(folder, "unshared.jsonl")
            write(log, given.unshared, shared=False)
            show(f"{given.unshared:,} requests, nothing shared", log, "tiktoken in full", ENCODE, 1.2, given.rounds)


if __name__ == "__main__":
    main()
