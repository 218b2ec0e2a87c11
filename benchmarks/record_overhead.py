"""What recording adds to a request: the same requests to a local server with and without `promptlint.record`.

    python benchmarks/record_overhead.py [--requests 1000] [--kilobytes 130]

Prints the median and the 99th percentile of the time of one request, and the processor time that the calling thread
spends on it, which a busy machine hardly changes. The clients take turns so that all see the same machine. The server
is another process and answers at once, so that what is left is the client's own work.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

import httpx2

from promptlint.record import Transport

ANSWER = b'{"id": "x", "model": "m", "usage": {"prompt_tokens": 30000, "completion_tokens": 1}}'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_: object) -> None:
        pass


def serve(ready: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready.send(server.server_port)
    server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--kilobytes", type=int, default=130)
    options = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1/chat/completions"
    text = ("The quick brown fox jumps over the lazy dog.\n" * 100_000)[: options.kilobytes * 1000]
    with tempfile.TemporaryDirectory() as folder:
        recorded = Transport(Path(folder) / "plain.jsonl")
        redacted = Transport(Path(folder) / "redacted.jsonl", redact=True)
        clients = {
            "not recorded": httpx2.Client(),
            "recorded": httpx2.Client(transport=recorded),
            "recorded, redacted": httpx2.Client(transport=redacted),
        }
        times: dict[str, list[float]] = {name: [] for name in clients}
        work: dict[str, list[float]] = {name: [] for name in clients}
        for number in range(options.requests + 20):
            body = {"model": "m", "messages": [{"role": "user", "content": f"{text}{number}"}]}
            names = list(clients)
            for name in names[number % 3 :] + names[: number % 3]:
                client = clients[name]
                begin, worked = time.perf_counter(), time.thread_time()
                client.post(url, json=body)
                if number >= 20:
                    times[name].append(time.perf_counter() - begin)
                    work[name].append(time.thread_time() - worked)
        for client in clients.values():
            client.close()
        lost = recorded.dropped + redacted.dropped
    print(f"{options.requests} requests of {options.kilobytes} KB each, {lost} dropped\n")
    print(f"{'':20}median, ms  99 %, ms  work, ms")
    for name, found in times.items():
        numbers = (statistics.median(found), statistics.quantiles(found, n=100)[98], statistics.median(work[name]))
        print(f"{name:20}" + "".join(f"{1000 * number:10.3f}" for number in numbers))
    server.terminate()


if __name__ == "__main__":
    main()
