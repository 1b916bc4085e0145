"""docs/studies/texts.md: replaced inputs and wrong labels on real texts, every algorithm.

Trains what is not in the cache yet, a results directory a sweep: hours of one core.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
import time
from pathlib import Path

from studies.kit.pages import data_to_train, files_of, options_of, settle
from studies.kit.rows import steps_of
from studies.kit.sweeps import finished, keep
from studies.texts import crossed, losses
from studies.texts.events import read_events
from studies.texts.numbers import read_study
from studies.texts.page import COMMAND, IMAGE, PAGE, make_page
from studies.texts.runs import ALL, run, sweeps

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
CACHE = Path(tempfile.gettempdir()) / "candidly-text-study"


def train(data: Path, cache: Path, minutes: float, only: list[str]) -> None:
    """Every sweep that begins in time, of some groups or all, and of each a small copy to keep."""
    events, start = read_events(data, cache), time.monotonic()

    def begin(name: str) -> bool:
        if time.monotonic() - start > 60 * minutes:
            return False
        print(name, round(time.monotonic() - start), flush=True)
        return True

    for sweep in sweeps({name: ALL[name] for name in only or ALL}):
        if not finished(cache / sweep.name, sweep.of.algorithms, sweep.of.splits):
            if not begin(sweep.name):
                continue
            run(sweep, events, cache)
        keep(cache / sweep.name, RESULTS / sweep.name, rows=steps_of)
    crossed.train(events, cache / "crossed", RESULTS / "crossed", begin, range(crossed.DRAWS))
    if not (RESULTS / losses.FILE).exists():
        losses.write(losses.measure(events), RESULTS)


def page_files(docs: Path) -> dict[Path, bytes]:
    return files_of(make_page(read_study(RESULTS)), PAGE, docs)


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where sweeps are trained")
    parser.add_argument("--minutes", type=float, default=60, help="begin nothing after so many")
    parser.add_argument("--only", nargs="+", default=[], choices=ALL, help="these groups alone")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        train(data, asked.cache, asked.minutes, asked.only)
    docs = ROOT / "docs"
    there = (docs / "images").glob(f"{IMAGE}*.svg")
    settle(page_files(docs), asked, COMMAND, there)


if __name__ == "__main__":
    main()
