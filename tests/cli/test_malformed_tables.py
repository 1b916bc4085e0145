"""Tables, archives and folders that are not right: one sentence with the place and what to do."""

from __future__ import annotations

import gzip
import io
import zipfile

import openpyxl
import polars as pl
import pytest
from PIL import Image

ROWS = "".join(f"x{k},{k * 7 % 23 / 2},{'abc'[k % 3]}\n" for k in range(60))
GOOD = "id,size,label\n" + ROWS


def table(*lines):
    return ("\n".join(lines) + "\n").encode()


def zipped(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return packed.getvalue()


def workbook(merged="", rows=((("a", "label")), (1, "x"), (2, "y"))):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if merged:
        book.active.merge_cells(merged)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def dates(k):
    return f"2024-0{1 + k % 9}-1{k % 7}"


BAD = {  # file, what it holds, options, what the sentence has
    "no gzip": ("t.csv.gz", GOOD.encode(), "", "is no gzip file, or a damaged one. If it is not"),
    "half a gzip": ("t.csv.gz", gzip.compress(GOOD.encode())[:-20], "", "damaged one"),
    "gzip of nothing": ("t.csv.gz", gzip.compress(b""), "", "is empty"),
    "gzip of what": ("t.gz", gzip.compress(GOOD.encode()), "", "must end in one of .csv"),
    "no zip": ("t.csv.zip", GOOD.encode(), "", "is no zip archive, or a damaged one"),
    "two tables": ("t.zip", zipped(a_csv=GOOD, b_csv=GOOD), "",
                   "holds 2 tables (a.csv, b.csv); pack exactly one"),
    "no table": ("t.zip", zipped(a_doc=GOOD), "", "holds no tables (a.doc)"),
    "an empty one": ("t.zip", zipped(a_csv=""), "", "holds an empty a.csv"),
    "named otherwise": ("t.csv", gzip.compress(GOOD.encode()), "", "is a gzip file (.gz)"),
    "a workbook as csv": ("t.csv", workbook(), "", "is a zip archive or a workbook (.zip, .xlsx)"),
    "parquet as csv": ("t.csv", b"PAR1", "", "is a Parquet file"),
    "old Excel": ("t.csv", b"\xd0\xcf\x11\xe0\xa1\xb1", "", "has to be saved as .xlsx"),
    "an ending": ("t.xls", b"\xd0\xcf\x11\xe0", "", "must end in"),
    "nothing": ("t.csv", b"", "", "is empty"),
    "blank lines": ("t.csv", b"\n \n\n", "", "first line must name the columns"),
    "no rows": ("t.csv", b"id,size,label\n", "", "it has no rows below its header"),
    "bytes": ("t.csv", b"a,label\n\x00\x01,x\n", "", "line 2 has a byte 0, so it is no text"),
    "half of UTF-16": ("t.csv", "a,label\n1,x\n".encode("utf-16")[:-1], "", "text in utf-16-le"),
    "marked wrongly": ("t.csv", b"\xef\xbb\xbfa,label\n1,\xe9\n", "",
                       "marked as UTF-8, and line 2 is not"),
    "no names": ("t.csv", table("1.5,2", "3,4"), "", "first line holds numbers (1.5, 2)"),
    "a name twice": ("t.csv", table("a,a,label", "1,2,x"), "",
                     "two columns are called 'a', number 1 and number 2"),
    "a name missing": ("t.csv", table("a,,label", "1,2,x"), "", "column number 2 has no name"),
    "separators at ends": ("t.csv", table("a,label,", "1,x,", "2,y,"), "",
                           "take out the separators at the ends of lines"),
    "a short line": ("t.csv", table("a,b,label", "1,2,x", "3,4"), "",
                     "line 3 has 2 cells, and the first line has 3"),
    "a long line": ("t.csv", table("a,label", "1,x", "2,y,z"), "",
                    "line 3 has 3 cells, and the first line has 2"),
    "mixed separators": ("t.csv", table("a,b,label", "1,2,x", "3,4,y", "5;6;z"), "",
                         "line 4 has 1 cell, and the first line has 3: it is separated by semi"),
    "two separators": ("t.csv", table("a,b;c", "1,2;3"), "",
                       "could be separated by commas or semicolons. Say which with --separator"),
    "a wrong separator": ("t.csv", GOOD.encode(), "--separator ;", "columns id,size,label"),
    "a long separator": ("t.csv", GOOD.encode(), "--separator ::", "--separator is '::'; give one"),
    "an open quote": ("t.csv", table("a,label", '1,"x', "2,y"), "",
                      "the quotes of line 2 are not balanced"),
    "behind a quote": ("t.csv", table("a,label", "0,x", '1,"x" y', "2,y"), "",
                       "the quotes of line 3 are not balanced"),
    "a quote inside": ("t.csv", table("a,label", '5" x,x', "2,y"), "",
                       "line 2 has a quote inside a cell; write it twice"),
    "an empty line": ("t.csv", table("a,label", "1,x", "", "2,y"), "", "row 1 is empty"),
    "ids twice": ("t.csv", table("id,a,label", "p,1,x", "p,2,y"), "",
                  "'p' at row 0 and again at row 1"),
    "ids missing": ("t.csv", table("id,a,label", "p,1,x", ",2,y"), "",
                    "column 'id' is empty at row 1. Give each row a name"),
    "an unknown column": ("t.csv", GOOD.encode(), "--label lable", "no column 'lable' (--label)"),
    "a column twice": ("t.csv", GOOD.encode(), "--label label --id label", "is named twice"),
    "texts and pictures": ("t.csv", GOOD.encode(), "--text id --image size", "--text and --image"),
    "dropped unknown": ("t.csv", GOOD.encode(), "--drop nothing", "no column 'nothing' (--drop)"),
    "no label": ("t.csv", GOOD.replace("label", "kind").encode(), "",
                 "has the columns id, size, kind. Needed"),
    "two labels": ("t.csv", table("a,label,given", "1,x,x", "2,y,y"), "",
                   "columns 'label' and 'given' hold labels by their names. Say which"),
    "only labels": ("t.csv", table("id,label", "p,x", "q,y"), "", "it has no column of inputs"),
    "only empty": ("t.csv", table("a,id,label", ",p,x", ",q,y"), "",
                   "it has no column of inputs with a value"),
    "labels of floats": ("t.csv", table("a,label", "1,1.5", "2,2.5"), "",
                         "column 'label' has 1.5 at row 0; labels are names or whole"),
    "labels of dates": ("t.csv", table("a,label", *(f"{k},{dates(k)}" for k in range(30))), "",
                        "column 'label' holds dates such as '2024-01-10', and no classes"),
    "dates in parquet": ("t.parquet", pl.DataFrame({"a": [1, 2], "day": [1, 2]}).with_columns(
        pl.col("day").cast(pl.Date)), "--label day", "column 'day' holds dates or times"),
    "10,000 classes": ("t.csv", table("a,label", *(f"{k % 7},n{k}" for k in range(10_000))), "",
                       "column 'label' has 10,000 different labels in 10,000 rows"),
    "one class": ("t.csv", table("a,label", "1,x", "2,x"), "",
                  "every label is 'x'; there must be two different ones"),
    "no labels": ("t.csv", table("a,b,label", "1,2,", "3,4,"), "",
                  "column 'label' is empty in every row"),
    "a foreign list": ("t.csv", table("a,label", "1,\"x,y\"", "2,y"), "",
                       "column 'label' has 'x,y' at row 0, which looks like a list"),
    "a copy": ("t.csv", ("id,size,code,label\n" + "".join(
        f"x{k},{k % 11},{10 + k % 3},{'abc'[k % 3]}\n" for k in range(60))).encode(), "",
        "column 'code' copies the label: each of its 3 values goes with one label of 'label' in all"
        " 60 rows. Leave it out with --drop code"),
    "merged cells": ("t.xlsx", workbook("A2:A3"), "", "the cells A2:A3 are merged"),
    "no workbook": ("t.xlsx", b"PK\x03\x04 and nothing", "", "is no .xlsx workbook"),
    "an empty sheet": ("t.xlsx", workbook(rows=()), "", "the sheet 'Sheet' is empty"),
    "lines of other things": ("t.jsonl", b'{"a": 1, "label": "x"}\n[1]\n', "",
                              "line 2 is no object in JSON"),
    "objects": ("t.jsonl", b'{"a": {"b": 1}, "label": "x"}\n', "", "column 'a' holds objects"),
    "no parquet": ("t.parquet", b"PAR1 and nothing", "", "is no Parquet file"),
    "no arrow": ("t.arrow", b"ARROW1 and nothing", "", "is no Arrow file"),
    "sparse": ("t.arff", b"@relation r\n@attribute a real\n@data\n{0 1}\n", "",
               "line 4 is sparse"),
    "ARFF without data": ("t.arff", b"@relation r\n@attribute a real\n", "", "it has no @data"),
    "ARFF, an unknown value": ("t.arff", b"@attribute a real\n@attribute label {x,y}\n@data\n1,z\n",
                               "", "column 'label' has 'z' at row 0, not one of its values"),
    "ARFF, a word": ("t.arff", b"@attribute a real\n@attribute label {x,y}\n@data\n?,x\nu,y\n", "",
                     "column 'a' has 'u' at row 1, not a number"),
    "ARFF, a short line": ("t.arff", b"@attribute a real\n@attribute label {x,y}\n@data\n1\n", "",
                           "line 4 has 1 cells, and there are 2 attributes"),
    "a plain array": ("t.npy", b"\x93NUMPY", "", "is no .npy file"),
    "columns of arrays": ("t.npz", b"PK", "--label y", "t.npz, a file of arrays. Leave it out"),
    "no picture there": ("t.csv", table("path,label", "a.png,x", "b.png,y"), "",
                         "there is no file"),
    "an answer a row": ("t.csv", table("item,annotator,label,size", "i,ann,x,1", "i,bob,y,2"), "",
                        "column 'size' differs between answers about item 'i'. Leave it out"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_one_sentence_with_the_place_and_what_to_do(candidly, tmp_path, case):
    name, holds, options, told = BAD[case]
    path = tmp_path / name
    if isinstance(holds, pl.DataFrame):
        holds.write_parquet(path)
    else:
        path.write_bytes(holds)
    status, out, err = candidly("data", "describe", path, *options.split())
    assert (status, out) == (2, "")
    assert err.startswith("candidly: error: ")
    assert err.count("\n") == 1, err
    assert told in err
    assert "Traceback" not in err
    if not options.startswith("--separator ::") and "named twice" not in err:
        assert name in err or "--text" in err


def test_the_good_one_is_read(candidly, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    status, out, err = candidly("data", "describe", tmp_path / "t.csv")
    assert (status, err) == (0, "")
    assert "60" in out


def folder(place, **pictures):
    for name, holds in pictures.items():
        path = place / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        if holds is None:
            Image.new("L", (4, 4), 7).save(path)
        else:
            path.write_bytes(holds)
    return place


FOLDERS = {
    "alone": ({"c_png": None}, "no subfolders of pictures; one of pictures has"),
    "one class": ({"cat__a_png": None}, "is a folder with 1 subfolder of pictures; one of"),
    "nothing": ({}, "without pictures that can be read, with nothing"),
    "texts": ({"cat__b_txt": b"x"}, "without pictures that can be read, with cat/ in"),
    "text named so": ({"cat__a_png": b"x", "dog__b_png": b"<html>"}, "a.png cannot be read as"),
    "hidden": ({"cat__a_png": None, "dog___DS_Store": b"x"}, "is a folder with 1 subfolder"),
    "many damaged": (
        {f"{'cat' if k % 2 else 'dog'}__{k}_png": b"" if k < 11 else None for k in range(20)},
        "has 20 pictures, of which 11 would be left out, and at most 10 are (10, or one in 10): 11",
    ),
    "many others": (
        {"cat__a_png": None, "dog__b_png": None} | {f"n{k}_txt": b"x" for k in range(11)},
        "has 2 pictures, and more files of other kinds: 11 files that are no pictures (n0.txt, n1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDERS)
def test_folders_that_are_not_right(candidly, tmp_path, case):
    pictures, told = FOLDERS[case]
    place = tmp_path / "pictures"
    place.mkdir()
    folder(place, **{name: holds for name, holds in pictures.items() if name != "dog__"})
    status, out, err = candidly("data", "describe", place)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
