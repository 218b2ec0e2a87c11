"""The slots cache against llama.cpp's own server: 1,000 requests for each way of running it, no mismatch."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import engine_mutations as mutations
import llama_server
import pytest
from engine_traffic import Exchange, Traffic, mismatches

from promptlint.policies.slots import Slots
from promptlint.policies.structure import Structure

REQUESTS = 1_000
MUTATED_REQUESTS = 400
pytestmark = pytest.mark.oracle
pytest.importorskip("xllamacpp", reason="llama.cpp's server comes with the package xllamacpp (extra dev)")


@contextmanager
def serving(model: Path, slots: int, **options: int) -> Iterator[http.client.HTTPConnection]:
    command = [sys.executable, llama_server.__file__, str(model), str(slots)]
    command += [f"{name}={value}" for name, value in options.items()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), f"the server did not start: {address!r}"
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
        try:
            yield connection
        finally:
            connection.close()
            process.kill()


def ask(connection: http.client.HTTPConnection, ids: array[int], length: int) -> Exchange:
    body = {"prompt": list(ids), "n_predict": length, "temperature": 0, "return_tokens": True, "ignore_eos": True}
    connection.request("POST", "/completion", json.dumps(body), {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    return Exchange(ids, array("I", answer["tokens"]), "", answer["timings"]["cache_n"])


def exchanges(connection: http.client.HTTPConnection, seed: int) -> list[Exchange]:
    traffic = Traffic(seed, block=16, longest=400, ids=range(97, 123), recent=8)
    result = []
    for _ in range(REQUESTS):
        exchange = ask(connection, traffic.prompt(), 1 + traffic.below(4))
        result.append(exchange)
        traffic.remember(exchange.ids + exchange.output)
    return result


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    llama_server.write_model(path)
    return path


@pytest.mark.parametrize(
    ("slots", "options", "rules", "broken"),
    [
        pytest.param(1, {"cache_ram_mib": 0}, {}, mutations.SLOTS, id="one-slot"),
        pytest.param(2, {"cache_ram_mib": 0}, {}, mutations.SEVERAL_SLOTS, id="two-slots"),
        pytest.param(4, {"cache_ram_mib": 0}, {}, mutations.SEVERAL_SLOTS, id="four-slots"),
        pytest.param(1, {}, {"host_cache": True}, mutations.HOST_CACHE, id="one-slot-host-memory"),
        pytest.param(2, {"kv_unified": 1}, {"host_cache": True}, mutations.IDLE_SLOTS, id="two-slots-host-memory"),
        pytest.param(4, {"kv_unified": 1}, {"host_cache": True}, mutations.IDLE_SLOTS, id="server-default"),
    ],
)
def test_every_request_takes_what_the_server_takes(
    model: Path, slots: int, options: dict[str, int], rules: dict[str, bool], broken: tuple[mutations.Mutation, ...]
) -> None:
    with serving(model, slots, **options) as connection:
        served = exchanges(connection, seed=slots)

    def build(cache: Callable[..., Structure]) -> Structure:
        return cache(slots, **rules)

    assert mismatches(build(Slots), served) == 0
    assert sum(exchange.hit or 0 for exchange in served) > 20_000, "too little was taken from the cache"
    counts = mutations.broken(broken, "Slots", build, served[:MUTATED_REQUESTS])
    assert not [rule for rule, wrong in counts.items() if not wrong], counts
