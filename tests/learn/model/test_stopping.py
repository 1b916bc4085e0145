"""Early stopping by labels as they are given, on rows that are not learned from."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import fit, fit_and_measure, from_arrays
from candidly.learn.model import stopping as module
from candidly.learn.model._judging import SHARE
from candidly.learn.model.stopping import AUTO, default_steps, updates_needed


def noisy(n=300, wrong=0.4, seed=0):
    """Two Gaussians in 60 dimensions: a network can memorise the wrong labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 60))
    x[:, 0] += 2.5 * truth
    given = np.where(rng.random(n) < wrong, 1 - truth, truth)
    return from_arrays(x, given, truth=truth)


def test_it_is_the_first_best_look_of_the_same_training_by_hand():
    data = noisy()
    found = updates_needed(data, "ce", most=800, seed=4)
    split = data.split(4, test=0.0, validation=SHARE)
    learned, seen = data[split.train], data[split.validation]
    right = {}
    for steps in range(module.EVERY, found.tried + 1, module.EVERY):
        model = fit(learned, "ce", steps=steps, seed=4)
        right[steps] = int((model.predict_logits(seen).argmax(1) == seen.given).sum())
    best = max(right.values())
    assert found.right == best
    assert found.steps == min(steps for steps, count in right.items() if count == best)
    assert found.rows == seen.n
    assert found.tried <= found.steps + module.PATIENCE * module.EVERY


def test_the_model_is_that_of_so_many_updates_on_all_rows():
    data = noisy()
    found = fit_and_measure(data, "ce", steps="auto", validation=0.2)
    assert found.steps == found.needed.steps < 10_000
    alone = fit(found.learned, "ce", steps=found.steps)
    np.testing.assert_array_equal(
        found.model.predict_logits(found.held), alone.predict_logits(found.held)
    )


def test_it_is_the_default_of_one_label_a_row_where_there_are_enough_rows():
    data = noisy(120)
    found, asked = (fit_and_measure(data, "ce", steps=s, validation=0) for s in (None, AUTO))
    assert found.needed == asked.needed
    assert found.needed is not None
    np.testing.assert_array_equal(*(m.model.predict_logits(data) for m in (found, asked)))
    assert [default_steps(noisy(n), "ce") for n in (97, 99, 100)] == [10_000, 10_000, AUTO]
    assert default_steps(noisy(3000), "PRODEN") == 10_000
    compared = fit_and_measure(data, "logistic", against=["ce"], validation=0, steps=None)
    assert compared.needed is None or compared.algorithm == "ce"


def test_no_true_label_is_read():
    data = noisy()
    other = from_arrays(data.inputs, data.given, truth=1 - data.truth)
    one, two = (updates_needed(d, "ce", most=1000) for d in (data, other))
    assert one == two


def test_it_costs_no_accuracy_and_fewer_updates():
    gains = []
    for seed in range(2):
        data, test = noisy(seed=seed, wrong=0.3), noisy(2000, seed=100 + seed)
        right = {}
        for steps in (2000, "auto"):
            found = fit_and_measure(data, "ce", steps=steps, validation=0, seed=seed)
            right[steps] = (found.model.predict_logits(test).argmax(1) == test.truth).mean()
        gains.append(right["auto"] - right[2000])
        assert found.steps < 2000
    assert np.mean(gains) > -0.02


def test_candidate_sets_are_judged_by_candidates_and_others_are_refused():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    sets = rng.random((200, 3)) < 0.3
    sets[np.arange(200), truth] = True
    data = from_arrays(np.eye(3)[truth] + rng.normal(size=(200, 3)) / 3, sets)
    found = updates_needed(data, "PRODEN", most=300)
    assert found.right > 0.7 * found.rows
    told = from_arrays(data.inputs, sets, truth=truth)  # an oracle reads no label that judges
    assert updates_needed(told, "supervised-oracle", most=100).right > 0.7 * found.rows
    with pytest.raises(ValueError, match="20 are the fewest"):
        updates_needed(noisy(60), "ce", most=100, batch_size=16)
    with pytest.raises(ValueError, match="`steps` is not used by logistic"):
        fit_and_measure(noisy(), "logistic", steps="auto")
    with pytest.raises(ValueError, match="two rules"):
        fit_and_measure(noisy(), "ce", steps="auto", as_published="cifar10n")
