"""Pickles read without running them: values come back, and everything else is refused."""

import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

from candidly.data.sources._pickled import read_pickled
from picture_files import python_2

VALUE = {
    "data": np.arange(24, dtype=np.uint8).reshape(4, 6),
    "labels": [0, 300, 70_000, 1 << 40, -1],
    "filenames": ["a.png", "ü" * 300],
    "batch_label": b"training batch 1 of 5",
    "more": (None, True, False, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}),
}


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_plain_values_and_bytes_come_back(protocol):
    found = read_pickled(pickle.dumps(VALUE, protocol))
    assert found.keys() == VALUE.keys()
    assert np.array_equal(found.pop("data"), VALUE["data"])
    assert found == {key: value for key, value in VALUE.items() if key != "data"}


def test_files_of_python_2_are_read_as_its_own_reader_reads_them():
    array = np.random.default_rng(0).integers(0, 256, (3, 3072), dtype=np.uint8)
    content = python_2(array, [3, 1, 2])
    expected = pickle.loads(content, encoding="bytes")
    found = read_pickled(content)
    assert found.keys() == expected.keys() == {b"data", b"labels"}
    assert np.array_equal(found[b"data"], expected[b"data"])
    assert np.array_equal(found[b"data"], array)
    assert found[b"labels"] == expected[b"labels"] == [3, 1, 2]


class Harm:
    """What runs a command when it is unpickled."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("function", [os.system, os.mkdir, eval])
def test_nothing_is_run(tmp_path, protocol, function):
    target = tmp_path / "run"
    argument = {os.system: f"touch {target}", os.mkdir: str(target)}.get(
        function, f"__import__('pathlib').Path({str(target)!r}).touch()"
    )
    content = pickle.dumps({"data": Harm(function, argument)}, protocol)
    with pytest.raises(ValueError, match=r"it (names|has the step) .* nothing of it was run"):
        read_pickled(content)
    assert not target.exists()
    pickle.loads(content)  # which does run it
    assert target.exists()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.arange(3), r"calls numpy\.dtype otherwise than uint8 arrays do"),
        (np.zeros(2, np.float32), r"calls numpy\.dtype otherwise"),
        (np.array([Path("a")], object), r"calls numpy\.dtype otherwise|it names pathlib"),
        (np.asfortranarray(np.ones((2, 3), np.uint8)), "not uint8, row by row"),
        (np.ones(2, np.uint8).view(np.recarray), "it names numpy"),
        (1.5, "has the step BINFLOAT, which no file"),
        ({1, 2}, "it names|has the step EMPTY_SET"),
        (Path("a"), "it names pathlib"),
        ({(1,): 2}, "no pickle, or a damaged one .a key is a tuple"),
    ],
)
@pytest.mark.parametrize("protocol", [2, 4])
def test_other_values_are_refused(value, message, protocol):
    with pytest.raises(ValueError, match=message):
        read_pickled(pickle.dumps(value, protocol))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no pickle at all",
        pickle.dumps(VALUE, 4)[:-1],
        pickle.dumps(VALUE, 2)[:90],
        b"\x80\x02]e.",  # appends without a mark
        b"\x80\x02K\x01a.",
        b"\x80\x02(K\x01K\x02u.",  # an item of nothing
        b"\x80\x02h\x07.",  # what was never put
        b"\x80\x02}(K\x01u.",  # a key without a value
        b"\x80\x02T\xff\xff\xff\x7fabc.",  # longer than the file
        b"\x80\x02K\x01K\x02b.",  # the state of a number
        b"\x80\x02K\x01)R.",  # a call of a number
        b"\x80\x02c_codecs\nencode\nK\x01\x85R.",
        b"\x80\x02cnumpy\ndtype\n)R.",
        b"\x80\x04\x93.",
    ],
)
def test_damaged_ones_are_refused(content):
    with pytest.raises(ValueError, match=r"is no pickle, or a damaged one|nothing of it was run"):
        read_pickled(content)


def test_an_array_has_as_many_bytes_as_it_says():
    content = python_2(np.zeros((2, 300), np.uint8), [])
    cut = content.replace(b"T" + struct.pack("<i", 600) + bytes(600), b"T\x03\x00\x00\x00abc")
    assert cut != content
    with pytest.raises(ValueError, match=r"shape \(2, 300\) has 3 bytes"):
        read_pickled(cut)
