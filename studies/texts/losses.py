"""How far losses tell replaced and wrongly labelled rows from the others, epoch by epoch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from candidly import fit
from candidly.ground.seeds import draw

from .events import Events, made
from .runs import BATCH, EPOCHS, PER_EPOCH, VALIDATION

FILE = "losses.json"
NOISES = (("replaced", 40), ("symmetric", 40))
AFTER = (1, 2, 4, EPOCHS)  # epochs; the paper shows the fourth
WIDTH, BINS = 0.25, 48  # of a bin, in nats; the last one has all that is above


def measure(events: Events) -> list[dict[str, Any]]:
    """For each noise and epoch: rows of either kind in bins of the loss, and the area under ROC.

    Cross-entropy on a linear layer, as in the study; the losses are of the rows it learns from.
    """
    found = []
    for kind, percent in NOISES:
        whole = made(events, kind, percent)
        learned = np.flatnonzero(~events.test)
        order = draw(0, "text_study.losses").permutation(learned)
        rows = np.sort(order[: round((1 - VALIDATION) * len(order))])
        assert whole.given is not None
        moved = (np.asarray(whole.inputs)[rows] != events.vectors[rows]).any(1)
        wrong = moved | (whole.given[rows] != events.truth[rows])
        data = whole[rows]
        for epoch in AFTER:
            model = fit(data, "ce", steps=epoch * PER_EPOCH, net="linear", batch_size=BATCH)
            assert model.suspicion is not None
            losses = np.minimum(model.suspicion / WIDTH, BINS - 1).astype(int)
            counts = [np.bincount(losses[which], minlength=BINS) for which in (~wrong, wrong)]
            found.append(
                {
                    "kind": kind,
                    "percent": percent,
                    "epoch": epoch,
                    "right": counts[0].tolist(),
                    "wrong": counts[1].tolist(),
                    "area": round(area(model.suspicion, wrong), 4),
                }
            )
    return found


def area(scores: np.ndarray, wrong: np.ndarray) -> float:
    """How often a wrong row has a higher score than a right one, ties half: the area under ROC."""
    ranks, count = rankdata(scores), int(wrong.sum())
    above = ranks[wrong].sum() - count * (count + 1) / 2
    return float(above / (count * (len(scores) - count)))


def write(found: list[dict[str, Any]], folder: Path) -> None:
    """A line for each noise and epoch."""
    lines = ",\n".join(json.dumps(one) for one in found)
    (folder / FILE).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read(folder: Path) -> list[dict[str, Any]]:
    path = folder / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
