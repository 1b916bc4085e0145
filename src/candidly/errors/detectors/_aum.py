"""Area under the margin, with a cut learned from samples of a class that does not exist.

Source: Pleiss et al., Identifying mislabeled data using the area under the margin ranking,
NeurIPS 2020.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ...data.labels.labelled import Labelled
from ...ground.seeds import draw
from ...learn.engine.examples import Examples, repeated
from ._detection import Detection
from ._subject import EPOCHS

PERCENTILE = 99.0


def aum(
    data: Labelled,
    *,
    epochs: int = EPOCHS,
    seed: int = 0,
    percentile: float = PERCENTILE,
    net: str | None = None,
    recipe: str | None = None,
) -> Detection:
    """Flags labels whose margin during training is below nearly all margins of threshold samples.

    A margin is the label's logit less the largest of the others, averaged over visits. Threshold
    samples are n / (m + 1) random examples that are given the class m, which nobody has; what
    their margins reach, wrong labels do. Two trainings, as one stack, have disjoint threshold
    samples, so that every example keeps its own label in one of them at least.

    Args:
        data: with ``given`` on every row.
        percentile: the percentile of the threshold samples' margins, in [0, 100].
        net, recipe: the network and how it is trained, as ``fit`` takes them.

    Returns:
        score: the percentile less the margin, the mean over the trainings in which the example
        keeps its label; above 0 is flagged. ``about`` has the two cuts.

    Raises:
        ValueError: a percentile outside [0, 100], or too few examples for threshold samples.
    """
    from ._train import examples_of, seeds_of, trained
    from ._watch import Watch

    if not 0 <= percentile <= 100:
        raise ValueError(f"percentile is {percentile}; it lies between 0 and 100.")
    n = data.n
    samples = threshold_samples(n, data.q, seed)
    examples = with_fake_class(examples_of(data, net), samples)
    rows = np.tile(np.arange(n), (2, 1))
    for r, mine in enumerate(samples):
        rows[r, mine] = n + r * len(mine) + np.arange(len(mine))
    watch = Watch()
    seeds = seeds_of("aum", seed, 2)
    trained(examples, list(rows), seeds, epochs, [watch], net=net, recipe=recipe)
    watch.visit_the_rest()
    margin = watch.record().margin
    cuts = [float(np.percentile(m[s], percentile)) for m, s in zip(margin, samples)]
    own = rows < n
    score = ((np.array(cuts)[:, None] - margin) * own).sum(0) / own.sum(0)
    return Detection(score, score > 0, about={"cuts": cuts})


def threshold_samples(n: int, q: int, seed: int) -> np.ndarray:
    """Two disjoint sets of n / (q + 1) rows: int64 (2, s).

    Raises:
        ValueError: there are fewer than q + 1 rows.
    """
    size = n // (q + 1)
    if size < 1:
        raise ValueError(f"{n} examples are too few for threshold samples of {q} classes.")
    return draw(seed, "detectors.aum").permutation(n)[: 2 * size].reshape(2, size)


def with_fake_class(examples: Examples, samples: np.ndarray) -> Examples:
    """The examples and, behind them, both sets of threshold samples under the label q."""
    rows = samples.ravel()
    fake = torch.full((len(rows),), examples.q, dtype=examples.labels["given"].dtype)
    return replace(repeated(examples, rows, {"given": fake}), q=examples.q + 1)
