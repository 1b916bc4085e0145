"""An own test set and an own validation set behind the rows to learn from."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.parts import in_parts, with_parts

CLASSES = ("cat", "dog", "eel")


def _inputs(kind, n, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 2))
    if kind == "table":
        return numbers
    if kind == "images":
        return rng.integers(0, 256, (n, 4, 4), np.uint8)
    if kind == "texts":
        return [f"text {seed} {k}" for k in range(n)]
    if kind == "media":
        return [Path(f"{seed}-{k}.png") for k in range(n)]
    colours = rng.choice(["red", "blue"], n) if seed else np.array(["green"] * n)
    return pl.DataFrame({"a": numbers[:, 0], "colour": colours, "b": numbers[:, 1]})


def _labels(sets, n, seed):
    rng = np.random.default_rng(seed)
    names = rng.choice(CLASSES, n).tolist()
    return [{one, "cat"} for one in names] if sets else names


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(["table", "images", "texts", "media", "columns"]),
    sets=st.booleans(),
    sizes=st.tuples(st.integers(8, 20), st.integers(1, 6), st.integers(0, 6)),
    seed=st.integers(0, 2**31),
)
def test_parts_are_the_rows_that_were_given(tmp_path_factory, kind, sets, sizes, seed):
    n, tested, chosen = sizes
    X, y = _inputs(kind, n, 1), _labels(sets, n, 1)
    named = {"test": (_inputs(kind, tested, 2), _labels(False, tested, 2))}
    if chosen:
        named["validation"] = (_inputs(kind, chosen, 3), _labels(False, chosen, 3))

    data = from_arrays(X, y, classes=CLASSES, **named)

    alone = from_arrays(X, y, classes=CLASSES)
    learned = ~data.official_test
    if chosen:
        learned &= ~data.official_validation
    assert learned.sum() == n
    assert data[learned].inputs.shape == alone.inputs.shape
    field = "candidates" if sets else "given"
    assert np.array_equal(getattr(data[learned], field), getattr(alone, field))
    assert (data.truth[learned] == -1).all()
    for name, rows in (("test", data.official_test), ("validation", data.official_validation)):
        if name in named:
            part, own = data[rows], from_arrays(*named[name], classes=CLASSES)
            assert [CLASSES[one] for one in part.truth] == named[name][1]
            same = part.inputs.frame.equals if kind == "columns" else part.inputs.__eq__
            assert np.all(same(own.inputs.frame if kind == "columns" else own.inputs))
            if sets:
                assert part.candidates.sum(1).tolist() == [1] * part.n
                assert np.array_equal(part.candidates.argmax(1), part.truth)
            else:
                assert np.array_equal(part.given, part.truth)
    split = data.split(seed, test=0.5, validation=0.5, official=True)
    assert np.array_equal(split.test, np.flatnonzero(data.official_test))
    if chosen:
        assert set(split.validation) == set(np.flatnonzero(data.official_validation))
        assert set(split.train) == set(np.flatnonzero(learned))
    assert len({*split.train, *split.validation, *split.test}) == data.n
    file = tmp_path_factory.mktemp("saved") / "data.npz"
    if kind != "media":
        data.save(file)
        assert Labelled.load(file) == data
        assert data.fingerprint() != from_arrays(X, y, classes=CLASSES).fingerprint()


def test_columns_go_by_their_names():
    data = from_arrays(
        pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        ["cat", "dog"],
        test=(pl.DataFrame({"b": [5.0], "a": [6.0]}), ["dog"]),
    )
    assert data.inputs.tolist() == [[1, 3], [2, 4], [6, 5]]


def test_a_cell_that_is_missing_in_the_test_set_alone_is_missing():
    data = from_arrays(
        pl.DataFrame({"a": [1.0, 2.0]}),
        ["cat", "dog"],
        test=(pl.DataFrame({"a": [None, 6.0]}), ["dog", "cat"]),
    )
    assert data.inputs.frame["a"].to_list() == [1, 2, None, 6]


def test_a_truth_that_stands_beside_labels_stays():
    test = from_arrays([[5.0]], ["cat"], truth=["dog"], classes=CLASSES)
    data = with_parts(from_arrays([[1.0], [2.0]], ["cat", "eel"], classes=CLASSES), test)
    assert data.truth.tolist() == [-1, -1, 1]
    assert data.given.tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("own", "ids"),
    [
        ((None, None), [0, 1, 2, 3]),
        (([5, 6], [7, 8]), [5, 6, 7, 8]),
        (([1, 2], [2, 3]), ["1", "2", "test/2", "3"]),
        ((["a", "b"], ["b", "c"]), ["a", "b", "test/b", "c"]),
    ],
)
def test_ids_stay_and_differ(own, ids):
    X, y = [[1.0], [2.0]], ["cat", "dog"]
    test = from_arrays([[3.0], [4.0]], y, ids=own[1])
    assert with_parts(from_arrays(X, y, ids=own[0]), test).ids.tolist() == ids


def test_rows_that_are_learned_from_and_tested_on_are_said():
    with pytest.warns(UserWarning, match=r"^1 of the 2 rows of the test set have the inputs"):
        from_arrays([[1.0], [2.0]], ["a", "b"], test=([[2.0], [9.0]], ["a", "b"]))


TABLE, LABELS = [[1.0], [2.0]], ["cat", "dog"]


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (([[1.0, 2.0]], ["cat"]), r"the test set have the shape \(2,\) a row"),
        ((["a text"], ["cat"]), "the test set holds texts, and the rows to learn from hold table"),
        (([[3.0]], ["bird"]), "'bird'"),
        (([[3.0]], [{"cat", "dog"}]), "row 0 of the test set has not one label"),
        (([[3.0]], [None]), "row 0 of the test set has not one label"),
        (([[3.0]],), "`test` is no pair"),
        ([[3.0]], "`test` is no pair"),
    ],
)
def test_refused(test, said):
    with pytest.raises(ValueError, match=said):
        from_arrays(TABLE, LABELS, test=test)


def test_a_part_whose_columns_are_others_is_refused():
    frame = pl.DataFrame({"a": [1.0, 2.0], "c": ["x", "y"]})
    for other, said in (
        (pl.DataFrame({"a": [1.0]}), "the test set has no column 'c'"),
        (frame.with_columns(d=1.0), "rows to learn from have no column 'd'"),
        (frame.with_columns(a=pl.col("c")), "column 'a' is of the kind category"),
    ):
        with pytest.raises(ValueError, match=said):
            from_arrays(frame, LABELS, test=(other, ["cat"] * len(other)))


def test_data_that_names_its_own_test_rows_takes_no_others():
    data = from_arrays(TABLE, LABELS, test=([[3.0]], ["cat"]))
    with pytest.raises(ValueError, match="says itself which rows"):
        with_parts(data, test=data)


def test_a_row_is_in_one_set():
    flags = np.array([True, False])
    with pytest.raises(ValueError, match="row 0 is in `official_test` and in"):
        Labelled(
            inputs=np.eye(2), classes=("a", "b"), official_test=flags, official_validation=flags
        )


@pytest.mark.parametrize("parts", [["train", "train"], ["test", "validation"]])
def test_some_rows_are_to_learn_from_and_some_are_not(parts):
    with pytest.raises(ValueError, match="no row is of the part"):
        in_parts(from_arrays(TABLE, LABELS), parts)
