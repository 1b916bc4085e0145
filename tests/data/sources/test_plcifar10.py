"""PLCIFAR10: votes and candidate sets from files of its form; what is no such file is refused."""

import pickle
import shutil
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from candidly.data.labels.labelled import Labelled
from candidly.data.sources import SOURCES, compare, load, plcifar10, source_of, title_of
from candidly.data.sources._pickled import PickleLimits, read_pickled
from picture_files import TEST, TRAIN, made, ten_binary
from plcifar10_files import BOMBS, DAMAGED, PLAIN, REFUSED, Harm, answers, shared, write

OTHER = pytest.mark.filterwarnings("ignore:.*may not compare", "ignore:.*labels alone")


def sets_of(data):
    return {int(image): set(np.flatnonzero(row)) for image, row in zip(data.ids, data.candidates)}


@OTHER
@pytest.mark.parametrize("protocol", range(6))
def test_every_answer_is_a_vote_in_stored_order(nowhere, protocol):
    write(nowhere, PLAIN, protocol)
    data = load("plcifar10", root=nowhere)
    assert data.ids.tolist() == [0, 1, 2, 3]
    assert data.inputs[2] == "CIFAR-10 training picture 2"
    assert (data.candidates, data.truth) == (None, None)
    assert data.votes.rows() == [
        (0, "0/0", (3,)), (0, "0/1", (3, 5)), (0, "0/2", (5,)), (1, "1/0", (1, 1, 1)),
        (1, "1/1", (2, 4)), (2, "2/0", ()), (2, "2/1", (7,)), (3, "3/0", (9, 9)),
    ]  # fmt: skip


@OTHER
@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("plcifar10-aggregate", [{3, 5}, {1, 2, 4}, {7}, {9}]),
        ("plcifar10:sets=union", [{3, 5}, {1, 2, 4}, {7}, {9}]),
        ("plcifar10-vaguest", [{3, 5}, {1}, {7}, {9}]),  # a label said thrice is three long
        ("plcifar10:sets=majority", [{3, 5}, None, None, {9}]),
        ("plcifar10:sets=at-least-2", [{3, 5}, None, None, None]),
        ("plcifar10:sets=union,k=1", [{3}, {1}, None, {9}]),
        ("plcifar10:sets=vaguest,k=2", [{3, 5}, {1}, {7}, {9}]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*are left out")
def test_sets(nowhere, name, sets):
    write(nowhere, PLAIN)
    kept = {image: one for image, one in enumerate(sets) if one}
    data = load(name, root=nowhere)
    assert sets_of(data) == kept
    assert data.source == source_of(name).name
    assert set(data.ids[data.votes.item].tolist()) == set(kept)


def slow_sets(stored, way):
    """The sets as the text of the specification makes them, one picture after the other."""
    made_of = {}
    for image, said in stored.items():
        if way == "union":
            chosen = {label for answer in said for label in answer}
        elif way == "vaguest":
            longest = []
            for answer in said:
                if len(answer) > len(longest):
                    longest = answer
            chosen = set(longest)
        else:
            least = len(said) // 2 + 1 if way == "majority" else int(way[len("at-least-") :])
            chosen = {k for k in range(10) if sum(k in answer for answer in said) >= least}
        if chosen:
            made_of[image] = chosen
    return made_of


@OTHER
@pytest.mark.filterwarnings("ignore:.*are left out")
@pytest.mark.parametrize("way", ["union", "vaguest", "majority", "at-least-3", "at-least-12"])
def test_sets_are_those_of_the_slow_version(nowhere, way):
    stored = {image: said for image, said in answers(200).items() if image % 7}
    stored[7] = [[], [], [3, 3, 2]]
    stored |= {14: [[], []], 21: []}
    write(nowhere, stored)
    expected = slow_sets(stored, way)
    if not expected:
        with pytest.raises(ValueError, match="no picture has a candidate by at-least-12"):
            load(f"plcifar10:sets={way}", root=nowhere)
        return
    data = load(f"plcifar10:sets={way}", root=nowhere)
    assert sets_of(data) == expected
    assert len(expected) > 30


@OTHER
def test_a_picture_without_a_candidate_keeps_its_votes(nowhere):
    stored = answers(5) | {2: [[], []], 3: []}
    write(nowhere, stored)
    with pytest.warns(UserWarning, match="2 of 5 pictures have no candidate by union and are left"):
        data = load("plcifar10-aggregate", root=nowhere)
    assert data.ids.tolist() == [0, 1, 4]
    votes = load("plcifar10", root=nowhere)
    assert votes.n == 5
    assert [len(labels) for item, _, labels in votes.votes.rows() if item == 2] == [0, 0]
    assert len(votes.votes) == sum(map(len, stored.values()))


@OTHER
def test_training_pictures_are_learned_and_test_pictures_scored(nowhere):
    stored = answers(TRAIN) | {4: [[]]}
    write(nowhere, stored)
    ten_binary(nowhere / "ten")
    pictures, labels = made(10)
    with pytest.warns(UserWarning, match="1 of 15 pictures have no candidate"):
        data = load("plcifar10-aggregate", root=nowhere)
    rows = [row for row in range(TRAIN + TEST) if row != 4]
    assert np.array_equal(data.inputs, pictures[rows])
    assert data.truth.tolist() == labels[rows].tolist()
    assert data.ids.tolist() == rows
    assert np.flatnonzero(data.official_test).tolist() == list(range(TRAIN - 1, TRAIN - 1 + TEST))
    assert data.candidates[data.official_test].all()
    found = data.describe()
    sets = slow_sets(stored, "union")
    assert found.avg_candidates == pytest.approx(np.mean([len(one) for one in sets.values()]))
    wrong = [labels[image] not in one for image, one in sets.items()]
    assert found.oracle_noise_rate == pytest.approx(np.mean(wrong))
    data.save(nowhere / "kept.npz")  # safely: without pickle
    assert Labelled.load(nowhere / "kept.npz") == data
    whole = load("plcifar10", root=nowhere)
    assert np.array_equal(whole.inputs, pictures)
    assert whole.describe().unlabelled_test == TEST


def test_what_differs_from_the_published_numbers_is_told(nowhere):
    stored = answers(TRAIN)
    write(nowhere, stored)
    ten_binary(nowhere / "ten")
    with pytest.warns(UserWarning, match="may not compare") as caught:
        data = load("plcifar10-vaguest", root=nowhere)
    said = sum(map(len, stored.values()))
    labels = sum(len(answer) for one in stored.values() for answer in one)
    told = [str(warning.message) for warning in caught if "plcifar10.pkl" in str(warning.message)]
    assert len(told) == 1
    for text in (
        "n is 15, not 50000",
        f"answers is {said}, not 502190",
        f"labels is {labels}, not 712109",
        "not 3.49",
        "not 0.17556",
    ):
        assert text in told[0]
    expected = replace(
        SOURCES["plcifar10-vaguest"].expected,
        n=15,
        answers=said,
        labels=labels,
        avg_candidates=round(data.describe().avg_candidates, 2),
        noise_rate=round(data.describe().oracle_noise_rate, 4),
    )
    rows = compare(data, replace(SOURCES["plcifar10-vaguest"], expected=expected))
    assert [row.what for row in rows if not row.agrees] == []
    assert len(rows) == 6
    shutil.rmtree(nowhere / "ten")
    with pytest.warns(UserWarning, match="n is 15, not 50000"):
        alone = load("plcifar10-vaguest", root=nowhere)
    assert alone.truth is None
    assert {row.what for row in compare(alone, SOURCES["plcifar10-vaguest"])} == {
        *("n", "q", "avg_candidates", "answers", "labels")
    }


def test_seeds_are_those_of_the_benchmark():
    assert title_of("plcifar10-aggregate") == "PLCIFAR10_Aggregate"
    assert title_of("plcifar10-vaguest") == "PLCIFAR10_Vaguest"
    assert source_of("plcifar10").steps == SOURCES["plcifar10-aggregate"].steps == 60_000
    with pytest.raises(ValueError, match="plcifar10-vaguest has no options"):
        source_of("plcifar10-vaguest:k=3")


def test_where_to_get_the_file_is_told(nowhere):
    with pytest.raises(FileNotFoundError, match=r"'plcifar10\.pkl'.*wwangwitsel/PLCIFAR10"):
        load("plcifar10-aggregate")


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("kind", REFUSED)
def test_other_values_are_refused(nowhere, kind, protocol):
    stored, message = REFUSED[kind]
    write(nowhere, stored, protocol)
    with pytest.raises(ValueError, match=rf"plcifar10\.pkl does not hold .*{message}"):
        load("plcifar10", root=nowhere)


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused(nowhere, kind):
    write(nowhere, DAMAGED[kind])
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"plcifar10\.pkl does not hold the answers of PLCIFAR10"):
        load("plcifar10", root=nowhere)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_nothing_is_run(nowhere):
    target = nowhere / "run"
    write(nowhere, {0: [Harm(target)]})
    with pytest.raises(ValueError, match="nothing of it was run"):
        load("plcifar10", root=nowhere)
    assert not target.exists()
    pickle.loads((nowhere / "plcifar10.pkl").read_bytes())  # which does run it
    assert target.exists()


@pytest.mark.parametrize("kind", BOMBS)
def test_what_grows_in_memory_is_counted(kind):
    read_pickled(BOMBS[kind], PickleLimits(steps=4100, objects=4100))
    with pytest.raises(ValueError, match="it is larger than what should be in it"):
        read_pickled(BOMBS[kind], PickleLimits(steps=10_000, objects=1000))
    with pytest.raises(ValueError, match="it is larger than what should be in it"):
        read_pickled(BOMBS[kind], PickleLimits(steps=1000, objects=10_000))


def test_limits_hold_for_the_file(nowhere, monkeypatch):
    write(nowhere, answers(100))
    monkeypatch.setattr(plcifar10, "LIMITS", PickleLimits(steps=1000, objects=10_000))
    with pytest.raises(ValueError, match="larger than what should be in it"):
        load("plcifar10", root=nowhere)
    monkeypatch.setattr(plcifar10, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="bytes, and the answers of PLCIFAR10 take less than 100"):
        load("plcifar10", root=nowhere)


def test_lists_that_stand_at_many_places_are_counted_before_they_are_walked(nowhere, monkeypatch):
    monkeypatch.setattr(plcifar10, "MOST_LABELS", 10_000)
    monkeypatch.setattr(plcifar10, "LIMITS", PickleLimits(steps=10_000, objects=3000))
    write(nowhere, dict.fromkeys(range(100), [[1] * 2000] * 10))
    tracemalloc.start()
    with pytest.raises(ValueError, match="it has more labels than there are"):
        load("plcifar10", root=nowhere)
    assert tracemalloc.get_traced_memory()[1] < 5e6  # two million labels take 16
    tracemalloc.stop()
    write(nowhere, dict.fromkeys(range(1000), [[1]] * 1000))
    with pytest.raises(ValueError, match="it has more answers than there are"):
        load("plcifar10", root=nowhere)
    write(nowhere, shared(100))
    with pytest.raises(ValueError, match="picture 0 has a list as a label"):
        load("plcifar10", root=nowhere)
