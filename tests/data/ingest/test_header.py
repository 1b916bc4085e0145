"""Whether line 1 names the columns: one rule, shown, overridable, held against every partner."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candidly
from candidly.data.ingest import Roles, read_frame
from candidly.data.ingest._header import FirstLine, decided
from candidly.data.ingest.label_parts import labels_beside
from candidly.data.ingest.labels import label_numbers, read_labels, read_names
from candidly.data.ingest.predictions import read_predictions
from candidly.data.ingest.probabilities import open_source
from candidly.data.ingest.seen import read_mask

SOURCE = Path(candidly.__file__).parent


def named(text: str, **known) -> bool:
    """What the rule says of a small table with commas."""
    rows = [line.split(",") for line in text.split("\n")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return decided(rows, FirstLine(**known), lambda: len(rows)).names


@pytest.mark.parametrize(
    ("text", "known", "want"),
    [
        ("0,1,2\n0.2,0.3,0.5\n0.1,0.1,0.8", {}, True),  # pandas calls columns by numbers
        ("0,1\n0.2,0.8\n0.1,0.9", {}, True),
        ("0,1\n0.2,0.8\n0.1,0.9", {"n": 3}, False),
        ("1,2,3\n0.2,0.3,0.5\n0.1,0.1,0.8", {}, True),
        ("3,7,9\n0.2,0.3,0.5\n0.1,0.1,0.8", {}, True),
        ("1,0,0\n0.2,0.3,0.5\n0.1,0.1,0.8", {}, False),
        ("0.1,0.2,0.7\n0.2,0.3,0.5", {}, False),
        (",0,1\n0,0.2,0.8\n1,0.1,0.9", {}, True),
        ("0\n1\n0\n1", {"n": 3}, True),
        ("0\n1\n0\n1", {"n": 4}, False),
        ("0\n1\n0\n1", {}, False),
        ("0\ncat\ndog", {}, True),
        ("cat\ndog\ncat", {}, False),  # it stands again
        ("kind\ndog\ncat\ndog", {}, True),
        ("cat\ndog\ncow", {"cells": ["cat"]}, False),
        ("label\n1\n2", {"n": 3}, True),  # three lines, and none but two can be labels
        ("?,3\n4,5\n6,7", {}, False),
        ("id,kind\na,cat\nb,dog", {}, True),
        ("a,cat\nb,dog\nc,cat", {}, False),
        ("country,1990,1991\nMali,3,4", {"needed": True}, True),
        ("p,q\n1,2", {"said": "no"}, False),
        ("1.5,2\n3,4", {"said": "yes"}, True),
    ],
)
def test_the_rule(text, known, want):
    assert named(text, **known) is want


def test_data_in_the_first_line_of_a_table_is_no_name(tmp_path):
    """As most files of the UCI repository begin: the first row was lost in silence."""
    rows = ["5.1,3.5,Iris-setosa", "4.9,3.0,Iris-setosa", "6.4,3.2,Iris-versicolor"]
    path = tmp_path / "iris.csv"
    path.write_text("\n".join(rows * 5) + "\n")
    with pytest.raises(ValueError, match=r"looks like data.*`header='no'`"):
        read_frame(path)
    read = candidly.read(path, label="column_3", header="no")
    assert read.n == 15
    assert read.classes == ("Iris-setosa", "Iris-versicolor")
    path.write_text("vhigh,low,unacc\nlow,low,acc\nvhigh,high,unacc\nhigh,low,acc\n")
    with pytest.raises(ValueError, match="stands in other rows, too"):
        read_frame(path)
    assert read_frame(path, header=Roles(header="yes").table()).frame.columns[0] == "vhigh"


def test_headers_are_yes_no_or_auto():
    with pytest.raises(ValueError, match="`header` is 'maybe'; give one of auto, yes, no"):
        Roles(header="maybe")


@settings(deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda m: st.lists(
            st.lists(st.floats(0.01, 1), min_size=m, max_size=m), min_size=2, max_size=8
        )
    ),
    st.booleans(),
)
def test_what_pandas_writes_is_read_as_it_was(tmp_path_factory, rows, index):
    """Probabilities and labels of frames without names, with and without their index."""
    pd = pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("t")
    probs = np.array(rows) + 0.001
    probs /= probs.sum(1, keepdims=True)
    given = np.arange(len(rows)) % probs.shape[1]
    pd.DataFrame(probs).to_csv(folder / "p.csv", index=index)
    pd.Series(given).to_csv(folder / "l.csv", index=index)
    frame = pl.DataFrame(probs, schema=[str(k) for k in range(probs.shape[1])])
    (frame.with_row_index("__index_level_0__") if index else frame).write_parquet(
        folder / "p.parquet"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = open_source(folder / "p.csv")
        found = labels_beside(folder / "l.csv", source)
        said = read_predictions(folder / "l.csv", n=len(given))
    assert np.allclose(source.get(0, source.n), probs)
    assert np.array_equal(open_source(folder / "p.parquet").get(0, source.n), probs)
    assert np.array_equal(label_numbers(found, None), given)
    assert np.array_equal(said, given)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["ant", "bee", "cow"]), min_size=3, max_size=20), st.booleans())
def test_a_partner_decides(tmp_path_factory, cells, header):
    """With as many rows as there should be, no first line is lost, and none is too many."""
    path = tmp_path_factory.mktemp("t") / "l.csv"
    path.write_text("\n".join(["kind"] * header + cells) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_labels(path, n=len(cells)).values.tolist() == cells
        assert read_names(path, n=len(cells)).tolist() == cells


def test_masks_and_sheets_go_by_the_same_rule(tmp_path):
    (tmp_path / "m.csv").write_text("0\n1\n0\n1\n")
    assert read_mask(tmp_path / "m.csv", n=3).tolist() == [True, False, True]
    assert read_mask(tmp_path / "m.csv", n=4).tolist() == [False, True, False, True]
    pytest.importorskip("fastexcel")
    book = pytest.importorskip("openpyxl").Workbook()
    for cell in ("cat", "dog", "cat", "dog"):
        book.active.append([cell])
    book.save(tmp_path / "l.xlsx")
    assert read_labels(tmp_path / "l.xlsx").values.tolist() == ["cat", "dog", "cat", "dog"]


def test_what_may_be_either_is_said(tmp_path):
    (tmp_path / "p.csv").write_text("0,1\n0.5,0.5\n0.2,0.8\n")
    with pytest.warns(
        UserWarning, match=r"the first line \(0, 1\) names the columns.*`header='no'`"
    ):
        assert open_source(tmp_path / "p.csv").n == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_source(tmp_path / "p.csv", roles=Roles(header="no")).n == 3


def test_a_table_without_names_comes_back_without(tmp_path):
    from candidly.data.ingest import write_back

    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text("1,cat\n2,dog\n")
    sheet = read_frame(path, header=Roles(header="no").table())
    write_back(sheet, {"new": ["dog", None]}, out, "column_2")
    assert out.read_text() == "1,cat,dog\n2,dog,\n"


# one rule

DECIDES = {"data/ingest/_header.py"}
LOWER = {"has_header", "header_row", "skiprows", "skip_rows"}
OTHERS = {"read_csv", "scan_csv", "genfromtxt", "loadtxt", "Sniffer", "DictReader"}
READS = {"data/ingest/_text.py", "data/ingest/_workbook.py"}  # who ask it, and hand on what it says


def test_one_function_decides_about_a_header():
    """By the syntax trees: who weighs a first line, who asks, and that nobody else reads lines."""
    weigh, ask, other = set(), set(), set()
    for path in SOURCE.rglob("*.py"):
        place, text = path.relative_to(SOURCE).as_posix(), path.read_text()
        if not any(word in text for word in ("decided(", "Decision(", *LOWER, *OTHERS)):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "Decision":
                weigh.add(place)
            if name == "decided":
                ask.add(place)
            keywords = {keyword.arg for keyword in node.keywords}
            if keywords & LOWER or name in OTHERS:
                other.add(place)
    assert weigh == DECIDES
    assert ask == READS
    assert other <= READS, "columns of a file are named by data/ingest/_header.py alone"
    deciders = [
        node.name
        for node in ast.walk(ast.parse((SOURCE / "data/ingest/_header.py").read_text()))
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    ]
    assert deciders == ["decided"]
