"""``candidly bench records``, through the same door as a user."""

from __future__ import annotations

import io

import polars as pl
import pytest

from candidly.compare.sweep.journal import read_results

from small_sweeps import make_directory

ASKED = ["PRODEN", "CC:plench"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "runs"
    make_directory(path, ASKED, lambda run, step: step / 10_000, finished=lambda run: run.split)
    return path


def test_parquet_in_a_file_is_the_frame(candidly, folder, tmp_path):
    expected = read_results(folder).frame()
    assert len(expected) == (3 + 1) + (4 + 1)  # the released program records its first update, too
    status, out, err = candidly("bench", "records", folder, "--out", "records.parquet")
    assert (status, out) == (0, "")
    assert "9 records of 4 runs" in err
    assert pl.read_parquet(tmp_path / "records.parquet").equals(expected)


def test_csv_is_read_back(candidly, folder, tmp_path):
    assert candidly("bench", "records", folder, "--out", "records.csv")[0] == 0
    expected = read_results(folder).frame()
    again = pl.read_csv(tmp_path / "records.csv", schema=expected.schema)
    assert again.equals(expected)


def test_without_out_it_is_csv_on_stdout(candidly, folder):
    status, out, _ = candidly("bench", "records", folder, "--algorithms", "proden")
    assert status == 0
    table = pl.read_csv(io.StringIO(out))
    assert table["algorithm"].to_list() == ["PRODEN"] * 4
    assert table["test.top1"].to_list()[0] == pytest.approx(0.1)


def test_names_that_a_spreadsheet_would_compute_are_texts(candidly, tmp_path):
    make_directory(tmp_path / "odd", ["CC"], lambda run, step: 0.5, dataset="=1+1")
    out = candidly("bench", "records", tmp_path / "odd")[1]
    assert pl.read_csv(io.StringIO(out))["dataset"].unique().to_list() == ["'=1+1"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--format", "parquet"), "--out FILE"),
        (("--format", "parket", "--out", "x"), "parquet"),
        (("--out", "records.txt"), "--format"),
        (("--algorithms", "PRODENN"), "did you mean 'PRODEN'"),
    ],
)
def test_what_cannot_be_is_said(candidly, folder, words, told, tmp_path):
    status, out, err = candidly("bench", "records", folder, *words)
    assert (status, out) == (2, "")
    assert told in err
    assert not list(tmp_path.glob("records*"))
