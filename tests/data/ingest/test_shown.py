"""What people may see of a row: nothing that tells its label or which row it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from candidly.data.ingest import Roles, is_table, read_frame, shown_columns

ROWS = "Unnamed: 0,id,label,truth,code,size,when,copy,line,label corrected\n"
ROWS += "".join(
    f"{9 - k},x{k},{'ab'[k % 2]},{'ab'[k % 2]},{k % 3},{k / 7:.2f},2024-01-0{k + 1},{'uv'[k % 2]},"
    f"{k + 5},a\n"
    for k in range(8)
)


def shown(tmp_path, text=ROWS, **roles):
    (tmp_path / "t.csv").write_text(text)
    return shown_columns(read_frame(tmp_path / "t.csv"), Roles(**roles))


def test_labels_truth_ids_and_numbers_of_rows_are_not_shown(tmp_path):
    assert shown(tmp_path) == ["code", "size", "when", "copy"]
    assert shown(tmp_path, drop=("when", "copy"), id="code") == ["id", "size"]
    others = shown(tmp_path, label="copy", drop=("label",))
    assert others == ["truth", "code", "size", "when"]  # no truth of these labels


def test_nothing_to_be_seen_is_said(tmp_path):
    with pytest.raises(ValueError, match="no column that people could look at"):
        shown(tmp_path, "id,label\n7,a\n9,b\n")


def test_which_files_are_tables(tmp_path):
    for name in ("a.csv", "a.PARQUET", "a.csv.gz"):
        assert is_table(Path(name)), name
    (tmp_path / "b.csv").mkdir()
    for name in ("digits", "a.npz", "a.mat", "a.npy", "folder/x", tmp_path / "b.csv"):
        assert not is_table(Path(name)), name
