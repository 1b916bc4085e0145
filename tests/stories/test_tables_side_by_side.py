"""Labels and probabilities from two tools, in two orders: joined by what names the rows."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

N = 120
WRONG = [3, 40, 77]


@pytest.fixture
def files(tmp_path):
    """A table of labels, and probabilities of a model in the order in which it met the rows."""
    draw = np.random.default_rng(0)
    true = np.arange(N) % 2
    given = true.copy()
    given[WRONG] = 1 - given[WRONG]
    names = [f"t{row * 7919 % 1000:03}" for row in range(N)]
    wings = ["ham", "spam"]
    pl.DataFrame({"uid": names, "label": [wings[k] for k in given]}).write_csv(
        tmp_path / "labels.csv"
    )
    sure = draw.uniform(0.8, 0.99, N)
    spam = np.where(true == 1, sure, 1 - sure)
    order = draw.permutation(N)
    probs = pl.DataFrame({"uid": names, "ham": 1 - spam, "spam": spam})[order]
    probs.write_csv(tmp_path / "probs.csv")
    probs.write_parquet(tmp_path / "probs.parquet")
    return tmp_path


FIND = "candidly errors find --by predicted --labels labels.csv --probs"


def found(answer) -> list[int]:
    status, out, err = answer
    assert status == 0, err
    return sorted(row["index"] for row in json.loads(out)["issues"])


@pytest.mark.parametrize("probs", ["probs.csv", "probs.parquet"])
def test_rows_are_joined_by_their_names_whatever_these_are_called(files, typed, probs):
    assert found(typed(f"{FIND} {probs} --json")) == WRONG
    assert found(typed(f"{FIND} {probs} --id uid --json")) == WRONG


@pytest.mark.parametrize("probs", ["probs.csv", "probs.parquet"])
def test_names_that_are_left_out_still_tell_that_the_order_is_another(files, typed, probs):
    status, _, err = typed(f"{FIND} {probs} --drop uid")
    assert status == 2
    assert "in another order" in err
    assert "--id uid" in err


def test_other_names_of_the_column_stop_it(files, typed):
    pl.read_csv("labels.csv").rename({"uid": "key"}).write_csv("labels.csv")
    status, _, err = typed(f"{FIND} probs.csv")
    assert status == 2
    assert "column 'uid' of probs.csv names the rows that column 'key' of the labels names" in err


def test_names_in_one_file_alone_are_told(files, typed):
    pl.read_csv("probs.csv").drop("uid").write_csv("probs.csv")
    pl.read_csv("labels.csv").rename({"uid": "id"}).write_csv("labels.csv")
    status, _, err = typed(f"{FIND} probs.csv")
    assert status == 0
    assert "row k of the one was taken to be row k of the other" in err


def test_what_pandas_wrote_twice_is_joined_by_its_index(files, typed):
    """An index that came from shuffling stays with its rows; a new one does not fit it."""
    pd = pytest.importorskip("pandas")
    labels = pd.read_csv("labels.csv").drop(columns="uid")
    probs = pd.read_csv("probs.csv")
    probs.index = [pd.read_csv("labels.csv").uid.tolist().index(name) for name in probs.uid]
    probs = probs.drop(columns="uid")
    labels.sample(frac=1, random_state=1).to_csv("labels.csv")
    probs.to_csv("probs.csv")
    rows = labels.sample(frac=1, random_state=1).index.to_list()
    assert found(typed(f"{FIND} probs.csv --json")) == sorted(map(rows.index, WRONG))
    labels.to_csv("labels.csv")
    status, _, err = typed(f"{FIND} probs.csv")
    assert status == 2
    assert "in another order" in err


@pytest.mark.parametrize("key", ["id", "uid"])
def test_every_partner_of_a_table_is_joined_by_the_names_of_rows(tmp_path, typed, key):
    """Corrections, who looked, predictions and groups in other orders say what they said in one."""
    draw = np.random.default_rng(1)
    names, wings = [f"u{row}" for row in range(60)], np.array(["egg", "ham", "spam"])
    true = np.arange(60) % 3
    given = np.where(np.arange(60) < 6, (true + 1) % 3, true)
    columns = {
        "labels": {"label": wings[given], "x": true + draw.normal(0, 0.3, 60)},
        "corrected": {"label": wings[true]},
        "seen": {"seen": np.arange(60) < 20},
        "groups": {"group": [f"g{row // 2}" for row in range(60)]},
    }
    for model, wrong in {"one": 4, "two": 9}.items():
        told = np.where(np.arange(60) % wrong == 0, (true + 1) % 3, true)
        columns[f"models/{model}"] = {"label": wings[told]}

    def answers(shuffled):
        (tmp_path / "models").mkdir(exist_ok=True)
        for name, values in columns.items():
            order = draw.permutation(60) if shuffled and name != "labels" else np.arange(60)
            pl.DataFrame({key: names, **values})[order].write_csv(tmp_path / f"{name}.csv")
        stable = typed(
            "candidly stability --labels labels.csv --label label --corrected corrected.csv"
            " --checked seen.csv --predictions models --resamples 0 --json"
        )
        probs = typed(
            "candidly errors probs labels.csv --label label --groups groups.csv --out p.npz --json"
        )
        assert stable[0] == probs[0] == 0, (stable[2], probs[2])
        return stable[1], probs[1]

    assert answers(shuffled=True) == answers(shuffled=False)
