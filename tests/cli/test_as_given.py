"""Published labels as given ones: in ``load``, and at every command that means nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import candidly as library
from candidly.data import sources
from candidly.errors import crossval

from needs import real_files

BUILT_IN = [name for name, source in sources.SOURCES.items() if not source.files]


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_published_label_is_given_and_no_truth(name):
    known, asked = library.load(name), library.load(name, as_given=True)
    assert np.array_equal(asked.given, known.truth)
    assert (known.given, asked.truth) == (None, None)
    assert asked.classes == known.classes


@real_files
@pytest.mark.parametrize("name", ["lost", "bluebirds", "cifar10h", "cifar10n-worst"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_set_with_labels_to_learn_from_keeps_them(name):
    known, asked = library.load(name), library.load(name, as_given=True)
    assert asked.fingerprint() == known.fingerprint()


def test_a_truth_of_ones_own_stays_one(tmp_path):
    (tmp_path / "own.csv").write_text("a,truth\n1,x\n2,y\n")
    own = library.load(tmp_path / "own.csv", as_given=True)
    assert own.given is None
    assert own.truth.tolist() == [0, 1]


def test_every_command_takes_them(candidly):
    """Checked, judged, reviewed, shown as examples, learned from: no option says so."""
    judged = crossval.cross_validate("logistic", library.load("digits", as_given=True))
    status, out, _ = candidly("check", "digits", "--json")
    assert status == 0
    assert json.loads(out)["rows"] == 1797
    assert candidly("errors", "probs", "digits", "--out", "probs.npz")[0] == 0
    assert np.array_equal(np.load("probs.npz")["probs"], judged.probs)
    made = "review", "new", "project", "digits", "--issues", "digits-check.csv"
    assert candidly(*made, "--train", "digits")[0] == 0
    trained = candidly("train", "digits", "--steps", 30, "--out", "d.safetensors", "--json")
    assert "given accuracy" in json.loads(trained[1])["measured"]


def test_labels_that_are_made_are_made_from_the_truth(candidly):
    told = "digits", "--labels", "flip:rate=0.3", "--steps", 30, "--json"
    status, out, _ = candidly("train", *told, "--out", "d.safetensors")
    assert status == 0
    assert json.loads(out)["labels"] == "candidate sets"


def test_examples_of_other_classes_are_refused_by_their_names(candidly):
    candidly("check", "digits")
    Path("own.csv").write_text("size,label\n" + "1,cat\n1,dog\n2,dog\n" * 10)
    made = "review", "new", "project", "own.csv", "--preset", "single", "--train", "digits"
    status, _, err = candidly(*made)
    assert status == 2
    assert "--train has examples of the classes 0, 1, 2" in err
    assert "asks about cat, dog" in err


def test_a_folder_of_its_name_is_said(tmp_path, monkeypatch):
    (tmp_path / "digits").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match=r"folder of that name here is read as digits/"):
        assert library.load("digits").n == 1797
