"""How the page of the study writes numbers."""

from __future__ import annotations

import numpy as np

from candidly.show.words import percent
from studies.kit.words import minus


def accuracy(value: float | None) -> str:
    return "–" if value is None or np.isnan(value) else percent(value, 1)


def points(value: float | None) -> str:
    return "–" if value is None or np.isnan(value) else minus(100 * value, 1).removeprefix("+")
