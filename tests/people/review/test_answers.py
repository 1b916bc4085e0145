"""The log: appended, idempotent, undone by entries; what is kept beside it follows from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text

from candidly import review, validation
from candidly.people.review import Reply

from review_cases import an_id, reply, take, team, work_through


def all_tables(project):
    """What is kept beside the log: of items, seats and people, as far as it must follow from it."""
    said = {
        "item": "SELECT id, open, done, said, skipped, held, pattern FROM item ORDER BY id",
        "seat": "SELECT item, person, repeat, entry, open FROM seat ORDER BY item, person, repeat",
        "person": "SELECT id, excluded, answers, skips, fast FROM person ORDER BY id",
        "ms": "SELECT round(CAST(ms AS NUMERIC), 3) FROM person ORDER BY id",
    }
    with project.store.read() as connection:
        return {name: connection.execute(text(query)).all() for name, query in said.items()}


def test_the_same_reply_again_changes_nothing(make):
    project = make(3)
    who, other = team(project, 2)
    task = review.next_tasks(project, who)[0]
    said = reply(task, "both", ms=700)
    for _ in range(3):
        assert review.answer(project, who, [said]) == [said.id]
    assert review.progress(project).answers == 1
    with pytest.raises(ValueError, match="stands for another answer"):
        review.answer(project, who, [replace(said, choice="given")])
    with pytest.raises(ValueError, match="stands for another entry"):
        review.answer(project, other, [said])


def test_a_second_answer_is_refused(make):
    project = make(3)
    who = team(project, 1)[0]
    task = take(project, who)
    with pytest.raises(ValueError, match="has answered item"):
        review.answer(project, who, [reply(task)])
    with pytest.raises(ValueError, match="was not asked about item 99"):
        review.answer(project, who, [Reply(an_id(), 99, "given")])
    assert review.progress(project).answers == 1


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"id": "x"}, "the id 'x'"),
        ({"id": "white space"}, "the id"),
        ({"choice": "a"}, "the answer is 'a'"),
        ({"choice": "other"}, "the answer is 'other'"),
        ({"ms": -1.0}, "ms is -1"),
        ({"ms": float("nan")}, "ms is nan"),
        ({"note": "x" * 2001}, "2001 characters"),
        ({"note": "a\0b"}, "code 0"),
        ({"examples": "\0"}, "code 0"),
    ],
)
def test_what_cannot_be_a_reply_is_refused(make, changes, match):
    project = make(2)
    who = team(project, 1)[0]
    task = review.next_tasks(project, who)[0]
    with pytest.raises(ValueError, match=match):
        review.answer(project, who, [replace(reply(task), **changes)])
    with pytest.raises(ValueError, match="no reply"):
        review.answer(project, who, [])
    with pytest.raises(ValueError, match="is answered twice"):
        review.answer(project, who, [reply(task), reply(task, "both")])
    assert review.progress(project).answers == 0


def test_undo_is_an_entry_and_gives_the_item_back(make):
    project = make(3)
    who = team(project, 1)[0]
    first, second = take(project, who, "both"), take(project, who, "neither", ms=100)
    id = an_id()
    assert review.undo(project, who, id) == second.item
    assert review.undo(project, who, id) == second.item  # heard twice, done once
    assert review.progress(project).answers == 1
    assert review.standings(project)[0].fast == 0
    assert review.next_tasks(project, who)[0].item == second.item
    take(project, who, "given")
    found = dict(review.votes(project).select("name", "answer").rows())
    assert sorted(found.values()) == ["both", "given"]
    assert review.undo(project, who, an_id()) == second.item
    assert review.undo(project, who, an_id()) == first.item
    assert review.undo(project, who, an_id()) is None
    log = list(review.log(project))[1:]
    assert len(log) == 6


def test_an_answer_taken_back_after_a_look_is_asked_for_again(make):
    project = make(3, people=1, threshold=1)
    a, b = team(project, 2)
    task = review.next_tasks(project, a)[0]
    assert not task.opened
    review.look(project, a, an_id(), task.item)
    review.answer(project, a, [reply(task)])
    assert review.undo(project, a, an_id()) == task.item
    again = review.next_tasks(project, a)[0]
    assert (again.item, again.opened) == (task.item, True)
    seen = {task.item for task in review.next_tasks(project, b, ahead=2)}
    assert task.item in seen  # it takes nobody's place
    review.recount(project)
    assert review.next_tasks(project, a)[0].item == task.item
    project.clock.now += project.rules.lease_s + 1
    review.next_tasks(project, b)
    assert [one.item for one in review.next_tasks(project, a)] != [task.item]  # nor comes anew
    review.answer(project, a, [reply(task, "both")])
    assert review.progress(project).answers == 0
    log = review.votes(project, everything=True)
    assert [(row["answer"], row["blind"]) for row in log.rows(named=True)] == [("both", False)]


def test_an_answer_that_came_too_late_is_asked_for_again_and_counts_no_more_than_before(make):
    project = make(1, people=1, threshold=1)
    a, b = team(project, 2)
    [task] = review.next_tasks(project, a)
    project.clock.now += project.rules.lease_s + 1
    assert take(project, b)
    review.answer(project, a, [reply(task)])
    for _ in range(2):
        assert review.undo(project, a, an_id()) == task.item
        before = all_tables(project)
        review.recount(project)
        assert all_tables(project) == before
        project.clock.now += project.rules.lease_s + 1
        [again] = review.next_tasks(project, a)
        assert again.item == task.item
        assert review.progress(project).held == 0  # it takes nobody's place
        review.answer(project, a, [reply(again, "both")])
        assert review.votes(project)["person"].to_list() == [b.code]
    review.undo(project, a, an_id())
    review.undo(project, b, an_id())
    project.clock.now += project.rules.lease_s + 1
    assert take(project, a)  # b's place is free again
    assert review.votes(project)["person"].to_list() == [a.code]


LABELS = {"question": "several labels", "threshold": None, "batch": 4, "most_per_label": 2}


def test_a_label_on_too_many_items_of_a_batch_also_after_an_undo(make):
    project = make(12, **LABELS, whole_batch=True)
    who = team(project, 1)[0]
    tasks = review.next_tasks(project, who)
    words = ("0", "0 1", "1", "2")
    review.answer(project, who, [reply(task, word) for task, word in zip(tasks, words)])
    for _ in range(2):
        review.undo(project, who, an_id())
    last = review.next_tasks(project, who)
    assert [task.item for task in last] == [task.item for task in tasks[2:]]
    before = list(review.log(project))
    for wrong in ("0", "0 2"):  # cat would be on three items of the batch
        with pytest.raises(ValueError, match="'cat' is on 3 items of the batch, those answered"):
            review.answer(project, who, [reply(last[0], "2"), reply(last[1], wrong)])
    assert list(review.log(project)) == before
    review.answer(project, who, [reply(last[0], "1"), reply(last[1], "2")])
    assert review.progress(project).answers == 4
    again = review.next_tasks(project, who)  # the next batch begins anew
    review.answer(project, who, [reply(task, word) for task, word in zip(again, words)])


def test_a_label_on_too_many_items_of_a_batch_answered_one_by_one(make):
    project = make(12, **LABELS)
    who, other = team(project, 2)
    for word in ("0", "0"):
        assert take(project, who, word).batch == 0
    with pytest.raises(ValueError, match="'cat' is on 3 items"):
        take(project, who, "0")
    for word in ("1", "skip", "0", "0"):
        take(project, who, word)
    take(project, other, "0")  # of other people nothing is counted


def test_answers_from_elsewhere_are_of_no_batch(make, tmp_path):
    project = make(12, **LABELS)
    who = team(project, 1)[0]
    lines = ["name,person,answer", *(f"i{k},p0,0" for k in range(4))]
    (tmp_path / "answers.csv").write_text("\n".join(lines))
    assert review.import_answers(project, tmp_path / "answers.csv") == 4
    for word in ("0", "0", "1", "1"):
        assert take(project, who, word).batch == 0


def test_an_undo_opens_the_item_to_others(make):
    project = make(1, people=1, threshold=1)
    a, b = team(project, 2)
    take(project, a)
    assert review.next_tasks(project, b) == []
    review.undo(project, a, an_id())
    assert review.next_tasks(project, b) == []  # a holds it
    project.clock.now += project.rules.lease_s + 1
    assert len(review.next_tasks(project, b)) == 1


def test_notes_stay(make):
    project = make(1)
    who = team(project, 1)[0]
    review.note(project, who, an_id(), 0, "blurred <b>")
    with pytest.raises(ValueError, match="no item 7"):
        review.note(project, who, an_id(), 7, "x")
    assert "blurred <b>" in "\n".join(review.log(project))


def test_what_is_kept_follows_from_the_log(make):
    gold = {"i1": "given", "i5": "both"}
    project = make(
        14, gold=gold, gold_every=3, repeat_every=4, people=3, threshold=2, adaptive=True
    )
    everyone = team(project, 4)
    rng = np.random.default_rng(0)
    choices = ("given", "guessed", "both", "neither", "skip")
    for step in range(120):
        who = everyone[int(rng.integers(4))]
        what = rng.integers(12)
        if what == 0:
            review.undo(project, who, an_id())
        elif what == 1:
            review.look(project, who, an_id(), int(rng.integers(14)))
        elif what == 2 and step > 60:
            review.exclude(project, who, an_id(), back=bool(rng.integers(2)))
        elif what == 3:
            project.clock.now += 700.0
        elif not who.excluded:
            take(project, who, choices[int(rng.integers(5))], ms=float(rng.integers(200, 3000)))
        project.clock.now += 1
    onlooker = review.add_person(project, "onlooker")
    for item in (3, 4):
        review.look(project, onlooker, an_id(), item)
    project.clock.now += 1
    review.answer(project, onlooker, [Reply(an_id(), 4, "both")])
    before = all_tables(project)
    review.recount(project)
    assert all_tables(project) == before
    tally = review.tally(project)
    table = review.votes(project)
    given = np.full(60, -1)
    guessed = np.full(60, -1)
    given[tally.item], guessed[tally.item] = tally.given, tally.guessed
    slow = validation.from_answers(
        table["item"].to_list(),
        table["person"].to_list(),
        table["answer"].to_list(),
        given=given,
        guessed=guessed,
        asked=tally.item,
    )
    assert slow.counts.tolist() == tally.counts.tolist()
    assert slow.skipped.tolist() == tally.skipped.tolist()
    said = validation.totals(review.verdicts(project)).categories
    assert review.progress(project).verdicts == {**review.progress(project).verdicts, **said}
    assert sum(review.progress(project).verdicts.values()) == 12


def test_progress_says_what_validation_says(make):
    project = make(20)
    rng = np.random.default_rng(1)
    choices = ("given", "guessed", "both", "neither")
    for who in team(project, 5):
        work_through(project, who, lambda task: choices[int(rng.integers(4))])
    found, judged = review.progress(project), review.verdicts(project)
    assert found.agreement.kappa.value == pytest.approx(
        validation.agreement(judged).kappa.value, abs=1e-12
    )
    assert found.agreement.split == validation.agreement(judged).split
    slow = {}  # disagreement of pairs of answers, pair by pair
    for (given, guessed), rows in review.votes(project).group_by("given", "guessed"):
        differ = both = 0
        for _, one in rows.group_by("item"):
            said = one["answer"].to_list()
            for i in range(len(said)):
                for j in range(i):
                    differ += said[i] != said[j]
                    both += 1
        slow[given, guessed] = differ / both
    fast = {(p.given, p.guessed): p.disagreement for p in review.pairs(project)}
    assert fast == pytest.approx(slow)


def test_people(make):
    project = make(2)
    made = review.add_person(project, name="Ann")
    assert review.find_person(project, made.code).name == "Ann"
    assert len(made.code) >= 12
    assert made.code != review.add_person(project).code
    with pytest.raises(ValueError, match="already"):
        review.add_person(project, made.code)
    with pytest.raises(ValueError, match="letters, digits"):
        review.add_person(project, "a b")
    with pytest.raises(KeyError, match="nobody"):
        review.find_person(project, "zoe")
    with pytest.raises(ValueError, match="no person 'zoe'"):
        review.note(project, review.Person(99, "zoe"), an_id(), 0, "x")


def test_an_answer_and_what_is_next_as_one(make):
    project = make(4)
    who = team(project, 1)[0]
    task = review.next_tasks(project, who)[0]
    said = reply(task, "both", ms=700)
    following = review.answer_and_next(project, who, [said])
    assert len(following) == 1
    assert following[0].item != task.item
    for _ in range(2):  # not heard, so repeated
        again = review.answer_and_next(project, who, [said])
        assert again == following == review.next_tasks(project, who)
    assert review.progress(project).answers == 1
    with pytest.raises(ValueError, match="stands for another answer"):
        review.answer_and_next(project, who, [replace(said, choice="given")])
    with pytest.raises(ValueError, match="was not asked about item 99"):
        review.answer_and_next(project, who, [reply(following[0]), Reply(an_id(), 99, "given")])
    found = review.progress(project)
    assert (found.answers, found.held) == (1, 1)
    with pytest.raises(ValueError, match="no person 'zoe'"):
        review.answer_and_next(project, review.Person(99, "zoe"), [said])


def test_the_last_answer_leaves_nothing_next(make):
    project = make(1)
    who = team(project, 1)[0]
    said = reply(review.next_tasks(project, who)[0])
    assert review.answer_and_next(project, who, [said]) == []
    assert review.answer_and_next(project, who, [said]) == []
    assert review.progress(project).answers == 1
