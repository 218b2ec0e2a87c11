"""What the SDKs send is recorded and read back; nothing that goes wrong while recording reaches the caller."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx
import httpx2
import model_server
import openai
import pytest

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers import logs
from promptlint.record import AsyncTransport, Transport

CHAT_KNOWN = Usage(20, 16, output=3)
MESSAGES: list[Any] = [{"role": "user", "content": "SENT"}]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with model_server.serving() as address:
        yield address


def recorded(path: Path) -> list[Exchange]:
    bad: list[Any] = []
    found = list(logs.read(str(path), None, bad.append))
    assert bad == []
    return found


def post(client: httpx2.Client, server: str, **more: Any) -> httpx2.Response:
    return client.post(f"{server}/v1/chat/completions", json={"model": "m", "messages": MESSAGES, **more})


def test_openai_and_anthropic_sdks_whole_and_streamed(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    transport = Transport(path)
    with httpx2.Client(transport=transport) as http:
        gpt = openai.OpenAI(api_key="SECRET", base_url=f"{server}/v1", http_client=http)
        claude = anthropic.Anthropic(api_key="SECRET", base_url=server, http_client=http)
        assert gpt.chat.completions.create(model="gpt-5.1", messages=MESSAGES).choices[0].message.content == "ANSWER"
        options: Any = {"stream": True, "stream_options": {"include_usage": True}}
        assert len(list(gpt.chat.completions.create(model="gpt-5.1", messages=MESSAGES, **options))) == 51
        assert gpt.responses.create(model="gpt-5.6", input="SENT").output_text == "ANSWER"
        assert claude.messages.create(model="c", max_tokens=9, messages=MESSAGES).usage.output_tokens == 1
        with claude.messages.stream(model="c", max_tokens=9, messages=MESSAGES) as stream:
            assert stream.get_final_text() == "ANSWER" * 50
        http.get(server)
        http.post(f"{server}/v1/embeddings", json={"input": "SENT"})
    assert transport.dropped == 0
    text = path.read_text()
    assert "SECRET" not in text and "ANSWER" not in text and text.count("\n") == 5
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    found = recorded(path)
    assert [exchange.usage for exchange in found] == [
        CHAT_KNOWN,
        CHAT_KNOWN,
        Usage(20, 16, output=3, miss_reason="tools_changed"),
        Usage(20, 10, 6, output=1),
        Usage(20, 10, 6, output=40),
    ]
    assert [exchange.wire for exchange in found] == ["openai-chat"] * 2 + ["openai-responses"] + ["anthropic"] * 2
    assert [exchange.request_id for exchange in found] == ["chatcmpl-1", "chatcmpl-1", "resp_1", "msg_1", "msg_1"]
    assert all(exchange.status == 200 and exchange.sent_at for exchange in found)
    assert found[0].body == {"model": "gpt-5.1", "messages": MESSAGES}


def test_httpx_which_older_sdks_stand_on(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    body = {"model": "m", "messages": MESSAGES, "stream": True}

    async def run() -> None:
        async with httpx.AsyncClient(transport=AsyncTransport(path)) as client:  # type: ignore[arg-type]
            await client.post(f"{server}/v1/messages", json=body)

    with httpx.Client(transport=Transport(path)) as client:  # type: ignore[arg-type]
        client.post(f"{server}/v1/messages", json=body)
    asyncio.run(run())
    with httpx2.Client(transport=Transport(path)) as last:
        post(last, server)
    known = [Usage(20, 10, 6, output=40)] * 2 + [CHAT_KNOWN]
    assert [exchange.usage for exchange in recorded(path)] == known


def test_async_sdks(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"

    async def run() -> None:
        transport = AsyncTransport(path)
        async with httpx2.AsyncClient(transport=transport) as http:
            gpt = openai.AsyncOpenAI(api_key="k", base_url=f"{server}/v1", http_client=http)
            claude = anthropic.AsyncAnthropic(api_key="k", base_url=server, http_client=http)
            calls = [gpt.chat.completions.create(model="m", messages=MESSAGES) for _ in range(20)]
            await asyncio.gather(*calls)
            async with claude.messages.stream(model="c", max_tokens=9, messages=MESSAGES) as stream:
                assert await stream.get_final_text() == "ANSWER" * 50
        assert transport.flush() and transport.dropped == 0

    asyncio.run(run())
    assert [exchange.usage for exchange in recorded(path)] == [CHAT_KNOWN] * 20 + [Usage(20, 10, 6, output=40)]


def test_a_full_disk_is_counted_and_said_once(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    transport = Transport("/dev/full")
    with httpx2.Client(transport=transport) as http:
        for _ in range(3):
            assert post(http, server).status_code == 200
    assert transport.dropped == 3
    assert capsys.readouterr().err == (
        "promptlint.record: /dev/full: No space left on device; losses are counted in `dropped`\n"
    )


@pytest.mark.parametrize("path", ["no/such/folder/log.jsonl", "."])
def test_a_path_that_cannot_be_written(server: str, tmp_path: Path, path: str, capsys: Any) -> None:
    transport = Transport(tmp_path / path)
    with httpx2.Client(transport=transport) as http:
        assert post(http, server).status_code == 200
    assert transport.dropped == 1


def test_bodies_that_are_no_request_and_bodies_that_are_streamed(server: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "log.jsonl"
    transport = Transport(path)
    with httpx2.Client(transport=transport) as http:
        url = f"{server}/v1/chat/completions"
        assert http.post(url, content=b"\xff no JSON").status_code == 400
        assert http.post(url, content=iter([b'{"model": "m", ', b'"messages": []}'])).status_code == 200
        assert http.post(f"{server}/v1/messages", files={"file": b"x"}).status_code == 400
        assert post(http, server).status_code == 200
    assert len(recorded(path)) == 1
    assert transport.dropped == 3


def test_errors_of_the_wrapped_transport_reach_the_caller_and_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"

    def broken(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    transport = Transport(path, httpx2.MockTransport(broken))
    with httpx2.Client(transport=transport) as http, pytest.raises(httpx2.ConnectError, match="refused"):
        post(http, "http://127.0.0.1")
    [exchange] = recorded(path)
    assert (exchange.status, exchange.usage, exchange.fields) == (None, None, {"error": "ConnectError"})


def test_a_stream_that_breaks_or_is_left_early_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    first = b'data: {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 4}}}\n\n'

    class Breaking(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield first
            yield first
            raise httpx2.ReadError("reset")

    transport = Transport(path, httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Breaking())))
    with httpx2.Client(transport=transport) as http:
        with pytest.raises(httpx2.ReadError, match="reset"):
            post(http, "http://127.0.0.1")
        with http.stream("POST", "http://h/v1/messages", json={"messages": MESSAGES}) as response:
            assert next(response.iter_raw()) == first
    assert [(exchange.request_id, exchange.usage) for exchange in recorded(path)] == [("msg_1", Usage(4))] * 2


def test_a_response_that_nobody_reads_or_closes_is_recorded(tmp_path: Path) -> None:
    class Unread(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"{}"

    path = tmp_path / "log.jsonl"
    transport = Transport(path, httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Unread())))
    request = httpx2.Request("POST", "http://h/v1/messages", json={"messages": MESSAGES})
    response = transport.handle_request(request)
    del response
    assert transport.flush()
    [exchange] = recorded(path)
    assert (exchange.status, transport.dropped) == (200, 0)


def test_a_stream_longer_than_what_is_kept_still_has_its_usage(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    begin = b'data: {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 4}}}\n\n'
    filler = b'data: {"type": "content_block_delta", "delta": {"text": "' + b"x" * 65_000 + b'"}}\n\n'
    end = b'data: {"type": "message_delta", "usage": {"output_tokens": 40}}\n\n'

    class Long(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield begin
            yield from [filler] * 200
            yield end

    transport = Transport(path, httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Long())))
    with httpx2.Client(transport=transport) as http:
        assert len(post(http, "http://127.0.0.1").content) > 12_000_000
    [exchange] = recorded(path)
    assert (exchange.request_id, exchange.usage) == ("msg_1", Usage(4, output=40))


def test_rotation_deletion_and_a_closed_descriptor(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    transport = Transport(path)
    with httpx2.Client(transport=transport) as http:
        post(http, server)
        assert transport.flush()
        path.rename(tmp_path / "log.1")
        post(http, server)
        assert transport.flush()
        path.unlink()
        post(http, server)
        assert transport.flush()
        os.close(transport._writer._descriptor)
        post(http, server)
    assert (len(recorded(tmp_path / "log.1")), len(recorded(path)), transport.dropped) == (1, 2, 0)


def test_a_queue_that_is_full_drops_and_does_not_wait(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("promptlint.record.writer._WAITING_BYTES", 100_000)
    path = tmp_path / "log.jsonl"
    transport = Transport(path)
    with httpx2.Client(transport=transport) as http:
        post(http, server, user="x" * 200_000)
        assert post(http, server).status_code == 200
    assert (len(recorded(path)), transport.dropped) == (1, 1)


SCRIPT = """
import os, sys, httpx2
from promptlint.record import Transport
answer = httpx2.MockTransport(lambda request: httpx2.Response(200, json={"id": "x"}))
transport = Transport(sys.argv[1], answer)
http = httpx2.Client(transport=transport)
def send(name):
    for number in range(100):
        body = {"messages": [{"role": "user", "content": "x" * 20_000}], "user": f"{name}-{number}"}
        http.post("http://h/v1/chat/completions", json=body)
send("before")
child = os.fork()
send("child" if child == 0 else "parent")
if child:
    os.waitpid(child, 0)
"""


def test_processes_and_forks_that_append_to_one_file(tmp_path: Path) -> None:
    """Every line is whole, none is lost or written twice; the end of a process waits for its last lines."""
    path = tmp_path / "log.jsonl"
    command = [sys.executable, "-c", SCRIPT, str(path)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    names = sorted(exchange.user for exchange in recorded(path))
    assert names == sorted(
        f"{name}-{n}" for name in ("before", "child", "parent") for n in range(100) for _ in range(2)
    )


CHILD = """
import multiprocessing, sys, httpx2
from promptlint.record import Transport
transport = Transport(sys.argv[1], httpx2.MockTransport(lambda request: httpx2.Response(200)))
def send():
    httpx2.Client(transport=transport).post("http://h/v1/messages", json={"messages": []})
if __name__ == "__main__":
    child = multiprocessing.get_context("fork").Process(target=send)
    child.start()
    child.join()
"""


def test_a_child_of_multiprocessing_writes_its_last_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, "-c", CHILD, str(path)], check=True, timeout=60)
    assert len(recorded(path)) == 1


def test_redacted_logs_keep_the_structure_and_no_word(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    system = "".join(f"Rule {n}: the Zebra clause of Acme applies.\n" for n in range(50))
    tool = {
        "name": "zebra_lookup",
        "description": "Finds a Zebra.",
        "input_schema": {"type": "object", "properties": {"zebra_id": {"type": "string", "description": "Zebra"}}},
    }
    blocks = [
        {"type": "tool_use", "id": "toolu_zebra", "name": "zebra_lookup", "input": {"zebra_id": "Zebra", "n": 4711}}
    ]
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "tools": [tool],
        "messages": [{"role": "user", "content": "Zebra?"}, {"role": "assistant", "content": blocks}],
        "metadata": {"user_id": "zebra@acme.example"},
        "zebra": {"role": "user"},
    }
    later = {**body, "system": [{**body["system"][0], "text": system.replace("Rule 40", "Regel 40")}]}  # type: ignore[index]
    with httpx2.Client(transport=Transport(path, redact=b"key")) as http:
        for sent in (body, body, later):
            http.post(f"{server}/v1/messages", json=sent)
    text = path.read_text()
    assert not [word for word in ("ebra", "cme", "ule", "4711", "clause", "Finds") if word in text]
    first, same, changed = (exchange.body for exchange in recorded(path))
    assert first == same
    assert (first["model"], first["max_tokens"]) == ("claude-sonnet-4-5", 9)
    assert first["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert [message["role"] for message in first["messages"]] == ["user", "assistant"]
    before, after = (found["system"][0]["text"].splitlines() for found in (first, changed))
    assert [n for n in range(50) if before[n] != after[n]] == [40]
    assert len(set(before)) == 50 and all(abs(len(line) - 48) <= 16 for line in before)
    [used] = first["messages"][1]["content"]
    assert used["name"] == first["tools"][0]["name"]
    assert first["tools"][0]["input_schema"]["type"] == "object"


def test_redaction_keys_differ(server: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for _ in range(2):
        with httpx2.Client(transport=Transport(path, redact=True)) as http:
            post(http, server)
    first, second = (json.dumps(exchange.body) for exchange in recorded(path))
    assert first != second and "SENT" not in first + second
