"""``from_arrays``: what people have, and what they get wrong."""

import math
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import given_to_candidates

X = [[0.0], [1.0], [2.0]]


@pytest.mark.parametrize(
    ("table", "dtype"),
    [
        (np.zeros((2, 3), np.float32), np.float32),
        (np.zeros((2, 3), np.float64), np.float64),
        (np.zeros((2, 3), np.float16), np.float32),
        (np.zeros((2, 3), bool), np.float32),
        (np.full((2, 3), 255, np.uint8), np.float32),
        (np.full((2, 3), 2**53, np.int64), np.float64),
        ([[1, 2], [3, 4]], np.float64),
        (sparse.csr_matrix(np.eye(2)), np.float64),
        (pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), np.float64),
        (polars.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), np.float64),
        (pandas.DataFrame({"a": [1, 2], "b": [True, False]}), np.float64),
        (polars.DataFrame({"a": [1, 2], "b": [True, False]}), np.float64),
        (np.array([[1, 2], [3, 4]], object), np.float64),
    ],
)
def test_tables_become_floats_without_loss(table, dtype):
    data = from_arrays(table, [0, 1])
    assert data.kind == "table"
    assert data.inputs.dtype == dtype
    assert data.inputs.flags.c_contiguous
    dense = table.toarray() if sparse.issparse(table) else table
    assert np.array_equal(data.inputs, np.asarray(dense, np.float64))


def test_other_inputs():
    assert from_arrays(["a text", "b"], [0, 1]).kind == "texts"
    assert from_arrays(np.array(["a text", "b"]), [0, 1]).inputs.tolist() == ["a text", "b"]
    assert from_arrays([Path("x"), Path("y")], [0, 1]).kind == "media"
    assert from_arrays(np.zeros((2, 4, 4), np.uint8), [0, 1]).kind == "images"
    assert from_arrays(polars.Series(["a", "b"]), [0, 1]).kind == "texts"


@pytest.mark.parametrize(
    "y",
    [
        np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]], bool),
        np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]], np.uint8),
        np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]], float),
        sparse.csc_matrix([[1, 1, 0], [0, 0, 1], [0, 1, 0]]),
        [{0, 1}, {2}, {1}],
        [[1, 0], (2,), frozenset([1])],
        [np.array([0, 1]), np.array([2]), np.array([1])],
        pandas.Series([[0, 1], [2], [1]]),
        polars.Series([[0, 1], [2], [1]]),
    ],
)
def test_candidate_sets_in_any_form(y):
    data = from_arrays(X, y)
    assert data.candidates.tolist() == [
        [True, True, False],
        [False, False, True],
        [False, True, False],
    ]
    assert data.classes == ("0", "1", "2")
    assert data.given is None


@pytest.mark.parametrize(
    "y",
    [np.array([2, 0, -1]), [2, 0, -1], [2, 0, None], pandas.Series([2, 0, -1]),
     polars.Series([2, 0, None]), np.array([2, 0, -1], np.int8)],
)  # fmt: skip
def test_one_label_a_row_is_given(y):
    data = from_arrays(X, y, classes=3)
    assert data.given.tolist() == [2, 0, -1]
    assert data.given.dtype == np.int64
    assert data.candidates is None


@pytest.mark.parametrize(
    "y",
    [
        ["cat", "ant", None],
        np.array(["cat", "ant", None], object),
        pandas.Series(["cat", "ant", None]),
    ],
)
def test_names_become_classes_in_order(y):
    data = from_arrays(X, y, truth=["cat", "ant", "bee"])
    assert data.classes == ("ant", "bee", "cat")
    assert data.given.tolist() == [2, 0, -1]
    assert data.truth.tolist() == [2, 0, 1]


def test_classes_given_set_the_order_and_the_number():
    data = from_arrays(X, [["b"], ["a", "c"], ["c"]], truth=[0, 1, 2], classes=["c", "b", "a", "x"])
    assert data.candidates.tolist() == [
        [False, True, False, False],
        [True, False, True, False],
        [True] + [False] * 3,
    ]
    assert data.truth.tolist() == [0, 1, 2]
    assert from_arrays(X, [0, 1, 0], classes=5).q == 5
    with pytest.raises(ValueError, match=r"`given` has 'bee2' at row 1.*did you mean 'bee'"):
        from_arrays(X, ["ant", "bee2", "bee"], classes=["ant", "bee"])


def test_the_columns_of_a_frame_are_classes():
    frame = pandas.DataFrame({"dog": [1, 0, 1], "cat": [0, 1, 1]})
    data = from_arrays(X, frame, truth=["dog", "cat", "cat"])
    assert data.classes == ("dog", "cat")
    assert data.truth.tolist() == [0, 1, 1]
    other = from_arrays(X, frame, classes=["cat", "dog"])
    assert other.candidates.tolist() == [[False, True], [True, False], [True, True]]


def test_several_kinds_of_labels_by_name():
    data = from_arrays(
        X, candidates=[[0, 1], [1], [2]], given=[0, 1, 2], tags=[[], [0], [1]], ids="abc"
    )
    assert data.given.tolist() == [0, 1, 2]
    assert data.tags.tolist() == [[False] * 3, [True, False, False], [False, True, False]]
    assert data.ids.tolist() == ["a", "b", "c"]
    assert from_arrays(X, [0, 1, 0], ids=np.array([7, 8, 9])).ids.tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": np.array([1.0, 2.5, 0.0])}, r"`given` has 2.5 at row 1; labels are names or whole"),
        ({"truth": [np.array([0]), np.array([1]), 0]}, r"`truth` has \[0\] at row 0; .* one label"),
        ({"y": pandas.DataFrame()}, r"must be one at least"),
        ({"X": pandas.DataFrame(), "y": [0, 1, 0]}, r"no columns"),
        ({"y": [1, 2, 3], "classes": 3}, r"label 3 at row 2, but there are 3 .*name the classes"),
        ({"y": [[0], [0, 1], [5]], "classes": 3}, r"label 5 at row 2, but there are 3 classes"),
        ({"y": [[0], [], [1]]}, r"`candidates` has no label at row 1"),
        ({"y": np.array([[0, 2], [1, 0], [1, 1]])}, r"has 2 at row 0, column 1; a matrix"),
        ({"y": ["a", 1, "b"]}, r"`given` has 1 \(number\) at row 1, and 'a' \(text\) before"),
        ({"y": ["a", "b", "a"], "truth": [0, 1, 0]}, r"`given` holds names .* and `truth` whole"),
        ({"y": np.eye(3), "truth": ["a", "b", "c"]}, r"does not say which column is which"),
        ({"y": np.eye(3), "tags": np.zeros((3, 2))}, r"different numbers of classes"),
        ({"y": [0, 1]}, r"`given` has shape \(2,\), but \(3,\)"),
        ({"y": [0, 1, 0], "given": [0, 1, 0]}, r"`y` holds given, and `given` is there"),
        ({}, r"no labels to tell the classes from"),
        ({"y": [0, 1, 0], "classes": 0}, r"there must be one at least"),
        ({"X": [], "y": []}, r"no labels|no rows"),
        ({"X": np.zeros((0, 2)), "y": [], "classes": 2}, r"no rows"),
        ({"X": [1.0, 2.0, 3.0], "y": [0, 1, 0]}, r"reshape\(-1, 1\)"),
        ({"X": [[1.0], [np.nan], [2.0]], "y": [0, 1, 0]}, r"nan at row 1, column 0"),
        ({"X": np.ma.masked_equal([[1], [2], [3]], 2), "y": [0, 1, 0]}, r"masked array"),
        ({"X": np.zeros((3, 1), complex), "y": [0, 1, 0]}, r"complex128.*not real numbers"),
        ({"X": [["a"], ["b"], ["c"]], "y": [0, 1, 0]}, r"neither a table|not real numbers"),
        ({"X": polars.DataFrame({"a": [1, 2, 3], "who": [["x"], ["y"], []]}), "y": [0, 1, 0]},
         r"column 'who' of List"),
        ({"X": pandas.DataFrame({"a": [1, 2, 3], "who": [{}, "y", "z"]}), "y": [0, 1, 0]},
         r"has \{\} at row 0, column 'who'"),
        ({"X": polars.DataFrame({"a": [1.0, None, math.inf]}), "y": [0, 1, 0]},
         r"inf at row 2, column 'a'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        from_arrays(**({"X": X} | arguments))


@pytest.mark.parametrize(
    ("y", "classes", "labels"),
    [
        ([1, 2, 5], ("1", "2", "5"), [0, 1, 2]),
        ([-1, 1, -1], ("-1", "1"), [0, 1, 0]),
        (np.array([1.0, np.nan, 3.0]), ("1", "3"), [0, -1, 1]),
        ([10, 2, 1], ("1", "2", "10"), [2, 1, 0]),
        (["10", "2", "1"], ("1", "2", "10"), [2, 1, 0]),
        ([2001, 1999, 2001], ("1999", "2001"), [1, 0, 1]),
        (np.array([True, False, True]), ("False", "True"), [1, 0, 1]),
        (["True", "False", "True"], ("False", "True"), [1, 0, 1]),
        (["007", "7", "x"], ("007", "7", "x"), [0, 1, 2]),
        (pandas.Categorical(["b", "a", "b"], ["c", "b", "a"]), ("c", "b", "a"), [1, 2, 1]),
        (polars.Series(["b", None, "b"], dtype=polars.Enum(["c", "b"])), ("c", "b"), [1, -1, 1]),
    ],
)
def test_classes_are_the_labels_that_occur_or_that_a_column_declares(y, classes, labels):
    data = from_arrays(X, y)
    assert (data.classes, data.given.tolist()) == (classes, labels)


def test_a_whole_number_means_a_name_where_names_are_whole_numbers_and_else_a_place():
    assert from_arrays(X, [1, 2, 1], classes=[1, 2, 3]).given.tolist() == [0, 1, 0]
    assert from_arrays(X, ["1", "2", "1"], classes=["1", "2", "3"]).given.tolist() == [0, 1, 0]
    assert from_arrays(X, [1, 0, -1], classes=["cat", "dog"]).given.tolist() == [1, 0, -1]
    with pytest.warns(UserWarning, match="means a place, from 0, and no name"):
        assert from_arrays(X, [1, 0, 1], classes=["1", "cat"]).given.tolist() == [1, 0, 1]


def test_what_is_worth_a_word():
    with pytest.warns(UserWarning, match="-1 is taken as a class"):
        assert from_arrays(X, [-1, 0, 1]).classes == ("-1", "0", "1")
    with pytest.warns(UserWarning, match="2 of 3 rows have no label"):
        from_arrays(X, ["a", None, ""])
    with pytest.warns(UserWarning, match="'N/A' may mean that there is no label"):
        from_arrays(X, ["a", "N/A", "b"])
    y = ["billing"] * 60 + ["Billing "] * 2 + ["biling"] + ["refund"] * 9
    with pytest.warns(UserWarning, match=r"'Billing' \(2\) and 'billing' \(60 rows\); 'biling'"):
        data = from_arrays(np.zeros((72, 1)), y)
    assert data.q == 4
    merged = from_arrays(np.zeros((72, 1)), y, merge_labels=True)
    assert merged.classes == ("biling", "billing", "refund")
    merged = from_arrays(
        np.zeros((72, 1)), y, merge_labels={"biling": "billing", "Billing": "billing"}
    )
    assert merged.classes == ("billing", "refund")
    with pytest.raises(ValueError, match="replaces 'bill', which is no label"):
        from_arrays(np.zeros((72, 1)), y, merge_labels={"bill": "billing"})


@given(st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1), st.randoms())
def test_sets_and_matrices_are_the_same_thing(sets, random):
    inputs = np.zeros((len(sets), 1))
    by_sets = from_arrays(inputs, sets, classes=5)
    assert by_sets == from_arrays(inputs, by_sets.candidates, classes=5)
    assert [set(np.flatnonzero(row)) for row in by_sets.candidates] == sets
    labels = np.array([random.choice(sorted(s)) for s in sets])
    assert given_to_candidates(labels, 5).argmax(1).tolist() == labels.tolist()
