"""``--test-file``, ``--validation-file`` and ``--part`` of what is trained and described."""

import json

import numpy as np
import polars as pl
import pytest

from candidly import benchmark, load


@pytest.fixture
def files(candidly, tmp_path):
    rng = np.random.default_rng(0)
    frames = []
    for name, n, wrong in (("train", 120, 0.3), ("val", 40, 0), ("test", 50, 0)):
        labels = rng.integers(0, 2, n)
        a = rng.normal(3 * labels, 1)
        labels = np.where(rng.random(n) < wrong, 1 - labels, labels)
        frame = pl.DataFrame({"a": a, "b": rng.normal(size=n), "label": ["xy"[k] for k in labels]})
        frame.write_csv(f"{name}.csv")
        frames.append(frame.with_columns(which=pl.lit(name)))
    pl.concat(frames).write_csv("all.csv")
    return tmp_path


PARTS = ("--test-file", "test.csv", "--validation-file", "val.csv")


def test_train_measures_on_the_test_file_and_stops_by_the_validation_file(candidly, files):
    train = ("--algorithm", "ce", "--hyper", "batch_size=32", "--json", "--out")
    found = [
        json.loads(candidly("train", *what, *train, f"{k}.safetensors")[1])
        for k, what in enumerate([("train.csv", *PARTS), ("all.csv", "--part", "which")])
    ]
    for one in found:
        assert (one["learned from"], one["held out"], one["truth known"]) == (120, 50, 50)
        assert (one["validation set"], one["early stopping"]["rows"]) == (40, 40)
    assert found[0]["measured"] == found[1]["measured"]
    told = candidly(
        "train", "train.csv", *PARTS, "--algorithm", "logistic", "--out", "m.safetensors"
    )
    assert "40 rows of the validation set: not used, as nothing was to be chosen" in told[1]


def test_bench_runs_on_the_test_file(candidly, files):
    run = (
        "bench",
        "run",
        "--algorithms",
        "ce",
        "--configs",
        "2",
        "--splits",
        "2",
        "--steps",
        "40",
        "--hyper",
        "batch_size=32",
    )
    run = (*run, "--eval-every", "20")
    for name, what in (("a", ("train.csv", *PARTS)), ("b", ("all.csv", "--part", "which"))):
        status, _, said = candidly(*run, "--dataset", *what, "--out", name)
        assert status == 0, said
        plan = json.loads((files / name / "plan.json").read_text())
        assert plan["settings"]["split"] == "official"
        (facts,) = plan["data"].values()
        assert (facts["n_validation"], facts["n_test"]) == (40, 50)


def test_bench_does_not_mix_what_is_given_apart(candidly, files):
    plan = ("bench", "plan", "--dataset", "train.csv", "--algorithms", "ce", "--no-measure")
    told = candidly(*plan, "--test-file", "test.csv", "--split", "random")
    assert "--split random mixes all rows, and a test set is given" in told[2]
    told = candidly(*plan, "--validation-file", "val.csv")
    assert "Give one with --test-file, or name a column" in told[2]
    assert "with --part" in told[2]
    told = candidly(*plan, "--dataset", "all.csv", "--test-file", "test.csv")
    assert "is that of one data set, and 2 are asked for (train.csv, all.csv)" in told[2]


@pytest.mark.parametrize("flags", [PARTS, PARTS[:2]])
def test_rows_that_are_set_apart_in_a_saved_file_are_not_mixed_unasked(candidly, files, flags):
    candidly("data", "convert", "train.csv", "all.npz", *flags)
    plan = ("bench", "plan", "--dataset", "all.npz", "--algorithms", "ce", "--no-measure", "--json")
    plan = (*plan, "--hyper", "batch_size=16")
    status, _, told = candidly(*plan)
    assert status == 2
    assert "50 official test rows" in told
    assert "with --split official" in told
    sizes = {"official": (50, 120), "random": (17 + 4 * (len(flags) > 2), 0)}
    for split, (test, learned) in sizes.items():
        status, out, told = candidly(*plan, "--split", split)
        assert status == 0, told
        (row,) = json.loads(out)["datasets"]
        assert row["test"] == test
        if learned and len(flags) > 2:
            assert row["train"] == learned
    with pytest.raises(ValueError, match=r"mixes with those to learn from.*split='official'"):
        benchmark({"own": load("all.npz")}, ["ce"], configs=1, splits=1, steps=1)


def test_described_and_converted_they_stay(candidly, files):
    found = json.loads(candidly("data", "describe", "train.csv", *PARTS, "--json")[1])
    assert (found["official_test"], found["official_validation"], found["n"]) == (50, 40, 210)
    candidly("data", "convert", "train.csv", "all.npz", *PARTS)
    again = json.loads(candidly("data", "describe", "all.npz", "--json")[1])
    assert again | {"source": 0} == found | {"source": 0}


def test_a_known_data_set_has_its_own(candidly, files):
    told = candidly("train", "digits", "--test-file", "test.csv", "--out", "m.safetensors")
    assert "--test-file says nothing of digits" in told[2]
