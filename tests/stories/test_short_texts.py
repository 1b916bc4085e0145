"""Short texts mistyped at the command line: each is refused in a sentence that says what."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from candidly import cli, load


@pytest.fixture
def candidly(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own: (exit status, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["candidly", *words])
        try:
            cli.main()
            status = 0
        except SystemExit as ended:
            status = ended.code or 0
        return status, capsys.readouterr().err

    return run


def test_labels_that_were_mistyped_are_not_made(candidly, tmp_path):
    for text, said in {
        "flip:rate=0.3,rate=0.6": "labels 'flip:rate=0.3,rate=0.6' says rate twice.",
        "flip:rate=0.3,": "labels 'flip:rate=0.3,': nothing stands behind the last comma.",
        "flip:0.3": "flip has no option '0.3'. Choose from: rate, force, seed.",
        "flip:rate=1_0e-2": "rate is '1_0e-2'; give a number from 0 to 1, such as 0.1.",
        "flip:": "labels 'flip:': nothing stands behind the colon.",
    }.items():
        status, err = candidly("labels", "make", "digits", text, "made.npz")
        assert status == 2
        assert said in err
        assert not (tmp_path / "made.npz").exists()
    status, err = candidly("labels", "make", "digits", "Flip: Rate = .3 , seed=1", "made.npz")
    assert status == 0, err
    assert candidly("labels", "make", "digits", "flip:seed=1,rate=0.3", "other.npz")[0] == 0
    made, other = load("made.npz"), load("other.npz")
    assert np.array_equal(made.candidates, other.candidates)
    wrong = made.candidates.sum() - made.n  # of nine wrong labels each
    assert wrong / (9 * made.n) == pytest.approx(0.3, abs=0.02)


def test_a_plan_that_was_mistyped_is_not_made(candidly):
    asked = {
        "--labels": "flip:rate=0.3", "--algorithms": "PRODEN", "--net": "mlp:8",
        "--recipe": "sgd", "--search": "random", "--hyper": "lr=0.1",
    }  # fmt: skip
    for option, text, said in (
        ("--algorithms", "PRODEN,", "--algorithms 'PRODEN,': nothing stands behind the last comma"),
        ("--algorithms", "PRODEN:", "algorithm 'PRODEN:': nothing stands behind PRODEN"),
        ("--net", "mlp:8,hidden=9", "'mlp:8,hidden=9' says hidden twice"),
        ("--recipe", "sgd:momentum=0.9,Momentum=0.8", "says momentum twice"),
        ("--search", "tpe:round=8,", "'tpe:round=8,': nothing stands behind the last comma"),
        ("--hyper", "lr=0.1,lr=0.2", "--hyper 'lr=0.1,lr=0.2' says lr twice"),
    ):
        words = [word for pair in (asked | {option: text}).items() for word in pair]
        status, err = candidly("bench", "plan", "--dataset", "digits", *words)
        assert status == 2
        assert said in err
