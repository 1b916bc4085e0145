"""The container itself: checks at the door, parts of it, equality, fingerprints, splits."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

from candidly.data.labels.labelled import (
    Labelled,
    given_to_candidates,
)
from candidly.data.labels.votes import Votes


def objects(*values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def make(**changes):
    """Four examples, three classes, every kind of label."""
    return Labelled(
        **{
            "inputs": np.arange(8.0).reshape(4, 2),
            "classes": ("ant", "bee", "cat"),
            "candidates": np.array([[1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 0, 1]], bool),
            "given": np.array([0, 1, -1, 2]),
            "tags": np.array([[1, 0, 0], [0, 0, 0], [1, 1, 1], [0, 1, 1]], bool),
            "votes": Votes.from_rows(
                [(1, "p", [1]), (0, "p", [0, 1]), (3, "q", [2]), (0, "q", [])]
            ),
            "truth": np.array([0, 1, 2, -1]),
            "source": "toy",
        }
        | changes
    )


def test_sizes_kind_and_repr():
    data = make()
    assert (data.n, data.q, len(data), data.kind) == (4, 3, 4, "table")
    assert data.ids.tolist() == [0, 1, 2, 3]
    assert repr(data) == (
        "Labelled(4 x 2 table, 3 classes, candidates avg 1.75, given, tags, 4 votes, truth,"
        " source='toy')"
    )


@pytest.mark.parametrize(
    ("inputs", "kind"),
    [
        (np.zeros((4, 2), np.float32), "table"),
        (np.zeros((4, 5, 6), np.uint8), "images"),
        (np.zeros((4, 5, 6, 3), np.uint8), "images"),
        (objects("a", "b", "c", ""), "texts"),
        (objects(*map(Path, "abcd")), "media"),
    ],
)
def test_kinds_of_inputs(inputs, kind):
    data = make(inputs=inputs)
    assert data.kind == kind
    assert data[1:3].kind == kind
    assert data == make(inputs=inputs)


def with_value(shape, place, value, dtype):
    array = np.zeros(shape, dtype)
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "inputs",
            with_value((4, 2), (1, 1), np.nan, float),
            r"`inputs` has nan at row 1, column 1",
        ),
        ("inputs", with_value((4, 2), (3, 0), -np.inf, float), r"-inf at row 3, column 0"),
        ("inputs", np.zeros((4, 2), np.int64), r"`inputs` is int64 of shape \(4, 2\)"),
        ("inputs", np.zeros((4, 2, 2)), r"uint8 images"),
        ("inputs", np.zeros((4, 0)), r"shape \(4, 0\): there is nothing in an example"),
        ("inputs", [[1.0], [2.0]], r"`inputs` is a list"),
        ("inputs", objects("a", "b", 3, "d"), r"`inputs` has 3 at row 2, but row 0 is a str"),
        ("inputs", objects(None, "b", "c", "d"), r"`inputs` has None at row 0"),
        (
            "candidates",
            with_value((4, 3), (0, 0), 1, bool),
            r"no label at row 1 \(3 such rows of 4",
        ),
        ("candidates", np.ones((4, 2), bool), r"`candidates` has shape \(4, 2\), but \(4, 3\)"),
        ("candidates", np.ones((4, 3)), r"`candidates` is float64, not an array of bool"),
        ("tags", np.ones((3, 3), bool), r"`tags` has shape \(3, 3\), but \(4, 3\)"),
        ("given", np.array([0, 1, 2, 4]), r"`given` has label 4 at row 3, but there are 3 classes"),
        ("given", np.array([1, 2, 3, 1]), r"label 3 at row 2.*start at 1, subtract 1"),
        ("truth", np.array([0, -2, 0, 0]), r"`truth` has label -2 at row 1.*-1 for none"),
        ("truth", np.array([0, 1, 2]), r"`truth` has shape \(3,\), but \(4,\)"),
        ("truth", np.array([0, 1, 2, 0], np.int32), r"`truth` is int32, not an array of int64"),
        ("classes", ("a", "b", "a"), r"`classes` has 'a' at position 0 and again at position 2"),
        ("classes", ("a", 1, "b"), r"`classes` has 1 at position 1"),
        ("classes", (), r"`classes` is empty"),
        ("ids", np.array([5, 6, 6, 7]), r"`ids` has 6 at row 1 and again at row 2"),
        ("ids", np.array([5, 6]), r"`ids` has 2 entries, but `inputs` has 4 rows"),
        ("ids", objects("a", "b", 3, "d"), r"`ids` has 3 at row 2"),
        ("ids", [1, 2, 3, 4], r"`ids` must be a numpy array"),
        ("votes", Votes.from_rows([(4, "p", [0])]), r"`votes` has item 4 in answer 0"),
        (
            "votes",
            Votes.from_rows([(0, "p", []), (1, "p", [0, 3])]),
            r"label 3 in answer 1 \(item 1",
        ),
        ("votes", [(0, "p", [0])], r"`votes` is a list"),
        ("source", None, r"`source` is None"),
    ],
)
def test_what_does_not_fit_is_named(field, value, message):
    with pytest.raises(ValueError, match=message):
        make(**{field: value})


def test_values_stay_values():
    mine = np.zeros((4, 2))
    data = make(inputs=mine)
    with pytest.raises(ValueError, match="read-only"):
        data.inputs[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.votes.labels[0] = 1
    with pytest.raises(FrozenInstanceError):
        data.truth = None
    mine[0, 0] = 1  # the caller's own array is not frozen


def test_a_part_keeps_every_field_together():
    part = make(ids=objects("i", "j", "k", "l"))[[3, 0]]
    assert part.inputs.tolist() == [[6, 7], [0, 1]]
    assert part.candidates.tolist() == [[False, False, True], [True, True, False]]
    assert part.given.tolist() == [2, 0]
    assert part.tags.tolist() == [[False, True, True], [True, False, False]]
    assert part.truth.tolist() == [-1, 0]
    assert part.ids.tolist() == ["l", "i"]
    # answers keep their stored order and follow their item
    assert part.votes.rows() == [(1, "p", (0, 1)), (0, "q", (2,)), (1, "q", ())]
    assert part.classes == ("ant", "bee", "cat")


def test_slices_masks_and_indices_agree():
    data = make()
    mask = np.array([False, True, True, False])
    assert data[1:3] == data[mask] == data[[1, 2]] == data[np.array([-3, 2], np.int8)]
    assert data[:] == data
    assert len(data[[]]) == 0
    assert len(data[np.zeros(4, bool)]) == 0
    assert data[::-1].truth.tolist() == [-1, 2, 1, 0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 4], r"row 4 is not among the 4 examples"),
        ([-5], r"row -5 is not among"),
        ([1, 1], r"row 1 is asked for more than once"),
        ([1, -3], r"row 1 is asked for more than once"),
        ([True, False], r"the mask has 2 entries, but there are 4"),
        ([0.5], r"rows are float64"),
        (2, r"data\[\[5\]\]"),
    ],
)
def test_rows_that_cannot_be_taken(rows, message):
    with pytest.raises(ValueError, match=message):
        make()[rows]


@pytest.mark.parametrize(
    "changes",
    [
        {"inputs": np.arange(8.0).reshape(4, 2) + 1},
        {"inputs": np.arange(8, dtype=np.float32).reshape(4, 2)},
        {"candidates": None},
        {"candidates": np.ones((4, 3), bool)},
        {"given": np.array([0, 1, -1, 1])},
        {"tags": None},
        {"votes": Votes.from_rows([(1, "p", [2]), (0, "p", [0, 1]), (3, "q", [2]), (0, "q", [])])},
        {"votes": Votes.from_rows([(1, "p", [1]), (0, "p", [0, 1]), (3, "p", [2]), (0, "q", [])])},
        {"truth": None},
        {"classes": ("ant", "bee", "cat", "dog"), "candidates": None, "tags": None},
    ],
)
def test_content_makes_equality_and_fingerprint(changes):
    assert make() == make()
    assert make().fingerprint() == make().fingerprint()
    changed = make(**changes)
    assert changed != make()
    assert changed.fingerprint() != make().fingerprint()


def test_names_are_not_in_the_fingerprint():
    renamed = make(ids=objects("i", "j", "k", "l"), source="x", classes=("1", "2", "3"))
    votes = [(i, {"p": "x", "q": "y"}[who], labels) for i, who, labels in make().votes.rows()]
    renamed = replace(renamed, votes=Votes.from_rows(votes))
    assert renamed != make()
    assert renamed.fingerprint() == make().fingerprint()


def test_fingerprint_is_the_same_on_every_machine():
    # a change here orphans every result on disk: raise the version in fingerprint() instead
    plain = Labelled(inputs=np.array([[0.5], [1.0]]), classes=("a", "b"), truth=np.array([0, 1]))
    assert plain.fingerprint()[:16] == "cabbbf1c0f67ff76"
    strided = replace(plain, inputs=np.array([[0.5, 9], [1.0, 9]])[:, :1])
    assert strided.fingerprint() == plain.fingerprint()


def test_texts_are_told_apart_where_they_end():
    one = Labelled(inputs=objects("ab", "c"), classes=("a",))
    other = Labelled(inputs=objects("a", "bc"), classes=("a",))
    assert one.fingerprint() != other.fingerprint()


def test_media_count_by_their_bytes(tmp_path):
    for name, text in {"a": "one", "b": "two", "c": "one"}.items():
        (tmp_path / name).write_text(text)
    first = Labelled(inputs=objects(tmp_path / "a"), classes=("x",))
    assert first.fingerprint() == replace(first, inputs=objects(tmp_path / "c")).fingerprint()
    assert first.fingerprint() != replace(first, inputs=objects(tmp_path / "b")).fingerprint()


def test_not_hashable_and_not_equal_to_other_things():
    with pytest.raises(TypeError, match="unhashable"):
        hash(make())
    assert make() != 3
    assert make().votes != 3


def test_blind_has_no_truth_and_everything_else():
    blind = make().blind()
    assert blind.truth is None
    assert blind == make(truth=None)


def lost_sized():
    return Labelled(inputs=np.zeros((1122, 1)), classes=("a",))


def test_split_of_lost_as_published():
    split = lost_sized().split(0)
    sizes = [len(split.train), len(split.validation), len(split.test)]
    assert sizes == [909, 100, 113]
    assert split.test[:5].tolist() == [80, 261, 1105, 1027, 1084]
    rest = np.arange(1122)
    np.random.RandomState(1003224347).shuffle(rest)
    rest = rest[:1009]
    assert rest[:8].tolist() == [253, 26, 810, 421, 191, 639, 156, 1094]
    positions = [475, 843, 674, 642, 751, 47, 914, 215]
    assert split.validation[:8].tolist() == rest[positions].tolist()
    together = np.concatenate([split.train, split.validation, split.test])
    assert sorted(together) == list(range(1122))
    assert split.train.dtype == np.int64


@pytest.mark.parametrize(
    ("n", "test", "validation"),
    [(1758, 176, 158), (2780, 278, 250), (4998, 500, 449), (5303, 531, 477), (17472, 1748, 1572),
     (21878, 2188, 1969), (22991, 2300, 2069), (24000, 2400, 2160)],
)  # fmt: skip
def test_split_sizes_of_the_benchmark(n, test, validation):
    split = Labelled(inputs=np.zeros((n, 1)), classes=("a",)).split(3)
    assert (len(split.test), len(split.validation)) == (test, validation)


def test_split_depends_on_the_seed_alone():
    data = lost_sized()
    assert np.array_equal(data.split(1).train, data.split(np.int64(1)).train)
    assert not np.array_equal(data.split(1).train, data.split(2).train)
    assert len(data.split(0, test=0, validation=0).train) == 1122


def test_split_that_leaves_nothing_is_an_error():
    small = make()
    with pytest.raises(ValueError, match="leaves no validation example"):
        small.split(0)
    with pytest.raises(ValueError, match="`test` is 1"):
        small.split(0, test=1)
    with pytest.raises(ValueError, match=r"`validation` is -0\.1"):
        small.split(0, validation=-0.1)


def official(flags, **changes):
    return make(official_test=np.array(flags, bool), **changes)


def test_an_official_test_set_is_never_learned_from():
    n = 50
    flags = np.arange(n) % 5 == 0
    data = Labelled(inputs=np.zeros((n, 1)), classes=("a",), official_test=flags)
    split = data.split(3, official=True)
    assert split.test.tolist() == np.flatnonzero(flags).tolist()
    assert len(split.validation) == 4
    learned = np.concatenate([split.train, split.validation])
    assert sorted(learned) == np.flatnonzero(~flags).tolist()
    again = data.split(4, official=True)
    assert np.array_equal(again.test, split.test)
    assert not np.array_equal(again.validation, split.validation)
    assert len(data.split(3, validation=0, official=True).train) == 40
    with pytest.raises(ValueError, match="toy has no official test set"):
        make().split(0, official=True)


def test_official_test_rows_follow_the_rows_and_the_files(tmp_path):
    data = official([1, 0, 0, 1])
    assert data[[3, 1]].official_test.tolist() == [True, False]
    assert "2 official test rows" in repr(data)
    data.save(tmp_path / "data.npz")
    assert Labelled.load(tmp_path / "data.npz") == data
    assert make() != data


def test_an_official_test_set_is_in_the_fingerprint_where_there_is_one():
    marks = {make().fingerprint(), official([1, 0, 0, 1]).fingerprint()}
    assert len(marks | {official([0, 1, 0, 1]).fingerprint()}) == 3


@pytest.mark.parametrize("flags", [np.zeros(3, bool), np.zeros(4, int), [True] * 4])
def test_other_official_test_sets_are_refused(flags):
    with pytest.raises(ValueError, match="`official_test`"):
        make(official_test=flags)


def test_given_to_candidates():
    sets = given_to_candidates(np.array([2, -1, 0]), 3)
    assert sets.tolist() == [[False, False, True], [True] * 3, [True, False, False]]
    with pytest.raises(ValueError, match="label 3 at row 1"):
        given_to_candidates(np.array([0, 3]), 3)
