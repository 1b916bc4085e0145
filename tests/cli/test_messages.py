"""Bad input to a command ends with one sentence that names it, exit status 2, and no internals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

# words of libraries and of Python that mean nothing to who typed the command
INTERNAL = re.compile(
    r"pydantic|polars|ComputeError|schema|infer_|truncate_|pickle|Errno|Traceback|mmap|dtype|"
    r"specification|utf-8 sequence|Input should be|_[a-z]+\(|<class|object at 0x|must not fall",
)

STABILITY = {
    "--labels": "labels.npy",
    "--corrected": "corrected.npy",
    "--predictions": "models",
    "--resamples": 5,
}


@pytest.fixture
def files(tmp_path):
    """Right files beside wrong ones, in the folder that the command runs in."""
    rng = np.random.default_rng(0)
    original = rng.integers(0, 3, 40)
    corrected = original.copy()
    corrected[:4] = (corrected[:4] + 1) % 3
    np.save(tmp_path / "labels.npy", original)
    np.save(tmp_path / "corrected.npy", corrected)
    for name, count in (("models", 3), ("one", 1), ("none", 0)):
        (tmp_path / name).mkdir()
        for k in range(count):
            right = rng.random(40) < 0.8
            np.save(tmp_path / name / f"m{k}.npy", np.where(right, corrected, 0))
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "empty.npy").touch()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "blank.txt").write_text("\n")
    (tmp_path / "blank.doc").write_text("\n")
    (tmp_path / "words.npy").write_text("not an array")
    (tmp_path / "words.parquet").write_text("not a table")
    (tmp_path / "bytes.csv").write_bytes(bytes(range(256)))
    (tmp_path / "ragged.csv").write_text("1\n2\n3,4,5\n")
    (tmp_path / "header.csv").write_text("label\n")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "short.npy", original[:5])
    np.save(tmp_path / "floats.npy", rng.random(40))
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2), int))
    return tmp_path


def one_sentence(answer):
    status, out, err = answer
    assert (status, out) == (2, "")
    last = err.rstrip("\n").splitlines()[-1]
    assert last.startswith(("candidly: error: ", "Error: ")), err
    assert err.count("\n") == 1 or err.startswith("Usage: "), err
    assert not INTERNAL.search(err), err
    return last


def stability(candidly, *changed):
    arguments = STABILITY | dict([changed])
    return one_sentence(candidly("stability", *(x for pair in arguments.items() for x in pair)))


UNREADABLE = {
    "missing.npy": "there is no file missing.npy",
    "folder.npy": "folder.npy is a folder; give a file that ends in .npy, ",
    "models": "models is a folder",
    "blank.doc": "blank.doc must end in one of .npy, ",
    "empty.npy": "empty.npy is empty",
    "empty.csv": "empty.csv is empty",
    "words.npy": "words.npy cannot be read as an array of numbers or names",
    "objects.npy": "objects.npy cannot be read as an array of numbers or names",
    "words.parquet": "words.parquet: it is no Parquet file, or a damaged one",
    "bytes.csv": "bytes.csv: line 1 has a byte 0",
    "ragged.csv": "ragged.csv: line 3 has 3 cells, and the first line has 1",
}


@pytest.mark.parametrize(
    "option", ["--labels", "--corrected", "--ids", "--checked", "--found", "--also"]
)
def test_a_file_that_cannot_be_read_is_named_with_what_is_wrong(candidly, files, option):
    for file, sentence in UNREADABLE.items():
        assert sentence in stability(candidly, option, file)


CELLS = {
    "word.csv": (
        "0\n1\ncow\n",
        "word.csv, column 0, holds names ('cow' at row 2); say with --classes",
    ),
    "half.csv": ("label\n0\n1.5\n", "half.csv, column 'label', has 1.5 at row 1; labels are names"),
    "short.csv": ("id,label\na,0\nb\n", "short.csv: line 3 has 1 cell"),
    "long.csv": ("id,label\na,0\nb,1,2\n", "long.csv: line 3 has 3 cells"),
}


@pytest.mark.parametrize("option", ["--labels", "--corrected", "--found", "--also"])
def test_a_bad_label_is_named_with_file_row_and_column(candidly, files, option):
    for file, (text, sentence) in CELLS.items():
        (files / file).write_text(text)
        assert sentence in stability(candidly, option, file)
    pl.DataFrame({"label": [0.0, None, 0.5]}).write_parquet(files / "half.parquet")
    sentence = "half.parquet, column 'label', has 0.5 at row 2; labels are names"
    assert sentence in stability(candidly, option, "half.parquet")
    pl.DataFrame({"label": [[0], [1]]}).write_parquet(files / "lists.parquet")
    sentence = "column 'label', has [0] at row 0; it takes one label"
    assert sentence in stability(candidly, option, "lists.parquet")


def test_ids_that_are_no_names_are_refused_in_plain_words(candidly, files):
    for column, sentence in (
        ([[1], [2]], "ids.parquet, column 'id', holds no texts and no numbers"),
        ([b"\xff\xfe", b"\xff"], "ids.parquet, column 'id', holds no texts and no numbers"),
        (["a", None], "ids.parquet has an empty name at row 1"),
    ):
        pl.DataFrame({"id": column}).write_parquet(files / "ids.parquet")
        assert sentence in stability(candidly, "--ids", "ids.parquet")


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--labels", "header.csv", "header.csv, column 'label', has no rows"),
        ("--labels", "floats.npy", "labels are names or whole"),
        ("--labels", "cube.npy", "labels are one column"),
        ("--labels", "short.npy", "--corrected has 40 labels and --labels 5"),
        ("--also", "short.npy", "correction 'short': --also has 5 labels and --labels 40"),
        ("--ids", "short.npy", "there are 40 items"),
        ("--checked", "short.npy", "must hold true and false, or 1 and 0"),
        ("--predictions", "missing", "--predictions is missing, which is no folder"),
        ("--predictions", "labels.npy", "which is no folder"),
        ("--predictions", "none", "with 0 files that end in .npy, .csv, .tsv, "),
        ("--predictions", "one", "a ranking needs at least two models, a file each"),
        ("--classes", "blank.txt", "--classes is 'blank.txt', in which there is no name"),
        ("--classes", ",", "--classes is ',', in which there is no name"),
        ("--classes", "a,b,a", "--classes has 'a' twice"),
        ("--classes", "a,b", "but there are 2 classes (0..1"),
        (
            "--alpha",
            "much",
            "Invalid value for '--alpha': it is 'much'; give a number above 0 and below 1",
        ),
        ("--alpha", "0", "it is '0'; give a number above 0 and below 1"),
        ("--alpha", "nan", "it is 'nan'; give a number above 0 and below 1"),
        ("--pairs", "some", "--pairs is 'some'; choose adjacent or all"),
        ("--seed", "-1", "it is '-1'; give a whole number from 0 to "),
        ("--audited", "99999", "--audited is 99,999; it counts items that nobody had checked"),
        ("--audit-errors", "3", "--audit-errors is 3; it counts wrong labels among the audited"),
        ("--html", "missing/page.html", "there is no folder missing"),
        ("--html", "page.txt", "it must end in .html or .htm"),
        ("--out", "models", "it must end in .json"),
        ("--plan", "plan.txt", "it must end in .csv or .parquet"),
    ],
)
def test_stability_says_what_is_wrong(candidly, files, option, value, sentence):
    assert sentence in stability(candidly, option, value)


def test_two_corrections_of_one_name_are_refused(candidly, files):
    (files / "other").mkdir()
    for folder in (files, files / "other"):
        np.save(folder / "strict.npy", np.load(files / "corrected.npy"))
    same = ("--also", "strict.npy", "--also", "other/strict.npy")
    given = (x for pair in STABILITY.items() for x in pair)
    assert "--also has two corrections called 'strict'" in one_sentence(
        candidly("stability", *given, *same)
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("algorithms show", "Missing argument 'NAME'"),
        ("algorithms show nope", "no algorithm named 'nope'"),
        ("algorithms show PRODEN:nope", "variant is 'nope'"),
        ("algorithms shw PRODEN", "No such command 'shw'. Did you mean 'show'?"),
        ("algorithms list more", "Got unexpected extra argument"),
        ("labels make digits", "Missing argument"),
        ("labels make digits flip:rate=0.3", "labels make needs one SPEC and one OUT"),
        ("labels make digits flip:rate=2 x.npz", "rate is '2'; give a number from 0 to 1"),
        ("labels make digits flip:rate=x x.npz", "rate is 'x'; give a number"),
        ("labels make digits flip:foo=1 x.npz", "flip has no option 'foo'"),
        ("labels make digits flop x.npz", "no process named 'flop'"),
        ("labels make digits flip:rate=0.3 x.csv", "OUT is x.csv; it must end in .npz"),
        (
            "labels make digits flip:rate=0.3 gone/x.npz",
            "OUT is gone/x.npz, but there is no folder gone",
        ),
        ("labels make gone.npz flip:rate=0.3 x.npz", "there is no file gone.npz"),
        ("labels make nope flip:rate=0.3 x.npz", "no data set named 'nope'"),
        (
            "labels describe models",
            "a folder without pictures that can be read, with m0.npy",
        ),
        ("demo --workers 0", "it is '0'; give a whole number from 1 to 10,000"),
        ("demo --workers few", "it is 'few'; give a whole number from 1 to 10,000"),
        ("review new", "Missing argument 'FOLDER'"),
        (
            "review new project",
            "nothing to ask about. Name a table, a folder or a data set, or give --issues",
        ),
        ("review new project --data nope --preset single", "no data set named 'nope'"),
        ("review new project --data digits --preset some", "'some'"),
        (
            "review new project --data digits --people 0",
            "it is '0'; give a whole number from 1 to 10,000",
        ),
        ("review serve gone", "gone holds no project; candidly review new gone makes one"),
        ("review serve labels.npy", "labels.npy holds no project"),
        ("review serve gone --port many", "it is 'many'; give a whole number from 0 to 65,535"),
        ("review export gone", "Missing option '--out'"),
        ("review export gone --out x.csv", "gone holds no project"),
        ("review status models", "models holds no project"),
        ("review merge gone other", "gone holds no project"),
    ],
)
def test_commands_say_what_is_wrong(candidly, files, line, sentence):
    assert sentence in one_sentence(candidly(*line.split()))


@pytest.mark.parametrize(
    "words",
    [
        ["errors", "find", "--labels", "t.csv", "--label", "label", "--probs", "m.safetensors"],
        ["errors", "find", "--labels", "m.safetensors", "--probs", "p.npy"],
        ["check", "m.safetensors"],
        ["train", "m.safetensors", "--out", "n.safetensors"],
        ["review", "new", "desk", "m.safetensors", "--preset", "single"],
        ["validate", "--votes", "m.safetensors"],
        ["labels", "describe", "m.safetensors"],
    ],
    ids=lambda words: f"{words[0]} {words[-2]}",
)
def test_a_model_where_rows_are_asked_for_is_named_as_what_it_is(
    candidly, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,label\n1,a\n2,b\n")
    np.save("p.npy", np.eye(2))
    Path("m.safetensors").write_bytes(b"12345678")
    status, _, err = candidly(*words)
    assert status == 2
    assert "m.safetensors is a model, not a file of rows" in err
