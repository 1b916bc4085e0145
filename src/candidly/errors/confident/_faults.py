"""Rows that are no probabilities: counted while they are read, refused in one sentence."""

from __future__ import annotations

import warnings

import numpy as np

from ...data.ingest.prob_rows import NEGATIVE, ProbRows
from ...ground.arrays import ENTRY_SLACK, SUM_SLACK, sum_slack
from ...ground.problem import Refusal
from . import _kernels

WORTH_SAYING = 1e-5  # a sum that is off by more gets a warning


class Fault:
    """What is wrong with a block: rows by kind, with the first one's sum; the worst sum."""

    def __init__(
        self,
        start: int,
        probs: np.ndarray,
        unsound: np.ndarray,
        bad: int,
        worst: int,
        furthest: float,
    ):
        self.worst = (furthest, start + worst)
        # kind: (how many, the first, its sum, its lowest entry)
        self.rows: dict[int, tuple[int, int, float, float]] = {}
        for kind in (1, 2, 3) if bad else ():
            rows = np.flatnonzero(unsound == kind)
            if len(rows):
                first = int(rows[0])
                total, low = float(probs[first].sum()), float(probs[first].min())
                self.rows[kind] = len(rows), start + first, total, low


def swept(
    probs: np.ndarray,
    start: int,
    given: np.ndarray,
    predicted: np.ndarray,
    own: np.ndarray,
    other: np.ndarray,
) -> Fault:
    """One sweep over a block of rows, which fills its columns and says what is wrong with it.

    Args:
        probs: float32 or float64 (r, m), C-contiguous; ``start`` the number of its first row.
        given, predicted, own, other: (r,), see ``_kernels.sweep``.
    """
    whole = np.dtype(np.uint32 if probs.dtype == np.float32 else np.uint64)
    zeros = probs.dtype.type(0), whole.type(0)
    one = np.ones(1, probs.dtype).view(whole)[0]
    slack = np.array([ENTRY_SLACK, sum_slack(probs.dtype)])
    unsound = np.empty(len(probs), np.uint8)
    verdict = _kernels.sweep(
        probs,
        probs.view(whole),
        zeros,
        one,
        given,
        slack,
        predicted,
        own,
        other,
        other.view(whole),
        unsound,
    )
    return Fault(start, probs, unsound, *verdict)


class Faults:
    """Rows that are no probabilities: how many, and the first of each kind."""

    def __init__(self) -> None:
        self.first: dict[int, tuple[int, float, float]] = {}
        self.count = dict.fromkeys((1, 2, 3), 0)
        self.worst = (0.0, 0)

    def note(self, fault: Fault) -> None:
        if fault.worst[0] > self.worst[0]:
            self.worst = fault.worst
        for kind, (count, first, total, low) in fault.rows.items():
            self.count[kind] += count
            self.first.setdefault(kind, (first, total, low))

    def settle(self, source: ProbRows) -> None:
        hint = () if source.normalise else ("divide rows by their sums with `normalise=True`",)
        rule = f"Rows of probabilities sum to 1, give or take {SUM_SLACK:g}."
        for kind, what in ((1, "NaN or infinity"), (2, "an entry outside [0, 1]")):
            if kind in self.first:
                row, _, low = self.first[kind]
                count = self.count[kind]
                told = f"{source.name} has {what} at row {row}, and in {count} row"
                told += f"{'s' * (count != 1)} in all."
                if kind == 2 and low < -ENTRY_SLACK:
                    raise ValueError(f"{told} {NEGATIVE}")
                raise Refusal(told, *(hint if kind == 2 else ()))
        if 3 in self.first:
            row, total, _ = self.first[3]
            raise Refusal(
                f"row {row} of {source.name} sums to {total:.6g}, and {self.count[3]} in all are "
                f"off 1 by more than {SUM_SLACK:g}; the worst, row {self.worst[1]}, by "
                f"{self.worst[0]:.3g}. {rule}",
                *hint,
            )
        if self.worst[0] > WORTH_SAYING:
            warnings.warn(
                f"rows of {source.name} sum to 1 up to {self.worst[0]:.2g} (row {self.worst[1]}).",
                stacklevel=4,
            )
