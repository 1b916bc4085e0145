"""Verdicts of files are those of what they hold, and corrected labels are written."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from candidly import validation
from candidly.people.validation.files import read_label_file


def test_verdicts_and_corrected_labels_of_files(tmp_path):
    labels = np.array([0, 1, 2, 1])
    said = {0: ["guessed", "guessed", "given"], 2: ["given", "given", "given"]}
    rows = [(i, f"p{k}", word, labels[i], 1) for i, some in said.items()
            for k, word in enumerate(some)]  # fmt: skip
    table = pl.DataFrame(rows, ["item", "person", "answer", "given", "guessed"], orient="row")
    table.write_csv(tmp_path / "votes.csv")
    np.save(tmp_path / "labels.npy", labels)
    found = validation.read_validation(tmp_path / "votes.csv", tmp_path / "labels.npy")
    item, person, answer, *_ = zip(*rows)
    guessed = np.ones(4, int)
    tally = validation.from_answers(item, person, answer, given=labels, guessed=guessed)
    assert str(found.verdicts) == str(validation.judge(tally))
    assert found.size == 4
    found.write(tmp_path / "fixed.npy")
    assert np.load(tmp_path / "fixed.npy").tolist() == [1, 1, 2, 1]
    alone = validation.read_validation(tmp_path / "votes.csv")
    assert not alone.correctable
    with pytest.raises(ValueError, match="`labels` or `into` says which labels"):
        alone.write(tmp_path / "x.npy")


def test_classes_of_a_list_of_names_are_its_folders_in_order_of_their_names(tmp_path):
    (tmp_path / "i.json").write_text('["val/dog/1.png", "val/cat/2.png", "val/ant/3.png"]')
    assert read_label_file(tmp_path / "i.json").labels.tolist() == [2, 1, 0]
