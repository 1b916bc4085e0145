"""A case from files is the case of what they hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from candidly import stability
from candidly.data.ingest import Roles


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    original = rng.integers(0, 3, 60)
    corrected = original.copy()
    corrected[:6] = (corrected[:6] + 1) % 3
    corrected[6] = -1
    models = {name: np.where(rng.random(60) < share, original, 0)
              for name, share in (("one", 0.9), ("two", 0.6))}  # fmt: skip
    return original, corrected, models


def test_a_case_of_arrays_and_of_a_shuffled_table_are_the_same(arrays, tmp_path):
    original, corrected, models = arrays
    expected = stability.assess(stability.make_case(original, corrected, models), resamples=0)
    for name, values in (("l", original), ("c", corrected)):
        np.save(tmp_path / f"{name}.npy", values)
    (tmp_path / "models").mkdir()
    for name, values in models.items():
        np.save(tmp_path / "models" / f"{name}.npy", values)
    read = stability.read_case(tmp_path / "l.npy", tmp_path / "models", tmp_path / "c.npy")
    assert stability.assess(read.case, resamples=0).as_dict() == expected.as_dict()
    ids = {"id": [f"r{k}" for k in range(60)]}
    words = np.array(["a", "b", "c"])
    order = np.random.default_rng(1).permutation(60)
    pl.DataFrame(ids | {"label": words[original]}).write_csv(tmp_path / "l.csv")
    fixed = [words[k] if k >= 0 else None for k in corrected]
    pl.DataFrame(ids | {"label": fixed})[order].write_csv(tmp_path / "c.csv")
    named = {name: words[values] for name, values in models.items()}
    pl.DataFrame(ids | named)[order].write_csv(tmp_path / "m.csv")
    read = stability.read_case(
        tmp_path / "l.csv", tmp_path / "m.csv", tmp_path / "c.csv", roles=Roles(label="label")
    )
    assert stability.assess(read.case, resamples=0).verdict == expected.verdict


def test_what_says_nothing_of_the_files_is_refused(arrays, tmp_path):
    np.save(tmp_path / "l.npy", arrays[0])
    with pytest.raises(ValueError, match="`sheet` says nothing of"):
        stability.read_case(tmp_path / "l.npy", tmp_path / "l.npy", roles=Roles(sheet="one"))
