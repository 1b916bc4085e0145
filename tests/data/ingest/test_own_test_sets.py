"""Test and validation rows in files of their own, or named by a column."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from candidly.data.ingest import read
from candidly.data.labels.labelled import Labelled

NAMES = ["cat", "dog", "eel"]


def _frame(n, seed, kind):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"id": [f"{seed}-{k}" for k in range(n)], "a": rng.normal(size=n)})
    if kind == "columns":
        frame = frame.with_columns(colour=pl.Series(rng.choice(["red", "blue"], n).tolist()))
    if kind == "texts":
        told = [f"row {k} of {seed} says nothing new" for k in range(n)]
        frame = frame.drop("a").with_columns(text=pl.Series(told))
    return frame.with_columns(label=pl.Series((NAMES + rng.choice(NAMES, n).tolist())[:n]))


def _write(frame, path):
    writers = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
    getattr(frame, writers[path.suffix])(path)
    return path


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from(["table", "columns", "texts"]),
    endings=st.tuples(*[st.sampled_from([".csv", ".jsonl", ".parquet"])] * 3),
    sizes=st.tuples(st.integers(60, 70), st.integers(3, 9), st.integers(3, 9)),
    validated=st.booleans(),
)
def test_files_and_a_column_say_the_same(tmp_path_factory, kind, endings, sizes, validated):
    folder = tmp_path_factory.mktemp("files")
    frames = [_frame(n, seed, kind) for seed, n in enumerate(sizes)]
    frames = frames if validated else frames[:2]
    parts = ["train", "test", "validation"][: len(frames)]
    files = [
        _write(frame, folder / f"{part}{ending}")
        for frame, part, ending in zip(frames, parts, endings)
    ]
    named = {f"{part}_file": file for part, file in zip(parts[1:], files[1:])}
    apart = read(files[0], id="id", **named)
    column = [part for part, frame in zip(parts, frames) for _ in range(len(frame))]
    whole = pl.concat(frames).with_columns(which=pl.Series(column))
    together = read(_write(whole, folder / f"all{endings[0]}"), id="id", part="which")
    assert apart.inputs.shape == together.inputs.shape
    for name in ("given", "truth", "ids", "official_test"):
        assert np.array_equal(getattr(apart, name), getattr(together, name)), name
    assert apart.fingerprint() == together.fingerprint()
    assert (apart.truth >= 0).sum() == sum(sizes[1 : len(frames)])
    if validated:
        assert apart.official_validation.sum() == sizes[2]


def test_columns_that_the_test_file_lacks_are_not_asked_of_it(tmp_path):
    noisy = pl.DataFrame(
        {"a": [1.0, 2, 3], "noisy": NAMES, "clean": NAMES, "note": ["x", "y", "z"]}
    )
    _write(noisy, tmp_path / "noisy.csv")
    _write(pl.DataFrame({"a": [9.0], "clean": ["eel"]}), tmp_path / "test.csv")
    data = read(
        tmp_path / "noisy.csv",
        label="noisy",
        truth="clean",
        drop=["note"],
        test_file=tmp_path / "test.csv",
    )
    assert data.truth.tolist() == data.given.tolist() == [0, 1, 2, 2]
    assert data.official_test.tolist() == [False] * 3 + [True]


def test_arrays_and_folders_have_own_test_files(tmp_path):
    rng = np.random.default_rng(0)
    for name, n in (("train", 6), ("test", 3)):
        labels = np.array((NAMES * 2)[:n])
        np.savez(tmp_path / f"{name}.npz", X=rng.normal(size=(n, 2)), y=labels)
        for k, label in enumerate(labels):
            place = tmp_path / name / label / f"{k}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(rng.integers(0, 256, (4, 4, 3), np.uint8)).save(place)
    for ending in (".npz", ""):
        data = read(tmp_path / f"train{ending}", test_file=tmp_path / f"test{ending}")
        assert data.official_test.tolist() == [False] * 6 + [True] * 3
        assert data.truth[6:].tolist() == [0, 1, 2]
        assert len(set(data.ids.tolist())) == 9


def test_a_folder_of_three_parts_has_a_validation_set(tmp_path):
    rng = np.random.default_rng(0)
    for part in ("train", "val", "test"):
        for label in NAMES:
            place = tmp_path / part / label / "a.png"
            place.parent.mkdir(parents=True)
            Image.fromarray(rng.integers(0, 256, (4, 4, 3), np.uint8)).save(place)
    with pytest.warns(UserWarning, match=r"test set and validation \(3\) the validation set; rows"):
        data = read(tmp_path)
    assert data.official_test.sum() == data.official_validation.sum() == 3
    assert not (data.official_test & data.official_validation).any()


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("a,label\n1,bird\n", r"test.csv.*'bird'.*not among the classes \(cat, dog, eel\)"),
        ("a,label\nx,cat\n", "test.csv.*'x'"),
        ("b,label\n1,cat\n", "test.csv.*the test set has no column 'a'"),
        ("a,b,label\n1,2,cat\n", "test.csv.*the rows to learn from have no column 'b'"),
        ("a,label\n1,cat\n2,\n", "test.csv.*row 1 of the test set has not one label"),
    ],
)
def test_what_the_test_file_has_wrong_is_said_of_it(tmp_path, test, said):
    (tmp_path / "train.csv").write_text("a,label\n1,cat\n2,dog\n3,eel\n")
    (tmp_path / "test.csv").write_text(test)
    with pytest.raises(ValueError, match=said):
        read(tmp_path / "train.csv", test_file=tmp_path / "test.csv")


def test_a_cell_that_names_no_part_is_refused(tmp_path):
    (tmp_path / "train.csv").write_text("a,which,label\n1,train,cat\n2,held,dog\n")
    with pytest.raises(ValueError, match="column 'which' has 'held' at row 1; a part is train"):
        read(tmp_path / "train.csv", part="which")


def test_answers_of_people_have_no_parts(tmp_path):
    (tmp_path / "answers.csv").write_text(
        "item,annotator,label,which\n1,ann,cat,train\n1,bob,dog,train\n2,ann,cat,test\n"
    )
    with pytest.raises(ValueError, match="column 'which' says which part a row is of"):
        read(tmp_path / "answers.csv", part="which")


def test_a_carriage_return_within_the_first_line_is_said(tmp_path):
    (tmp_path / "odd.csv").write_bytes(b"a,b,label\r,part\n1,2,x,train\n2,3,y,test\n")
    with pytest.raises(ValueError, match="a carriage return stands within its first line"):
        read(tmp_path / "odd.csv")


def test_saved_data_from_before_have_no_validation_set(tmp_path):
    data = Labelled(inputs=np.eye(2), classes=("a", "b"), given=np.array([0, 1]))
    data.save(tmp_path / "a.npz")
    assert Labelled.load(tmp_path / "a.npz").official_validation is None
