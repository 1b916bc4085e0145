"""The ten data sets of the study: what is found, and what is said of what is missing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from candidly.people.validation import SetTally, label_errors
from candidly.people.validation.label_errors import CARDS, study

from needs import real_files

ROW = {
    "id": 2,
    "url": "x",
    "given_original_label": 1,
    "our_guessed_label": 3,
    "mturk": {"given": 1, "guessed": 4, "neither": 0, "both": 0},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    for name in ("mturk", "original_test_labels", "cross_validated_predicted_labels"):
        (tmp_path / "label_errors" / name).mkdir(parents=True)
    (tmp_path / "label_errors/mturk/cifar10_mturk.json").write_text(json.dumps([ROW]))
    return tmp_path


def save(folder, kind, labels):
    sub, ending = label_errors.FOLDERS[kind]
    path = folder / "label_errors" / sub / f"cifar10_test_set_{ending}"
    np.save(path, np.asarray(labels, np.uint16))


def test_votes_alone_are_enough(folder):
    made = study("CIFAR-10", folder)
    assert made.card.title == "CIFAR-10"
    assert made.given is None
    assert made.probs == ()
    assert len(made.missing) == 3
    assert made.votes.item.tolist() == [2]


def test_labels_and_predictions_go_with_the_votes(folder, monkeypatch):
    save(folder, "given", [0, 0, 1, 2])
    save(folder, "predicted", [0, 0, 3, 2])
    monkeypatch.setenv("CANDIDLY_DATA", str(folder))
    made = study("cifar10")
    assert made.given.dtype == np.int64
    assert made.predicted.tolist() == [0, 0, 3, 2]
    save(folder, "predicted", [0, 0, 9, 2])
    with pytest.raises(ValueError, match="row 2 is 9, but the votes of cifar10 are about 3"):
        study("cifar10")
    save(folder, "predicted", [0, 0])
    with pytest.raises(ValueError, match="votes about row 2, but 2 labels"):
        study("cifar10")
    save(folder, "given", [0, 0, 77, 2])
    with pytest.raises(ValueError, match=r"up to 77; labels of CIFAR-10 are numbers 0\.\.9"):
        study("cifar10")


def test_imagenet_is_placed_by_its_index(folder):
    url = "https://labelerrors.com//static/imagenet/val/n01/ILSVRC2012_val_00000293.JPEG"
    votes = folder / "label_errors/mturk/imagenet_mturk.json"
    votes.write_text(json.dumps([ROW | {"id": 293, "url": url}]))
    made = study("imagenet", folder / "label_errors")
    assert made.votes.item.tolist() == [-1]
    assert any("dataset_indexing" in name for name in made.missing)
    (folder / "label_errors/dataset_indexing").mkdir()
    files = ["val/n01/ILSVRC2012_val_00000005.JPEG", "val/n01/ILSVRC2012_val_00000293.JPEG"]
    index = folder / "label_errors/dataset_indexing/imagenet_val_set_index_to_filepath.json"
    index.write_text(json.dumps(files))
    made = study("imagenet", folder / "label_errors")
    assert made.votes.item.tolist() == [1]
    assert made.ids == tuple(files)


def test_what_is_missing_says_what_to_put_where(folder):
    with pytest.raises(FileNotFoundError, match=r"mturk/mnist_mturk.json.*label_errors.*root"):
        study("mnist", folder)
    with pytest.raises(FileNotFoundError, match="no folder, as none was named"):
        study("mnist")
    with pytest.raises(KeyError, match="did you mean 'cifar100'"):
        study("cifar1000", folder)


def test_every_card_says_how_the_labels_came_about():
    assert len(CARDS) == 10
    for name, card in CARDS.items():
        assert card.name == name
        assert len(card.labelling) > 40
        assert 0 < card.checked <= card.flagged <= card.size


@real_files
@pytest.mark.parametrize("name", CARDS)
def test_the_released_files_belong_together(name):
    made = study(name)
    if name == "audioset":
        assert isinstance(made.votes, SetTally)
        assert made.given is None  # pickled
        assert len(made.ids) == made.card.size
    elif name not in ("quickdraw", "amazon"):
        assert made.given.max() < made.card.classes
        assert len(made.given) == len(made.predicted)
        assert len(made.given) == made.card.size or name == "caltech256"
    if name == "caltech256":
        assert (len(made.given), len(made.votes), len(made.ids)) == (29_780, 2_360, 29_780)
    else:
        assert len(made.votes) == made.card.checked
