"""Several web processes behind one address, on PostgreSQL: one is killed, stopped, asked alone."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from candidly import review
from candidly.people.web import _processes, _recent, serve
from candidly.people.web.links import ORGANISER
from planted_modules import planted

from review_cases import some_items, some_rules
from web_browser import Server, until
from web_cases import JSON, a_project, a_site, browser, fields_of, follow, said

on_postgresql = pytest.mark.parametrize("url", ["postgresql"], indirect=True)
NUMBER = 3


# ---- without processes


def test_sqlite_is_for_one_process(site):
    with pytest.raises(ValueError, match=r"`processes=2` needs PostgreSQL, .* in SQLite"):
        serve(site, port=0, processes=2)


def test_the_command_takes_a_number_of_processes(project):
    command = [sys.executable, "-m", "candidly", "review", "serve", str(project.folder)]
    for number, why in (("0", "give a whole number from 1 to 16"), ("2", "needs PostgreSQL")):
        ended = subprocess.run(
            [*command, "--port", "0", "--processes", number], capture_output=True, text=True
        )
        assert ended.returncode == 2
        assert why in " ".join(ended.stderr.split())


@on_postgresql
def test_a_process_takes_its_share_of_the_connections(tmp_path, url):
    a_project(tmp_path / "check", url=url).close()
    with review.open_project(tmp_path / "check", connections=3) as project:
        pool = project.store.engine.pool
        held = [pool.connect() for _ in range(3)]
        pool._timeout = 0.05
        with pytest.raises(review.StoreError, match="busy"):
            review.people(project)
        held.pop().close()
        assert len(review.people(project)) == 2


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_who_was_added_elsewhere_is_on_the_organisers_page(tmp_path, url, monkeypatch):
    monkeypatch.setattr(_recent, "FOLD", math.inf)  # what is kept grows no older
    with a_project(tmp_path / "check", url=url) as project:
        site = a_site(project)
        boss = browser(site, ORGANISER)
        assert "person-cy" not in boss.get("/organiser").text
        with review.open_project(project.folder) as elsewhere:
            cy = review.add_person(elsewhere, "cy")
            assert 'id="person-cy"' in boss.get("/organiser").text
            review.exclude(elsewhere, cy, "exclude-elsewhere", reason="asleep")
            assert "asleep" in boss.get("/organiser").text


@pytest.mark.slow
def test_one_that_cannot_begin_ends_all(site, tmp_path, capfd):
    gone = replace(site, project=replace(site.project, folder=tmp_path / "gone"))
    before = signal.getsignal(signal.SIGTERM)
    with (
        socket.create_server(("127.0.0.1", 0)) as door,
        pytest.raises(RuntimeError, match="ended before it could serve"),
    ):
        _processes.run(gone, door, 2, lambda: pytest.fail("it is not ready"))
    assert "holds no project" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is before


# ---- real ones

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads /proc")


def workers_of(parent: int) -> list[int]:
    """The web processes that a server has started."""
    found = []
    for folder in Path(f"/proc/{parent}/task").iterdir():
        for word in (folder / "children").read_text().split():
            try:
                command = Path(f"/proc/{word}/cmdline").read_bytes()
            except OSError:  # it has just ended
                continue
            if b"spawn_main" in command:
                found.append(int(word))
    return found


def holds_back_ctrl_c(pid: int) -> bool:
    """Whether the process never gets a SIGINT."""
    status = Path(f"/proc/{pid}/status").read_text()
    held = int(re.search(r"SigBlk:\s*(\w+)", status)[1], 16)
    return bool(held >> signal.SIGINT - 1 & 1)


def runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # which nobody has asked for yet


@contextmanager
def serving(folder: Path):
    server = Server(folder, "--processes", str(NUMBER))
    try:
        yield server
    finally:
        ends(server, signal.SIGTERM)
        server.process.stdout.close()


def ends(server: Server, how: signal.Signals) -> int:
    server.process.send_signal(how)
    return server.process.wait(30)


@contextmanager
def alone(server: Server, place: int):
    """Only one of the processes answers meanwhile."""
    others = [pid for k, pid in enumerate(workers_of(server.process.pid)) if k != place]
    assert len(others) == NUMBER - 1
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in others:
            os.kill(pid, signal.SIGCONT)


def texts_project(folder: Path, n: int, url: str, codes, wanted: int) -> review.Project:
    items = [
        replace(one, shown=review.Shown("text", f"this is {one.name}.")) for one in some_items(n)
    ]
    project = review.make_project(folder, items, some_rules(people=wanted, threshold=2), url=url)
    for code in codes:
        review.add_person(project, code)
    return project


def client_of(server: Server, link: str = "") -> httpx.Client:
    """Somebody who has followed a link; each request on a connection of its own."""
    limits = httpx.Limits(max_keepalive_connections=0)
    client = httpx.Client(base_url=server.address, headers=JSON, limits=limits, timeout=20)
    if link:
        assert follow(client, link).status_code == 303
    return client


def token_of(page: str) -> str:
    """What a form of this page must hold."""
    return re.search(r'name="csrf" value="([^"]+)"', page)[1]


@pytest.mark.slow
@on_postgresql
def test_what_one_process_gives_another_takes(tmp_path, url):
    with a_project(tmp_path / "check", url=url) as project, serving(tmp_path / "check") as server:
        with alone(server, 0):
            ann = client_of(server, server.links["ann"])
            boss = client_of(server, server.links["organiser"])
            card = ann.get("/tasks").json()["cards"][0]["html"]
            pictures = re.findall(r'src="(/shown/[^"]+)"', card)
            assert pictures
        form = dict([*fields_of(card), (said(card), "a"), ("csrf", token_of(card))])
        with alone(server, 1):
            assert [ann.get(one).status_code for one in pictures] == [200] * len(pictures)
            assert ann.post("/answer", data=form).status_code == 200
            page = boss.get("/organiser", headers={"accept": "text/html"}).text
            link = re.search(r'id="link-bob"[^>]*value="([^"]*)"', page)[1]
        with alone(server, 2):
            assert ann.post("/answer", data=form).status_code == 200  # it comes twice
            bob = client_of(server, link)
            assert [bob.get(one).status_code for one in pictures] == [404] * len(pictures)
        assert review.progress(project).answers == 1


@pytest.mark.slow
@on_postgresql
def test_files_where_it_was_started_are_nothing_to_those_that_are_started(
    tmp_path, url, monkeypatch
):
    told = planted(tmp_path)
    monkeypatch.chdir(tmp_path)
    with a_project(tmp_path / "check", url=url), serving(tmp_path / "check") as server:
        before = workers_of(server.process.pid)
        os.kill(before[0], signal.SIGKILL)
        until(lambda: len(there := workers_of(server.process.pid)) == NUMBER and there != before)
        new = workers_of(server.process.pid).index(*({*workers_of(server.process.pid)} - {*before}))
        with alone(server, new):
            assert client_of(server, server.links["ann"]).get("/tasks").status_code == 200
    assert not told.exists(), told.read_text()


@pytest.mark.slow
@on_postgresql
def test_what_one_process_ends_is_ended_in_all(tmp_path, url):
    with a_project(tmp_path / "check", url=url), serving(tmp_path / "check") as server:
        with alone(server, 0):
            ann, bob = (client_of(server, server.links[code]) for code in ("ann", "bob"))
            copy = client_of(server)
            copy.cookies.update(ann.cookies)
            for one in (copy, bob):  # this process remembers them for five seconds
                assert one.get("/tasks").status_code == 200
        with alone(server, 1):
            out = {"csrf": token_of(ann.get("/tasks").json()["cards"][0]["html"])}
            assert ann.post("/out", data=out).status_code == 303
            boss = client_of(server, server.links["organiser"])
            page = boss.get("/organiser", headers={"accept": "text/html"}).text
            ended = boss.post("/organiser/end", data={"code": "bob", "csrf": token_of(page)})
            assert ended.status_code == 303
        with alone(server, 0):
            assert follow(client_of(server), server.links["bob"]).status_code == 403
            for one in (copy, bob):
                until(lambda one=one: one.get("/tasks").status_code == 401)


class Worker(threading.Thread):
    """Somebody who answers until nothing is left, and repeats what was not confirmed."""

    def __init__(self, server: Server, code: str) -> None:
        super().__init__(daemon=True)
        self.server, self.rng = server, random.Random(code)
        self.code = code
        self.client = client_of(server)
        self.client.cookies = client_of(server, server.links[code]).cookies
        self.confirmed: dict[str, str] = {}
        self.asked: list[str] = []
        self.broken = 0
        self.failed: list[BaseException] = []

    def run(self) -> None:
        try:
            while cards := self.insist("GET", "/tasks").json()["cards"]:
                card = cards[0]["html"]
                fields = dict(fields_of(card))
                button = self.rng.choice(("a", "b", "both", "neither"))
                form = {**fields, said(card): button, "csrf": token_of(card)}
                assert self.insist("POST", "/answer", data=form).status_code == 200
                self.confirmed[fields["id"]] = button
                self.asked += re.findall(r"this is i\d+", card)
        except BaseException as error:
            self.failed.append(error)

    def insist(self, method: str, path: str, **more) -> httpx.Response:
        while True:
            try:
                answer = self.client.request(method, path, **more)
                if answer.status_code < 500:
                    return answer
            except httpx.TransportError:
                self.broken += 1
            time.sleep(0.02)


@pytest.mark.slow
@on_postgresql
def test_kill_9_of_web_processes_loses_nothing_and_asks_nobody_twice(tmp_path, url):
    people, n, wanted = [f"p{k}" for k in range(8)], 100, 3
    folder = tmp_path / "check"
    with texts_project(folder, n, url, people, wanted) as project:
        with serving(folder) as server:
            team = [Worker(server, code) for code in people]
            for one in team:
                one.start()
            rng, killed = random.Random(0), 0
            while any(one.is_alive() for one in team) and killed < 8:
                time.sleep(rng.uniform(0.1, 0.5))
                there = workers_of(server.process.pid)
                if len(there) > 1:
                    os.kill(rng.choice(there), signal.SIGKILL)
                    killed += 1
            for one in team:
                one.join(60)
            until(lambda: len(workers_of(server.process.pid)) == NUMBER)  # each has a successor
        assert [one.failed for one in team] == [[]] * len(team)
        assert killed >= 3
        with project.store.read() as connection:
            rows = connection.execute(
                text("SELECT id, choice, flip, item, person FROM entry")
            ).all()
            over = connection.execute(text("SELECT min(said), max(said) FROM item")).one()
    confirmed = {id: button for one in team for id, button in one.confirmed.items()}
    there = {row.id: row for row in rows}
    assert there.keys() == confirmed.keys()
    for id, button in confirmed.items():
        assert there[id].choice == review.choice_of(there[id].flip, button)
    assert tuple(over) == (wanted, wanted)
    assert max(Counter((row.item, row.person) for row in rows).values()) == 1
    for one in team:
        assert len(one.asked) == len(set(one.asked)) == len(one.confirmed)


@pytest.mark.slow
@on_postgresql
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_they_end_with_the_server(tmp_path, url, how):
    a_project(tmp_path / "check", url=url).close()
    command = [sys.executable, "-m", "candidly", "review", "serve", str(tmp_path / "check")]
    server = subprocess.Popen(
        [*command, "--port", "0", "--processes", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as of a terminal, whose Ctrl-C reaches all of them
    )
    port = int(re.search(r":(\d+);", server.stdout.readline())[1])
    workers = workers_of(server.pid)
    assert len(workers) == 2
    assert all(map(holds_back_ctrl_c, workers))
    if how == "SIGINT":
        os.killpg(server.pid, signal.SIGINT)
    else:
        server.send_signal(getattr(signal, how))
    status = server.wait(30)
    assert status == {"SIGINT": 130, "SIGTERM": -signal.SIGTERM, "SIGKILL": -signal.SIGKILL}[how]
    if how == "SIGKILL":
        until(lambda: not any(map(runs, workers)))
    assert not any(map(runs, workers))  # it has waited for them
    assert "Traceback" not in server.stderr.read()
    server.stdout.close()
    server.stderr.close()
    with socket.create_server(("127.0.0.1", port)):
        pass  # it is free again
