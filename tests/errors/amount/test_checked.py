"""Rows to check and counts from them: drawn at random where it pays, and intervals that hold."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from candidly.errors.amount import WrongLabels, count_checked, estimate, rows_to_check
from candidly.stats.checked import RowsToCheck, rows_of_columns
from made_overlap import made


def known(chance, share=None):
    """An estimate with these chances."""
    n = len(chance)
    nan = float("nan")
    why = "" if share is None else "nothing"
    about = {"why": why, "has_label": np.ones(n, bool)}
    share = float(np.nanmean(chance))
    return WrongLabels(n, share, 0, nan, (nan, nan, nan), (), chance, 1, 1, n, **about)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.4, 0.8, 1.0]), min_size=20, max_size=400),
    st.integers(15, 200),
    st.integers(0, 5),
)
def test_every_row_is_drawn_once_and_stands_for_its_stratum(chances, count, seed):
    chance = np.array(chances)
    drawn = rows_to_check(known(chance), count, seed)
    assert len(drawn.rows) == len(set(drawn.rows.tolist())) == min(count, len(chance))
    assert drawn.sizes.sum() == len(chance)
    assert drawn.weights.sum() == pytest.approx(len(chance))
    of = np.searchsorted((0.1, 0.5), chance, side="right")
    for k, stratum in enumerate(np.unique(of)):
        there = drawn.rows[drawn.stratum == k]
        assert (of[there] == stratum).all()
        assert drawn.sizes[k] == (of == stratum).sum()
        assert len(there) >= min(5, drawn.sizes[k])
    again = rows_to_check(known(chance), count, seed)
    assert again.rows.tolist() == drawn.rows.tolist()


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.4, 0.8, 1.0]), min_size=40, max_size=400),
    st.integers(15, 40),
    st.integers(0, 5),
)
def test_a_longer_list_begins_with_a_shorter_one(chances, count, seed):
    found = known(np.array(chances))
    short, long = rows_to_check(found, count, seed), rows_to_check(found, 1000, seed)
    begin = long.first(count)
    assert begin.rows.tolist() == short.rows.tolist()
    assert begin.stratum.tolist() == short.stratum.tolist()
    assert begin.weights.sum() == pytest.approx(len(chances))


def test_of_the_likeliest_place_every_row_is_drawn_equally_often():
    found, times = known(np.repeat([0.0, 0.3], [60, 30])), np.zeros(90)
    for seed in range(600):
        times[rows_to_check(found, 30, seed).rows] += 1
    for rows in (slice(0, 60), slice(60, 90)):
        share = times[rows] / 600
        assert abs(share - share.mean()).max() < 5 * np.sqrt(share.mean() / 600)


@settings(max_examples=40)
@given(st.integers(0, 1000), st.booleans())
def test_columns_of_a_table_say_the_same(seed, silent):
    rng = np.random.default_rng(seed)
    chance = np.full(300, np.nan) if silent else rng.random(300)
    drawn = rows_to_check(known(chance), 60, seed)
    order = rng.permutation(60)
    columns = {name: values[order] for name, values in drawn.columns().items()}
    again = rows_of_columns(drawn.rows[order], columns)
    assert again.rows.tolist() == drawn.rows[order].tolist()
    assert again.stratum.tolist() == drawn.stratum[order].tolist()
    assert again.sizes.tolist() == drawn.sizes.tolist()
    assert again.expected == drawn.expected
    assert (again.expected is None) == silent


@settings(max_examples=40)
@given(st.integers(0, 1000))
def test_what_is_answered_stands_for_all(seed):
    rng = np.random.default_rng(seed)
    chance, wrong = rng.random(300), rng.random(300) < 0.2
    drawn = rows_to_check(known(chance), 80, seed)
    answered = rng.random(80) < 0.7
    assume(all((drawn.stratum[answered] == k).any() for k in range(3)))
    some = drawn.some(answered)
    assert some.sizes.tolist() == drawn.sizes.tolist()
    assert some.weights.sum() == pytest.approx(300)
    assert count_checked(some, wrong[some.rows]).labelled == 300


def test_so_many_more_answers_halve_the_interval():
    rng = np.random.default_rng(1)
    chance = np.where(rng.random(20_000) < 0.1, 0.7, 0.03)
    wrong = rng.random(20_000) < chance
    found = known(chance)

    def width(count):
        counts = [
            count_checked(drawn, wrong[drawn.rows])
            for drawn in (rows_to_check(found, count, seed) for seed in range(40))
        ]
        return np.mean([one.high - one.low for one in counts]), np.mean(
            [one.more for one in counts]
        )

    before, more = width(100)
    after, _ = width(100 + round(more))
    assert after / before == pytest.approx(0.5, abs=0.08)


@settings(max_examples=40)
@given(st.integers(20, 200), st.integers(0, 100))
def test_where_every_row_was_checked_the_count_is_the_number(n, seed):
    rng = np.random.default_rng(seed)
    chance, wrong = rng.random(n), rng.random(n) < 0.3
    drawn = rows_to_check(known(chance), n)
    count = count_checked(drawn, wrong[drawn.rows])
    assert count.number == pytest.approx(wrong.sum())
    assert count.low == pytest.approx(wrong.sum())
    assert count.high == pytest.approx(wrong.sum())


@settings(max_examples=40)
@given(st.integers(0, 1000), st.floats(0, 1))
def test_what_was_found_is_the_least_and_what_may_be_is_the_most(seed, rate):
    rng = np.random.default_rng(seed)
    chance, wrong = rng.random(300), rng.random(300) < rate
    drawn = rows_to_check(known(chance), 60, seed)
    count = count_checked(drawn, wrong[drawn.rows])
    assert count.found <= count.low <= count.number <= count.high <= 300 - (60 - count.found)


def test_one_stratum_is_a_share_by_hand():
    drawn = rows_to_check(known(np.zeros(10_000)), 50)
    wrong = np.arange(50) < 2
    count = count_checked(drawn, wrong)
    assert count.number == 400  # 2 of 50
    # Clopper and Pearson's limits of 2 of 50 are .0049 and .1371
    left = np.sqrt(9950 / 9999)
    assert count.low == pytest.approx(400 - 10_000 * (0.04 - 0.00488) * left, abs=2)
    assert count.high == pytest.approx(400 + 10_000 * (0.13714 - 0.04) * left, abs=2)


@pytest.mark.parametrize("seen", [1.0, 0.5, 0.0])
def test_intervals_hold_also_where_the_chances_do_not(seen):
    rng = np.random.default_rng(0)
    truly = np.where(rng.random(4000) < 0.1, 0.8, 0.02)
    wrong = rng.random(4000) < truly
    found = known(seen * truly)
    held = 0
    for seed in range(200):
        drawn = rows_to_check(found, 80, seed)
        count = count_checked(drawn, wrong[drawn.rows])
        held += count.low <= wrong.sum() <= count.high
    assert held >= 190


def test_chances_make_the_interval_narrower():
    rng = np.random.default_rng(0)
    chance = np.where(rng.random(4000) < 0.1, 0.9, 0.005)
    wrong = rng.random(4000) < chance
    width = []
    for found in (known(chance), known(np.zeros(4000))):
        counts = []
        for seed in range(30):
            drawn = rows_to_check(found, 100, seed)
            counts.append(count_checked(drawn, wrong[drawn.rows]))
        width.append(np.mean([count.high - count.low for count in counts]))
    assert width[0] < 0.7 * width[1]


def test_rows_without_a_label_are_not_drawn():
    logs, true, labels = made(600, 3, 0.1, scale=4)
    labels[:100] = -1
    found = estimate(labels, np.exp(logs), unlabelled=True)
    drawn = rows_to_check(found, 200)
    assert drawn.rows.min() >= 100
    assert drawn.sizes.sum() == 500
    count = count_checked(drawn, (labels != true)[drawn.rows])
    assert count.labelled == 500
    assert f"If errors struck clear and unclear rows alike: {found.number}." in str(count)


def test_what_is_refused():
    found = known(np.zeros(100))
    with pytest.raises(ValueError, match="count is 3"):
        rows_to_check(found, 3)
    drawn = rows_to_check(found, 20)
    with pytest.raises(ValueError, match=r"`wrong` has shape \(3,\); 20 rows were drawn"):
        count_checked(drawn, np.zeros(3, bool))
    with pytest.raises(TypeError, match="true where the label is wrong"):
        count_checked(drawn, np.zeros(20))
    with pytest.raises(ValueError, match=r"make it with errors\.estimate"):
        rows_to_check(drawn, 20)
    with pytest.raises(ValueError, match=r"of stratum 0, 100 labels, no row was checked yet"):
        count_checked(drawn.some(np.zeros(20, bool)), np.zeros(0, bool))
    with pytest.raises(ValueError, match="30 of 20 drawn rows"):
        drawn.first(30)
    with pytest.raises(ValueError, match="2 rows are too few: 3 at least reach all 3 strata"):
        rows_to_check(known(np.repeat([0, 0.3, 0.9], 50)), 20).first(2)


@pytest.mark.parametrize(
    ("rows", "stratum", "sizes", "why"),
    [
        ([1, 1], [0, 0], [9], "row 1 was drawn twice"),
        ([1, 2], [0, 1], [9], "of stratum 1; there are 1"),
        ([1, 2], [0, 0], [1], "2 rows were drawn of stratum 0, which has 1"),
        ([1, 2], [0], [9], "as many"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(rows, stratum, sizes, why):
    chance = np.full(len(sizes), 0.1)
    with pytest.raises(ValueError, match=why):
        RowsToCheck(np.array(rows), np.array(stratum), np.array(sizes), chance)


def test_rows_of_a_stratum_that_say_different_things_of_it_are_refused():
    drawn = rows_to_check(known(np.repeat([0, 0.3], 50)), 20)
    for name, value in (("stratum size", 7), ("stratum chance", 0.9)):
        columns = {key: values.copy() for key, values in drawn.columns().items()}
        columns[name][4] = value
        with pytest.raises(ValueError, match=rf"the {name} of stratum \d is"):
            rows_of_columns(drawn.rows, columns)
