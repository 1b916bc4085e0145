"""The released files, where CANDIDLY_DATA says they are: published counts and checked rows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from candidly import errors

from needs import real_files

pytestmark = real_files

# off-diagonal, calibrated, by noise rate, by class, both; n times the noise rate; rows checked
TABLE = {
    "mnist_test_set": ((15, 15, 15, 15, 15), 15.89, 100),
    "cifar10_test_set": ((244, 284, 284, 284, 226), 283.05, 275),
    "20news_test_set": ((55, 96, 95, 96, 45), 94.74, 93),  # both: 44 with the peer's sort
    "imdb_test_set": ((1076, 1309, 1309, 1309, 1309), 1309.16, 1310),
}
NAMES = list(TABLE)


def folder() -> Path:
    return Path(os.environ["CANDIDLY_DATA"]) / "label_errors"


def paths(name):
    return (
        folder() / "original_test_labels" / f"{name}_original_labels.npy",
        folder() / "cross_validated_predicted_probabilities" / f"{name}_pyx.npy",
    )


def evidence_of(name):
    return errors.examine(*paths(name), normalise=name.startswith("imdb"))


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_the_published_ones(name):
    evidence = evidence_of(name)
    counts = errors.counts(evidence)
    selected = [int(errors.find(evidence, by=by).mask.sum()) for by in ("noise rate", "class")]
    both = int(errors.find(evidence, by="both").mask.sum())
    expected, paper, _ = TABLE[name]
    assert (counts.off_diagonal, counts.calibrated, *selected, both) == expected
    assert counts.expected == pytest.approx(paper, abs=0.005)


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_that_people_checked_are_the_lowest_margins(name):
    answers = json.loads((folder() / "mturk" / f"{name.split('_')[0]}_mturk.json").read_text())
    checked = {str(answer["id"]) for answer in answers}
    found = errors.find(evidence_of(name), by="margin", count=TABLE[name][2]).indices
    numbers = found.tolist()
    if name.startswith("imdb"):
        index = folder() / "dataset_indexing" / "imdb_test_set_index_to_filename.json"
        files = json.loads(index.read_text())
        numbers = ["test/" + files[number].removesuffix(".txt") for number in numbers]
    assert {str(number) for number in numbers} == checked


def test_probabilities_that_are_none_are_refused_unless_asked_for():
    with pytest.raises(ValueError, match="normalise"):
        errors.examine(*paths("imdb_test_set"))
    assert evidence_of("imdb_test_set").normalised


@pytest.mark.parametrize("name", NAMES)
def test_both_rules_of_collision_agree_off_the_diagonal(name):
    labels, probs = paths(name)
    normalise = name.startswith("imdb")
    masked = errors.examine(labels, probs, normalise=normalise, collisions="masked").counts
    whole = errors.examine(labels, probs, normalise=normalise).counts
    off = ~np.eye(len(whole), dtype=bool)
    assert np.array_equal(masked[off], whole[off])
