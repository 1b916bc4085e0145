"""Every process against its exact distribution, by enumerating the candidate sets."""

import itertools
import time

import numpy as np
import pytest
from scipy import stats

from candidly import from_arrays
from candidly.data.imperfect import (
    apply,
    complementary,
    empirical_sets,
    flip,
    instance,
    noise,
    uniform,
)
from candidly.data.labels.describe import flipping

DRAWS = 40_000
SMALLEST_P = 1e-4  # a right sampler fails one test in ten thousand, and seeds are fixed


def numbered(candidates):
    """Each set as an integer, label j as bit j."""
    return candidates @ (1 << np.arange(candidates.shape[1]))


def check_sets(candidates, probability):
    """A chi-square test of how often each of the 2^q sets occurs; impossible ones never do."""
    q = candidates.shape[1]
    sets = np.array(list(itertools.product([False, True], repeat=q)))
    expected = np.array([probability(row) for row in sets])
    assert expected.sum() == pytest.approx(1)
    counts = np.bincount(numbered(candidates), minlength=2**q)[numbered(sets)]
    assert counts[expected == 0].sum() == 0
    possible = expected > 0
    if possible.sum() > 1:
        assert (
            stats.chisquare(counts[possible], len(candidates) * expected[possible]).pvalue
            > SMALLEST_P
        )


def check_mean(values, expected):
    """Within four standard errors."""
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - expected) <= 4 * error + 1e-12


def independent(row, truth, rates):
    """Probability of a set when label j enters with rates[j], the truth always."""
    return float(row[truth]) * np.prod(
        [rates[j] if row[j] else 1 - rates[j] for j in range(len(row)) if j != truth]
    )


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_d_data_3_uniform_sets_are_uniform(q):
    for truth in range(q):
        drawn = uniform(np.full(DRAWS, truth), q, seed=truth)

        def probability(row, truth=truth):
            return (row[truth] and not row.all()) / (2 ** (q - 1) - 1)

        check_sets(drawn, probability)


def test_uniform_at_ten_classes():
    truth = np.arange(200_000) % 10
    drawn = uniform(truth, 10, seed=5)
    wrong = drawn[np.arange(10) != truth[:, None]]
    check_mean(wrong, 255 / 511)
    check_mean(drawn.sum(1), 1 + 9 * 255 / 511)
    assert not drawn.all(1).any()
    assert drawn[np.arange(len(truth)), truth].all()


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_d_data_3_flip_with_one_rate(rate):
    for truth in range(4):
        drawn = flip(np.full(DRAWS, truth), 4, rate, seed=truth)
        check_sets(drawn, lambda row, truth=truth: independent(row, truth, [rate] * 4))


def test_flip_size_and_full_sets():
    truth = np.arange(DRAWS) % 4
    drawn = flip(truth, 4, 0.6, seed=9)
    check_mean(drawn.sum(1), 1 + 3 * 0.6)
    check_mean(drawn.all(1), 0.6**3)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("q", [2, 4])
def test_flip_forced(rate, q):
    for truth in range(q):
        drawn = flip(np.full(DRAWS, truth), q, rate, force=True, seed=truth)

        def probability(row, truth=truth):
            if row.sum() == 1:
                return 0.0
            added = (1 - rate) ** (q - 1) / (q - 1) if row.sum() == 2 and row[truth] else 0
            return independent(row, truth, [rate] * q) + added

        check_sets(drawn, probability)
        c = rate + (1 - rate) ** (q - 1) / (q - 1)
        for wrong in set(range(q)) - {truth}:
            check_mean(drawn[:, wrong], c)


def test_flip_with_a_matrix():
    rates = np.array([[1, 0.2, 0.0, 0.7], [0.5, 1, 0.1, 0.3], [0, 0, 1, 1], [0.9, 0.4, 0.6, 1]])
    truth = np.arange(4 * DRAWS) % 4
    drawn = flip(truth, 4, rates, seed=3)
    for label in range(4):
        check_sets(drawn[truth == label], lambda row, y=label: independent(row, y, rates[y]))


WEIGHTS = np.array([[0, 1, 2, 3], [4, 0, 0, 1], [1, 1, 0, 1], [0.5, 0.25, 0.25, 0]])


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "by a matrix"])
def test_complementary_labels_are_named_one_after_the_other(count, weights):
    """Every order in which they can be named, by hand."""
    odds = 1 - np.eye(4) if weights is None else weights
    for truth in range(4):
        if (odds[truth] > 0).sum() < count:
            continue
        drawn = complementary(np.full(DRAWS, truth), 4, count, odds_of(odds, truth), seed=truth)

        def probability(row, own=odds[truth]):
            named = np.flatnonzero(~row)
            if len(named) != count:
                return 0.0
            chance = 0.0
            for order in itertools.permutations(named):
                left, one = own.sum(), 1.0
                for label in order:
                    if left <= 0:
                        one = 0.0
                        break
                    one *= own[label] / left
                    left -= own[label]
                chance += one
            return chance

        check_sets(drawn, probability)


def odds_of(odds, truth):
    """The weights of one truth alone: of the others each wrong label is as likely."""
    alone = 1 - np.eye(len(odds))
    alone[truth] = odds[truth]
    return alone


def test_a_complementary_label_of_two_classes_tells_the_truth():
    truth = np.arange(100) % 2
    assert np.array_equal(complementary(truth, 2), truth[:, None] == np.arange(2))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"count": 0}, "count"),
        ({"count": 3}, "count"),
        ({"weights": np.eye(3)}, r"1.0 at \(0, 0\), but the truth is never named"),
        ({"weights": -np.ones((3, 3))}, "has -1.0 at row 0, column 0"),
        ({"weights": np.ones((2, 3))}, "for 3 classes it is 3 x 3"),
        ({"count": 2, "weights": np.roll(np.eye(3), 1, 1)}, "class 0 has 1 wrong labels"),
    ],
)
def test_what_complementary_refuses(options, told):
    with pytest.raises(ValueError, match=told):
        complementary(np.arange(3), 3, **options)


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_noise_rate_is_the_resulting_one(rate):
    q, r = 3, 0.4
    for truth in range(q):
        truths = np.full(DRAWS, truth)
        clean = flip(truths, q, r, seed=1)
        drawn = noise(clean, truths, rate, seed=2)
        check_mean(~drawn[:, truth], rate)

        def probability(row, truth=truth):
            if not row.any():
                return 0.0
            if row[truth]:
                return (1 - rate) * independent(row, truth, [r] * q)
            with_truth = row.copy()
            with_truth[truth] = True
            emptied = (1 - r) ** (q - 1) / (q - 1) if row.sum() == 1 else 0
            return rate * (independent(with_truth, truth, [r] * q) + emptied)

        check_sets(drawn, probability)


def test_noise_on_the_truth_alone_is_symmetric_label_noise():
    truth = np.zeros(DRAWS, int)
    drawn = noise(truth[:, None] == np.arange(5), truth, 0.4, seed=0)
    assert (drawn.sum(1) == 1).all()
    check_sets(drawn, lambda row: (row.sum() == 1) * (0.6 if row[0] else 0.1))


def test_noise_leaves_its_argument_and_noisy_rows_alone():
    candidates = np.array([[True, False], [False, True]])
    before = candidates.copy()
    drawn = noise(candidates, np.array([0, 0]), 1.0)
    assert np.array_equal(candidates, before)
    assert drawn.tolist() == [[False, True], [False, True]]


PROCESSES = {
    "uniform": lambda truth, seed: uniform(truth, 5, seed),
    "flip": lambda truth, seed: flip(truth, 5, 0.4, seed=seed),
    "complementary": lambda truth, seed: complementary(truth, 5, seed=seed),
    "empirical-sets": lambda truth, seed: empirical_sets(
        truth, 5, np.r_[np.eye(5), np.ones((5, 5))] > 0, np.arange(10) % 5, seed
    ),
    "instance": lambda truth, seed: instance(truth[:, None], truth, 5, 0.4, seed),
    "noise": lambda truth, seed: noise(truth[:, None] == np.arange(5), truth, 0.5, seed),
}


def test_sets_with_the_flipping_matrix_of_other_sets():
    rng = np.random.default_rng(0)
    other_truth = rng.integers(-1, 3, 4000)
    shares = np.array([[0.9, 0.3, 0.0], [0.5, 1.0, 0.2], [0.0, 0.0, 0.4]])
    other = rng.random((4000, 3)) < shares[other_truth]
    other[~other.any(1), 2] = True
    truth = np.repeat(np.arange(3), 20_000)
    made = empirical_sets(truth, 3, other, other_truth, seed=3)
    assert made.any(1).all()
    measured = flipping(other, other_truth)
    empty = (1 - measured).prod(1)[:, None]
    expected = measured / (1 - empty)  # of what is drawn again until there is something
    assert np.abs(flipping(made, truth) - expected).max() < 4 * 0.5 / np.sqrt(20_000)
    together = (made[:20_000, 0] & made[:20_000, 1]).mean()
    assert abs(together - expected[0, 0] * measured[0, 1]) < 0.015  # each on its own
    assert not made[truth == 2][:, :2].any()


def test_sets_of_other_data_have_every_class():
    other, other_truth = np.eye(3, dtype=bool)[[0, 2]], np.array([0, 2])
    with pytest.raises(ValueError, match="`truth` is 1 at row 2, but the other data has no"):
        empirical_sets(np.array([0, 2, 1]), 3, other, other_truth)
    assert empirical_sets(np.array([0, 2]), 3, other, other_truth).tolist() == other.tolist()


def test_sets_by_text_count_a_saved_file(tmp_path):
    truth = np.arange(300) % 3
    data = from_arrays(truth[:, None], truth=truth, classes=3, source="toy")
    human = apply(data, "flip:rate=0.4")
    human.save(tmp_path / "human.npz")
    made = apply(data, f"empirical-sets:file={tmp_path}/human.npz,seed=3").candidates
    by_hand = empirical_sets(truth, 3, human.candidates, truth, seed=3)
    assert np.array_equal(made, by_hand)
    assert np.array_equal(apply(human, "empirical-sets:seed=3").candidates, by_hand)
    with pytest.raises(ValueError, match=r"no `candidates` labels to count; .*empirical-sets:f"):
        apply(data, "empirical-sets")
    data.save(tmp_path / "bare.npz")
    with pytest.raises(ValueError, match="needs both `candidates` and `truth`"):
        apply(data, f"empirical-sets:file={tmp_path}/bare.npz")


@pytest.mark.parametrize("process", PROCESSES.values(), ids=PROCESSES)
def test_the_seed_decides(process):
    truth = np.arange(500) % 5
    assert np.array_equal(process(truth, 1), process(truth, 1))
    assert not np.array_equal(process(truth, 1), process(truth, 2))
    assert process(truth, 1).dtype == bool
    assert process(truth[:0], 1).shape == (0, 5)


@pytest.mark.parametrize("process", PROCESSES.values(), ids=PROCESSES)
@pytest.mark.parametrize(
    ("truth", "seed", "message"),
    [
        ([0, 5], 0, r"`truth` is 5 at row 1"),
        ([0, -1], 0, r"`truth` is -1 at row 1.*data\[data.truth >= 0\]"),
        ([0.0, 1.0], 0, r"`truth` is float64 of shape \(2,\)"),
        ([0, 1], -1, r"`seed` is -1"),
        ([0, 1], 2**64, r"`seed` is 18446744073709551616"),
    ],
)
def test_bad_truth_and_seed(process, truth, seed, message):
    with pytest.raises(ValueError, match=message):
        process(np.array(truth), seed)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_bad_rates(rate):
    truth = np.array([0, 1])
    with pytest.raises(ValueError, match="`rate` is"):
        flip(truth, 2, rate)
    with pytest.raises(ValueError, match="`rate` is"):
        noise(np.ones((2, 2), bool), truth, rate)
    matrix = np.ones((2, 2))
    matrix[1, 0] = rate
    with pytest.raises(ValueError, match="at row 1, column 0"):
        flip(truth, 2, matrix)


def test_bad_shapes():
    truth = np.array([0, 0])
    with pytest.raises(ValueError, match="1 classes; imperfect labels need at least 2"):
        uniform(truth, 1)
    with pytest.raises(ValueError, match="1 classes"):
        noise(np.ones((2, 1), bool), truth, 0.1)
    with pytest.raises(ValueError, match=r"shape \(2, 3\); give one number or a 2 x 2 matrix"):
        flip(truth, 2, np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"`rate` has 0.0 at \(0, 0\).*fill_diagonal"):
        flip(truth, 2, np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"shape \(3, 2\), but `truth` has 2 rows"):
        noise(np.ones((3, 2), bool), truth, 0.1)


def test_a_million_rows_take_no_loop():
    truth = np.arange(1_000_000) % 10
    start = time.process_time()
    candidates = uniform(truth, 10)
    flip(truth, 10, np.eye(10) * 0.5 + 0.5, force=True)
    noise(candidates, truth, 0.1)
    # about 0.4 s on one core when it was written; a Python loop takes far longer than the bound
    assert time.process_time() - start < 5
