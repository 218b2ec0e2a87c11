"""Maintainer command: writes the price index from the installed genai-prices package.

    python -m pip install --upgrade genai-prices
    python -m promptlint.cost.compile_prices
    python -m pytest tests/cost

The index holds what `promptlint.cost` needs of the providers in `data/families.json` (and of those they fall back
to): how a model name is matched, and its input, cache-read and cache-write prices with their prompt-size tiers,
start dates and hours of the day. It records the package's version and, as its date, the start of the newest dated
price that is in force: prices are at least that recent. Commit the new index together with the new lower bound of
genai-prices in pyproject.toml; where the installed version differs, promptlint asks the package itself (slower).
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from importlib.metadata import version
from typing import Any

from promptlint.cost import genai
from promptlint.cost.pricebook import INDEX, families


def compile_index(today: date) -> dict[str, Any]:
    """The index as data, in the order of the package, so that the same package gives the same bytes."""
    found = {provider.id: provider for provider in genai.providers()}
    wanted = set(families().values())
    wanted.update(other for name in tuple(wanted) for other in found[name].fallback_model_providers or ())
    return {
        "genai_prices": version("genai-prices"),
        "date": genai.newest_date(list(found.values()), today),
        "providers": {name: genai.provider_data(found[name]) for name in sorted(wanted)},
    }


def serialise(index: dict[str, Any]) -> str:
    """JSON with one model a line: small, and a refresh reads well as a diff."""
    parts = []
    for name, provider in index["providers"].items():
        models = ",\n".join(
            json.dumps(model, separators=(",", ":"), ensure_ascii=False) for model in provider["models"]
        )
        parts.append(f'{json.dumps(name)}:{{"fallback":{json.dumps(provider["fallback"])},"models":[\n{models}\n]}}')
    head = f'{{"genai_prices":{json.dumps(index["genai_prices"])},"date":{json.dumps(index["date"])},"providers":{{\n'
    return head + ",\n".join(parts) + "\n}}\n"


def main() -> None:
    text = serialise(compile_index(datetime.now(UTC).date()))
    INDEX.write_text(text, encoding="utf-8")
    print(f"{INDEX.name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
