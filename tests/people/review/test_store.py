"""Nothing acknowledged is lost or doubled: kills, many at once, old databases, wrong files."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace

import pytest
from sqlalchemy import inspect, select, text

from candidly import review
from candidly.people.review import _schema, migrations, store
from candidly.people.review._group import QueuedWrite
from candidly.people.review._trouble import in_words
from candidly.people.review.store import open_store

from review_cases import an_id, some_items, some_rules, take, team

WRITER = """
import sys, uuid
from candidly import review
project = review.open_project(sys.argv[1])
who = review.find_person(project, sys.argv[2])
while tasks := review.next_tasks(project, who):
    for task in tasks:
        id = uuid.uuid4().hex
        print("sent", id, flush=True)
        review.answer(project, who, [review.Reply(id, task.item, "given")])
        print("there", id, flush=True)
"""


def test_kill_9_loses_and_doubles_nothing(make):
    project = make(300, people=4, threshold=3)
    acknowledged, rng = [], random.Random(0)
    for round in range(2):
        who = review.add_person(project, f"k{round % 2}-{round}")
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, project.folder, who.code],
            stdout=subprocess.PIPE,
            text=True,
        )
        seen = [writer.stdout.readline() for _ in range(rng.randrange(5, 60))]
        time.sleep(rng.random() * 0.05)
        writer.kill()
        seen += writer.stdout.read().splitlines()
        writer.wait()
        assert writer.returncode == -9, seen
        # a kill may cut the last line short; what it would have said is one of the 2 below
        acknowledged += re.findall(r"^there (\w{32})$", "\n".join(map(str.strip, seen)), re.M)
    with project.store.read() as connection:
        ids = Counter(connection.execute(text("SELECT id FROM entry")).scalars())
    assert len(acknowledged) > 8
    assert all(ids[id] == 1 for id in acknowledged)
    assert len(ids) - len(acknowledged) <= 2  # at most the one that each kill cut short
    review.recount(project)
    assert review.progress(project).answers == len(ids)


def test_many_at_once_on_few_items(make):
    project = make(30, people=3, threshold=2)
    everyone = team(project, 6)
    failed, acknowledged = [], []

    def work(who):
        try:
            while tasks := review.next_tasks(project, who):
                said = review.Reply(an_id(), tasks[0].item, "given")
                acknowledged.extend(review.answer(project, who, [said]))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in everyone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    found = review.progress(project)
    assert (found.answers, found.done) == (90, 30)
    with project.store.read() as connection:
        ids = connection.execute(text("SELECT id FROM entry")).scalars().all()
        over = connection.execute(text("SELECT max(said), max(held) FROM item")).one()
    assert sorted(ids) == sorted(acknowledged)
    assert tuple(over) == (3, 0)


def test_several_processes_at_once(make):
    project = make(40, people=2, threshold=2)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, project.folder, who.code],
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in team(project, 3)
    ]
    there = []
    for writer in writers:
        out, _ = writer.communicate(timeout=120)
        assert writer.returncode == 0
        there += [line.split()[1] for line in out.splitlines() if line.startswith("there")]
    with project.store.read() as connection:
        ids = connection.execute(text("SELECT id FROM entry")).scalars().all()
    assert sorted(ids) == sorted(there)
    assert review.progress(project).answers == 80


def test_migrations_make_the_tables_that_queries_know(make):
    project = make(1)
    found = inspect(project.store.engine)
    for table in _schema.META.sorted_tables:
        columns = {column["name"] for column in found.get_columns(table.name)}
        assert columns == {column.name for column in table.c}, table.name


def test_a_database_of_version_1_is_brought_up_to_date(make, monkeypatch):
    project = make(1)
    take(project, review.add_person(project, "ann"), "given")
    project.close()
    later = (*migrations.MIGRATIONS, ("ALTER TABLE person ADD COLUMN colour TEXT DEFAULT 'red'",))
    monkeypatch.setattr(migrations.migrate, "__defaults__", (later,))
    with review.open_project(project.folder) as project:
        assert review.votes(project)["answer"].to_list() == ["given"]
        with project.store.read() as connection:
            assert connection.execute(text("SELECT colour FROM person")).scalars().all() == ["red"]
            version = connection.execute(text("SELECT max(number) FROM version")).scalar()
            assert version == len(later)


def test_a_newer_database_is_refused(make):
    project = make(1)
    project.store.write(lambda c: c.execute(text("INSERT INTO version VALUES (99, 0)")))
    with pytest.raises(ValueError, match="version 99"):
        review.open_project(project.folder)


def test_what_is_no_project_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no project"):
        review.open_project(tmp_path)
    (tmp_path / "review.db").write_text("this is no database, but a text that is long enough" * 9)
    with pytest.raises(ValueError, match="no database of candidly"):
        review.open_project(tmp_path)
    for url, match in (
        ("postgresql://a:secret@host/x", "password"),
        ("mysql://host/x", "no address of PostgreSQL"),
        ("postgresql//", "does not exist"),
    ):
        with pytest.raises((ValueError, FileNotFoundError), match=match):
            open_store(url)
    with pytest.raises(OSError, match="cannot be opened"):
        open_store(f"postgresql://x@/x?host={tmp_path}")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "3"])
def test_a_damaged_address_is_named(tmp_path, text):
    (tmp_path / "review.json").write_text(text)
    with pytest.raises(ValueError, match=r"review\.json is damaged; it should hold"):
        review.open_project(tmp_path)


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"kind": "answer"}', '"x"', ""])
def test_a_damaged_log_is_named_by_its_line(make, tmp_path, line):
    project = make(1)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*review.log(project), line, ""]))
    with pytest.raises(ValueError, match=r"line 2.*; export the log again\.$") as caught:
        review.merge_log(project, path)
    assert not any(word in str(caught.value) for word in ("Expecting", "char", "NoneType"))


def test_a_project_is_made_once(make, tmp_path):
    project = make(2)
    with pytest.raises(ValueError, match="holds a project already"):
        review.make_project(project.folder, some_items(2), some_rules())
    if not project.store.is_sqlite:
        import json

        url = json.loads((project.folder / "review.json").read_text())["url"]
        with pytest.raises(ValueError, match="holds a project already"):
            review.make_project(tmp_path / "second", some_items(2), some_rules(), url=url)


def test_answers_are_synced_before_they_are_acknowledged(make):
    project = make(1)
    if project.store.is_sqlite:
        with project.store.read() as connection:
            said = [
                connection.execute(text(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
        assert said == ["wal", 2, 1, 1000 * store.BUSY_S]


def test_a_connection_that_breaks_under_several_writers_is_told_to_each(make):
    project = make(1)
    if project.store.is_sqlite:
        pytest.skip("of PostgreSQL")

    def cut(connection, asked):
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return asked

    jobs = [QueuedWrite(cut, number, synced=True) for number in (1, 2)]
    project.store._run(jobs)
    for job in jobs:
        with pytest.raises(review.StoreError) as caught, in_words():
            raise job.error
        assert caught.value.kind == "away"
    review.add_person(project, "ann")  # by a new connection


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_writer_that_is_frozen_holds_nobody_up_for_ever(make, monkeypatch):
    monkeypatch.setattr(store, "FROZEN_S", 1)
    project = make(1)
    begun, go = threading.Event(), threading.Event()
    outcomes = []

    def freeze(connection):
        begun.set()
        go.wait(60)
        connection.execute(text("SELECT 1"))

    def work():
        try:
            outcomes.append(project.store.write(freeze))
        except review.StoreError as error:
            outcomes.append(error.kind)

    frozen = threading.Thread(target=work)
    frozen.start()
    begun.wait()
    with review.open_project(project.folder) as elsewhere:  # which takes the lock, too
        assert not outcomes
        go.set()
        frozen.join()
        assert outcomes == ["busy"]
        review.add_person(elsewhere, "ann")


def test_what_items_hold_comes_through_to_the_letter(make):
    odd = ["", "\\N", "\\.", "a\tb\nc\r\\d", "\"'", "\x01\x7f", "É 犬 🙂"]
    items = [
        replace(item, name=f"{k}{odd[k % len(odd)]}", shown=review.Shown("text", odd[k % len(odd)]))
        for k, item in enumerate(some_items(1001))
    ]
    items[3] = replace(items[3], score=None)
    project = make(items=items, goal="quality")
    columns = ("name", "payload", "score", "given", "guessed", "key")
    with project.store.read() as connection:
        rows = connection.execute(select(*(_schema.item.c[name] for name in columns))).all()
    wanted = [
        (one.name, one.shown.payload, one.score, one.given, one.guessed, None) for one in items
    ]
    assert sorted(map(tuple, rows), key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_postgresql_knows_at_once_how_large_a_project_is(make):
    project = make(1000)
    size = text("SELECT reltuples FROM pg_class WHERE oid = CAST('item' AS regclass)")
    with project.store.read() as connection:
        assert connection.execute(size).scalar() == 1000


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_what_postgresql_does_not_take_is_said_in_words(make):
    items = [replace(some_items(1)[0], shown=review.Shown("text", "a\0b"))]
    with pytest.raises(review.StoreError, match="does not take one of the values"):
        make(items=items)
