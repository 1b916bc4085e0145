"""Ranks, points and the paired bootstrap, against hand-worked cases and a slow version."""

import numpy as np
import pytest

from candidly.compare.challenge import standings
from candidly.compare.challenge._rank import differences
from candidly.ground.seeds import draw


def found(scores, sets=("x",)):
    return {one.name: one for one in standings(scores, sets)}


def test_points_are_eleven_minus_the_rank_summed_over_label_sets():
    scores = {"a": {"x": 0.9, "y": 0.1, "z": 0.5}, "b": {"x": 0.8, "y": 0.2, "z": 0.5}}
    by = found(scores, ("x", "y", "z"))
    assert by["a"].ranks == {"x": 1, "y": 2, "z": 1}
    assert by["b"].ranks == {"x": 2, "y": 1, "z": 1}
    assert (by["a"].points, by["b"].points) == (10 + 9 + 10, 9 + 10 + 10)
    assert (by["a"].place, by["b"].place) == (1, 1)


def test_equal_scores_share_the_better_rank():
    by = found({"a": {"x": 0.7}, "b": {"x": 0.9}, "c": {"x": 0.7}, "d": {"x": 0.1}})
    assert [by[name].ranks["x"] for name in "abcd"] == [2, 1, 2, 4]
    nearly = found({"a": {"x": 0.1 + 0.2}, "b": {"x": 0.3}})  # not equal as floats
    assert [nearly[name].ranks["x"] for name in "ab"] == [1, 1]


def test_absent_ones_have_the_last_rank_and_in_the_stricter_count_nothing():
    by = found({"a": {"x": 0.9, "y": 0.9}, "b": {"x": 0.1, "y": None}, "c": {"x": 0.5}}, ("x", "y"))
    assert by["b"].ranks == {"x": 3, "y": 3}
    assert by["c"].ranks == {"x": 2, "y": 3}  # both absent: the number of participants
    assert (by["b"].points, by["b"].points_absent_0) == (8 + 8, 8)
    assert (by["c"].points, by["c"].points_absent_0) == (9 + 8, 9)


def test_from_the_twelfth_on_there_are_no_points():
    by = found({f"s{i:02}": {"x": 1 - i / 100} for i in range(13)})
    assert [by[f"s{i:02}"].points for i in (0, 9, 10, 11, 12)] == [10, 1, 0, 0, 0]


def slow(hits, wrong, resamples):
    """The bootstrap by its text: draw rows, score each run, average, subtract."""
    names, rng = list(hits), draw(0, "paired bootstrap")
    rows = next(iter(hits.values())).shape[1]

    def score(name, at):
        each = []
        for run in hits[name]:
            if wrong is None:
                each.append(run[at].mean())
                continue
            both = run[at].sum() + wrong[at].sum()
            each.append(2 * (run[at] & wrong[at]).sum() / both if both else 1.0)
        return np.mean(each)

    drawn = [rng.integers(0, rows, rows) for _ in range(resamples)]
    table = {
        (a, b): [score(a, at) - score(b, at) for at in drawn]
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
    whole = np.arange(rows)
    return {
        pair: (score(pair[0], whole) - score(pair[1], whole), *np.quantile(apart, [0.025, 0.975]))
        for pair, apart in table.items()
    }


@pytest.mark.parametrize("task", ["learning", "detection"])
def test_the_paired_bootstrap_is_the_slow_one(task):
    rng = np.random.default_rng(4)
    hits = {"a": rng.random((3, 40)) < 0.7, "b": rng.random((3, 40)) < 0.6}
    hits["c"] = rng.random((2, 40)) < 0.2
    wrong = rng.random(40) < 0.15 if task == "detection" else None
    expected = slow(hits, wrong, 150)
    for one in differences(hits, wrong, 150):
        assert (one.difference, one.low, one.high) == pytest.approx(
            expected[one.first, one.second], abs=1e-6
        )


def test_a_submission_against_itself_differs_by_nothing():
    run = np.random.default_rng(0).random((2, 30)) < 0.5
    [one] = differences({"a": run, "b": run.copy()}, None, 50)
    assert (one.difference, one.low, one.high, one.ahead) == (0, 0, 0, 0.5)


def test_the_interval_holds_its_level_for_rows_drawn_at_random():
    """Of two classifiers with known accuracies, the true difference lies in it 95 % of times."""
    rng, inside = np.random.default_rng(0), 0
    for _ in range(100):
        hits = {"a": rng.random((1, 150)) < 0.8, "b": rng.random((1, 150)) < 0.7}
        [one] = differences(hits, None, 200)
        inside += one.low <= 0.1 <= one.high
    assert 87 <= inside <= 100


def test_nobody_left_is_no_difference():
    assert differences({}, None) == []


def contest_of(scores, reasons=("", "")):
    from types import SimpleNamespace

    runs = [
        SimpleNamespace(
            submission="a",
            label_set="x",
            number=k,
            status="ok",
            scored=SimpleNamespace(score=0.5),
            seconds=1.0,
            limit=2.0,
            reason=reason,
        )
        for k, reason in enumerate(reasons)
    ]
    cell = SimpleNamespace(missing=0, runs=runs)
    return SimpleNamespace(
        standings=standings(scores, ["x", "y"]),
        sets=("x", "y"),
        task="learning",
        data_set="digits",
        track="labels",
        measure="accuracy",
        cells={"a": {"x": cell}},
    )


def test_what_an_absent_one_gets_is_said():
    from candidly.compare.challenge.document import standings_grid

    scores = {"a": {"x": 0.9, "y": 0.8}, "b": {"x": 0.8}, "c": {}}
    text = " ".join(standings_grid(contest_of(scores)).text().split())
    assert "b is absent from y: the last rank gives it 8 points there." in text
    assert "c is absent from x, y: the last rank gives it 16 points there." in text
    assert "a is absent" not in text


def test_no_column_of_reasons_where_there_is_none():
    from candidly.compare.challenge.document import runs_grid

    assert "reason" not in runs_grid(contest_of({"a": {"x": 0.5}})).text()
    assert "too slow" in runs_grid(contest_of({"a": {"x": 0.5}}, ("", "too slow"))).text()
