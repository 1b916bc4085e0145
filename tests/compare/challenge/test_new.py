"""Making a challenge: what runs are handed, what is kept, and what is refused at the door."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from candidly import from_arrays, load
from candidly.compare.challenge import Given, make_challenge, read_protocol
from candidly.compare.challenge._data import read_truth
from candidly.compare.challenge._new import made_seeds
from candidly.compare.challenge.entry import read_task
from candidly.compare.challenge.sets import _check_side, given_sets, read_set
from candidly.data.labels.votes import Votes
from candidly.data.sources.cifar_n import SideInformation
from candidly.ground.problem import Refusal
from compare.challenge.challenge_cases import labelled, small


def arguments(folder, track="labels", name="easy"):
    return ["digits", name, "7", str(folder / "data" / track / name), str(folder), "9.5"]


def test_what_is_made_is_read_back_the_same(tmp_path):
    protocol = small(tmp_path / "c")
    assert read_protocol(tmp_path / "c") == protocol
    assert [(one.name, one.data_set, one.rows, one.tested) for one in protocol.sets] == [
        ("easy", "digits", 200, 50),
        ("hard", "digits", 200, 50),
    ]


def test_a_task_has_its_labels_and_no_truth(tmp_path):
    small(tmp_path / "c")
    task = read_task(arguments(tmp_path / "c"))
    known = read_truth(tmp_path / "c", "easy")
    assert np.array_equal(task.data.given, known.given)
    assert task.data.truth is None
    assert task.tested.truth is None
    assert task.tested.given is None
    assert (task.seed, task.seconds, task.label_set) == (7, 9.5, "easy")
    learn, held = task.split()
    assert (learn.n, held.n) == (180, 20)
    assert not set(learn.ids) & set(held.ids)
    again = read_task([*arguments(tmp_path / "c")[:2], "8", *arguments(tmp_path / "c")[3:]])
    assert set(again.split()[1].ids) != set(held.ids)  # another seed, other rows held out


def test_other_arguments_end_the_program(tmp_path):
    with pytest.raises(SystemExit, match="DATA_SET LABEL_SET SEED DATA OUT SECONDS"):
        read_task(["digits"])


def test_texts_and_names_of_rows_come_through(tmp_path):
    texts = from_arrays(
        [f"text number {i}" for i in range(40)],
        given=[("cat", "dog")[i % 2] for i in range(40)],
        truth=[("cat", "dog")[i % 3 > 0] for i in range(40)],
        ids=[f"t{i}" for i in range(40)],
    )
    protocol = make_challenge(tmp_path / "c", [Given("easy", "digits", texts)], seed=1, seeds=1)
    assert protocol.sets[0].tested == 8
    task = read_task(arguments(tmp_path / "c"))
    assert task.data.kind == "texts"
    at = [int(name[1:]) for name in task.data.ids]
    assert task.data.inputs.tolist() == [f"text number {i}" for i in at]
    assert task.data.given.tolist() == [i % 2 for i in at]


def test_fewer_rows_are_the_same_of_every_label_set(tmp_path):
    small(tmp_path / "c", rows=60)
    easy, hard = (read_truth(tmp_path / "c", name) for name in ("easy", "hard"))
    assert len(easy.ids) == 60
    assert np.array_equal(easy.ids, hard.ids)
    assert np.array_equal(easy.truth, hard.truth)


def test_answers_of_annotators_are_a_track_of_their_own(tmp_path):
    data = labelled(0.2, 1)
    told = [(i, name, int(data.truth[i])) for i in range(data.n) for name in ("ann", "bob")]
    told = [one for one in told if one != (3, "bob", int(data.truth[3]))]
    votes = Votes(
        item=np.array([one[0] for one in told]),
        annotator=np.array([one[1] for one in told], object),
        offsets=np.arange(len(told) + 1),
        labels=np.array([one[2] for one in told]),
    )
    said = replace(data, votes=votes)[np.random.default_rng(0).permutation(data.n)]
    given = Given("easy", "digits", data, load("digits")[200:220], said)
    protocol = make_challenge(tmp_path / "c", [given], seeds=1)
    assert protocol.tracks == ("labels", "annotators")
    plain, more = (read_task(arguments(tmp_path / "c", t)) for t in ("labels", "annotators"))
    assert plain.annotators is None
    expected = np.stack([data.truth, data.truth], 1)
    people = [sorted({"ann", "bob"}).index(n) for n in dict.fromkeys(said.votes.annotator)]
    expected[3, people.index(1)] = -1
    assert np.array_equal(more.annotators, expected)


def test_who_labelled_what_goes_with_the_rows(tmp_path):
    data = labelled(0.2, 1)
    rng = np.random.default_rng(0)
    batch, workers, seconds = np.arange(300) // 5, *rng.integers(0, 99, (2, 300, 1))
    side = SideInformation(batch, workers, seconds)
    given = Given("easy", "digits", data, load("digits")[200:220], side=side)
    protocol = make_challenge(tmp_path / "c", [given], seeds=1, rows=40)
    assert protocol.tracks == ("labels", "annotators")
    plain, more = (read_task(arguments(tmp_path / "c", t)) for t in ("labels", "annotators"))
    assert plain.batch is plain.workers is plain.seconds_taken is None
    rows = more.data.ids
    assert len(rows) == 40
    assert np.array_equal(more.batch, batch[rows])
    assert np.array_equal(more.workers, workers[rows])
    assert np.array_equal(more.seconds_taken, seconds[rows])
    few = SideInformation(batch[:150], workers[:150], seconds[:150])
    with pytest.raises(ValueError, match="side information of the rows 0 to 149"):
        make_challenge(tmp_path / "d", [replace(given, side=few)], seeds=1)


def test_given_features_are_a_track_of_their_own(tmp_path):
    data, test = labelled(0.2, 1), load("digits")[200:220]
    numbers = np.arange(400.0).reshape(200, 2), np.arange(40.0).reshape(20, 2)
    given = Given("easy", "digits", data, test, features=numbers)
    protocol = make_challenge(tmp_path / "c", [given], seeds=1, rows=50, seed=3)
    assert protocol.tracks == ("labels", "features")
    task = read_task(arguments(tmp_path / "c", "features"))
    assert np.array_equal(task.features, numbers[0][task.data.ids])
    assert np.array_equal(task.test_features, numbers[1])


def broken(**changes):
    return replace(Given("easy", "digits", labelled(0.2, 1), load("digits")[200:210]), **changes)


@pytest.mark.parametrize(
    ("sets", "options", "said"),
    [
        ([], {}, "needs a label set"),
        ([broken(name="Easy!")], {}, "the label set's name is 'Easy!'"),
        ([broken(), broken()], {}, "'easy' is the name of two things"),
        ([broken(name="digits")], {}, "'digits' is the name of two things"),
        ([broken(name="learning")], {}, "'learning' is the name"),
        ([broken(data=load("digits"))], {}, "has no `given`"),
        ([broken(), broken(name="hard", data=labelled(0, 1)[::-1])], {}, "in another order"),
        ([broken(test=from_arrays([[1.0]], truth=["x"]))], {}, "other classes"),
        ([broken(features=(np.zeros((3, 2)), np.zeros((10, 2))))], {}, r"give floating numbers"),
        ([broken(votes=load("digits"))], {}, "no answers of annotators"),
        ([broken()], {"subset": "11"}, "has 10 test rows"),
        ([broken()], {"subset": "some"}, "give bootstrap"),
        ([broken()], {"seeds": 0}, "from 1 to 100"),
        ([broken()], {"seeds": (1, 1)}, "different whole numbers"),
        ([broken()], {"factor": 0}, "factor is 0"),
    ],
)
def test_what_makes_no_challenge_is_refused(tmp_path, sets, options, said):
    with pytest.raises(ValueError, match=said):
        make_challenge(tmp_path / "c", sets, **options)
    assert not (tmp_path / "c" / "challenge.json").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="holds something"):
        make_challenge(tmp_path, [broken()])


def test_seeds_are_drawn_and_differ():
    assert made_seeds(5, 1) == made_seeds(5, 1) != made_seeds(5, 2)
    assert len(set(made_seeds(100, 0))) == 100
    assert made_seeds((3, 1), 0) == (3, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cifar10n-worst", ("worst", "cifar10n", "cifar10n-worst", "")),
        ("digits+pair:rate=0.4", ("pair", "digits", "digits", "pair:rate=0.4")),
        ("hard=digits+pair:rate=0.4", ("hard", "digits", "digits", "pair:rate=0.4")),
        ("mine/hard=a/pets.csv", ("hard", "mine", "a/pets.csv", "")),
        ("cifar10h:k=3", ("cifar10h-given", "cifar10h", "cifar10h:k=3", "")),
    ],
)
def test_label_sets_are_named_by_what_they_are(text, expected):
    one = read_set(text)
    assert (one.name, one.data_set, one.data, one.process) == expected


def test_the_rows_of_a_challenge_and_its_files_are_private(tmp_path):
    small(tmp_path / "c")
    assert (tmp_path / "c").stat().st_mode & 0o077 == 0
    assert (tmp_path / "c" / "truth").stat().st_mode & 0o077 == 0
    about = json.loads((tmp_path / "c" / "data" / "labels" / "hard" / "task.json").read_text())
    assert about["label_set"] == "hard"
    assert "easy" not in json.dumps(about)
    assert SimpleNamespace(**about).rows == 200


@pytest.mark.parametrize("name", ["digits+symmetric:rate=0.2", "cifar100n", "mine.csv", "cifar10"])
def test_side_information_is_that_of_the_same_pictures(name):
    with pytest.raises(Refusal, match=f"who labelled the pictures of cifar10n, and {name[:6]}"):
        _check_side("cifar10n", read_set(name))
    _check_side("cifar10n", read_set("CIFAR10N-worst"))
    _check_side("cifar100n-coarse", read_set("cifar100n"))


def test_features_with_ids_are_refused_as_rows_go_by_their_order(tmp_path):
    table = tmp_path / "f.csv"
    table.write_text("id,u,v\n7,0.5,1\n3,0.25,2\n")
    with pytest.raises(ValueError, match="has ids of its rows, and features go row by row"):
        given_sets(["digits"], None, None, table, table, None, lambda done, total: None)
    table.write_text("u,v\n0.5,1\n0.25,2\n")
    (given,) = given_sets(["digits"], None, None, table, table, None, lambda done, total: None)
    assert given.features[0].tolist() == [[0.5, 1], [0.25, 2]]
