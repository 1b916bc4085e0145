"""docs/studies/long-tail.md: candidate sets whose classes are of unequal size.

Trains what is not in results yet: a quarter of an hour, a line a training.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context

from studies.kit.by_rows import keep, kept
from studies.kit.encoders import find_encoders
from studies.kit.pages import data_to_train, files_of, options_of, settle
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
    parser = options_of(__doc__)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        find_encoders()
        train(data, asked.workers)
    settle(files_of(make_page(kept(RESULTS)), PAGE, ROOT / "docs"), asked, COMMAND)


if __name__ == "__main__":
    main()
