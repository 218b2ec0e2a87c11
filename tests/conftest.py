"""What every test stands on: no network, a scrubbed environment, the command line in process."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from support import ROOT, Run

# Machines that share their cores make single examples slow at random; a deadline would only make tests flaky.
settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

KEPT_VARIABLES = ("PATH", "VIRTUAL_ENV", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
KEPT_PREFIXES = ("PYTEST_", "COVERAGE_", "COV_")
SET_VARIABLES = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "HF_HUB_OFFLINE": "1",
    "PIP_NO_INDEX": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    # Sockets of child processes are out of reach of the block below; the discard port refuses what honours proxies.
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-readme", action="store_true", help="rewrite the generated blocks of the Markdown pages")


@pytest.fixture(scope="session", autouse=True)
def scrubbed_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The same environment on every machine, for tests and for the processes that they start."""
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name not in KEPT_VARIABLES and not name.startswith(KEPT_PREFIXES):
                patch.delenv(name)
        for name, value in SET_VARIABLES.items():
            patch.setenv(name, value)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Only loopback and Unix sockets connect, and no name is looked up."""

    def loopback(host: object) -> bool:
        return host in (None, "", "localhost", "::1") or str(host).startswith("127.")

    def guard(method: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any, *args: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not loopback(address[0]):
                raise AssertionError(f"a test tried to reach {address!r}")
            return method(self, address, *args)

        return connect

    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not loopback(host):
            raise AssertionError(f"a test tried to look up {host!r}")
        return resolve(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guard(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", guard(socket.socket.connect_ex))
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


@pytest.fixture
def promptlint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """`promptlint("diff", "a.json", "b.json", cwd=folder)` runs the real command line in this process."""

    def run(*arguments: str, cwd: Path = ROOT) -> Run:
        from promptlint.cli import main

        monkeypatch.chdir(cwd)
        monkeypatch.setattr("sys.argv", ["promptlint", *arguments])
        capsys.readouterr()
        try:
            status: object = main()
        except SystemExit as stop:
            status = stop.code
        captured = capsys.readouterr()
        assert status is None or isinstance(status, int), status
        return Run(status or 0, captured.out, captured.err)

    return run
