"""Detectors that read a record of ordinary training, and two that look at its beginning.

All of them average over the record's K trainings.
"""

from __future__ import annotations

import numpy as np

from ...data.labels.labelled import Labelled
from ._detection import Detection
from ._watch import TrainingDynamics

EL2N_SEEDS = 10
EL2N_EPOCHS = 3


def small_loss(record: TrainingDynamics) -> Detection:
    """Score: mean of -ln p_y over the last third of the epochs, in nats. No cut.

    Source: Huang et al., O2U-Net, ICCV 2019, without its cycles of the learning rate.
    """
    return Detection(record.late_loss.mean(0))


def forgetting(record: TrainingDynamics) -> Detection:
    """Score: how often an example was right and, at its next visit, wrong; never learned: ∞.

    No cut.

    Source: Toneva et al., An empirical study of example forgetting, ICLR 2019.
    """
    return Detection(np.where(record.learned, record.forgotten, np.inf).mean(0))


def data_maps(record: TrainingDynamics) -> Detection:
    """Score: 1 - the mean over epochs of p_y, in [0, 1]. No cut.

    ``about`` has the standard deviation over epochs, the map's other axis, as ``variability``.

    Source: Swayamdipta et al., Dataset cartography, EMNLP 2020.
    """
    variability = record.own_deviation.mean(0)
    return Detection(1 - record.own.mean(0), about={"variability": variability.tolist()})


def mean_probs(record: TrainingDynamics) -> Detection:
    """Score: ln of the largest mean probability of another class, less ln of that of the label.

    The means are over the visits. Above 0 where the network took the example for another class on
    the whole. No cut: its source flags as many as are known to be wrong.

    Raises:
        ValueError: the watch kept no probabilities.

    Source: Pickler, Kamassury & Silva, Benchmarking noisy label detection methods, 2025
    (arXiv:2510.16211): average probability and logit margin, in-sample.
    """
    if record.probs_margin is None:
        raise ValueError("the record has no `probs_margin`: watch with Watch(probs=True).")
    return Detection(-record.probs_margin.mean(0))


def tracin(record: TrainingDynamics) -> Detection:
    """Score: self-influence on the last layer, Σ lr |p - e_y|² (1 + |f|²), a term per visit.

    No cut. A visit's term is the squared gradient of the last layer's weights and bias by the
    example's loss.

    Source: Pruthi et al., Estimating training data influence, NeurIPS 2020.
    """
    return Detection(record.influence.mean(0))


def el2n(
    data: Labelled,
    *,
    epochs: int = EL2N_EPOCHS,
    seeds: int = EL2N_SEEDS,
    seed: int = 0,
    net: str | None = None,
    recipe: str | None = None,
) -> Detection:
    """Score: |p - e_y| after a few epochs, the mean over several seeds trained as one stack.

    Args:
        data: with ``given`` on every row.
        epochs: the epochs of each training.
        seeds: how many.
        net, recipe: the network and how it is trained, as ``fit`` takes them.

    Returns:
        score in [0, √2]. No cut.

    Source: Paul, Ganguli & Dziugaite, Deep learning on a data diet, NeurIPS 2021.
    """
    from ._train import examples_of, seeds_of, trained

    rows = [np.arange(data.n)] * seeds
    stack = trained(
        examples_of(data, net), rows, seeds_of("el2n", seed, seeds), epochs, net=net, recipe=recipe
    )
    assert data.given is not None
    score = np.zeros(data.n)
    for k in range(seeds):
        residual = stack.whole(k).logits.double().softmax(-1).cpu().numpy()
        residual[np.arange(data.n), data.given] -= 1
        score += np.linalg.norm(residual, axis=1) / seeds
    return Detection(score)
