"""Sweeps of a study: which are trained to their end, and what of each is committed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.journal import Journal, read_records, read_results
from candidly.compare.sweep.records import Record


def finished(folder: Path, algorithms: Iterable[str], splits: int) -> bool:
    """Whether a sweep was trained to its end: these algorithms on so many splits."""
    if not (folder / "plan.json").exists():
        return False
    runs = read_results(folder).runs
    there = {(run.algorithm, run.split) for run in runs if run.complete}
    return there >= {(name, split) for name in algorithms for split in range(splits)}


def keep(
    folder: Path,
    kept: Path,
    outcomes: bool = False,
    rows: Callable[[Sequence[Record]], Collection[int]] = lambda records: (),
) -> None:
    """A compact copy.

    Args:
        outcomes: with what each validation row adds to the records.
        rows: the steps of a run's records, of which it is kept which test rows were right.
    """
    records, _ = read_records(folder / "journal")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    shutil.copy(folder / "plan.json", kept / "plan.json")
    journal = Journal(kept / "journal")
    for key in sorted(records):
        every = sorted(records[key].values(), key=lambda one: one.step)
        steps = rows(every)
        some = [one if one.step in steps else replace(one, right=None) for one in every]
        lean = (replace(one, outcomes=None, confusion=None) for one in some)
        journal.write(some if outcomes else lean)
    journal.close()
    compact(kept)
