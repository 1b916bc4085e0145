"""docs/studies/mnist.md: a ranking of classifiers on MNIST, by published and by corrected labels.

Trains what is not in the cache yet: about eight minutes of one core, a file a model.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
import warnings
from pathlib import Path

from studies.kit.pages import data_to_train, files_of, options_of, settle
from studies.kit.rankings import read_results, report_of, write_results
from studies.mnist.models import read_labels, train
from studies.mnist.page import IMAGE, PAGE, make_page

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
CACHE = Path(tempfile.gettempdir()) / "candidly-mnist-study"


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="predictions, a file per model")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        warnings.simplefilter("ignore")  # scikit-learn's, of models that stop early on purpose
        predictions = train(data, asked.cache)
        report = report_of(predictions, read_labels(data), data, "mnist")
        write_results(predictions, report, RESULTS)
    wanted = files_of(make_page(read_results(RESULTS)), PAGE, ROOT / "docs")
    there = (ROOT / "docs" / "images").glob(f"{IMAGE}*.svg")
    settle(wanted, asked, "python -m studies.mnist", there)


if __name__ == "__main__":
    main()
