"""Sets of labels from how probable a model holds each to be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ....ground.problem import Refusal

SLACK = 1e-12


def by_mass(beliefs: Sequence[Mapping[str, float]], mass: float) -> list[list[str]]:
    """The smallest sets that hold this share of each answer's belief, the likeliest label first.

    >>> by_mass([{"cat": 0.7, "dog": 0.25, "emu": 0.05}], 0.9)
    [['cat', 'dog']]
    """
    found = []
    for belief in beliefs:
        names, height = [], 0.0
        for name in sorted(belief, key=lambda name: -belief[name]):
            names.append(name)
            height += belief[name]
            if height >= mass - SLACK:
                break
        found.append(names)
    return found


def by_known(
    beliefs: Sequence[Mapping[str, float]],
    model: Sequence[str],
    item: Sequence[str],
    known: Mapping[str, str],
    classes: Sequence[str],
    error: float,
) -> list[list[str]]:
    """Sets that lack the true label in a share ``error`` of the answers at most (split conformal).

    Of each model the threshold is the lowest belief in the true label of a known item that leaves
    out no more of them, counted with one more. It holds for items like the known ones; labels that
    a model did not name have belief 0, so that a set may have to hold all classes.

    Args:
        beliefs, model, item: of each answer.
        known: label by item, drawn at random.

    Raises:
        ValueError: too few known items that a model answered.

    Source: Sadinle, Lei and Wasserman, "Least ambiguous set-valued classifiers with bounded error
    levels", JASA 2019.
    """
    threshold = {}
    for name in dict.fromkeys(model):
        mine = sorted(
            belief.get(known[i], 0.0)
            for belief, who, i in zip(beliefs, model, item)
            if who == name and i in known
        )
        out = math.floor(error * (len(mine) + 1))
        if out < 1:
            raise Refusal(
                f"{name} answered {len(mine)} items whose label is known; an error of {error:g}"
                f" needs {math.ceil(1 / error) - 1}.",
                "have more items checked",
                "take a larger `error`",
            )
        threshold[name] = mine[out - 1]
    found = []
    for belief, name in zip(beliefs, model):
        least = threshold[name]
        kept = [one for one in classes if belief.get(one, 0.0) >= least - SLACK]
        found.append(sorted(kept, key=lambda one: -belief.get(one, 0.0)))
    return found
