"""Files of one's own: npz, csv, parquet."""

import numpy as np
import polars
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.sources import load

X = np.array([[0.5, 1.0], [2.0, 3.0], [4.0, 5.0]])
SETS = np.array([[1, 1], [0, 1], [1, 0]], bool)


@pytest.mark.parametrize(
    "arrays",
    [
        {"inputs": X, "candidates": SETS, "truth": np.array([0, 1, 0])},
        {"X": X, "candidates": SETS.astype(np.uint8), "target": np.array([0, 1, 0], np.int8)},
        {"data": X, "partial_target": SETS.T, "target": np.eye(2)[[0, 1, 0]].T},
        {"data": X, "partial_target": SETS, "target": np.eye(2)[[0, 1, 0]]},
    ],
)
def test_plain_arrays_under_common_names(tmp_path, arrays):
    np.savez(tmp_path / "mine.npz", **arrays)
    data = load(tmp_path / "mine.npz")
    assert np.array_equal(data.inputs, X)
    assert np.array_equal(data.candidates, SETS)
    assert data.truth.tolist() == [0, 1, 0]
    assert data.source == "mine.npz"


def test_labels_names_and_ids_in_npz(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["b", "a", "b"]), ids=np.array(["i", "j", "k"]))
    data = load(str(tmp_path / "a.npz"))
    assert data.given.tolist() == [1, 0, 1]
    assert data.ids.tolist() == ["i", "j", "k"]
    np.savez(tmp_path / "b.npz", X=X, y=np.array([0, 1, 0]), classes=np.array(["p", "q", "r"]))
    assert load(tmp_path / "b.npz").classes == ("p", "q", "r")


def test_our_own_files_come_back_whole(tmp_path):
    data = from_arrays(X, SETS, truth=[0, 1, 0], source="kept")
    data.save(tmp_path / "own.npz")
    assert load(tmp_path / "own.npz") == data


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X}, r"has the arrays X\. Needed: inputs"),
        ({"y": np.array([0, 1])}, r"has the arrays y\. Needed"),
        ({"X": X, "data": X, "y": np.zeros(3, int)}, r"has both `X` and `data`; keep one"),
        ({"X": X, "candidates": np.ones((4, 2))}, r"`candidates` has shape \(4, 2\), but"),
        ({"X": X, "truth": np.ones((3, 2))}, r"`truth` does not hold exactly one 1 for example 0"),
        ({"X": X, "y": np.array([{}, 1, 2], object)}, r"Python objects, which are never unpickled"),
        ({"X": X.astype(object), "y": np.zeros(3, int)}, r"Python objects"),
        ({"X": X, "candidates": SETS & False}, r"`candidates` has no label at row 0"),
        ({"X": X, "candidates": SETS, "gvien": np.zeros(3)}, "`gvien`, .* did you mean 'given'"),
        ({"X": X, "y": np.zeros(3, int), "sizes": X}, "the array `sizes`, which means nothing"),
    ],
)  # fmt: skip
def test_npz_that_are_not_right(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=message) as error:
        load(tmp_path / "bad.npz")
    assert "bad.npz" in str(error.value)


CSV = """id,height,candidates,width,given,truth
x1,0.5,ant|bee,1,ant,ant
x2,2,bee,3,,bee
x3,4,ant | cat,5,cat,
"""


@pytest.mark.parametrize("form", ["csv", "parquet", "parquet lists"])
def test_tables(tmp_path, form):
    path = tmp_path / f"t.{form.split()[0]}"
    (tmp_path / "t.csv").write_text(CSV)
    if form != "csv":
        frame = polars.read_csv(tmp_path / "t.csv")
        if form == "parquet lists":
            lists = [["ant", "bee"], ["bee"], ["ant", "cat"]]
            frame = frame.with_columns(candidates=polars.Series(lists))
        frame.write_parquet(path)
    data = load(path)
    assert data.inputs.tolist() == [[0.5, 1], [2, 3], [4, 5]]
    assert data.classes == ("ant", "bee", "cat")
    assert data.candidates.astype(int).tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 1]]
    assert data.given.tolist() == [0, -1, 2]
    assert data.truth.tolist() == [0, 1, -1]
    assert data.ids.tolist() == ["x1", "x2", "x3"]


def test_whole_numbers_are_names_of_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,candidates,truth\n1,0|2,0\n2,1,1\n3,10,\n")
    data = load(path)
    assert data.classes == ("0", "1", "2", "10")
    assert np.flatnonzero(data.candidates[0]).tolist() == [0, 2]
    assert data.truth.tolist() == [0, 1, -1]
    path.write_text("a,candidates\n1,1\n2,2\n")  # a column of numbers to the reader
    assert load(path).classes == ("1", "2")


def test_texts_and_media(tmp_path):
    (tmp_path / "t.csv").write_text('text,given\n"hello, you",a\n,b\n')
    with pytest.raises(ValueError, match=r"t\.csv"):
        load(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text('text,given\n"hello, you",a\nbye,b\n')
    assert load(tmp_path / "t.csv").inputs.tolist() == ["hello, you", "bye"]
    (tmp_path / "pictures").mkdir()
    for name in ("a", "b"):
        (tmp_path / "pictures" / f"{name}.jpg").touch()
    there = tmp_path / "pictures" / "b.jpg"
    (tmp_path / "m.csv").write_text(f"path,given\npictures/a.jpg,a\n{there},b\n")
    data = load(tmp_path / "m.csv")
    assert [str(path) for path in data.inputs] == [str(tmp_path / "pictures" / "a.jpg"), str(there)]
    (tmp_path / "m.csv").write_text("path,given\npictures/a.jpg,a\nnone.jpg,b\n")
    with pytest.raises(ValueError, match=r"there is no file .*none\.jpg, which row 1 names"):
        load(tmp_path / "m.csv")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a.png", "none.png"], r"there is no file \S+none\.png, which row 1 names\."),
        (
            ["x.png", "y.png"],
            r"\S+x\.png, which row 0 names, nor are those of 1 other row\.",
        ),
        (["a.png", "."], r"there is no file \S+, which row 1 names\."),
        (
            ["a.png", "https://example.org/b.png"],
            r"column 'image' has 'https://example\.org/b\.png' at row 1, an address of the",
        ),
        (["S3://bucket/b.png", "a.png"], r"has 'S3://bucket/b\.png' at row 0, an address"),
        (["data:image/png;base64," + "A" * 999] * 2, r"'data:\S{75}\.\.\.' at row 0, a picture"),
        ([b"\x89PNG", b"\x89PNG"], r"column 'image' holds Binary, which may be pictures"),
        ([{"bytes": b"x", "path": None}] * 2, r"column 'image' holds Struct.*no names of files"),
        ([None, "a.png"], r"column 'image' is empty at row 0|is missing"),
    ],
)
def test_columns_that_name_no_files(tmp_path, cells, message):
    import polars

    (tmp_path / "a.png").touch()
    polars.DataFrame({"image": cells, "label": ["x", "y"]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=message) as error:
        load(tmp_path / "t.parquet")
    assert str(tmp_path / "t.parquet") in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", r"has the columns a, b\. Needed: at least one of label, given"),
        ("given\nx\ny\n", r"has no column of inputs"),
        ("a,candidates\n1,0|1\n2,\n", r"`candidates` has no label at row 1"),
        ("a,id,given\n1,x,0\n2,x,1\n", r"`ids` has 'x' at row 0 and again at row 1"),
        ("", r"is empty"),
        ("a,given\n1,0\n2,0,7,8\n", r"line 3 has 4 cells, and the first line has 2"),
    ],
)
def test_tables_that_are_not_right(tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        load(tmp_path / "bad.csv")
    assert "bad.csv" in str(error.value)


def test_a_damaged_parquet_file(tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(ValueError, match=r"bad\.parquet.*it is no Parquet file, or a damaged one"):
        load(tmp_path / "bad.parquet")
