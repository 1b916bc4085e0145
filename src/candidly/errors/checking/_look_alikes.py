"""Pictures that look like another one, and those on which there is nothing to see.

A picture that was saved again, smaller or in another format, has other bytes and looks the same.
Two are near copies where their grey values, as means of 16 x 16 cells, differ nowhere by more than
8 of 255. That finds what was saved again, and not what was cut out, mirrored or turned. Of more
than 5,000,000 pairs that may be near, such as the pictures of a film, the first are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...data.ingest.media import ENDINGS, square
from ...data.inputs.pictures import GREY, SIDE
from ...data.labels.labelled import Labelled
from ...ground.numbers import count_of
from ...show.grid import Column, Grid

CELLS = 16  # on a side
NEAR = 8  # of 255, in every cell
PLAIN = 2.0  # of 255: the standard deviation of the cells, below which there is nothing to see
GLANCE = 8  # directions in which pictures differ most
MOST_PAIRS = 5_000_000  # of pictures that are alike at a glance, and are compared cell by cell
ROWS, AT_ONCE = 2_000, 100_000  # rows and pairs at once
LISTED = 20  # groups


@dataclass(frozen=True)
class LookAlikes:
    """What was seen of n pictures.

    Attributes:
        groups: rows that are near copies of each other, int64 each, ascending; two or more.
        plain: int64, rows of one colour.
        labels: int64 (n,), -1 for none. classes: their names. ids: (n,), names of the rows.
        whole: whether all pairs were compared that may be near.
    """

    groups: tuple[np.ndarray, ...]
    plain: np.ndarray
    labels: np.ndarray
    classes: tuple[str, ...]
    ids: np.ndarray
    whole: bool = True

    @property
    def apart(self) -> tuple[np.ndarray, ...]:
        """The groups in which there are two labels."""
        return tuple(rows for rows in self.groups if have_two_labels(rows, self.labels))

    def sentences(self) -> list[str]:
        """What follows, the most certain first."""
        found = []
        least = "" if self.whole else "At least "  # there may be more among those not compared
        if self.apart:
            number, first = sum(map(len, self.apart)), self.apart[0]
            found.append(
                f"{least}{number:,} pictures are near copies of another one, and their groups have "
                f"different labels, such as rows {first[0]} and {first[1]}: where they show the "
                "same, some of these labels are wrong. Look at these first."
            )
        copies = sum(map(len, self.groups))
        if copies:
            groups = count_of(len(self.groups), "group")
            found.append(
                f"{least}{copies:,} pictures are near copies of another one, in {groups}: "
                "they count several times, and a row may be judged "
                "by what its copy taught."
            )
        if len(self.plain):
            are = "picture is" if len(self.plain) == 1 else "pictures are"
            found.append(
                f"{len(self.plain):,} {are} of one colour, such as row {self.plain[0]}: there is "
                "nothing to see."
            )
        return found

    def grid(self) -> Grid:
        """The groups, those with two labels first."""
        return groups_grid(self.groups, self.labels, self.classes, self.ids, "Near copies")

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "near copies": [
                {"rows": rows.tolist(), "labels": self.labels[rows].tolist()}
                for rows in self.groups
            ],
            "of one colour": self.plain.tolist(),
        }


def have_two_labels(rows: np.ndarray, labels: np.ndarray) -> bool:
    """Whether some of the rows have different labels, -1 for none."""
    return len({*labels[rows].tolist()} - {-1}) > 1


def groups_grid(
    groups: Sequence[np.ndarray],
    labels: np.ndarray,
    classes: tuple[str, ...],
    ids: np.ndarray,
    title: str,
) -> Grid:
    """Groups of rows with their labels, those with two labels first."""
    ordered = sorted(groups, key=lambda rows: not have_two_labels(rows, labels))
    names = [*classes, "no label"]
    lines = [
        (
            ", ".join(str(ids[row]) for row in rows.tolist()),
            ", ".join(names[k] for k in labels[rows].tolist()),
        )
        for rows in ordered[:LISTED]
    ]
    more = f": the first {LISTED} of {len(groups):,} groups" if len(groups) > LISTED else ""
    return Grid(f"{title}{more}", (Column("pictures", "name"), Column("labels", "name")), lines)


def look_alikes(data: Labelled) -> LookAlikes | None:
    """Near copies among pictures; None of other data, of small ones and of sets of candidates."""
    cells = _cells(data)
    if cells is None or data.given is None:
        return None
    seen = cells.std(1) >= PLAIN
    rows = np.flatnonzero(seen)
    groups, whole = _alike(cells[rows])
    return LookAlikes(
        tuple(rows[group] for group in groups),
        np.flatnonzero(~seen),
        np.asarray(data.given),
        data.classes,
        data.ids,
        whole,
    )


def _cells(data: Labelled) -> np.ndarray | None:
    """Mean grey values, float32 (n, 256); None where the data are no pictures of that size."""
    if data.kind.files:
        inputs = np.asarray(data.inputs)
        files = [Path(each) for each in inputs if isinstance(each, str | Path)]
        kinds = {getattr(ENDINGS.get(file.suffix.lower()), "kind", "") for file in files}
        if len(files) < data.n or kinds != {"image"}:
            return None
        return np.concatenate([_means(square(file, SIDE)[None]) for file in files])
    if not data.kind.pixels:
        return None
    images = np.asarray(data.inputs)
    if images.dtype != np.uint8 or min(images.shape[1:3]) < CELLS:
        return None
    return np.concatenate([_means(images[k : k + 512]) for k in range(0, len(images), 512)])


def _means(images: np.ndarray) -> np.ndarray:
    grey: np.ndarray = images.astype(np.float32)
    if grey.ndim == 4:
        grey = grey[..., 0] if grey.shape[-1] < 3 else grey[..., :3] @ GREY
    for axis in (1, 2):
        ends = np.linspace(0, grey.shape[axis], CELLS + 1).astype(int)
        sizes = np.diff(ends)
        grey = np.add.reduceat(grey, ends[:-1], axis=axis)
        grey = grey / (sizes[:, None] if axis == 1 else sizes)
    return grey.reshape(len(images), -1)


def _alike(cells: np.ndarray) -> tuple[list[np.ndarray], bool]:
    """Groups of rows that are near each other, through others too; whether all were compared."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(cells)
    if n < 2:
        return [], True
    near, whole = [np.zeros((2, 0), np.int64)], True
    for pairs in _at_a_glance(cells):
        if pairs is None:
            whole = False
        else:
            near.append(_compared(cells, pairs))
    one, other = np.concatenate(near, 1)
    edges = coo_array((np.ones(len(one)), (one, other)), shape=(n, n))
    _, group = connected_components(edges, directed=False)
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    found = [np.sort(part) for part in parts if len(part) > 1]
    return sorted(found, key=lambda rows: int(rows[0])), whole


def _at_a_glance(cells: np.ndarray) -> Iterator[np.ndarray | None]:
    """Pairs that may be near, int64 (2, some), by the directions in which pictures differ most.

    None comes last where there are more than ``MOST_PAIRS``. Pictures that are near in every cell
    are near in every direction, as a projection makes no distance longer.
    """
    from scipy.spatial import cKDTree

    centred = cells - cells.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    glance = (centred @ directions[:, -GLANCE:]).astype(np.float64)
    tree, radius, number = cKDTree(glance), NEAR * np.sqrt(cells.shape[1]), 0
    for start in range(0, len(cells), ROWS):
        rows = np.arange(start, min(start + ROWS, len(cells)))
        number += int(tree.query_ball_point(glance[rows], radius, return_length=True).sum())
        if number - start > 2 * MOST_PAIRS:  # each counted from both ends, and rows themselves
            yield None
            return
        beside = tree.query_ball_point(glance[rows], radius)
        one = np.repeat(rows, [len(each) for each in beside])
        other = np.concatenate([np.asarray(each, np.int64) for each in beside])
        later = one < other
        yield np.stack([one[later], other[later]])


def _compared(cells: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Those of the pairs that are near in every cell."""
    kept = []
    for start in range(0, pairs.shape[1], AT_ONCE):
        one, other = pairs[:, start : start + AT_ONCE]
        kept.append(np.abs(cells[one] - cells[other]).max(1) <= NEAR)
    return pairs[:, np.concatenate(kept)] if kept else pairs
