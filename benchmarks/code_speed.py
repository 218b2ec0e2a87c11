"""Speed and memory of `promptlint check` on source code, as a whole process: 1,000 files and 10,000 of the same kind.

    python benchmarks/code_speed.py            files generated from the labelled corpus, one of ten builds prompts
    python benchmarks/code_speed.py FOLDER…    source files of these folders, in their order, as many as there are

MB/s of a core is source by the processor time of all processes; memory is the largest of any one process.
"""

from __future__ import annotations

import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "code"))

SIZES = (1_000, 10_000)
_SUFFIXES = {".py", ".ts", ".tsx", ".js", ".go", ".rs"}
_WORDS = ("load", "order", "price", "shelf", "branch", "total", "index", "field", "record", "parse", "invoice", "queue")


def generated() -> Iterator[tuple[str, str]]:
    """Names and texts without end: modules of plain functions, and in one of ten a snippet of the corpus as well."""
    from corpus_reader import snippets

    prompts = [each for each in snippets("python") if "import" in each.text]
    draw = random.Random(7)
    number = 0
    while True:
        plain = "\n\n".join(_function(draw) for _ in range(draw.randint(10, 60)))
        prompt = draw.choice(prompts).text if number % 10 == 0 else ""
        yield f"package{number // 100}/module{number}.py", f"{prompt}\n\n{plain}\n"
        number += 1


def _function(draw: random.Random) -> str:
    name, *used = draw.sample(_WORDS, 5)
    lines = [
        f"    {each} = [row['{name}'] for row in {each}_rows if row['{used[0]}'] > {draw.randint(1, 99)}]"
        for each in used
    ]
    return "\n".join(
        [
            f"def {name}_{used[0]}_{draw.randint(1, 999)}({', '.join(f'{each}_rows' for each in used)}):",
            f'    """The {name} of every {used[1]}, with its {used[2]}."""',
            *lines,
            f"    return {{'{used[0]}': sum({used[0]}), '{used[1]}': len({used[1]})}}",
        ]
    )


def found(folders: list[str]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file() and not re.search(r"(?:^|/)tests?/", str(path)):
                yield str(path).strip("/"), path.read_bytes().decode("utf-8", "replace")


def measure(folder: Path, files: int, size: int) -> str:
    command = [
        sys.executable,
        "-m",
        "promptlint",
        "check",
        "--isolated",
        "--exit-zero",
        "--format",
        "json=/dev/null",
        str(folder),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    core = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = size / 1e6
    cells = (f"{files:,}", f"{megabytes:.1f}", f"{wall:.1f}", f"{core:.1f}", f"{megabytes / wall:.1f}")
    return " | ".join((*cells, f"{megabytes / core:.1f}", f"{files / wall:,.0f}", f"{after.ru_maxrss / 1024:,.0f}"))


def main() -> int:
    source = found(sys.argv[1:]) if len(sys.argv) > 1 else generated()
    print("| files | MB | seconds | processor seconds | MB/s | MB/s of a core | files/s | memory (MB) |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        files = size = 0
        for wanted in SIZES:
            for name, text in source:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
                files, size = files + 1, size + path.stat().st_size
                if files >= wanted:
                    break
            print(f"| {measure(Path(folder), files, size)} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
