"""Power cuts: whatever unsynced writes are lost, resuming ends with the same numbers."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from candidly import benchmark
from candidly.compare.sweep import keeping
from candidly.compare.sweep.journal import read_records
from candidly.compare.sweep.plan import read_plan
from candidly.learn.engine import checkpoint
from compare.sweep.power_cut import Disk
from compare.sweep.test_damage import numbers

from toys import toy

SMALL = {"configs": 1, "splits": 3, "steps": 60, "eval_every": 10, "workers": 1, "stack": 2}


class PowerCut(BaseException):
    pass


@pytest.fixture(scope="module")
def data():
    return {"toy": toy()}


@pytest.fixture(scope="module")
def reference(data):
    return numbers(benchmark(data, "CC", **SMALL))


@pytest.fixture
def disk(tmp_path, monkeypatch):
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs to know which file a handle is of")
    (tmp_path / "out").mkdir()
    watched = Disk(tmp_path / "out")
    monkeypatch.setattr(os, "fsync", watched.fsync)
    monkeypatch.setattr(keeping, "CHECKPOINT_SHARE", float("inf"))  # one at every record
    yield watched
    watched.close()


def run_until(disk, data, moment):
    """Train, and cut the power behind that many records."""
    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) > moment:
            raise PowerCut

    with pytest.raises(PowerCut):
        benchmark(data, "CC", out=disk.folder, watch=watch, **SMALL)


@pytest.mark.parametrize("moment", [0, 1, 3, 6, 7, 9])
def test_resuming_after_a_power_cut_ends_with_the_same_numbers(
    disk, data, reference, tmp_path, moment
):
    run_until(disk, data, moment)
    for seed in range(2):
        left = tmp_path / f"left{seed}"
        disk.after_power_cut(left, random.Random(f"{moment} {seed}"))
        assert read_plan(left) is not None  # synced before anything is trained
        assert numbers(benchmark(data, "CC", out=left, **SMALL)) == reference


@pytest.mark.parametrize("moment", [1, 2, 5, 6, 7, 10])
def test_the_records_of_a_checkpoint_are_on_the_disk_before_it(disk, data, tmp_path, moment):
    """So that a power cut costs little: no checkpoint is left that must be discarded."""
    run_until(disk, data, moment)
    found = 0
    for seed in range(20):
        left = tmp_path / f"left{seed}"
        disk.after_power_cut(left, random.Random(seed))
        records, _ = read_records(left / "journal")
        for path in (left / "checkpoints").glob("[!.]*.npz"):
            saved = checkpoint.saved_at(path)
            assert saved is not None
            for key in saved.keys:
                assert set(range(10, saved.t + 1, 10)) <= set(records[key])
            found += 1
        if moment >= 7:  # the first stack of two trials has six records, and then is done
            done = [key for key, steps in records.items() if len(steps) == 6]
            assert len(done) >= 2
    assert found or not list((disk.folder / "checkpoints").glob("*.npz"))
