"""What a machine lacks is skipped and said; in CI, what CI installs must be there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from needs import program, skip_without, summary

BROWSER_TEST = """
import needs

def test_in_a_browser():
    with needs.a_browser():
        pass
"""


def _tests_of(folder, text, settings):
    """Runs a file of tests in a folder of its own, under the ``conftest.py`` of all tests."""
    here = Path(__file__).parent
    for name in ["conftest.py", "slow_tests.txt"]:  # the second is read by the first
        shutil.copy(here / name, folder)
    (folder / "test_one.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", folder, folder],
        env={**os.environ, "PYTHONPATH": str(here), "PATH": str(folder), **settings},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("ci", "status", "line"),
    [
        ("", 0, "1 test skipped: needs Chromium (install the Debian package chromium)"),
        ("true", 1, "Chromium is missing: install the Debian package chromium"),
    ],
    ids=["elsewhere", "in CI"],
)
def test_a_machine_without_a_browser(tmp_path, ci, status, line):
    done = _tests_of(tmp_path, BROWSER_TEST, {"CI": ci})
    assert done.returncode == status, done.stdout
    assert line in done.stdout


def test_reasons_are_counted_and_the_most_frequent_comes_first():
    lines = summary(["Skipped: needs CUDA", "needs root", "needs CUDA"])
    assert lines == ["2 tests skipped: needs CUDA", "1 test skipped: needs root"]


SLOW_TEST = """
import pytest

@pytest.mark.slow
def test_slow():
    pass

def test_quick():
    pass
"""


@pytest.mark.parametrize(("seconds", "skipped"), [(-1, 1), (600, 0)], ids=["over", "not over"])
def test_no_slow_test_begins_when_the_time_is_over(tmp_path, seconds, skipped):
    done = _tests_of(tmp_path, SLOW_TEST, {"CANDIDLY_TESTS_UNTIL": str(time.time() + seconds)})
    assert done.returncode == 0, done.stdout
    told = "1 test skipped: this machine is slow, and the time that all tests were given is over"
    assert (told in done.stdout) == bool(skipped)


SERVER_TEST = """
import time
from review_databases import server

def test_with_a_server(server):
    print(server, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_killed_test_run_leaves_no_server(tmp_path):
    here = Path(__file__).parent
    if program("initdb") is None:
        skip_without("PostgreSQL")
    (tmp_path / "test_one.py").write_text(SERVER_TEST)
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-s", "-q", "--rootdir", tmp_path, tmp_path],
        env={**os.environ, "PYTHONPATH": str(here)},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        folder = next(line.strip() for line in run.stdout if "candidly-pg-" in line)
        assert served(folder)
        run.kill()
    until = time.monotonic() + 60
    while (served(folder) or Path(folder).exists()) and time.monotonic() < until:
        time.sleep(0.1)
    assert not served(folder)
    assert not Path(folder).exists()


def served(folder):
    """Whether a process has the folder among its arguments."""
    found = subprocess.run(["pgrep", "-f", f"postgres.*{folder}"], capture_output=True)
    return found.returncode == 0


INSTALLED_MEANWHILE = """
import os
import shutil
import needs

def test_before():
    assert needs.program("nginx") is None

def test_after():
    folder = os.environ["PATH"]
    open(f"{folder}/nginx", "w").write("#!/bin/sh")
    os.chmod(f"{folder}/nginx", 0o755)
    assert needs.shutil.which("nginx")
    assert needs.program("nginx") is None  # for all tests of this run
    needs._programs.cache_clear()  # as in another process of it
    assert needs.program("nginx") is None
"""


def test_a_program_that_appears_meanwhile_is_not_half_used(tmp_path):
    done = _tests_of(tmp_path, INSTALLED_MEANWHILE, {})
    assert done.returncode == 0, done.stdout


def test_tests_ask_for_programs_in_one_place():
    here = Path(__file__).parent
    asking = [path.name for path in here.rglob("*.py") if "shutil.which(" in path.read_text()]
    assert sorted(asking) == ["committed.py", "needs.py", "test_needs.py"]  # git; and this line


def test_tests_wait_for_what_a_browser_shows():
    """`is_visible()` looks once, before a page has followed a link: `expect` waits."""
    here = Path(__file__).parent
    looking = [path.name for path in here.rglob("*.py") if ".is_visible()" in path.read_text()]
    assert looking == [Path(__file__).name]  # this line
