"""Review for a large team: 500 people, a million items, several web processes on PostgreSQL.

People look at each item for 2 s on average (exponentially distributed), answer, and wait until the
answer is confirmed and the next item is there (``_review/load.py``, a process of its own, over
loopback; they come over the first ten seconds, after which times count). PostgreSQL has its own
settings, fsync on. It, the web processes and the people share this machine; what each of them takes
of its processors is among the results, as is what other programs took meanwhile.

In one of the runs a web process is killed at a random moment, again and again. Afterwards the
database holds each confirmed answer once, with the choice that was made, and nobody was asked about
an item twice, nor more people about an item than should be.

    python bench/review_scale.py            about 10 minutes; writes bench/results/review_scale.json
    python bench/review_scale.py --quick    2,000 items, 60 people, 20 s of load a run
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from _bench import Claim, at_least, at_most, main
from _review.postgresql import Server, postgresql
from _review.processes import busy, children, seconds_of
from candidly import review
from candidly.people.review import _schema as t
from candidly.people.review.load import _settle
from candidly.people.web import open_site, organiser_link, person_link
from review import LOAD, Kept, _said, follow, free_port, new_project
from review_store import ms_of

THINK_S = 2.0
WANTED_MS = 200.0
CORES = os.cpu_count() or 1


@dataclass
class Team:
    """A project with people, and all that was confirmed to them over all runs."""

    folder: Path
    database: Server
    people: list[review.Person]
    confirmed: dict[str, list[str]] = field(default_factory=dict)

    def links(self, port: int, number: int) -> str:
        """A sign-in link a line."""
        with review.open_project(self.folder) as project:
            site = open_site(project)
            base = f"http://127.0.0.1:{port}"
            return "\n".join(person_link(site, base, one) for one in self.people[:number])


@dataclass(frozen=True)
class Run:
    """What came of one load.

    Attributes:
        told: what ``load.py`` prints. cpu: seconds of processor time by who took them.
        shares: of the web processes in their time, the least and the most. kills: how many.
        organiser: ms of the organiser's page meanwhile.
    """

    processes: int
    people: int
    seconds: float
    told: dict
    cpu: dict[str, float]
    shares: tuple[float, float]
    kills: int
    organiser: list[float]

    def claims(self, judged: bool = False) -> list[Claim]:
        """Named by people and processes; ``judged``: with targets."""
        told, what = self.told, f"{self.people} people, {self.processes} processes"
        if self.kills:
            what += ", one killed again and again"
        p95 = f"{what}: answer to next item, 95th percentile, ms"
        bad = told["refusals"] + (0 if self.kills else told["put_off"] + told["broken"])
        return [
            Claim(f"{what}: answers a second", told["kept"] / self.seconds),
            Claim(f"{what}: answer to next item, median ms", told["p50"]),
            at_most(p95, told["p95"], WANTED_MS) if judged else Claim(p95, told["p95"]),
            Claim(f"{what}: answer to next item, 99th percentile, ms", told["p99"]),
            Claim(f"{what}: answer to next item, longest, ms", told["most"]),
            at_most(
                f"{what}: requests refused{'' if self.kills else ', put off or broken'}", bad, 0
            ),
            at_most(f"{what}: items that somebody was asked about twice", told["twice"], 0),
            *(
                Claim(f"{what}: processors busy with {who}, of {CORES}", cpu / self.seconds)
                for who, cpu in self.cpu.items()
            ),
            Claim(f"{what}: share of the busiest web process", self.shares[1]),
            *(
                [Claim(f"{what}: organiser's page meanwhile, longest, ms", max(self.organiser))]
                if self.organiser
                else []
            ),
        ]


def new_team(folder: Path, database: Server, items: int, people: int) -> tuple[Team, list[Claim]]:
    start = time.perf_counter()
    place = database.place("team")
    project = new_project(folder, items, place, gold_every=0, repeat_every=0)
    took = time.perf_counter() - start
    with project:
        everyone = [review.add_person(project, f"load{k}") for k in range(people)]
    opened = ms_of(lambda: review.open_project(folder).close(), 3)
    return Team(folder, database, everyone), [
        Claim(f"{items} items: making the project, s", took),
        Claim(f"{items} items: opening it, longest, ms", max(opened)),
    ]


def under_load(team: Team, processes: int, people: int, seconds: float, kills: int = 0) -> Run:
    """So many people at so many web processes."""
    port = free_port()
    links, log = team.folder / "links", team.folder / "confirmed"
    links.write_text(team.links(port, people))
    command = [sys.executable, "-m", "candidly", "review", "serve", str(team.folder), "--json"]
    command += ["--port", str(port), "--processes", str(processes), "--person", team.people[0].code]
    server = subprocess.Popen(command, stdout=subprocess.PIPE)
    server.stdout.readline()
    organiser: list[float] = []
    done = threading.Event()
    watch = threading.Thread(target=_organise, args=(team, port, done, organiser))
    watch.start()
    try:
        before_s = _web_s(server.pid), _database_s(team.database), busy()
        crowd = subprocess.Popen(
            [sys.executable, str(LOAD), links, str(seconds), log, "0", str(THINK_S)],
            stdout=subprocess.PIPE,
            text=True,
        )
        start = time.monotonic()
        killed = _kill(server.pid, kills, seconds) if kills else 0
        told = json.loads(crowd.communicate()[0])
        web = [seconds_of(pid) for pid in _web(server.pid)]
        cpu = {
            "the web processes": _web_s(server.pid) - before_s[0],
            "PostgreSQL": _database_s(team.database) - before_s[1],
            "the people": told["cpu"],
        }
        cpu["other programs"] = max(0.0, busy() - before_s[2] - sum(cpu.values()))
        took = time.monotonic() - start
    finally:
        done.set()
        watch.join()
        server.send_signal(signal.SIGTERM)
        server.wait()
    for line in log.read_text().splitlines():
        id, *said = line.split()
        team.confirmed[id] = said
    shares = min(web) / sum(web), max(web) / sum(web)
    return Run(processes, people, took, told, cpu, shares, killed, organiser)


def _web(server: int) -> list[int]:
    """Who answers: the server itself, or the processes that it started for that."""
    spawned = [one for one in children(server) if "spawn_main" in _command(one)]
    return spawned or [server]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def _kill(server: int, kills: int, seconds: float) -> int:
    """Kill a web process at so many random moments of a load; how many died."""
    rng = random.Random(0)
    moments = sorted(rng.uniform(5, seconds - 5) for _ in range(kills))
    start, done = time.monotonic(), 0
    for moment in moments:
        time.sleep(max(0.0, start + moment - time.monotonic()))
        while len(victims := _web(server)) < 2 and time.monotonic() < start + seconds:
            time.sleep(0.1)  # until the one before has a successor
        if len(victims) > 1:
            os.kill(rng.choice(victims), signal.SIGKILL)
            done += 1
    return done


def _web_s(server: int) -> float:
    """Processor time of all processes of ``candidly review serve``, also of those that ended."""
    return seconds_of(server, ended=True) + sum(map(seconds_of, children(server)))


def _database_s(database: Server) -> float:
    return _web_s(int((database.folder / "data" / "postmaster.pid").read_text().split()[0]))


def _organise(team: Team, port: int, done: threading.Event, found: list[float]) -> None:
    """Somebody who keeps the organiser's page open, which asks every five seconds."""
    import httpx

    base = f"http://127.0.0.1:{port}"
    with review.open_project(team.folder) as project:
        link = organiser_link(open_site(project), base)
    with httpx.Client(base_url=base, timeout=60) as client:
        follow(client, link)
        while not done.wait(5):
            start = time.perf_counter()
            try:
                status = client.get(f"{base}/organiser").status_code
            except httpx.HTTPError:  # of a process that was killed
                continue
            if status == 200:
                found.append(1e3 * (time.perf_counter() - start))


def kept(team: Team) -> list[Claim]:
    """What the database holds of what was confirmed, over all runs."""
    with review.open_project(team.folder) as project:
        with project.store.read() as connection:
            entries = [dict(row) for row in connection.execute(select(t.entry)).mappings()]
        before = review.progress(project)
        items = sorted({entry["item"] for entry in entries})
        everyone = [one.id for one in team.people]
        project.store.write(lambda connection: _settle(connection, project, items, everyone))
        after = review.progress(project)
        wanted = project.rules.people
    there = {entry["id"]: entry for entry in entries}
    sums = [(one.answers, one.skips, one.done) for one in (before, after)]
    found = Kept(
        missing=sum(id not in there for id in team.confirmed),
        doubled=len(entries) - len(there),
        changed=sum(said != _said(there[id]) for id, said in team.confirmed.items() if id in there),
        unasked=len(there.keys() - team.confirmed.keys()),
        off=int(sums[0] != sums[1]),
    )
    pairs = Counter((entry["person"], entry["item"]) for entry in entries)
    said = Counter(entry["item"] for entry in entries if not entry["late"])
    return [
        Claim("answers confirmed in all runs", len(team.confirmed)),
        *found.claims("all runs"),
        at_most("all runs: answers about an item that somebody had answered", _more(pairs, 1), 0),
        at_most("all runs: answers beyond those wanted of an item", _more(said, wanted), 0),
    ]


def _more(times: Counter, most: int) -> int:
    return sum(max(0, number - most) for number in times.values())


def measure(quick: bool) -> list[Claim]:
    items, people, seconds, kills = (2_000, 60, 20.0, 3) if quick else (1_000_000, 500, 150.0, 10)
    curve = [] if quick else [(2, 50), (2, 100), (2, 200), (1, 500), (4, 500), (2, 1000)]
    with tempfile.TemporaryDirectory() as name, postgresql() as database:
        if database is None:
            raise RuntimeError("this needs PostgreSQL; install the Debian package postgresql.")
        team, claims = new_team(Path(name) / "team", database, items, 2 * people)
        claims += under_load(team, 2, people, seconds).claims(judged=not quick)
        killed = under_load(team, 2, people, seconds * 2 / 3, kills)
        claims += [at_least("web processes killed under load", killed.kills, kills)]
        claims += killed.claims()
        for processes, number in curve:
            claims += under_load(team, processes, number, 40.0).claims()
        claims += kept(team)
    return claims


if __name__ == "__main__":
    main("review_scale", __doc__ or "", measure)
