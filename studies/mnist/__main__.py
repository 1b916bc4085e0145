"""docs/studies/mnist.md: a ranking of classifiers on MNIST, by published and by corrected labels.

python -m studies.mnist            with CANDIDLY_DATA: trains what is not in the cache yet
                                       (about eight CPU minutes, a file per model, resumable),
                                       then writes studies/mnist/results and the page;
                                       without it: writes the page from what is committed
python -m studies.mnist --check    writes nothing; exits 1 when the page is not up to date
python -m studies.mnist --quick    builds the page and writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import tempfile
import warnings
from pathlib import Path

from studies.kit.pages import add_options, files_of, settle
from studies.kit.rankings import read_results, report_of, write_results
from studies.mnist.models import read_labels, train
from studies.mnist.page import IMAGE, PAGE, make_page

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
CACHE = Path(tempfile.gettempdir()) / "candidly-mnist-study"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="predictions, a file per model")
    add_options(parser)
    asked = parser.parse_args()
    writes = not (asked.check or asked.quick)
    if writes and "CANDIDLY_DATA" in os.environ:
        warnings.simplefilter("ignore")  # scikit-learn's, of models that stop early on purpose
        data = Path(os.environ["CANDIDLY_DATA"])
        predictions = train(data, asked.cache)
        report = report_of(predictions, read_labels(data), data, "mnist")
        write_results(predictions, report, RESULTS)
    wanted = files_of(make_page(read_results(RESULTS)), PAGE, ROOT / "docs")
    there = (ROOT / "docs" / "images").glob(f"{IMAGE}*.svg")
    settle(wanted, asked, "python -m studies.mnist", there)


if __name__ == "__main__":
    main()
