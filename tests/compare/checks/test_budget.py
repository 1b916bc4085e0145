"""Flip budgets and certificates against an adversary who tries everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from candidly.compare.checks import certificate, flip_budget


def slow_budget(values, free):
    """The largest number of flips none of whose choices ends the lead; by trying them all."""
    # each free item may become anything, and each change costs one flip
    options = [(-1, 0, 1) if f else (v,) for v, f in zip(values, free)]
    fewest = [
        sum(new != old for new, old in zip(outcome, values))
        for outcome in product(*options)
        if sum(outcome) <= 0
    ]
    return min(fewest) - 1 if fewest else None


@pytest.mark.parametrize("seed", range(40))
def test_budget_is_the_adversarys(seed):
    rng = np.random.default_rng(seed)
    values, free = rng.choice([1, 1, 1, 0, -1], 7), rng.random(7) < (0.5 if seed % 2 else 1)
    lead = int(values.sum())
    if lead <= 0:
        return
    mine = flip_budget(lead, int((free & (values == 1)).sum()), int((free & (values == 0)).sum()))
    assert mine == slow_budget(values.tolist(), free.tolist())


def test_unchecked_it_is_half_the_lead():
    for lead in range(1, 9):
        assert flip_budget(lead, lead + 5, 3) == -(-lead // 2) - 1
    assert flip_budget(0, 4, 4) == 0
    assert flip_budget(5, 1, 9) == 3  # one flip for 2, then three for 1 each end it
    with pytest.raises(ValueError, match="better model first"):
        flip_budget(-1, 4, 4)


@pytest.mark.parametrize("seed", range(20))
def test_certainty_is_the_worst_of_all_outcomes(seed):
    rng = np.random.default_rng(seed)
    values, checked = rng.choice([1, 1, 0, -1], 6), rng.random(6) < 0.5
    could = rng.random(6) < 0.6
    found = certificate(values, checked, could)
    outcomes = [
        sum(outcome)
        for outcome in product(
            *[
                (v,) if c else (-1, 0, 1) if t else tuple({v, 0, 1} - ({-1} - {v}))
                for v, c, t in zip(values.tolist(), checked, could)
            ]
        )
    ]
    assert found.best == max(outcomes)
    assert found.certain == (found.worst > 0)
    known = values[checked].sum() + values[~checked & ~could].sum()
    assert found.worst == known - (~checked & could).sum()
    if could.all():
        assert found.worst == min(outcomes)


@pytest.mark.parametrize("seed", range(20))
def test_no_cheaper_order_makes_it_certain(seed):
    rng = np.random.default_rng(seed)
    values, checked = rng.choice([1, 1, 1, 0, -1], 8), rng.random(8) < 0.3
    found = certificate(values, checked)
    fewest = [
        sum(some)
        for some in product((0, 1), repeat=8)
        if certificate(values, checked | np.array(some, bool)).certain
        and not (np.array(some, bool) & checked).any()
    ]
    assert found.needed == (min(fewest) if fewest else None)


def test_the_order_of_checks_begins_with_the_lowest_quality():
    values = np.array([1, 0, 1, -1, 1, 0])
    quality = np.array([0.9, 0.1, 0.2, 0.0, 0.5, 0.05])
    assert certificate(values, np.zeros(6, bool), quality=quality).order.tolist() == [2, 4, 0, 5, 1]
    with pytest.raises(ValueError, match="between -1 and 1"):
        certificate(np.array([2]), np.zeros(1, bool))
