"""What is made of tables, folders and answers: roles, ids, kinds of columns, leaks."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import candidly
from candidly.data.ingest import Roles, read, read_frame, read_inputs
from candidly.data.ingest import _packed as packed
from candidly.ground.numbers import LARGEST


def written(path, text):
    path.write_text(text)
    return path


def test_mixed_columns_are_a_table(tmp_path):
    path = written(
        tmp_path / "t.csv",
        "row;age;price;city;since;zip;ok;label\n"
        "r1;20;1,5;Rome;2024-01-31;00501;true;a\n"
        "r2;;2;Bonn;2024-02-01;10115;false;b\n"
        "r3;40;3,25;Rome;;00501;true;a|b\n",
    )
    data = read(path, id="row")
    assert data.kind == "columns"
    assert dict(data.inputs.kinds) == {
        "age": "number",
        "price": "number",
        "city": "category",
        "since": "date",
        "zip": "category",
        "ok": "number",
    }
    assert data.inputs.frame["price"].to_list() == [1.5, 2, 3.25]
    assert data.inputs.frame["zip"].to_list() == ["00501", "10115", "00501"]
    assert data.inputs.frame["age"].to_list() == [20, None, 40]
    assert data.ids.tolist() == ["r1", "r2", "r3"]
    assert data.candidates.tolist() == [[True, False], [False, True], [True, True]]
    assert read_inputs(path, Roles(id="row"))[0] == data.inputs


def test_one_label_a_cell_is_given_and_any_several_are_candidates(tmp_path):
    path = written(tmp_path / "t.csv", "a,kind\n1,x\n2,\n3,y\n")
    data = candidly.read(path, label="kind")
    assert data.given.tolist() == [0, -1, 1]
    assert data.candidates is None
    path = written(tmp_path / "t.csv", "a,kind\n1,x/y\n2,y\n3,z\n")
    data = candidly.read(path, label="kind", label_separator="/")
    assert data.candidates.sum(1).tolist() == [2, 1, 1]
    with pytest.raises(ValueError, match=r"'x\|y' at row 0; with '/' between labels"):
        candidly.read(written(path, "a,kind\n1,x|y\n"), label="kind", label_separator="/")


def test_whole_numbers_are_names_of_classes_in_any_column(tmp_path):
    for text in ("a,label\n1,0\n2,2\n3,\n", "a,label\n1,0.0\n2,2.0\n3,nan\n"):
        data = read(written(tmp_path / "t.csv", text))
        assert (data.classes, data.given.tolist()) == (("0", "2"), [0, 1, -1])


def test_nominal_attributes_are_classes_in_their_order(tmp_path):
    path = written(
        tmp_path / "t.arff",
        "@attribute a real\n@attribute colour {red, 'dark green'}\n@attribute label {b,a}\n"
        "@data\n1,red,a\n2,'dark green',b\n3,?,?\n",
    )
    data = read(path)
    assert data.inputs.frame["colour"].to_list() == ["red", "dark green", None]
    assert data.given.tolist() == [1, 0, -1]
    assert data.classes == ("b", "a")


def test_classes_that_are_named_stay_in_their_order(tmp_path):
    path = written(tmp_path / "t.csv", "a,label\n1,x\n2,y\n")
    assert read(path, classes=["z", "y", "x"]).given.tolist() == [2, 1]
    with pytest.raises(ValueError, match=r"column 'label' has 'x' at row 0, which is not among"):
        read(path, classes=["y", "z"])


def test_the_column_that_numbers_rows_is_left_out(tmp_path):
    frame = pandas.DataFrame({"a": [0.5, 1.5, 2.5], "label": ["x", "y", "x"]})
    frame.to_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match="numbers the rows; it is not used as a feature"):
        data = read(tmp_path / "t.csv")
    assert data.inputs.tolist() == [[0.5], [1.5], [2.5]]


def test_ids_stay_as_they_are_written(tmp_path):
    for ids, kept in ((["7", "9"], [7, 9]), (["007", "8"], ["007", "8"]), (["a", "7"], ["a", "7"])):
        path = written(tmp_path / "t.csv", f"id,a,label\n{ids[0]},1,x\n{ids[1]},2,y\n")
        assert read(path).ids.tolist() == kept
    frame = pandas.DataFrame({"a": [1.0, 2.0], "label": ["x", "y"]}, index=["p", "q"])
    assert read(frame).ids.tolist() == ["p", "q"]
    assert read(frame.reset_index(drop=True)).ids.tolist() == [0, 1]


def test_numbers_with_a_few_words_are_refused_with_the_row(tmp_path):
    rows = "".join(f"{k},{'xy'[k % 2]}\n" for k in range(40))
    path = written(tmp_path / "t.csv", "age,label\n" + rows + "old,x\n")
    with pytest.raises(ValueError, match=r"numbers but for 1 cell, such as 'old' at row 40"):
        read(path)
    assert read(path, kinds={"age": "category"}).kind == "columns"


def test_a_corrected_file_is_read_by_either_column(tmp_path):
    path = written(
        tmp_path / "t.csv",
        "a,kind,kind corrected,kind corrected by\n1,x,x,confirmed\n2,x,y,corrected\n3,y,y,\n",
    )
    old, new = (read(path, label=name) for name in ("kind", "kind corrected"))
    assert (old.given.tolist(), new.given.tolist()) == ([0, 0, 1], [0, 1, 1])
    assert old.inputs.tolist() == new.inputs.tolist() == [[1], [2], [3]]


def test_a_copy_of_the_label_is_refused_and_what_only_looks_like_one_is_not(tmp_path):
    labels = [k % 3 for k in range(60)]
    frame = pl.DataFrame({"size": [k % 11 for k in range(60)], "label": [f"c{k}" for k in labels]})
    copies = {
        "code": pl.Series([7 * k for k in labels]),
        "word": pl.Series([f"C{k}!" for k in labels]),
        "number": pl.Series([k / 2 for k in labels]),
    }
    for name, column in copies.items():
        with pytest.raises(ValueError, match=rf"column '{name}' copies the label: each of its 3"):
            read(frame.with_columns(column.alias(name)))
        assert read(frame.with_columns(column.alias(name)), drop=[name]).n == 60
    one_off = pl.Series([7 * k for k in labels[:-1]] + [0])
    assert read(frame.with_columns(one_off.alias("code"))).n == 60
    finer = pl.Series([f"c{k % 6}" for k in range(60)])
    assert read(frame.with_columns(finer.alias("code"))).n == 60
    few = frame[:12].with_columns(copies["code"][:12].alias("code"))
    assert read(few).n == 12


def test_a_folder_of_pictures(tmp_path):
    for name in ("dog/2.png", "dog/1.png", "cat/deep/er/x.jpg", "cat/a.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (4, 4), 7).save(tmp_path / name)
    for hidden in (".DS_Store", "cat/.hidden"):
        (tmp_path / hidden).write_text("x")
    seen = []
    data = candidly.read(tmp_path, watch=lambda done, total: seen.append((done, total)))
    assert data.ids.tolist() == ["cat/a.png", "cat/deep/er/x.jpg", "dog/1.png", "dog/2.png"]
    assert data.given.tolist() == [0, 0, 1, 1]
    assert (data.classes, data.kind) == (("cat", "dog"), "media")
    assert [Path(path).is_file() for path in data.inputs] == [True] * 4
    assert seen[-1] == (4, 4)
    (tmp_path / "t.csv").write_text("id,pic,label\np,cat/a.png,cat\nq,dog/1.png,dog\n")
    table = candidly.read(tmp_path / "t.csv", image="pic")
    assert table.inputs.tolist() == [tmp_path / "cat/a.png", tmp_path / "dog/1.png"]
    assert candidly.load(str(tmp_path / "t.csv"), roles=Roles(image="pic")) == table


def test_answers_in_long_format(tmp_path):
    path = written(
        tmp_path / "t.csv",
        "task,who,said,size,truth\nt9,ann,cat,1,cat\nt9,bob,dog|cat,1,cat\nt4,ann,dog,2,dog\n",
    )
    data = read(path, label="said", annotator="who", item="task")
    assert data.ids.tolist() == ["t9", "t4"]
    assert data.inputs.tolist() == [[1], [2]]
    assert data.votes.rows() == [(0, "ann", (0,)), (0, "bob", (1, 0)), (1, "ann", (1,))]
    assert data.truth.tolist() == [0, 1]
    with pytest.warns(UserWarning, match="the items' names stand for them"):
        assert read(path, label="said", annotator="who", item="task",
                    drop=["size"]).inputs.tolist() == ["t9", "t4"]  # fmt: skip


def test_records_of_numpy(tmp_path):
    rows = np.array([(0.5, "x"), (1.5, "y")], [("a", float), ("label", "U4")])
    np.save(tmp_path / "t.npy", rows)
    assert read(tmp_path / "t.npy").given.tolist() == [0, 1]
    np.save(tmp_path / "t.npy", np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"array float64 of shape \(3, 2\), without labels"):
        read(tmp_path / "t.npy")


def test_inputs_without_labels(tmp_path):
    path = written(tmp_path / "t.csv", "id,a,b\np,1,x\nq,2,y\n")
    inputs, ids = read_inputs(path, Roles(label="kind"))
    assert inputs.names == ("a", "b")
    assert ids.tolist() == ["p", "q"]


def test_sheets_that_are_left_out_are_told(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (("a", "label"), (1, "x"), (2, "y")):
        book.active.append(row)
    book.create_sheet("notes").append(["x"])
    book.save(tmp_path / "t.xlsx")
    with pytest.warns(UserWarning, match="read the sheet 'Sheet'; not 'notes'"):
        assert read(tmp_path / "t.xlsx").n == 2


def test_what_unpacks_to_far_too_much_is_refused(tmp_path, monkeypatch):
    import gzip
    import zipfile

    text = b"a,label\n" + b"1,x\n" * 100_000
    monkeypatch.setattr(packed, "SURELY_FINE", 10_000)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", text)
    for name in ("t.csv.gz", "t.zip", "t.xlsx"):
        with pytest.raises(ValueError, match=r"unpack to more than .* Unpack it yourself"):
            read_frame(tmp_path / name)


CELLS = st.one_of(
    st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1)
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(CELLS, CELLS, st.text("abc", min_size=1)), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
)
def test_texts_come_back_from_any_separator(tmp_path, rows, separator):
    frame = pl.DataFrame(rows, {"one": pl.String, "two": pl.String, "x": pl.String}, orient="row")
    path = tmp_path / "t.csv"
    frame.write_csv(path, separator=separator)
    # no apostrophe goes before a formula here, so that none may come off
    plain = frame.with_columns(pl.all().str.replace(r"^'('*[=+\-@＝＋－＠\t\r\n])", "$1"))
    assert read_frame(path, separator).frame.equals(plain)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(-LARGEST, LARGEST), min_size=2, max_size=20))
def test_numbers_come_back_to_the_bit(tmp_path, numbers):
    frame = pl.DataFrame({"a": numbers, "label": ["xy"[k % 2] for k in range(len(numbers))]})
    frame.write_csv(tmp_path / "t.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(tmp_path / "t.csv").inputs[:, 0].tolist() == numbers
    peer = pandas.read_csv(tmp_path / "t.csv", float_precision="round_trip")["a"]
    assert peer.tolist() == numbers
