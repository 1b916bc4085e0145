"""How many said what: people by code, as text, and by kind of answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...validation.tally import ANSWERS


def pattern_of(counts: Mapping[int, int]) -> str:
    """How many said what, as text: ``0:3 1:2``."""
    return " ".join(f"{code}:{counts[code]}" for code in sorted(counts))


def counts_of(pattern: str) -> dict[int, int]:
    """The inverse of ``pattern_of``: people by code."""
    pairs = (cell.split(":") for cell in pattern.split())
    return {int(code): int(number) for code, number in pairs}


def answers_by_kind(patterns: Iterable[str]) -> np.ndarray:
    """People by place in ``validation.ANSWERS``, of many items: int64 (k, 5)."""
    few: dict[str, np.ndarray] = {}  # patterns are different, and each is read once
    for pattern in patterns:
        if pattern not in few:
            few[pattern] = answer_counts(counts_of(pattern))
    rows = [few[pattern] for pattern in patterns]
    return np.array(rows, np.int64).reshape(-1, len(ANSWERS))


def answer_counts(counts: Mapping[int, int]) -> np.ndarray:
    """The same of one item: int64 (5,)."""
    return np.array([counts.get(code, 0) for code in range(len(ANSWERS))], np.int64)
