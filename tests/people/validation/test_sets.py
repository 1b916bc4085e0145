"""What a data set is made of, and how much depends on the threshold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from candidly.people.validation import estimate, from_counts, judge, sets, thresholds
from candidly.stats import wilson

COUNTS = [[5, 0, 0, 0], [0, 5, 0, 0], [1, 3, 1, 0], [2, 0, 3, 0], [0, 0, 1, 4], [2, 2, 1, 0]]


def test_benign_corrected_and_unsettled_divide_the_whole():
    found = sets(judge(from_counts(COUNTS)), 100)
    assert (found.corrected, found.unsettled, found.benign) == (2, 3, 95)
    assert found.pruned == 97
    assert found.prevalence == pytest.approx(2 / 97)
    assert (found.low, found.high) == pytest.approx(wilson(np.array([2]), np.array([97]))[0])
    assert found.percent_error == pytest.approx(5)
    assert not found.estimated


def test_seen_labels_stay():
    found = sets(judge(from_counts(COUNTS)), 100, reading="seen")
    # "given 2, both 3" and "given 2, both 1" were seen by three
    assert (found.corrected, found.unsettled, found.benign) == (2, 1, 97)


def test_a_sample_is_scaled():
    verdicts = judge(from_counts([*COUNTS, [1, 0, 0, 0]]))
    found = sets(verdicts, 1000, 60)
    assert found.estimated
    assert (found.corrected, found.unsettled) == (20, 30)
    assert found.prevalence == pytest.approx(20 / 970)
    ends = np.array(estimate(2, 6, 60).finite) / 970
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.pending == 1


def test_where_nothing_is_decided_nothing_is_known():
    asked = replace(from_counts([[0, 2, 0, 0]]), people=5)
    found = sets(judge(asked), 10)
    assert found.pending == 1
    for name in ("benign", "corrected", "unsettled", "prevalence", "low", "high"):
        assert np.isnan(getattr(found, name))
    assert sets(judge(from_counts(np.zeros((0, 4), int))), 10).benign == 10  # nothing was flagged


def test_items_without_a_verdict_are_as_often_wrong_as_the_others():
    """Answers that are missing at random change no number on average."""
    rng = np.random.default_rng(0)
    wrong = rng.random(4000) < 0.3
    counts = np.where(wrong[:, None], [0, 3, 0, 0], [3, 0, 0, 0])
    whole = sets(judge(from_counts(counts)), 40_000)
    found = []
    for _ in range(60):
        some = counts * (rng.random(4000) < 0.4)[:, None]
        found.append(sets(judge(from_counts(some)), 40_000))
    assert whole.prevalence == pytest.approx(0.03, rel=0.05)
    assert np.mean([f.prevalence for f in found]) == pytest.approx(whole.prevalence, rel=0.01)
    assert np.mean([f.low <= whole.prevalence <= f.high for f in found]) >= 0.9
    assert all(f.estimated for f in found)


def test_every_threshold_and_seen_at_all():
    found = {s.name: s for s in thresholds(from_counts(COUNTS), 100)}
    assert list(found) == ["3 answers", "4 answers", "5 answers", "seen at all by 3"]
    numbers = [(s.sets.corrected, s.sets.unsettled) for s in found.values()]
    assert numbers == [(2, 3), (1, 4), (1, 4), (2, 1)]
    with pytest.raises(ValueError, match="two answers could reach"):
        thresholds(from_counts(COUNTS), 100, levels=(2,))


@pytest.mark.parametrize(("size", "flagged"), [(5, None), (100, 5), (50, 60)])
def test_sizes_that_fall_are_refused(size, flagged):
    with pytest.raises(ValueError, match="must not fall"):
        sets(judge(from_counts(COUNTS)), size, flagged)


def test_an_unknown_reading_is_refused():
    with pytest.raises(ValueError, match="reading is 'both'"):
        sets(judge(from_counts(COUNTS)), 100, reading="both")
