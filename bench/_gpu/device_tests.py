"""The device tests: those marked ``gpu``; on a CPU, the same ones in their form for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from _bench import Claim, at_most
from _gpu.where import Where

ROOT = Path(__file__).parents[2]
MARKED = re.compile(r"mark\.gpu|import DEVICES").search


def measure(where: Where) -> Iterator[Claim | str]:
    """Passed, failed and skipped; the failed ones by name."""
    tests = ROOT / "tests"
    files = [str(path) for path in sorted(tests.rglob("test_*.py")) if MARKED(path.read_text())]
    which = [*files, "-m", "gpu"] if where.cuda else [str(tests / "devices"), "-m", "not gpu"]
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider"]
    command += ["-o", "addopts=--strict-markers --import-mode=importlib", *which]
    wide = os.environ | {"COLUMNS": "300"}  # so that a failed test's line says why
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=wide)
    counts = {
        word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)
    }
    for line in done.stdout.splitlines():
        if re.match("(FAILED|ERROR) ", line):
            yield line[:300]
    if done.returncode not in (0, 1):
        raise RuntimeError(
            f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}"
        )
    yield Claim("device tests: passed", counts.get("passed", 0))
    yield Claim("device tests: skipped", counts.get("skipped", 0))
    yield at_most("device tests: failed", counts.get("failed", 0) + counts.get("error", 0), 0)
