"""Saving and loading: the same value comes back, and never half a file is left."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import Votes


def objects(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


@st.composite
def labelled(draw):
    n, q = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    text, name = st.text(max_size=5), st.text(min_size=1, max_size=5).filter(str.strip)
    numbers = hnp.arrays(
        draw(st.sampled_from([np.float32, np.float64])),
        (n, 2),
        elements=st.floats(-1e9, 1e9, width=32),
    )
    pixels = hnp.arrays(np.uint8, (n, 2, 3))
    texts = st.lists(text, min_size=n, max_size=n).map(objects)
    label = st.one_of(st.none(), hnp.arrays(np.int64, n, elements=st.integers(-1, q - 1)))
    sets = hnp.arrays(bool, (n, q))
    answer = st.tuples(st.integers(0, n - 1), text, st.lists(st.integers(0, q - 1), max_size=3))
    ids = st.one_of(
        st.lists(text, min_size=n, max_size=n, unique=True).map(objects),
        st.lists(st.integers(-9, 9), min_size=n, max_size=n, unique=True).map(np.array),
    )
    candidates = draw(st.one_of(st.none(), sets))
    if candidates is not None:
        candidates[:, 0] |= ~candidates.any(1)
    return Labelled(
        inputs=draw(st.one_of(numbers, pixels, texts)),
        classes=tuple(draw(st.lists(name, min_size=q, max_size=q, unique=True))),
        candidates=candidates,
        given=draw(label),
        tags=draw(st.one_of(st.none(), sets)),
        votes=draw(st.one_of(st.none(), st.lists(answer).map(Votes.from_rows))),
        truth=draw(label),
        ids=draw(ids),
        source=draw(text),
    )


@settings(deadline=None, max_examples=60)
@given(data=labelled())
def test_what_is_saved_comes_back(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "round.npz"
    data.save(path)
    again = Labelled.load(path)
    assert again == data
    assert again.fingerprint() == data.fingerprint()


def test_names_that_are_not_utf8_come_back(tmp_path):
    odd = os.fsdecode(b"caf\xe9.jpg")  # a file name in latin-1, on a UTF-8 system
    data = Labelled(inputs=objects([odd]), classes=(odd,), ids=objects([odd]), source=odd)
    data.save(tmp_path / "odd.npz")
    assert Labelled.load(tmp_path / "odd.npz") == data
    assert len(data.fingerprint()) == 64


@pytest.fixture
def toy():
    return from_arrays(np.arange(6.0).reshape(3, 2), [["a"], ["a", "b"], ["b"]], ["a", "b", "b"])


def test_media_move_with_their_folder(tmp_path):
    (tmp_path / "one" / "pictures").mkdir(parents=True)
    outside = tmp_path / "outside.jpg"
    outside.write_text("far")
    inside = tmp_path / "one" / "pictures" / "a.jpg"
    inside.write_text("near")
    data = from_arrays([inside, outside], [0, 1])
    data.save(tmp_path / "one" / "data.npz")
    (tmp_path / "one").rename(tmp_path / "two")
    moved = Labelled.load(tmp_path / "two" / "data.npz")
    assert moved.inputs.tolist() == [tmp_path / "two" / "pictures" / "a.jpg", outside]
    assert [path.read_text() for path in moved.inputs] == ["near", "far"]


def test_saving_replaces_and_leaves_nothing_beside(tmp_path, toy):
    path = tmp_path / "data.npz"
    path.write_text("old")
    toy.save(path)
    assert Labelled.load(path) == toy
    assert list(tmp_path.iterdir()) == [path]


def test_the_name_must_be_that_of_an_npz(tmp_path, toy):
    with pytest.raises(ValueError, match=r"data.csv: the name must end in .npz"):
        toy.save(tmp_path / "data.csv")
    with pytest.raises(OSError, match=r"nowhere"):
        toy.save(tmp_path / "nowhere" / "data.npz")


def rewritten(path, change):
    """The file with its arrays and note changed, as another version might have written it."""
    with np.load(path) as file:
        arrays = dict(file)
    note = json.loads(arrays["candidly"].tobytes())
    change(arrays, note)
    arrays["candidly"] = np.frombuffer(json.dumps(note).encode(), np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda arrays, note: note.update(schema=2),
            r"schema version 2, but this candidly reads 1",
        ),
        (lambda arrays, note: note.pop("schema"), r"schema version None"),
        (lambda arrays, note: arrays.pop("inputs"), r"is damaged: .*inputs"),
        (lambda arrays, note: note.pop("classes"), r"is damaged: it lacks 'classes'"),
        (
            lambda arrays, note: arrays.update(truth=np.array([0, 1, 9])),
            r"damaged: `truth` has label 9",
        ),
        (
            lambda arrays, note: arrays.update(truth=np.array([None] * 3)),
            r"Python objects, which are never",
        ),
    ],
)
def test_files_that_are_not_ours_to_read(tmp_path, toy, change, message):
    path = tmp_path / "data.npz"
    toy.save(path)
    rewritten(path, change)
    with pytest.raises(ValueError, match=message) as error:
        Labelled.load(path)
    assert "data.npz" in str(error.value)


def test_damaged_and_foreign_files(tmp_path, toy):
    path = tmp_path / "data.npz"
    toy.save(path)
    whole = path.read_bytes()
    for damaged in (
        b"",
        b"not a zip",
        whole[: len(whole) // 2],
        whole[:200] + b"\0" * 50 + whole[250:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"data\.npz"):
            Labelled.load(path)
    np.savez(path, X=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="was not saved by candidly"):
        Labelled.load(path)
    np.save(tmp_path / "single.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"not an \.npz file"):
        Labelled.load(tmp_path / "single.npy")
    with pytest.raises(FileNotFoundError):
        Labelled.load(tmp_path / "none.npz")


def child(code, *arguments):
    """Runs python code in a process of its own: limits and users cannot be taken back."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


SAVE = """
import sys, numpy as np
from candidly.data.labels.labelled import Labelled
data = Labelled(inputs=np.ones((1000, 100)), classes=("a", "b"))
{before}
try:
    data.save(sys.argv[1])
except OSError as error:
    print(error)
else:
    print("saved")
"""


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "data.npz"
    path.write_text("old")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))"
    done = child(SAVE.format(before=limit), path)
    assert str(path) in done.stdout, done
    assert "too large" in done.stdout.lower()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_read_only_folder_is_named(tmp_path):
    if os.getuid() != 0:
        folder = tmp_path / "folder"
        folder.mkdir(mode=0o555)
        before = ""
    else:  # root may write anywhere, so the child becomes another user
        folder, before = Path("/"), "import os; os.setgid(65534); os.setuid(65534)"
    path = folder / "candidly-test-readonly.npz"
    done = child(SAVE.format(before=before), path)
    assert str(path) in done.stdout, done
    assert "denied" in done.stdout.lower()
    assert not path.exists()


def test_storing_does_not_depend_on_layout(tmp_path, toy):
    fortran = replace(toy, inputs=np.asfortranarray(toy.inputs))
    fortran.save(tmp_path / "f.npz")
    assert Labelled.load(tmp_path / "f.npz") == toy
