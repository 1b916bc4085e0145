"""docs/studies/cifarn.md: people's wrong labels on pictures, every algorithm and every detector.

Trains what is not in the cache yet: more than an hour of one core, a results directory a sweep.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
from pathlib import Path

from candidly.cli._progress import shown
from studies.cifarn.detection import run_detection
from studies.cifarn.labels import counts
from studies.cifarn.numbers import read_study
from studies.cifarn.page import COMMAND, IMAGE, PAGE, make_page
from studies.cifarn.runs import run, sweeps
from studies.kit.pages import data_to_train, files_of, options_of, settle, write_text
from studies.kit.sweeps import finished, keep

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
CACHE = Path(tempfile.gettempdir()) / "candidly-cifarn-study"


def train(data: Path, cache: Path, workers: int, names: list[str] | None = None) -> None:
    """Every sweep, and of each a small copy to keep."""
    wanted = [sweep for sweep in sweeps() if names is None or sweep.name in names]
    for number, sweep in enumerate(wanted, 1):
        print(f"{sweep.name} ({number} of {len(wanted)})", flush=True)
        if not finished(cache / sweep.name, sweep.algorithms, sweep.settings["splits"]):
            with shown() as watch:
                run(sweep, data, cache, workers, watch)
        keep(cache / sweep.name, RESULTS / sweep.name)


def page_files(docs: Path) -> dict[Path, bytes]:
    return files_of(make_page(read_study(RESULTS)), PAGE, docs)


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where sweeps are trained")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--sweep", action="append", help="train these alone (default: all)")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        train(data, asked.cache, asked.workers, asked.sweep)
        write_text(RESULTS / "labels.json", counts(data, asked.cache / "data"))
        run_detection(data, asked.cache, RESULTS)
    docs = ROOT / "docs"
    there = (docs / "images").glob(f"{IMAGE}*.svg")
    settle(page_files(docs), asked, COMMAND, there)


if __name__ == "__main__":
    main()
