"""Which items a view shows, against going through all of them; what was said about one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from candidly import review
from candidly.people.review import ItemFilter, browse

from review_cases import an_id, reply, some_items, team, work_through

CHOICES = ("given", "guessed", "both", "neither", "skip")


def answered(make, n=30, people=4, **changes):
    project = make(n, gold={"i3": "given"}, **changes)
    rng = np.random.default_rng(0)
    for k, who in enumerate(team(project, people)):
        for _ in range(n - 5 * k):
            for task in review.next_tasks(project, who):
                said = reply(task, str(rng.choice(CHOICES, p=(0.5, 0.3, 0.1, 0.05, 0.05))))
                review.answer(project, who, [said])
    return project


def everything(project):
    """All items through views of one person's size, so by another way than filters."""
    found, page = [], 1
    while True:
        part = browse(project, ItemFilter(page=page))
        found += part.cards
        if page == part.pages:
            assert len(found) == part.total
            return found
        page += 1


def said_by(project, code):
    table = review.votes(project, everything=True)
    return {name for name, who in table.select("name", "person").rows() if who == code}


VIEWS = {
    "given": (ItemFilter(given=1), lambda c, p: c.given == 1),
    "pair": (ItemFilter(given=1, guessed=2), lambda c, p: (c.given, c.guessed) == (1, 2)),
    "outcome": (ItemFilter(outcome="pending"), lambda c, p: c.said < 3),
    "least": (ItemFilter(least=2), lambda c, p: c.said >= 2),
    "most": (ItemFilter(most=0), lambda c, p: c.said == 0),
    "low": (ItemFilter(low=-9.0), lambda c, p: c.score >= -9),
    "range": (ItemFilter(low=-9, high=-3), lambda c, p: -9 <= c.score <= -3),
    "person": (ItemFilter(person="p1"), lambda c, p: c.name in said_by(p, "p1")),
    "text": (ItemFilter(text="I1"), lambda c, p: "i1" in c.name),
    "wild": (ItemFilter(text="%"), lambda c, p: False),
    "all": (
        ItemFilter(given=0, least=1, text="i", high=0.0, person="p0", outcome="non-agreement"),
        lambda c, p: (
            c.given == 0
            and c.said >= 1
            and c.name in said_by(p, "p0")
            and c.outcome == "non-agreement"
        ),
    ),
}


def test_a_view_shows_what_going_through_all_items_finds(make):
    project = answered(make)
    cards = everything(project)
    assert len(cards) == 29  # the known item is not among them
    for name, (view, fits) in VIEWS.items():
        wanted = [card.name for card in cards if fits(card, project)]
        assert [card.name for card in browse(project, view).cards] == wanted, name
        assert wanted or name in ("wild", "all", "most")


def test_outcomes_are_the_verdicts(make):
    project = answered(make)
    judged = review.verdicts(project)
    by_name = dict(zip(judged.tally.ids.tolist(), judged.category.tolist()))
    for place, outcome in enumerate(review.outcomes(project.rules)):
        names = {card.name for card in browse(project, ItemFilter(outcome=outcome)).cards}
        assert names == {name for name, category in by_name.items() if category == place}
    assert len(set(by_name.values())) > 2


def test_orders(make):
    project = answered(make)
    keys = {
        "queue": lambda c: c.id,
        "score": lambda c: c.score,
        "highest score": lambda c: -c.score,
        "disagreement": lambda c: 2 if math.isnan(c.disagreement) else -c.disagreement,
        "votes": lambda c: -c.said,
        "name": lambda c: c.name,
    }
    assert set(keys) == set(review.SORTS)
    for sort, key in keys.items():
        found = [key(card) for card in browse(project, ItemFilter(sort=sort)).cards]
        assert found == sorted(found), sort
        assert len(set(found)) > 2


def test_disagreement_is_counted_pair_by_pair(make):
    project = answered(make)
    said = {}
    for name, answer in review.votes(project).select("name", "answer").rows():
        if answer != "skip":
            said.setdefault(name, []).append(answer)
    for card in everything(project):
        answers = said.get(card.name, [])
        pairs = [a != b for i, a in enumerate(answers) for b in answers[:i]]
        wanted = np.mean(pairs) if pairs else float("nan")
        assert card.disagreement == pytest.approx(wanted, nan_ok=True)
        assert sum(dict(review.answers_of(project, card)).values()) == card.said == len(answers)


def test_pages(make):
    project = make(130)
    seen = everything(project)
    assert [card.id for card in seen] == list(range(130))
    found = browse(project, ItemFilter(page=99))
    assert (found.page, found.pages, found.total, len(found.cards)) == (3, 3, 130, 10)
    nothing = browse(project, ItemFilter(text="no such name"))
    assert (nothing.page, nothing.pages, nothing.total) == (1, 1, 0)


def test_known_items_stand_apart(make):
    project = answered(make)
    found = browse(project, ItemFilter(known=True)).cards
    assert [(card.name, card.key) for card in found] == [("i3", "given")]


def test_views_that_cannot_be(make):
    project = make(1)
    with pytest.raises(KeyError, match="no order named 'size'"):
        ItemFilter(sort="size")
    with pytest.raises(ValueError, match="page is 0"):
        ItemFilter(page=0)
    with pytest.raises(ValueError, match="least is -1"):
        ItemFilter(least=-1)
    with pytest.raises(KeyError, match="no outcome named 'wrong'"):
        browse(project, ItemFilter(outcome="wrong"))
    with pytest.raises(KeyError, match="nobody has the code"):
        browse(project, ItemFilter(person="zoe"))


def test_outcomes_of_other_questions(make):
    project = make(
        3, items=[review.Item(k, f"i{k}", asks=k) for k in range(3)], question="yes or no", people=3
    )
    for who in team(project, 3):
        work_through(project, who, lambda task: "yes" if task.item else "no")
    found = {
        name: [c.id for c in browse(project, ItemFilter(outcome=name)).cards]
        for name in review.outcomes(project.rules)
    }
    assert found == {"yes": [1, 2], "no": [0], "pending": []}
    assert review.progress(project).yes == (2, 1)
    assert [c.name for c in browse(project, ItemFilter(asks=2)).cards] == ["i2"]
    labels = make(2, question="several labels", people=2, threshold=None)
    for who, said in zip(team(labels, 2), ("0 1", "1 2")):
        task = review.next_tasks(labels, who)[0]
        review.answer(labels, who, [reply(task, said)])
    done = browse(labels, ItemFilter(outcome="done")).cards
    assert len(done) == 1
    assert review.answers_of(labels, done[0]) == [("dog", 2), ("cat", 1), ("owl", 1)]
    assert done[0].disagreement == pytest.approx((1 + 0 + 1) / 3)
    assert len(browse(labels, ItemFilter(outcome="pending")).cards) == 1


def test_finding_an_item(make):
    names = ["2", "b", "a/b", "%"]
    items = [review.Item(k, name, given=0, guessed=1) for k, name in enumerate(names)]
    project = make(items=items)
    by_name = {card.name: card for card in everything(project)}
    for name in names:
        assert review.find_item(project, name).id == by_name[name].id
    other = by_name["b"].id
    assert review.find_item(project, other).name == "b"
    assert review.find_item(project, 2).id == 2
    if other != 2:  # no name, so a number
        assert review.find_item(project, str(other)).name == "b"
    for nothing in ("c", "99", "", "1\0", 99, 10**12):
        with pytest.raises(KeyError, match="there is no item"):
            review.find_item(project, nothing)


def test_next_like_it(make):
    project = make(9)
    first = browse(project, ItemFilter(given=1)).cards
    names = []
    card = first[0]
    while card is not None:
        names.append(card.name)
        card = review.next_like(project, card)
    assert names == [card.name for card in first]
    assert len(names) == 3


def test_everything_that_was_said(make):
    project = make(3, people=2, threshold=2)
    ann, bob, cy = team(project, 3)
    task = review.next_tasks(project, ann)[0]
    review.answer(project, ann, [reply(task, "both", ms=900, note="first thought")])
    review.undo(project, ann, an_id())
    task = review.next_tasks(project, ann)[0]
    review.answer(project, ann, [reply(task, "given", ms=1500)])
    review.note(project, ann, an_id(), task.item, "a remark")
    theirs = review.next_tasks(project, bob)[0]
    assert theirs.item == task.item
    review.answer(project, bob, [reply(theirs, "guessed")])
    review.exclude(project, bob, an_id())
    review.look(project, cy, an_id(), task.item)
    review.answer(project, cy, [reply(task, "skip")])
    card = review.find_item(project, task.item)
    found = review.said_about(project, [card])[0]
    assert [(one.code, one.choice, one.state) for one in found] == [
        ("p0", "both", "taken back"),
        ("p0", "given", "counts"),
        ("p0", None, "remark"),
        ("p1", "guessed", "person left out"),
        ("p2", "skip", "seen with its label"),
    ]
    assert (found[0].note, found[0].ms, found[1].ms) == ("first thought", 900, 1500)
    assert found[1].words == [project.rules.classes[card.given]]
    assert (found[2].words, found[2].note) == ((), "a remark")
    assert found[4].words == ["skip"]
    cards = browse(project, ItemFilter()).cards
    lengths = [len(one) for one in review.said_about(project, cards)]
    assert lengths == [5 if card.id == task.item else 0 for card in cards]


def test_known_repeated_and_late_answers_say_so(make):
    project = make(14, gold={"i0": "given"}, gold_every=2, repeat_every=5, people=1, threshold=1)
    (who,) = team(project, 1)
    work_through(project, who)
    cards = [*everything(project), *browse(project, ItemFilter(known=True)).cards]
    states = [one.state for said in review.said_about(project, cards) for one in said]
    table = review.votes(project, everything=True)
    assert states.count("repeated") == table["repeat"].sum() > 0
    assert states.count("known item") == table["gold"].sum() == 1
    late = make(1, people=1, threshold=1, lease_s=60)
    ann, bob = team(late, 2)
    task = review.next_tasks(late, ann)[0]
    late.clock.now += 61
    review.answer(late, bob, [reply(review.next_tasks(late, bob)[0])])
    review.answer(late, ann, [reply(task)])
    card = review.find_item(late, 0)
    assert [one.state for one in review.said_about(late, [card])[0]] == ["counts", "too late"]


def test_items_without_a_score_come_last(make):
    items = [
        review.Item(k, f"i{k}", given=0, guessed=1, score=None if k % 2 else float(k))
        for k in range(4)
    ]
    project = make(items=items)
    for sort, first in (("score", [0, 2]), ("highest score", [2, 0])):
        cards = browse(project, ItemFilter(sort=sort)).cards
        assert [card.score for card in cards] == [*first, None, None]
    assert [c.score for c in browse(project, ItemFilter(low=-1, sort="score")).cards] == [0, 2]


def test_the_degenerate_item_counts_both_names_as_one(make):
    items = [review.Item(0, "x", given=1, guessed=1), *some_items(2)]
    project = make(items=items, people=3, threshold=2)
    for who, said in zip(team(project, 3), ("given", "guessed", "neither")):
        while tasks := review.next_tasks(project, who):
            review.answer(project, who, [reply(tasks[0], said)])
    card = review.find_item(project, "x")
    assert card.outcome == "non-error"
    assert review.answers_of(project, card) == [("dog", 2), ("neither", 1)]
    assert [c.name for c in browse(project, ItemFilter(outcome="non-error")).cards] == ["x"]
    assert review.progress(project).verdicts["non-error"] == 1
