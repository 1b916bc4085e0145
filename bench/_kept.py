"""Sweeps of a study: which are trained to their end, and what of each is committed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.journal import Journal, read_records, read_results


def finished(folder: Path, algorithms: Iterable[str], splits: int) -> bool:
    """Whether a sweep was trained to its end: these algorithms on so many splits."""
    if not (folder / "plan.json").exists():
        return False
    runs = read_results(folder).runs
    there = {(run.algorithm, run.split) for run in runs if run.complete}
    return there >= {(name, split) for name in algorithms for split in range(splits)}


def keep(folder: Path, kept: Path, outcomes: bool = False) -> None:
    """A compact copy; ``outcomes``: with what each validation row adds to the records."""
    records, _ = read_records(folder / "journal")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    shutil.copy(folder / "plan.json", kept / "plan.json")
    journal = Journal(kept / "journal")
    for key in sorted(records):
        every = records[key].values()
        lean = (replace(one, outcomes=None, confusion=None) for one in every)
        journal.write(every if outcomes else lean)
    journal.close()
    compact(kept)
