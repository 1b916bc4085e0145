"""What a detector says of every label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Detection:
    """How suspicious each label is, and which the method itself would flag.

    Attributes:
        score: float64 (n,), higher is more suspicious; may be infinite, never NaN.
        flagged: bool (n,), or None where the method ranks and has no cut of its own.
        estimated: how many labels the method takes to be wrong; by default as many as it flags.
        about: what else it says, as JSON values.
        ids: (n,), which examples these are, as in ``Labelled.ids``; None: rows 0..n-1.

    Raises:
        ValueError: shapes that disagree, a score that is NaN, an id twice.
    """

    score: np.ndarray
    flagged: np.ndarray | None = None
    estimated: float | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    ids: np.ndarray | None = None

    def __post_init__(self) -> None:
        store = object.__setattr__
        score = np.asarray(self.score, dtype=np.float64)
        if score.ndim != 1:
            raise ValueError(f"`score` has shape {score.shape}; give one number per example.")
        if np.isnan(score).any():
            raise ValueError(f"`score` is NaN at row {int(np.isnan(score).argmax())}.")
        store(self, "score", score)
        if self.flagged is not None:
            flagged = np.asarray(self.flagged)
            if flagged.dtype != bool or flagged.shape != score.shape:
                raise ValueError(
                    f"`flagged` is {flagged.dtype} {flagged.shape}, not bool {score.shape}."
                )
            store(self, "flagged", flagged)
            if self.estimated is None:
                store(self, "estimated", float(flagged.sum()))
        if self.ids is not None:
            ids = np.asarray(self.ids)
            if ids.shape != score.shape or len(set(ids.tolist())) != len(ids):
                raise ValueError(
                    f"`ids` has shape {ids.shape}; give {len(score)} names, each once."
                )
            store(self, "ids", ids)

    @property
    def indices(self) -> np.ndarray:
        """All rows, the most suspicious first, ties by row: int64 (n,)."""
        return np.argsort(-self.score, kind="stable")
