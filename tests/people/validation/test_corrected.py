"""Corrected labels: what changes, where it comes from, saved, applied and undone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import Votes
from candidly.people.validation import (
    PROVENANCE,
    Corrected,
    SetTally,
    corrected,
    from_counts,
    judge,
)

CLASSES = tuple("abcd")
GIVEN = np.array([0, 1, 2, 3, 0, 1, 2, -1])
#        confirmed   corrected     both          neither       split         too few
COUNTS = [[4, 1, 0, 0], [0, 5, 0, 0], [1, 0, 3, 1], [0, 0, 1, 4], [2, 2, 1, 0], [0, 2, 0, 0]]
ITEM = [5, 2, 4, 1, 0, 6]
GUESSED = [2, 3, 1, 0, 3, 0]


def verdicts(given=GIVEN, counts=COUNTS, threshold=None, **options):
    known = {"item": ITEM, "given": given[ITEM], "guessed": GUESSED} | options
    return judge(from_counts(counts, **known), threshold)


def data(**more) -> Labelled:
    X = np.random.default_rng(0).normal(size=(len(GIVEN), 3)).astype(np.float32)
    return from_arrays(X, given=GIVEN, classes=CLASSES, **more)


def test_labels_and_provenance_by_hand():
    made = corrected(GIVEN, verdicts(), undecided="prune")
    assert made.labels.tolist() == [-1, -1, 3, 3, -1, 1, 2, -1]
    names = [PROVENANCE[p] for p in made.provenance.tolist()]
    pruned, unflagged = "pruned", "unflagged"
    assert names == [
        *(pruned, pruned, "corrected", unflagged, pruned, "confirmed", "pending", unflagged)
    ]
    assert made.pruned.tolist() == [True, True, False, False, True, False, False, False]
    assert made.labels.dtype == np.int64


def test_labels_on_which_people_differ_stay_and_say_so():
    made = corrected(GIVEN, verdicts())
    pruned = corrected(GIVEN, verdicts(), undecided="prune")
    differ = [row for row, one in enumerate(made.sources) if one == "undecided"]
    assert differ == [ITEM[4]]  # the split one, and no verdict of "neither" or "both"
    assert made.labels[differ].tolist() == GIVEN[differ].tolist()
    others = np.setdiff1d(np.arange(len(GIVEN)), differ)
    assert (made.labels[others] == pruned.labels[others]).all()
    assert [made.sources[k] for k in others] == [pruned.sources[k] for k in others]
    assert made.fingerprint != pruned.fingerprint
    with pytest.raises(ValueError, match="`undecided` is 'drop'; choose 'keep' or 'prune'"):
        corrected(GIVEN, verdicts(), undecided="drop")


def test_the_other_reading_keeps_what_people_saw():
    made = corrected(GIVEN, verdicts(), reading="seen")
    # item 4: given 1, both 3; item 0: given 2, both 1
    assert made.labels.tolist() == [0, -1, 3, 3, 0, 1, 2, -1]


def test_a_higher_threshold_prunes_more():
    made = corrected(GIVEN, verdicts(threshold=5), undecided="prune")
    assert made.labels.tolist() == [-1, -1, 3, 3, -1, -1, 2, -1]


def test_dropped_and_undone_bit_for_bit():
    whole = data(truth=np.arange(8) % 4, candidates=np.ones((8, 4), bool))
    made = corrected(whole, verdicts(), undecided="prune")
    changed = made.apply(whole)
    assert changed.n == 5
    assert changed.given.tolist() == [3, 3, 1, 2, -1]
    assert changed.ids.tolist() == [2, 3, 5, 6, 7]
    assert made.undo(changed, whole[made.pruned]) == whole
    with pytest.raises(ValueError, match=r"5 of 8 examples are here.*data\[corrected.pruned\]"):
        made.undo(changed)


def test_unlabelled_keeps_every_row():
    whole = data(candidates=np.ones((8, 4), bool))
    made = corrected(whole, verdicts())
    changed = made.apply(whole, "unlabelled")
    assert changed.given.tolist() == made.labels.tolist()
    assert np.array_equal(changed.candidates, whole.candidates)
    assert made.undo(changed) == whole


def test_candidate_sets_say_what_is_left():
    whole = data()
    made = corrected(whole, verdicts(), undecided="prune")
    changed = made.apply(whole, "candidates")
    sets = [set(np.flatnonzero(row).tolist()) for row in changed.candidates]
    everything = {0, 1, 2, 3}
    #  split, neither, corrected, -, both: given or guessed, confirmed, pending, had none
    assert sets == [everything, everything, {3}, {3}, {0, 1}, {1}, {2}, everything]
    assert changed.given.tolist() == made.labels.tolist()
    assert made.undo(changed) == whole
    sets_there = data(candidates=np.ones((8, 4), bool))
    with pytest.raises(ValueError, match="candidate sets already"):
        corrected(sets_there, verdicts(), undecided="prune").apply(sets_there, "candidates")


def test_votes_go_and_come_with_their_rows():
    votes = Votes.from_rows([(i, "ann", [i % 4]) for i in range(8)])
    whole = replace(data(), votes=votes)
    made = corrected(whole, verdicts(), undecided="prune")
    changed = made.apply(whole)
    assert len(changed.votes) == 5
    assert made.undo(changed, whole[made.pruned]) == whole


def test_labels_alone():
    given = GIVEN.astype(np.int16)
    made = corrected(given, verdicts())
    assert made.apply(given).tolist() == made.labels.tolist()
    back = made.undo(made.labels)
    assert back.dtype == np.int16
    assert back.tobytes() == given.tobytes()
    with pytest.raises(ValueError, match="nothing is undone"):
        made.undo(given)


def test_other_data_are_refused():
    whole = data()
    made = corrected(whole, verdicts())
    other = replace(whole, inputs=whole.inputs + 1)
    for wrong in (other, whole[::-1]):
        with pytest.raises(ValueError, match="SHA-256 differs"):
            made.apply(wrong)
    with pytest.raises(ValueError, match="made from a data set with inputs"):
        made.apply(GIVEN)
    with pytest.raises(ValueError, match="made from labels alone"):
        corrected(GIVEN, verdicts()).apply(whole)
    changed = made.apply(whole, "unlabelled")
    with pytest.raises(ValueError, match="something else has changed too"):
        made.undo(replace(changed, inputs=other.inputs))
    with pytest.raises(ValueError, match="choose 'drop', 'candidates' or 'unlabelled'"):
        made.apply(whole, "keep")


def test_saved_and_read_again(tmp_path):
    whole = data()
    made = corrected(whole, verdicts())
    made.save(tmp_path / "c.npz")
    read = Corrected.load(tmp_path / "c.npz")
    assert read.fingerprint == made.fingerprint
    assert read.apply(whole) == made.apply(whole)
    assert read.undo(made.apply(whole, "unlabelled")) == whole
    for name in ("labels", "original", "provenance", "category"):
        assert np.array_equal(getattr(read, name), getattr(made, name))
    with np.load(tmp_path / "c.npz", allow_pickle=False) as stored:
        assert stored["labels"].tolist() == made.labels.tolist()
    whole.save(tmp_path / "d.npz")
    with pytest.raises(ValueError, match="holds no corrected labels"):
        Corrected.load(tmp_path / "d.npz")
    with pytest.raises(ValueError, match="schema version"):
        Labelled.load(tmp_path / "c.npz")
    with pytest.raises(FileNotFoundError):
        Corrected.load(tmp_path / "none.npz")


def test_a_changed_file_is_noticed(tmp_path):
    made = corrected(GIVEN, verdicts())
    replace(made, counts=made.counts + 1, data=made.data).save(tmp_path / "c.npz")
    from candidly.data.labels.storage import read_arrays, write_arrays

    arrays, note = read_arrays(tmp_path / "c.npz")
    write_arrays(tmp_path / "c.npz", arrays | {"counts": made.counts}, note)
    with pytest.raises(ValueError, match="is damaged"):
        Corrected.load(tmp_path / "c.npz")


def test_the_fingerprint_covers_data_answers_threshold_and_reading():
    made = [
        corrected(GIVEN, verdicts()),
        corrected(GIVEN, verdicts(threshold=4)),
        corrected(GIVEN, verdicts(), reading="seen"),
        corrected(GIVEN, verdicts(), undecided="prune"),
        corrected(GIVEN, verdicts(counts=[[5, 0, 0, 0], *COUNTS[1:]])),
        corrected(np.where(np.arange(8) == 3, 0, GIVEN), verdicts()),
    ]
    assert len({m.fingerprint for m in made}) == 6
    assert corrected(GIVEN.astype(np.int16), verdicts()).fingerprint == made[0].fingerprint


def test_the_table_says_where_each_label_comes_from():
    table = corrected(GIVEN, verdicts(), undecided="prune").table()
    assert table["label"].to_list() == [None, None, 3, 3, None, 1, 2, None]
    row = table.row(2, named=True)
    assert (row["original"], row["provenance"], row["verdict"]) == (2, "corrected", "correctable")
    assert (row["votes guessed"], row["threshold"]) == (5, 3)
    assert table.row(3, named=True)["votes given"] is None
    assert table.columns[:3] == ["id", "label", "original"]
    named = corrected(GIVEN, verdicts(), undecided="prune").table(
        [f"x{k}" for k in range(8)], list("abcd")
    )
    assert named["id"][3] == "x3"
    assert named["label"].to_list() == [None, None, "d", "d", None, "b", "c", None]


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (GIVEN[:5], {}, "votes about item 5, but 5 labels"),
        (GIVEN[::-1], {}, "item 5 has label 2, but the votes are about label 1"),
        (GIVEN, {"item": [-1] * 6, "ids": range(6)}, "6 items have no place"),
        (GIVEN, {"guessed": [-1] * 6}, "item 2 is to be corrected, but nobody says"),
        (GIVEN.astype(float), {}, "float64"),
    ],
)
def test_votes_that_do_not_fit_are_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        corrected(given, verdicts(**{k: np.array(v) for k, v in options.items()}))


def test_a_correction_to_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match="`guessed` has label 9"):
        corrected(data(), verdicts(guessed=[2, 9, 1, 0, 3, 0]))


def test_sets_of_classes_and_data_without_labels_are_refused():
    one = np.ones((1, 2), bool)
    tally = SetTally(np.array([0]), one, one, one * 5, ("a", "b"))
    with pytest.raises(ValueError, match="only single labels are corrected"):
        corrected(GIVEN, judge(tally))
    with pytest.raises(ValueError, match="no `given` labels"):
        corrected(replace(data(), given=None, truth=np.arange(8) % 4), verdicts())
