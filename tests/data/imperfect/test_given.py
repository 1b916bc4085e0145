"""Noise on one given label: exact counts, distributions, nesting, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from candidly.data.imperfect import (
    apply,
    empirical,
    instance_label,
    lookalike,
    matrix,
    pair,
    symmetric,
)
from candidly.data.imperfect._rows import nearest_count
from candidly.data.imperfect.instance_label import _own_rates, _wrong_labels
from candidly.data.imperfect.lookalike import nearest_other
from candidly.data.imperfect.matrix import apportioned
from candidly.data.labels.building import from_arrays
from candidly.data.labels.describe import transition

SMALLEST_P = 1e-4
RATES = [0.0, 0.1, 0.2, 0.29, 0.4, 0.6, 1.0]


def features_of(truth, seed=0, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(truth), d)) + 1.5 * rng.normal(size=(truth.max() + 1, d))[truth]


def skewed(n=1003, q=5):
    return np.sort(np.random.default_rng(3).integers(0, q, n) ** 2 // q)


EXACT = {
    "symmetric": lambda truth, rate, **more: symmetric(truth, 5, rate, **more),
    "pair": lambda truth, rate, **more: pair(truth, 5, rate, **more),
    "lookalike": lambda truth, rate, **more: lookalike(features_of(truth), truth, 5, rate, **more),
    "instance-label": lambda truth, rate, **more: instance_label(
        features_of(truth), truth, 5, rate, **more
    ),
}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("make", EXACT.values(), ids=EXACT)
def test_the_rate_asked_for_is_the_rate_measured(make, rate):
    truth = skewed()
    given = make(truth, rate)
    assert given.dtype == np.int64
    assert (given != truth).sum() == round(rate * len(truth))
    assert given.min() >= 0
    assert given.max() < 5
    by_class = make(truth, rate, per_class=True) != truth
    for label in np.unique(truth):
        of = truth == label
        assert by_class[of].sum() == int(rate * of.sum() + 0.5)


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("name", ["symmetric", "pair", "lookalike"])
def test_a_lower_rate_is_part_of_a_higher_one(name, per_class):
    truth = skewed()
    before = truth
    for rate in RATES:
        given = EXACT[name](truth, rate, per_class=per_class)
        wrong = before != truth
        assert np.array_equal(given[wrong], before[wrong])
        before = given


def test_counts_are_rounded_to_the_nearest():
    assert [nearest_count(r, 100) for r in (0.29, 0.57, 0.58, 0.145)] == [29, 57, 58, 14]
    assert [nearest_count(0.5, n) for n in (0, 1, 2, 3)] == [0, 1, 1, 2]


@pytest.mark.parametrize("q", [2, 3, 10])
def test_symmetric_is_uniform_over_the_other_classes(q):
    truth = np.arange(20_000) % q
    given = symmetric(truth, q, 0.4, seed=1)
    wrong = given != truth
    counts = np.zeros((q, q), int)
    np.add.at(counts, (truth[wrong], given[wrong]), 1)
    assert (counts.diagonal() == 0).all()
    off = counts[~np.eye(q, dtype=bool)]
    if q > 2:
        assert stats.chisquare(off).pvalue > SMALLEST_P
    # which rows: as many in the first half as in the second, within five standard errors
    assert abs(wrong[:10_000].sum() - 4000) < 5 * np.sqrt(20_000 * 0.4 * 0.6 / 4)


def test_pair_by_default_takes_the_next_class():
    truth = np.arange(1000) % 7
    given = pair(truth, 7, 0.45, seed=2)
    wrong = given != truth
    assert np.array_equal(given[wrong], (truth[wrong] + 1) % 7)


def test_pair_with_partners_leaves_the_others_alone():
    truth = np.arange(1000) % 10
    partners = {9: 1, 2: 0, 4: 7, 3: 5, 5: 3}
    given = pair(truth, 10, 0.4, partners)
    found = transition(given, truth, 10)
    assert (given != truth).sum() == 200  # of the 500 examples of the five classes
    by_class = transition(pair(truth, 10, 0.4, partners, per_class=True), truth, 10)
    expected = np.eye(10)
    for label, partner in partners.items():
        expected[label, [label, partner]] = 0.6, 0.4
        assert found[label, label] + found[label, partner] == pytest.approx(1)
    assert np.allclose(by_class, expected)
    assert np.array_equal(
        apply(
            from_arrays(truth[:, None], truth=truth), "pair:rate=0.4,to=9-1/2-0/4-7/3-5/5-3"
        ).given,
        given,
    )


SHARES = np.array(
    [[0.7, 0.3, 0.0, 0.0], [0.0, 0.5, 0.25, 0.25], [0, 0, 1, 0], [0.4, 0.2, 0.1, 0.3]]
)


def test_matrix_draws_from_its_rows():
    truth = np.arange(40_000) % 4
    given = matrix(truth, 4, SHARES, seed=4)
    for label, row in enumerate(SHARES):
        counts = np.bincount(given[truth == label], minlength=4)
        assert counts[row == 0].sum() == 0
        if (row > 0).sum() > 1:
            assert stats.chisquare(counts[row > 0], 10_000 * row[row > 0]).pvalue > SMALLEST_P


def test_matrix_can_meet_its_shares_exactly():
    truth = np.arange(4000) % 4
    given = matrix(truth, 4, SHARES, exact=True)
    assert np.array_equal(transition(given, truth, 4), SHARES)
    first = given[:2000][truth[:2000] == 0]  # shuffled: half of the 300 within five deviations
    assert abs((first == 1).sum() - 150) < 5 * np.sqrt(1000 * 0.3 * 0.7 / 4)


@pytest.mark.parametrize("n", [0, 1, 7, 10, 1000])
def test_shares_are_apportioned(n):
    rng = np.random.default_rng(n)
    for shares in rng.dirichlet(np.ones(6), 20):
        counts = apportioned(shares, n)
        assert counts.sum() == n
        assert (np.abs(counts - n * shares) < 1).all()
    assert apportioned(np.array([0.29, 0.71]), 100).tolist() == [29, 71]
    assert apportioned(np.full(3, 1 / 3), 5).tolist() == [2, 2, 1]
    assert apportioned(np.array([0.3, 0.28, 0.42]), 5).tolist() == [2, 1, 2]  # 1.5, 1.4, 2.1


def test_empirical_has_the_matrix_of_the_other_data_and_not_its_rows():
    truth = np.arange(20_000) % 4
    human = matrix(truth, 4, SHARES, seed=9)
    human[:500] = -1
    counted = transition(human, truth, 4)
    again = empirical(truth, 4, human, truth, seed=1)
    error = np.sqrt(counted * (1 - counted) / 5000)
    assert (np.abs(transition(again, truth, 4) - counted) <= 5 * error).all()
    wrong, both = again != truth, (again != truth) & (human != truth)
    by_chance = (1 - SHARES.diagonal()) ** 2  # that both are wrong
    assert both.sum() == pytest.approx(5000 * by_chance.sum(), rel=0.05)
    assert both.sum() < 0.6 * wrong.sum()
    other = np.arange(300) % 3  # class 3 does not occur here
    assert empirical(other, 4, human, truth, exact=True).shape == (300,)


def test_empirical_by_text_counts_a_saved_file(tmp_path):
    truth = np.arange(400) % 4
    human = matrix(truth, 4, SHARES, exact=True)
    data = from_arrays(truth[:, None], human, truth=truth, classes=4)
    data.save(tmp_path / "human.npz")
    np.savetxt(tmp_path / "T.csv", SHARES, delimiter=",")
    np.save(tmp_path / "T.npy", SHARES)
    counted = apply(data, f"empirical:file={tmp_path}/human.npz,exact=true,seed=3")
    for file in ("T.csv", "T.npy"):
        drawn = apply(data, f"matrix:file={tmp_path}/{file},exact=true,seed=3")
        assert np.array_equal(drawn.given, counted.given)
    assert np.array_equal(transition(counted.given, truth, 4), SHARES)
    assert counted.source.endswith(f"empirical(file={tmp_path}/human.npz, exact=true, seed=3)")


def slow_nearest(features, truth):
    """One pair of examples after the other."""
    found = []
    for i, x in enumerate(features):
        cosines = [
            -2.0 if truth[j] == truth[i] else x @ y / np.sqrt((x @ x) * (y @ y))
            for j, y in enumerate(features)
        ]
        found.append((int(np.argmax(cosines)), max(cosines)))
    return found


def test_look_alikes_are_the_nearest_of_another_class():
    truth = skewed(200)
    features = features_of(truth)
    neighbour, similarity = nearest_other(features, truth)
    slow = slow_nearest(features, truth)
    assert neighbour.tolist() == [j for j, _ in slow]
    assert similarity == pytest.approx([s for _, s in slow], abs=1e-6)


@pytest.mark.parametrize("block", [1, 3, 64, 1000])
def test_blocks_change_nothing_and_ties_go_to_the_lowest_row(block):
    rng = np.random.default_rng(1)
    # five directions, at many lengths: nearly every look-alike is tied with others
    directions = rng.normal(size=(5, 33))
    which = rng.integers(0, 5, 150)
    features = directions[which] * 2.0 ** rng.integers(-3, 4, 150)[:, None]
    truth = rng.integers(0, 3, 150)
    neighbour, similarity = nearest_other(features, truth, block=block)
    cosine = directions @ directions.T
    cosine /= np.sqrt(np.outer(cosine.diagonal(), cosine.diagonal()))
    for i in range(150):
        others = [cosine[which[i], which[j]] if truth[j] != truth[i] else -2 for j in range(150)]
        first = int(np.argmax(np.round(others, 9)))
        assert neighbour[i] == first
    whole = nearest_other(features, truth, block=150)
    assert np.array_equal(neighbour, whole[0])
    assert np.array_equal(similarity, whole[1])


def test_look_alikes_that_are_most_like_come_first():
    truth = np.array([0, 0, 1, 1])
    angles = np.array([0.0, 0.5, 0.6, 1.5])  # rows 1 and 2 are nearly the same
    features = np.stack([np.cos(angles), np.sin(angles)], 1)
    assert lookalike(features, truth, 2, 0.25).tolist() == [0, 1, 1, 1]  # tied: the lower row
    assert lookalike(features, truth, 2, 0.5).tolist() == [0, 1, 0, 1]
    assert lookalike(features, truth, 2, 0.75).tolist() == [1, 1, 0, 1]
    assert lookalike(1e200 * features, truth, 2, 0.75).tolist() == [1, 1, 0, 1]


def test_features_without_length_are_like_nothing():
    neighbour, similarity = nearest_other(np.array([[0.0, 0], [1, 0], [1, 1]]), np.array([0, 1, 1]))
    assert neighbour.tolist() == [1, 0, 0]
    assert similarity.tolist() == [0, 0, 0]


def test_look_alikes_of_data_are_of_standardised_inputs():
    truth = skewed(300)
    table = features_of(truth)
    units = table * [1, 10, 100, 1000, 10_000] + [5, 4, 3, 2, 1]
    standard = (units - units.mean(0)) / units.std(0)
    data = from_arrays(units, truth=truth, classes=5)
    made = apply(data, "lookalike:rate=0.3")
    assert np.array_equal(made.given, lookalike(standard, truth, 5, 0.3))
    assert made.source == "arrays + lookalike(rate=0.3)"
    rows = []
    apply(data, "lookalike:rate=0.3", watch=lambda done, total: rows.append((done, total)))
    assert rows == [(300, 300)]


def test_look_alikes_of_images_are_of_their_first_components():
    rng = np.random.default_rng(2)
    truth = np.arange(200) % 2
    images = (rng.integers(0, 30, (200, 9, 9)) + 100 * truth[:, None, None]).astype(np.uint8)
    images[:3] = images[197:]  # three of class 0 look like three of class 1, and the other way
    truth[:3], truth[197:] = 0, 1
    made = apply(from_arrays(images, truth=truth), "lookalike:rate=0.03")
    assert np.flatnonzero(made.given != truth).tolist() == [0, 1, 2, 197, 198, 199]


def test_own_rates_are_a_normal_distribution_cut_off():
    # the density on a fine grid instead of the inverse of the distribution
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    for rate in (0.0, 0.1, 0.5, 1.0):
        grid = np.linspace(0, 1, 20_001)
        density = np.exp(-(((grid - rate) / 0.1) ** 2) / 2)
        rates = _own_rates(rate, quantiles)
        assert rates.mean() == pytest.approx((grid * density).sum() / density.sum(), abs=1e-4)
        assert rates.min() >= 0
        assert rates.max() <= 1


def test_wrong_labels_are_a_softmax_of_projections():
    # a thousand equal examples: shares of their wrong labels follow one softmax
    truth = np.full(20_000, 1)
    table = np.tile([0.6, -0.3], (len(truth), 1))
    from candidly.ground.seeds import draw

    weights = draw(8, "imperfect.instance_label.weights", 1).standard_normal((2, 4))
    chances = np.exp(np.array([0.6, -0.3]) @ weights)
    chances[1] = 0
    counts = np.bincount(_wrong_labels(table, truth, 4, 8), minlength=4)
    assert counts[1] == 0
    other = [0, 2, 3]
    expected = len(truth) * chances[other] / chances.sum()
    assert stats.chisquare(counts[other], expected).pvalue > SMALLEST_P


def test_instances_decide_their_wrong_labels():
    # equal features of one class have equal chances; far ones have others: with large features
    # the softmax is all but one label, so that twins agree
    truth = np.zeros(500, int)
    table = 100 * np.repeat(np.random.default_rng(0).normal(size=(250, 3)), 2, axis=0)
    given = instance_label(table, truth, 6, 1.0)
    assert (given[::2] == given[1::2]).mean() > 0.9
    assert len(np.unique(given)) > 2


SEEDED = {
    "symmetric": lambda truth, seed: symmetric(truth, 4, 0.5, seed=seed),
    "pair": lambda truth, seed: pair(truth, 4, 0.5, seed=seed),
    "matrix": lambda truth, seed: matrix(truth, 4, SHARES, seed=seed),
    "empirical": lambda truth, seed: empirical(
        truth, 4, np.arange(8) // 2, np.arange(8) % 4, seed=seed
    ),
    "instance-label": lambda truth, seed: instance_label(truth[:, None], truth, 4, 0.5, seed=seed),
}


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_the_seed_decides(make):
    truth = np.arange(400) % 4
    before = truth.copy()
    assert np.array_equal(make(truth, 1), make(truth, 1))
    assert not np.array_equal(make(truth, 1), make(truth, 2))
    assert np.array_equal(truth, before)
    assert make(truth[:0], 1).shape == (0,)


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
@pytest.mark.parametrize(
    ("truth", "seed", "message"),
    [
        ([0, 4], 0, r"`truth` is 4 at row 1"),
        ([0, -1], 0, r"`truth` is -1 at row 1.*data\[data.truth >= 0\]"),
        ([0.0, 1.0], 0, r"`truth` is float64 of shape \(2,\)"),
        ([0, 1], -1, r"`seed` is -1"),
    ],
)
def test_bad_truth_and_seed(make, truth, seed, message):
    with pytest.raises(ValueError, match=message):
        make(np.array(truth), seed)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize("make", EXACT.values(), ids=EXACT)
def test_bad_rates(make, rate):
    with pytest.raises(ValueError, match="`rate` is"):
        make(np.array([0, 1]), rate)


ONE_CLASS = {
    "symmetric": lambda truth: symmetric(truth, 1, 0.1),
    "pair": lambda truth: pair(truth, 1, 0.1),
    "matrix": lambda truth: matrix(truth, 1, np.ones((1, 1))),
    "empirical": lambda truth: empirical(truth, 1, truth, truth),
    "lookalike": lambda truth: lookalike(truth[:, None], truth, 1, 0.1),
    "instance-label": lambda truth: instance_label(truth[:, None], truth, 1, 0.1),
}


@pytest.mark.parametrize("make", ONE_CLASS.values(), ids=ONE_CLASS)
def test_one_class_leaves_no_wrong_label(make):
    with pytest.raises(ValueError, match="1 classes; imperfect labels need at least 2"):
        make(np.zeros(3, int))


def broken(**changes):
    shares = np.eye(2)
    for place, value in changes.items():
        shares[int(place[1]), int(place[2])] = value
    return shares


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (np.eye(3), r"the matrix has shape \(3, 3\); for 2 classes it is 2 x 2"),
        (broken(_11=0.9), r"row 1 of the matrix sums to 0.9, not 1"),
        (broken(_00=1.2, _01=-0.2), r"the matrix has 1.2 at row 0, column 0"),
        (broken(_01=-0.5), r"the matrix has -0.5 at row 0, column 1"),
        (broken(_10=float("nan")), r"the matrix has nan at row 1, column 0"),
        (100 * np.eye(2), r"the matrix has 100.0 at row 0"),
    ],
)
def test_bad_matrices(shares, message):
    with pytest.raises(ValueError, match=message):
        matrix(np.array([0, 1]), 2, shares)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("symmetric", r"symmetric needs rate; write for example symmetric:rate=0.1"),
        ("matrix", r"matrix needs file"),
        ("empirical", r"no `given` labels to count; .* empirical:file="),
        ("lookalike:rate=0.1,seed=1", r"lookalike has no option 'seed'"),
        ("symmetric:rate=0.1,per_class=maybe", r"per_class is 'maybe'; give true or false"),
        ("pair:rate=0.1,to=9>1", r"pair:to='9>1'; write each class once"),
        ("pair:rate=0.1,to=0-1/0-2", r"write each class once"),
        ("symmetric:rate=0.1+noise:rate=0.1", r"symmetric makes one given label .*Apply symm"),
        ("uniform+pair:rate=0.1", r"pair makes one given label an example"),
    ],
)
def test_mistakes_in_text(spec, message):
    from candidly.data.imperfect import canonical

    data = from_arrays([[0.0], [1.0]], truth=[0, 1])
    doors = (canonical, lambda text: apply(data, text))
    for door in doors[spec == "empirical" :]:
        with pytest.raises(ValueError, match=message):
            door(spec)


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("matrix:file=none.csv", FileNotFoundError, "there is no file none.csv"),
        ("matrix:file=T.md", ValueError, r"T.md must end in one of .npy, .csv"),
        ("matrix:file=words.csv", ValueError, r"words.csv, column 'a', has 'c' at row 0"),
        ("matrix:file=broken.npy", ValueError, r"broken.npy cannot be read as an array"),
        ("empirical:file=none.npz", FileNotFoundError, "none.npz"),
        ("empirical:file=blind.npz", ValueError, "blind.npz needs both `given` and `truth`"),
        ("empirical:file=three.npz", ValueError, "three.npz has 3 classes.* wanted for 2"),
        ("empirical:file=half.npz", ValueError, "`truth` is 1 at row 1, but the other data has no"),
        ("pair:rate=0.1,to=0-2", ValueError, r"takes class 0 for 2; both must be in 0..1"),
        ("pair:rate=0.1,to=1-1", ValueError, r"takes class 1 for 1"),
    ],
)
def test_mistakes_in_files_and_partners(tmp_path, monkeypatch, spec, kind, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "T.md").write_text("1,0")
    (tmp_path / "words.csv").write_text("a,b\nc,d\n")
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    data = from_arrays([[0.0], [1.0]], truth=[0, 1])
    from_arrays([[0.0]], [0], classes=2).save("blind.npz")
    from_arrays([[0.0]], [2], truth=[2], classes=3).save("three.npz")
    from_arrays([[0.0]], [0], truth=[0], classes=2).save("half.npz")
    with pytest.raises(kind, match=message):
        apply(data, spec)


def test_what_depends_on_the_instance_needs_numbers():
    texts = from_arrays(["a text", "another"], truth=[0, 1])
    for spec in ("lookalike:rate=0.5", "instance-label:rate=0.5"):
        with pytest.raises(ValueError, match=r"give a table or images; of texts, an embedding"):
            apply(texts, spec)
    embedding = np.array([[1.0, 0.0], [1.0, 0.1]])
    assert lookalike(embedding, texts.truth, 2, 0.5).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"`features` has NaN or infinity at row 1"):
        lookalike(np.array([[1.0], [np.nan]]), texts.truth, 2, 0.5)
    with pytest.raises(ValueError, match="all 2 examples are of class 1: none has a look-alike"):
        lookalike(embedding, np.array([1, 1]), 2, 0.5)


def test_no_truth_no_labels():
    with pytest.raises(ValueError, match="toy has no `truth`"):
        apply(from_arrays([[1], [2]], [0, 1], source="toy"), "symmetric:rate=0.5")


def test_given_labels_are_replaced_and_nothing_else():
    truth = np.arange(40) % 4
    data = from_arrays(truth[:, None], np.zeros(40, int), truth=truth, classes=4, source="toy")
    made = apply(data, "Symmetric:rate=.25,seed=7")
    assert np.array_equal(made.given, symmetric(truth, 4, 0.25, seed=7))
    assert made.source == "toy + symmetric(rate=0.25, seed=7)"
    assert made.candidates is None
    assert np.array_equal(made.truth, truth)
    assert made.describe().oracle_given_noise_rate == 0.25
