"""A server on this machine that answers as the APIs of OpenAI and Anthropic do, streamed and not."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT_USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 3,
    "total_tokens": 23,
    "prompt_tokens_details": {"cached_tokens": 16},
}
RESPONSES_USAGE = {
    "input_tokens": 20,
    "output_tokens": 3,
    "total_tokens": 23,
    "input_tokens_details": {"cached_tokens": 16},
    "output_tokens_details": {"reasoning_tokens": 0},
}
CLAUDE_USAGE = {"input_tokens": 4, "cache_creation_input_tokens": 6, "cache_read_input_tokens": 10, "output_tokens": 1}


def chat(request: dict[str, Any]) -> tuple[Any, list[Any]]:
    base = {"id": "chatcmpl-1", "created": 1, "model": request["model"]}
    message = {"role": "assistant", "content": "ANSWER"}
    whole = {**base, "object": "chat.completion", "usage": CHAT_USAGE,
             "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}  # fmt: skip
    delta = {**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": message}]}
    last = {**base, "object": "chat.completion.chunk", "choices": [], "usage": CHAT_USAGE}
    return whole, [*[delta] * 50, last, "[DONE]"]


def responses(request: dict[str, Any]) -> tuple[Any, list[Any]]:
    content = [{"type": "output_text", "text": "ANSWER", "annotations": []}]
    output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}]
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": request["model"], "status": "completed",
             "output": output, "usage": RESPONSES_USAGE, "tools": [], "tool_choice": "auto",
             "parallel_tool_calls": True,
             "prompt_cache_diagnostics": {"type": "cache_miss", "reason": "tools_changed"}}  # fmt: skip
    return whole, [{"type": "response.completed", "sequence_number": 1, "response": whole}]


def claude(request: dict[str, Any]) -> tuple[Any, list[Any]]:
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
             "content": [{"type": "text", "text": "ANSWER"}], "stop_reason": "end_turn",
             "usage": CLAUDE_USAGE}  # fmt: skip
    return whole, [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ANSWER"}}] * 50,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 40}},
        {"type": "message_stop"},
    ]


ROUTES = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": claude}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.body()
        route = ROUTES.get(self.path.split("?")[0])
        try:
            request = json.loads(raw)
            whole, events = route(request) if route else ({}, [])
        except ValueError:
            return self.answer(400, b'{"error": {"message": "no JSON"}}', "application/json")
        if request.get("stream"):
            parts = (event if isinstance(event, str) else json.dumps(event) for event in events)
            names = (event.get("type", "") if isinstance(event, dict) else "" for event in events)
            text = "".join(f"event: {name}\ndata: {part}\n\n" for name, part in zip(names, parts, strict=True))
            return self.answer(200, text.encode(), "text/event-stream")
        return self.answer(200, json.dumps(whole).encode(), "application/json")

    def body(self) -> bytes:
        """What was sent, in chunks or at once; what is left unread would be taken for the next request."""
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status: int, body: bytes, kind: str) -> None:
        if "gzip" in self.headers.get("accept-encoding", ""):
            body = gzip.compress(body)
        self.send_response(status)
        self.send_header("content-type", kind)
        if "gzip" in self.headers.get("accept-encoding", ""):
            self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # a client that finds it full retries, and the log would hold more requests


@contextmanager
def serving() -> Iterator[str]:
    """The address of a running server."""
    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
