"""docs/studies/long-tail.md: candidate sets whose classes are of unequal size.

python -m studies.long_tail            with CANDIDLY_DATA: trains what is not yet in
                                           studies/long_tail/results/runs.jsonl (a line a training;
                                           a quarter of an hour), then writes the page; without it:
                                           writes the page
    --workers N                            processes
python -m studies.long_tail --check    writes nothing; exits 1 when the page is not up to date
python -m studies.long_tail --quick    builds the page and writes nothing
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.append(str(Path(__file__).parents[2] / ".venv" / "encoders"))

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context

from studies.kit.by_rows import keep, kept
from studies.kit.pages import add_options, files_of, settle
from studies.long_tail.page import COMMAND, PAGE, make_page
from studies.long_tail.runs import trained, trainings
from studies.votes.cases import vectors

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results") / "runs.jsonl"


def train(data: Path, workers: int) -> None:
    """Every training that is not kept yet, a line behind the others as soon as it has ended."""
    vectors(data)  # encoded once, for all processes
    known = {(one["case"], one["way"], one["seed"]) for one in kept(RESULTS)}
    left = [key for key in trainings() if key not in known]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(partial(trained, data), *key) for key in left]):
            line = done.result()
            print(line["case"], line["way"], line["seed"], line["right"], flush=True)
            keep(RESULTS, line)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    add_options(parser)
    asked = parser.parse_args()
    data = os.environ.get("CANDIDLY_DATA")
    if data and not (asked.check or asked.quick):
        train(Path(data), asked.workers)
    settle(files_of(make_page(kept(RESULTS)), PAGE, ROOT / "docs"), asked, COMMAND)


if __name__ == "__main__":
    main()
