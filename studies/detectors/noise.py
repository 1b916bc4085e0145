"""Wrong labels for the study, by ``candidly.imperfect``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from candidly import imperfect
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import draw

Noise = Callable[[Labelled, float, int], Labelled]  # data, rate, seed


def named(process: str) -> Noise:
    """A process of ``imperfect.PROCESSES`` with a rate and, if it is random, a seed."""
    seeded = "seed" in imperfect.PROCESSES[process].defaults

    def made(data: Labelled, rate: float, seed: int) -> Labelled:
        return imperfect.apply(data, f"{process}:rate={rate}" + f",seed={seed}" * seeded)

    return made


def class_dependent(data: Labelled, rate: float, seed: int) -> Labelled:
    """By a random matrix: classes differ in their share of wrong labels and in where these go."""
    assert data.truth is not None
    rng, q = draw(seed, "study.class-dependent"), data.q
    shares = rng.gamma(0.3, size=(q, q)) + 1e-6
    np.fill_diagonal(shares, 0)
    wrong = rng.uniform(0.5, 1.5, q)
    wrong *= rate * data.n / (wrong @ np.bincount(data.truth, minlength=q))
    shares *= (wrong / shares.sum(1))[:, None]
    np.fill_diagonal(shares, 1 - wrong)
    given = imperfect.matrix(data.truth, q, shares, exact=True, seed=seed)
    return replace(data, given=given)


NOISES: Mapping[str, Noise] = {
    "symmetric": named("symmetric"),
    "pair": named("pair"),
    "class-dependent": class_dependent,
    "look-alike": named("lookalike"),
    "instance-dependent": named("instance-label"),
}
