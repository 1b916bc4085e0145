"""Writers that come together: one transaction, and each gets what it would get alone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from candidly import review
from candidly.people.review import _group
from candidly.people.review._group import Group, QueuedWrite

from review_cases import reply, team


def caught(work, found, k):
    def run():
        try:
            found[k] = work()
        except BaseException as error:
            found[k] = error

    return run


def in_one_group(store, writes):
    """What each of these calls comes to, queued behind one that goes on until all are there."""
    found, entered, gate = {}, threading.Event(), threading.Event()

    def first(connection):
        entered.set()
        assert gate.wait(20)

    threads = [threading.Thread(daemon=True, target=store.write, args=(first,))]
    threads[0].start()
    assert entered.wait(20)
    for k, write in enumerate(writes):
        threads.append(threading.Thread(daemon=True, target=caught(write, found, k)))
        threads[-1].start()
        while len(store._group._waiting) <= k:
            time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return [found[k] for k in range(len(writes))]


def adding(code, error=None):
    """A work that adds a person, and then perhaps fails."""

    def work(connection):
        connection.execute(text(f"INSERT INTO person (code) VALUES ('{code}')"))
        if error is not None:
            raise error
        return code

    return work


def codes(project):
    return sorted(person.code for person in review.people(project))


def commits(store):
    """A list that grows with every commit."""
    found = []
    event.listen(store.engine, "commit", found.append)
    return found


def test_results_come_to_their_callers_from_one_transaction(make):
    store = make(1).store
    counted = commits(store)
    said = in_one_group(store, [lambda k=k: store.write(lambda c: 10 * k) for k in range(9)])
    assert said == [10 * k for k in range(9)]
    assert len(counted) == 2  # the first one's, and the group's


def test_more_than_one_group_holds_are_all_written(make, monkeypatch):
    monkeypatch.setattr(_group, "MOST", 3)
    project = make(1)
    counted = commits(project.store)
    named = [f"a{k}" for k in range(8)]
    said = in_one_group(
        project.store, [lambda c=code: project.store.write(adding(c)) for code in named]
    )
    assert len(counted) == 1 + 3
    assert said == codes(project) == named


def test_an_exception_takes_back_its_own_work_alone(make):
    project = make(1)
    write = project.store.write
    said = in_one_group(
        project.store,
        [
            lambda: write(adding("a")),
            lambda: write(adding("b", KeyError("no"))),
            lambda: write(adding("a")),  # a code that is taken
            lambda: write(adding("d")),
        ],
    )
    assert (said[0], said[3]) == ("a", "d")
    assert isinstance(said[1], KeyError)
    assert isinstance(said[2], IntegrityError)
    assert codes(project) == ["a", "d"]


def test_what_the_database_breaks_off_is_tried_again(make):
    project = make(1)
    tries = Counter()

    class Deadlock(Exception):
        sqlstate = "40P01"

    def unlucky(connection):
        tries["b"] += 1
        adding("b")(connection)
        if tries["b"] < 3:
            raise DBAPIError("x", None, Deadlock())
        return "b"

    write = project.store.write
    said = in_one_group(
        project.store,
        [lambda: write(adding("a")), lambda: write(unlucky), lambda: write(adding("c"))],
    )
    assert said == codes(project) == ["a", "b", "c"]
    assert tries["b"] == 3


def test_a_failed_commit_is_everybodys(make):
    project = make(1)
    counted = commits(project.store)

    def fail(_):
        if len(counted) == 2:
            raise OSError("the disk is full")

    event.listen(project.store.engine, "commit", fail)
    write = project.store.write
    said = in_one_group(project.store, [lambda c=c: write(adding(c)) for c in "abc"])
    assert [str(error) for error in said] == ["the disk is full"] * 3
    assert codes(project) == []
    assert write(adding("d")) == "d"


def test_who_is_stopped_leaves_the_others_a_word(make):
    project = make(1)
    write = project.store.write
    said = in_one_group(
        project.store,
        [
            lambda: write(adding("a", KeyboardInterrupt())),
            lambda: write(adding("b")),
        ],
    )
    assert isinstance(said[0], KeyboardInterrupt)
    assert isinstance(said[1], RuntimeError)
    assert write(adding("c")) == "c"
    assert codes(project) == ["c"]


class Stopped:
    """An event at whose wait Ctrl-C is pressed, at once or when it is set."""

    def __init__(self, at_once):
        self.at_once = at_once
        self.inner = threading.Event()

    def set(self):
        self.inner.set()

    def wait(self):
        if not self.at_once:
            self.inner.wait()
        raise KeyboardInterrupt


@pytest.mark.parametrize("at_once", [True, False])
def test_who_is_stopped_while_waiting_does_not_stop_the_others(at_once, monkeypatch):
    monkeypatch.setattr(_group, "MOST", 1)  # so that each leads the next
    done, found, entered, gate = [], {}, threading.Event(), threading.Event()

    def run(jobs):
        if jobs[0].asked == 0:
            entered.set()
            assert gate.wait(20)
        done.extend(job.asked for job in jobs)

    group = Group(run)
    jobs = [QueuedWrite(lambda c, asked: asked, k, True) for k in range(3)]
    jobs[1].turn = Stopped(at_once)
    threads = [
        threading.Thread(
            daemon=True, target=caught(lambda job=job: group.write(job), found, job.asked)
        )
        for job in jobs
    ]
    threads[0].start()
    assert entered.wait(20)
    threads[1].start()
    while not (1 in found if at_once else group._waiting):
        time.sleep(0.001)
    threads[2].start()
    while len(group._waiting) < (1 if at_once else 2):
        time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert done == ([0, 2] if at_once else [0, 1, 2])
    assert isinstance(found[1], KeyboardInterrupt)


def test_a_group_is_synced_when_one_of_it_asks_for_that(make):
    project = make(1)
    query = "PRAGMA synchronous" if project.store.is_sqlite else "SHOW synchronous_commit"
    full, less = (2, 1) if project.store.is_sqlite else ("on", "off")

    def level(connection):
        return connection.execute(text(query)).scalar()

    def asks(*synced):
        calls = [lambda s=s: project.store.write(level, synced=s) for s in synced]
        return in_one_group(project.store, calls)

    assert asks(False, True, False) == [full] * 3
    assert asks(False, False) == [less] * 2
    assert project.store.write(level) == full


def test_readers_and_writers_do_not_wait_for_each_other(make):
    project = make(5)
    who = team(project, 1)[0]
    task = review.next_tasks(project, who)[0]
    entered, gate = threading.Event(), threading.Event()

    def slow(connection):
        adding("slow")(connection)
        entered.set()
        assert gate.wait(20)

    writer = threading.Thread(daemon=True, target=project.store.write, args=(slow,))
    writer.start()
    assert entered.wait(20)
    assert review.progress(project).held == 1  # while somebody writes
    assert [standing.code for standing in review.standings(project)] == ["p0"]
    gate.set()
    writer.join(20)
    with project.store.read() as connection:
        count = text("SELECT count(*) FROM entry")
        assert connection.execute(count).scalar() == 0
        review.answer_and_next(project, who, [reply(task)])  # while somebody reads
    assert review.progress(project).answers == 1


@pytest.mark.parametrize("ahead", [0, 1])
def test_many_threads_come_to_what_the_log_says(make, ahead):
    project = make(24, people=4, threshold=3, batch=1 + ahead, adaptive=True, repeat_every=11)
    failed, acknowledged = [], []

    def work(who):
        try:
            tasks = review.next_tasks(project, who, ahead)
            while tasks:
                choice = ("given", "both", "skip")[tasks[0].item * who.id % 3]
                said = reply(tasks[0], choice)
                tasks = review.answer_and_next(project, who, [said], ahead)
                acknowledged.append(said.id)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(daemon=True, target=work, args=(who,)) for who in team(project, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    kept = "SELECT id, open, done, said, skipped, held, pattern FROM item ORDER BY id"
    counted = "SELECT id, answers, skips, fast, ms FROM person ORDER BY id"
    with project.store.read() as connection:
        before = [connection.execute(text(query)).all() for query in (kept, counted)]
        ids = connection.execute(text("SELECT id FROM entry")).scalars().all()
    assert sorted(ids) == sorted(acknowledged)
    assert max(row.said for row in before[0]) <= 4
    review.recount(project)
    with project.store.read() as connection:
        assert [connection.execute(text(query)).all() for query in (kept, counted)] == before


WRITER = """
import sys, threading, uuid
from candidly import review
project = review.open_project(sys.argv[1])
def work(code):
    who = review.find_person(project, code)
    tasks = review.next_tasks(project, who, ahead=1)
    while tasks:
        id = uuid.uuid4().hex
        tasks = review.answer_and_next(project, who, [review.Reply(id, tasks[0].item, "given")], 1)
        sys.stdout.write(f"there {id}\\n")
        sys.stdout.flush()
threads = [threading.Thread(target=work, args=(code,)) for code in sys.argv[2:]]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_kill_9_amid_groups_loses_and_doubles_nothing(make):
    project = make(400, people=12, threshold=7)
    everyone = team(project, 12)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, project.folder, *(who.code for who in everyone)],
        stdout=subprocess.PIPE,
        text=True,
    )
    seen = [writer.stdout.readline() for _ in range(100)]
    writer.kill()
    seen += writer.stdout.read().splitlines()
    writer.wait()
    assert writer.returncode == -9, seen
    acknowledged = [line.split()[1] for line in seen if len(line.split()) == 2]
    with project.store.read() as connection:
        ids = Counter(connection.execute(text("SELECT id FROM entry")).scalars())
    whole = [id for id in acknowledged if len(id) == 32]
    assert all(ids[id] == 1 for id in whole)
    assert len(whole) >= 100
    assert len(ids) - len(whole) <= len(everyone)  # at most what each was waiting for
    review.recount(project)
    assert review.progress(project).answers == len(ids)


def asked(project, who, task, ahead=0, **more):
    return review.turn.Request(project, who, [reply(task, **more)] if task else [], ahead)


def serve(project, requests):
    return project.store.write(lambda connection: review.turn.serve(connection, requests))


def test_together_everybody_gets_what_they_would_get_one_by_one(make):
    def run(together):
        gold = {"i3": "given", "i7": "both"}
        project = make(40, gold=gold, gold_every=5, repeat_every=7, people=3, threshold=2)
        everyone = team(project, 7)
        tasks, seen = dict.fromkeys(everyone), []
        for turn in range(30):
            present = [who for who in everyone if (turn * who.id) % 4]
            requests = [asked(project, who, tasks[who], ahead=turn % 3) for who in present]
            if together:
                outcomes = serve(project, requests)
            else:
                outcomes = [serve(project, [request])[0] for request in requests]
            for who, held in zip(present, outcomes):
                seen.append([(who.code, task.item, task.repeat, task.turn) for task in held])
                tasks[who] = held[0] if held else None
        return seen

    assert run(True) == run(False)


def test_together_no_item_is_asked_too_often(make):
    project = make(30, people=2, threshold=2)
    everyone = team(project, 10)
    outcomes = serve(project, [asked(project, who, None, ahead=3) for who in everyone])
    items = Counter(task.item for tasks in outcomes for task in tasks)
    assert [len({task.item for task in tasks}) for tasks in outcomes] == [4] * 10
    assert items == dict.fromkeys(range(20), 2)


def test_one_that_is_refused_does_not_refuse_the_others(make):
    project = make(9)
    a, b, c = team(project, 3)
    tasks = {who: review.next_tasks(project, who)[0] for who in (a, b, c)}
    first = asked(project, a, tasks[a])
    said = review.Reply(first.replies[0].id, tasks[b].item, "given")
    outcomes = serve(
        project,
        [
            first,
            first,  # the same, heard twice
            review.turn.Request(project, b, [said], 0),  # an id of somebody else
            asked(project, review.Person(99, "zoe"), tasks[c]),
            asked(project, c, tasks[c], choice="both"),
        ],
    )
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) == len(outcomes[4]) == 1
    assert "stands for another entry" in str(outcomes[2])
    assert "no person 'zoe'" in str(outcomes[3])
    assert sorted(review.votes(project)["answer"]) == ["both", "given"]
    assert review.next_tasks(project, b)[0].item == tasks[b].item


def test_a_fault_amid_several_is_only_that_ones(make, monkeypatch):
    project = make(9)
    everyone = team(project, 4)
    tasks = [review.next_tasks(project, who)[0] for who in everyone]
    keep = review.turn.keep

    def faulty(connection, project, said):
        keep(connection, project, said)
        if any(who.code == "p2" for who, _ in said):
            raise ZeroDivisionError

    monkeypatch.setattr(review.turn, "keep", faulty)
    said = [reply(task) for task in tasks]
    outcomes = in_one_group(
        project.store,
        [
            lambda who=who, r=r: review.answer_and_next(project, who, [r])
            for who, r in zip(everyone, said)
        ],
    )
    assert [isinstance(found, ZeroDivisionError) for found in outcomes] == [
        False,
        False,
        True,
        False,
    ]
    assert review.progress(project).answers == 3
