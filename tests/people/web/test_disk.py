"""A disk that is full, for real: what people are told, and that work goes on when there is room."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess

import pytest

from candidly import review
from candidly.people.review.store import open_store
from candidly.people.web.links import ORGANISER, PERSON

from needs import a_browser
from review_cases import reply, some_items, team
from web_browser import Screen, served, until
from web_cases import JSON, a_project, a_site, browser, fields_of, said

FULL = "The disk of the server is full, so nothing can be saved"


@pytest.fixture
def small(tmp_path):
    """A folder on a disk of four megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "candidly-test", str(place)]
    with contextlib.suppress(OSError):
        if subprocess.run(command, capture_output=True).returncode == 0:
            yield place
            subprocess.run(["umount", "-l", str(place)], check=True)
            return
    pytest.skip("needs to mount a small disk")


def fill(folder) -> None:
    """Until nothing fits any more."""
    with (folder / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(folder).free == 0


def work_until_full(project, who) -> None:
    """The log beside the database may have room left: it is used up."""
    for _ in range(500):
        review.note(project, who, f"note-{os.urandom(8).hex()}", 0, "x" * 2000)
    raise AssertionError("the disk did not fill")


def test_a_full_disk_is_said_and_forgotten_when_there_is_room(small):
    with a_project(small / "check") as project:
        site = a_site(project)
        ann, boss = browser(site, PERSON, "ann"), browser(site, ORGANISER)
        [card, *_] = ann.cards()
        fill(small)
        with pytest.raises(review.StoreError, match=FULL) as caught:
            work_until_full(project, review.find_person(project, "ann"))
        assert caught.value.kind == "full"
        answer = ann.say(card, "a")
        assert answer.status_code == 507
        assert answer.json()["refused"].startswith(FULL)
        page = ann.post("/answer", [*fields_of(card), (said(card), "a")])
        assert page.status_code == 507
        assert FULL in page.text
        assert boss.get("/organiser").status_code == 200  # what is there can be read
        assert browser(site).client.post("/in", data={"code": "bob"}).status_code == 507
        (small / "filler").unlink()
        assert ann.say(card, "a").status_code == 200
        assert review.votes(project)["person"].to_list() == ["ann"]


def test_the_page_says_it_and_keeps_the_answer(small):
    items = [*some_items(8)]
    with a_project(small / "check", items=items) as project, served(a_site(project)) as address:
        with a_browser() as chromium:
            screen = Screen(chromium.new_page())
            screen.sign_in(address, "ann")
            screen.saved()
            fill(small)
            with contextlib.suppress(review.StoreError):
                work_until_full(project, review.find_person(project, "bob"))
            screen.press("1")
            until(lambda: FULL in screen.state())
            assert "no connection" not in screen.state()
            assert "1 answer is kept here, trying again" in screen.state()
            assert len(screen.kept()) == 1
            (small / "filler").unlink()
            screen.saved()
        assert len(review.votes(project)) == 1


# ---- other troubles, and each without a mount


def test_a_database_that_may_grow_no_more(tmp_path):
    """The same code of SQLite, on any machine."""
    with a_project(tmp_path / "check") as project:
        [who] = team(project, 1)
        [task] = review.next_tasks(project, who)

        def no_room(connection):
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
            for k in range(10_000):
                connection.exec_driver_sql(
                    "INSERT INTO entry (id, kind, person, at, note) VALUES (?, 'note', ?, 0, ?)",
                    (f"fill-{k}", who.id, "x" * 2000),
                )

        with pytest.raises(review.StoreError, match=FULL):
            project.store.write(no_room)
        project.store.close()  # the limit was of that connection
        review.answer(project, who, [reply(task)])
        assert len(review.votes(project)) == 1


def test_a_project_that_may_only_be_read(tmp_path):
    a_project(tmp_path / "check").close()
    with open_store(tmp_path / "check" / "review.db") as store:
        with pytest.raises(review.StoreError, match="may only be read") as caught:
            store.write(
                lambda c: [c.exec_driver_sql("PRAGMA query_only=1"), c.exec_driver_sql(ADD)]
            )
        assert caught.value.kind == "read only"
        assert "sqlite" not in str(caught.value).lower()


ADD = "INSERT INTO version VALUES (98, 0)"


def test_a_damaged_database_is_said_so(tmp_path):
    with a_project(tmp_path / "check", n=200) as project:
        site = a_site(project)
        ann = browser(site, PERSON, "ann")
        with project.store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        project.store.close()
        path = tmp_path / "check" / "review.db"
        content = bytearray(path.read_bytes())
        content[4096 * 3 :] = b"\x55" * (len(content) - 4096 * 3)
        path.write_bytes(content)
        answer = ann.get("/tasks", headers=JSON)
        assert answer.status_code == 503
        assert answer.json()["refused"].startswith("The database is damaged.")


def test_what_postgresql_does_not_take_is_said_in_words(tmp_path, url):
    if url is None:
        pytest.skip("of PostgreSQL")
    with a_project(tmp_path / "check", url=url) as project:
        for statement, kind in (
            ("SELECT 1 / 0", "value"),
            ("SELECT pg_terminate_backend(pg_backend_pid())", "away"),
            ("SELECT * FROM nowhere", "fault"),
        ):
            with pytest.raises(review.StoreError) as caught, project.store.read() as connection:
                connection.exec_driver_sql(statement)
            assert caught.value.kind == kind, statement
        with project.store.read() as connection:  # and it goes on
            assert connection.exec_driver_sql("SELECT 1").scalar() == 1
