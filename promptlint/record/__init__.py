"""Record the requests of an OpenAI or Anthropic SDK as a log that `promptlint trace` reads.

    client = openai.OpenAI(http_client=httpx2.Client(transport=promptlint.record.Transport("log.jsonl")))

Each request to a model becomes one line: `{"ts", "url", "status", "request": body, "response": {"id", "model", "usage",
…}}`. Headers, query strings and the text of answers are never recorded. A recorder never changes, breaks or delays a
request: writing happens in a thread of its own behind a bounded queue, every error inside is swallowed and counted
(`dropped`), and at most one warning goes to standard error. It works with httpx2 and with httpx, whichever the SDK
brings along, and imports neither.
"""

from __future__ import annotations

from promptlint.record.transport import AsyncTransport, Transport

__all__ = ["AsyncTransport", "Transport"]
