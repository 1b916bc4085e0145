"""Rows that people checked, in ``candidly.check``: a count, chances that go by the answers."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candidly
from candidly.errors.amount import WrongLabels, calibrated, rows_to_check
from candidly.stats.checked import (
    COLUMNS,
    CheckedRows,
    RowsToCheck,
    count_checked,
    rows_of_columns,
)
from made_overlap import made

NAMES = np.array(["red", "white", "rose"])


@pytest.fixture(scope="module")
def overlapping():
    """Rows of classes that overlap, one in ten with a wrong label; which are."""
    logs, true, labels = made(1500, 3, 0.1, seed=3, scale=3)
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        (logs + 0.2 * rng.normal(size=logs.shape)).round(4), schema=["a", "b", "c"]
    )
    return frame.with_columns(kind=pl.Series(NAMES[labels])), labels != true


def answers_to(rows: pl.DataFrame, wrong: np.ndarray, first: int) -> CheckedRows:
    """What is so of the first of these rows."""
    columns = {name: rows[name].to_numpy()[:first] for name in COLUMNS}
    drawn = rows_of_columns(rows["index"].to_numpy()[:first], columns)
    said = drawn.rows
    return CheckedRows(drawn, wrong[said], rows["given"].to_list()[:first], first, "answers")


def test_rows_that_people_checked_make_the_headline_a_count(overlapping, tmp_path):
    frame, wrong = overlapping
    options = {"label": "kind", "classifier": "logistic", "folds": 3}
    before = candidly.check(frame, **options)
    rows = before.to_check(200)
    assert rows.columns[:9] == [
        *("index", "id", "given", "proposed", "chance"),
        *COLUMNS,
        "a",
    ]
    assert (rows["given"] != rows["proposed"]).all()
    assert rows["given"].to_list() == frame["kind"].to_numpy()[rows["index"].to_numpy()].tolist()
    # what is proposed is the most probable class but the given one
    for row in rows.head(20).iter_rows(named=True):
        probs = dict(zip(before.data.classes, before.judged.probs[row["index"]]))
        del probs[row["given"]]
        assert row["proposed"] == max(probs, key=probs.get)

    checked = answers_to(rows, wrong, 120)
    found = candidly.check(frame, **options, checked=checked)
    assert found.counted == count_checked(checked.drawn, checked.wrong)
    assert found.headline() == found.counted.headline()
    assert found.about_the_number() == found.counted.findings()
    assert found.counted.low <= wrong.sum() <= found.counted.high
    right = set(checked.drawn.rows[~checked.wrong].tolist())
    assert not right & set(found.issues.indices.tolist())
    assert (found.wrong.chance[checked.drawn.rows] == checked.wrong).all()
    found.document().write(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert found.headline() in text
    assert "on the premise of the headline" not in text


def test_answers_make_chances_better_where_the_premise_does_not_hold(overlapping):
    before = candidly.check(overlapping[0], label="kind", classifier="logistic", folds=3)
    chance = np.clip(before.wrong.chance, 0.001, 0.999)
    rng = np.random.default_rng(1)
    for twist in (lambda c: c**2, np.sqrt, lambda c: c / 3):
        truly = twist(chance)
        losses = []
        for seed in range(10):
            is_wrong = rng.random(len(truly)) < truly
            drawn = rows_to_check(before.wrong, 300, seed)
            rows = CheckedRows(drawn, is_wrong[drawn.rows], None, 300, "answers")
            rest = np.setdiff1d(np.arange(len(truly)), drawn.rows)
            told = calibrated(before.wrong, rows).chance
            losses.append([np.abs(c[rest] - truly[rest]).mean() for c in (chance, told)])
        as_it_was, calibrated_ = np.mean(losses, axis=0)
        assert calibrated_ < 0.7 * as_it_was


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(15, 200), st.floats(0, 1))
def test_chances_stay_chances_and_in_order(seed, count, share):
    rng = np.random.default_rng(seed)
    chance, wrong = rng.beta(0.4, 2, 1500), rng.random(1500) < share
    labelled = np.ones(1500, bool)
    found = WrongLabels(1500, 0.2, 0, 1, (0, 0, 1), (), chance, 1, 1, 1500, has_label=labelled)
    drawn = rows_to_check(found, count, 0)
    told = calibrated(found, CheckedRows(drawn, wrong[drawn.rows], None, count, "answers")).chance
    assert ((told >= 0) & (told <= 1)).all()
    rest = np.setdiff1d(np.arange(1500), drawn.rows)
    rest = rest[np.argsort(chance[rest])]
    assert (np.diff(told[rest]) >= -1e-12).all()


def test_rows_of_other_data_are_refused_before_anything_is_learned(overlapping):
    frame, wrong = overlapping
    drawn = RowsToCheck(np.array([3, 5]), np.array([0, 0]), np.array([1500]), np.array([0.1]))
    right = frame["kind"].to_numpy()[[3, 5]].tolist()

    def learned(*_):
        raise AssertionError("it was learned from")

    class Never:
        fit = learned

    for changes, why in (
        ({"drawn": dataclasses.replace(drawn, sizes=np.array([1499]))}, "1,499 labels"),
        ({"drawn": dataclasses.replace(drawn, rows=np.array([3, 1500]))}, "is about row 1500"),
        ({"given": [right[0], "blue"]}, "row 5 is 'blue'"),
        (
            {
                "drawn": dataclasses.replace(
                    drawn, sizes=np.array([1490, 10]), chance=np.array([0.1, 0.1])
                )
            },
            "of some strata of none",
        ),
    ):
        rows = CheckedRows(drawn, wrong[[3, 5]], right, 2, "answers")
        with pytest.raises(ValueError, match=why):
            candidly.check(
                frame,
                label="kind",
                classifier=Never(),
                checked=dataclasses.replace(rows, **changes),
            )
    sets = pl.DataFrame({"a": [1, 2, 3] * 9, "s": ["x|y", "x|z", "y|z"] * 9})
    with pytest.raises(ValueError, match="these have sets"):
        candidly.check(sets, label="s", label_kind="one-of", checked=rows)
    with pytest.raises(ValueError, match="checked"):
        candidly.check(frame, label="kind", checked=wrong)
