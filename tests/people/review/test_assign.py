"""Who is asked what: W different people, nobody twice, orders from the seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from candidly import review
from candidly.people.review._orders import flip_of, is_gold_turn, is_repeat_turn

from review_cases import an_id, reply, some_items, some_rules, take, team, work_through


def test_every_item_gets_w_different_people(make):
    project = make(6, people=3, threshold=2)
    everyone = team(project, 5)
    seen = {who.code: [task.item for task in work_through(project, who)] for who in everyone}
    for items in seen.values():
        assert len(set(items)) == len(items)
    assert Counter(item for items in seen.values() for item in items) == dict.fromkeys(range(6), 3)
    assert review.progress(project).done == 6


def test_a_person_goes_on_with_what_they_have(make):
    project = make(6)
    who = team(project, 1)[0]
    first = review.next_tasks(project, who)
    assert [task.item for task in review.next_tasks(project, who)] == [task.item for task in first]
    review.answer(project, who, [reply(first[0])])
    assert review.next_tasks(project, who)[0].item != first[0].item


def test_leases_hold_places_and_lapse(make):
    project = make(1, people=2, threshold=2)
    a, b, c = team(project, 3)
    held = [review.next_tasks(project, who)[0] for who in (a, b)]
    assert review.next_tasks(project, c) == []
    project.clock.now += project.rules.lease_s + 1
    assert review.next_tasks(project, c)[0].item == held[0].item
    take(project, c)
    # a comes back: full by now (c answered, and b's place is gone too, but free)
    review.answer(project, a, [reply(held[0])])
    assert review.progress(project).answers == 2
    review.answer(project, b, [reply(held[1])])
    found = review.progress(project)
    assert (found.answers, found.done) == (2, 1)  # b's answer is in the log, not in the totals
    assert {s.code: s.answers for s in review.standings(project)} == {"p0": 1, "p1": 1, "p2": 1}


def test_a_lapsed_item_comes_back_to_the_same_person(make):
    project = make(2, people=1, threshold=1)
    a, b = team(project, 2)
    first = review.next_tasks(project, a)[0]
    project.clock.now += project.rules.lease_s + 1
    other = take(project, b)
    assert other.item != first.item
    assert review.next_tasks(project, a)[0].item == first.item


def test_orders_are_balanced_and_reproducible():
    from scipy.stats import binomtest

    rules = some_rules(seed=3)
    flips = [flip_of(rules, f"p{k % 10}", k // 10) for k in range(1000)]
    assert binomtest(sum(flips), 1000).pvalue > 0.01
    assert flips == [flip_of(rules, f"p{k % 10}", k // 10) for k in range(1000)]
    other = some_rules(seed=4)
    assert flips != [flip_of(other, f"p{k % 10}", k // 10) for k in range(1000)]
    by_person = np.reshape(flips, (100, 10))
    assert abs(np.corrcoef(by_person.T)[0, 1:]).max() < 0.4


def test_a_number_as_seed_draws_as_it_always_did():
    # databases of earlier versions hold one, and people are in the middle of them
    from candidly.ground.seeds import draw

    rules = some_rules(seed=1_234_567_890, gold_every=20)
    for block in (0, 3):
        wanted = draw(rules.seed, "order ann", block).integers(2, size=64).tolist()
        assert [flip_of(rules, "ann", 64 * block + k) for k in range(64)] == wanted
    [turn] = [turn for turn in range(20, 40) if is_gold_turn(rules, "ann", turn)]
    assert turn == 20 + draw(rules.seed, "gold ann", 1).integers(20)
    old = rules.to_json()
    assert '"seed": 1234567890' in old
    assert review.Rules.from_json(old) == rules


def test_a_drawn_seed_is_kept_and_balanced(make):
    project = make(4, seed=None)
    assert len(project.rules.seed) == 32
    with review.open_project(project.folder) as again:
        assert again.rules.seed == project.rules.seed
    flips = [flip_of(project.rules, f"p{k % 10}", k // 10) for k in range(1000)]
    assert abs(sum(flips) - 500) < 5 * 16
    turns = [
        turn
        for turn in range(640)
        if is_gold_turn(replace(project.rules, gold_every=64), "a", turn)
    ]
    assert [turn // 64 for turn in turns] == list(range(10))
    assert len({turn % 64 for turn in turns}) > 3


@pytest.mark.parametrize("seed", [-1, 1.5, 2**64, "", "12", "g" * 32, "A" * 32, [1]])
def test_what_is_no_seed(seed):
    with pytest.raises(ValueError, match=r"seed is .*; leave it out"):
        some_rules(seed=seed)


def test_the_order_shown_is_that_of_the_classes_and_is_stored(make):
    project = make(30)
    who = team(project, 1)[0]
    flips = set()
    while tasks := review.next_tasks(project, who):
        task = tasks[0]
        item = some_items(30)[int(name_of(project, task.item)[1:])]
        pair = (item.guessed, item.given) if task.flip else (item.given, item.guessed)
        assert task.classes == pair
        assert task.choice("a") == ("guessed" if task.flip else "given")
        review.answer(project, who, [reply(task, task.choice("a"))])
        flips.add(task.flip)
    assert flips == {0, 1}
    log = review.votes(project)
    said = dict(zip(log["flip"], log["answer"]))
    assert said == {0: "given", 1: "guessed"}


def name_of(project, item):
    from sqlalchemy import text

    with project.store.read() as connection:
        return connection.execute(
            text("SELECT name FROM item WHERE id = :item"), {"item": item}
        ).scalar()


def test_one_turn_in_twenty_is_gold_and_one_in_thirty_a_repetition():
    rules = some_rules(gold_every=20, repeat_every=30)
    gold = [is_gold_turn(rules, "ann", turn) for turn in range(600)]
    again = [is_repeat_turn(rules, "ann", turn) for turn in range(601)]
    assert [sum(gold[k : k + 20]) for k in range(0, 600, 20)] == [1] * 30
    assert sum(again) in (19, 20, 21)
    assert not any(g and r for g, r in zip(gold, again))
    assert gold != [is_gold_turn(rules, "bob", turn) for turn in range(600)]


def test_gold_and_repetitions_stay_out_of_the_totals(make):
    gold = {f"i{k}": "neither" for k in range(4)}
    project = make(60, gold=gold, gold_every=10, repeat_every=12, people=1, threshold=1)
    who = team(project, 1)[0]
    done = work_through(project, who, lambda task: "guessed" if task.repeat else "given")
    fresh = [task.item for task in done if not task.repeat and task.item < 56]
    again = [task.item for task in done if task.repeat]
    assert len(fresh) == len(set(fresh)) == 56
    assert len(again) == len(set(again)) >= 4
    assert set(again) <= set(fresh)
    assert {task.item for task in done} & set(range(56, 60)) == set(range(56, 60))
    found = review.progress(project)
    assert (found.items, found.answers, found.done) == (56, 56, 56)
    standing = review.standings(project)[0]
    assert (standing.gold, standing.gold_right) == (4, 0)
    assert (standing.repeats, standing.repeats_same) == (len(again), 0)
    assert standing.warn
    places = {}
    for turn, task in enumerate(done):
        if task.repeat:
            assert turn - places[task.item] >= 10
        places.setdefault(task.item, turn)


def test_a_known_item_answered_on_another_machine_is_not_asked_again(make):
    gold = {f"i{k}": "given" for k in range(4)}
    here, there = (make(40, gold=gold, gold_every=4) for _ in range(2))
    away, at_home = (review.add_person(project, "ann") for project in (there, here))
    before = {take(there, away).item for _ in range(9)}
    review.merge(here, there)
    after = [task.item for task in work_through(here, at_home)]
    assert len(after) == len(set(after))
    assert not before & set(after)
    assert before | set(after) == set(range(40))


def test_leases_are_renewed_before_they_end(make):
    project = make(3, people=1, threshold=1)
    a, b = team(project, 2)
    held, lease = review.next_tasks(project, a)[0], project.rules.lease_s
    project.clock.now += lease / 20
    assert review.next_tasks(project, a)[0] == held
    project.clock.now += lease / 2
    again = review.next_tasks(project, a)[0]
    assert (again.item, again.until) == (held.item, project.clock.now + lease)
    project.clock.now += 0.9 * lease
    assert held.item not in [task.item for task in work_through(project, b)]


def test_wilson_interval_of_gold(make):
    gold = {f"i{k}": "given" if k < 45 else "both" for k in range(50)}
    project = make(110, gold=gold, gold_every=2)
    who = team(project, 1)[0]
    work_through(project, who)
    found = review.standings(project)[0]
    assert (found.gold, found.gold_right) == (50, 45)
    # by hand: (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), with p = 0.9, n = 50
    assert (round(found.low, 3), round(found.high, 3)) == (0.786, 0.957)
    assert not found.warn


def test_pay_list(make):
    """By hand: ann answers six items in 2 s each and skips one in 4 s; bob answers nothing."""
    project = make(8, gold={"i0": "given", "i1": "both"}, gold_every=2, people=1, threshold=1)
    ann, bob = (review.add_person(project, name) for name in ("ann", "bob"))
    for k in range(7):
        take(project, ann, "given" if k < 6 else "skip", ms=2000.0 if k < 6 else 4000.0)
    review.exclude(project, bob, "out-00001", reason="never came")
    paid, unpaid = review.pay_list(project).rows(named=True)
    assert (paid["person"], unpaid["person"]) == (ann.code, bob.code)
    assert (paid["answers"], paid["skips"], paid["timed"], paid["seconds"]) == (6, 1, 7, 16.0)
    standing = review.standings(project)[0]
    assert (paid["known"], paid["known right"]) == (standing.gold, standing.gold_right) == (2, 1)
    assert (paid["known from"], paid["known to"]) == (standing.low, standing.high)
    assert (unpaid["answers"], unpaid["seconds"], unpaid["known from"]) == (0, 0.0, None)
    assert (unpaid["excluded"], unpaid["reason"]) == (True, "never came")


def test_order_by_goal(make):
    by_quality = make(9, goal="quality")
    who = team(by_quality, 1)[0]
    names = [name_of(by_quality, take(by_quality, who).item) for _ in range(9)]
    assert names == [f"i{k}" for k in range(8, -1, -1)]


def test_order_given(make):
    project = make(4, goal="order", order=[12, 10])
    who = team(project, 1)[0]
    names = [name_of(project, take(project, who).item) for _ in range(4)]
    assert names[:2] == ["i2", "i0"]
    assert set(names[2:]) == {"i1", "i3"}


def test_random_order_follows_the_seed(make):
    def names(**changes):
        project = make(30, **changes)
        who = team(project, 1)[0]
        return [name_of(project, take(project, who).item) for _ in range(30)]

    assert names() == names()
    assert names() != names(seed=1)
    assert names() != [f"i{k}" for k in range(30)]


def test_adaptive_stopping_saves_answers(make):
    project = make(4, adaptive=True)
    everyone = team(project, 5)
    for who in everyone:
        work_through(project, who)
    found = review.progress(project)
    assert (found.answers, found.saved, found.done) == (12, 8, 4)
    assert found.verdicts["non-error"] == 4


def test_adaptive_stopping_asks_on_at_three_to_two(make):
    project = make(1, adaptive=True)
    said = ["given", "guessed", "guessed", "given", "both"]
    for who, choice in zip(team(project, 5), said):
        assert take(project, who, choice) is not None
    found = review.progress(project)
    assert (found.answers, found.saved, found.verdicts["non-agreement"]) == (5, 0, 1)


def test_a_skip_makes_room_for_another_person(make):
    project = make(1, people=1, threshold=1)
    a, b = team(project, 2)
    take(project, a, "skip")
    assert review.next_tasks(project, a) == []
    assert take(project, b) is not None
    found = review.progress(project)
    assert (found.answers, found.skips, found.done) == (1, 1, 1)


def test_open_review_is_kept_out(make):
    project = make(2, people=1, threshold=1)
    a, b = team(project, 2)
    held = review.next_tasks(project, a)[0]
    review.look(project, a, an_id(), held.item)
    assert held.item not in [task.item for task in review.next_tasks(project, a)]
    review.answer(project, a, [reply(held)])  # said with the label in view
    found = review.progress(project)
    assert found.answers == 0
    items = {task.item for task in work_through(project, b)} | {
        task.item for task in work_through(project, a)
    }
    assert items == {0, 1}
    assert review.progress(project).answers == 2
    log = review.votes(project, everything=True)
    assert sorted(log["blind"]) == [False, True, True]
    assert len(review.votes(project)) == 2


def test_an_excluded_person_is_not_asked_and_not_counted(make):
    project = make(2, people=1, threshold=1)
    a, b = team(project, 2)
    work_through(project, a)
    review.exclude(project, a, an_id(), reason="fast")
    assert review.next_tasks(project, a) == []
    assert review.progress(project).answers == 0
    assert len(work_through(project, b)) == 2
    review.exclude(project, a, an_id(), back=True)
    assert review.progress(project).answers == 4
    assert len(review.votes(project, everything=True)) == 4


def test_limit_per_person(make):
    project = make(9, limit=4)
    who = team(project, 1)[0]
    assert len(work_through(project, who)) == 4


def test_batches_are_answered_whole_and_within_limits(make):
    project = make(
        25,
        question="several labels",
        batch=10,
        whole_batch=True,
        most_labels=2,
        most_per_label=6,
        threshold=None,
        people=2,
    )
    who = team(project, 1)[0]
    tasks = review.next_tasks(project, who)
    assert len(tasks) == 10
    with pytest.raises(ValueError, match="not answered"):
        review.answer(project, who, [reply(task, "0") for task in tasks[:6]])
    with pytest.raises(ValueError, match="'cat' is on 7 items"):
        review.answer(
            project, who, [reply(task, "0" if k < 7 else "1") for k, task in enumerate(tasks)]
        )
    with pytest.raises(ValueError, match="holds 3 classes"):
        review.answer(project, who, [reply(tasks[0], "0 1 2")])
    assert review.progress(project).answers == 0
    said = ["0 1"] * 6 + ["2"] * 4
    review.answer(project, who, [reply(task, choice) for task, choice in zip(tasks, said)])
    assert review.progress(project).answers == 10
    assert len(review.next_tasks(project, who)) == 10
    assert {task.batch for task in review.next_tasks(project, who)} == {1}


def test_tasks_ahead_are_held_and_come_next(make):
    project = make(9, people=1, threshold=1)
    a, b = team(project, 2)
    first = review.next_tasks(project, a, ahead=1)
    assert [task.turn for task in first] == [task.batch for task in first] == [0, 1]
    assert review.next_tasks(project, a, ahead=1) == first
    assert not {task.item for task in first} & {task.item for task in work_through(project, b)}
    second = review.answer_and_next(project, a, [reply(first[0])], ahead=1)
    assert [task.item for task in second] == [first[1].item]  # b has answered all others
    assert review.answer_and_next(project, a, [reply(second[0])], ahead=1) == []
    assert review.progress(project).done == 9
    with pytest.raises(ValueError, match="ahead is -1"):
        review.next_tasks(project, a, ahead=-1)


def test_what_is_ahead_comes_in_the_same_order(make):
    gold = {"i3": "given", "i7": "both"}
    orders = []
    for ahead in (0, 1, 3):
        project = make(30, gold=gold, gold_every=5, repeat_every=0)
        who = team(project, 1)[0]
        tasks, done = review.next_tasks(project, who, ahead), []
        while tasks:
            done.append((tasks[0].item, tasks[0].turn, tasks[0].flip))
            tasks = review.answer_and_next(project, who, [reply(tasks[0])], ahead)
            assert len(tasks) == min(1 + ahead, 30 - len(done))
        orders.append(done)
    assert orders[0] == orders[1] == orders[2]


def test_batches_ahead_are_answered_one_by_one(make):
    project = make(25, batch=10, whole_batch=True)
    who = team(project, 1)[0]
    held = review.next_tasks(project, who, ahead=1)
    assert [task.batch for task in held] == [0] * 10 + [1] * 10
    held = review.answer_and_next(project, who, [reply(task) for task in held[:10]], ahead=1)
    assert [task.batch for task in held] == [1] * 10 + [2] * 5
    with pytest.raises(ValueError, match="not answered"):
        review.answer_and_next(project, who, [reply(task) for task in held[:9]], ahead=1)


def test_the_limit_counts_what_is_ahead(make):
    project = make(9, limit=3)
    who = team(project, 1)[0]
    tasks = review.next_tasks(project, who, ahead=5)
    assert len(tasks) == 3
    assert len(review.answer_and_next(project, who, [reply(tasks[0])], ahead=5)) == 2


def test_an_answer_taken_back_comes_before_what_is_ahead(make):
    project = make(9)
    who = team(project, 1)[0]
    first = review.next_tasks(project, who, ahead=1)
    ahead = review.answer_and_next(project, who, [reply(first[0])], ahead=1)
    review.undo(project, who, an_id())
    again = review.next_tasks(project, who, ahead=1)
    assert [task.item for task in again] == [first[0].item, *(task.item for task in ahead)]


def test_a_batch_that_was_cut_short_is_not_filled_by_the_next(make):
    project = make(13, people=1, threshold=1, batch=10, whole_batch=True)
    a, b = team(project, 2)
    assert len(review.next_tasks(project, b)) == 10
    assert len(review.next_tasks(project, a, ahead=1)) == 3
    project.clock.now += project.rules.lease_s + 1  # what b holds is free
    held = review.next_tasks(project, a, ahead=1)
    assert [task.batch for task in held] == [0] * 3 + [1] * 10
    left = review.answer_and_next(project, a, [reply(task) for task in held[:3]])
    assert [task.item for task in left] == [task.item for task in held[3:]]


def test_who_stands_far_apart_in_the_queue_gets_what_is_next_there(make):
    project = make(60, people=4, threshold=3)
    everyone = team(project, 4)
    for who, number in zip(everyone, (0, 20, 45, 59)):
        for _ in range(number):
            take(project, who)
    requests = [review.turn.Request(project, who, [], 2) for who in everyone]
    outcomes = project.store.write(lambda c: review.turn.serve(c, requests))
    found = [[task.item for task in tasks] for tasks in outcomes]
    assert found == [[0, 1, 2], [20, 21, 22], [45, 46, 47], [59]]
