"""What a test needs and a machine may lack: skipped with the remedy, and a failure in CI."""

from __future__ import annotations

import os
import shutil
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
    "the real files": "set CANDIDLY_DATA to the folder that holds them",
}
AT_THE_END: list[Callable[[], Any]] = []  # what the last test leaves open (``conftest.py``)
IN_CI = ("Chromium", "PostgreSQL")  # which CI installs, so that their absence is a fault


def skip_without(what: str) -> None:
    """Skips the test that lacks ``what``, a key of ``NEEDS``; in CI it fails instead, if listed."""
    if what in IN_CI and os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing: {NEEDS[what]}", pytrace=False)
    pytest.skip(reason(what))


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
    if shutil.which("chromium") is None:
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
    path = shutil.which("chromium")
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


def postgres_program(name: str) -> str | None:
    """A program of PostgreSQL, on the path or where Debian puts it; None where it is not there."""
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(there[-1]) if there else None)


def summary(reasons: Iterable[str]) -> list[str]:
    """A line for each reason to skip, the most frequent first.

    >>> summary(["Skipped: needs CUDA", "needs root", "needs CUDA"])
    ['2 tests skipped: needs CUDA', '1 test skipped: needs root']
    """
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    return [f"{n} test{'s' * (n != 1)} skipped: {reason}" for reason, n in counts.most_common()]
