"""A file of a model with a part that is gone, or is something else."""

from __future__ import annotations

import polars as pl
import pytest

import candidly
from candidly.learn.model._file import read_model, write_model

FRAME = pl.DataFrame({"a": [k % 7 + 0.5 for k in range(280)]})


@pytest.mark.parametrize("change", [None, [1], "gone"])
@pytest.mark.parametrize("name", ["inputs", "hyper", "shape", "trained", "classes", "net"])
def test_a_damaged_model_says_so(tmp_path, name, change):
    if change == "gone" and name in ("trained", "shape"):
        pytest.skip("models of before have none")
    change = ["a"] if name == "shape" and change == [1] else change
    path = tmp_path / "m.safetensors"
    candidly.fit((FRAME, ["x", "y"] * 140), "ce", steps=2).save(path)
    arrays, about = read_model(path)
    about[name] = change
    if change == "gone":
        del about[name]
    write_model(path, arrays, about)
    with pytest.raises(ValueError, match="is a damaged model") as caught:
        candidly.load_model(path)
    assert not [w for w in ("object", "attribute", "iterable", "indices") if w in str(caught.value)]
