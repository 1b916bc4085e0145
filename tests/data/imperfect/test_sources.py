"""Several sources of noise, replaced inputs, long tails: exact counts, slow versions, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.data.imperfect import (
    apply,
    long_tail,
    lookalike,
    matrix,
    open_set,
    pair,
    replace_inputs,
    symmetric,
)
from candidly.data.imperfect._classes import read_classes
from candidly.data.imperfect._pools import of_numbers
from candidly.data.labels.building import from_arrays

RATES = (0.0, 0.1, 0.2, 0.4, 0.6)


def blobs(n=240, q=6, d=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.sort(rng.integers(0, q, n))
    inputs = rng.normal(size=(n, d)) + 2 * rng.normal(size=(q, d))[truth]
    return from_arrays(inputs, truth=truth, classes=q, source="blobs")


# several sources


def test_each_source_corrupts_its_own_classes():
    data = blobs()
    spec = "symmetric:rate=0.4,classes=0-2,seed=3+pair:rate=0.2,classes=3/5,to=3-0/5-1"
    made = apply(data, spec)
    first, second = np.isin(data.truth, [0, 1, 2]), np.isin(data.truth, [3, 5])
    wrong = made.given != data.truth
    assert wrong[first].sum() == int(0.4 * first.sum() + 0.5)
    assert wrong[second].sum() == int(0.2 * second.sum() + 0.5)
    assert not wrong[~first & ~second].any()
    assert np.array_equal(made.given[first], symmetric(data.truth[first], 6, 0.4, seed=3))
    assert np.array_equal(made.given[second], pair(data.truth[second], 6, 0.2, {3: 0, 5: 1}))
    assert made.source == (
        "blobs + symmetric(rate=0.4, seed=3, classes=0-2)"
        " + pair(rate=0.2, to=3-0/5-1, seed=0, classes=3/5)"
    )
    backwards = "+".join(reversed(spec.split("+")))
    assert np.array_equal(apply(data, backwards).given, made.given)


def test_a_rate_of_all_examples_is_concentrated_in_the_source():
    data = blobs()
    made = apply(data, "symmetric:rate=0.1,classes=1,of_all=true")
    wrong = made.given != data.truth
    assert wrong.sum() == 24
    assert set(data.truth[wrong]) == {1}
    with pytest.raises(ValueError, match=r"0.9 of all 240 examples is 216, but classes 1 have"):
        apply(data, "symmetric:rate=0.9,classes=1,of_all=true")


def test_look_alikes_of_a_source_are_in_its_own_classes():
    data = blobs()
    made = apply(data, "lookalike:rate=0.3,classes=0/4")
    rows = np.isin(data.truth, [0, 4])
    assert set(made.given[rows]) == {0, 4}
    alone = lookalike(of_numbers(data.inputs[rows]), data.truth[rows], 6, 0.3)
    assert np.array_equal(made.given[rows], alone)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("symmetric:rate=0.1+pair:rate=0.1,classes=1", "symmetric is one of several sources"),
        (
            "symmetric:rate=0.1,classes=0-2+pair:rate=0.1,classes=2",
            "class 2 has two sources of noise, symmetric and pair",
        ),
        ("symmetric:rate=0.1,classes=x", r"classes='x'; write numbers and ranges"),
        ("symmetric:rate=0.1,classes=2-1", r"classes='2-1'; write numbers"),
        ("symmetric:rate=0.1,classes=1/0-2", "names a class twice"),
        ("symmetric:rate=0.1,classes=9", r"class 9 has no example here \(classes are 0..5\)"),
        ("uniform+open-set:rate=0.1", "open-set makes one given label"),
        ("symmetric:rate=0.1+long-tail:factor=2", "long-tail says what examples there are"),
        ("uniform+hold-out:classes=1", "hold-out says .* put it in front of uniform"),
        ("open-set:rate=0.1", "open-set needs inputs that are in no class"),
        ("hold-out:classes=1+open-set:rate=1", r"`rate` is 1.0; .* in \[0, 1\)"),
        ("hold-out:classes=1+open-set:rate=-0.1", r"rate is '-0.1'; give a number from 0 to 1"),
        ("hold-out:classes=0-4", "leaves fewer than two"),
        ("hold-out:classes=7", "class 7 has no example to hold out"),
        ("hold-out", "hold-out needs classes; write for example hold-out:classes=8/9"),
        ("hold-out:classes=", "classes has no value"),
        ("long-tail", "long-tail needs factor; write for example long-tail:factor=100"),
        ("long-tail:factor=0.5", "factor is '0.5'; give a number from 1 on, such as 100"),
        ("long-tail:factor=inf", "factor is 'inf'"),
        ("long-tail:factor=10000", "leaves class 3 without an example"),
        ("hold-out:classes=1+open-set:rate=0.9", "the pool has"),
    ],
)
def test_what_cannot_be_is_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        apply(blobs(), spec)


def test_lists_of_classes():
    assert read_classes("") == ()
    assert read_classes("3") == (3,)
    assert read_classes("9 / 0-2") == (0, 1, 2, 9)


# the data's own matrix


def test_empirical_without_a_file_is_the_counterpart_of_the_datas_own_noise():
    data = blobs(2000, 4)
    shares = np.array([[0.7, 0.3, 0, 0], [0, 1, 0, 0], [0.1, 0.2, 0.6, 0.1], [0, 0, 0.5, 0.5]])
    human = matrix(data.truth, 4, shares, exact=True)
    noisy = from_arrays(data.inputs, human, truth=data.truth, classes=4)
    made = apply(noisy, "empirical:exact=true,seed=5")
    pairs = lambda given: np.histogram2d(data.truth, given, bins=4)[0]  # noqa: E731
    assert np.array_equal(pairs(made.given), pairs(human))
    assert not np.array_equal(made.given, human)


# replaced inputs


def slow_open_set(features, pool, rate, groups, reuse=False):
    """One example after the other, with every cosine spelled out."""

    def cosine(x, y):
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))

    likeness = np.array([[cosine(x, y) for y in pool] for x in features])
    best = likeness.max(1)
    ranked = []
    for group in set(groups.tolist()):
        rows = [i for i in range(len(features)) if groups[i] == group]
        rows.sort(key=lambda i: (-best[i], i))
        count = int(rate * len(rows) + 0.5)
        ranked += [((k + 0.5) / len(rows), i) for k, i in enumerate(rows[:count])]
    origin, used = np.full(len(features), -1), set()
    place_of = {i: place for place, i in ranked}
    for i in sorted(place_of, key=lambda i: (place_of[i], i)):
        for j in np.argsort(-likeness[i], kind="stable"):
            if j not in used or reuse:
                origin[i] = j
                used.add(int(j))
                break
    return origin


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_nearest_of_a_pool_replace_those_most_like_them(grouped, reuse):
    rng = np.random.default_rng(1)
    features, pool = rng.normal(size=(70, 4)), rng.normal(size=(45, 4))
    groups = rng.integers(0, 3, 70) if grouped else np.zeros(70, int)
    for rate in (0.1, 0.33, 0.6):
        found = open_set(features, pool, rate, groups if grouped else None, reuse=reuse)
        slow = slow_open_set(features, pool, rate, groups, reuse)
        assert np.array_equal(found.origin, slow)


@pytest.mark.parametrize("options", [{}, {"random": True}, {"reuse": True}, {"grouped": True}])
def test_the_rate_is_exact_and_lower_rates_are_nested(options):
    rng = np.random.default_rng(2)
    options = dict(options)
    features, pool = rng.normal(size=(101, 3)), rng.normal(size=(80, 3))
    groups = np.arange(101) % 3 if options.pop("grouped", False) else None
    before = np.full(101, -1)
    for rate in RATES:
        found = open_set(features, pool, rate, groups, **options)
        sizes = [101] if groups is None else np.bincount(groups)
        counts = [found.mask.sum()] if groups is None else np.bincount(groups, found.mask)
        assert list(counts) == [int(rate * size + 0.5) for size in sizes]
        assert found.rate == found.mask.mean()
        assert np.array_equal(found.origin[before >= 0], before[before >= 0])
        if "reuse" not in options:
            assert len(set(found.origin[found.mask])) == found.mask.sum()
        before = found.origin


@pytest.mark.parametrize("block", [1, 3, 64])
def test_blocks_change_nothing_and_equals_go_to_the_lower_row(block):
    directions = np.eye(4)
    features = directions[np.arange(20) % 4] * 3
    pool = directions[np.arange(30) % 4]
    rows = []
    watch = lambda done, total: rows.append((done, total))  # noqa: E731
    found = open_set(features, pool, 0.5, block=block, watch=watch)
    # all are alike, so rows in order; each takes the first of its direction that is left
    assert found.origin[:10].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert (found.origin[10:] == -1).all()
    again = open_set(features, pool, 0.5, reuse=True, block=block)
    assert again.origin[:10].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert found.similarity == pytest.approx(np.ones(20))
    assert rows[-1] == (20, 20)


def test_what_one_source_has_used_another_does_not():
    inputs = np.random.default_rng(0).normal(size=(8, 3))
    alike = np.vstack([inputs[:4], inputs[:4], inputs])  # both classes want the same
    data = from_arrays(alike, truth=np.repeat([0, 1, 2, 2], 4))
    one = "hold-out:classes=2+open-set:rate=0.5,classes=0,per_class=true{}"
    two = "+open-set:rate=0.5,classes=1{}"
    made = apply(data, one.format("") + two.format(""))
    taken = [row.tobytes() for row in made.inputs[made.truth == -1]]
    assert len(set(taken)) == len(taken) == 4
    made = apply(data, one.format(",reuse=true,random=true") + two.format(",reuse=true"))
    assert (made.truth == -1).sum() == 4


def test_random_inputs_are_uniform_over_the_pool():
    hits = np.zeros(5)
    for seed in range(400):
        found = open_set(np.ones((4, 1)), np.ones((5, 1)), 0.5, random=True, seed=seed)
        hits += np.bincount(found.origin[found.mask], minlength=5)
    assert hits.sum() == 800
    assert np.abs(hits - 160).max() < 5 * np.sqrt(400 * 0.4 * 0.6)
    again = open_set(np.ones((4, 1)), np.ones((5, 1)), 0.5, random=True, seed=399)
    assert np.array_equal(found.origin, again.origin)


def test_only_siblings_stand_in():
    rng = np.random.default_rng(3)
    features, pool = rng.normal(size=(60, 3)), rng.normal(size=(60, 3))
    parents, above = np.arange(60) % 3, np.arange(60) % 4
    found = open_set(features, pool, 0.4, parents=parents, pool_parents=above)
    rows = np.flatnonzero(found.mask)
    assert np.array_equal(parents[rows], above[found.origin[rows]])
    likeness = features @ pool.T / np.linalg.norm(features, axis=1)[:, None]
    likeness /= np.linalg.norm(pool, axis=1)
    likeness[parents[:, None] != above] = -np.inf
    assert found.similarity == pytest.approx(likeness.max(1), abs=1e-6)
    with pytest.raises(ValueError, match="no input left that may replace row"):
        open_set(features, pool, 0.4, parents=np.full(60, 9), pool_parents=above)
    with pytest.raises(ValueError, match="belong together"):
        open_set(features, pool, 0.4, parents=parents)
    with pytest.raises(ValueError, match=r"must be \(60,\) and \(60,\)"):
        open_set(features, pool, 0.4, parents=parents[:3], pool_parents=above)


def test_held_out_classes_replace_inputs_and_labels_stay():
    data = blobs(600)
    made = apply(data, "hold-out:classes=1/4+open-set:rate=0.25")
    rest = data[~np.isin(data.truth, [1, 4])]
    held = data[np.isin(data.truth, [1, 4])]
    assert made.classes == ("0", "2", "3", "5")
    assert np.array_equal(made.ids, rest.ids)
    labels = np.searchsorted([0, 2, 3, 5], rest.truth)
    assert np.array_equal(made.given, labels)
    replaced = made.truth == -1
    assert replaced.sum() == int(0.25 * made.n + 0.5)
    assert np.array_equal(made.truth[~replaced], labels[~replaced])
    assert np.array_equal(made.inputs[~replaced], rest.inputs[~replaced])
    pool = {row.tobytes() for row in held.inputs}
    taken = [row.tobytes() for row in made.inputs[replaced]]
    assert set(taken) <= pool
    assert len(set(taken)) == len(taken)
    assert np.array_equal(data.inputs, blobs(600).inputs)
    both = of_numbers(np.concatenate([rest.inputs, held.inputs]))
    found = open_set(both[: rest.n], both[rest.n :], 0.25)
    assert np.array_equal(found.mask, replaced)
    assert np.array_equal(made.inputs[replaced], held.inputs[found.origin[replaced]])
    assert made.describe().oracle_unknown == replaced.sum()


def test_replaced_inputs_beside_wrong_labels_and_by_a_file(tmp_path):
    data, other = blobs(), blobs(100, 2, seed=9)
    other.save(tmp_path / "other.npz")
    spec = f"pool:file={tmp_path}/other.npz+symmetric:rate=0.2,classes=0-2"
    spec += "+open-set:rate=0.3,classes=3/4+open-set:rate=0.1,classes=5"
    made = apply(data, spec)
    replaced, wrong = made.truth == -1, made.given != data.truth
    for classes, rate, mask in (
        ([0, 1, 2], 0.2, wrong),
        ([3, 4], 0.3, replaced),
        ([5], 0.1, replaced),
    ):
        rows = np.isin(data.truth, classes)
        assert mask[rows].sum() == int(rate * rows.sum() + 0.5)
    assert not (replaced & wrong).any()
    assert np.array_equal(made.given[replaced], data.truth[replaced])
    taken = [row.tobytes() for row in made.inputs[replaced]]
    assert len(set(taken)) == len(taken)  # what one source has used another does not
    blobs(10, 3, d=2).save(tmp_path / "narrow.npz")
    with pytest.raises(ValueError, match=r"holds table of shape \(2,\), but the data table of"):
        apply(data, f"pool:file={tmp_path}/narrow.npz+open-set:rate=0.1")


def test_labels_that_are_there_already_stay():
    data = blobs()
    given = (data.truth + 1) % 6
    noisy = from_arrays(data.inputs, given, truth=data.truth, classes=6)
    made = replace_inputs(noisy, blobs(100, seed=4), 0.2)
    assert np.array_equal(made.given, given)
    assert (made.truth == -1).sum() == 48


def test_a_class_that_would_be_lost_is_refused():
    inputs = np.array([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]])
    data = from_arrays(inputs, truth=[0, 0, 1, 1], source="two")
    pool = from_arrays(np.array([[1.0, 0.02], [1, 0.07]]), truth=[0, 0], classes=1)
    embed = lambda both: both  # noqa: E731
    with pytest.raises(ValueError, match="every input of class 0 would be replaced"):
        replace_inputs(data, pool, 0.5, embed=embed)
    made = replace_inputs(data, pool, 0.5, embed=embed, per_class=True)
    assert made.truth.tolist().count(-1) == 2
    assert set(made.truth) == {-1, 0, 1}


def test_an_embedding_of_ones_own_decides():
    data, pool = blobs(), blobs(100, seed=4)
    asked = []

    def first_column(both):
        asked.append(len(both))
        return both[:, :1] ** 2 + 1  # all alike: the cosine of positive numbers is 1

    made = replace_inputs(data, pool, 0.1, embed=first_column)
    assert asked == [340]
    assert np.flatnonzero(made.truth == -1).tolist() == list(range(24))
    assert np.array_equal(made.inputs[:24], pool.inputs[:24])
    assert made.source == "blobs + open-set(rate=0.1, seed=0)"
    with pytest.raises(ValueError, match="`features` has shape"):
        replace_inputs(data, pool, 0.1, embed=lambda both: both[:, 0])


def test_texts_are_replaced_by_those_with_the_same_words():
    texts = ["wash the car", "wax the car slowly", "boil an egg", "fry an egg with salt"]
    data = from_arrays(texts, truth=[0, 0, 1, 1])
    pool = from_arrays(["poach an egg", "sing a song"], truth=[0, 0], classes=1)
    made = replace_inputs(data, pool, 0.25)
    row = int(np.flatnonzero(made.truth == -1)[0])
    assert row in (2, 3)
    assert made.inputs[row] == "poach an egg"
    assert replace_inputs(data, pool, 0.25, random=True).kind == "texts"


@pytest.mark.parametrize("rate", [1.0, -0.1, float("nan")])
def test_bad_rates_of_replaced_inputs(rate):
    with pytest.raises(ValueError, match="`rate` is"):
        open_set(np.ones((2, 1)), np.ones((2, 1)), rate)


def test_embeddings_must_match():
    with pytest.raises(ValueError, match="`features` has 2 columns and `pool` 3"):
        open_set(np.ones((2, 2)), np.ones((2, 3)), 0.5)
    with pytest.raises(ValueError, match="the pool is empty"):
        open_set(np.ones((2, 2)), np.ones((0, 2)), 0.5)


# long tails


@pytest.mark.parametrize("factor", [1, 2, 10, 50, 100])
def test_sizes_fall_off_exponentially(factor):
    truth = np.arange(5000) % 10
    kept = long_tail(truth, 10, factor)
    sizes = np.bincount(truth[kept], minlength=10)
    assert sizes.tolist() == [int(500 * factor ** (-k / 9) + 0.5) for k in range(10)]
    assert sizes[0] / sizes[-1] == factor
    assert (np.diff(kept) > 0).all()


def test_unequal_classes_limit_the_profile():
    truth = np.repeat([0, 1, 2], [1000, 40, 500])
    kept = long_tail(truth, 3, 4)
    # factors 1, 1/2, 1/4: class 1 allows a start of 80
    assert np.bincount(truth[kept]).tolist() == [80, 40, 20]
    assert np.bincount(truth[long_tail(truth, 3, 1)]).tolist() == [40, 40, 40]


def test_which_rows_stay_is_seeded_and_nested():
    truth = np.arange(900) % 3
    assert np.array_equal(long_tail(truth, 3, 9, seed=1), long_tail(truth, 3, 9, seed=1))
    assert not np.array_equal(long_tail(truth, 3, 9, seed=1), long_tail(truth, 3, 9, seed=2))
    assert set(long_tail(truth, 3, 100, seed=1)) <= set(long_tail(truth, 3, 9, seed=1))
    shares = [long_tail(truth, 3, 9, seed=s)[-100:].mean() for s in range(30)]
    assert np.std(shares) > 0
    counts = np.zeros(900)
    for seed in range(300):
        counts[long_tail(truth, 3, 9, seed=seed)] += 1
    assert (counts[truth == 0] == 300).all()
    assert abs(counts[truth == 2][:150].mean() - 300 / 9) < 5 * np.sqrt(300 / 9 * 8 / 9 / 150) * 2


def test_classes_in_random_order():
    truth = np.arange(600) % 6
    orders = set()
    for seed in range(20):
        sizes = np.bincount(truth[long_tail(truth, 6, 32, shuffle=True, seed=seed)])
        assert sorted(sizes)[::-1] == [100, 50, 25, 13, 6, 3]
        orders.add(tuple(sizes))
    assert len(orders) > 15


def test_a_class_lost_is_refused():
    with pytest.raises(ValueError, match="class 1 has no example"):
        long_tail(np.array([0, 2]), 3, 2)
    with pytest.raises(ValueError, match="a factor of 100 leaves class 1 without an example"):
        long_tail(np.array([0, 0, 0, 1]), 2, 100)


def test_a_long_tail_and_then_noise():
    data = blobs(1200)
    made = apply(data, "long-tail:factor=5+symmetric:rate=0.2,seed=1")
    kept = long_tail(data.truth, 6, 5)
    assert np.array_equal(made.ids, data.ids[kept])
    assert np.array_equal(made.given, symmetric(data.truth[kept], 6, 0.2, seed=1))
    assert made.describe().oracle_imbalance == pytest.approx(5, rel=0.05)
    sets = apply(data, "long-tail:factor=5+uniform+noise:rate=0.1")
    assert sets.n == made.n
    assert sets.candidates.shape == (made.n, 6)
