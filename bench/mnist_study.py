"""docs/mnist-study.md: a ranking of classifiers on MNIST, by published and by corrected labels.

python bench/mnist_study.py            with CANDIDLY_DATA: trains what is not in the cache yet
                                       (about eight CPU minutes, a file per model, resumable),
                                       then writes bench/results/mnist_study and the page;
                                       without it: writes the page from what is committed
python bench/mnist_study.py --check    writes nothing; exits 1 when the page is not up to date
python bench/mnist_study.py --quick    builds the page and writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np

from _mnist_study.corrected import corrected_labels
from _mnist_study.models import read_labels, train
from _mnist_study.page import IMAGE, make_page
from _pages import add_options, settle
from candidly._files import replacing
from candidly.stability import Report, assess, make_case, read_report

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "mnist_study"
CACHE = Path(tempfile.gettempdir()) / "candidly-mnist-study"


def report_of(predictions: dict[str, np.ndarray], data: Path) -> Report:
    """The report of these predictions, uint8 (10000,) by name."""
    original = read_labels(data)
    corrected, checked = corrected_labels(data, original)
    case = make_case(original, corrected, predictions, flagged=checked, checked=checked)
    return assess(case)


def read_predictions(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "predictions.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def write_results(predictions: dict[str, np.ndarray], data: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "predictions.npz") as file:
        np.savez_compressed(file, **predictions)
    text = json.dumps(report_of(predictions, data).as_dict(), indent=1, ensure_ascii=False)
    with replacing(folder / "report.json") as file:
        file.write(f"{text}\n".encode())


def files_of(folder: Path, docs: Path) -> dict[Path, bytes]:
    """What belongs where."""
    text, images = make_page(read_report(json.loads((folder / "report.json").read_text())))
    return {docs / "mnist-study.md": text.encode()} | {
        docs / "images" / name: svg.encode() for name, svg in images.items()
    }


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
        write_results(train(data, asked.cache), data, RESULTS)
    wanted = files_of(RESULTS, ROOT / "docs")
    there = (ROOT / "docs" / "images").glob(f"{IMAGE}*.svg")
    settle(wanted, asked, "python bench/mnist_study.py", there)


if __name__ == "__main__":
    main()
