"""Against cleanlab, wherever the specification does not say that we leave it."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import errors
from candidly.errors.confident import _cells, _matrices, _select

import slow_errors as slow

count = pytest.importorskip("cleanlab.count")
filters = pytest.importorskip("cleanlab.filter")
algebra = pytest.importorskip("cleanlab.internal.latent_algebra")
util = pytest.importorskip("cleanlab.internal.util")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

METHODS = {
    "noise rate": "prune_by_noise_rate",
    "class": "prune_by_class",
    "both": "both",
    "confident": "confident_learning",
    "predicted": "predicted_neq_given",
    "margin": "low_normalized_margin",
    "self-confidence": "low_self_confidence",
}
CASES = range(200)


def random_case(seed):
    rng = np.random.default_rng([seed, 1])
    m = int(rng.integers(2, 13))
    n = int(np.exp(rng.uniform(np.log(20), np.log(2000))))
    given, probs = slow.make(
        seed,
        n,
        m,
        sharp=rng.choice([0.3, 2, 4, 12]),
        wrong=rng.choice([0, 0.1, 0.4]),
        skew=rng.choice([1, 0.7]),
        absent=int(rng.choice([0, 0, 1])) if m > 2 else 0,
        dtype=rng.choice([np.float32, np.float64]),
    )
    if len(set(given)) < 2:  # the peer wants two classes
        given[:2] = 0, 1
    return given, probs


def equal_up_to_swaps(values, ours, theirs):
    """Whether two roundings of rows differ only where the part that is cut off is the same."""
    for row, mine, its in zip(values, ours, theirs):
        assert sorted(np.round(row - mine, 9)) == sorted(np.round(row - its, 9))


def disputed(values, mask):
    """Rows whose value equals that of the last one taken: a sort may take any of them."""
    return np.isclose(values, values[mask].max(), rtol=0, atol=2e-7) if mask.any() else mask


@pytest.mark.parametrize("block", range(10))
def test_estimates_equal_the_peers(block):
    for seed in CASES[block::10]:
        given, probs = random_case(seed)
        evidence = errors.examine(given, probs)
        theirs = count.get_confident_thresholds(given, probs)
        np.testing.assert_allclose(evidence.thresholds, theirs, rtol=2e-6)
        raw = count.compute_confident_joint(given, probs, calibrate=False)
        assert np.array_equal(errors.confident_joint(evidence, calibrate=False), raw), seed
        calibrated = errors.confident_joint(evidence)
        exact = np.array(slow.calibrate(raw, evidence.given_counts), dtype=float)
        equal_up_to_swaps(exact, calibrated, count.compute_confident_joint(given, probs))
        joint = count.estimate_joint(given, probs, confident_joint=calibrated)
        np.testing.assert_allclose(errors.joint(evidence), joint, rtol=1e-9, atol=1e-15)

        shares = evidence.given_counts / len(given)
        matrices = errors.noise_matrices(evidence)
        names = {"count": "cnt", "equation": "eqn", "marginal": "marginal"}
        for name, its in {**names, "marginal-ps": "marginal_ps"}.items():
            if name == "equation" and np.linalg.cond(matrices.forward) > 1e8:
                continue  # a class that nobody was given: no inverse
            prior, forward, inverse = count.estimate_latent(calibrated, given, py_method=its)
            np.testing.assert_allclose(matrices.forward, forward, atol=1e-12)
            np.testing.assert_allclose(matrices.inverse, inverse, atol=1e-12)
            ours = errors.prior(evidence, by=name)
            np.testing.assert_allclose(ours, prior, rtol=1e-6, atol=1e-9)
        latent, agreed = _matrices.consistent(calibrated, shares)
        prior, forward, inverse = count.estimate_latent(
            calibrated, given, converge_latent_estimates=True
        )
        np.testing.assert_allclose(latent, prior, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(agreed.forward, forward, atol=1e-9)
        np.testing.assert_allclose(agreed.inverse, inverse, atol=1e-9)


@pytest.mark.parametrize("block", range(10))
def test_selection_equals_the_peers(block):
    for seed in CASES[block::10]:
        given, probs = random_case(seed)
        evidence = errors.examine(given, probs)
        keep = int(np.random.default_rng(seed).choice([1, 1, 5]))
        fraction = float(np.random.default_rng(seed).choice([1, 1, 0.5]))
        if keep > 1:  # then parts of the classes are fractions, which the peer rounds as floats
            fraction = 1.0
        for ours, its in METHODS.items():
            joint = (
                {}
                if ours in ("confident", "margin", "self-confidence")
                else {"confident_joint": errors.confident_joint(evidence)}
            )
            theirs = filters.find_label_issues(
                given,
                probs,
                filter_by=its,
                n_jobs=1,
                min_examples_per_class=keep,
                frac_noise=fraction,
                **joint,
            )
            counted = ours in ("noise rate", "class", "both")
            options = {"keep": keep, "fraction": fraction} if counted else {}
            mask = errors.find(evidence, by=ours, **options).mask
            if ours in ("margin", "self-confidence"):
                assert mask.sum() == theirs.sum()
                values = evidence.own - (evidence.other if ours == "margin" else 0)
                mask, theirs = (each & ~disputed(values, mask) for each in (mask, theirs))
            assert np.array_equal(mask, theirs), (seed, ours, np.flatnonzero(mask != theirs))


def test_numbers_equal_the_peers():
    same = 0
    for seed in CASES[::4]:
        given, probs = random_case(seed)
        ours = errors.counts(given, probs)
        assert ours.off_diagonal == count.num_label_issues(given, probs)
        theirs = count.compute_confident_joint(given, probs)
        if np.array_equal(theirs.diagonal(), errors.confident_joint(given, probs).diagonal()):
            calibrated = count.num_label_issues(
                given, probs, estimation_method="off_diagonal_calibrated"
            )
            assert ours.calibrated == calibrated
            same += 1
    assert same > 35  # elsewhere the peer rounds other entries that are as far off


def test_the_confusion_baseline_equals_the_peers():
    for seed in CASES[::10]:
        given, probs = random_case(seed)
        evidence = errors.examine(given, probs)
        m = evidence.m
        if len(set(given) | set(evidence.predicted)) < m:
            continue  # the peer drops classes that nobody was given or predicted
        confusion = np.zeros((m, m), np.int64)
        np.add.at(confusion, (given, evidence.predicted), 1)
        cells = _cells.calibrated(_cells.cells_of(confusion), evidence.given_counts)
        for ours in ("noise rate", "class", "both"):
            theirs = filters.find_label_issues(
                given, probs, confident_joint=cells.dense(), filter_by=METHODS[ours], n_jobs=1
            )
            mask = _select.flagged(evidence, _select.METHODS[ours], joint=cells)
            assert np.array_equal(mask, theirs), (seed, ours)
