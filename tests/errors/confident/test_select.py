"""The fast selection against the slow one, where ties are everywhere."""

from __future__ import annotations

import importlib
import tracemalloc

import numpy as np
import pytest

from candidly import errors
from candidly.errors.confident import _cells, _select

import slow_errors as slow

passes = importlib.import_module("candidly.errors.confident._passes")

BYS = ("noise rate", "class", "both", "confident", "predicted", "margin", "self-confidence")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def cells_of(counts):
    return _cells.cells_of(np.array(counts))


def random_case(seed):
    rng = np.random.default_rng([seed, 7])
    n, m = int(rng.integers(1, 41)), int(rng.integers(2, 6))
    steps = int(rng.choice([2, 3, 4, 8, 10, 100, 1000]))
    given, probs = slow.make_grid(seed, n, m, steps, rng.choice([np.float32, np.float64]))
    options = {"keep": int(rng.choice([0, 1, 1, 1, 3])), "fraction": float(rng.choice([1, 1, 0.5]))}
    if rng.random() < 0.3:
        counts = np.bincount(given, minlength=m)
        options = {"quotas": rng.integers(0, counts + 1), "keep": options["keep"]}
    if rng.random() < 0.3:
        options["collisions"] = "masked"
    return given, probs, options


@pytest.mark.parametrize(
    "block", [*range(2), *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 10))]
)
def test_every_method_equals_the_slow_version_on_coarse_grids(block):
    for seed in range(300 * block, 300 * (block + 1)):
        given, probs, options = random_case(seed)
        for by in BYS if seed % 5 == 0 else BYS[:3]:
            if by not in BYS[:3]:  # which take as many as is estimated
                options = {k: v for k, v in options.items() if k == "collisions"}
            found = errors.find(given, probs, by, **options).mask
            assert np.array_equal(found, slow.find(given, probs, by, **options)), (seed, by)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_larger_cases_equal_the_slow_version(dtype):
    for seed in range(12):
        given, probs = slow.make(seed, 600, 6, sharp=[0.3, 2, 6][seed % 3], wrong=0.3, dtype=dtype)
        if seed % 2:
            given[::7] = -1
        evidence = errors.examine(given, probs, unlabelled=True)
        for by in BYS:
            found = errors.find(evidence, by=by).mask
            assert np.array_equal(found, slow.find(given, probs, by)), (seed, by)
            assert not found[given < 0].any()


def test_pairs_that_are_kept_are_enough_or_not(monkeypatch):
    # what is kept beforehand may change the work, never the answer
    cases = [random_case(seed) for seed in range(300)]
    usual = [errors.find(given, probs, **options).mask for given, probs, options in cases]
    for least in (2.0, 0.3, 1e-9):
        monkeypatch.setattr(passes, "LEAST_GAP", least)
        monkeypatch.setattr(_select, "ROWS_AT_ONCE", 7)
        monkeypatch.setattr(passes, "BLOCK_BYTES", 64)
        for (given, probs, options), mask in zip(cases, usual):
            assert np.array_equal(errors.find(given, probs, **options).mask, mask)


def test_a_class_ranks_whole_when_look_alikes_are_few():
    # five of class 0 are to be taken as 1, and one alone looks more like it: the others that are
    # reached agree with their label, so that they fall out, and with them nobody
    given = np.repeat([0, 1], 10)
    own = np.array([0.1, 0.6, 0.65, 0.7, 0.7, 0.9, 0.9, 0.9, 0.9, 0.9])
    probs = np.concatenate([np.stack([own, 1 - own], 1), np.tile([0.0, 1.0], (10, 1))])
    evidence = errors.examine(given, probs)
    mask = _select.flagged(evidence, _select.by_noise_rate, joint=cells_of([[5, 5], [0, 10]]))
    assert np.flatnonzero(mask).tolist() == [0]
    order = _select.by_noise_rate(evidence, cells_of([[5, 5], [0, 10]]))
    assert order[0]


def test_ties_go_to_the_earlier_row():
    given = np.repeat([0, 1], 6)
    probs = np.repeat([[0.25, 0.75], [0.0, 1.0]], 6, axis=0)
    evidence = errors.examine(given, probs)
    joint = cells_of([[4, 2], [0, 6]])
    for method in ("noise rate", "class", "both"):
        mask = _select.flagged(evidence, _select.METHODS[method], joint=joint)
        assert np.flatnonzero(mask).tolist() == [0, 1]
    assert errors.find(evidence, by="margin", count=3).indices.tolist() == [0, 1, 2]


def test_few_of_a_class_are_left_alone():
    given = np.array([0, 1, 1, 1, 1])
    probs = np.array([[0.0, 1.0], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.9, 0.1]])
    for keep in (1, 4):
        for by in ("noise rate", "class", "both"):
            with pytest.warns(UserWarning, match="left alone: 0" + ", 1" * (keep == 4)) as seen:
                found = errors.find(given, probs, by, keep=keep).mask
            assert len(seen) == 1
            assert not found[0]
            assert not found[1:].any() or keep == 1


def test_entries_a_little_below_zero_change_nothing():
    # -1e-6 is let in, and makes a difference from the label's entry larger than that entry
    for seed in range(200):
        given, probs, options = random_case(seed)
        probs = probs.astype(np.float64)
        low = np.random.default_rng(seed).random(probs.shape) < 0.5
        probs = np.where((probs == 0) & low, -9e-7, probs)
        found = errors.find(given, probs, **options).mask
        assert np.array_equal(found, slow.find(given, probs, **options)), seed


def test_the_nth_of_numbers_with_ties():
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 10, 1000):
        for values in (rng.random(size), rng.integers(0, 3, size), np.zeros(size), np.arange(size)):
            values = values.astype(np.float32)
            for n in {0, size // 2, size - 1}:
                assert _select._ranks._nth(values.copy(), n) == np.sort(values)[n]


@pytest.mark.parametrize(("label", "near"), [(0, True), (2, False)])
def test_a_tie_once_the_slack_is_added_goes_to_the_lower_class(label, near):
    own = np.float32(0.375)
    probs = np.full((1, 4), (1 - 2 * own) / 2, np.float32)
    probs[0, label], probs[0, 1] = own, own + np.float32(1e-6)
    evidence = errors.examine([label], probs)
    assert evidence.predicted.tolist() == [1]
    assert evidence.near_tie.tolist() == slow.examined(np.array([label]), probs).near.tolist()
    assert evidence.near_tie.tolist() == [near]


def test_rows_that_are_passed_over_are_out_of_reach_for_sure():
    # the first row is less like class 1 than the second by less than the slack of an entry:
    # it takes the one place, and drops out
    given = np.array([0, 0, 1, 1, 2, 2])
    probs = np.eye(3)[given]
    probs[0] = 0.7000005, 0.3, -5e-7
    probs[1] = 0.4, -1e-6, 0.600001
    joint = cells_of([[1, 1, 0], [0, 2, 0], [0, 0, 2]])
    evidence = errors.examine(given, probs)
    assert not _select.flagged(evidence, _select.by_noise_rate, joint=joint).any()


def test_what_stays_of_a_small_class_is_not_taken_for_one_pair():
    # of 8, all of which stay: 6 more on the diagonal, 3 less off it, would leave 2 to be taken
    given = np.repeat([0, 1, 2], 8)
    probs = np.eye(3)[given]
    probs[:3] = 0.2, 0.6, 0.2
    joint = cells_of([[2, 5, 1], [0, 8, 0], [0, 0, 8]])
    evidence = errors.examine(given, probs)
    assert _select.flagged(evidence, _select.by_noise_rate, joint=joint, keep=7).any()
    assert not _select.flagged(evidence, _select.by_noise_rate, joint=joint, keep=8).any()


def test_a_threshold_between_two_floats():
    # of what is below the threshold by less than float32 can say, nothing reaches it
    own = np.float32(0.7)
    probs = np.array([[own, 1 - own], [0, 1]], np.float32)
    for more, guess in ((1e-9, -1), (-1e-9, 0)):
        thresholds = np.array([float(own) + more + errors.EPSILON, 0.9])
        evidence = errors.examine([0, 1], probs, thresholds=thresholds)
        assert evidence.guess[0] == guess


@pytest.mark.slow
def test_many_classes_take_no_matrix_of_them():
    n, m = 60, 20_000  # a matrix of them in int64: 3.2 GB
    rng = np.random.default_rng(0)
    truth = rng.choice(m, n, replace=False)[rng.integers(0, n // 4, n)]
    given = np.where(np.arange(n) < 20, np.roll(truth, 1), truth)
    probs = np.full((n, m), np.float32(0.1 / (m - 1)))
    probs[np.arange(n), truth] = 0.9
    used, few = np.unique(given, return_inverse=True)
    rest = 1 - probs[:, used].sum(1, keepdims=True)
    usual = errors.examine(few, np.append(probs[:, used], rest, 1))  # without the empty classes
    expected = errors.find(usual), errors.counts(usual), errors.health(usual)
    errors.corrected(usual)
    tracemalloc.start()
    evidence = errors.examine(given, probs)
    found, health = errors.find(evidence), errors.health(evidence)
    scaled = errors.corrected(evidence)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.mask.any()
    assert np.array_equal(found.mask, expected[0].mask)
    assert errors.counts(evidence) == pytest.approx(expected[1])
    assert health.overlaps.count.tolist() == expected[2].overlaps.count.tolist()
    assert used[expected[2].overlaps.a].tolist() == health.overlaps.a.tolist()
    assert scaled.shape == probs.shape
    assert peak < 10 * probs.nbytes


def test_a_matrix_of_many_classes_says_what_it_takes(monkeypatch):
    cells = _cells.counted(np.zeros(3, np.int32), np.ones(3, np.int32), 15_000)
    monkeypatch.setattr(_cells, "free_bytes", lambda device: 10**9)
    with pytest.raises(MemoryError, match=r"15,000 x 15,000 classes take 3\.6 GB, and 1\.0 GB"):
        cells.dense(more=1)
