"""The example ``leaderboard``: its labels, flags and models are what they are said to be."""

from __future__ import annotations

import numpy as np

from candidly import errors
from candidly.data.examples import leaderboard as board

TRUTH = np.array(board.truth())
LABELS = np.array(board.labels())


def accuracy(model: str, labels: np.ndarray) -> float:
    return float((np.array(board.predictions(model)) == labels).mean())


def test_a_hundred_of_two_thousand_labels_are_wrong():
    assert len(TRUTH) == len(LABELS) == 2000
    assert sorted(np.flatnonzero(TRUTH != LABELS)) == sorted(board.wrong())
    assert len(board.wrong()) == 100


def test_what_is_flagged_is_what_confident_learning_flags():
    given = np.array([board.TOPICS.index(label) for label in LABELS])
    found = errors.find(given, np.array(board.probabilities()), by="confident")
    table = found.table(classes=board.TOPICS)
    assert dict(table.select("index", "proposed").rows()) == board.flagged()
    assert all(abs(sum(row) - 1) < 1e-9 for row in board.probabilities())
    wrong = set(board.wrong())
    assert 0.5 * len(wrong) < len(wrong & set(board.flagged())) < 0.7 * len(wrong)


def test_five_people_answer_about_each_flagged_label_and_mostly_say_what_is_true():
    votes = board.votes()
    assert len(votes) == 5 * len(board.flagged())
    assert len({(row, who) for row, who, _, _ in votes}) == len(votes)
    of_wrong = [said for row, _, said, guess in votes if TRUTH[row] == guess != LABELS[row]]
    assert np.mean([said == "guessed" for said in of_wrong]) > 0.85


def test_the_audit_is_of_messages_that_nobody_flagged():
    drawn = board.audit()
    rows = [int(name[1:]) for name, _, _ in drawn]
    assert len(set(rows)) == 300
    assert not set(rows) & set(board.flagged())
    assert [found for *_, found in drawn] == TRUTH[rows].tolist()


def test_the_first_two_models_turn_round_on_the_true_labels_and_no_others():
    by_labels = sorted(board.RIGHT, key=lambda name: -accuracy(name, LABELS))
    by_truth = sorted(board.RIGHT, key=lambda name: -accuracy(name, TRUTH))
    assert by_labels == ["tuned", "large", "base", "small", "words"]
    assert by_truth == ["large", "tuned", "base", "small", "words"]


def test_files_are_small():
    assert sum(map(len, board.files().values())) < 400_000
