"""Data sets that people checked, as values: against counts by hand and the files of votes."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.people.validation import from_counts, judge, read_released
from candidly.people.validation.checked_sets import checked_set
from voted_sets import FILMS, PETS, write_votes


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    paths = write_votes(tmp_path_factory.mktemp("votes"))
    return {name: checked_set(judge(read_released(p)), name) for name, p in paths.items()}


def test_every_item_with_its_votes(sets):
    pets = sets["pets"]
    assert [item.verdict for item in pets.items[:6]] == [
        *("non-error", "correctable", "multi-label", "neither", "non-agreement", "non-error")
    ]
    assert [item.alike for item in pets.items[:5]] == [5, 4, 3, 4, 2]
    assert [item.fragile for item in pets.items[:5]] == [False, False, True, False, True]
    for item, row in zip(pets.items, PETS, strict=True):
        assert (item.id, item.row) == (str(row["id"]), row["id"])
        assert item.given == (row["given_original_label"],)
        assert item.guessed == (row["our_guessed_label"],)
        said = {pets.words[k]: number for k, number in item.answers}
        assert said == {name: number for name, number in row["mturk"].items() if number}
        assert item.people == 5


def test_what_other_answers_are_made_of(sets):
    films = sets["films"]
    assert films.words == ("given", "guessed", "neutral", "off-topic")
    for item, row in zip(films.items, FILMS, strict=True):
        said = {films.words[k]: number for k, number in item.answers}
        assert said == {name: number for name, number in row["mturk"].items() if number}
        assert item.alike == max(row["mturk"].values())
        assert films.classes[item.given[0]] == row["given_original_label"]
    assert films.items[0].row == -1


def test_sets_of_classes(sets):
    sounds = sets["sounds"]
    assert sounds.several
    assert [item.verdict for item in sounds.items] == ["non-error", "different set"]
    first, second = sounds.items
    assert [sounds.classes[k] for k in first.given] == ["Bird", "Zither"]
    assert {sounds.words[k]: n for k, n in second.answers} == {"Bird": 4, "Wind": 2, "Zither": 0}
    assert (second.people, second.alike) == (5, None)


def test_totals_are_those_of_validation():
    counts = [[1, 4, 0, 0], [5, 0, 0, 0], [2, 2, 1, 0], [0, 0, 1, 0]]
    tally = from_counts(counts, given=[0, 1, -1, 1], guessed=[1, 0, 1, -1])
    made = checked_set(judge(tally), "a", size=100, flagged=20, number=7, facts=["so"])
    assert (made.title, made.number, made.classes, made.facts) == ("a", 7, ("0", "1"), ("so",))
    assert made.about["categories"]["pending"] == 1
    estimate = made.about["estimates"]["exact"]
    assert np.isclose(estimate["percent"], 100 * (2 / 3) * 20 / 100)  # 2 of 3 decided, of 20
    assert [item.given for item in made.items] == [(0,), (1,), (), (1,)]
    assert [item.people for item in made.items] == [5, 5, 5, 1]


def test_sizes_that_do_not_fit_are_refused_by_name():
    tally = from_counts([[5, 0, 0, 0], [0, 5, 0, 0]])
    with pytest.raises(ValueError, match=r"^odd: .*must not fall"):
        checked_set(judge(tally), "odd", size=1)
