"""Calibration: errors by hand and by a slow loop, temperatures by what they should do."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.errors.crossval import calibration_error
from candidly.errors.crossval._calibration import COLDEST, HOTTEST, temperature, tempered


def test_a_case_by_hand():
    # bins of 0.7 and 0.95: one of two right at 0.7, one of one at 0.95
    probs = np.array([[0.7, 0.3], [0.3, 0.7], [0.95, 0.05], [0.1, 0.9]])
    labels = np.array([0, 0, 0, -1])
    assert calibration_error(probs, labels) == pytest.approx((2 * 0.2 + 0.05) / 3)
    assert np.isnan(calibration_error(probs, np.full(4, -1)))


def test_the_slow_loop_agrees():
    g = np.random.default_rng(0)
    probs = g.dirichlet(np.full(4, 0.4), 500)
    probs[:3] = np.eye(4)[:3]  # a confidence of 1 belongs to the last bin
    labels = g.integers(-1, 4, 500)
    total, n = 0.0, (labels >= 0).sum()
    for b in range(15):
        inside = [
            (max(p), p.argmax() == y)
            for p, y in zip(probs, labels)
            if y >= 0 and b / 15 < max(p) <= (b + 1) / 15
        ]
        if inside:
            total += abs(sum(c for c, _ in inside) - sum(r for _, r in inside)) / n
    assert calibration_error(probs, labels) == pytest.approx(total)


def test_sound_probabilities_have_a_small_error_and_sharpened_ones_a_large_one():
    probs, labels = drawn(1.0)
    assert calibration_error(probs, labels) < 0.02
    assert calibration_error(*drawn(3.0)) > 0.1


def drawn(sharpness, n=6000):
    """Labels drawn from probabilities, and these raised to a power."""
    g = np.random.default_rng(1)
    logits = 1.5 * g.normal(size=(n, 3))
    probs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = (g.random((n, 1)) < probs.cumsum(1)).argmax(1)
    powers = probs**sharpness
    return powers / powers.sum(1, keepdims=True), labels


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.5])
def test_the_temperature_undoes_a_power(sharpness):
    assert temperature(*drawn(sharpness)) == pytest.approx(sharpness, rel=0.05)


def test_the_mean_confidence_becomes_the_accuracy():
    probs, labels = drawn(2.0, 400)
    t = temperature(probs, labels)
    confidence = tempered(probs, t, np.ones(3, bool)).max(1).mean()
    assert confidence == pytest.approx((probs.argmax(1) == labels).mean(), abs=1e-6)


def test_the_temperature_has_limits():
    probs, _ = drawn(1.0, 50)
    assert temperature(probs, probs.argmax(1)) == COLDEST
    assert temperature(probs, probs.argmin(1)) == HOTTEST


def test_tempered_is_the_power_and_unknown_classes_stay_0():
    probs = np.array([[0.6, 0.0, 0.4], [1.0, 0.0, 0.0]])
    known = np.array([True, False, True])
    again = tempered(probs, 2.0, known)
    root = np.sqrt([0.6, 0.4])
    np.testing.assert_allclose(again[0, known], root / root.sum())
    assert (again[:, 1] == 0).all()
    assert 0 < again[1, 2] < 1e-4  # a zero counts as 1e-9
    np.testing.assert_allclose(tempered(probs, 1.0, known), probs, atol=2e-9)
