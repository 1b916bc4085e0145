"""Features of a file joined to labels by ids: rows in any order, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.data.ingest.joined import with_features
from candidly.data.labels.describe import track_of
from candidly.data.labels.labelled import Labelled

N = 12


@pytest.fixture
def data():
    """Twelve examples by number, shuffled, with features that say their number."""
    rng = np.random.default_rng(0)
    whole = Labelled(
        inputs=np.zeros((N, 4, 4), np.uint8),
        classes=("a", "b", "c"),
        given=rng.integers(0, 3, N),
        truth=rng.integers(0, 3, N),
        source="twelve",
    )
    return whole[rng.permutation(N)]


def features_of(ids):
    return np.stack([ids, 100 - np.asarray(ids)], 1).astype(np.float32)


def test_without_ids_a_row_belongs_to_its_number(data, tmp_path):
    np.save(tmp_path / "f.npy", features_of(np.arange(N + 3)))  # three more than examples
    made = with_features(data, tmp_path / "f.npy")
    assert made.inputs.tolist() == features_of(data.ids).tolist()
    assert made.inputs.dtype == np.float64
    assert made.kind == "table"
    assert np.array_equal(made.given, data.given)
    assert np.array_equal(made.truth, data.truth)
    assert np.array_equal(made.ids, data.ids)
    assert made.source == "twelve + features(f.npy)"
    assert (track_of(made.source), track_of("twelve")) == ("pre-trained features given", "")
    made.save(tmp_path / "made.npz")
    assert track_of(Labelled.load(tmp_path / "made.npz").source)


@pytest.mark.parametrize("how", ["inside", "beside"])
@pytest.mark.parametrize("names", [False, True])
def test_ids_say_which_row_is_whose(data, tmp_path, how, names):
    order = np.random.default_rng(1).permutation(N + 2)
    ids = order
    if names:
        data = Labelled(
            inputs=data.inputs,
            classes=data.classes,
            given=data.given,
            ids=np.array([f"im{one}" for one in data.ids], object),
        )
        ids = np.array([f"im{one}" for one in order])
    beside = None
    if how == "inside":
        path = tmp_path / "f.npz"
        np.savez(path, features=features_of(order), ids=ids)
    else:
        path, beside = tmp_path / "f.npy", tmp_path / "ids.npy"
        np.save(path, features_of(order))
        np.save(beside, ids)
    made = with_features(data, path, beside)
    expected = [int(str(one).removeprefix("im")) for one in data.ids]
    assert made.inputs.tolist() == features_of(expected).tolist()


@pytest.mark.parametrize(
    ("table", "ids", "message"),
    [
        (np.zeros(N), None, r"f.npz: it holds float64 \(12,\); features are numbers \(n, d\)"),
        (np.zeros((N, 0)), None, r"it holds float64 \(12, 0\)"),
        (np.full((N, 2), "a"), None, r"it holds <U1 \(12, 2\)"),
        (np.zeros((N - 1, 2)), None, "no features of 1 examples, such as the one with the id 11"),
        (np.full((N, 2), np.nan), None, r"it has nan at row \d+, column 0; features are finite"),
        (np.zeros((N, 2)), np.arange(N - 1), r"it has 12 rows, and there are ids \(11,\)"),
        (np.zeros((N, 2)), np.arange(N) // 2, "rows 0 and 1 have the same id, 0"),
        (np.zeros((N, 2)), np.arange(N) + 1, "such as the one with the id 0"),
    ],
)
def test_what_does_not_fit_is_refused(data, tmp_path, table, ids, message):
    more = {} if ids is None else {"ids": ids}
    np.savez(tmp_path / "f.npz", features=table, **more)
    with pytest.raises(ValueError, match=message):
        with_features(data, tmp_path / "f.npz")


def test_other_files_are_refused(data, tmp_path):
    np.savez(tmp_path / "f.npz", X=np.zeros((N, 2)))
    with pytest.raises(ValueError, match="it has the arrays X, and no 'features'"):
        with_features(data, tmp_path / "f.npz")
    np.savez(tmp_path / "f.npz", features=np.zeros((N, 2)), ids=np.arange(N))
    np.save(tmp_path / "ids.npy", np.arange(N))
    with pytest.raises(ValueError, match="it has ids of its own; give no other file"):
        with_features(data, tmp_path / "f.npz", tmp_path / "ids.npy")
    np.save(tmp_path / "o.npy", np.array([{}], object))
    with pytest.raises(ValueError, match=r"o.npy cannot be read as an array of numbers"):
        with_features(data, tmp_path / "o.npy")
    for name in ("gone.npy", "gone.npz"):
        with pytest.raises((FileNotFoundError, ValueError), match=rf"{name}"):
            with_features(data, tmp_path / name)
    named = Labelled(
        inputs=data.inputs,
        classes=data.classes,
        given=data.given,
        ids=np.array(["x"] * 0 or [f"im{k}" for k in range(N)], object),
    )
    np.save(tmp_path / "f.npy", np.zeros((N, 2)))
    with pytest.raises(ValueError, match="ids are names such as 'im0', and nothing says which"):
        with_features(named, tmp_path / "f.npy")
