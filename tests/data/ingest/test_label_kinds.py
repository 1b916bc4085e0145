"""What several labels in a cell are is said, or asked, or at least told."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import candidly
from candidly.data.ingest import ReadAs, Roles, one_column, read


def written(path, text):
    path.write_text(text)
    return path


SETS = "x,kind\n1,cat|dog\n2,dog\n3,\n4,cat\n"


def test_tags_candidates_and_names(tmp_path):
    path = written(tmp_path / "t.csv", SETS)
    tags = read(path, label="kind", label_kind="all-of")
    assert (tags.classes, tags.label_kind) == (("cat", "dog"), "all-of")
    assert tags.tags.tolist() == [[True, True], [False, True], [False, False], [True, False]]
    names = read(path, label="kind", label_kind="single")
    assert names.classes == ("cat", "cat|dog", "dog")
    assert (names.given.tolist(), names.label_kind) == ([1, 2, -1, 0], "single")
    full = written(tmp_path / "full.csv", SETS.replace("3,\n", "3,cat|dog\n"))
    sets = read(full, label="kind", label_kind="one-of")
    assert sets.candidates.tolist() == [[True, True], [False, True], [True, True], [True, False]]
    assert sets.label_kind == "one-of"


def test_one_of_is_of_cells_with_several(tmp_path):
    path = written(tmp_path / "t.csv", "x,kind\n1,cat\n2,dog\n3,\n")
    data = read(path, label="kind", label_kind="one-of")
    assert data.given.tolist() == [0, 1, -1]
    assert read(path, label="kind", label_kind="all-of").tags.sum() == 2


def test_what_is_taken_for_granted_is_told(tmp_path):
    path = written(tmp_path / "t.csv", SETS.replace("3,\n", "3,dog\n"))
    with pytest.warns(ReadAs, match=r"several labels in 1 of 4 rows; taken as candidates"):
        data = read(path, label="kind")
    assert data.candidates is not None
    for silent in ({"label_kind": "one-of"}, {"label_kind": "all-of"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(path, label="kind", **silent)
    named = written(tmp_path / "n.csv", path.read_text().replace("kind", "candidates"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the column's name says it
        assert read(named, label="candidates").candidates is not None
        assert read(named).candidates is not None
        assert read(named, label_kind="all-of").tags is not None


def test_who_asks_refuses_and_names_all_ways(tmp_path):
    path = written(tmp_path / "t.csv", SETS)
    with pytest.raises(ValueError, match=r"'cat\|dog' at row 0.*one-of.*all-of.*single"):
        read(path, Roles(label="kind", ask_kind=True))
    one = written(tmp_path / "o.csv", "x,kind\n1,cat\n2,dog\n")
    assert read(one, Roles(label="kind", ask_kind=True)).given.tolist() == [0, 1]
    named = Roles(label="kind", ask_kind=True, classes=["cat|dog", "cat", "dog"])
    assert read(path, named).given.tolist() == [0, 2, -1, 1]  # a declared name is a name


def test_names_with_a_comma_and_lists_with_one(tmp_path):
    path = written(tmp_path / "t.csv", 'x,kind\n1,"cat, dog"\n2,dog\n3,cat\n')
    with pytest.raises(ValueError, match=r"`label_separator=','`.*`label_kind='single'`"):
        read(path, label="kind")
    assert read(path, label="kind", label_kind="single").classes == ("cat", "cat, dog", "dog")
    data = read(path, label="kind", label_kind="all-of", label_separator=",")
    assert data.tags.tolist() == [[True, True], [False, True], [True, False]]


def test_single_leaves_numbers_numbers(tmp_path):
    path = written(tmp_path / "t.csv", "x,kind\n1,10\n2,2\n3,1.0\n")
    plain, single = read(path, label="kind"), read(path, label="kind", label_kind="single")
    assert plain.classes == single.classes == ("1", "2", "10")


def test_one_kind_of_two_columns_is_refused(tmp_path):
    path = written(tmp_path / "t.csv", "x,given,candidates\n1,cat,cat|dog\n2,dog,dog\n")
    assert read(path).given is not None
    with pytest.raises(ValueError, match="'given' and 'candidates' hold labels"):
        read(path, label_kind="all-of")
    with pytest.raises(ValueError, match="give one of single, one-of, all-of"):
        Roles(label_kind="several")


COLUMNS = "cat,x,dog\n1,0.5,0\n0,1.5,1\n1,2.5,1\n0,3.5,0\n"


def test_columns_of_zero_and_one(tmp_path):
    path = written(tmp_path / "t.csv", COLUMNS)
    data = read(path, label="dog,cat", label_kind="all-of")
    assert data.classes == ("dog", "cat")
    assert data.tags.tolist() == [[False, True], [True, False], [True, True], [False, False]]
    assert data.inputs.tolist() == [[0.5], [1.5], [2.5], [3.5]]
    only = written(tmp_path / "o.csv", "cat,x,dog\n1,0.5,0\n0,1.5,1\n")
    assert read(only, label="cat, dog", label_kind="single").given.tolist() == [0, 1]
    comma = pl.DataFrame({"cat,dog": ["a", "b"], "x": [1.5, 2.5]})
    assert one_column(comma, Roles(label="cat,dog")) is comma
    assert read(comma, label="cat,dog").classes == ("a", "b")


@pytest.mark.parametrize(
    ("text", "label", "kind", "message"),
    [
        (COLUMNS, "cat,dog", None, "`label_kind='all-of'`"),
        (COLUMNS, "cat,dgo", "all-of", "no column 'dgo'.*'dog'"),
        (COLUMNS, "cat,cat", "all-of", "'cat' twice"),
        (COLUMNS, "cat,x", "all-of", "column 'x' has '?0.5'? at row 0"),
        (COLUMNS, "cat,dog", "single", "2 of the 2 columns of labels are 1 at row 2"),
        (COLUMNS, "cat,dog", "one-of", "no label at row 3"),
        (COLUMNS.replace("1,2.5", ",2.5"), "cat,dog", "all-of", "None at row 2"),
    ],
)
def test_columns_that_are_none(tmp_path, text, label, kind, message):
    path = written(tmp_path / "t.csv", text)
    with pytest.raises(ValueError, match=message):
        read(path, label=label, label_kind=kind)


def test_a_file_of_arrays_says_it_by_its_names(tmp_path):
    tags = np.array([[1, 1], [0, 1], [0, 0]], bool)
    np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), tags=tags)
    data = candidly.load(tmp_path / "t.npz")
    assert (data.label_kind, data.tags.tolist()) == ("all-of", tags.tolist())
    data.save(tmp_path / "own.npz")
    assert candidly.load(tmp_path / "own.npz").label_kind == "all-of"
