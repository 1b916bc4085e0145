"""What votes come to: the two exceptions of the paper by hand, and rules on any tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.corpora import funnel, make_articles
from candidly.compare.corpora.votes import (
    ALIKE,
    EVENT,
    SENSE,
    CategoryVotes,
    choose_beyond,
    choose_events,
    count_votes,
    event_questions,
    name_of,
    read_votes,
    sense_questions,
)

CRAFTS = ("Hobbies", "Crafts")
NEEDLE = (*CRAFTS, "Needlework")
CROCHET = (*NEEDLE, "Crochet")
STITCHES = (*CROCHET, "Crochet Stitches")
HATS = (*CROCHET, "Crochet Hats")
SELLING = ("Finance", "Selling")
PATHS = (NEEDLE, CROCHET, STITCHES, HATS, SELLING)
SIZES = {0: 2_000, 1: 1_263, 2: 445, 3: 400, 4: 900}
ALL, NONE = (3, 0), (0, 3)


def said(events, alike=()):
    """Votes where all three agree."""
    counts = {name_of(path): ALL if path in events else NONE for path in PATHS}
    for finer, coarser in ((CROCHET, NEEDLE), (STITCHES, CROCHET), (HATS, CROCHET)):
        pair = f"{name_of(finer)} = {name_of(coarser)}"
        counts[pair] = ALL if (finer, coarser) in alike else NONE
    return CategoryVotes(counts)


def chosen(votes, people=3, agree=3):
    kept, ballots = choose_events(PATHS, SIZES, votes, people, agree)
    assert [ballot.asks for ballot in ballots] == [EVENT, ALIKE]
    assert [name for name, why in ballots[0].outcomes.items() if not why] == [
        name_of(PATHS[one]) for one in kept
    ]
    return {PATHS[one] for one in kept}, ballots[0].outcomes


def test_what_is_too_broad_is_no_event():
    kept, why = chosen(said({CROCHET}))
    assert kept == {CROCHET}
    assert why[name_of(SELLING)] == why[name_of(NEEDLE)] == "no event"


def test_the_finest_event_stays():
    kept, why = chosen(said({NEEDLE, CROCHET, STITCHES, HATS}))
    assert kept == {STITCHES, HATS}
    assert why[name_of(NEEDLE)].endswith("Crochet Stitches is finer")


def test_of_two_that_are_hard_to_tell_apart_the_larger_stays():
    kept, why = chosen(said({CROCHET, STITCHES}, {(STITCHES, CROCHET)}))
    assert kept == {CROCHET}
    assert why[name_of(STITCHES)] == f"hard to tell from {name_of(CROCHET)}, which is kept"
    kept, _ = chosen(said({NEEDLE, CROCHET, STITCHES, HATS}, {(STITCHES, CROCHET)}))
    assert kept == {CROCHET, HATS}  # kept for its size, though another is finer


def test_of_equally_large_ones_the_finer_stays():
    sizes = dict.fromkeys(SIZES, 500)
    votes = said({CROCHET, STITCHES}, {(STITCHES, CROCHET)})
    kept, _ = choose_events(PATHS, sizes, votes, 3, 3)
    assert [PATHS[one] for one in kept] == [STITCHES]


def test_three_of_three_must_agree_or_two_where_asked():
    votes = said({CROCHET})
    votes.counts[name_of(CROCHET)] = (2, 1)
    assert chosen(votes)[0] == set()
    assert chosen(votes, agree=2)[0] == {CROCHET}


def test_votes_that_are_missing_are_named_unless_they_change_nothing():
    votes = said({CROCHET})
    votes.counts[name_of(CROCHET)] = (2, 0)
    with pytest.raises(ValueError, match=r"1 of 5 questions lack answers of 3 .*Crochet' first"):
        chosen(votes)
    assert chosen(votes, agree=2)[0] == {CROCHET}
    votes.counts[name_of(CROCHET)] = (0, 1)
    assert chosen(votes)[0] == set()
    with pytest.raises(ValueError, match="1 of 5 questions lack"):
        chosen(votes, agree=2)
    with pytest.raises(ValueError, match="4 of 3 people are to agree"):
        chosen(votes, agree=4)


def test_what_all_find_no_common_sense_is_beyond_it():
    names = [name_of(path) for path in PATHS]
    votes = CategoryVotes(dict(zip(names, [(0, 3), (1, 2), (3, 0), (0, 3), (2, 1)])))
    found, ballot = choose_beyond(PATHS, votes, 3, 3)
    assert (found, ballot.asks) == ([NEEDLE, HATS], SENSE)
    assert choose_beyond(PATHS, votes, 3, 2)[0] == [NEEDLE, CROCHET, HATS]


def test_kappa_is_told_beside_the_counts():
    """Fleiss by hand: 4 of 6 questions are unanimous, the others agree in a third of the pairs; 10
    of 18 answers are yes: (7/9 - (100 + 64)/324) / (1 - 164/324) = 0.55."""
    names = [name_of(path) for path in PATHS] + ["x"]
    votes = CategoryVotes(dict(zip(names, [(3, 0), (3, 0), (0, 3), (0, 3), (2, 1), (2, 1)])))
    told = choose_beyond((*PATHS, ("x",)), votes, 3, 3)[1].told()
    assert (told["questions"], told["answers"], told["items"]) == (6, 18, 6)
    assert told["kappa"] == pytest.approx(0.55)
    alone = choose_beyond((("x",),), CategoryVotes({"x": (3, 0)}), 3, 3)[1].told()
    assert alone["kappa"] is None  # only one answer ever occurs


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4, unique=True), min_size=1),
    st.data(),
)
def test_rules_hold_on_any_tree(lists, data):
    paths = list(dict.fromkeys(map(tuple, lists)))
    sizes = {one: data.draw(st.integers(301, 304)) for one in range(len(paths))}
    answer = st.sampled_from([ALL, NONE])
    counts: dict[str, tuple[int, int]] = {}
    above = {
        one: [k for k, other in enumerate(paths) if path[: len(other)] == other and k != one]
        for one, path in enumerate(paths)
    }
    pairs = {one: max(k, key=lambda j: len(paths[j])) for one, k in above.items() if k}
    for path in paths:
        counts[name_of(path)] = data.draw(answer)
    for one, other in pairs.items():
        counts[f"{name_of(paths[one])} = {name_of(paths[other])}"] = data.draw(answer)
    kept, ballots = choose_events(paths, sizes, CategoryVotes(counts), 3, 3)
    assert all(counts[name_of(paths[one])] == ALL for one in kept)
    for one, other in pairs.items():
        alike = counts[f"{name_of(paths[one])} = {name_of(paths[other])}"] == ALL
        if alike and {one, other} <= set(kept):
            raise AssertionError("two that are hard to tell apart are kept")
    larger = {why for why in ballots[0].outcomes.values() if why.startswith("hard to tell from ")}
    for one in kept:
        for other in above[one]:  # both stay only where the coarser was kept for its size
            excused = f"hard to tell from {name_of(paths[other])}, which is kept" in larger
            assert other not in kept or excused
    events = [one for one in sizes if counts[name_of(paths[one])] == ALL]
    assert bool(kept) == bool(events)


def corpus():
    steps = [["Scrub the sink.", "Rinse the drain."], ["Walk the dog."], ["Feed the cat."]]
    return make_articles(["a", "b", "c"], [("Home",), ("Home", "Dogs"), ("Cats",)], steps)


def test_people_are_asked_about_categories_and_pairs_that_are_large_enough():
    found = funnel(corpus(), more_than=0)
    asked = event_questions(corpus(), found)
    assert [(one.name, one.asks) for one in asked] == [
        *(("Home", EVENT), ("Home > Dogs", EVENT), ("Cats", EVENT)),
        ("Home > Dogs = Home", ALIKE),
    ]
    assert asked[0].shown == {
        "category": "Home",
        "above it": "nothing",
        "events": "2",
        "some of them": "Scrub the sink. / Rinse the drain.",
    }
    assert asked[3].shown["category 1"] == "Dogs"
    assert asked[3].shown["above it 1"] == "Home"
    assert [one.asks for one in sense_questions(corpus(), found)] == [SENSE] * 3
    assert len(event_questions(corpus(), funnel(corpus(), more_than=1))) == 1


def test_votes_come_from_a_table(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("name,person,answer,note\nHome,ann,yes,\nHome,bob,no,x\nHome,cy,skip,\n")
    assert read_votes(path).counts == {"Home": (1, 1)}
    path.write_text("name,person,answer\nHome,ann,yes\nHome,ann,no\n")
    with pytest.raises(ValueError, match="row 1: 'ann' answers a second time about 'Home'"):
        read_votes(path)
    path.write_text("name,person,answer\nHome,ann,maybe\n")
    with pytest.raises(ValueError, match="row 0: the answer is 'maybe'; it is yes, no, skip"):
        read_votes(path)
    path.write_text("name,answer\nHome,yes\n")
    with pytest.raises(ValueError, match="person"):
        read_votes(path)
    assert np.array(list(count_votes([]).counts)).size == 0
