"""What git has, for tests that compare pages with results while a run writes more beside them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

needs_results = pytest.mark.skipif(  # the sdist leaves them out
    not (ROOT / "bench" / "results").exists(), reason="comes without bench/results"
)


def committed(folder: str, into: Path) -> Path:
    """The files below ``folder`` as they are in git's index, copied; without git, as they are.

    Args:
        folder: a path in the repository, such as ``bench/results``.
        into: an empty folder.
    """
    if not (ROOT / folder).exists():
        pytest.skip(f"this copy comes without {folder}")
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return ROOT / folder
    git = ("git", "-C", str(ROOT))
    files = subprocess.run([*git, "ls-files", "-z", folder], capture_output=True, check=True).stdout
    copy = [*git, "checkout-index", "-z", "--stdin", f"--prefix={into}/"]
    subprocess.run(copy, input=files, check=True)
    return into / folder


def journal_of(folder):
    """A committed journal, read as the table it is: by run and step, what was measured."""
    import polars as pl

    [path] = (folder / "journal").iterdir()
    found = {}
    for row in pl.read_parquet(path).to_dicts():
        validation, test = json.loads(row["measures"])
        row["validation"] = {name: row.pop(f"validation.{name}") for name in validation}
        row["test"] = {name: row.pop(f"test.{name}") for name in test}
        found.setdefault(row["key"], {})[row["step"]] = row
    return found
