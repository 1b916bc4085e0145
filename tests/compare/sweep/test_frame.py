"""All records as one data frame."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from candidly.compare.sweep.records import Record, Run
from candidly.compare.sweep.results import Results

CRITERIA = {"CR": 0.5, "AA": 0.25}


def run_of(key, algorithm, hyper, steps=(10, 20), done=2, **more):
    records = tuple(
        Record(key, step, CRITERIA, {"top1": step / 100}, 1.5, float(step), 7)
        for step in steps[:done]
    )
    return Run(key, "lost", algorithm, 0, 3, hyper, steps, steps[0], 5, 4, records, **more)


RESULTS = Results(
    (
        run_of("a", "CC:plench", {"lr": 0.1, "batch_size": 10}, n_train=50),
        run_of("b", "LWS", {"lr": 1, "weight": 2}, done=1, networks=2),
        run_of("c", "PRODEN", {"lr": 0.1}, done=0),
    ),
    {},
)


def test_a_row_for_each_record_with_all_that_it_is_from():
    table = RESULTS.frame()
    assert table["key"].to_list() == ["a", "a", "b"]  # no row of a run without records
    assert table["step"].to_list() == [10, 20, 10]
    assert table["algorithm"].to_list() == ["CC:plench"] * 2 + ["LWS"]
    assert table["base"].to_list() == ["CC"] * 2 + ["LWS"]
    assert table["variant"].to_list() == ["plench"] * 2 + ["fixed"]
    assert table["complete"].to_list() == [True, True, False]
    assert table["epochs"].to_list() == [2.0, 4.0, None]  # 10 updates of 10 of 50 rows
    assert table["hyper.lr"].to_list() == [0.1, 0.1, 1.0]
    assert table["hyper.batch_size"].to_list() == [10, 10, None]
    assert table["hyper.weight"].to_list() == [None, None, 2]
    assert table["validation.AA"].to_list() == [0.25] * 3
    assert table["test.top1"].to_list() == [0.1, 0.2, 0.1]
    assert table["seconds"].to_list() == [10.0, 20.0, 10.0]
    kinds = {name: table.schema[name] for name in ("split", "hyper.batch_size", "diverged_at")}
    assert set(kinds.values()) == {pl.Int64}
    assert table["diverged"].to_list() == [False] * 3


def test_diverged_records_and_missing_measures_are_null():
    first, second = RESULTS.runs[0].records
    gone = replace(second, validation={"CR": None}, test={"top1": None}, loss=None, diverged_at=15)
    runs = (replace(RESULTS.runs[0], records=(first, gone)),)
    table = Results(runs, {}).frame()
    assert table["diverged"].to_list() == [False, True]
    assert table["diverged_at"].to_list() == [None, 15]
    assert table["validation.CR"].to_list() == [0.5, None]
    assert table["validation.AA"].to_list() == [0.25, None]  # not recorded at all
    assert table["test.top1"].to_list() == [0.1, None]
    assert table["loss"].to_list() == [1.5, None]


def test_records_that_no_criterion_may_choose_are_marked():
    runs = (replace(RESULTS.runs[0], selectable_from=11),)
    assert Results(runs, {}).frame()["selectable"].to_list() == [False, True]


@pytest.mark.parametrize("runs", [(), RESULTS.runs[2:]])
def test_nothing_has_columns_and_no_rows(runs):
    table = Results(runs, {}).frame()
    assert len(table) == 0
    assert table.columns[:2] == ["dataset", "algorithm"]
    assert table.schema["step"] == pl.Int64


def test_pandas_has_the_same_values():
    pytest.importorskip("pandas")
    ours, theirs = RESULTS.frame(), RESULTS.frame("pandas")
    assert list(theirs.columns) == ours.columns
    for column in ours:
        values = theirs[column.name].astype(object)
        there = [None if gap else value for value, gap in zip(values, values.isna())]
        assert there == column.to_list(), column.name
    assert theirs["step"].dtype == "int64"
    assert str(theirs["hyper.batch_size"].dtype) == "Int64"


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match="choose polars or pandas"):
        RESULTS.frame("arrow")
