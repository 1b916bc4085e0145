"""Whether answers tell anything of how good annotators are: by items that two of them answered."""

from __future__ import annotations

import warnings

import numpy as np

ALONE = "no item has answers of two annotators"
ENOUGH = 20  # items with two answers, from which on annotators are known a little


def hardly_compared(per_item: np.ndarray) -> str:
    """That hardly an item has answers of two annotators, in words; empty where enough have.

    Enough are 20, or half of the items that were answered.

    Args:
        per_item: int (n,), answers about each item.
    """
    number, there = int((per_item > 1).sum()), int((per_item > 0).sum())
    if number >= ENOUGH or 2 * number >= there:
        return ""
    if not number:
        return ALONE
    return f"only {number:,} of {there:,} items {'has' if number == 1 else 'have'} answers of two"


def warn_of_single(per_item: np.ndarray) -> None:
    """Warns where answers tell hardly anything of how good annotators are."""
    if told := hardly_compared(per_item):
        warnings.warn(
            f"{told[0].upper()}{told[1:]}, so that answers tell hardly anything of how good"
            " annotators are: take no probability or quality of a label for its chance to be"
            " right. Ask others about some of the items, or check some yourself.",
            stacklevel=3,
        )
