"""How labels are written as text, the same for every file and every list of strings."""

import numpy as np
import pandas
import polars
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.labels.text import label_in, labels_in
from candidly.data.sources import load
from candidly.people.crowd import Answers

X = [[0.5], [1.5], [2.5]]
REFUSED = {
    "cat|dog|": "a label has no name",
    "|cat": "a label has no name",
    "cat||dog": "a label has no name",
    "|": "a label has no name",
    "cat,dog": "another notation",
    "cat; dog": "another notation",
    "['cat', 'dog']": "another notation",
    "{cat; dog}": "another notation",
    "{cat}": "another notation",
    "[cat|dog]": "another notation",
    "'cat'|'dog'": "another notation",
    '"cat"': "another notation",
    "cat\tdog": "another notation",
}


def test_what_a_cell_holds():
    assert labels_in(" cat |dog", "`candidates`", 0) == ["cat", "dog"]
    assert labels_in("", "candidates", 0) == labels_in("  ", "candidates", 0) == []
    assert labels_in("[bold]cat|it's", "candidates", 0) == ["[bold]cat", "it's"]
    assert label_in(" cat ", "given", 0) == "cat"
    assert label_in("", "given", 0) is None
    with pytest.raises(ValueError, match=r"`given` has 'cat\|dog' at row 4, which is 2 labels"):
        label_in("cat|dog", "`given`", 4)


def test_a_known_class_is_a_name_whatever_it_looks_like():
    shark = "great white shark, white shark"
    assert labels_in(shark, "given", 0, (shark, "[cat]")) == [shark]
    assert labels_in(f"{shark} | [cat]", "given", 0, (shark, "[cat]")) == [shark, "[cat]"]
    assert labels_in("a|b", "given", 0, ("a|b",)) == ["a|b"]
    assert from_arrays(X, ["a|b", "c", "a|b"], classes=["a|b", "c"]).given.tolist() == [0, 1, 0]
    data = from_arrays(X, ["a|b|c", "c", "a|b"], classes=["c", "b", "a"])
    assert data.candidates.astype(int).tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("name", ["candidates", "given", "truth"])
def test_every_reader_refuses_the_same_cells(tmp_path, text, name):
    message = rf"`{name}` has .* at row 1, .*({REFUSED[text]}|labels; it takes one)"
    frame = polars.DataFrame({"a": [0.5, 1.5, 2.5], name: ["cat", text, "dog"]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for file in ("t.csv", "t.parquet"):
        with pytest.raises(ValueError, match=message) as error:
            load(tmp_path / file)
        assert file in str(error.value)
        assert "Rows count from 0" in str(error.value)
    with pytest.raises(ValueError, match=message):
        from_arrays(X, **{name: ["cat", text, "dog"]})
    with pytest.raises(ValueError, match=r"`label` has .* at row 1"):
        Answers.from_columns([0, 0, 1], ["a", "b", "a"], ["cat", text, "dog"])


@pytest.mark.parametrize("form", [list, np.array, pandas.Series, polars.Series])
def test_arrays_and_files_read_text_alike(tmp_path, form):
    cells = ["cat|dog", "dog", "emu | cat"]
    polars.DataFrame({"a": [0.5, 1.5, 2.5], "candidates": cells}).write_csv(tmp_path / "t.csv")
    data = load(tmp_path / "t.csv")
    for arguments in ({"y": form(cells)}, {"candidates": form(cells)}):
        frame = polars.DataFrame({"a": [0.5, 1.5, 2.5]})
        mine = from_arrays(frame, **arguments, source="t.csv")
        assert mine == data
        assert mine.classes == ("cat", "dog", "emu")
    numbers = form(["0|2", "1", "2"])
    data = from_arrays(X, numbers, truth=["0", "1", "2"])
    assert data.candidates.astype(int).tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert data.truth.tolist() == [0, 1, 2]


def test_a_list_of_labels_holds_names():
    assert from_arrays(X, [[" a"], ["a", "b, c"], ["b, c"]]).classes == ("a", "b, c")
    for bad, message in (("", "is no name"), ("a|b", "separates labels")):
        with pytest.raises(ValueError, match=rf"at row 2.*{message}"):
            from_arrays(X, [["a"], ["a", "b"], [bad]])


def test_numbers_written_as_floats(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,given\n1,1.0\n2,\n3,0.0\n")  # as pandas writes integers with a gap
    assert load(path).given.tolist() == [1, -1, 0]
    assert load(path).classes == ("0", "1")
    path.write_text("a,given\n1,1\n2,nan\n3,0\n")
    assert load(path).given.tolist() == [1, -1, 0]
    path.write_text("a,given\n1,1\n2,1.5\n")
    with pytest.raises(ValueError, match=r"t\.csv: `given` has 1\.5 at row 1; labels are names or"):
        load(path)
    path.write_text("a,given\n1,v1\n2,1.5\n")
    assert load(path).classes == ("1.5", "v1")
    with pytest.raises(ValueError, match=r"`given` has 1\.5 at row 1; labels are names or whole"):
        from_arrays(X, [1.0, 1.5, 2.0])


def test_whole_numbers_are_names_of_classes_however_large(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,given,truth\n1,0,0\n2,200000,0\n")
    assert load(path).classes == from_arrays(X[:2], [0, 200000], truth=[0, 0]).classes
    assert load(path).classes == ("0", "200000")
    assert from_arrays(X, [[1000], [0], [0]]).classes == ("0", "1000")
    assert Answers.from_columns([0, 1], ["a", "b"], [0, 1_000_000]).classes == ("0", "1000000")
    assert Answers.from_matrix([[0], [1_000_000]]).classes == ("0", "1000000")
    assert from_arrays(X, [0, 10**30, 1]).classes == ("0", "1", str(10**30))
    assert from_arrays(X, [0, 5000, 1], classes=5001).q == 5001
    with pytest.raises(ValueError, match="what a cast of NaN to integers makes"):
        from_arrays(X, np.array([0, 1, -(2**63)]))


def test_many_classes_make_no_matrix_of_them(tmp_path):
    data = from_arrays(X, [0, 200_000, 1], truth=[0, 1, 1], classes=200_001)
    found = data.describe()  # 298 GiB, were the matrix made
    assert found.oracle_transition is None
    assert found.oracle_given_noise_rate == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r"200,001 x 200,001, which takes 40 GB"):
        from_arrays(np.zeros((200_001, 1)), [[0]] * 200_001, classes=200_001)
    with pytest.raises(ValueError, match=r"`classes` is 1,000,000,000,000; .* at most 10,000,000"):
        from_arrays(X, [0, 1, 2], classes=10**12)


NUMBERED = ["", "Unnamed: 0"]


@pytest.mark.parametrize("name", NUMBERED)
def test_a_column_of_row_numbers_is_no_feature(tmp_path, name):
    frame = polars.DataFrame({name: [0, 1, 2], "a": [0.5, 1.5, 2.5], "given": ["x", "y", "x"]})
    frame.write_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match="numbers the rows; it is not used as a feature"):
        assert load(tmp_path / "t.csv").inputs.tolist() == X
    with pytest.warns(UserWarning, match="numbers the rows"):
        assert from_arrays(frame.drop("given"), [0, 1, 0]).inputs.tolist() == X


def test_what_pandas_writes(tmp_path):
    frame = pandas.DataFrame({"a": [0.5, 1.5, 2.5], "given": ["x", "y", "x"]})
    frame.iloc[[2, 1]].to_csv(tmp_path / "t.csv")  # a part keeps its numbers
    assert load(tmp_path / "t.csv").inputs.tolist() == [[2.5], [1.5]]
    (tmp_path / "u.csv").write_text(",a,given\n0.5,1,x\n0.5,2,y\n")
    with pytest.raises(ValueError, match="first column without a name"):
        load(tmp_path / "u.csv")


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["cat", "dog", "cat"], "'cat' at position 0 and again at position 2"),
        ([1, "1", "2"], "'1' at position 0 and again at position 1"),
        ("cat,dog", "Write a list of names in order"),
        ({"cat", "dog"}, "Write a list of names in order"),
        (["cat", ""], "empty name at position 1"),
        (2.5, "Write a list of names in order"),
    ],
)
def test_classes_are_a_list_of_different_names(classes, message):
    with pytest.raises(ValueError, match=message):
        from_arrays(X, [0, 1, 0], classes=classes)
    if classes[0:1] != [1] if isinstance(classes, list) else True:
        with pytest.raises(ValueError, match=message):
            Answers.from_columns([0, 0], ["a", "b"], [0, 1], classes=classes)
