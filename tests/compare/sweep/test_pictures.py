"""Sweeps on pictures: one file for all workers, official test sets, the same numbers anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from candidly import benchmark
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep import build
from candidly.compare.sweep.compact import compact
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.records import unpack_right
from candidly.compare.sweep.settings import make_settings
from candidly.compare.sweep.worker import hand_over, taken_over
from candidly.data.labels.labelled import Labelled
from candidly.ground.problem import Refusal

G = np.random.default_rng(0)
SMALL = {
    "configs": 1,
    "splits": 2,
    "steps": 24,
    "eval_every": 12,
    "net": "mlp:8",
    "hyper": {"batch_size": 16},
    "split": "random",
}


@pytest.fixture(scope="module")
def data():
    """120 pictures, the last 30 of which are the official test set, without given labels."""
    truth = G.integers(0, 3, 120)
    pixels = np.clip(G.normal(60 + 50 * truth[:, None], 40, (120, 8 * 8 * 3)), 0, 255)
    official = np.arange(120) >= 90
    candidates = G.random((120, 3)) < 0.3
    candidates[np.arange(120), truth] = True
    return Labelled(
        inputs=pixels.astype(np.uint8).reshape(120, 8, 8, 3),
        classes=("a", "b", "c"),
        candidates=candidates,
        given=np.where(official, -1, truth),
        truth=truth,
        features=("file",),
        source="squares",
        official_test=official,
    )


def planned(data, **settings):
    about = {"datasets": ("squares",), "algorithms": ("PRODEN",)} | SMALL | settings
    asked = make_settings(**about)
    return prepare(asked, own={"squares": data})[0]


def test_pixels_are_handed_over_in_a_file_that_workers_map(data, tmp_path):
    hand_over(data, tmp_path, "x")
    there = taken_over(tmp_path, "x")
    assert isinstance(there.inputs.base, np.memmap)
    assert not there.inputs.flags.writeable
    assert replace(there, features=data.features) == data
    assert there.fingerprint() == data.fingerprint()
    assert (tmp_path / "x.npz").stat().st_size < data.inputs.nbytes
    table = replace(data, inputs=G.normal(size=(120, 4)), features=None)
    hand_over(table, tmp_path, "y")
    assert taken_over(tmp_path, "y") == table
    assert not (tmp_path / "y.npy").exists()


@pytest.mark.slow  # two processes that load torch
def test_workers_and_this_process_train_the_same(data, tmp_path):
    names = ["PRODEN", "supervised-oracle"]
    runs = [
        benchmark({"squares": data}, names, workers=workers, out=tmp_path / str(workers), **SMALL)
        for workers in (1, 2)
    ]
    one, two = ({run.key: run.records for run in each.runs} for each in runs)
    assert one.keys() == two.keys()
    for key, records in one.items():
        for mine, other in zip(records, two[key], strict=True):
            assert (mine.validation, mine.test) == (other.validation, other.test)
            assert mine.loss == other.loss


def test_tasks_that_read_other_labels_share_the_inputs(data, monkeypatch):
    build._kept.clear()
    for algorithm in ("PRODEN", "supervised-oracle"):
        build.build(data, planned(data, algorithms=(algorithm,)).trials[:1], "cpu")
    first, second = (examples for _, examples in build._kept.values())
    assert first.labels.keys() != second.labels.keys()
    assert first.inputs is second.inputs
    build._kept.clear()


# official test sets


def test_the_official_test_set_is_tested_on_and_nothing_else(data):
    plan = planned(data, split="official", algorithms=("ce",))
    assert (plan.facts["squares"].n_test, plan.facts["squares"].n_validation) == (30, 9)
    for trial in plan.trials:
        assert (trial.test_set, trial.test) == ("official", 0.0)
    build._kept.clear()
    built = build.build(data, plan.trials, "cpu")
    test = np.flatnonzero(data.official_test)
    for k in range(2):
        assert built.test[k].tolist() == test.tolist()
        learned = np.concatenate([built.validation[k].numpy(), built.stack.index[k].numpy()])
        assert sorted(learned) == list(range(90))
    assert not np.array_equal(built.validation[0], built.validation[1])


def test_a_random_split_of_before_has_the_key_of_before(data):
    bare = replace(data, official_test=None)
    random, official = planned(data), planned(data, split="official")
    assert {trial.test_set for trial in random.trials} == {"random"}
    keys = [{trial.key for trial in plan.trials} for plan in (random, official, planned(bare))]
    assert not keys[0] & keys[1]
    assert data.fingerprint() != bare.fingerprint()


def test_rows_that_are_set_apart_are_not_mixed_unasked(data):
    with pytest.raises(Refusal, match="squares has 30 official test rows, which a random split"):
        planned(data, split=None)
    assert planned(replace(data, official_test=None), split=None).settings.split == "random"


def test_what_cannot_be_is_refused(data):
    bare = replace(data, official_test=None, given=None)
    with pytest.raises(ValueError, match="squares has no official test set"):
        planned(bare, split="official")
    with pytest.raises(ValueError, match="row 90"):  # random rows would be learned from
        planned(data, algorithms=("ce",))
    with pytest.raises(ValueError, match="`split` is 'oficial'; did you mean 'official'"):
        planned(data, split="oficial")
    with pytest.raises(ValueError, match="leaves no test example"):
        planned(replace(data, official_test=np.zeros(120, bool)), split="official")


def test_which_test_rows_were_right_is_recorded(data, tmp_path):
    asked = SMALL | {"split": "official"}
    results = benchmark({"squares": data}, ["PRODEN", "CC"], out=tmp_path / "r", **asked)
    records = {(run.key, one.step): one for run in results.runs for one in run.records}
    assert len(records) == 2 * 2 * 2
    for record in records.values():
        right = unpack_right(record.right, 30)
        assert right.mean() == pytest.approx(record.test["top1"])
    compact(tmp_path / "r")
    again = read_results(tmp_path / "r")
    found = again.runs.right(list(records))
    assert found == {place: record.right for place, record in records.items()}
    assert again.runs.right([("nobody", 12)]) == {}
