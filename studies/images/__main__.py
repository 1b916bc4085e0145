"""docs/studies/images.md: algorithms for candidate sets on pictures, and the benchmark's takeaways.

Trains what is not in the cache yet: about an hour of one core, a results directory a sweep.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
from pathlib import Path

from studies.images.numbers import read_memory, read_study
from studies.images.page import COMMAND, IMAGE, PAGE, make_page
from studies.images.runs import SPLITS, run, sweeps
from studies.kit.pages import data_to_train, files_of, options_of, settle
from studies.kit.sweeps import finished, keep

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
COSTS = ROOT / "bench" / "results" / "picture_costs.json"
CACHE = Path(tempfile.gettempdir()) / "candidly-image-study"
MEMORY_OF = "densenet22"


def train(data: Path, cache: Path, workers: int) -> None:
    """Every sweep, and of each a small copy to keep."""
    for number, sweep in enumerate(sweeps(), 1):
        print(f"{sweep.name} ({number} of {len(sweeps())})", flush=True)
        if not finished(cache / sweep.name, sweep.algorithms, SPLITS):
            run(sweep, data, cache, workers)
        keep(cache / sweep.name, RESULTS / sweep.name, outcomes=True)


def page_files(docs: Path) -> dict[Path, bytes]:
    page = make_page(read_study(RESULTS), read_memory(COSTS, MEMORY_OF))
    return files_of(page, PAGE, docs)


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where sweeps are trained")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        train(data, asked.cache, asked.workers)
    docs = ROOT / "docs"
    there = (docs / "images").glob(f"{IMAGE}*.svg")
    settle(page_files(docs), asked, COMMAND, there)


if __name__ == "__main__":
    main()
