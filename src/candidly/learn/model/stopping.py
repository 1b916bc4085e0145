"""How many updates a network needs: early stopping on rows that it does not learn from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...data.labels.labelled import Labelled
from ...ground.numbers import whole
from ...ground.progress import OnProgress, part
from ..classifiers import is_classifier
from ._fit import STEPS, fit
from ._judging import check_enough, enough, judged, kind_read, reads, rights_of, to_learn_from
from ._model import Model

AUTO = "auto"  # in place of a number of updates
EVERY = 100  # updates, from one look to the next
PATIENCE = 15  # looks without a better one, after which it ends


@dataclass(frozen=True)
class Needed:
    """Where early stopping stops.

    Attributes:
        steps: after which most rows were right; the first of equals.
        right, rows: on so many of these rows, which were not learned from.
        tried: updates until it ended.
    """

    steps: int
    right: int
    rows: int
    tried: int


class _Enough(Exception):
    """No better one came for so long."""


def updates_needed(
    data: Labelled,
    name: str,
    *,
    most: int = STEPS,
    seed: int = 0,
    watch: OnProgress = lambda done, total: None,
    **options: Any,
) -> Needed:
    """After how many updates the given label, or a candidate, is predicted most often on rows that
    are not learned from: the official validation set, or else a fifth.

    No true label is read. Every 100 updates are looked at, until 15 looks in a row found no better
    one, or ``most`` updates are done. Who trains on all rows after that trains for so many updates.

    Args:
        data: what may be learned from.
        name: an algorithm, which trains a network.
        most: updates.
        seed: of which rows these are, and of the training.
        watch: called with updates done and updates in all.
        options: of ``fit``.

    Raises:
        ValueError: what ``fit`` refuses; fewer than 20 rows to judge on.
    """
    learned, seen = judged(data, seed)
    check_enough(data, seen, "steps")
    by = kind_read(name)
    best, tried = (-1, 0), 0

    def look(model: Model, done: int) -> None:
        nonlocal best, tried
        tried = done
        right = int(rights_of(model.predict_logits(seen).argmax(1), seen, by).sum())
        if right > best[0]:
            best = right, done
        elif done - best[1] >= PATIENCE * EVERY:
            raise _Enough

    with suppress(_Enough):
        fit(
            learned,
            name,
            steps=most,
            seed=seed,
            every=min(EVERY, most),
            each=look,
            watch=watch,
            **options,
        )
    return Needed(best[1], best[0], seen.n, tried)


def default_steps(data: Labelled, name: str, seed: int = 0) -> int | str:
    """``auto`` for one label a row, as far as there are enough rows for it; else 10,000.

    Measured (``bench/steps.py``): of what learns from one label a row, early stopping is ahead
    whatever share of the labels is wrong. A candidate says less: sets with many are predicted well
    after few updates already, and stopping there costs up to ten points.
    """
    return AUTO if {"given", "votes"} & {*reads(name)} and enough(data, seed) else STEPS


def fit_as_needed(
    data: Labelled,
    name: str,
    *,
    steps: int | str | None = None,
    seed: int = 0,
    watch: OnProgress = lambda done, total: None,
    **options: Any,
) -> tuple[Model, Needed | None]:
    """A model of all rows, trained for so many updates, or for as many as early stopping finds.

    Rows of an official validation set say when to stop, and are never learned from.

    Args:
        data, seed, watch: see ``fit``.
        name: an algorithm, or a classifier, for which nothing may be said that is of networks.
        steps: updates; ``auto``: those of ``updates_needed``; by default those of
            ``default_steps``.
        options: of ``fit``.

    Returns:
        The model, and what early stopping found; None where it was not asked.

    Raises:
        ValueError: what ``fit`` refuses; too few rows for early stopping that was asked for.
    """
    learned = to_learn_from(data)
    if is_classifier(name):  # which refuses what is said of a network
        return fit(learned, name, steps=steps, seed=seed, watch=watch, **options), None  # type: ignore[arg-type]
    if steps is None:
        steps = default_steps(data, name, seed)
    if steps != AUTO:
        steps = whole(steps, "steps", low=1)
        return fit(learned, name, steps=steps, seed=seed, watch=watch, **options), None
    needed = updates_needed(data, name, seed=seed, watch=part(watch, 0, 1, 2), **options)
    watch = part(watch, 1, 2, 2)
    return fit(learned, name, steps=needed.steps, seed=seed, watch=watch, **options), needed
