"""docs/studies/texts.md: replaced inputs and wrong labels on real texts, every algorithm.

python -m studies.texts              with CANDIDLY_DATA: trains what is not in the cache yet (a
                                        results directory per sweep, resumable), then writes
                                        studies/texts/results and the page; without it: writes
                                        the page from what is committed
    --cache FOLDER                      where the sweeps are trained
    --minutes N                         starts no sweep after so many minutes
    --only GROUP ...                    trains these groups of algorithms alone
python -m studies.texts --check      writes nothing; exits 1 when the page is not up to date
python -m studies.texts --quick      builds the page and writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import tempfile
import time
from pathlib import Path

from studies.kit.pages import add_options, files_of, settle
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--only", nargs="+", default=[], choices=ALL)
    add_options(parser)
    asked = parser.parse_args()
    data = os.environ.get("CANDIDLY_DATA")
    if data and not (asked.check or asked.quick):
        train(Path(data), asked.cache, asked.minutes, asked.only)
    docs = ROOT / "docs"
    there = (docs / "images").glob(f"{IMAGE}*.svg")
    settle(page_files(docs), asked, COMMAND, there)


if __name__ == "__main__":
    main()
