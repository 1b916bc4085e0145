"""Estimates of how many candidate sets lack the label, where that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms._lacking import share_lacking
from candidly.learn.algorithms._mixture import clean_probability

from toys import advance, make_stack, toy


def gaps(rate, n=4000, mean=2.0, deviation=1.0, seed=0):
    """Those of the model: the label's similarity is above or below the others'."""
    g = np.random.default_rng(seed)
    signs = np.where(g.random(n) < rate, -1, 1)
    return torch.tensor(signs * mean + deviation * g.normal(size=n)), float((signs < 0).mean())


def some_sets(n, q=4):
    return torch.arange(q).expand(n, -1) < 2


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.2, 0.45, 0.7])
@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_of_gaps_that_follow_the_model_the_share_is_found(rate, unit):
    values, share = gaps(rate)
    assert share_lacking(unit * values, some_sets(4000)) == pytest.approx(share, abs=0.02)


def test_without_noise_rows_on_the_wrong_side_are_not_taken_for_noise():
    values, _ = gaps(0.0, mean=1.5, deviation=1.0)
    assert (values < 0).double().mean() > 0.05
    assert share_lacking(values, some_sets(4000)) < 0.01


def test_two_free_gaussians_would_find_noise_where_there_is_none():
    values = torch.tensor(np.random.default_rng(0).gamma(4, 0.5, 4000))
    assert 1 - clean_probability(-values).mean() > 0.15
    assert share_lacking(values, some_sets(4000)) == 0


@pytest.mark.parametrize(
    ("values", "share"),
    [
        ([], 0.0),
        ([0.0, 0.0], 0.0),  # say nothing
        ([2.0, 2.0, 2.0], 0.0),
        ([-2.0, -2.0], 1.0),
        ([2.0, 2.0, 2.0, -2.0], 0.25),
        ([1.0, 0.0, -1.0], 0.5),
    ],
)
def test_few_and_equal_gaps(values, share):
    found = share_lacking(torch.tensor(values), some_sets(len(values)))
    assert found == pytest.approx(share, abs=1e-6)


def test_full_sets_lack_nothing():
    values, sets = torch.tensor([-2.0, 2.0, 2.0, -2.0]), some_sets(4).clone()
    sets[3] = True
    assert share_lacking(values, sets) == pytest.approx(1 / 4, abs=1e-6)
    assert share_lacking(values, torch.ones(4, 3, dtype=torch.bool)) == 0


def lacking(rate, n=800, q=7, seed=0):
    """The toy, of which this share of sets has lost its label."""
    data, g = toy(n=n, q=q, seed=seed, spread=1.5), np.random.default_rng(seed + 1)
    rows = np.flatnonzero(g.random(n) < rate)
    sets = data.candidates.copy()
    sets[rows, data.truth[rows]] = False
    empty = np.flatnonzero(~sets.any(1))
    sets[empty, (data.truth[empty] + g.integers(1, q, len(empty))) % q] = True
    return replace(data, candidates=sets)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("ALIM:estimated", lambda stack: float(stack.memory["rate"])),
        ("PiCO+:estimated", lambda stack: 1 - float(stack.memory["ratio"])),
    ],
)
@pytest.mark.parametrize(
    "rate",
    [
        pytest.param(0.1, marks=pytest.mark.slow),
        0.0,
        0.3,
        pytest.param(0.5, marks=pytest.mark.slow),
    ],
)
def test_in_training_the_share_is_found(name, read, rate):
    data = lacking(rate)
    shape = {"batch": 64, "hidden": 40, "size": 16, "queue": 128, "warm_up": 20}
    moves = {"lr": 3e-3, "weight_decay": 1e-5, "key_momentum": 0.9, "prototype_momentum": 0.9}
    start = {"start_epoch": 4} if name == "ALIM:estimated" else {"neighbours_from": 10_000}
    stack = make_stack(data, name, [0], 88, torch.float32, **shape, **moves, **start)
    sets = stack.labels("candidates")[0].numpy()
    lost = ~sets[np.arange(stack.n), data.truth[stack.index[0].numpy()]]
    advance(stack, 88)
    assert read(stack) == pytest.approx(lost.mean(), abs=0.03 if rate < 0.5 else 0.07)
