"""Files of a benchmark: written, read back, and the released ones byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from candidly.compare.corpora import files
from candidly.compare.corpora.files import EventTable, Pool

from needs import real_files

NAMES = ("tying knots", "=SUM(1)", 'dogs, "big"')


@pytest.fixture
def table():
    texts = np.array([f"tie knot {n} ." for n in range(6)], object)
    texts[3] = "=1+1 , it is ."
    return EventTable(np.arange(6) * 2, np.arange(6) * 7, np.array([0, 1, 2, 0, 1, 2]), texts)


@pytest.fixture
def pool():
    texts = np.array(["fold the paper .", "-2 steps back ."], object)
    return Pool(np.array([100, 101]), texts, np.array(["paper", "dance"], object))


def test_clean_events_come_back(table, tmp_path):
    assert files.write_part(tmp_path, "train", table, NAMES) == "train.csv"
    files.write_categories(tmp_path, NAMES, [2, 3, 3], [10, 20, 30])
    assert files.read_categories(tmp_path) == NAMES
    again = files.read_table(tmp_path / "train.csv", NAMES)
    for name in ("chosen", "step", "labels", "texts"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist()
    head = (tmp_path / "train.csv").read_text().splitlines()[0]
    assert head == "choosen_id,step_id,cat_id,step,cat"


def test_noise_is_known_by_ids(table, pool, tmp_path):
    origin = np.array([-1, 1, -1, -1, 0, -1])
    assert files.write_replaced(tmp_path, "mix", 0.4, table, NAMES, pool, origin) == (
        "noisy/mix_0.4.csv"
    )
    clean, texts, given, wrong = files.read_noisy(tmp_path, "mix", 0.4, NAMES)
    assert clean.texts.tolist() == table.texts.tolist()
    assert wrong.tolist() == (origin >= 0).tolist()
    assert texts[1], texts[4] == ("-2 steps back .", "fold the paper .")
    assert given.tolist() == table.labels.tolist()
    frame = pl.read_csv(tmp_path / "noisy" / "mix_0.4.csv")
    assert frame["noisy_id"].to_list() == [0, 101, 14, 21, 100, 35]
    assert frame["noisy_label"].to_list() == [0, -1, 2, 0, -1, 2]
    assert frame["noisy_cat"].to_list()[1] == "dance"
    labels = np.array([0, 2, 2, 0, 1, 1])
    files.write_flipped(tmp_path, 0.25, table, NAMES, labels)
    _, texts, given, wrong = files.read_noisy(tmp_path, "sym", 0.25, NAMES)
    assert (given.tolist(), wrong.tolist()) == (labels.tolist(), (labels != table.labels).tolist())
    assert texts.tolist() == table.texts.tolist()


def test_a_benchmark_is_data_to_learn_from(table, pool, tmp_path):
    files.write_categories(tmp_path, NAMES, [2, 3, 3], [10, 20, 30])
    files.write_part(tmp_path, "train", table.rows(np.arange(4)), NAMES)
    files.write_part(tmp_path, "test", table.rows(np.arange(4, 6)), NAMES)
    origin = np.array([-1, 1, -1, -1])
    files.write_replaced(tmp_path, "mix", 0.1, table.rows(np.arange(4)), NAMES, pool, origin)
    clean, noisy = files.as_labelled(tmp_path), files.as_labelled(tmp_path, "mix", 0.1)
    assert noisy.official_test.tolist() == [False] * 4 + [True] * 2
    assert noisy.truth.tolist() == [0, -1, 2, 0, 1, 2]
    assert noisy.given.tolist() == clean.given.tolist() == clean.truth.tolist()
    assert noisy.inputs[1] == "-2 steps back ."
    assert noisy.classes == NAMES


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (lambda f: (f / "cat3.csv").unlink(), FileNotFoundError, r"has 0 tables of classes"),
        (lambda f: (f / "cat4.csv").write_text("x\n"), ValueError, "has 2 tables of classes"),
        (
            lambda f: (f / "test.csv").write_text("id,text\n1,a\n"),
            ValueError,
            "has the columns id, text, and such a file has choosen_id",
        ),
        (
            lambda f: (f / "test.csv").write_text(
                "choosen_id,step_id,cat_id,step,cat\n1,2,9,a .,x\n"
            ),
            ValueError,
            "has a cat_id outside 0 to 2",
        ),
    ],
)
def test_files_that_are_none_are_refused(table, tmp_path, damage, error, message):
    files.write_categories(tmp_path, NAMES, [2, 3, 3], [10, 20, 30])
    for part in ("train", "test"):
        files.write_part(tmp_path, part, table, NAMES)
    damage(tmp_path)
    with pytest.raises(error, match=message):
        files.as_labelled(tmp_path)


@real_files
def test_the_released_files_come_back_byte_for_byte(tmp_path):
    released = Path(os.environ["CANDIDLY_DATA"]) / "noisywikihow"
    names = files.read_categories(released)
    for part in ("val", "test"):
        files.write_part(tmp_path, part, files.read_table(released / f"{part}.csv", names), names)
    frame = pl.read_csv(released / "cat158.csv")
    files.write_categories(tmp_path, *(frame[name].to_list() for name in frame.columns))
    for name in ("val.csv", "test.csv", "cat158.csv"):
        assert (tmp_path / name).read_bytes() == (released / name).read_bytes()
