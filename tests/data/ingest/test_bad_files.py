"""Files that hold nothing, or not what their names say: refused with what to do, memory spared."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import polars as pl
import pytest

import candidly
from candidly.data.ingest.labels import read_labels
from candidly.data.ingest.predictions import read_predictions
from candidly.data.ingest.probabilities import open_source
from candidly.ground.process import peak_memory_bytes

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n"
TABLES = ["t.csv", "t.parquet", "t.jsonl", "t.arff", "t.xlsx", "t.csv.gz", "t.zip"]
DOORS = [candidly.read, read_labels, open_source, read_predictions]


@pytest.mark.parametrize(
    ("name", "door"),
    [
        *((name, door) for name in (*TABLES, "t.npy") for door in DOORS),
        *(("t.npz", door) for door in DOORS[:3]),
        ("t.mat", candidly.read),
    ],
)
def test_an_empty_file_and_a_pointer(tmp_path, name, door):
    path = tmp_path / name
    path.touch()
    with pytest.raises(ValueError, match="is empty"):
        door(path)
    path.write_text(POINTER)
    with pytest.raises(ValueError, match=r"is a pointer.*`git lfs pull`"):
        door(path)


def test_two_equal_columns_of_parquet(tmp_path):
    file = io.BytesIO()
    pl.DataFrame({"aa": [0.5, 0.5], "ab": [0.5, 0.5]}).write_parquet(file)
    (tmp_path / "t.parquet").write_bytes(file.getvalue().replace(b"ab", b"aa"))
    for door in DOORS:
        with pytest.raises(ValueError, match="two of its columns have one name 'aa'"):
            door(tmp_path / "t.parquet")


@pytest.mark.parametrize("ending", [".gz", ".zip"])
def test_what_grows_is_refused_before_memory_is_spent(tmp_path, ending):
    """Ones and commas: 200 MB of text are 200 kB packed, and were 3 GB of cells."""
    path = tmp_path / f"t.csv{ending}"
    chunk = b"1," * 2**19 + b"1\n"
    if ending == ".gz":
        with gzip.open(path, "wb", 1) as file:
            file.writelines([chunk] * 100)
    else:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("t.csv", "w") as file,
        ):
            file.writelines([chunk] * 100)
    before = peak_memory_bytes()
    with pytest.raises(ValueError, match="unpack to more than"):
        candidly.read(path)
    assert peak_memory_bytes() - before < 2**28


def test_columns_that_repeat_one_value(tmp_path):
    n = 2**24
    column = pl.Series([0], dtype=pl.Int8).new_from_index(0, n)
    frame = pl.DataFrame({f"c{k}": column for k in range(9)})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=n)
    before = peak_memory_bytes()
    with pytest.raises(ValueError, match="become columns of 1,207,959,552"):
        read_labels(tmp_path / "t.parquet")
    assert peak_memory_bytes() - before < 2**28


def test_lists_of_lists(tmp_path):
    frame = pl.DataFrame({"x": [1.0, 2.0], "label": [None, [["a"], ["b"]]]})
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text(
        '{"x": 1, "label": null}\n{"x": 2, "label": [["a"], ["b"]]}\n'
    )
    for name in ("t.parquet", "t.jsonl"):
        for door in (candidly.read, read_labels):
            with pytest.raises(ValueError, match=r"at row 1, a list of lists"):
                door(tmp_path / name)
    with pytest.raises(ValueError, match="at row 0"):
        candidly.from_arrays(np.ones((2, 2)), given=[[["a"]], [["b"]]])
