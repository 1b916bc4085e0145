"""What is compared: the three sets, predictions from probabilities, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly import criteria
from candidly.compare.stability import compare_corrections, kendall, make_case

from stability_cases import Q, arrays, probabilities

ORIGINAL = np.array([0, 1, 2, 0, 1, 2])
CORRECTED = np.array([0, 1, 2, 1, -1, 2])
MODELS = {"a": [0, 1, 2, 0, 1, 0], "b": [0, 1, 1, 1, 1, 2]}


def test_the_sets_by_hand():
    flagged = np.array([False, False, True, True, True, False])
    case = make_case(ORIGINAL, CORRECTED, MODELS, flagged=flagged)
    assert case.sizes() == {"D": 6, "F": 3, "K": 1, "C": 1, "U": 1, "B": 4, "P": 5}
    assert case.prevalence == 1 / 5
    assert np.flatnonzero(case.changed).tolist() == [3]
    assert np.flatnonzero(~case.kept).tolist() == [4]
    assert case.checked.tolist() == [False, False, False, True, True, False]
    assert case.right_original.sum(1).tolist() == [5, 4]
    assert case.right_corrected.sum(1).tolist() == [3, 4]
    assert make_case(ORIGINAL, CORRECTED, MODELS).sizes()["F"] is None


def test_the_sets_are_a_partition():
    case = make_case(*arrays())
    whole = case.benign.astype(int) + case.changed + ~case.kept
    assert (whole == 1).all()
    assert (case.right_original & case.right_corrected & case.changed).sum() == 0


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "tensor"])
def test_probabilities_give_predictions_and_top_five(kind):
    original, corrected, models = arrays()
    wide = np.hstack([probabilities(models["model 0"]), np.zeros((400, 4))])
    wide[:3] = 0.5  # ties: the lowest class wins, the five lowest are among the five
    given = torch.tensor(wide) if kind == "tensor" else wide.astype(kind)
    case = make_case(original, corrected, {"p": given, "q": models["model 1"]}, classes=9)
    np.testing.assert_array_equal(case.predictions[0], np.asarray(given).argmax(1))
    assert case.predictions[0, :3].tolist() == [0, 0, 0]
    assert set(case.top5) == {"p"}
    kept = case.kept
    for hits, labels in zip(case.top5["p"], (original, corrected)):
        mine = np.mean(hits[kept])
        assert mine == criteria.top_k_accuracy(np.asarray(given)[kept], labels[kept], 5)
    assert not case.top5["p"][1][~kept].any()


def test_a_model_may_be_read_when_its_turn_comes():
    case = make_case(ORIGINAL, CORRECTED, {n: (lambda m=m: np.array(m)) for n, m in MODELS.items()})
    assert case.predictions.tolist() == list(MODELS.values())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"original": []}, "`original` is empty"),
        ({"original": [0, 1, 2, 0, 1, -1]}, "-1 at row 5; only corrected labels"),
        ({"original": [0, 1, 2, 0, 1, 0.5]}, "0.5 at row 5; labels are integers"),
        ({"original": [0, 1, 2, 0, 1, np.nan]}, "nan at row 5"),
        ({"original": list("abcabc")}, "holds <U1"),
        ({"corrected": CORRECTED[:5]}, "`corrected` has 5 labels and `original` 6"),
        ({"corrected": CORRECTED - 2}, "`corrected` is -2 at row 0"),
        ({"corrected": [-1] * 6}, "no item is left"),
        ({"corrected": CORRECTED[:, None]}, "labels are"),
        ({"models": {"a": MODELS["a"]}}, "at least two"),
        ({"models": {**MODELS, "c": [0, 1]}}, "predictions of 'c' have shape"),
        ({"models": {**MODELS, "c": [0, 1, 2, 0, 1, 7]}}, "'c' is 7 at row 5; 3 classes"),
        ({"models": {**MODELS, "c": [0, 1, 2, 0, 1, -1]}}, "'c' is -1 at row 5"),
        ({"models": {**MODELS, "c": np.full((6, 3), np.nan)}}, "'c' are not finite in row 0"),
        ({"models": {**MODELS, "c": np.ones((6, 1))}}, "'c' have 1 columns"),
        ({"models": {**MODELS, "c": np.ones((6, 2))}}, "`original` is 2 at row 2; 2 classes"),
        (
            {"models": {**MODELS, "c": np.ones((6, 3)), "d": np.ones((6, 4))}},
            "'c' has probabilities of 3 classes and 'd' of 4",
        ),
        ({"classes": 2}, "`original` is 2 at row 2"),
        ({"models": {**MODELS, "c": np.ones((6, 3))}, "classes": 4}, "of 3 classes; there are 4"),
        ({"flagged": np.zeros(6, bool)}, "item 3 was corrected or pruned"),
        ({"flagged": [0, 1]}, "it must be true or false for each"),
        ({"checked": np.zeros(5, bool)}, "it must be true or false for each"),
        ({"ids": list("abcde")}, "`ids` has shape"),
        ({"ids": list("abcdea")}, "`ids` has 'a' more than once"),
    ],
)
def test_what_is_refused(change, message):
    asked = {"original": ORIGINAL, "corrected": CORRECTED, "models": MODELS} | change
    with pytest.raises(ValueError, match=message):
        make_case(**asked)


def test_other_corrections_side_by_side():
    original, corrected, models = arrays()
    strict = np.where(corrected == original, original, -1)
    rows = compare_corrections(
        original, {"T=3": corrected, "T=5": strict, "none": original}, models
    )
    assert [(r.name, r.changed, r.pruned) for r in rows] == [
        ("T=3", 40, 10),
        ("T=5", 0, 50),
        ("none", 0, 0),
    ]
    assert [r.prevalence for r in rows] == [40 / 390, 0, 0]
    assert [r.errors for r in rows] == [50 / 400, 50 / 400, 0]
    assert (rows[2].moved, rows[2].tau) == (0, 1)
    case = make_case(original, corrected, models)
    before, after = case.right_original.sum(1), case.right_corrected.sum(1)
    assert rows[0].tau == kendall(before, after)
    assert rows[0].ranks == tuple(1 + int((after > score).sum()) for score in after)
    with pytest.raises(ValueError, match="T=9: `corrected` has 3 labels"):
        compare_corrections(original, {"T=9": corrected[:3]}, models)


def test_every_class_has_a_number():
    assert make_case(*arrays()).classes == Q
    assert make_case(ORIGINAL, CORRECTED, MODELS, classes=12).classes == 12


def test_scores_are_no_classes():
    """A file of 1 for right and 0 for wrong is not read as classes 0 and 1."""
    scores = {name: np.equal(said, ORIGINAL).astype(int) for name, said in MODELS.items()}
    with pytest.raises(ValueError, match=r"look like scores.*candidly rank"):
        make_case(ORIGINAL, CORRECTED, scores)
    make_case(ORIGINAL % 2, None, scores)  # of two classes they can be
    make_case(ORIGINAL, CORRECTED, {**scores, "c": MODELS["a"]})
