"""Folders in the layout that ``save_to_disk`` of Hugging Face ``datasets`` 5.2 writes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import candidly
import export_files
from candidly.cli import app
from candidly.data.ingest import ReadAs, Roles, is_table, read, read_frame, write_back

TEXTS = ["שלום עולם", "😀👍🏽", "<b>bold &amp;</b>", "x" * 100_000, "line\u2028sep\nline", "café"]
NAMES = ["zebra", "ant"]  # not sorted: their order is the features'
LABELS = [0, 1, 1, 0, 0, -1]
FEATURES = {
    "text": {"dtype": "string", "_type": "Value"},
    "label": {"names": NAMES, "_type": "ClassLabel"},
}
COLUMNS = {"text": TEXTS, "label": pl.Series(LABELS, dtype=pl.Int64)}


def saved(folder: Path, columns=None, features=None, shards: int = 2) -> Path:
    """A data set in several files of Arrow streams."""
    frame = pl.DataFrame(columns or COLUMNS)
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data-{k:05d}-of-{shards:05d}.arrow" for k in range(shards)]
    for name, rows in zip(names, np.array_split(np.arange(len(frame)), shards)):
        frame[rows.tolist()].write_ipc_stream(folder / name)
    state = {
        "_data_files": [{"filename": name} for name in names],
        "_fingerprint": "088ad9d74cd39d7a", "_format_columns": None, "_format_kwargs": {},
        "_format_type": None, "_output_all_columns": False, "_split": None,
    }  # fmt: skip
    info = {
        "citation": "", "description": "", "features": features or FEATURES, "homepage": "",
        "license": "",
    }  # fmt: skip
    (folder / "state.json").write_text(json.dumps(state, indent=2, sort_keys=True))
    (folder / "dataset_info.json").write_text(json.dumps(info, indent=2))
    return folder


def several(folder: Path, parts: list[str]) -> Path:
    for k, part in enumerate(parts):
        saved(folder / part, {"text": TEXTS[k:], "label": LABELS[k:]})
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": parts}))
    return folder


@pytest.mark.parametrize("shards", [1, 2, 4])
def test_texts_and_class_names_are_those_that_were_saved(tmp_path, shards):
    folder = saved(tmp_path / "pets", shards=shards)
    assert is_table(folder)
    data = read(folder)
    assert list(data.inputs) == TEXTS
    assert data.classes == tuple(NAMES)
    assert data.given.tolist() == LABELS
    assert data.source == "pets"


def test_rows_come_in_the_order_that_the_state_names(tmp_path):
    folder = saved(tmp_path)
    state = json.loads((folder / "state.json").read_text())
    state["_data_files"].reverse()
    (folder / "state.json").write_text(json.dumps(state))
    assert read_frame(folder).frame["text"].to_list() == TEXTS[3:] + TEXTS[:3]


def test_a_folder_reads_as_a_table_of_the_same_texts_does(tmp_path):
    names = [NAMES[k] if k >= 0 else None for k in LABELS]
    frame = pl.DataFrame({"text": TEXTS, "label": names})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_ndjson(tmp_path / "t.jsonl")
    whole = read(saved(tmp_path / "t"))
    for path in (tmp_path / "t.csv", tmp_path / "t.jsonl"):
        other = read(path, classes=NAMES)
        assert other.kind == whole.kind == "texts"
        assert list(other.inputs) == list(whole.inputs)
        assert other.given.tolist() == whole.given.tolist()


@pytest.mark.parametrize(
    "kind",
    [
        lambda inner: {"feature": inner, "_type": "List"},
        lambda inner: {"feature": inner, "length": -1, "_type": "Sequence"},
        lambda inner: [inner],
    ],
)
def test_lists_of_classes_are_candidates(tmp_path, kind):
    columns = {"text": TEXTS[:3], "label": [[0, 1], [1], [0]]}
    data = read(saved(tmp_path, columns, FEATURES | {"label": kind(FEATURES["label"])}))
    assert data.classes == tuple(NAMES)
    assert data.candidates.tolist() == [[True, True], [False, True], [True, False]]


@pytest.mark.parametrize(
    ("parts", "read_part", "told"),
    [(["test", "train"], "train", "not test; give one"), (["only"], "only", None)],
)
def test_of_several_train_is_read_or_the_only_one(tmp_path, parts, read_part, told):
    folder = several(tmp_path, parts)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        frame = read_frame(folder).frame
    assert frame["text"].to_list() == TEXTS[parts.index(read_part) :]
    messages = [str(one.message) for one in found]
    assert [told in message for message in messages] == ([True] if told else [])


def test_of_several_others_one_is_asked_for(tmp_path):
    folder = several(tmp_path, ["a", "b"])
    with pytest.raises(ValueError, match=f"holds 2 data sets; give one of them, such as {folder}/"):
        read_frame(folder)
    assert read_frame(folder / "b").frame["text"].to_list() == TEXTS[1:]


def damaged(folder: Path, what: str) -> None:
    first = "data-00000-of-00002.arrow"
    state = folder / "state.json"
    {
        "lacks a file": lambda: (folder / first).unlink(),
        "cut": lambda: (folder / first).write_bytes((folder / first).read_bytes()[:200]),
        "no stream": lambda: (folder / first).write_bytes(b"text"),
        "no json": lambda: state.write_text("{"),
        "a list": lambda: state.write_text("[]"),
        "outside": lambda: state.write_text(
            json.dumps({"_data_files": [{"filename": "../data.arrow"}]})
        ),
        "no files": lambda: state.write_text("{}"),
        "other columns": lambda: pl.DataFrame({"odd": [1]}).write_ipc_stream(folder / first),
        "none": lambda: state.write_text('{"_data_files": []}'),
        "outside of all": lambda: (folder / "dataset_dict.json").write_text('{"splits": [".."]}'),
        "a missing part": lambda: (folder / "dataset_dict.json").write_text('{"splits": ["a"]}'),
    }[what]()


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("lacks a file", "data-00000-of-00002.arrow is missing"),
        ("cut", "data-00000-of-00002.arrow is no Arrow stream, or a damaged one"),
        ("no stream", "is no Arrow stream"),
        ("no json", "state.json is missing or damaged"),
        ("a list", "state.json is missing or damaged"),
        ("outside", "state.json names no files"),
        ("no files", "state.json names no files"),
        ("other columns", "different columns"),
        ("none", "holds no columns"),
        ("outside of all", "dataset_dict.json names no data sets"),
        ("a missing part", "its folder a is missing"),
    ],
)
def test_damaged_folders_are_refused_by_name(tmp_path, what, told):
    folder = saved(tmp_path / "pets")
    damaged(folder, what)
    with pytest.raises(ValueError, match=rf"{folder}: .*{told}.* Save it again") as error:
        read_frame(folder)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("odd", [2, -2])
def test_classes_without_a_name_are_refused(tmp_path, odd):
    columns = {"text": TEXTS[:2], "label": [0, odd]}
    with pytest.raises(ValueError, match=f"the class {odd}, and its 2 classes"):
        read(saved(tmp_path, columns))


def test_a_folder_is_not_written_back(tmp_path):
    sheet = read_frame(saved(tmp_path / "pets"))
    with pytest.raises(ValueError, match="is not written back"):
        write_back(sheet, {"more": ["x"] * 6}, tmp_path / "out", "label")


def test_a_folder_of_pictures_is_no_table(tmp_path):
    (tmp_path / "ant").mkdir()
    assert not is_table(tmp_path)


def test_check_train_and_predict_take_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = [f"{'good fine' if k % 2 else 'bad sad'} word{k}" for k in range(40)]
    folder = saved(Path("pets"), {"text": texts, "label": [k % 2 for k in range(40)]})
    assert candidly.check(folder).data.classes == tuple(NAMES)
    run = CliRunner()
    done = run.invoke(app, ["train", "pets", "--out", "m.safetensors", "--steps", "20"])
    assert done.exit_code == 0, done.output
    done = run.invoke(app, ["predict", "m.safetensors", "pets", "--out", "p.csv"])
    assert done.exit_code == 0, done.output
    assert len(pl.read_csv("p.csv")) == 40


# lines of JSON


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_json_keep_every_sign(tmp_path, encoding, escaped, end):
    rows = [{"text": text, "label": "ab"[k % 2]} for k, text in enumerate(TEXTS)]
    text = end.join(json.dumps(row, ensure_ascii=escaped) for row in rows) + end
    (tmp_path / "t.ndjson").write_bytes(text.encode(encoding))
    assert list(read(tmp_path / "t.ndjson").inputs) == TEXTS


@pytest.mark.parametrize("half", [r"\ud83d", r"\uDE00", r"\ud83d\ud83d\ude00"])
def test_half_a_character_in_json_is_refused_with_its_line(tmp_path, half):
    path = tmp_path / "t.jsonl"
    whole = r'{"text": "\ud83d\ude00 \\ud83d", "label": "a"}'
    path.write_text(f'{whole}\n{{"text": "x{half} y", "label": "b"}}\n')
    with pytest.raises(ValueError, match=r"line 2 has half a character \(\\ud"):
        read_frame(path)
    path.write_text(f"{whole}\n")
    assert read_frame(path).frame["text"].to_list() == ["😀 \\ud83d"]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", "folder"])
def test_a_missing_text_is_refused_alike(tmp_path, ending):
    frame = pl.DataFrame({"text": ["good", None], "label": ["a", "b"]})
    path = tmp_path / f"t{ending}"
    {
        ".csv": lambda: frame.write_csv(path),
        ".jsonl": lambda: frame.write_ndjson(path),
        ".parquet": lambda: frame.write_parquet(path),
        "folder": lambda: saved(path, frame.to_dict(), {"text": FEATURES["text"]}, shards=1),
    }[ending]()
    with pytest.raises(ValueError, match=r"column 'text' is empty at row 1. Drop such rows"):
        read(path, Roles(label="label"))


def test_a_saved_export_is_read_as_one(tmp_path):
    rows = pl.read_ndjson(export_files.argilla_lines({1: {"ann": "cat", "bob": "dog"}, 2: {}}))
    folder = saved(tmp_path / "exported", rows.to_dict(), {"text": FEATURES["text"]}, shards=1)
    with pytest.warns(ReadAs, match="exported read as: Argilla data set, 2 annotators, 2 items, 2"):
        frame = read_frame(folder).frame
    assert frame.select("item", "annotator", "label").rows() == [
        ("1", "ann", "cat"), ("1", "bob", "dog"), ("2", None, None),
    ]  # fmt: skip


def test_parquet_that_declares_classes_is_believed(tmp_path):
    """As Hugging Face datasets write it; others' notes in a file say nothing."""
    note = {
        "info": {"features": {"label": {"names": ["neg", "pos", "none"], "_type": "ClassLabel"}}}
    }
    frame = pl.DataFrame({"x": [0.5, 1.5, 2.5], "label": [1, 0, 1]})
    frame.write_parquet(tmp_path / "t.parquet", metadata={"huggingface": json.dumps(note)})
    data = read(tmp_path / "t.parquet", label="label")
    assert (data.classes, data.given.tolist()) == (("neg", "pos", "none"), [1, 0, 1])
    for strange in ("{", "[]", '{"info": 3}', "null"):
        frame.write_parquet(tmp_path / "t.parquet", metadata={"huggingface": strange})
        assert read(tmp_path / "t.parquet", label="label").classes == ("0", "1")
