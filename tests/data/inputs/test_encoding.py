"""How columns become numbers: beside scikit-learn's transformers, and by columns' names."""

from __future__ import annotations

import datetime
import json
import warnings

import numpy as np
import pandas
import polars as pl
import pytest
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from candidly.data.inputs import Encoding, Table, encoded, fit_encoding, prepare

G = np.random.default_rng(0)
N = 300
NUMBERS = np.where(G.random(N) < 0.1, np.nan, G.normal(5, 3, N))
LEVELS = np.array(["a", "b", "c", "rare"])[G.choice(4, N, p=[0.5, 0.3, 0.19, 0.01])]
DATES = [datetime.datetime(2020, 1, 1, 6) + datetime.timedelta(hours=int(h)) for h in range(N)]
STREETS = [f"{k % 97} High Street" for k in range(N)]
FRAME = pl.DataFrame({"x": NUMBERS, "level": LEVELS, "date": DATES, "street": STREETS})
TABLE = Table.of(FRAME)
TRAIN = np.arange(0, N, 2)


def part(names, rows=None, table=TABLE):
    """The encoded columns of one column."""
    some = Table.of(table.frame[names])
    return fit_encoding(some, rows).encode(some)


def test_numbers_are_what_scikit_learn_makes_of_them():
    peer = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    wanted = peer.fit(NUMBERS[TRAIN, None]).transform(NUMBERS[:, None])[:, 0]
    found = part(["x"], TRAIN)
    np.testing.assert_allclose(found[:, 0], wanted, atol=1e-5)
    np.testing.assert_array_equal(found[:, 1], np.isnan(NUMBERS))


def test_categories_are_what_scikit_learn_makes_of_them():
    peer = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist", sparse_output=False)
    wanted = peer.fit(LEVELS[TRAIN, None]).transform(LEVELS[:, None])
    found = part(["level"], TRAIN)
    assert found.shape == wanted.shape == (N, 4)  # a, b, c and the pool
    assert {tuple(column) for column in found.T} == {tuple(column) for column in wanted.T}


def test_texts_are_standardised_counts_of_hashed_triples():
    hashing = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 3), n_features=32)
    wanted = StandardScaler().fit_transform(hashing.transform(STREETS).toarray())
    np.testing.assert_allclose(part(["street"]), wanted, atol=1e-4)


def test_dates_are_their_parts():
    wanted = np.array(
        [
            [
                d.replace(tzinfo=datetime.UTC).timestamp(),
                d.year,
                d.month,
                d.day,
                d.isoweekday(),
                d.hour,
            ]
            for d in DATES
        ]
    )
    wanted[:, 0] /= 86400
    np.testing.assert_allclose(
        part(["date"]), StandardScaler().fit_transform(wanted), atol=2e-3
    )  # float32 of days since 1970


def test_what_was_missing_seldom_or_never_seen_has_its_place():
    frame = pl.DataFrame({"c": ["a"] * 9 + [None] * 9 + ["b"]})
    encoding = fit_encoding(Table.of(frame))
    assert encoding.features == ("c missing", "c=a", "c other")
    asked = pl.DataFrame({"c": ["a", None, "b", "new"]})
    wanted = [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert encoding.encode(asked).tolist() == wanted


def test_a_value_that_is_missing_first_at_prediction_is_the_median():
    encoding = fit_encoding(Table.of(pl.DataFrame({"x": [1.0, 2.0, 6.0]})))
    assert encoding.features == ("x",)
    empty, median = encoding.encode(pl.DataFrame({"x": [None, 2.0]}, schema={"x": pl.Float64}))
    assert empty == median


def test_many_levels_are_pooled_beyond_40():
    levels = [f"v{k:02}" for k in range(60) for _ in range(5 + (k < 10))]
    table = Table.of(pl.DataFrame({"c": levels}), {"c": "category"})
    encoding = fit_encoding(table)
    assert len(encoding.features) == 41
    assert encoding.features[0] == "c=v00"
    assert encoding.encode(table).sum(1).tolist() == [1] * len(levels)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("x", [None] * 8, pl.Float64),
        pl.Series("x", [3.0] * 8),
        pl.Series("x", [None] * 8, pl.String),
        pl.Series("x", [None] * 8, pl.Datetime("us")),
    ],
    ids=["no number", "one number", "no string", "no date"],
)
def test_columns_that_say_nothing_are_finite(column):
    table = Table.of(column.to_frame())
    found = fit_encoding(table, np.arange(4)).encode(table)
    assert np.isfinite(found).all()
    assert (found == found[0]).all()


def test_other_rows_change_nothing():
    """Only the training rows are learned from, whatever the rest holds."""
    held = np.setdiff1d(np.arange(N), TRAIN)
    other = FRAME.with_columns(
        x=pl.Series(np.where(np.isin(np.arange(N), held), 1e6, NUMBERS)),
        level=pl.Series(np.where(np.isin(np.arange(N), held), "unheard of", LEVELS)),
    )
    assert fit_encoding(Table.of(other), TRAIN) == fit_encoding(TABLE, TRAIN)
    assert fit_encoding(TABLE, held) != fit_encoding(TABLE, TRAIN)


def test_a_prepared_table_is_the_same_and_a_mask_is_as_good_as_rows():
    mask = np.isin(np.arange(N), TRAIN)
    encoding = fit_encoding(prepare(TABLE), mask)
    assert encoding == fit_encoding(TABLE, TRAIN)
    np.testing.assert_array_equal(encoding.encode(prepare(TABLE)), encoding.encode(TABLE))
    assert encoded(numbers := NUMBERS[:, None]) is numbers
    np.testing.assert_array_equal(encoded(TABLE), fit_encoding(TABLE).encode(TABLE))
    with pytest.raises(ValueError, match="no row to learn"):
        fit_encoding(TABLE, np.zeros(N, bool))


# kept, and used by names


def test_an_encoding_is_plain_text_and_comes_back():
    encoding = fit_encoding(TABLE, TRAIN)
    again = Encoding.from_json(encoding.to_json())
    assert again == encoding
    np.testing.assert_array_equal(again.encode(TABLE), encoding.encode(TABLE))
    for text in ("", "{}", "[]", '{"schema": 1, "columns": [{}]}'):
        with pytest.raises(ValueError, match="no encoding that candidly wrote"):
            Encoding.from_json(text)
    later = json.dumps({**json.loads(encoding.to_json()), "schema": 99})
    with pytest.raises(ValueError, match="version 99; this candidly reads 1"):
        Encoding.from_json(later)


def test_columns_go_by_name_in_any_order_and_as_any_frame():
    encoding = fit_encoding(TABLE)
    wanted = encoding.encode(TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(encoding.encode(FRAME[FRAME.columns[::-1]]), wanted)
        plain = pandas.DataFrame({name: FRAME[name].to_list() for name in FRAME.columns})
        np.testing.assert_array_equal(encoding.encode(plain), wanted)
    with pytest.warns(UserWarning, match="training had no such column: extra"):
        found = encoding.encode(FRAME.with_columns(extra=1))
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match=r"no column 'street'; did you mean 'streets'\?"):
        encoding.encode(FRAME.rename({"street": "streets"}))
    with pytest.raises(ValueError, match="takes columns by name"):
        encoding.encode(np.zeros((2, 4)))


def test_cells_are_read_as_the_kind_of_training():
    """Levels that look like numbers in the new rows are levels; text that is a number is one."""
    frame = pl.DataFrame({"level": ["1", "2", "x"] * 5, "n": [1.0, 2.0, 3.0] * 5})
    encoding = fit_encoding(Table.of(frame))
    wanted = encoding.encode(frame[:2])
    new = pl.DataFrame({"level": [1, 2], "n": ["1", "2.0"]})
    np.testing.assert_array_equal(encoding.encode(new), wanted)
    np.testing.assert_array_equal(encoding.encode(Table.of(new)), wanted)
    with pytest.raises(ValueError, match="'many' at row 1, column 'n', which is not a number"):
        encoding.encode(pl.DataFrame({"level": [1, 2], "n": ["1", "many"]}))
