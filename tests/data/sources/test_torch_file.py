"""Files that torch saved, read without running them: what comes out, and what is refused."""

import io
import os
import pickle
import zipfile

import numpy as np
import pytest
import torch

from candidly.data.sources._torch_file import read_torch_arrays


def archive(path, program, name="labels/data.pkl"):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(name, program)
        file.writestr("labels/version", "3\n")
        file.writestr("labels/byteorder", "little")
    return path


ARRAYS = {
    "fine": np.arange(50) % 7,
    "bytes": np.array([0, 255, 3], np.uint8),
    "big": np.array([1, -2, 70_000], ">i4"),
    "matrix": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "list": [3, 1, 2**40, -5, 0],
    "empty": np.zeros(0, np.int64),
}


def check(found):
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == np.int64
        assert np.array_equal(found[name], array)


def test_what_torch_saves_comes_out(tmp_path):
    torch.save(ARRAYS, tmp_path / "x.pt")
    check(read_torch_arrays(tmp_path / "x.pt"))


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_the_protocol_of_torch_comes_out_and_others_are_refused(tmp_path, protocol):
    path = archive(tmp_path / "x.pt", pickle.dumps(ARRAYS, protocol))
    if protocol == 2:
        return check(read_torch_arrays(path))
    with pytest.raises(ValueError, match=r"x\.pt cannot be read as label arrays: "):
        read_torch_arrays(path)
    return None


def test_as_older_numpy_wrote_it(tmp_path):
    program = pickle.dumps(ARRAYS, 2).replace(b"numpy._core.multi", b"numpy.core.multi")
    check(read_torch_arrays(archive(tmp_path / "x.pt", program)))


class Hostile:
    def __init__(self, call, *arguments):
        self.how = call, arguments

    def __reduce__(self):
        return self.how


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("call", [os.system, os.mkdir, eval, exec, __import__, np.load, open])
def test_hostile_files_are_refused_and_do_nothing(tmp_path, monkeypatch, call, protocol):
    monkeypatch.chdir(tmp_path)
    argument = {os.system: "touch ran", os.mkdir: "ran", open: "ran"}.get(call, "open('ran', 'w')")
    labels = {
        "clean_label": np.arange(3),
        "more": Hostile(call, argument, *(["w"] * (call is open))),
    }
    program = pickle.dumps(labels, protocol)
    path = archive(tmp_path / "x.pt", program)
    with pytest.raises(
        ValueError, match=r"x.pt cannot be read as label arrays: it (names|is damaged)"
    ):
        read_torch_arrays(path)
    assert not (tmp_path / "ran").exists()
    with open(path, "rb") as file, zipfile.ZipFile(file) as opened:  # it would have
        try:
            pickle.loads(opened.read("labels/data.pkl"))
        except Exception:
            return
    assert call is __import__ or (tmp_path / "ran").exists()


def stream(*steps):
    return b"\x80\x02" + b"".join(steps) + b"."


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (pickle.dumps({"a": np.array([None, "x"])}, 2), "holds more than arrays of integers"),
        (pickle.dumps({"a": np.array([0.5])}, 2), "holds more than arrays of integers"),
        (pickle.dumps({"a": [1, "x"]}, 2), "holds a list, which is no array of integers"),
        (pickle.dumps({"a": 1.5}, 2), "it holds a float, which is no array"),
        (pickle.dumps([1, 2], 2), "does not hold a dict of arrays"),
        (pickle.dumps({}, 2), "does not hold a dict of arrays"),
        (pickle.dumps({"a": np.arange(9)}, 2)[:-30], "cannot be read"),
        (stream(b"cnumpy\nndarray\n", b")", b"R"), "it is damaged"),
        (stream(b"cnumpy\ndtype\n", b"K\x01", b"b"), "it is damaged"),
        (stream(b"R"), "it is damaged"),
        (stream(b"h\x05"), "cannot be read"),
        (stream(b"t"), "cannot be read"),
        (b"", "cannot be read"),
    ],
)
def test_what_is_no_array_is_refused(tmp_path, program, message):
    with pytest.raises(ValueError, match=message):
        read_torch_arrays(archive(tmp_path / "x.pt", program))


def test_arrays_of_another_size_than_they_say_are_refused(tmp_path):
    program = pickle.dumps({"a": np.arange(9)}, 2)
    assert program.count(b"K\x09") == 1  # the length in its shape
    with pytest.raises(ValueError, match="it is damaged"):
        read_torch_arrays(archive(tmp_path / "x.pt", program.replace(b"K\x09", b"K\x08")))


def test_tensors_and_other_files_are_refused(tmp_path):
    torch.save({"a": torch.arange(3)}, tmp_path / "tensor.pt")
    with pytest.raises(ValueError, match="holds a Tensor, which is no array of integers"):
        read_torch_arrays(tmp_path / "tensor.pt")
    torch.save({"a": np.arange(3)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(ValueError, match="cannot be read as label arrays"):
        read_torch_arrays(tmp_path / "old.pt")
    with pytest.raises(ValueError, match=r"no data.pkl inside"):
        read_torch_arrays(archive(tmp_path / "x.pt", b"", "labels/other"))
    with pytest.raises(FileNotFoundError):
        read_torch_arrays(tmp_path / "none.pt")


def test_a_file_that_unpacks_to_very_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("candidly.data.sources._torch_file.LARGEST", 1 << 20)
    program = io.BytesIO()
    pickle.dump({"a": np.zeros(1 << 18, np.int64)}, program, 2)
    with zipfile.ZipFile(tmp_path / "x.pt", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x/data.pkl", program.getvalue())
    with pytest.raises(ValueError, match="is larger than 1 MiB"):
        read_torch_arrays(tmp_path / "x.pt")


def test_a_type_whose_state_is_forged_is_refused(tmp_path):
    # fields of a structured type at places outside of it; set in NumPy's own code
    forged = np.dtype([("a", "i4")]).__reduce__()[2]
    kind = pickle.dumps({"a": np.dtype([("a", "i4")]), "b": forged}, 2)
    with pytest.raises(ValueError, match="it is damaged, or holds more than arrays of integers"):
        read_torch_arrays(archive(tmp_path / "x.pt", kind))
