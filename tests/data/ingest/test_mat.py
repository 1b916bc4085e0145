"""MATLAB files: the forms in circulation, and files that are not what they should be."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from candidly.data.ingest import load_mat

DATA = np.array([[0.5, 1, 2, 3], [4, 5, 6, 7.25], [8, 9, 10, 11], [1, 1, 1, 1], [2, 0, 2, 0]])
SETS = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]])  # 3 classes, 5 examples
TARGET = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1]])


def saved(path, **arrays):
    savemat(path, {name: value for name, value in arrays.items() if value is not None})
    return path


def good(**changes):
    return {"data": DATA, "partial_target": SETS, "target": TARGET} | changes


@pytest.mark.parametrize("form", [
    lambda a: a.astype(np.float64), lambda a: a.astype(np.uint8), lambda a: a.astype(bool),
    lambda a: sparse.csc_matrix(a.astype(np.float64)), lambda a: sparse.csc_matrix(a.astype(bool)),
])  # fmt: skip
def test_sparse_and_dense_of_any_type(tmp_path, form):
    data = load_mat(
        saved(tmp_path / "toy.mat", **good(partial_target=form(SETS), target=form(TARGET)))
    )
    assert np.array_equal(data.inputs, DATA)
    assert np.array_equal(data.candidates, SETS.T.astype(bool))
    assert data.truth.tolist() == [0, 1, 1, 2, 2]
    assert (data.classes, data.source) == (("0", "1", "2"), "toy.mat")


def test_data_of_any_type(tmp_path):
    bits = load_mat(saved(tmp_path / "a.mat", **good(data=(DATA > 3).astype(np.uint8))))
    assert bits.inputs.dtype == np.float32
    assert np.array_equal(bits.inputs, DATA > 3)
    thin = load_mat(saved(tmp_path / "b.mat", **good(data=sparse.csc_matrix(DATA))))
    assert np.array_equal(thin.inputs, DATA)


def test_without_target_there_is_no_truth(tmp_path):
    data = load_mat(saved(tmp_path / "toy.mat", **good(target=None)), source="mine")
    assert data.truth is None
    assert data.source == "mine"


@pytest.mark.parametrize("turn_data", [False, True])
@pytest.mark.parametrize("turn_sets", [False, True])
def test_transposed_where_only_one_reading_fits(tmp_path, turn_data, turn_sets):
    arrays = good(
        data=DATA.T if turn_data else DATA,
        partial_target=SETS.T if turn_sets else SETS,
        target=TARGET.T if turn_sets else TARGET,
    )
    data = load_mat(saved(tmp_path / "toy.mat", **arrays))
    assert np.array_equal(data.inputs, DATA)
    assert np.array_equal(data.candidates, SETS.T.astype(bool))
    assert data.truth.tolist() == [0, 1, 1, 2, 2]


def changed(array, place, value):
    array = np.array(array, float)
    array[place] = value
    return array


def column(array, index, values):
    return changed(array, (slice(None), index), values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": None}, r"no array `data`; it has partial_target, target"),
        ({"partial_target": None}, r"no array `partial_target`; it has data, target"),
        ({"partial_target": column(SETS, 3, 0)}, r"column 3 of `partial_target` has no cand"),
        ({"target": column(TARGET, 2, 0)}, r"column 2 of `target` does not hold exactly one 1"),
        ({"target": column(TARGET, 4, 1)}, r"column 4 of `target` does not hold exactly one 1"),
        ({"target": changed(TARGET, (0, 0), 2)}, r"`target` has 2.0 for label 0 of example 0"),
        ({"partial_target": changed(SETS, (1, 2), 0.5)}, r"has 0.5 for label 1 of example 2"),
        ({"partial_target": changed(SETS, (1, 2), np.nan)}, r"has nan for label 1 of example 2"),
        ({"data": changed(DATA, (2, 1), np.nan)}, r"`inputs` has nan at row 2, column 1"),
        ({"data": changed(DATA, (0, 3), np.inf)}, r"`inputs` has inf at row 0, column 3"),
        ({"data": DATA[:2]}, r"`data` is 2 x 4 and `partial_target` 3 x 5, which share no number"),
        ({"data": np.ones((3, 4)), "partial_target": np.ones((3, 4)), "target": None},
         r"can be read in several ways"),
        ({"target": TARGET[:, :4]}, r"`target` is 3 x 4 and `partial_target` 3 x 5"),
        ({"data": DATA + 1j}, r"`data` is a MATLAB cell, struct, text or complex array"),
        ({"data": np.array([[1], ["x"]], object)}, r"`data` is a MATLAB cell"),
        ({"partial_target": "text"}, r"`partial_target` is a MATLAB cell, struct, text"),
        ({"data": {"a": 1}}, r"`data` is a MATLAB cell, struct"),
        ({"data": np.zeros((2, 2, 2))}, r"must have two dimensions"),
    ],
)  # fmt: skip
def test_files_that_are_not_right(tmp_path, changes, message):
    path = saved(tmp_path / "bad.mat", **good(**changes))
    with pytest.raises(ValueError, match=message) as error:
        load_mat(path)
    assert "bad.mat" in str(error.value)


@pytest.mark.parametrize("start", [b"MATLAB 7.3 MAT-file, Platform: GLNXA64", b"\x89HDF\r\n\x1a\n"])
def test_hdf5_is_refused_with_the_way_out(tmp_path, start):
    path = tmp_path / "new.mat"
    path.write_bytes(start.ljust(600, b"\0"))
    with pytest.raises(ValueError, match=r"new\.mat: a MATLAB 7\.3 \(HDF5\) file.*-v7"):
        load_mat(path)


def test_damaged_files_are_errors_of_the_file(tmp_path):
    path = saved(tmp_path / "bad.mat", **good())
    whole = path.read_bytes()
    for damaged in (
        b"",
        b"no matlab at all",
        whole[:100],
        whole[:400],
        whole[:-20],
        b"\xff" * 3000,
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"bad\.mat"):
            load_mat(path)
    with pytest.raises(FileNotFoundError):
        load_mat(tmp_path / "none.mat")
