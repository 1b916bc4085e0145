"""How many updates a network needs: early stopping on rows that it does not learn from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...data.labels.labelled import Labelled
from ._fit import STEPS, fit
from ._model import Model
from .compared import SHARE, check_enough, reads_sets, rights_of

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
    watch: Callable[[int, int], None] = lambda done, total: None,
    **options: Any,
) -> Needed:
    """After how many updates the given label, or a candidate, is predicted most often on a fifth
    of the rows, which are not learned from.

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
    split = data.split(seed, test=0.0, validation=SHARE)
    learned, seen = data[split.train], data[split.validation]
    check_enough(data, seen, "steps")
    sets = reads_sets(name)
    best, tried = (-1, 0), 0

    def look(model: Model, done: int) -> None:
        nonlocal best, tried
        tried = done
        right = int(rights_of(model.predict_logits(seen).argmax(1), seen, sets).sum())
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
