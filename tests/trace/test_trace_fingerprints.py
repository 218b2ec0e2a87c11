"""Fingerprints against the pipeline of `diff`: the same ids, ends and marks, whatever requests came before."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from promptlint import readers
from promptlint.model.source import Source
from promptlint.model.traffic import Exchange
from promptlint.pipeline.options import Options
from promptlint.pipeline.prepare import Workshop
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.options import TraceOptions

PARAGRAPH = "Answer only what was asked, name the page, and never invent a price. " * 12
WORDS = ["über", "naïve 🙂", "It is 12:04:59", "\r\n\r\nA", "\n\n/x", "1.5", "  ", "a\n \nb", "\tx", "漢字", "don't"]
MODELS = {
    "anthropic": ["claude-sonnet-4-5", "claude-opus-4-1"],
    "openai-chat": ["gpt-4o", "gpt-5.6", "deepseek-chat", "qwen-plus", "", "meta/llama"],
    "openai-responses": ["gpt-5.6", "gpt-4.1"],
    "openai-completions": ["gpt-3.5-turbo-instruct", ""],
    "gemini": ["gemini-2.5-flash"],
    "bedrock": ["anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-pro-v1:0"],
}


class Maker:
    """Random requests that share parts with each other."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._texts = [self._text() for _ in range(8)]

    def _text(self) -> str:
        parts = self._random.choices([PARAGRAPH, *WORDS], k=self._random.randint(1, 12))
        return self._random.choice(["\n\n", " ", "\n", ""]).join(parts)

    def text(self) -> str:
        return self._random.choice(self._texts) if self._random.random() < 0.8 else self._text()

    def maybe(self, value: dict[str, Any]) -> dict[str, Any]:
        return value if self._random.random() < 0.4 else {}

    def marker(self) -> dict[str, Any]:
        ttl = self._random.choice([{}, {"ttl": "1h"}])
        return {"cache_control": {"type": "ephemeral", **ttl}} if self._random.random() < 0.15 else {}

    def schema(self) -> dict[str, Any]:
        keys = self._random.sample(["b", "a", "c"], 3)
        values = [self._random.choice([1, 1.0, True, None, {"cache_control": 1}]) for _ in keys]
        return {"type": "object", "properties": dict(zip(keys, values, strict=True))}

    def body(self, wire: str) -> dict[str, Any]:
        made: dict[str, Any] = getattr(self, f"_{wire.replace('-', '_')}")()
        model = self._random.choice(MODELS[wire])
        if model:
            made["modelId" if wire == "bedrock" else "model"] = model
        return made

    def _anthropic(self) -> dict[str, Any]:
        tools = [
            {"name": f"t{number}", "description": self.text(), "input_schema": self.schema(), **self.marker()}
            for number in range(self._random.randint(0, 3))
        ]
        system = [{"type": "text", "text": self.text(), **self.marker()} for _ in range(self._random.randint(1, 3))]
        messages = []
        for number in range(self._random.randint(1, 5)):
            role = ("user", "assistant")[number % 2]
            blocks: list[dict[str, Any]] = [{"type": "text", "text": self.text(), **self.marker()}]
            if role == "assistant":
                blocks.append({"type": "tool_use", "id": "c1", "name": "t0", "input": self.schema()})
            elif number:
                image = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}
                content = self._random.choice(["done", [{"type": "image", "source": image}]])
                blocks.append({"type": "tool_result", "tool_use_id": "c1", "content": content, **self.marker()})
            messages.append({"role": role, "content": self._random.choice([self.text(), blocks])})
        return {
            "max_tokens": self._random.choice([16, 1024]),
            **self.maybe({"tools": tools}),
            **self.maybe({"system": self._random.choice([system, self.text()])}),
            "messages": messages,
            **self.maybe({"thinking": {"type": "enabled", "budget_tokens": self._random.choice([1, 2])}}),
            **self.marker(),
        }

    def _openai_chat(self) -> dict[str, Any]:
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": json.dumps(self.schema())}}
        choices = [
            {"role": "system", "content": self.text()},
            {"role": "developer", "content": [{"type": "text", "text": self.text(), **self.marker()}]},
            {"role": "user", "content": self.text()},
            {"role": "user", "content": [{"type": "text", "text": self.text()}, {"type": "image_url"}]},
            {"role": "assistant", "content": self.text(), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": self.text()},
        ]
        tool = {"type": "function", "function": {"name": "f", "description": self.text(), "parameters": self.schema()}}
        return {
            **self.maybe({"tools": [tool] * self._random.randint(1, 2)}),
            **self.maybe({"response_format": {"type": "json_schema", "json_schema": self.schema()}}),
            "messages": self._random.choices(choices, k=self._random.randint(1, 6)),
            **self.maybe({"prompt_cache_options": {"mode": "explicit"}}),
        }

    def _openai_responses(self) -> dict[str, Any]:
        items = [
            {"role": "developer", "content": self.text()},
            {"role": "user", "content": [{"type": "input_text", "text": self.text()}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": self.text()},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": self.text()}]},
        ]
        given = self._random.choice([self.text(), self._random.choices(items, k=self._random.randint(1, 6))])
        tools = {"tools": [{"type": "function", "name": "f", "parameters": self.schema()}]}
        return {**self.maybe(tools), **self.maybe({"instructions": self.text()}), "input": given}

    def _openai_completions(self) -> dict[str, Any]:
        return {"prompt": self.text(), "max_tokens": 5}

    def _gemini(self) -> dict[str, Any]:
        declaration = {"name": "f", "description": self.text(), "parameters": self.schema()}
        return {
            **self.maybe({"tools": [{"functionDeclarations": [declaration]}, {"googleSearch": {}}]}),
            **self.maybe({"systemInstruction": {"parts": [{"text": self.text()}]}}),
            "contents": [
                {"role": role, "parts": [{"text": self.text()}]}
                for role in ("user", "model", "user")[: self._random.randint(1, 3)]
            ],
        }

    def _bedrock(self) -> dict[str, Any]:
        point = [{"cachePoint": {"type": "default"}}] if self._random.random() < 0.5 else []
        tool = {"toolSpec": {"name": "f", "description": self.text(), "inputSchema": {"json": self.schema()}}}
        return {
            **self.maybe({"toolConfig": {"tools": [tool, *point], "toolChoice": {"auto": {}}}}),
            **self.maybe({"system": [{"text": self.text()}, *point, {"text": self.text()}]}),
            "messages": [
                {"role": role, "content": [{"text": self.text()}, *point]}
                for role in ("user", "assistant", "user")[: self._random.randint(1, 3)]
            ],
        }


@pytest.mark.parametrize("wire", MODELS)
def test_ids_and_marks_are_those_of_diff(wire: str) -> None:
    maker = Maker(seed=len(wire))
    fingerprinter, workshop = Fingerprinter(TraceOptions()), Workshop(Options())
    for number in range(60):
        body = maker.body(wire)
        prompt = readers.read(Source("request.json", json.dumps(body)), wire)
        policy = workshop.policy(prompt)
        prepared = workshop.prepare(prompt, policy)
        found = fingerprinter.of(Exchange("log.jsonl", number + 1, wire=wire, body=json.loads(json.dumps(body))))
        assert fingerprinter.library.flat(found.chunks) == prepared.tokens.ids
        assert found.tokens == len(prepared.tokens.ids)
        assert found.policy == policy
        assert [block_of(one) for one in found.marks.blocks] == [block_of(one) for one in prepared.marks.blocks]
        assert sorted(found.marks.keys) == sorted(prepared.marks.keys)
        assert (found.exact, found.vocabulary) == (prepared.tokens.exact, prepared.tokens.vocabulary)
        assert found.reason == prepared.tokens.reason


def block_of(block: Any) -> tuple[Any, ...]:
    return (block.end, block.section, block.path, block.marked, block.run, block.eligible, block.message)
