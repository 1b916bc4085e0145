"""CIFAR-10S and CIFAR-10H: answers become sets, test pictures are learned, training ones scored."""

import gzip
import json

import numpy as np
import pytest

from candidly.compare.sweep.planning import facts_of, make_plan
from candidly.compare.sweep.settings import make_settings
from candidly.data.labels.describe import labelled_rows
from candidly.data.labels.votes import union
from candidly.data.sources import load, source_of, title_of
from candidly.ground.spec import several
from candidly.learn.engine.examples import unlearnable
from candidly.stats.criteria import constant_flip_rate
from picture_files import TEST, TRAIN, made, ten_binary

from needs import real_files

OTHER = pytest.mark.filterwarnings("ignore:.*may not compare")
COUNTS = np.zeros((TEST, 10), np.int64)
COUNTS[np.arange(TEST), made(10)[1][TRAIN:]] = 2
COUNTS[1, 9], COUNTS[2, [0, 1]] = 1, [1, 3]


def said(top, second="No", *impossible):
    return {
        "Most Probable Class": top,
        "Second Most Probable Class": second,
        "Impossible Class(es)": list(impossible),
    }


SAID = {
    "3": [said("Cat", "Dog", "Frog", "Ship"), said("Dog", "Dog", "Frog"), said("Bird")],
    "0": [said("Ship", "No", "Frog"), said("Ship", "Truck", "Frog")],
}
POSSIBLE = tuple(label for label in range(10) if label != 6)


@pytest.fixture
def here(nowhere):
    """Files of both, without pictures."""
    np.save(nowhere / "cifar10_test_set_original_labels.npy", made(10)[1][TRAIN:])
    np.save(nowhere / "cifar10h-counts.npy", COUNTS)
    content = gzip.compress(json.dumps(SAID).encode())
    (nowhere / "human_soft_labels_data.json.gz").write_bytes(content)
    return nowhere


@pytest.fixture
def pictured(here):
    ten_binary(here / "ten")
    return here


def alone(name, root):
    with pytest.warns(UserWarning, match="labels alone, as there is no whole form of cifar10"):
        return load(name, root=root)


@OTHER
def test_an_answer_is_what_is_named_or_what_is_possible(here):
    data = alone("cifar10s:sets=none", here)
    assert data.ids.tolist() == [0, 3]
    assert data.inputs.tolist() == ["CIFAR-10 test picture 0", "CIFAR-10 test picture 3"]
    assert data.truth.tolist() == made(10)[1][TRAIN:][[0, 3]].tolist()
    assert data.candidates is None
    assert data.votes.rows() == [
        (0, "0/0", POSSIBLE), (0, "0/1", POSSIBLE),
        (1, "3/0", (0, 1, 2, 3, 4, 5, 7, 9)), (1, "3/1", POSSIBLE), (1, "3/2", tuple(range(10))),
    ]  # fmt: skip
    named = alone("cifar10s: answer=named, sets=none", here)
    assert [labels for _, _, labels in named.votes.rows()] == [(8,), (8, 9), (3, 5), (5,), (2,)]


@OTHER
@pytest.mark.parametrize(
    ("options", "sets"),
    [
        ("sets=union", [{8, 9}, {2, 3, 5}]),
        ("sets=vaguest", [{8, 9}, {3, 5}]),
        ("sets=majority", [{8}, {5}]),
        ("sets=at-least-2", [{8}, {5}]),
        ("k=1", [{8}, {3, 5}]),
        ("k=2", [{8, 9}, {3, 5}]),
    ],
)
def test_answers_become_sets_by_name(here, options, sets):
    data = alone(f"cifar10s:answer=named,{options}", here)
    assert [set(np.flatnonzero(row)) for row in data.candidates] == sets


@OTHER
def test_a_picture_without_a_candidate_is_left_out_and_counted(here):
    data = alone("cifar10s:answer=named,sets=at-least-2,k=2", here)
    assert data.ids.tolist() == [0, 3]
    with pytest.warns(UserWarning, match="1 of 2 pictures have no candidate by at-least-3 and are"):
        data = load("cifar10s:answer=possible,sets=at-least-3", root=here)
    assert data.ids.tolist() == [3]
    assert [item for item, _, _ in data.votes.rows()] == [0, 0, 0]
    with pytest.raises(ValueError, match="no picture has a candidate by at-least-4"):
        load("cifar10s:sets=at-least-4", root=here)


@OTHER
def test_counts_become_answers(here):
    data = alone("cifar10h", here)
    rows = [(item, label) for item, _, (label,) in data.votes.rows()]
    assert sorted(item for item, _ in rows) == [item for item, _ in rows]
    counts = np.zeros_like(COUNTS)
    np.add.at(counts, tuple(np.array(rows).T), 1)
    assert np.array_equal(counts, COUNTS)
    assert np.array_equal(data.candidates, COUNTS > 0)
    assert len(set(data.votes.annotator)) == COUNTS.sum()


@OTHER
@pytest.mark.parametrize("k", ["", ",k=9"])
def test_the_first_of_equally_long_answers_is_no_class_of_its_own(here, k):
    np.save(here / "cifar10_test_set_original_labels.npy", np.zeros(400, np.int64))
    np.save(here / "cifar10h-counts.npy", np.tile([5, 0, 0, 0, 0, 0, 0, 0, 0, 5], (400, 1)))
    data = alone(f"cifar10h:sets=vaguest{k}", here)
    share = data.candidates.mean(0)
    assert share.sum() == 1
    assert 0.4 < share[9] < 0.6  # half, with a deviation of 0.025


@OTHER
def test_k_votes_are_drawn_without_replacement(here):
    drawn = [alone(f"cifar10h:k=2,seed={seed}", here) for seed in range(60)]
    shares = np.zeros((TEST, 10))
    for data in drawn:
        counts = np.zeros_like(COUNTS)
        labels = data.votes.labels
        np.add.at(counts, (data.votes.item, labels), 1)
        assert (counts <= COUNTS).all()
        assert (counts.sum(1) == 2).all()
        assert np.array_equal(data.candidates, counts > 0)
        shares += counts / 60
    expected = 2 * COUNTS / COUNTS.sum(1, keepdims=True)
    assert np.abs(shares - expected).max() < 0.3  # of a share with deviation below 0.07
    assert alone("cifar10h:k=2", here) == drawn[0]


@OTHER
@pytest.mark.parametrize("name", ["cifar10s", "cifar10h", "cifar10h:k=1,scored=3"])
def test_test_pictures_are_learned_and_training_pictures_scored(pictured, name):
    data = load(name, root=pictured)
    pictures, labels = made(10)
    mine = [0, 3] if name == "cifar10s" else list(range(TEST))
    scored = 3 if "scored" in name else TRAIN
    rows = [TRAIN + index for index in mine] + list(range(scored))
    assert np.array_equal(data.inputs, pictures[rows])
    assert data.truth.tolist() == labels[rows].tolist()
    assert data.ids.tolist() == rows
    assert data.official_test.tolist() == [False] * len(mine) + [True] * scored
    # nothing is known of what is scored
    assert data.candidates[data.official_test].all()
    assert data.votes.item.max() < len(mine)
    assert data.given is None
    assert np.array_equal(
        data.candidates[: len(mine)], union(data.votes, data.n, 10, "none")[: len(mine)]
    )


@OTHER
def test_what_is_scored_counts_nowhere_among_labels(pictured):
    data = load("cifar10h", root=pictured)
    found, bare = data.describe(), data[:TEST].describe()
    assert found.unlabelled_test == TRAIN
    assert (labelled_rows(data) == ~data.official_test).all()
    for name in ("avg_candidates", "candidate_sizes", "oracle_noise_rate", "oracle_class_counts"):
        assert getattr(found, name) == getattr(bare, name), name
    assert f"candidates avg {bare.avg_candidates:.2f}" in repr(data)
    assert unlearnable(data, ("candidates",), official=True) is None
    assert "`split='official'`" in unlearnable(data, ("candidates",)).told()


@OTHER
def test_a_plan_estimates_flips_from_what_people_labelled(pictured):
    data = load("cifar10h", root=pictured)
    asked = {"datasets": ("cifar10h",), "algorithms": ("CC",), "validation_share": 0.3}
    settings = make_settings(**asked, split="official")
    facts = facts_of(data, settings, None, 1)
    assert facts.flip_rate == constant_flip_rate(data.candidates[:TEST]).rate
    assert facts.n_test == TRAIN
    with pytest.raises(ValueError, match="CC cannot learn from cifar10h: nobody labelled"):
        make_plan(settings.model_copy(update={"split": "random"}), {"cifar10h": (data, facts)})


@OTHER
def test_pictures_in_another_order_are_refused(pictured):
    np.save(pictured / "cifar10_test_set_original_labels.npy", (made(10)[1][TRAIN:] + 1) % 10)
    with pytest.raises(ValueError, match="another class than the labels for CIFAR-10 test picture"):
        load("cifar10h", root=pictured)


@OTHER
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("cifar10h-counts.npy", np.zeros((4, 9), int), r"holds int64 \(4, 9\), no counts"),
        ("cifar10h-counts.npy", np.full((4, 10), -1), "no counts"),
        ("cifar10h-counts.npy", np.full((4, 10), 0.5), "no counts"),
        ("cifar10h-counts.npy", np.full((4, 10), 10**9), "counts 1000000000 answers of one class"),
        ("cifar10h-counts.npy", np.ones((5, 10), int), "has 4 labels, and the answers are about"),
        ("cifar10_test_set_original_labels.npy", np.zeros((4, 2)), "no labels"),
        ("human_soft_labels_data.json.gz", b"[1, 2]", "does not hold the answers of CIFAR-10S"),
        ("human_soft_labels_data.json.gz", b'{"0": [{"a": 1}]}', "does not hold the answers"),
        ("human_soft_labels_data.json.gz", b"{", "does not hold the answers"),
    ],
)
def test_files_of_another_kind_are_named(here, file, content, message):
    if isinstance(content, bytes):
        (here / file).write_bytes(gzip.compress(content))
    else:
        np.save(here / file, content)
    with pytest.raises(ValueError, match=message):
        load("cifar10s" if "human" in file else "cifar10h", root=here)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cifar10h", "cifar10h"),
        ("CIFAR-10H: k=3", "cifar10h:k=3"),
        ("cifar10h:seed=0,k=3,sets=union", "cifar10h:k=3"),
        ("cifar10h:scored=500,seed=2,k=3", "cifar10h:k=3,seed=2,scored=500"),
        ("cifar10s:seed=0,k=3,answer=named", "cifar10s:answer=named,k=3,seed=0"),
    ],
)
def test_one_name_for_one_choice(text, name):
    assert source_of(text).name == name
    assert source_of(name) == source_of(text)
    assert title_of(text) == name.replace("cifar", "CIFAR-").replace("10h", "10H").replace(
        "10s", "10S"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cifar10h:k=48", r"k is '48'; give a whole number from 1 to 47\."),
        ("cifar10h:k=0", "whole number from 1 to 47"),
        ("cifar10h:k=", "k has no value"),
        ("cifar10h:k=3,k=4", "'cifar10h:k=3,k=4' says k twice"),
        ("cifar10h:K9=3", "cifar10h has no option 'K9'"),
        ("cifar10h:set=union", "did you mean 'sets'"),
        ("cifar10h:sets=longest", "choose from union, vaguest, majority, at-least-2, none"),
        ("cifar10h:sets=at-least-0", "choose from"),
        ("cifar10h:seed=1", r"says nothing without k; write for example cifar10h:k=3,seed=1\."),
        ("cifar10h:answer=named", "cifar10h has no option 'answer'"),
        ("cifar10s:answer=all", "Choose from: possible, named"),
        ("lost:k=3", "lost has no options"),
        ("cifar10hh:k=3", "did you mean 'cifar10h'"),
    ],
)
def test_other_options_are_refused_kindly(nowhere, text, message):
    with pytest.raises((ValueError, KeyError), match=message):
        load(text, root=nowhere)


def test_commas_stand_between_names_and_between_options():
    asked = ["cifar10h:k=3,seed=1,lost", "a.csv, cifar10s:answer=named , k=2"]
    assert several(asked, "--dataset") == [
        "cifar10h:k=3,seed=1", "lost", "a.csv", "cifar10s:answer=named,k=2",
    ]  # fmt: skip
    assert several(["lost,k=3"], "--dataset") == ["lost", "k=3"]


@real_files
@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "n", "size", "noise"),
    [
        ("cifar10s", 1000, 5.719, 0.0),
        ("cifar10s:answer=named", 1000, 2.755, 0.0),
        ("cifar10s:sets=vaguest", 1000, 5.396, 0.020),
        ("cifar10s:answer=named,sets=vaguest", 1000, 1.928, 0.064),
        ("cifar10s:answer=named,k=2", 1000, 1.899, 0.021),
        ("cifar10h", 10_000, 1.9404, 0.0004),
        ("cifar10h:k=3", 10_000, 1.118, 0.0061),
        ("cifar10h:sets=vaguest", 10_000, 1.0, 0.0471),
        ("cifar10h:k=47", 10_000, 1.8929, 0.0004),
    ],
)
def test_real_answers(name, n, size, noise):
    data = load(name, download=False)
    found = data.describe()
    assert int(labelled_rows(data).sum()) == n
    assert data.n == n + 10_000
    assert data.kind == "images"
    assert found.avg_candidates == pytest.approx(size, abs=5e-4)
    assert found.oracle_noise_rate == pytest.approx(noise, abs=5e-5)


@real_files
@pytest.mark.filterwarnings("error")
@pytest.mark.slow
def test_what_people_called_impossible():
    data = load("cifar10s:sets=none", download=False)
    number = np.bincount(data.votes.item)
    assert (len(number), number.min(), number.max()) == (1000, 6, 11)
    answer = np.repeat(np.arange(6723), np.diff(data.votes.offsets))
    right = data.votes.labels == data.truth[data.votes.item[answer]]
    assert right.sum() / 6723 == pytest.approx(0.9567, abs=5e-5)
    assert len(answer) / 6723 == pytest.approx(2.6687, abs=5e-5)
