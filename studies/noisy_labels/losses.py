"""How the losses of right and of wrong labels lie apart early in training, for each set of labels.

Plain cross-entropy (`ce`, its defaults, the study's network) trains on all rows; at the end of some
epochs each row's loss on its given label is kept apart by whether that label is right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import candidly
from candidly import fit
from candidly.data.labels.labelled import Labelled
from candidly.ground.files import replacing

from .study import LABELS, SETTINGS, load, reduced

EPOCHS = (1, 2, 5, 10, 20, 50)
SEEDS = 5
EDGES = np.linspace(0, 6, 31)  # of the histograms, in nats; the last bin holds what is above
BATCH = 64


def main(arguments: Sequence[str], results: Path) -> None:
    parser = argparse.ArgumentParser(prog="noisy_labels.py losses", description=__doc__)
    parser.add_argument("--out", type=Path, default=results / "losses.json")
    asked = parser.parse_args(arguments)
    labelme = candidly.load("labelme")
    inputs = {str(data.inputs.shape[1]): _separable(data) for data in (reduced(labelme), labelme)}
    lines = []
    for name in LABELS:
        data = load(name)
        for seed in range(SEEDS):
            lines += [{"labels": name, "seed": seed} | line for line in losses_of(data, seed)]
        print(name, flush=True)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(asked.out) as file:
        body = ",\n".join(map(json.dumps, lines))
        file.write(f'{{"labelme": {json.dumps(inputs)},\n"lines": [\n{body}\n]}}\n'.encode())


def _separable(data: Labelled) -> float:
    """Cross-validated accuracy of logistic regression on the truth: what the inputs hold."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000))
    return round(float(cross_val_score(model, data.inputs, data.truth, cv=5).mean()), 4)


def losses_of(data: Labelled, seed: int) -> list[dict[str, Any]]:
    """A line per epoch: AUROC of the loss as a score for wrong labels, and two histograms."""
    assert data.given is not None
    assert data.truth is not None
    given, wrong = torch.tensor(data.given), data.given != data.truth
    updates = data.n // BATCH
    found = []

    def watch(stack: Any, batch: Any) -> None:
        epoch, rest = divmod(stack.t, updates)
        if rest or epoch not in EPOCHS:
            return
        logits = stack.logits(0, torch.arange(data.n))
        loss = torch.nn.functional.cross_entropy(logits, given, reduction="none").double().numpy()
        found.append(
            {
                "epoch": epoch,
                "auroc": round(float(roc_auc_score(wrong, loss)), 5),
                "right": _histogram(loss[~wrong]),
                "wrong": _histogram(loss[wrong]),
            }
        )

    steps = updates * EPOCHS[-1]
    fit(data, "ce", steps=steps, seed=seed, net=SETTINGS["net"], batch_size=BATCH, watchers=[watch])
    return found


def _histogram(loss: np.ndarray) -> list[int]:
    return np.histogram(np.minimum(loss, EDGES[-1]), EDGES)[0].tolist()
