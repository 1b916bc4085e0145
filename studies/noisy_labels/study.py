"""The study's labels and its one sweep over them: results/noisy_labels, resumed by running again.

Wrong labels are drawn once for a set of labels. Its five splits differ in which rows are trained
on, so that a standard error does not hold what another draw of the noise would change.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

import candidly
from candidly import imperfect
from candidly.cli._progress import shown
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import votes_to_given
from candidly.learn.algorithms import ALGORITHMS
from candidly.people.crowd import Answers, consensus, some_answers

COMPONENTS = 64  # of LabelMe's inputs, which are 512: as many as digits have, and as quick
SETTINGS: Mapping[str, Any] = {
    "configs": 5,
    "splits": 5,
    "steps": 2000,
    "eval_every": 500,
    "test_share": 0.2,
    "net": "mlp:128",
}


@dataclass(frozen=True)
class Labels:
    """A set of labels; ``draw`` makes it from the data set of that name."""

    title: str
    data: str
    draw: Callable[[Labelled], Labelled]


def _wrong(process: str) -> Callable[[Labelled], Labelled]:
    return lambda data: imperfect.apply(data, process)


def _one_answer(data: Labelled) -> Labelled:
    """One of the answers about each image, drawn at random."""
    assert data.votes is not None
    given = votes_to_given(some_answers(data.votes, 1, seed=0), data.n, data.q)
    return replace(data, given=given, votes=None)


def _consensus(by: str) -> Callable[[Labelled], Labelled]:
    def draw(data: Labelled) -> Labelled:
        found = consensus(Answers.from_labelled(data), by=by)
        return replace(data, given=found.labels, votes=None)

    return draw


LABELS: Mapping[str, Labels] = {
    "symmetric-20": Labels("symmetric 20 %", "digits", _wrong("symmetric:rate=0.2")),
    "symmetric-40": Labels("symmetric 40 %", "digits", _wrong("symmetric:rate=0.4")),
    "symmetric-60": Labels("symmetric 60 %", "digits", _wrong("symmetric:rate=0.6")),
    "pair-40": Labels("pair 40 %", "digits", _wrong("pair:rate=0.4")),
    "instance-40": Labels("instance 40 %", "digits", _wrong("instance-label:rate=0.4")),
    "one-answer": Labels("one answer", "labelme", _one_answer),
    "majority": Labels("majority", "labelme", _consensus("majority")),
    "dawid-skene": Labels("Dawid–Skene", "labelme", _consensus("dawid-skene")),
}
# what is learned from one label per example, by what a run costs: whoever stops early has most rows
SLOW = ("dividemix",)
# which came after the runs that are committed
LATER = (
    "elr+",
    "sop+",
    "eps-softmax",
    "pes-semi",
    "promix",
    "cal",
    "cores*",
    "disc",
)
VARIANTS = (
    "label-smoothing:negative",
    "gce:truncated",
    "ldam:drw",
    "forward-t:oracle",
    "co-teaching:estimated",
    "co-teaching+:estimated",
    "jocor:estimated",
    "cnlcu-soft:estimated",
    "cnlcu-hard:estimated",
)
PAGES = tuple(
    name
    for name, page in ALGORITHMS.items()
    if name not in LATER and ("given" in page.reads or page.oracle)
)
NAMES = (*(name for name in PAGES if name not in SLOW), *VARIANTS, *SLOW)


def load(name: str) -> Labelled:
    """The labels of a name, with the truth that only measuring reads."""
    return LABELS[name].draw(reduced(candidly.load(LABELS[name].data)))


def reduced(data: Labelled) -> Labelled:
    """With the first principal components of the inputs where there are more; no label is read."""
    if data.inputs.shape[1] <= COMPONENTS:
        return data
    found = PCA(COMPONENTS, svd_solver="full").fit_transform(data.inputs.astype(np.float64))
    return replace(data, inputs=found.astype(np.float32))


def main(arguments: Sequence[str], results: Path) -> None:
    parser = argparse.ArgumentParser(prog="noisy_labels.py run", description=__doc__)
    parser.add_argument("--labels", choices=LABELS, action="append", help="(default: all)")
    parser.add_argument("--algorithms", default=",".join(NAMES))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path, default=results)
    asked = parser.parse_args(arguments)
    names = asked.labels or list(LABELS)
    with shown() as watch:
        candidly.benchmark(
            {name: load(name) for name in names},
            asked.algorithms.split(","),
            out=asked.out,
            workers=asked.workers,
            watch=watch,
            **SETTINGS,
        )
