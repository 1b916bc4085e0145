"""``bench track`` and ``bench run --track``, from the command line."""

from __future__ import annotations

import re

import pytest

from candidly.compare.sweep.journal import read_results
from compare.tracking.test_tracking import scalars

pytest.importorskip("tensorboard")
RUN = (
    *("bench", "run", "--dataset", "digits", "--labels", "flip:rate=0.3", "--algorithms", "CC"),
    *("--configs", "1", "--splits", "2", "--steps", "20", "--eval-every", "10", "--workers", "1"),
)


@pytest.fixture
def trained(candidly, tmp_path):
    board = tmp_path / "board"
    status, _, err = candidly(*RUN, "--out", tmp_path / "runs", "--track", f"tensorboard:{board}")
    assert status == 0, err
    return tmp_path / "runs", board


def test_a_run_sends_its_records_and_a_second_command_sends_no_more(candidly, trained):
    runs, board = trained
    records = sum(len(run.records) for run in read_results(runs).runs)
    found = scalars(board)
    assert sum(len(said) for (_, tag), said in found.items() if tag == "test/top1") == records
    status, out, _ = candidly("bench", "track", runs, "--to", f"tensorboard:{board}")
    assert (status, out) == (0, f"tensorboard:{board}: 0 records sent\n")
    status, out, _ = candidly("bench", "track", runs, "--to", f"tensorboard:{board}2", "--follow")
    assert re.fullmatch(rf"tensorboard:.*2: {records} records sent\n", out)
    status, out, _ = candidly("bench", "track", runs, "--to", f"tensorboard:{board}", "--again")
    assert f": {records} records sent" in out


def test_a_tracker_that_is_not_known_is_refused_before_training(candidly, tmp_path):
    status, _, err = candidly(*RUN, "--out", tmp_path / "runs", "--track", "tensorbored:x")
    assert status != 0
    assert "tensorboard" in err
    assert not (tmp_path / "runs" / "plan.json").exists()
    status, _, err = candidly("bench", "track", tmp_path, "--to", f"tensorboard:{tmp_path}/b")
    assert status != 0
    assert "plan.json" in err
