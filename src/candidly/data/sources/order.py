"""Pictures in another order: the place of each in a reference, by what they look like."""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.progress import OnProgress

PARTS = 4  # of a picture's height and width: a descriptor has the mean of each of 4 x 4 parts
BLOCK = 256  # pictures that are compared at once: 50 MB for 50,000 references
WORST = 24.0  # grey levels, root mean square: what JPEG may do to a small picture
CLEAR = 1.05  # how many times as far the next best must be
ROUNDING = 1e-4  # of float32, relative to the squares in it


@door(apart=["reference"])
def match_order(
    pictures: np.ndarray,
    reference: np.ndarray,
    watch: OnProgress = lambda done, total: None,
    worst: float = WORST,
) -> np.ndarray:
    """The place in ``reference`` of each picture: of a shuffled copy, or some of it.

    Exact: the nearest of all by the root mean square difference of pixels. Means over parts of
    pictures bound it from below, so that only a few are looked at whole. Copies may have been
    through JPEG. ``reference[places]`` then goes with ``pictures``, and so do labels and ids in the
    order of the reference.

    Args:
        pictures: uint8 (n, h, w[, c]).
        reference: uint8 (m, h, w[, c]).
        watch: called with pictures done and in all.
        worst: how far a picture may be from its place, in grey levels (0 to 255, root mean square).

    Returns:
        int64 (n,), each place once.

    Raises:
        ValueError: arrays that cannot be compared; a picture that is like none of the reference;
            one that several are alike to; or two with the same place.

    >>> reference = np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3), np.uint8)
    >>> match_order(reference[[3, 0, 4]], reference).tolist()
    [3, 0, 4]
    """
    _check(pictures, reference)
    places = np.zeros(len(pictures), np.int64)
    described = part_means(reference)
    for start in range(0, len(pictures), BLOCK):
        watch(start, len(pictures))
        block = pictures[start : start + BLOCK]
        places[start : start + BLOCK] = _nearest(block, reference, described, start, worst)
    _check_once(places)
    return places


def _check(pictures: np.ndarray, reference: np.ndarray) -> None:
    for name, array in (("pictures", pictures), ("reference", reference)):
        if array.dtype != np.uint8 or array.ndim not in (3, 4) or not array.size:
            raise ValueError(
                f"`{name}` is {array.dtype} {array.shape}; give uint8 (n, height, width) or (n,"
                " height, width, channels)."
            )
    if pictures.shape[1:] != reference.shape[1:]:
        raise ValueError(
            f"`pictures` are {pictures.shape[1:]} and `reference` is {reference.shape[1:]} each;"
            " only pictures of one size can be compared."
        )
    if min(pictures.shape[1:3]) < PARTS:
        raise ValueError(f"pictures of {pictures.shape[1:3]} pixels are too small to tell apart.")


def part_means(pictures: np.ndarray) -> np.ndarray:
    """float32 (n, k): what pictures look like from afar, the mean of each of 4 x 4 parts.

    Each is from the middle grey and times the root of the part's size, so that two of these are no
    further apart than the pictures.

    Args:
        pictures: uint8 (n, h, w[, c]).
    """
    n, height, width = pictures.shape[:3]
    rows, columns = (np.arange(PARTS) * side // PARTS for side in (height, width))
    sums = np.empty((n, PARTS, PARTS, int(np.prod(pictures.shape[3:]))), np.float32)
    for start in range(0, n, BLOCK):
        block = pictures[start : start + BLOCK].reshape(-1, height, width, sums.shape[-1])
        by_rows = np.add.reduceat(block, rows, 1, np.int32)
        sums[start : start + BLOCK] = np.add.reduceat(by_rows, columns, 2)
    sizes = np.outer(*(np.diff([*at, side]) for at, side in ((rows, height), (columns, width))))
    centred = sums / np.sqrt(sizes, dtype=np.float32)[None, :, :, None]
    return (centred - np.sqrt(sizes)[:, :, None] * 127.5).astype(np.float32).reshape(n, -1)


def _nearest(
    block: np.ndarray, reference: np.ndarray, described: np.ndarray, start: int, worst: float
) -> np.ndarray:
    """int64 (b,), the nearest of the reference to each picture of a block."""
    own = part_means(block)
    norms = (described**2).sum(1)
    bounds = own @ described.T
    bounds *= -2
    bounds += norms
    bounds += (own**2).sum(1)[:, None]
    slack = ROUNDING * (norms.max() + (own**2).sum(1))
    pixels = int(np.prod(block.shape[1:]))
    near = squared_gaps(block, reference, np.arange(len(block)), bounds.argmin(1))
    reach = CLEAR**2 * np.minimum(near, worst**2 * pixels) + slack
    rows, columns = np.nonzero(bounds <= reach[:, None])
    squares = squared_gaps(block, reference, rows, columns)
    best = near.copy()  # of those too far for a copy an upper bound
    np.minimum.at(best, rows, squares)
    alike = squares <= CLEAR**2 * best[rows]
    several = np.bincount(rows[alike], minlength=len(block)) > 1
    distances = np.sqrt(best / pixels)
    if (distances > worst).any():
        row = int(distances.argmax())
        raise ValueError(
            f"picture {start + row} is like none of the reference: the nearest differs by some"
            f" {distances[row]:.0f} grey levels (root mean square), and a copy by at most"
            f" {worst:g}. Check that both are of the same collection, size and colours."
        )
    if several.any():
        row = int(several.argmax())
        found = columns[alike & (rows == row)]
        raise ValueError(
            f"picture {start + row} is equally like {len(found)} of the reference, at"
            f" {', '.join(map(str, found[:5]))}: its place cannot be told. Leave it out, or match"
            " by ids."
        )
    found = np.zeros(len(block), np.int64)
    exact = squares == best[rows]
    found[rows[exact]] = columns[exact]
    return found


def squared_gaps(
    block: np.ndarray, reference: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """float64, the squared differences of pairs of pictures, summed over pixels.

    Args:
        rows, columns: of each pair, the picture of ``block`` and that of ``reference``.
    """
    found = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        piece = slice(start, start + BLOCK)
        gap = block[rows[piece]].astype(np.float32) - reference[columns[piece]]
        found[piece] = (gap.reshape(len(gap), -1) ** 2).sum(1, dtype=np.float64)
    return found


def _check_once(places: np.ndarray) -> None:
    counts = np.bincount(places)
    if counts.max() > 1:
        place = int(counts.argmax())
        two = np.flatnonzero(places == place)[:2]
        raise ValueError(
            f"pictures {two[0]} and {two[1]} have the same place in the reference, {place}: one of"
            " them is there twice."
        )
