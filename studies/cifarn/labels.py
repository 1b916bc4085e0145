"""Pictures of CIFAR-10 with people's labels, and with labels drawn by the same matrix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from candidly import Labelled, sources
from candidly.data.imperfect.matrix import empirical
from studies.images.runs import ROWS, read_pictures

SETS = ("aggre", "rand1", "rand2", "rand3", "worst")
MADE_SETS = ("worst", "rand1")  # which have a synthetic counterpart
SYNTHETIC = "-synthetic"  # behind the name of the set whose matrix the labels are drawn by


def read_labels(name: str, data: Path) -> Labelled:
    """All 50,000 labels of a set, with the truth."""
    return sources.load(f"cifar10n-{name}", root=data, download=False)


def read_labelled(name: str, data: Path, cache: Path) -> Labelled:
    """The pictures to learn from with the labels of ``name``, and those to test on without.

    Labels of a synthetic counterpart are dealt at random, with seed 0, by the matrix that the real
    labels of these pictures have: the same confusions equally often, on other pictures.

    Raises:
        ValueError: the labels are not of these pictures.
    """
    pictures = read_pictures("cifar10", data, cache)
    labels = read_labels(name.removesuffix(SYNTHETIC), data)
    assert pictures.truth is not None
    assert labels.given is not None
    assert labels.truth is not None
    truth = pictures.truth[:ROWS]
    if not (labels.truth[:ROWS] == truth).all():
        raise ValueError(f"cifar10n-{name}: its true labels are not those of the pictures.")
    given = np.full(pictures.n, -1)
    real = labels.given[:ROWS]
    made = name.endswith(SYNTHETIC)
    given[:ROWS] = empirical(truth, pictures.q, real, truth, exact=True) if made else real
    return replace(pictures, given=given, source=f"cifar10n-{name}")


def learned(data: Labelled) -> Labelled:
    """The pictures that have a label, without those to test on."""
    assert data.official_test is not None
    return replace(data[~data.official_test], official_test=None)


def counts(data: Path, cache: Path) -> list[dict[str, Any]]:
    """How many labels of each set are wrong among the pictures to learn from."""
    found = []
    for name in (*SETS, *(f"{one}{SYNTHETIC}" for one in MADE_SETS)):
        some = learned(read_labelled(name, data, cache))
        found.append(
            {
                "labels": name.removesuffix(SYNTHETIC),
                "synthetic": name.endswith(SYNTHETIC),
                "n": some.n,
                "wrong": int((some.given != some.truth).sum()),
            }
        )
    return found
