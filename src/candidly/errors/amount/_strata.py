"""Which rows to check, so that their answers make a count."""

from __future__ import annotations

import numpy as np

from ...ground.names import made_by
from ...ground.numbers import whole
from ...stats.checked import RowsToCheck
from ._result import WrongLabels

EDGES = (0.1, 0.5)  # chances between which a stratum ends
LEAST = 5  # rows of a stratum
RARE = 0.01  # the chance that is reckoned with where the premise has none: it may not hold
MOST = 1000  # up to which a longer list begins with a shorter one


def rows_to_check(found: WrongLabels, count: int, seed: int = 0) -> RowsToCheck:
    """Rows for people to check, so that their answers make a count.

    Strata are chances above a half, above a tenth, and the rest. Of a stratum of N labels with mean
    chance p, N sqrt(p (1 - p)) tells how many are drawn (Neyman's allocation), five at least.

    Args:
        found: what ``errors.estimate`` returns.
        count: how many, 15 at least; of fewer labels, all.
        seed: of what is drawn. The first 100 rows are the same, however many follow up to 1,000.

    Raises:
        ValueError: fewer, or something else.
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    count = whole(count, "count", low=LEAST * (1 + len(EDGES)))
    rng = np.random.default_rng(whole(seed, "seed", 0))
    labelled = np.flatnonzero(found.has_label)
    chance = np.full(len(labelled), np.nan) if found.why else found.chance[labelled]
    of = np.searchsorted(EDGES, np.nan_to_num(chance), side="right")
    used = [k for k in range(len(EDGES) + 1) if (of == k).any()]
    members = [labelled[of == k] for k in used]
    sizes = np.array([len(rows) for rows in members])
    mean = np.array([chance[of == k].mean() for k in used])
    reckoned = np.clip(np.nan_to_num(mean), RARE, 1 - RARE)
    spread = sizes * np.sqrt(reckoned * (1 - reckoned))
    stratum = _order(spread, sizes, min(count, len(labelled)))
    drawn = np.empty(len(stratum), np.int64)
    for k, rows in enumerate(members):
        some = rng.choice(rows, min(max(count, MOST), len(rows)), replace=False)
        here = stratum == k
        drawn[here] = some[: np.count_nonzero(here)]
    return RowsToCheck(drawn, stratum, sizes, mean)


def _order(spread: np.ndarray, sizes: np.ndarray, count: int) -> np.ndarray:
    """From which stratum the next row is, so that any beginning is allotted best: int64 (count,).

    ``LEAST`` of each first, then where it is lacking most: the k-th row of a stratum follows when
    spread / k is the largest that is left.
    """
    most = np.minimum(sizes, count)
    stratum = np.repeat(np.arange(len(sizes)), most)
    place = np.concatenate([np.arange(m) for m in most])  # within its stratum
    ratio = spread[stratum] / (place + 1)
    return stratum[np.lexsort((stratum, -ratio, np.where(place < LEAST, place, LEAST)))[:count]]
