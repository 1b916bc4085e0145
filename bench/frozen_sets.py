"""docs/frozen-sets.md: candidate-set methods on what a frozen encoder sees of CIFAR-10.

python bench/frozen_sets.py            with CANDIDLY_DATA: trains what is not in the cache yet (a
                                        results directory per sweep, resumable), then writes
                                        bench/results/frozen_sets and the page; without it: writes
                                        the page from what is committed
    --cache FOLDER                      where the sweeps are trained
    --minutes N                         starts no sweep after so many minutes
    --only GROUP ...                    trains these groups of algorithms alone
python bench/frozen_sets.py --check    writes nothing; exits 1 when the page is not up to date
python bench/frozen_sets.py --quick    builds the page and writes nothing
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.append(str(Path(__file__).parents[1] / ".venv" / "encoders"))

import argparse
import tempfile
import time
from functools import partial

from _frozen_sets.page import COMMAND, PAGE, make_page
from _frozen_sets.runs import CHOSEN_BY, GROUPS, SPLITS, run, sweeps, vectors
from _frozen_study.numbers import read_study
from _kept import finished, keep
from _pages import add_options, settle
from _studies import files_of
from _text_study.numbers import steps_of

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "frozen_sets"
CACHE = Path(tempfile.gettempdir()) / "candidly-frozen-sets"


def train(data: Path, cache: Path, minutes: float, only: list[str], workers: int) -> None:
    """Every sweep that begins in time, of some groups or all, and of each a small copy to keep."""
    start, known = time.monotonic(), {}
    for sweep in sweeps():
        if only and sweep.group not in only:
            continue
        if not finished(cache / sweep.name, sweep.of.algorithms, SPLITS):
            if time.monotonic() - start > 60 * minutes:
                continue
            print(sweep.name, round(time.monotonic() - start), flush=True)
            if sweep.label_set not in known:
                known = {sweep.label_set: vectors(sweep.label_set, data, lambda done, total: None)}
            run(sweep, known[sweep.label_set], cache, workers)
        keep(cache / sweep.name, RESULTS / sweep.name, rows=partial(steps_of, criterion=CHOSEN_BY))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[], choices=GROUPS)
    add_options(parser)
    asked = parser.parse_args()
    data = os.environ.get("CANDIDLY_DATA")
    if data and not (asked.check or asked.quick):
        train(Path(data), asked.cache, asked.minutes, asked.only, asked.workers)
    settle(
        files_of(make_page(read_study(RESULTS, sweeps(), CHOSEN_BY)), PAGE, ROOT / "docs"),
        asked,
        COMMAND,
    )


if __name__ == "__main__":
    main()
