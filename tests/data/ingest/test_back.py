"""The user's file back: the same with two columns more, or a sentence that says why not."""

from __future__ import annotations

import csv
import gzip
import io
import warnings
import zipfile
from dataclasses import replace

import polars as pl
import pytest

from candidly.data.ingest import (
    Form,
    Origin,
    Roles,
    check_origin,
    corrected_columns,
    label_column,
    labels_in,
    origin_of,
    read_frame,
    write_back,
)

TEXT = 'id,kind,price,when\n007,"cat, big",1.10,2024-01-05\n008,dog,,05.01.2024\n009,,2.0,\n'
LABELS = ["dog", None, None]
BY = ["corrected", "pruned", "unflagged"]
COLUMNS = {"kind corrected": LABELS, "kind corrected by": BY}


def two(labels, by):
    return {"kind corrected": labels, "kind corrected by": by}


def a_file(path, text: str = TEXT, encoding: str = "utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_of_a_csv_file_two_columns_are_more_and_nothing_else_differs(tmp_path):
    sheet = read_frame(a_file(tmp_path / "pets.csv"))
    write_back(sheet, COLUMNS, tmp_path / "out.csv", "kind")
    assert (tmp_path / "out.csv").read_text() == (
        "id,kind,kind corrected,kind corrected by,price,when\n"
        '007,"cat, big","dog","corrected",1.10,2024-01-05\n'
        "008,dog,,pruned,,05.01.2024\n009,,,unflagged,2.0,\n"
    )
    assert (tmp_path / "pets.csv").read_text() == TEXT
    again = read_frame(tmp_path / "out.csv").frame
    assert again["kind corrected"].to_list() == LABELS
    assert again.drop(list(COLUMNS)).equals(sheet.frame)


@pytest.mark.parametrize("compression", ["", ".gz", ".zip"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16-le"])
@pytest.mark.parametrize(("separator", "newline"), [(",", "\n"), (";", "\r\n"), ("\t", "\r\n")])
def test_the_form_stays(tmp_path, separator, newline, encoding, compression):
    text = TEXT.replace(",", separator).replace("\n", newline).replace("dog", "dög")
    marked = ("\ufeff" if encoding.startswith("utf-16") else "") + text
    data, path = marked.encode(encoding), tmp_path / f"pets.csv{compression}"
    if compression == ".gz":
        path.write_bytes(gzip.compress(data))
    elif compression == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("in.csv", data)
    else:
        path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of an encoding that was assumed
        sheet = read_frame(path)
    assert sheet.form == Form(
        ".csv", separator, encoding, newline, compression, "in.csv" if ".zip" in path.name else ""
    )
    out = tmp_path / f"out.csv{compression}"
    write_back(sheet, COLUMNS, out, "kind")
    made = out.read_bytes()
    if compression == ".gz":
        made = gzip.decompress(made)
    elif compression == ".zip":
        with zipfile.ZipFile(out) as archive:
            made = archive.read("in.csv")
    assert made[:3] == data[:3]
    found = made.decode(encoding).removeprefix("\ufeff")
    assert found.count("\r") == text.count("\r")
    rows = list(csv.reader(io.StringIO(found, newline=""), delimiter=separator))
    assert rows[2][:4] == ["008", "dög", "", "pruned"]
    assert [row[:2] + row[4:] for row in rows] == list(
        csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    )


def test_lines_of_json(tmp_path):
    text = '{"id": "007", "kind": "cat", "x": 1.10}\n{"id": "008", "kind": "dog", "x": 2}\n'
    sheet = read_frame(a_file(tmp_path / "pets.jsonl", text))
    write_back(sheet, two(["dog", "dog"], BY[:2]), tmp_path / "o.jsonl", "kind")
    lines = (tmp_path / "o.jsonl").read_text().splitlines()
    assert lines[0] == (
        '{"id": "007", "kind": "cat", "x": 1.10, "kind corrected": "dog", "kind corrected by":'
        ' "corrected"}'
    )


ARFF = (
    "% pets\r\n@relation pets\r\n@attribute size numeric\r\n"
    "@attribute 'kind' {cat,'big dog'}\r\n@attribute note string\r\n\r\n@data\r\n"
    "1.50, 'big dog' ,\"a, b\"\r\n% two\r\n2,cat,?\r\n03,?,'x'"
)


def test_arff(tmp_path):
    path, out = a_file(tmp_path / "pets.arff", ARFF), tmp_path / "out.arff"
    sheet = read_frame(path)
    write_back(sheet, two(["cat", None, "it's"], BY), out, "kind")
    lines = out.read_bytes().decode().split("\r\n")
    assert lines[3:6] == [
        "@attribute 'kind' {cat,'big dog'}",
        "@attribute 'kind corrected' string",
        "@attribute 'kind corrected by' string",
    ]
    assert lines[-4:] == [
        "1.50, 'big dog' ,'cat','corrected',\"a, b\"",
        "% two",
        "2,cat,?,'pruned',?",
        "03,?,'it\\'s','unflagged','x'",
    ]
    found = read_frame(out).frame
    assert found.drop(list(COLUMNS)).equals(sheet.frame)
    assert found["kind corrected"].to_list() == ["cat", None, "it's"]
    a_file(path, ARFF + "\r\n4,cat,?")
    with pytest.raises(ValueError, match="more than 3 rows"):
        write_back(sheet, COLUMNS, out, "kind")


def test_a_stream_of_arrow_stays_one(tmp_path):
    frame = pl.DataFrame({"kind": ["cat", "dog", None]})
    frame.write_ipc_stream(tmp_path / "pets.arrow")
    write_back(read_frame(tmp_path / "pets.arrow"), COLUMNS, tmp_path / "out.arrow", "kind")
    assert pl.read_ipc_stream(tmp_path / "out.arrow").columns == ["kind", *COLUMNS]


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather"])
def test_columns_with_types_keep_them(tmp_path, ending):
    frame = pl.DataFrame({"kind": ["cat", "dog", None], "n": [1, 2, 3], "x": [[1], [], None]})
    path, out = tmp_path / f"pets{ending}", tmp_path / f"out{ending}"
    read = pl.read_parquet if ending == ".parquet" else pl.read_ipc
    frame.write_parquet(path) if ending == ".parquet" else frame.write_ipc(path)
    write_back(read_frame(path), COLUMNS, out, "kind")
    found = read(out)
    assert found.columns == ["kind", "kind corrected", "kind corrected by", "n", "x"]
    assert found.drop(list(COLUMNS)).equals(frame)
    assert found["kind corrected"].to_list() == LABELS


def test_a_sheet_keeps_its_formulas_and_styles(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["kind", "n", "twice"], ["cat", 1, "=B2*2"], ["dog", 2, "=B3*2"], ["", 3, None]):
        book.active.append(row)
    book.active["A2"].font = openpyxl.styles.Font(bold=True)
    book.save(tmp_path / "pets.xlsx")
    sheet = read_frame(tmp_path / "pets.xlsx")
    columns = two(["=cmd()", "dog", None], BY)
    write_back(sheet, columns, tmp_path / "out.xlsx", "kind")
    page = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert [cell.value for cell in page[1]] == ["kind", "n", "twice", *columns]
    assert page["C2"].value == "=B2*2"
    assert page["C2"].data_type == "f"
    assert page["D2"].data_type == "s"  # a text that looks like a formula is none
    assert page["A2"].font.bold
    assert page["D3"].value == "dog"
    assert page["D4"].value is None


def test_a_sheet_that_begins_further_down_and_right(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row, cells in enumerate((("n", "kind"), (1, "cat"), (2, None), (3, "dog")), 3):
        for column, value in enumerate(cells, 2):
            book.active.cell(row, column, value)
    book.save(tmp_path / "pets.xlsx")
    sheet = read_frame(tmp_path / "pets.xlsx")
    write_back(sheet, COLUMNS, tmp_path / "out.xlsx", "kind")
    found = read_frame(tmp_path / "out.xlsx").frame
    assert found.select(sheet.frame.columns).equals(sheet.frame)
    assert found.select(list(COLUMNS)).to_dict(as_series=False) == COLUMNS


def test_twice_is_refused(tmp_path):
    path = a_file(tmp_path / "pets.csv")
    write_back(read_frame(path), COLUMNS, tmp_path / "out.csv", "kind")
    with pytest.raises(ValueError, match="'kind corrected' already, so it was corrected before"):
        write_back(read_frame(tmp_path / "out.csv"), COLUMNS, tmp_path / "more.csv", "kind")
    assert not (tmp_path / "more.csv").exists()


def test_never_onto_the_file_itself_unless_told(tmp_path):
    path = a_file(tmp_path / "pets.csv")
    (tmp_path / "same.csv").symlink_to(path)
    for out in (path, tmp_path / "same.csv"):
        with pytest.raises(ValueError, match="`overwrite=True`"):
            write_back(read_frame(path), COLUMNS, out, "kind")
    assert path.read_text() == TEXT
    write_back(read_frame(path), COLUMNS, path, "kind", overwrite=True)
    assert "kind corrected" in path.read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pets.csv", "same.csv"]


def test_what_is_refused(tmp_path):
    path = a_file(tmp_path / "pets.csv")
    sheet, out = read_frame(path), tmp_path / "out.csv"
    with pytest.raises(ValueError, match=r"must end in \.csv, as pets.csv does"):
        write_back(sheet, COLUMNS, tmp_path / "out.tsv", "kind")
    with pytest.raises(ValueError, match="2 cells of 'kind corrected' for 3 rows"):
        write_back(sheet, two(LABELS[:2], BY[:2]), out, "kind")
    latin = replace(sheet, form=replace(sheet.form, encoding="latin-1"))
    with pytest.raises(ValueError, match="latin-1, which has no '猫'; save it in UTF-8"):
        write_back(latin, two(["猫", None, None], BY), out, "kind")
    a_file(path, TEXT.replace("dog", "owl"))
    with pytest.raises(ValueError, match=r"changed since it was read.*differs at row 1"):
        write_back(sheet, COLUMNS, out, "kind")
    assert not out.exists()


def test_another_table_is_refused(tmp_path):
    path = a_file(tmp_path / "pets.csv")
    origin = Origin.from_json(origin_of(read_frame(path), "kind").to_json())
    assert (origin.file, origin.label, origin.rows) == ("pets.csv", "kind", 3)
    check_origin(read_frame(path), origin)
    rows = TEXT.splitlines(keepends=True)
    others = {
        "holds other cells": [
            TEXT.replace("1.10", "1.1"),
            "".join([rows[0], rows[2], rows[1], rows[3]]),
            TEXT.replace("008,dog", "00,8dog"),
        ],
        "has 2 rows": ["".join(rows[:3])],
        "has no column 'price'": [TEXT.replace("price", "cost")],
    }
    for match, texts in others.items():
        for text in texts:
            with pytest.raises(ValueError, match=match):
                check_origin(read_frame(a_file(tmp_path / "other.csv", text)), origin)
    more = "".join(line.replace("\n", ",x\n") for line in rows)  # a column of their own
    check_origin(read_frame(a_file(tmp_path / "more.csv", more)), origin)
    write_back(read_frame(path), COLUMNS, tmp_path / "out.csv", "kind")
    assert origin_of(read_frame(tmp_path / "out.csv"), "kind").digest == origin.digest


def test_the_column_of_labels(tmp_path):
    sheet = read_frame(a_file(tmp_path / "pets.csv"))
    assert label_column(sheet, Roles(label="kind")) == "kind"
    for roles, match in ((Roles(), "[Ss]ay with `label`"), (Roles(label="knd"), "no column 'knd'")):
        with pytest.raises(ValueError, match=match):
            label_column(sheet, roles)
    with pytest.raises(ValueError, match="no column 'x'"):
        origin_of(sheet, "x")


def test_corrected_labels_are_written_as_the_file_writes_them(tmp_path):
    sheet = read_frame(a_file(tmp_path / "a.csv", "id,kind\n1,cat\n2,\n3,dog\n4,cat\n"))
    classes = ("cat", "dog")
    assert labels_in(sheet, "kind", classes).tolist() == [0, -1, 1, 0]
    made = corrected_columns(sheet, "kind", classes, [1, -1, 1, 0], list("abcd"))
    assert made == two(["dog", None, "dog", "cat"], list("abcd"))
    with pytest.raises(ValueError, match="has 'dog' at row 2, which is not among the classes"):
        labels_in(sheet, "kind", classes[:1])
    numbers = read_frame(a_file(tmp_path / "b.csv", "kind\n1.0\n0\n2\n"))
    digits = ("0", "1", "2", "3")
    made = corrected_columns(numbers, "kind", digits, [1, 3, -1], BY)
    assert made == two(["1.0", "3", None], BY)
    named = corrected_columns(numbers, "kind", ("a", "b", "c"), [1, 0, -1], BY)
    assert named == two(["b", "a", None], BY)
