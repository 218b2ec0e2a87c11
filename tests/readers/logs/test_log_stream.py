"""What every log reader stands on: containers, compression, broken lines, detection."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from log_checks import Log, read_bytes
from log_samples import SAMPLES

from promptlint.model.errors import ConfigError, InputError
from promptlint.model.traffic import BadLine
from promptlint.readers import logs
from promptlint.readers.logs import lines
from promptlint.readers.logs.repeated import Parser
from promptlint.readers.logs.times import seconds

BODY = {"model": "gpt-5.1", "messages": [{"role": "user", "content": "hé"}]}
LINE = json.dumps(BODY).encode()


def texts(log: Log) -> list[Any]:
    return [exchange.body["messages"][0]["content"] for exchange in log.exchanges]


def test_broken_lines_are_counted_with_number_and_reason_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [
        b"\xef\xbb\xbf" + LINE,
        b"",
        LINE + b"\r",
        b'{"model": nonsense}',
        b"\0\0\0\0",
        b'{"messages": "\xff"}',
        b"[" * 100_000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"INFO: not JSON at all",
        b'{"level": "info"}',
        b"17",
        LINE,
        LINE[:30],
    ]
    log = read_bytes(tmp_path, b"\n".join(lines))
    assert [exchange.line for exchange in log.exchanges] == [1, 3, 12]
    reasons = {bad.line: bad.why for bad in log.bad}
    assert sorted(reasons) == [4, 5, 6, 7, 8, 9, 10, 11, 13]
    assert reasons[4].startswith("is not JSON: ") and reasons[4].endswith("at column 11")
    assert "NUL" in reasons[5]
    assert reasons[6] == "is not UTF-8 at byte 15"
    assert reasons[10] == "holds neither a request nor a usage that is known"
    assert reasons[13] == "is not whole JSON, and the file ends in it: the last record was cut off"
    assert not any("nonsense" in why or "INFO" in why for why in reasons.values()), "reasons quote no text of the log"


def test_a_line_above_the_limit_is_skipped_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LIMIT", 1 << 20)
    long = b'{"prompt": "' + b"x" * 3_500_000 + b'"}'
    log = read_bytes(tmp_path, b"\n".join((LINE, long, LINE, long)))
    assert [exchange.line for exchange in log.exchanges] == [1, 3]
    assert [(bad.line, bad.why) for bad in log.bad] == [(line, "longer than 1 MiB; skipped") for line in (2, 4)]


def test_a_line_of_50_mb_is_read(tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "x" * 50_000_000}]}
    log = read_bytes(tmp_path, json.dumps(body).encode() + b"\n" + LINE)
    assert (len(texts(log)[0]), texts(log)[1], log.bad) == (50_000_000, "hé", [])


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_logs_are_read_as_far_as_they_go(tmp_path: Path, pack: Any) -> None:
    noise = [json.dumps({**BODY, "user": str(i * 2_654_435_761 % 2**32)}).encode() + b"\n" for i in range(20_000)]
    packed = pack(b"".join(noise))
    assert len(read_bytes(tmp_path, packed).exchanges) == 20_000
    assert len(read_bytes(tmp_path, packed + packed).exchanges) == 40_000, "rotated files are joined"
    cut = read_bytes(tmp_path, packed[: len(packed) // 2])
    assert 0 < len(cut.exchanges) < 20_000
    assert cut.bad and cut.bad[-1].line >= len(cut.exchanges)
    damaged = read_bytes(tmp_path, packed[:10] + b"\x55" * 40 + packed[50:])
    assert damaged.bad


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("size", [5, 20, -1])
def test_a_compressed_log_that_is_cut_off_anywhere_says_so(tmp_path: Path, pack: Any, size: int) -> None:
    assert len(read_bytes(tmp_path, pack(LINE * 10)[:size]).bad) == 1
    whole = pack(LINE + b"\n")
    log = read_bytes(tmp_path, whole + whole[:size])
    assert log.exchanges and [bad.line for bad in log.bad] == [len(log.exchanges) + 1]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_what_follows_a_compressed_log_does_not_take_its_requests_away(tmp_path: Path, pack: Any) -> None:
    log = read_bytes(tmp_path, pack((LINE + b"\n") * 50) + b"garbage")
    assert (len(log.exchanges), len(log.bad)) == (50, 1)


def test_a_zstd_bomb_is_unpacked_a_piece_at_a_time(tmp_path: Path) -> None:
    bomb = zstandard.compress(b" " * (300 << 20))
    tracemalloc.start()
    log = read_bytes(tmp_path, bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not log.exchanges and most < 500 << 20


def test_values_that_nest_too_deeply_to_be_learned_are_parsed_every_time() -> None:
    parser = Parser()
    for depth in (300, 1000):
        line = json.dumps({"system": ["x" * 3000], "tools": ["t"]}).replace('"t"', "[" * depth + "]" * depth).encode()
        assert [parser.loads(line)["system"] for _ in range(3)] == [["x" * 3000]] * 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_700_000_000, 1.7e9),
        (1_700_000_000_000_000_000, 1.7e9),
        ("1700000000.5", 1_700_000_000.5),
        ("2262-04-12T00:00:00Z", 9_223_372_800.0),
        ("9999-12-31T23:59:59-14:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        (1e30, None),
        (-1e18, None),
        (float("nan"), None),
        (float("inf"), None),
        ("9" * 400, None),
        (True, None),
        ("²", None),
    ],
)
def test_a_time_is_one_that_a_date_can_name(value: object, expected: float | None) -> None:
    assert seconds(value) == expected


def test_half_a_surrogate_pair_is_no_broken_line(tmp_path: Path) -> None:
    r"""`"\ud83d"` stands in logs of programs that cut text by UTF-16 units; the pair and an escaped backslash stay."""
    line = rb'{"messages": [{"role": "user", "content": "a\ud83d b\ud83d\ude00 c\\ud83d"}]}'
    log = read_bytes(tmp_path, line)
    assert texts(log) == ["a\ufffd b😀 c\\ud83d"] and log.bad == []


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_json_array_is_read_by_elements_with_their_lines(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps([BODY, BODY, BODY], indent=indent)
    log = read_bytes(tmp_path, text.encode())
    assert len(log.exchanges) == 3 and log.bad == []
    if indent:
        begins = [number for number, line in enumerate(text.split("\n"), 1) if line == " " * indent + "{"]
        assert [exchange.line for exchange in log.exchanges] == begins


def test_documents_one_after_the_other_as_jq_prints_them(tmp_path: Path) -> None:
    pretty = json.dumps(BODY, indent=2)
    log = read_bytes(tmp_path, "\n".join((pretty, pretty.replace('"role"', "role"), pretty)).encode())
    height = pretty.count("\n") + 1
    assert [exchange.line for exchange in log.exchanges] == [1, 2 * height + 1]
    assert [bad.line for bad in log.bad] == [height + 1]


@pytest.mark.parametrize(
    "around",
    [
        {"object": "list", "has_more": False},
        {"meta": {"page": 1, "limit": 50, "totalItems": 2, "totalPages": 1}},
        {"error": None},
        {"total": 2, "page": 1, "page_size": 50, "total_pages": 1},
    ],
    ids=["openai", "langfuse", "helicone", "litellm"],
)
def test_a_page_of_an_api_is_its_elements(tmp_path: Path, around: dict[str, object]) -> None:
    log = read_bytes(tmp_path, json.dumps({"data": [BODY, BODY], **around}).encode())
    assert len(log.exchanges) == 2


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(LINE + b"\n" + LINE))))
    monkeypatch.setattr("sys.stdin", stdin)
    bad: list[BadLine] = []
    assert [exchange.file for exchange in logs.read("-", None, bad.append)] == ["-", "-"]


def test_an_empty_log_has_no_exchange(tmp_path: Path) -> None:
    for content in (b"", b"\n\r\n\n", b"\xef\xbb\xbf"):
        log = read_bytes(tmp_path, content)
        assert (log.exchanges, log.bad) == ([], [])


def test_a_line_that_is_null_is_named(tmp_path: Path) -> None:
    log = read_bytes(tmp_path, b"null\n" + b"\n".join([LINE] * 30) + b"\nnull\n" + LINE)
    assert (len(log.exchanges), [bad.line for bad in log.bad]) == (31, [1, 32])


def test_a_file_of_broken_lines_only_is_read_to_its_end(tmp_path: Path) -> None:
    log = read_bytes(tmp_path, b"what\nis\nthis\n" * 100)
    assert (len(log.exchanges), len(log.bad)) == (0, 300)
    log = read_bytes(tmp_path, b"a,b\rc,d\n")
    assert [bad.line for bad in log.bad] == [1], "no CSV header"


@given(st.data())
def test_damaged_logs_never_raise(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A log of any format with bytes replaced, cut out, repeated or lost at its end, plain or compressed."""
    content = data.draw(st.sampled_from([content for _, _, content in SAMPLES]))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(at, min(len(content), at + 40)))
        new = data.draw(st.sampled_from([b"", b"\0", b"\xff", b'"', b"{", b"]", b"\n", b"null", b"-1", content[:99]]))
        content = content[:at] + new + content[end:]
    if data.draw(st.booleans()):
        content = gzip.compress(content)[: data.draw(st.integers(0, 2000)) or None]
    folder = tmp_path_factory.mktemp("damaged")
    with suppress(InputError):  # of no known format, for one
        read_bytes(folder, content)


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    bad: list[BadLine] = []
    with pytest.raises(InputError, match="no known log format"):
        read_bytes(tmp_path, b'{"level": "info"}\n' * 3)
    for path, said in ((tmp_path / "absent.jsonl", "no such file"), (tmp_path, "name the logs in it")):
        with pytest.raises(InputError, match=said):
            list(logs.read(str(path), None, bad.append))
    with pytest.raises(ConfigError, match="unknown log format 'nope'; known are"):
        list(logs.read("x", "nope", bad.append))
