"""The PostgreSQL of the tests ends with them, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from needs import program, skip_without

TESTS = Path(__file__).parents[2]
PATIENCE_S = 120.0  # nothing is measured by it
WAITING = """
import sys
from review_databases import server

def test_that_waits(server):
    with open({told!r}, "w") as file:
        file.write(str(server))
    sys.stdin.read()
"""


def those_of(folder: str) -> list[str]:
    """Processes of the machine that name a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes()
        except OSError:
            continue
        if folder.encode() in line:
            found.append(line.replace(b"\\0", b" ").decode(errors="replace"))
    return found


def until(found, what: str):
    end = time.monotonic() + PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < end, what
        time.sleep(0.05)
    return value


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_a_killed_run_leaves_no_server_behind(tmp_path, how):
    if program("initdb") is None:
        skip_without("PostgreSQL")
    told = tmp_path / "told"
    (tmp_path / "test_waiting.py").write_text(WAITING.format(told=str(told)))
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    run = subprocess.Popen(
        [*command, "-p", "no:xdist", "-c", os.devnull, "--rootdir", tmp_path, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
    )
    with run:
        folder = until(lambda: told.exists() and told.read_text(), "no server came")
        assert those_of(folder)
        os.kill(run.pid, how)
        run.wait()
        until(lambda: not those_of(folder), "the server is still there")
        until(lambda: not Path(folder).exists(), "its folder is still there")
