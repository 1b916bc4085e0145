"""Every kind of file with the same content gives the same data."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile

import numpy as np
import openpyxl
import pandas
import polars as pl
import pytest

import candidly
from candidly.data.ingest import Roles, read, read_frame

FRAME = pl.DataFrame(
    {
        "name": ["x1", "x2", "x3", "x4"],
        "height": [0.5, 2.0, -1e-7, 1234567.125],
        "kind": ["ant|bee", "bee", "ant | cat", "cat"],
        "width": [1, 2, 3, 40],
        "truth": ["ant", "bee", None, "cat"],
    }
)
ARFF = """% a comment
@relation 'some insects'
@attribute name string
@attribute height real
@attribute 'kind' STRING
@attribute width integer
@attribute truth {ant, bee, 'cat'}
@data
x1,0.5,'ant|bee',1,ant
x2, 2.0 ,bee,2,bee
% another
x3,-1e-7,"ant | cat",3,?
'x4',1234567.125,cat,40,cat
"""


def csv(separator=",", end="\n"):
    return FRAME.write_csv(separator=separator, line_terminator=end).encode()


def xlsx():
    file = io.BytesIO()
    book = openpyxl.Workbook()
    for row in (FRAME.columns, *FRAME.rows()):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


FORMS = {
    "t.csv": lambda: csv(),
    "semicolons.csv": lambda: csv(";"),
    "tabs.csv": lambda: csv("\t"),
    "t.tsv": lambda: csv("\t"),
    "t.txt": lambda: csv(";", "\r\n"),
    "bom.csv": lambda: b"\xef\xbb\xbf" + csv(end="\r\n"),
    "utf16.csv": lambda: csv().decode().encode("utf-16"),
    "utf16be.csv": lambda: ("\ufeff" + csv().decode()).encode("utf-16-be"),
    "utf32.csv": lambda: csv().decode().encode("utf-32"),
    "mac.csv": lambda: csv(end="\r"),
    "open.csv": lambda: csv()[:-1],
    "empty-end.csv": lambda: csv() + b"\n,,,,\n\n",
    "empty-start.csv": lambda: b"\n\r\n" + csv(),
    "quoted.csv": lambda: FRAME.write_csv(quote_style="non_numeric").encode(),
    "t.jsonl": lambda: written(FRAME.write_ndjson),
    "t.ndjson": lambda: written(FRAME.write_ndjson),
    "t.json": lambda: written(FRAME.write_json),
    "columns.json": lambda: json.dumps(FRAME.to_dict(as_series=False), indent=1).encode(),
    "lines.json": lambda: written(FRAME.write_ndjson),
    "t.parquet": lambda: written(FRAME.write_parquet),
    "t.arrow": lambda: written(FRAME.write_ipc),
    "t.feather": lambda: written(FRAME.write_ipc),
    "stream.arrow": lambda: written(FRAME.write_ipc_stream),
    "t.xlsx": xlsx,
    "t.arff": ARFF.encode,
}
ROLES = Roles(label="kind", label_kind="one-of", id="name")


def expected():
    return candidly.from_arrays(
        np.array([[0.5, 1], [2, 2], [-1e-7, 3], [1234567.125, 40]]),
        candidates=[["ant", "bee"], ["bee"], ["ant", "cat"], ["cat"]],
        truth=["ant", "bee", None, "cat"],
        ids=["x1", "x2", "x3", "x4"],
    )


def packed(path, data, packing):
    if packing == ".gz":
        path = path.with_name(path.name + ".gz")
        path.write_bytes(gzip.compress(data))
    elif packing == ".zip":
        path = path.with_name(path.name + ".zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("__MACOSX/._" + path.stem, b"x")
            archive.writestr("inside/" + path.stem, data)
    else:
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("packing", ["", ".gz", ".zip"])
@pytest.mark.parametrize("name", FORMS)
def test_the_same_content_in_every_form(tmp_path, name, packing):
    path = packed(tmp_path / name, FORMS[name](), packing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read(path, ROLES)
    wanted = expected()
    assert data.source == path.name
    assert data.fingerprint() == wanted.fingerprint()
    assert data.classes == wanted.classes
    assert data.ids.tolist() == wanted.ids.tolist()
    form = read_frame(path).form
    assert form.compression == packing
    assert form.member == (f"inside/{name}" if packing == ".zip" else "")


@pytest.mark.parametrize(
    "make", [lambda f: f, lambda f: pandas.DataFrame(f.to_dict(as_series=False))]
)
def test_data_frames(make):
    data = candidly.read(make(FRAME), label="kind", id="name")
    assert data.fingerprint() == expected().fingerprint()
    assert data.ids.tolist() == expected().ids.tolist()


def test_how_a_file_was_written_is_kept(tmp_path):
    for name, what in {
        "semicolons.csv": (".csv", ";", "utf-8", "\n"),
        "t.tsv": (".tsv", "\t", "utf-8", "\n"),
        "t.txt": (".txt", ";", "utf-8", "\r\n"),
        "bom.csv": (".csv", ",", "utf-8-sig", "\r\n"),
        "utf16.csv": (".csv", ",", "utf-16-le", "\n"),
        "utf16be.csv": (".csv", ",", "utf-16-be", "\n"),
    }.items():
        (tmp_path / name).write_bytes(FORMS[name]())
        form = read_frame(tmp_path / name).form
        assert (form.format, form.separator, form.encoding, form.newline) == what


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_encodings_are_assumed_and_said(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes("a,label\n1,Käse\n2,Brot\n".encode(encoding))
    with pytest.warns(UserWarning, match=r"line 2 is not in UTF-8 \(byte 0xe4\); read as cp1252"):
        data = read(path)
    assert data.classes == ("Brot", "Käse")


def test_text_columns_stand_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,b,c\n007," x ",1.50\n008,,"say ""hi"", you"\n')
    frame = read_frame(path).frame
    assert frame.rows() == [("007", " x ", "1.50"), ("008", None, 'say "hi", you')]
    peers = pandas.read_csv(path, dtype=str)
    assert peers.astype(object).where(peers.notna(), None).values.tolist() == [
        list(row) for row in frame.rows()
    ]
