"""Pictures that an encoder sees as nearly the same: mirrored, cut a little, or of the same moment.

A picture and its nearest other one are a pair where the tenth nearest is much farther: the nearest
has at most ``NEARER`` of that distance. So the other pictures say what is near: all digits look
alike to an encoder that was trained on photographs. What is there ten times is not found.

Distances are of vectors of length 1, in the directions in which they differ most. The comparison
of the nearest with a further one is Lowe's (IJCV 2004, section 7.1), there with the second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.seeds import draw
from ...show.grid import Grid
from ._look_alikes import groups_grid, have_two_labels

NEARER = 0.6  # of the distance to the tenth nearest; measured in bench/seen_alike.py
TENTH = 10
DIRECTIONS = 256
BUDGET = 1e12  # multiply-adds: under a minute; beyond it a sample is looked at
BLOCK_BYTES = 1 << 27  # of distances at once
EQUAL = 1e-6  # squared distances of vectors of length 1 that are rounding alone


@dataclass(frozen=True)
class SeenAlike:
    """Pairs of pictures that an encoder sees as nearly the same.

    Attributes:
        encoder: its name.
        pairs: int64 (pairs, 2), rows, the lower first; in order of the first.
        labels: int64 (n,), -1 for none. classes: their names. ids: (n,), names of the rows.
        looked_at: how many pictures were compared with all others.
    """

    encoder: str
    pairs: np.ndarray
    labels: np.ndarray
    classes: tuple[str, ...]
    ids: np.ndarray
    looked_at: int

    @property
    def apart(self) -> np.ndarray:
        """The pairs with two labels, int64 (some, 2)."""
        kept = [have_two_labels(pair, self.labels) for pair in self.pairs]
        return self.pairs[np.array(kept, bool)]

    def sentences(self) -> list[str]:
        """What follows, the most certain first."""
        found = []
        n, apart = len(self.labels), self.apart
        of = "" if self.looked_at == n else f"Of {self.looked_at:,} pictures that were compared: "
        if len(apart):
            are = "pair of pictures is" if len(apart) == 1 else "pairs of pictures are"
            have = "has" if len(apart) == 1 else "have"
            found.append(
                f"{of}{len(apart):,} {are} nearly the same to {self.encoder} and {have} different "
                f"labels, such as rows {apart[0][0]} and {apart[0][1]}: where both show the same "
                "thing, one of the labels is wrong. Look at these first."
            )
        if len(self.pairs):
            are = "pair of pictures is" if len(self.pairs) == 1 else "pairs of pictures are"
            found.append(
                f"{of}{len(self.pairs):,} {are} nearly the same to {self.encoder}, "
                "as mirrored ones are, or those of the same moment. Where they show the same, they "
                "count twice, and a row may be judged by what the other taught."
            )
        return found

    def grid(self) -> Grid:
        """The pairs, those with two labels first."""
        title = f"Pairs that {self.encoder} sees as nearly the same"
        return groups_grid(list(self.pairs), self.labels, self.classes, self.ids, title)

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "seen alike": [
                {"rows": pair.tolist(), "labels": self.labels[pair].tolist()} for pair in self.pairs
            ]
        }


def seen_alike(
    data: Labelled,
    vectors: np.ndarray,
    encoder: str,
    known: tuple[np.ndarray, ...] = (),
    watch: Callable[[int, int], None] | None = None,
) -> SeenAlike | None:
    """Pairs of pictures by what an encoder made of them; None where there are no given labels.

    Args:
        vectors: float32 (n, d).
        known: groups of rows that are near copies by their pixels; pairs of one group are left out.
        watch: called with pictures compared, and in all.
    """
    if data.given is None:
        return None
    pairs, looked_at = nearest_pairs(vectors, watch=watch)
    group = np.full(data.n, -1)
    for number, rows in enumerate(known):
        group[rows] = number
    one, other = group[pairs].T
    pairs = pairs[(one != other) | (one < 0)]
    return SeenAlike(encoder, pairs, np.asarray(data.given), data.classes, data.ids, looked_at)


def nearest_pairs(
    vectors: np.ndarray,
    budget: float = BUDGET,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, int]:
    """Rows whose nearest other one is much nearer than the tenth, with that one.

    Returns:
        pairs: int64 (pairs, 2), the lower row first, none twice, in order.
        looked_at: how many rows were compared with all others: all, or as many, drawn at random,
            as ``budget`` multiply-adds allow.
    """
    n, tell = len(vectors), watch or (lambda done, total: None)
    if n <= TENTH:
        return np.zeros((0, 2), np.int64), n
    places = _places(vectors)
    lengths, doubled = (places**2).sum(1), np.ascontiguousarray(-2 * places.T)
    count = int(min(n, max(1, budget / (n * places.shape[1]))))
    rows = np.sort(draw(0, "check.alike").permutation(n)[:count])
    found = []
    size = max(1, BLOCK_BYTES // (4 * n))
    for start in range(0, count, size):
        some = rows[start : start + size]
        apart = places[some] @ doubled
        apart += lengths  # squared distances, but for the length of each row's own place
        apart[np.arange(len(some)), some] = np.inf
        nearest, own = apart.argmin(1), lengths[some]
        least = np.maximum(apart[np.arange(len(some)), nearest] + own, EQUAL)
        near = (apart < (least / NEARER**2 - own)[:, None]).sum(1) < TENTH
        found.append(np.stack([some, nearest], 1)[near])
        tell(start + len(some), count)
    return np.unique(np.sort(np.concatenate(found), 1), axis=0), count


def _places(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1 in the directions in which they differ most, float32 (n, at most 256)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, 1)
    unit -= unit.mean(0)
    if unit.shape[1] <= DIRECTIONS:
        return unit
    _, directions = np.linalg.eigh(unit.T @ unit)
    return unit @ np.ascontiguousarray(directions[:, -DIRECTIONS:])
