"""The shipped price index says what genai-prices says, for every model, prompt size and moment."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import TieredPrices

import promptlint
from promptlint.cost import genai, pricebook, prices
from promptlint.cost.compile_prices import compile_index, serialise
from promptlint.cost.pricebook import amount, entry_at, families, find_entries, load_index, utc
from promptlint.model.policy import CachePolicy, Fact, Matching
from promptlint.model.prompt import Section

SIZES = (0, 1_000, 100_000, 100_001, 128_001, 199_999, 200_000, 200_001, 272_000, 272_001, 1_000_000)
MOMENTS = (
    datetime(2024, 1, 1, tzinfo=UTC),
    datetime(2026, 8, 20, 23, 59, 59, tzinfo=UTC),
    datetime(2026, 8, 21, tzinfo=UTC),
    datetime(2026, 11, 30, 0, 59, 59),
    datetime(2026, 11, 30, 1, 0, tzinfo=UTC),
    datetime(2026, 11, 30, 12, 0, tzinfo=timezone(timedelta(hours=8))),
    datetime(2026, 11, 30, 9, 59, 59, tzinfo=UTC),
    datetime(2026, 11, 30, 23, 0, tzinfo=timezone(timedelta(hours=-5))),
    datetime(2027, 1, 1, tzinfo=UTC),
    datetime(2030, 6, 1, 17, 0, tzinfo=UTC),
)


def policy(family: str, ttl_default: int | None = 300) -> CachePolicy:
    return CachePolicy(
        id=family,
        family=family,
        matching=Matching.LONGEST_PREFIX,
        order=tuple(Section),
        fact=Fact((), "2026-11-30"),
        ttl_default=ttl_default,
    )


def texts_of(clause: dict[str, Any]) -> Iterator[str]:
    ((kind, value),) = clause.items()
    if kind in ("or", "and"):
        for part in value:
            yield from texts_of(part)
    elif kind == "regex":
        yield value.strip("^$").replace("\\d{8}", "20260101").replace("\\", "")
    else:
        yield value


def names() -> list[tuple[str, str]]:
    """Every name that the index could be asked for: each provider's own, and those of the ones it falls back to."""
    providers = load_index()["providers"]
    found = []
    for provider in sorted(set(families().values())):
        for where in (provider, *providers[provider]["fallback"]):
            for clause, _ in providers[where]["models"]:
                found += [(provider, text) for text in texts_of(clause)]
    found += [(provider, f"{name}-20260101") for provider, name in found[:200]]
    found += [(provider, re.sub(r"-(20\d\d)-(\d\d)-(\d\d)", r"-\1\2\3", name)) for provider, name in found]
    found += [("openai", "gpt-4o-20240230"), ("openai", "gpt-4o-2024080")]
    return list(dict.fromkeys(found))


def value_of(price: Any, size: int) -> Decimal | None:
    if not isinstance(price, TieredPrices):
        return price if price is None else Decimal(price)
    return next((tier.price for tier in reversed(price.tiers) if size > tier.start), price.base)


def test_the_index_is_what_the_installed_package_compiles_to() -> None:
    shipped = load_index()
    assert shipped["genai_prices"] == version("genai-prices")
    newest = datetime.fromisoformat(shipped["date"]).date()
    assert serialise(compile_index(newest)) == pricebook.INDEX.read_text(encoding="utf-8")


def test_the_index_is_small() -> None:
    assert pricebook.INDEX.stat().st_size < 300_000


def test_every_family_names_a_provider_of_the_index() -> None:
    assert set(families().values()) <= set(load_index()["providers"])


def test_every_family_is_one_that_has_cache_rules() -> None:
    rules = Path(promptlint.__file__).parent / "providers" / "data"
    assert set(families()) <= {path.stem for path in rules.glob("*.yaml")}


def test_every_name_finds_the_model_that_genai_prices_finds() -> None:
    index, asked = load_index(), names()
    assert len(asked) > 2_000
    found = 0
    for provider, name in asked:
        theirs = genai.ask(provider, name)
        assert find_entries(index, provider, name) == theirs, (provider, name)
        found += theirs is not None
    assert found > 2_000


def test_every_model_costs_what_genai_prices_says_at_every_size_and_moment() -> None:
    snapshot, index = get_snapshot(), load_index()
    compared = 0
    for provider, name in names():
        entries = find_entries(index, provider, name)
        if entries is None:
            continue
        _, model = snapshot.find_provider_model(name, None, provider, None)
        for at in MOMENTS:
            theirs, ours = model.get_prices(at), entry_at(entries, utc(at).date(), utc(at).time())
            for key, attribute in genai.PRICE_KEYS.items():
                for size in SIZES:
                    assert amount(ours.get(key), size) == value_of(getattr(theirs, attribute), size), (name, key, at)
                    compared += 1
    assert compared > 500_000


@pytest.mark.parametrize(
    ("family", "model"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("anthropic", "claude-haiku-5-5"),
        ("openai", "gpt-5.6-sol"),
        ("openai", "gpt-4o-2024-08-06"),
        ("azure-openai", "gpt-5.6-terra"),
        ("deepseek", "deepseek-v4-pro"),
        ("gemini", "gemini-4-argon"),
        ("vertex-anthropic", "claude-opus-5"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("bedrock", "anthropic.claude-opus-4-6-v1:0"),
        ("mistral", "mistral-large-latest"),
        ("moonshot", "kimi-k3"),
        ("xai", "grok-4.20"),
        ("groq", "openai/gpt-oss-120b"),
        ("fireworks", "accounts/fireworks/models/gpt-oss-120b"),
        ("together", "deepseek-ai/DeepSeek-V4-Pro-0813"),
        ("zai", "glm-5.3-flash"),
        ("minimax", "MiniMax-M2.7"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
    ],
)
@pytest.mark.parametrize("size", [10_000, 300_000])
def test_prices_are_those_of_a_bill(family: str, model: str, size: int) -> None:
    """Through the package's public calculation: the whole prompt as input, as cache read and as cache write."""
    at = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    found = prices.prices_for(policy(family), model, size, at)
    assert found is not None

    def bill(**usage: int) -> Decimal:
        total: Decimal = calc_price(
            Usage(input_tokens=size, **usage),
            model,
            provider_id=families()[family],
            genai_request_timestamp=at,
        ).input_price
        return total * 1_000_000 / size

    assert found.input_mtok == bill()
    assert bill(cache_read_tokens=size) == (found.input_mtok if found.read_mtok is None else found.read_mtok)
    assert bill(cache_write_tokens=size) == found.writes_mtok.get(300, found.input_mtok)
    if 3600 in found.writes_mtok:
        assert bill(cache_write_tokens=size, cache_write_1h_tokens=size) == found.writes_mtok[3600]


def test_conditions_are_told() -> None:
    def notes(family: str, model: str, size: int, at: datetime | None) -> tuple[str, ...]:
        found = prices.prices_for(policy(family), model, size, at)
        assert found is not None
        return found.notes

    noon = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert notes("openai", "gpt-5.6-sol", 272_001, noon) == (
        "The price is that of prompts over 272,000 tokens.",
        "The price holds since 2026-08-21.",
    )
    assert "The price is that of prompts up to 272,000 tokens." in notes("openai", "gpt-5.6-sol", 272_000, noon)
    assert notes("deepseek", "deepseek-v4-pro", 10, noon) == (
        "Another price holds daily from 01:00 to 04:00 and 06:00 to 10:00 UTC.",
        "The price holds since 2026-08-17.",
    )
    assert notes("deepseek", "deepseek-v4-pro", 10, noon.replace(hour=2)) == (
        "The price is that of 01:00 to 04:00 UTC.",
    )
    assert notes("gemini", "gemini-4-argon", 10, noon) == ("The price changes on 2026-12-01.",)


def test_without_a_moment_no_hour_of_the_day_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Peak(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Peak:
            return cls(2026, 11, 30, 2, 0, tzinfo=tz)

    monkeypatch.setattr(prices, "datetime", Peak)
    found = prices.prices_for(policy("deepseek"), "deepseek-v4-pro", 1_000)
    assert found is not None
    assert found.input_mtok == Decimal("0.66")
    peak = prices.prices_for(policy("deepseek"), "deepseek-v4-pro", 1_000, Peak.now(UTC))
    assert peak is not None
    assert peak.input_mtok == Decimal("1.32")


def test_the_write_price_belongs_to_the_policys_lifetime() -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    openai = prices.prices_for(policy("openai", 1800), "gpt-5.6-sol", 1_000, at)
    router = prices.prices_for(policy("openrouter", None), "anthropic/claude-sonnet-4.5", 1_000, at)
    assert openai is not None and router is not None
    assert dict(openai.writes_mtok) == {1800: Decimal("5")}
    assert router.writes_mtok[prices.DEFAULT_TTL] == Decimal("3.75")


def test_source_and_date_are_stated() -> None:
    found = prices.prices_for(policy("anthropic"), "claude-opus-5", 1_000)
    assert found is not None
    assert (found.source, found.date) == (f"genai-prices {version('genai-prices')}", load_index()["date"])


@pytest.mark.parametrize(
    ("family", "model"),
    [
        ("vllm", "meta-llama/Llama-3.1-8B"),
        ("dashscope", "qwen3-max"),
        ("nobody", "gpt-5"),
        ("openai", ""),
        ("openai", "no-such-model"),
        ("openai", "(" * 50),
        ("anthropic", "claude-fable-5-" + "1" * 10_000_000),
        ("bedrock", "a" * 299),
        ("openai", "gpt\x00-5\x1b[31m\ud800"),
    ],
)
def test_what_is_not_known_has_no_price(family: str, model: str) -> None:
    assert prices.prices_for(policy(family), model, 1_000) is None


@pytest.fixture
def other_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The index was made from a version that is not the installed one."""
    index = json.loads(pricebook.INDEX.read_bytes())
    index["genai_prices"] = "0.0.1"
    for provider in index["providers"].values():
        provider["models"] = []
    monkeypatch.setattr(prices, "load_index", lambda: index)
    prices._index_is_current.cache_clear()
    yield
    prices._index_is_current.cache_clear()


@pytest.mark.usefixtures("other_version")
def test_another_installed_version_is_asked_itself() -> None:
    found = prices.prices_for(policy("anthropic"), "claude-opus-5", 1_000)
    assert found is not None
    assert found.source == f"genai-prices {version('genai-prices')}"
    assert found.date == load_index()["date"]
    assert found.input_mtok == Decimal("5")


@pytest.mark.usefixtures("other_version")
def test_a_version_that_cannot_be_read_leaves_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(provider: str, model: str) -> None:
        raise TypeError("unknown condition")

    monkeypatch.setattr(genai, "ask", unknown)
    assert prices._lookup("anthropic", "claude-opus-5")[:2] == (None, "genai-prices 0.0.1")


def test_the_index_is_read_without_the_package() -> None:
    """In a process of its own: neither genai-prices nor pydantic may be imported for a price."""
    code = (
        "import sys; from promptlint.cost import prices, pricebook\n"
        "print(pricebook.find_entries(pricebook.load_index(), 'openai', 'gpt-5.6-sol') is not None,"
        " prices._lookup('openai', 'gpt-5.6-sol')[0] is not None,"
        " bool({'genai_prices', 'pydantic', 'importlib.metadata'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "True", "False"]


def test_unknown_kinds_are_refused_not_guessed() -> None:
    class Novel:
        def __init__(self) -> None:
            self.sounds_like = "gpt"

    with pytest.raises(TypeError, match="unknown way"):
        genai._clause(Novel())
    with pytest.raises(TypeError, match="unknown condition"):
        genai._condition(Novel())
