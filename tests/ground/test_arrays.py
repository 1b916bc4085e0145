"""The door for arrays: names of rows and columns, and masks, in every room that takes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from candidly import crowd, detectors, errors, from_arrays, stability, validation
from candidly.errors.crossval import cross_validate
from candidly.ground.arrays import (
    as_array,
    as_table,
    check_distinct,
    column_order,
    rows_are,
    same_rows,
)

import slow_errors as slow

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = ["ant", "bee", "cat"]
OTHER = "name their rows otherwise"


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]]),
        np.ma.MaskedArray([[1, 2], [3, 4]], mask=False),
        torch.tensor([[1, 2], [3, 4]]),
        pd.DataFrame([[1, 2], [3, 4]]),
        pl.DataFrame([[1, 3], [2, 4]], schema=["p0", "p1"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_it_is_it_becomes_an_array(value):
    array = as_table(value, "probs")
    assert type(array) is np.ndarray
    assert array.tolist() == [[1, 2], [3, 4]]


def test_a_mask_that_hides_something_is_refused():
    hidden = np.ma.MaskedArray(np.arange(6).reshape(3, 2), mask=[[0, 0], [0, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"`x` is a masked .* at row 1, and in 2 rows in all\."):
        as_array(hidden, "x")
    with pytest.raises(ValueError, match=r"at row 2\. Fill these in"):
        as_array(hidden[:, 0], "x")


@pytest.mark.parametrize(
    ("columns", "classes", "order"),
    [
        (["cat", "ant", "bee"], NAMES, [1, 2, 0]),
        (["cat", "ant", "bee"], None, [0, 1, 2]),
        ([0, 1, 2], NAMES, [0, 1, 2]),
        ([2, 0, 1], None, [1, 2, 0]),
        (["p2", "p0", "p1"], NAMES, [1, 2, 0]),
        (["column_3", "column_1", "column_2"], NAMES, [1, 2, 0]),
        (["p2", "q0", "p1"], None, [0, 1, 2]),
        (["2", "0", "1"], ["0", "1", "2"], [1, 2, 0]),
        ([0, 1, 2], ["2", "0", "1"], [0, 1, 2]),  # pandas numbers what has no names
    ],
)
def test_columns_go_by_their_names(columns, classes, order):
    assert column_order(columns, classes, "`probs`") == order


def test_columns_of_other_names_are_refused_beside_classes():
    with pytest.raises(ValueError, match=r"`probs` has a column 'dog', .*\(ant, bee, cat\)"):
        column_order(["ant", "dog", "cat"], NAMES, "`probs`")


def test_rows_that_are_named_otherwise():
    one, other = pd.Series([1, 2, 3]), pd.Series([1, 2, 3], index=[0, 2, 1])
    same_rows(a=one, b=pd.DataFrame({"x": [1, 2, 3]}), c=[1, 2, 3], d=None)
    with pytest.raises(ValueError, match=r"`a` and `b` name .*: row 1 is 1 in `a` and 2 in `b`"):
        same_rows(a=one, b=other)
    rows_are(one, np.array(["x", "y", "z"], object), "probs")
    rows_are(other, np.array([0, 2, 1]), "probs")
    with pytest.raises(ValueError, match=OTHER):
        rows_are(other, np.array(["x", "y", "z"], object), "probs")


def test_a_class_twice():
    check_distinct(NAMES)
    check_distinct(None)
    with pytest.raises(ValueError, match=r"`classes` has 'ant' at 0 and at 3"):
        check_distinct([*NAMES, "ant"])


# every room


def case(n=200):
    given, probs = slow.make(1, n, 3, sharp=4.0, wrong=0.1)
    return given, probs


GIVEN, PROBS = case()
NAMED = np.array(NAMES, object)[GIVEN]
SHUFFLED = np.random.default_rng(0).permutation(len(GIVEN))


def frame(columns=None):
    return pd.DataFrame(PROBS, columns=columns)


def hiding(array):
    return (
        np.ma.MaskedArray(array, mask=np.arange(len(array)) == 7)
        if array.ndim == 1
        else (np.ma.MaskedArray(array, mask=np.arange(array.size).reshape(array.shape) == 7))
    )


OF_LABELS = {
    "find": errors.find,
    "examine": errors.examine,
    "scores": errors.scores,
    "health": errors.health,
    "counts": errors.counts,
    "retag": detectors.retag,
}


@pytest.mark.parametrize("ask", OF_LABELS.values(), ids=OF_LABELS)
def test_labels_and_probabilities_in_another_order_are_refused(ask):
    with pytest.raises(ValueError, match=OTHER):
        ask(pd.Series(GIVEN), frame().iloc[SHUFFLED])
    for given, probs in ((hiding(GIVEN), PROBS), (GIVEN, hiding(PROBS))):
        with pytest.raises(ValueError, match="masked array that hides an entry"):
            ask(given, probs)
    order = pd.Series(GIVEN).iloc[SHUFFLED], frame().iloc[SHUFFLED]
    ask(*order)  # the same order


def test_columns_of_probabilities_go_by_the_classes(tmp_path):
    usual = errors.find(GIVEN, PROBS).indices.tolist()
    turned = frame(NAMES)[["cat", "ant", "bee"]]
    turned.to_csv(tmp_path / "probs.csv", index=False)
    pl.from_pandas(turned).write_parquet(tmp_path / "probs.parquet")
    places = [turned, pl.from_pandas(turned), tmp_path / "probs.csv", tmp_path / "probs.parquet"]
    for place in [*places, [turned[:50], turned[50:]]]:
        assert errors.find(NAMED, place, classes=NAMES).indices.tolist() == usual
    numbered = frame()[[2, 0, 1]]
    assert errors.find(GIVEN, numbered).indices.tolist() == usual
    with pytest.raises(ValueError, match="none of the classes"):
        errors.find(NAMED, turned.rename(columns={"cat": "dog"}), classes=NAMES)


def test_a_class_twice_is_refused():
    twice = ["ant", "bee", "ant"]
    for ask in (errors.examine, errors.scores, errors.find):
        with pytest.raises(ValueError, match="'ant' at 0 and at 2"):
            ask(GIVEN, PROBS, classes=twice)
    found = errors.find(GIVEN, PROBS)
    health = errors.health(GIVEN, PROBS)
    for table in (found.table, health.table, health.overlap_table):
        with pytest.raises(ValueError, match="'ant' at 0 and at 2"):
            table(classes=twice)


def test_candidate_sets_and_tags():
    sets = np.eye(3, dtype=bool)[GIVEN]
    usual = errors.find(sets, PROBS, by="predicted").indices.tolist()
    as_frame = pd.DataFrame(sets, columns=NAMES)[["cat", "ant", "bee"]]
    found = errors.find(as_frame, frame(NAMES), by="predicted", classes=NAMES)
    assert found.indices.tolist() == usual
    with pytest.raises(ValueError, match=OTHER):
        errors.find(pd.DataFrame(sets).iloc[SHUFFLED], frame(), by="predicted")
    tags = pd.DataFrame(sets.astype(int), columns=NAMES)
    by_hand = errors.find_multilabel(sets, PROBS).by_tag
    turned = frame(NAMES)[["cat", "ant", "bee"]]
    assert np.array_equal(errors.find_multilabel(tags, turned).by_tag, by_hand)
    with pytest.raises(ValueError, match=OTHER):
        errors.scores_multilabel(tags, turned.iloc[SHUFFLED])
    with pytest.raises(ValueError, match="masked"):
        errors.scores_multilabel(hiding(sets), PROBS)


def test_an_ensembles_members():
    with pytest.raises(ValueError, match=r"`probs\[0\]` and `probs\[1\]` name"):
        errors.ensemble_scores(GIVEN, [frame(), frame().iloc[SHUFFLED]])


def test_data_sets():
    X = pd.DataFrame(PROBS)
    with pytest.raises(ValueError, match=r"`X` and `y` name"):
        from_arrays(X, pd.Series(GIVEN).iloc[SHUFFLED])
    with pytest.raises(ValueError, match="masked"):
        from_arrays(PROBS, hiding(GIVEN))
    with pytest.raises(ValueError, match="masked"):
        from_arrays(PROBS, candidates=hiding(np.eye(3, dtype=int)[GIVEN]))
    sets = pd.DataFrame(np.eye(3, dtype=int)[GIVEN], columns=["ant", "dog", "cat"])
    with pytest.raises(ValueError, match="`candidates` has a column 'dog'"):
        from_arrays(PROBS, candidates=sets, classes=NAMES)
    data = from_arrays(PROBS, GIVEN)
    with pytest.raises(ValueError, match="masked"):
        replace(data, given=hiding(data.given))


def test_detectors_and_cross_validation():
    data = from_arrays(PROBS, GIVEN, ids=[f"row {k}" for k in range(len(GIVEN))], classes=NAMES)
    turned = frame(NAMES)[["cat", "ant", "bee"]]
    usual = detectors.detect(data, "retag", probs=PROBS).score
    assert np.array_equal(detectors.detect(data, "retag", probs=turned).score, usual)
    for options in ({"probs": frame().iloc[SHUFFLED]}, {"features": frame().iloc[SHUFFLED]}):
        with pytest.raises(ValueError, match=OTHER):
            detectors.detect(data, "rank-average", **options)
    with pytest.raises(ValueError, match="masked"):
        detectors.detect(data, "knn-vote", features=hiding(PROBS))
    X, y = frame(), pd.Series(GIVEN)
    groups = pd.Series(np.arange(len(y)) // 4)
    with pytest.raises(ValueError, match=r"`X` and `y` name"):
        cross_validate("logistic", (X, y.iloc[SHUFFLED]))
    with pytest.raises(ValueError, match=r"`X` and `groups` name"):
        cross_validate("logistic", (X, y), groups=groups.iloc[SHUFFLED])
    with pytest.raises(ValueError, match="masked"):
        cross_validate("logistic", (PROBS, GIVEN), groups=hiding(groups.to_numpy()))


def test_stability_validation_and_crowd():
    labels = pd.Series([0, 1, 1, 0])
    models = {"a": np.array([0, 1, 1, 1]), "b": labels.iloc[[1, 0, 2, 3]]}
    with pytest.raises(ValueError, match=r"`original` and `models\['b'\]` name"):
        stability.make_case(labels, labels, models)
    with pytest.raises(ValueError, match=r"`original` and `corrected` name"):
        stability.make_case(labels, labels.iloc[[3, 2, 1, 0]], {"a": labels, "b": labels})
    with pytest.raises(ValueError, match="masked"):
        stability.make_case(hiding(np.arange(9) % 2), np.arange(9) % 2, {})
    said = ["given", "guessed", "both", "neither"]
    counts = pd.DataFrame([[0, 5, 0, 0], [3, 1, 1, 0]], columns=said)
    usual = validation.from_counts(counts, given=[0, 1])
    turned = validation.from_counts(counts[said[::-1]], given=[0, 1])
    assert np.array_equal(usual.counts, turned.counts)
    item, who, what = ([0, 0, 1, 1], ["x", "y", "x", "y"], ["ant", "ant", "bee", "ant"])
    with pytest.raises(ValueError, match=r"`item` and `label` name"):
        crowd.Answers.from_columns(pd.Series(item), who, pd.Series(what, index=[3, 2, 1, 0]))
    answers = crowd.Answers.from_columns(item, who, what)
    probs = pd.DataFrame([[0.1, 0.9], [0.2, 0.8]], columns=["bee", "ant"])
    both = [crowd.majority(answers, given).labels for given in (probs, probs[["ant", "bee"]])]
    assert both[0].tolist() == both[1].tolist() == [0, 0]
    with pytest.raises(ValueError, match=OTHER):
        crowd.majority(answers, probs.iloc[[1, 0]])


def test_a_row_without_labels_is_refused_in_words_for_tables_and_files_alike():
    with pytest.raises(ValueError, match=r"no label at row 1 .* name every class there"):
        from_arrays(PROBS[:2], candidates=np.array([[1, 0, 0], [0, 0, 0]]))
