"""Pair noise: a class is taken for one other class, its partner.

Source: Han et al., "Co-teaching", NeurIPS 2018 (the next class); Patrini et al., CVPR 2017 (some
classes of CIFAR-10 for the one they look like).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth
from ._rows import first_rows


@door
def pair(
    truth: np.ndarray,
    q: int,
    rate: float,
    partners: Mapping[int, int] | None = None,
    per_class: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """Labels of which exactly a share is wrong, each the partner of its true class.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: share of wrong labels among the examples of classes that have a partner, in [0, 1];
            by default that is all of them.
        partners: class -> what it is taken for; classes left out stay as they are. By default the
            next class, and the first for the last.
        per_class: the share is that of every class, to the nearest example.
        seed: not negative; with the same seed, what is wrong at a lower rate is wrong at a higher
            one.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: a rate outside [0, 1], a partner that is no other class, a truth out of range,
            fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    check_rate(rate)
    taken_for = _checked_partners(partners, q)
    order = draw(seed, "imperfect.pair").permutation(len(truth))
    order = order[taken_for[truth[order]] != truth[order]]
    rows = first_rows(order, truth, rate, per_class)
    given = truth.copy()
    given[rows] = taken_for[truth[rows]]
    return given


def read_partners(text: str) -> dict[int, int] | None:
    """Partners as text names them, None for ''.

    Raises:
        ValueError: text of another form, or a class twice.

    >>> read_partners("9-1/2-0")
    {9: 1, 2: 0}
    """
    if not text:
        return None
    pairs = [re.fullmatch(r"([0-9]+)-([0-9]+)", part.strip()) for part in text.split("/")]
    partners = {int(found[1]): int(found[2]) for found in pairs if found}
    if len(partners) < len(pairs):
        raise ValueError(
            f"pair:to={text!r}; write each class once, with its partner, as in to=9-1/2-0."
        )
    return partners


def _checked_partners(partners: Mapping[int, int] | None, q: int) -> np.ndarray:
    """int64 (q,): what each class is taken for, itself where it has no partner."""
    classes = np.arange(q)
    if partners is None:
        return (classes + 1) % q
    taken_for = classes.copy()
    for label, partner in partners.items():
        if not (0 <= label < q and 0 <= partner < q) or label == partner:
            raise ValueError(
                f"`partners` takes class {label} for {partner}; both must be in 0..{q - 1}, and"
                " different. Leave out classes that stay as they are."
            )
        taken_for[label] = partner
    return taken_for
