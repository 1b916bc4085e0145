"""The released votes, where CANDIDLY_DATA says they are: published counts, and what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from candidly import validation
from candidly.people.validation.files import read_label_file
from candidly.people.validation.label_errors import CARDS, study

from needs import real_files

pytestmark = real_files

# non-error, error, non-agreement, correctable, multi-label, neither; correctable by 4 and 5; kappa
TABLE = {
    "mnist": ((85, 15, 2, 10, 0, 3), (5, 2), None),
    "cifar10": ((221, 54, 32, 18, 0, 4), (7, 3), 0.14),
    "cifar100": ((1650, 585, 210, 318, 20, 37), (158, 48), 0.25),
    "caltech256": ((1902, 458, 99, 221, 115, 23), (118, 41), 0.36),
    "imagenet": ((2524, 2916, 598, 1428, 597, 293), (960, 468), 0.41),
    "quickdraw": ((630, 1870, 563, 1047, 20, 240), (614, 230), 0.20),
    "20news": ((11, 82, 43, 22, 12, 5), (8, 1), 0.04),
    "imdb": ((585, 725, 552, 173, 0, 0), (63, 12), None),
    "amazon": ((268, 732, 430, 302, 0, 0), (77, 5), None),
}
ORDER = ("non-error", None, "non-agreement", "correctable", "multi-label", "neither")


@pytest.mark.parametrize("name", TABLE)
def test_table_2(name):
    tally = study(name).votes
    found = validation.totals(validation.judge(tally, 3))
    row, strict, kappa = TABLE[name]
    counted = [found.categories[c] if c else found.errors["exact"].count for c in ORDER]
    assert tuple(counted) == row
    higher = [validation.judge(tally, level) for level in (4, 5)]
    assert tuple(int((v.category == 1).sum()) for v in higher) == strict
    if kappa is not None:
        agreed = validation.agreement(validation.judge(tally)).kappa
        assert agreed.value == pytest.approx(kappa, abs=0.005)


def test_audioset_by_sets():
    found = validation.totals(validation.judge(study("audioset").votes))
    assert found.categories["non-error"] == 32
    assert found.errors["exact"].count == 275


@pytest.mark.parametrize(
    ("name", "seen"),
    [("imagenet", 1986), ("cifar10", 37), ("cifar100", 465), ("quickdraw", 1692), ("20news", 42)],
)
def test_errors_when_seen_at_all(name, seen):
    verdicts = validation.judge(study(name).votes)
    assert int(verdicts.seen_error.sum()) == seen
    if name == "imagenet":
        assert int((verdicts.error & ~verdicts.seen_error).sum()) == 930


def test_higher_thresholds_make_more_errors():
    tally = study("imagenet").votes
    errors = [int(validation.judge(tally, level).error.sum()) for level in (3, 4, 5)]
    assert errors == [2916, 3553, 4424]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("imagenet", [(1428, 1488, 47084), (960, 2593, 46447), (468, 3956, 45576)]),
        ("cifar10", [(18, 36, 9946), (7, 101, 9892), (3, 190, 9807)]),
    ],
)
def test_what_the_set_is_made_of(name, sizes):
    settings = validation.thresholds(study(name).votes, CARDS[name].size)
    found = [(s.sets.corrected, s.sets.unsettled, s.sets.benign) for s in settings[:3]]
    assert found == sizes


def test_the_mean_error_and_the_share_validated():
    # Caltech-256 as published, since its 400 votes were not released
    found = [
        validation.estimate(65, 400, card.flagged, card.size).percent
        if name == "caltech256"
        else validation.estimate(
            int(validation.judge(study(name).votes).error.sum()),
            card.checked,
            card.flagged,
            card.size,
        ).percent
        for name, card in CARDS.items()
    ]
    assert np.mean(found) == pytest.approx(3.42, abs=0.005)
    assert found[list(CARDS).index("20news")] == pytest.approx(1.089, abs=0.0005)
    errors = sum(row[1] for name, (row, _, _) in TABLE.items() if name != "caltech256") + 65 + 275
    checked = sum(card.checked for card in CARDS.values())
    assert (errors, checked) == (7319, 13660)
    assert errors / checked == pytest.approx(0.536, abs=0.0005)


@pytest.mark.parametrize("name", ["mnist", "cifar10", "cifar100", "caltech256", "20news", "imdb"])
def test_labels_are_corrected_and_come_back(name, tmp_path):
    made = study(name)
    verdicts = validation.judge(made.votes)
    fixed = validation.corrected(made.given, verdicts, undecided="prune")
    row = TABLE[name][0]
    assert int((fixed.labels != made.given).sum()) == row[1]
    assert int((fixed.labels == -1).sum()) == row[1] - row[3]
    changed = (fixed.labels != made.given) & (fixed.labels >= 0)
    assert np.array_equal(fixed.labels[changed], made.predicted[changed])
    fixed.save(tmp_path / "c.npz")
    again = validation.Corrected.load(tmp_path / "c.npz")
    assert np.array_equal(again.undo(fixed.labels), made.given)


def test_the_catch_all_of_sentiments():
    verdicts = validation.judge(study("imdb").votes)
    disagree = verdicts.category == validation.CATEGORIES.index("non-agreement")
    assert int((disagree & (verdicts.tally.others["neutral"] >= 3)).sum()) == 200


def test_places():
    imagenet, imdb = study("imagenet"), study("imdb")
    assert imdb.ids[imdb.votes.item[0]] == "neg/10003_3.txt"
    folder = Path(os.environ["CANDIDLY_DATA"]) / "label_errors" / "dataset_indexing"
    if not list(folder.glob("imagenet_*")):
        assert (imagenet.votes.item == -1).all()
        with pytest.raises(ValueError, match="5440 items have no place"):
            validation.corrected(imagenet.given, validation.judge(imagenet.votes))
    # taken for places, the numbers of ImageNet's files would hit the label by chance only
    hits = imagenet.given[imagenet.votes.ids % 50_000] == imagenet.votes.given
    assert hits.mean() < 0.005


@pytest.mark.parametrize(
    ("index", "labels"),
    [
        ("caltech256_index_to_filename", "caltech256"),
        ("imagenet_val_set_index_to_filepath", "imagenet_val_set"),
        ("imdb_test_set_index_to_filename", "imdb_test_set"),
    ],
)
def test_folders_of_the_released_lists_of_names_are_the_released_labels(index, labels):
    place = Path(os.environ["CANDIDLY_DATA"]) / "label_errors"
    found = read_label_file(place / "dataset_indexing" / f"{index}.json").labels
    released = place / "original_test_labels" / f"{labels}_original_labels.npy"
    if not released.exists():
        pytest.skip(f"{released.name} is not among the files")
    assert np.array_equal(found, np.load(released, allow_pickle=False))
