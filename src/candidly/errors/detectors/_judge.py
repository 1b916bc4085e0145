"""How good a detection is, when it is known which labels are wrong.

Nothing to divide by gives None, with these exceptions, which make F1 = 2 TP / (flagged + wrong)
with 0 / 0 = 1: flagging something when nothing is wrong has F1 0, flagging nothing then has F1 1.
Equal scores count as their mean over all orders, so that no number depends on the order of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import as_array, door
from ._detection import Detection

BUDGETS = (0.01, 0.02, 0.05, 0.1)  # shares of the examples that are looked at


@dataclass(frozen=True)
class Judgement:
    """Shares in [0, 1], or None where there is nothing to divide by.

    Attributes:
        n, wrong: examples, and wrong labels among them.
        flagged: by the detector's own cut; None without one, as the next three then are.
        precision: among the flagged, the share that is wrong; None when nothing is flagged.
        recall: among the wrong, the share that is flagged.
        f1: their harmonic mean.
        average_precision: of the score; the share of wrong labels is what chance gives.
        roc_auc: of the score; 0.5 is what chance gives. None when all or none are wrong.
        precision_at_wrong: among as many of the most suspicious as there are wrong labels, the
            share that is wrong.
        found: for every budget of ``BUDGETS``, of the wrong labels the share among that share of
            the most suspicious examples, rounded up.
        estimated: how many labels the detector takes to be wrong.
    """

    n: int
    wrong: int
    flagged: int | None
    precision: float | None
    recall: float | None
    f1: float | None
    average_precision: float | None
    roc_auc: float | None
    precision_at_wrong: float | None
    found: tuple[float | None, ...]
    estimated: float | None

    def values(self) -> dict[str, Any]:
        """All numbers by name, on one level."""
        own = {name: value for name, value in vars(self).items() if name != "found"}
        return own | {f"found in {budget:.0%}": value for budget, value in zip(BUDGETS, self.found)}


def wrong_labels(data: Labelled) -> np.ndarray:
    """Where the given label is not the true one: bool (n,).

    Raises:
        ValueError: a label or a truth is missing.
    """
    for name in ("given", "truth"):
        values = getattr(data, name)
        if values is None or (values < 0).any():
            where = "" if values is None else f" at row {int((values < 0).argmax())}"
            raise ValueError(
                f"{data.source or 'the data'} has no `{name}`{where}; judging needs both on every "
                "row."
            )
    assert data.given is not None
    return data.given != data.truth


@door
def judge(detection: Detection, wrong: np.ndarray, ids: np.ndarray | None = None) -> Judgement:
    """Measures a detection against which labels are wrong.

    Args:
        wrong: bool (n,).
        ids: names of the examples that ``wrong`` is about. Where the detection has names as well,
            they decide what belongs together, whatever the orders.

    Raises:
        ValueError: lengths or names do not match.

    >>> found = Detection(np.array([0.9, 0.2, 0.6]), np.array([True, False, True]))
    >>> judge(found, np.array([True, False, False])).precision
    0.5
    """
    wrong = as_array(wrong, "wrong")
    if wrong.dtype != bool or wrong.ndim != 1:
        raise ValueError(f"`wrong` is {wrong.dtype} {wrong.shape}; give bool (n,).")
    score, flagged = detection.score, detection.flagged
    if len(score) != len(wrong):
        raise ValueError(f"the detection is of {len(score)} examples, `wrong` of {len(wrong)}.")
    if ids is not None and detection.ids is not None:
        order = _places(detection.ids, np.asarray(ids))
        score, flagged = score[order], None if flagged is None else flagged[order]
    count = int(wrong.sum())
    hits = None if flagged is None else int((flagged & wrong).sum())
    number = None if flagged is None else int(flagged.sum())
    return Judgement(
        n=len(wrong),
        wrong=count,
        flagged=number,
        precision=_share(hits, number),
        recall=_share(hits, count),
        f1=None if hits is None or number is None else _f1(hits, number, count),
        average_precision=average_precision(score, wrong),
        roc_auc=roc_auc(score, wrong),
        precision_at_wrong=_share(found_in(score, wrong, count), count),
        found=tuple(
            _share(found_in(score, wrong, math.ceil(round(b * len(wrong), 6))), count)
            for b in BUDGETS
        ),
        estimated=detection.estimated,
    )


def _places(mine: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each of ``wanted`` is among ``mine``."""
    at = {name: place for place, name in enumerate(mine.tolist())}
    missing = [name for name in wanted.tolist() if name not in at]
    if missing:
        raise ValueError(
            f"the detection has no example {missing[0]!r}; it is of other data, or was stored "
            "without its ids."
        )
    return np.array([at[name] for name in wanted.tolist()], dtype=np.int64)


def _share(part: float | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None


def _f1(hits: int, flagged: int, wrong: int) -> float:
    return 2 * hits / (flagged + wrong) if flagged + wrong else 1.0


def _steps(score: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Examples and wrong ones down to each different score, the highest first."""
    _, level, sizes = np.unique(-score, return_inverse=True, return_counts=True)
    hits = np.bincount(level.ravel(), weights=wrong, minlength=len(sizes))
    return np.cumsum(sizes), np.cumsum(hits)


def average_precision(score: np.ndarray, wrong: np.ndarray) -> float | None:
    """Precision at each different score, weighted by what recall gains there."""
    if not wrong.any():
        return None
    seen, hits = _steps(score, wrong)
    return float((np.diff(hits, prepend=0) * hits / seen).sum() / hits[-1])


def roc_auc(score: np.ndarray, wrong: np.ndarray) -> float | None:
    """The chance that a wrong label has a higher score than a right one; equal counts half."""
    if wrong.all() or not wrong.any():
        return None
    seen, hits = (np.concatenate([[0], steps]) for steps in _steps(score, wrong))
    right = seen - hits
    return float((np.diff(right) * (hits[1:] + hits[:-1]) / 2).sum() / (hits[-1] * right[-1]))


def found_in(score: np.ndarray, wrong: np.ndarray, count: int) -> float:
    """How many of the ``count`` highest scores are wrong; of equal ones, the expected number."""
    seen, hits = (np.concatenate([[0], steps]) for steps in _steps(score, wrong))
    return float(np.interp(count, seen, hits))
