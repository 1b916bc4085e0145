"""Tables of columns of different kinds: made of frames, taken apart, saved and compared."""

from __future__ import annotations

import datetime

import numpy as np
import pandas
import polars as pl
import pytest

from candidly import Labelled, from_arrays
from candidly.data.inputs import Table, parsed

DAY = datetime.date(2024, 5, 31)
FRAME = pl.DataFrame(
    {
        "age": [31, None, 47],
        "city": ["Rom", "Köln", None],
        "since": [DAY, None, datetime.date(1969, 12, 31)],
        "paid": [True, False, None],
    }
)
KINDS = {"age": "number", "city": "category", "since": "date", "paid": "number"}


def test_columns_are_held_by_their_kinds():
    table = Table.of(FRAME)
    assert table.kinds == KINDS
    assert table.shape == (3, 4)
    assert len(table) == 3
    assert table.names == tuple(KINDS)
    assert table.frame["paid"].to_list() == [1.0, 0.0, None]
    assert table.frame["since"][0] == datetime.datetime(2024, 5, 31)
    assert repr(table) == "Table(3 rows, 2 number, 1 category, 1 date)"


def test_frames_of_pandas_and_of_polars_are_the_same_table():
    frame = pandas.DataFrame(
        {
            "age": [31, np.nan, 47],
            "city": ["Rom", "Köln", None],
            "since": pandas.to_datetime(["2024-05-31", None, "1969-12-31"]),
            "paid": pandas.array([True, False, None], dtype="boolean"),
        }
    )
    assert Table.of(frame) == Table.of(FRAME)
    frame["city"] = frame["city"].astype("category")
    assert Table.of(frame) == Table.of(FRAME)


def test_strings_are_a_category_up_to_40_different_ones():
    few, many = [f"v{k % 40}" for k in range(90)], [f"v{k % 41}" for k in range(90)]
    assert Table.of(pl.DataFrame({"few": few, "many": many})).kinds == {
        "few": "category",
        "many": "text",
    }


def test_taking_rows_keeps_kinds_and_order():
    many = pl.DataFrame({"x": [str(k) + "a" for k in range(50)], "y": list(range(50))})
    table = Table.of(many)
    some = table.take(np.array([4, 2]))
    assert some.frame["x"].to_list() == ["4a", "2a"]
    assert some.kinds["x"] == "text"
    mask = np.arange(50) < 3
    assert table[mask] == table[:3] == table[[0, 1, 2]]
    assert table[:3] != table[1:4]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [[1], [2]]}, "column 'a' of List"),
        ({"a": [1.0, float("inf")]}, "inf at row 1, column 'a'"),
        ({}, "no columns"),
    ],
)
def test_what_is_no_table_is_refused_by_column_and_row(frame, message):
    with pytest.raises(ValueError, match=message):
        Table.of(pl.DataFrame(frame))


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two columns 'a', number 1 and number 2"):
        Table.of(pandas.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_table_is_no_array():
    with pytest.raises(ValueError, match="fit_encoding"):
        np.asarray(Table.of(FRAME))


# text that is something else


def test_text_is_read_as_what_all_of_its_cells_are():
    cells = {
        "n": ["1", "2.5", "NA", None],
        "truth": ["True", "false", "", None],
        "date": ["2024-05-31", "2024-06-01", None, "?"],
        "time": ["2024-05-31T10:30:00", None, None, "2024-05-31T23:00:00.5"],
        "german": ["31.05.2024", "01.06.2024", None, None],
        "code": ["00501", "10001", "1", "2"],
        "mixed": ["1", "2", "x", "3"],
        "empty": [None, None, None, None],
    }
    frame = parsed(pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)))
    assert frame["n"].to_list() == [1, 2.5, None, None]
    assert frame["truth"].to_list() == [True, False, None, None]
    assert frame["date"][0] == frame["german"][0] == datetime.datetime(2024, 5, 31)
    assert frame["time"][3] == datetime.datetime(2024, 5, 31, 23, 0, 0, 500_000)
    for name in ("code", "mixed", "empty"):
        assert frame[name].to_list() == cells[name]


def test_cells_are_read_as_the_kind_that_is_asked_for():
    frame = pl.DataFrame({"level": [1, 2], "n": ["3", ""], "when": ["2024-05-31", "n/a"]})
    table = Table.of(frame, {"level": "category", "n": "number", "when": "date"})
    assert table.frame["level"].to_list() == ["1", "2"]
    assert table.frame["n"].to_list() == [3.0, None]
    assert Table.of(pl.DataFrame({"level": [1.0, 2.5]}), {"level": "category"}).frame[
        "level"
    ].to_list() == ["1", "2.5"]
    with pytest.raises(ValueError, match="'x' at row 1, column 'n', which is not a number"):
        Table.of(pl.DataFrame({"n": ["1", "x"]}), {"n": "number"})
    with pytest.raises(ValueError, match="'x' at row 1, column 'n', which is not a date"):
        Table.of(pl.DataFrame({"n": ["2024-05-31", "x"]}), {"n": "date"})
    with pytest.raises(ValueError, match="kind of column 'n' is 'date time'"):
        Table.of(pl.DataFrame({"n": ["1"]}), {"n": "date time"})


# in a Labelled


def test_a_frame_with_more_than_numbers_becomes_columns():
    data = from_arrays(FRAME, ["a", "b", "a"])
    assert data.kind == "columns"
    assert data.inputs == Table.of(FRAME)
    assert data[[2, 0]].inputs.frame["age"].to_list() == [47, 31]
    assert from_arrays(FRAME[["age"]].fill_null(0), [0, 1, 0]).kind == "table"
    assert from_arrays(FRAME[["age"]], [0, 1, 0]).kind == "columns"  # one is missing
    assert "3 x 4 columns" in repr(data)


def test_a_first_column_that_numbers_the_rows_is_left_out():
    frame = FRAME.clone().insert_column(0, pl.Series("Unnamed: 0", [0, 1, 2]))
    with pytest.warns(UserWarning, match="numbers the rows"):
        assert from_arrays(frame, [0, 1, 0]).inputs == Table.of(FRAME)


def test_columns_are_saved_without_pickle_and_come_back(tmp_path):
    data = from_arrays(FRAME, ["a", "b", "a"])
    data.save(tmp_path / "d.npz")
    again = Labelled.load(tmp_path / "d.npz")
    assert again == data
    assert again.fingerprint() == data.fingerprint()
    assert data[[0, 2]] != data[[0, 1]]


@pytest.mark.parametrize(
    "other",
    [
        FRAME.rename({"city": "town"}),
        FRAME.with_columns(city=pl.Series(["Rom", "Köln", ""])),
        FRAME.with_columns(age=pl.Series([31, 0, 47])),
        FRAME.with_columns(since=pl.Series([DAY, DAY, datetime.date(1969, 12, 31)])),
    ],
)
def test_another_cell_or_name_is_another_fingerprint(other):
    one, two = (from_arrays(frame, [0, 1, 0]).fingerprint() for frame in (FRAME, other))
    assert one != two


def test_columns_are_described():
    constant = FRAME.with_columns(one=pl.lit("x"))
    told = from_arrays(pl.concat([constant, constant[:1]]), [0, 1, 0, 1]).describe()
    assert told.kind == "columns"
    assert told.features == 5
    assert told.missing_cells == 4
    assert told.constant_columns == (4,)
    assert told.duplicate_rows == 1
    assert told.column_kinds == (*KINDS.items(), ("one", "category"))
