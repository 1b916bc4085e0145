"""docs/studies/cifar10.md: a ranking of networks on CIFAR-10, by published and corrected labels.

Trains what is not in the cache yet: narrow networks, about 35 minutes of one core, a file a
network. With ``--scale full --device cuda`` the networks are as they are, for who has a GPU;
``--scale quick`` is two networks and five updates, to try it. ``--predictions`` takes predictions
in place of training. These three need ``--out``.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from candidly import sources
from candidly.ground.names import UnknownName
from studies.cifar10.given import given_predictions
from studies.cifar10.models import SCALES
from studies.cifar10.page import COMMAND, PAGE, make_page
from studies.cifar10.sizes import IMAGE
from studies.kit.pages import data_to_train, files_of, options_of, settle, write_text
from studies.kit.rankings import read_results, report_of, write_results

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")
CACHE = Path(tempfile.gettempdir()) / "candidly-cifar10-study"
OURS = "reduced"  # the scale of the committed page


def read_labels(data: Path) -> tuple[np.ndarray, tuple[str, ...]]:
    """Labels int64 (10000,) of the test pictures, and the classes."""
    read = sources.load("cifar10", root=data, download=False)
    assert read.official_test is not None
    assert read.truth is not None
    return read.truth[read.official_test], read.classes


def read_made(folder: Path) -> dict[str, Any]:
    """How the predictions came about."""
    return json.loads((folder / "training.json").read_text(encoding="utf-8"))


def page_of(folder: Path) -> tuple[str, dict[str, str]]:
    return make_page(read_results(folder), read_made(folder))


def trained(asked: argparse.Namespace, data: Path, labels: np.ndarray) -> tuple[dict, dict]:
    """Predictions by name, and how they came about."""
    from candidly.ground.device import check_device
    from candidly.ground.process import tune_memory
    from studies.cifar10.train import read_pictures, train

    tune_memory()
    device = check_device(asked.device)
    made = train(
        SCALES[asked.scale],
        lambda: read_pictures(data, device),
        labels,
        asked.cache / asked.scale,
    )
    return (
        {name: one.predicted for name, one in made.items()},
        {name: one.about for name, one in made.items()},
    )


def measure(asked: argparse.Namespace, data: Path, folder: Path) -> None:
    """Write predictions, report and how they came about."""
    labels, classes = read_labels(data)
    if asked.predictions is not None:
        predictions = given_predictions(asked.predictions, len(labels), classes)
        scale, networks = "given", {name: {} for name in predictions}
    else:
        scale, (predictions, networks) = asked.scale, trained(asked, data, labels)
    report = report_of(predictions, labels, data, "cifar10")
    write_results(predictions, report, folder)
    write_text(folder / "training.json", {"scale": scale, "networks": networks})


def places(asked: argparse.Namespace) -> tuple[Path, Path]:
    """Folders of results and of pages; anything but the committed scale needs one of its own."""
    if asked.out is not None:
        return asked.out, asked.out
    if asked.predictions is not None or asked.scale != OURS:
        raise ValueError("this is not the committed study: say where it goes, such as --out mine.")
    return RESULTS, ROOT / "docs"


def read_options() -> argparse.Namespace:
    parser = options_of(__doc__)
    parser.add_argument("--scale", choices=list(SCALES), default=OURS)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1")
    parser.add_argument("--cache", type=Path, default=CACHE, help="predictions, a file per model")
    parser.add_argument("--predictions", type=Path, metavar="FOLDER", help="a file per model")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="results and page")
    return parser.parse_args()


def main() -> None:
    asked = read_options()
    try:
        folder, docs = places(asked)
        if data := data_to_train(asked):
            measure(asked, data, folder)
        elif folder != RESULTS and not asked.check and not asked.quick:
            raise ValueError("CANDIDLY_DATA is not set; it names the folder that holds CIFAR-10.")
        wanted = files_of(page_of(folder), PAGE, docs)
    except (ValueError, OSError, UnknownName) as error:
        print(f"cifar10_study: {error}", file=sys.stderr)
        sys.exit(2)
    there = (docs / "images").glob(f"{IMAGE}*.svg")
    settle(wanted, asked, COMMAND, there)


if __name__ == "__main__":
    main()
