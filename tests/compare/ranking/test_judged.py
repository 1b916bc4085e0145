"""A judge that people correct: against the reference program, by hand, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.ranking import make_judged, rank, rogan_gladen
from candidly.compare.ranking._judged import judged_mean
from candidly.compare.ranking.document import ranking_document

# seed -> estimate and 95 % interval of ppi-python 0.2.3 on the data below
REFERENCE = {
    0: (0.5241633333333334, 0.43404611610828814, 0.6142805505583785),
    1: (0.6278475210333195, 0.49575023708013866, 0.7599448049865004),
    2: (0.5418016717275237, 0.3939281326468488, 0.6896752108081986),
}


def made(seed, noise):
    g = np.random.default_rng(seed)
    truth = g.random(340) < 0.6
    judge = np.clip(0.15 + 0.6 * truth + noise * g.normal(size=340), 0, 1).round(3)
    return np.where(np.arange(340) < 40, truth, np.nan), judge


@pytest.mark.parametrize(("seed", "noise"), [(0, 0.2), (1, 0.6), (2, 1.5)])
def test_it_is_the_reference_program(seed, noise):
    """Both choose the weight by variances, which they divide by n and by n - 1."""
    people, judge = made(seed, noise)
    one = judged_mean(people, judge, np.arange(340))
    value, low, high = REFERENCE[seed]
    assert one.value == pytest.approx(value, abs=1e-3)
    assert one.value - 1.959964 * one.error == pytest.approx(low, abs=1.5e-3)
    assert one.value + 1.959964 * one.error == pytest.approx(high, abs=1.5e-3)


def test_by_hand():
    """A perfect judge: with a weight of 1 the estimate is the mean of its scores of the rest."""
    people = np.r_[np.tile([1.0, 0.0], 10), np.full(2000, np.nan)]
    judge = np.r_[np.tile([1.0, 0.0], 10), np.tile([1.0, 1, 1, 0], 500)]
    one = judged_mean(people, judge, np.arange(2020))
    assert one.by_people == 0.5
    assert one.weight == 1.0
    assert one.value == 0.75
    assert one.worth == pytest.approx(2000 * 0.25 / (0.75 * 0.25) * 20 / 19, rel=1e-3)


@given(st.integers(0, 1000))
def test_it_is_never_worse_than_people_alone(seed):
    g = np.random.default_rng(seed)
    people = np.where(np.arange(200) < 50, g.random(200) < 0.5, np.nan)
    judge = g.random(200)  # it does not look
    one = judged_mean(people, judge, np.arange(200))
    assert one.error <= one.people_error * 1.0001
    assert one.worth >= 50 * 0.999
    backwards = judged_mean(people, np.where(np.isnan(people), judge, 1 - people), np.arange(200))
    assert backwards.weight == 0
    assert backwards.value == backwards.by_people


def test_groups_by_hand():
    """Two groups of two: mean 0.5, and sums of a group of 2 (1 - 0.5) / 4 and minus that, so the
    variance is 2 (1/4)^2 times 2 / (2 - 1)."""
    people, group = np.array([1.0, 1, 0, 0]), np.array([0, 0, 1, 1])
    one = judged_mean(people, np.zeros(4), group)
    assert (one.value, one.error) == (0.5, 0.5)
    assert judged_mean(people, np.zeros(4), np.arange(4)).error == pytest.approx((1 / 12) ** 0.5)


def test_groups_of_copies_count_once():
    people, judge = made(1, 0.6)
    rows = np.repeat(np.arange(340), 3)
    once = judged_mean(people, judge, np.arange(340))
    thrice = judged_mean(people[rows], judge[rows], rows)
    assert thrice.value == pytest.approx(once.value, abs=1e-3)
    assert thrice.error == pytest.approx(once.error, rel=0.01)


def test_a_farmer_and_his_scales():
    """Cochran, Sampling Techniques, 1977, Section 7.2: a farmer judges 200 apple trees by eye, in
    all 11,600 lb, and weighs ten; with a weight of 1 the orchard bears 11,080 lb."""
    weighed = np.array([61, 42, 50, 58, 67, 45, 39, 57, 71, 53.0])
    judged = np.array([59, 47, 52, 60, 67, 48, 44, 58, 76, 58.0])
    rest = (11_600 - judged.sum()) / 190
    found = {}
    for spread in (0.0, 3.0):  # of the trees that the book does not list
        eye = np.r_[judged, rest + spread * np.tile([-1.0, 1.0], 95)]
        people = np.r_[weighed, np.full(190, np.nan)]
        found[spread] = judged_mean(people, eye, np.arange(200))
    one = found[0.0]
    assert one.weight == 1.0
    assert one.by_people == pytest.approx(54.3)
    # the book moves by the mean of all trees, this by that of the other trees
    moved = (200 * one.value - 200 * weighed.mean()) * 190 / 200
    assert 200 * weighed.mean() + moved == pytest.approx(11_080)
    assert found[3.0].value == pytest.approx(one.value)


def test_strata_by_hand():
    """Of 10 and 30 items; people scored 4 and 2. The judge is constant: each mean by its size."""
    people = np.full(40, np.nan)
    people[:4], people[10:12] = [1, 1, 1, 0], [0, 1]
    stratum = np.r_[np.zeros(10, int), np.ones(30, int)]
    one = judged_mean(people, np.ones(40), np.arange(40), stratum)
    assert one.weight == 0
    assert one.value == pytest.approx(0.25 * 0.75 + 0.75 * 0.5)
    variance = 0.25**2 * (3 * 0.25**2 + 0.75**2) / 3 / 4 + 0.75**2 * 0.5 / 2
    assert one.error == pytest.approx(variance**0.5)
    # with the judge at a weight of 1, which sees that nobody is right on the other items
    judge = np.where(np.isnan(people), 0.0, people)
    known = judged_mean(people, judge, np.arange(40), stratum)
    assert 0 < known.weight <= 1
    parts = [0.75 - known.weight * 0.75, 0.5 - known.weight * 0.5]
    assert known.value == pytest.approx(0.25 * parts[0] + 0.75 * parts[1])


def test_strata_hold_where_one_draw_of_all_would_mislead():
    """People score a third of the easy slice and a twentieth of the hard one."""
    held = {"slices": 0, "none": 0}
    for seed in range(200):
        g = np.random.default_rng(seed)
        hard = np.arange(1000) < 800
        truth = g.random((2, 1000)) < np.where(hard, 0.4, 0.9)
        judge = np.clip(0.5 * truth + 0.5 * g.random((2, 1000)), 0, 1)
        people = np.where(g.random(1000) < np.where(hard, 0.05, 0.35), truth, np.nan)
        for name, slices in (("slices", hard.astype(int)), ("none", None)):
            made = make_judged(
                {"a": judge[0], "b": judge[1]}, {"a": people[0], "b": people[1]}, slices=slices
            )
            one = rank(made).model("a")
            held[name] += one.low <= 0.5 <= one.high
    assert held["slices"] >= 178  # fewer with a chance of 1 in 1,000, were it 95 %
    assert held["none"] <= 100


def of_three(seed=0):
    """Three models; the judge likes the second one too much."""
    g = np.random.default_rng(seed)
    truth = {name: g.random(2000) < p for name, p in (("a", 0.8), ("b", 0.6), ("c", 0.6))}
    judge = {k: np.clip(0.2 + 0.5 * v + 0.1 * g.random(2000), 0, 1) for k, v in truth.items()}
    judge["b"] = judge["b"] + 0.2
    known = g.random(2000) < 0.15
    people = {name: np.where(known, scores, np.nan) for name, scores in truth.items()}
    return judge, people


def test_a_judge_who_favours_a_model_is_corrected():
    judge, people = of_three()
    assert rank(judge).models[0].model == "b"
    found = rank(make_judged(judge, people))
    assert found.models[0].model == "a"
    assert found.secure == 1
    assert found.kind == "judged"
    for one, mean in zip(found.models, found.judged):
        assert one.score == mean.value
        assert mean.worth > mean.labelled
    page = ranking_document(found).page()
    assert "The judge alone is off by" in page
    assert "say as much as" in page


def test_pairs_hold():
    """Of two equal models one is said to be ahead in at most 5 % of draws, or chance of that."""
    wrong = 0
    for seed in range(200):
        g = np.random.default_rng(seed)
        truth = g.random((2, 400)) < 0.7
        judge = np.clip(truth * 0.6 + 0.4 * g.random((2, 400)) + [[0.1], [-0.1]], 0, 1)
        known = g.random(400) < 0.2
        people = np.where(known, truth, np.nan)
        names = ("a", "b")
        found = rank(make_judged(dict(zip(names, judge)), dict(zip(names, people))))
        wrong += found.apart
    assert wrong <= 22  # beyond with a chance of 1 in 10,000


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ({"a": [1.0] * 20}, "both score the same models"),
        ({"a": [1.0] * 5, "b": [1.0] * 20}, "have shape"),
        ({"a": [np.nan] * 15 + [1.0] * 5, "b": [1.0] * 20}, "scored 5 items of 'a'"),
        ({"a": [2.0] * 20, "b": [1.0] * 20}, "'a' on item 0 is 2"),
        (
            {"a": [1.0] * 10 + [np.nan] * 10, "b": [np.nan] * 10 + [1.0] * 10},
            "fewer than 10 items of both 'a' and 'b'",
        ),
    ],
)
def test_what_does_not_fit(people, said):
    judge = {"a": np.tile([0.0, 1.0], 10), "b": np.tile([1.0, 0.0], 10)}
    with pytest.raises(ValueError, match=said):
        rank(make_judged(judge, people))


def test_a_slice_without_people():
    judge = {"a": np.tile([0.0, 1.0], 10), "b": np.tile([1.0, 0.0], 10)}
    people = {"a": [1.0] * 11 + [np.nan] * 9, "b": [1.0] * 20}
    with pytest.raises(ValueError, match="1 item of 'a' in the slice 'y'; a slice needs 2"):
        make_judged(judge, people, slices=["x"] * 10 + ["y"] * 10)


@pytest.mark.parametrize(
    ("of", "said", "sensitivity", "specificity", "interval"),
    [
        (11_284, 4_060, (178, 179), (358, 359), (0.349, 0.372)),
        (2_971, 51, (32, 33), (20, 20), (0, 0.053)),
        (11_862, 712, (8, 10), (12, 12), (0, 0.147)),
        (509, 259, (84, 127), (96, 109), (0.58, 0.87)),
        (509, 51, (23, 41), (187, 195), (0.037, 0.195)),
    ],
)
def test_published_examples(of, said, sensitivity, specificity, interval):
    """The four examples of Lang and Reiczigel, 2014, two shares in the last."""
    (right, rights), (wrong, wrongs) = sensitivity, specificity
    people = np.r_[np.ones(rights), np.zeros(wrongs), np.full(of, np.nan)]
    judge = np.concatenate(
        [np.arange(rights) < right, np.arange(wrongs) >= wrong, np.arange(of) < said]
    ).astype(float)
    found = rogan_gladen(people, judge)
    assert (found.low, found.high) == pytest.approx(interval, abs=0.0008 if of > 509 else 0.006)


def test_a_slice_in_which_no_item_is_of_both_models():
    judge = {"a": np.tile([0.0, 1.0], 20), "b": np.tile([1.0, 0.0], 20)}
    people = {name: np.full(40, np.nan) for name in "ab"}
    people["a"][:25], people["b"][:15] = 1.0, 1.0
    people["b"][30:35] = 1.0
    slices = np.repeat(["x", "y"], 20)
    with pytest.raises(ValueError, match="0 items of both 'a' and 'b' in the slice 'y'"):
        rank(make_judged(judge, people, slices=slices))


def test_rogan_and_gladen_by_hand():
    """8 of 10 right answers are called right, 1 of 10 wrong ones: 0.45 is (0.45 - 0.1) / 0.7."""
    people = np.r_[np.ones(10), np.zeros(10), np.full(100, np.nan)]
    judge = np.r_[np.ones(8), np.zeros(2), np.ones(1), np.zeros(9), np.ones(45), np.zeros(55)]
    found = rogan_gladen(people, judge)
    assert (found.sensitivity, found.specificity) == (0.8, 0.9)
    assert found.value == pytest.approx(0.5)
    assert found.low < 0.5 < found.high
    with pytest.raises(ValueError, match="tells nothing"):
        rogan_gladen(people, 1 - judge)
    with pytest.raises(ValueError, match="every item right"):
        rogan_gladen(np.where(people == 0, np.nan, people), judge)
    with pytest.raises(ValueError, match="0 and 1"):
        rogan_gladen(people, judge / 2)


def test_rogan_and_gladen_hold():
    held = 0
    for seed in range(300):
        g = np.random.default_rng(seed)
        truth = g.random(600) < 0.35
        judge = np.where(truth, g.random(600) < 0.85, g.random(600) < 0.2).astype(float)
        people = np.where(np.arange(600) < 100, truth, np.nan)
        found = rogan_gladen(people, judge)
        held += found.low <= 0.35 <= found.high
    assert held >= 270  # fewer with a chance of 1 in 1,000, were it 95 %
