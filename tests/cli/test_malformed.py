"""Files that are not what they should be: a sentence each, which names them and no internals."""

from __future__ import annotations

import gzip
import re

import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

INTERNALS = re.compile(
    r"Traceback|polars|pydantic|infer_schema|truncate_ragged|dtype:|np\.|ufunc|Schema"
    r"|NoneType|object at 0x|iteration|unpack|invalid literal|array\("
)
X = np.array([[0.5, 1], [2, 3]])
Y = np.array([0, 1])


def arrays(**named):
    return lambda path: np.savez(path, **named)


def matlab(**named):
    return lambda path: savemat(path, named)


def parquet(**columns):
    return lambda path: pl.DataFrame(columns, strict=False).write_parquet(path)


DATA = {  # of `candidly data describe`: what is in the file, and what is said of it
    "empty.csv": ("", "empty.csv is empty"),
    "header.csv": ("a,given\n", "no rows below its header"),
    "mixed.csv": ("a;given\n1;cat\n2,dog\n", "is separated by commas, and"),
    "twice.csv": ("a,given,given\n1,cat,dog\n", "two columns are called 'given'"),
    "short.csv": ("a,b,given\n1,2,cat\n1,2\n", "line 3 has 2 cells, and the first line has 3"),
    "long.csv": ("a,given\n1,cat\n1,cat,3\n", "line 3 has 3 cells"),
    "inf.csv": ("a,given\n1,cat\ninf,dog\n", "column 'a' has inf at row 1"),
    "gaps.csv": ("a,given\n,cat\n,dog\n", "no column of inputs with a value"),
    "thousands.csv": ('a,given\n"1,000",cat\n', "column 'a' has '1,000', which is a thousand"),
    "half.csv": ("a,given\n1,1.5\n2,0\n", "`given` has 1.5 at row 0; numbers of classes are whole"),
    "negative.csv": ("a,given\n1,-5\n2,0\n", "label -5 at row 0, but there is 1 class"),
    "huge.csv": (f"a,given\n1,{10**20}\n2,0\n", "which is no class number"),
    "one.csv": ("a,given\n1,cat\n2,cat\n", "every label is 'cat'"),
    "gz.csv": (gzip.compress(b"a,given\n1,cat\n"), "by its content it is a gzip file (.gz)"),
    "case.csv": ("a,Given\n1,cat\n", "it has the columns a, Given. Needed"),
    "alone.csv": ("given\ncat\n", "no column of inputs"),
    "set.csv": ("a,candidates\n1,cat|\n", "`candidates` has 'cat|' at row 0"),
    "path.csv": ("path,given\n,cat\n", "column 'path' is empty at row 0"),
    "text.csv": ("text,given\n,cat\n", "column 'text' is empty at row 0"),
    "quote.csv": ('a,given\n1,"cat\n2,dog\n', "the quotes of line 2 are not balanced"),
    "x.csv.gz": (b"", "x.csv.gz is empty"),
    "x.txt": ("hello", "it has the columns hello. Needed"),
    "x.json": ("{}", "is no file that can be read"),
    "noending": ("hello", "is no file that can be read"),
    "zero.npz": (b"", "not an .npz file"),
    "torn.npz": (b"PK\x03\x04", "not an .npz file"),
    "other.npz": (arrays(foo=X), "has the arrays foo. Needed"),
    "single.npz": (arrays(X=np.float64(3), y=np.int64(1)), "single numbers"),
    "two.npz": (arrays(X=X, candidates=np.array([[0, 2], [1, 1]])), "has 2 at row 0, column 1"),
    "flat.npz": (arrays(X=X, candidates=Y), "write a list of labels there"),
    "floats.npz": (arrays(X=X, y=np.array([1.0, 0])), "labels are integers or strings"),
    "bools.npz": (arrays(X=X, y=np.array([True, False])), "labels are integers or strings"),
    "nan.npz": (arrays(X=X * np.nan, y=Y), "nan at row 0, column 0"),
    "lengths.npz": (arrays(X=np.ones((3, 2)), y=Y), "`inputs` has 3 rows"),
    "complex.npz": (arrays(X=X + 1j, y=Y), "not real numbers"),
    "deep.npz": (arrays(X=X, y=np.ones((2, 3, 4), int)), "labels are integers or strings"),
    "classes.npz": (arrays(X=X, y=Y, classes=np.array(["a", "a"])), "'a' at position 0 and again"),
    "none.npz": (arrays(X=X[:0], y=Y[:0]), "no rows"),
    "objects.npz": (arrays(X=X.astype(object), y=Y), "never unpickled"),
    "other.mat": (matlab(foo=X), "no array `data`; it has foo"),
    "zero.mat": (b"", "not a readable MATLAB file"),
    "text.mat": ("hello", "not a readable MATLAB file"),
    "nan.mat": (matlab(data=X * np.nan, partial_target=np.ones((3, 2))), "nan at row 0"),
    "zero.parquet": (b"", "zero.parquet is empty"),
    "torn.parquet": (b"PAR1", "is no Parquet file, or a damaged one"),
    "lists.parquet": (parquet(a=[[1], [2]], given=["x", "y"]), "column 'a' of List(Int64)"),
    "several.parquet": (parquet(a=[1, 2], given=[["x", "y"], ["y"]]), "it takes one label"),
}  # fmt: skip

CROWD = {
    "missing.csv": ("item,label\n0,cat\n", "no column 'annotator', but item, label"),
    "header.csv": ("item,annotator,label\n", "there is none"),
    "who.csv": ("item,annotator,label\n0,,cat\n", "column 'annotator' is empty at row 0"),
    "item.csv": ("item,annotator,label\n,a,cat\n", "column 'item' is empty at row 0"),
    "half.csv": ("item,annotator,label\n0.5,a,cat\n", "`item` is 0.5 in row 0"),
    "set.csv": ("item,annotator,label\n0,a,cat|dog\n", "which is 2 labels; it takes one"),
    "twice.csv": ("item,annotator,label\n0,a,cat\n0,a,dog\n", "answers item 0 twice"),
    "one.csv": ("item,annotator,label\n0,a,cat\n", "there is one class, 'cat'"),
    "big.csv": ("item,annotator,label\n0,a,1000000\n", "class number 1000000 at row 0"),
    "short.csv": ("item,annotator,label\n0,a,cat\n0,b\n", "line 3 has 2 cells"),
    "double.csv": ("item,item,annotator,label\n0,0,a,cat\n", "two columns are called 'item'"),
    "votes.npz": (arrays(X=X, y=Y), "has no votes"),
    "x.txt": ("hello", "x.txt"),
}

VOTES = {
    "missing.csv": ("item,answer\n0,given\n", "no column 'person', but item, answer"),
    "item.csv": ("item,person,answer\nx,a,given\n", "column 'item' has 'x' at row 0"),
    "half.csv": ("item,person,answer\n0.5,a,given\n", "has 0.5 at row 0, which is no whole number"),
    "huge.csv": (f"item,person,answer\n{10**23},a,given\n", "far too large"),
    "negative.csv": ("item,person,answer\n-1,a,given\n", "item -1 is negative"),
    "answer.csv": ("item,person,answer\n0,a,gven\n", "answer in row 0 is 'gven'"),
    "later.csv": ("item,person,answer\n0,a,\n0,b,gven\n", "answer in row 1 is 'gven'"),
    "who.csv": ("item,person,answer\n0,,given\n", "column 'person' is empty at row 0, where"),
    "class.csv": ("item,person,answer,given\n0,a,given,1.5\n", "given class is 1.5 at row 0"),
    "x.txt": ("hello", "must end in one of .json, .csv, .parquet"),
    "empty.json": ("", "is no JSON file"),
    "list.json": ("[1, 2]", "holds no list of rows"),
    "votes.json": (
        '[{"id": 0, "mturk": 3, "given_original_label": 0, "our_guessed_label": 1}]',
        "the votes of row 0 are 3",
    ),
    "count.json": (
        '[{"id": 0, "mturk": {"given": "x"}, "given_original_label": 0, "our_guessed_label": 1}]',
        "row 0 has 'x' votes for 'given'",
    ),
    "label.json": (
        '[{"id": 0, "mturk": {"given": 1}, "given_original_label": "a", "our_guessed_label": 1}]',
        "row 0 has the label 'a'; it needs a class number",
    ),
}


def written(path, content):
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def refused(candidly, path, content, message, *command):
    written(path, content)
    status, out, err = candidly(*command, path.name)
    assert (status, out) == (2, ""), err
    assert err.count("\n") == 1, err
    assert path.name in err
    assert message in err
    assert not INTERNALS.search(err), err
    if re.search(r"\brows? \d", err) and path.suffix == ".csv":
        assert "Rows count from 0, the header left out" in err


@pytest.mark.parametrize("name", DATA)
def test_data(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *DATA[name], "data", "describe")


@pytest.mark.parametrize("name", ["half.csv", "zero.npz", "x.txt"])
def test_a_benchmark_reads_files_the_same_way(candidly, tmp_path, name):
    command = ("bench", "plan", "--algorithms", "CC", "--splits", "1", "--dataset")
    refused(candidly, tmp_path / name, *DATA[name], *command)


@pytest.mark.parametrize("name", CROWD)
def test_crowd(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *CROWD[name], "crowd", "consensus")


@pytest.mark.parametrize("name", VOTES)
def test_validate(candidly, tmp_path, name):
    refused(candidly, tmp_path / name, *VOTES[name], "validate", "--votes")


def test_folders(candidly, tmp_path):
    for name in ("folder", "folder.csv"):
        (tmp_path / name).mkdir()
        for command in (("data", "describe"), ("crowd", "consensus"), ("validate", "--votes")):
            status, _, err = candidly(*command, name)
            assert status == 2
            assert f"{name} is a folder" in err


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,given\n1,cat\n2,dog\n",
        "a,given\r\n1,cat\r\n2,dog\r\n",
        "a,given\n1, cat \n2,dog\n\n\n",
        "a,given\n1e0,cat\n 2,dog",
    ],
)
def test_what_is_all_right(candidly, tmp_path, text):
    (tmp_path / "t.csv").write_text(text, newline="")
    status, _, err = candidly("data", "convert", "t.csv", "t.npz", "--json")
    assert (status, err) == (0, "")
    from candidly import load

    data = load(tmp_path / "t.npz")
    assert data.classes == ("cat", "dog")
    assert data.inputs.tolist() == [[1.0], [2.0]]


def test_empty_tables_of_answers_are_no_answers(candidly, tmp_path):
    (tmp_path / "v.csv").write_text("item,person,answer\n")
    assert candidly("validate", "--votes", "v.csv")[0] == 0


def test_large_item_numbers_take_no_memory(candidly, tmp_path):
    text = f"item,person,answer,given\n{10**12},a,given,1\n{10**12},b,given,1\n"
    (tmp_path / "v.csv").write_text(text)
    assert candidly("validate", "--votes", "v.csv")[0] == 0


def test_classes_can_be_declared_for_a_file(candidly, tmp_path):
    (tmp_path / "t.csv").write_text('a,given\n1,"shark, white"\n2,dog\n')
    (tmp_path / "names.txt").write_text("dog\nshark, white\n")
    assert candidly("data", "convert", "t.csv", "t.npz")[0] == 2
    assert candidly("data", "convert", "t.csv", "t.npz", "--classes", "names.txt")[0] == 0
    (tmp_path / "n.csv").write_text("a,given\n1,5000\n2,0\n")
    assert candidly("data", "convert", "n.csv", "n.npz")[0] == 2
    assert candidly("data", "convert", "n.csv", "n.npz", "--classes", "5001")[0] == 0
    status, _, err = candidly("data", "describe", "digits", "--classes", "a,b")
    assert status == 2
    assert "is for files; digits has its own" in err
