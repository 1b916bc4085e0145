"""Names of rows and columns, and masks: what goes by position alone is refused or put in order."""

import numpy as np
import pandas
import pytest

from candidly import crowd, validation
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled

X = pandas.DataFrame({"a": [0.5, 1.5, 2.5]}, index=["p", "q", "r"])
Y = pandas.Series(["cat", "dog", "cat"], index=["p", "q", "r"])
OTHER = Y[["q", "p", "r"]]
REFUSED = "name their rows otherwise: row 0 is 'p'"


@pytest.mark.parametrize("name", ["y", "given", "truth", "ids"])
def test_series_in_another_order_are_refused(name):
    assert from_arrays(X, Y, truth=Y).given.tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match=REFUSED):
        from_arrays(X, **{"y" if name == "ids" else "truth": Y} | {name: OTHER})
    assert from_arrays(X, OTHER.to_numpy()).given.tolist() == [1, 0, 0]


def test_matrices_of_sets_by_row_and_column():
    sets = pandas.DataFrame({"dog": [1, 0, 1], "cat": [0, 1, 1]}, index=X.index)
    assert from_arrays(X, sets, classes=["cat", "dog"]).candidates[0].tolist() == [False, True]
    with pytest.raises(ValueError, match=REFUSED):
        from_arrays(X, sets.loc[["q", "p", "r"]])
    with pytest.raises(ValueError, match=r"`candidates` has a column 'dog', which is none of"):
        from_arrays(X, sets, classes=["cat", "wolf"])


def test_a_mask_with_names_selects_by_them():
    data = from_arrays(X, Y, ids=["p", "q", "r"])
    assert data[Y == "dog"].ids.tolist() == ["q"]
    with pytest.raises(ValueError, match="name their rows otherwise"):
        data[OTHER == "dog"]


@pytest.mark.parametrize("name", ["given", "truth", "candidates", "X", "ids"])
def test_masked_arrays_that_hide_something_are_refused(name):
    whole = {"X": np.ones((3, 2)), "given": np.array([0, 1, 1]), "ids": np.array([4, 5, 6])}
    whole |= {"truth": np.array([0, 1, 1]), "candidates": np.ones((3, 2), int)}
    masked = np.ma.masked_array(whole[name], np.zeros(whole[name].shape, bool))
    assert from_arrays(**whole | {name: masked}) == from_arrays(**whole)  # hides nothing
    masked[1] = np.ma.masked
    with pytest.raises(ValueError, match=r"is a masked array"):
        from_arrays(**whole | {name: masked})


def test_masked_arrays_in_labelled_itself():
    given = np.ma.masked_array(np.array([0, 1]), [False, True])
    with pytest.raises(ValueError, match=r"`given` is a masked array that hides .* row 1"):
        Labelled(inputs=np.ones((2, 1)), classes=("a", "b"), given=given)


def test_answers_and_tallies():
    item = pandas.Series([0, 0, 1])
    who = pandas.Series(["a", "b", "a"], index=[2, 1, 0])
    with pytest.raises(ValueError, match="name their rows otherwise"):
        crowd.Answers.from_columns(item, who, [0, 1, 1])
    with pytest.raises(ValueError, match="name their rows otherwise"):
        validation.from_answers(item, who, ["given", "both", "skip"])
    with pytest.raises(ValueError, match="name their rows otherwise"):
        validation.from_answers([0], ["a"], ["given"], given=pandas.Series([1, 2], index=[1, 0]))
    with pytest.raises(ValueError, match="masked array"):
        crowd.Answers.from_matrix(np.ma.masked_equal([[0, 1], [1, 5]], 5))
    said = np.ma.masked_array(["given", "both"], [False, True])
    with pytest.raises(ValueError, match="masked array"):
        validation.from_answers([0, 1], ["a", "b"], said)


def test_classes_of_tallies_differ():
    message = "'cat' at position 0 and again at position 1"
    with pytest.raises(ValueError, match=message):
        validation.from_answers([0], ["a"], ["given"], classes=["cat", "cat"])
    with pytest.raises(ValueError, match=message):
        validation.from_counts([[1, 2, 0, 0]], classes=["cat", "cat"])
    with pytest.raises(ValueError, match=message):
        validation.SetTally(item=np.array([0]),
                            given=np.zeros((1, 2), bool), guessed=np.zeros((1, 2), bool),
                            heard=np.zeros((1, 2), int), classes=("cat", "cat"))  # fmt: skip
