"""Equal algorithms have no winner beyond chance, and a true lead is found."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats

import stats as study  # bench/stats.py
from _bench import RESULTS
from candidly.stats import clopper_pearson

from committed import needs_results


def never_beyond(count: int, of: int, share: float = 0.05) -> bool:
    """Whether a count is usual for a rate of ``share`` or less: one in 10,000 is not."""
    return bool(scipy.stats.binom.sf(count - 1, of, share) > 1e-4)


@pytest.mark.parametrize(("k", "splits"), [(2, 3), (2, 10), (8, 5)])
def test_no_false_winner(k, splits):
    counts = study.false_winners(k, splits, 150, seed=1)
    assert never_beyond(counts["leader"], 150)
    assert never_beyond(counts["compare_all"], 150)


@pytest.mark.slow
@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("k", [2, 8])
@pytest.mark.parametrize("splits", [3, 5, 10])
def test_no_false_winner_in_many_repetitions(k, splits, squares):
    counts = study.false_winners(k, splits, 600, squares, seed=2)
    assert never_beyond(counts["leader"], 600)
    assert never_beyond(counts["compare_all"], 600)
    if (k, splits) == (2, 10):  # the simulation can fail: the usual test does
        assert not never_beyond(counts["usual"], 600)


def test_algorithms_are_equal_and_splits_share_rows():
    g = np.random.default_rng(0)
    tables = np.array([study.accuracies(2, 5, g, False, 100) for _ in range(300)])
    means = tables.mean((0, 1))
    assert means[0] == pytest.approx(means[1], abs=0.015)
    assert means.min() > 0.7  # they learn something
    d = tables[..., 0] - tables[..., 1]
    alone = d.var(ddof=1) / 5  # the variance of a mean of five, were splits independent
    assert d.mean(1).var(ddof=1) > 1.2 * alone


@pytest.mark.parametrize("correlation", [0.0, study.TEST_SHARE])
def test_a_true_lead_is_found_in_half(correlation):
    found = study.found_leads(200, correlation, seed=1)
    assert clopper_pearson(np.array(found), 200)[0] > 0.5


@needs_results
def test_committed_rates_hold():
    claims = json.loads((RESULTS / "stats.json").read_text())["claims"]
    judged = [claim for claim in claims if claim["holds"] is not None]
    assert len(judged) == 2 * 2 * 3 * 2 + 2
    assert all(claim["holds"] for claim in judged)
