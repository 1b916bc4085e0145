"""The review app under load, killed and attacked: 50 people at once over loopback.

The load is a closed loop (``_review/load.py``): each person asks again as soon as the answer before
is confirmed, which nobody at a screen does, so the rate is the most that the server bears, and the
waiting times are those of a full house. It and ``candidly review serve`` share this machine.

"text" are items of a line of text, without pictures, known items or undo. "mixed" are texts and
pictures, with known items in between, where 5 in 100 answers are taken back.

Every answer is synced to disk before it is confirmed; afterwards the database holds each confirmed
answer once, with the choice that was made. PostgreSQL is measured where it is installed, with its
own settings (fsync on), and killed, too.

    python bench/review.py            about eleven minutes; writes bench/results/review.json
    python bench/review.py --quick    5 seconds of load each, a small project; no browser
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np

from _bench import Claim, at_least, at_most, main
from _review.crowd import half_open, heavy
from _review.postgresql import Server, postgresql
from candidly import review
from candidly.people.review.load import _absorb, _entry
from candidly.people.web import open_site, organiser_link, person_link

PEOPLE = 50
KILLS = 20
LOAD = Path(__file__).parent / "_review" / "load.py"
CHOICES = ("given", "guessed", "both", "neither")
PICTURES, KNOWN = 200, 200  # files, and items whose answer is known, of a mixed project
UNDONE = 0.05  # of the answers to it


def new_project(
    folder: Path, n: int, url: str | None = None, mixed: bool = False, **changes
) -> review.Project:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 10, n), rng.integers(1, 10, n)
    items = [
        review.Item(
            row=k,
            name=str(k),
            given=int(g),
            guessed=int((g + d) % 10),
            score=float(k),
            shown=review.Shown("image", f"{k % PICTURES}.png")
            if mixed and k % 2
            else review.Shown("text", f"The text of item {k}."),
        )
        for k, (g, d) in enumerate(zip(*pairs))
    ]
    if mixed:
        _pictures(folder / "media", rng)
    gold = {str(k): "given" for k in range(KNOWN)} if mixed else None
    rules = replace(review.PRESETS["verdict"], classes=tuple("abcdefghij"), **changes)
    return review.make_project(folder, items, rules, url=url, gold=gold)


def _pictures(folder: Path, rng: np.random.Generator) -> None:
    """Files of about 12 kB."""
    from PIL import Image

    folder.mkdir(parents=True)
    for k in range(PICTURES):
        shades = rng.integers(0, 256, (64, 64, 3), np.uint8)
        Image.fromarray(shades).save(folder / f"{k}.png")


def started(folder: Path, port: int) -> subprocess.Popen:
    """A server process that answers."""
    command = [sys.executable, "-m", "candidly", "review", "serve", str(folder), "--json"]
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.PIPE)
    if not process.stdout.read(1):
        raise RuntimeError("the server did not start")
    return process


@contextmanager
def serving(folder: Path, port: int) -> Iterator[subprocess.Popen]:
    """The same; killed at the end."""
    process = started(folder, port)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    import socket

    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def links_of(folder: Path, port: int) -> list[str]:
    """A link for each of fifty people."""
    with review.open_project(folder) as project:
        there = {one.code: one for one in review.people(project)}
        site = open_site(project)
        codes = [f"load{k}" for k in range(PEOPLE)]
        everyone = [there.get(code) or review.add_person(project, code) for code in codes]
        return [person_link(site, f"http://127.0.0.1:{port}", one) for one in everyone]


def follow(client: httpx.Client, link: str) -> httpx.Response:
    """The page that a link leads to, once its button is pressed; Starlette's client is one, too."""
    return client.post("/link", data={"link": link}, follow_redirects=True)


@contextmanager
def load(folder: Path, port: int, seconds: float, undo: float) -> Iterator[subprocess.Popen]:
    """The load generator at work."""
    links, log = folder / "links", folder / "confirmed"
    links.write_text("\n".join(links_of(folder, port)))
    command = [sys.executable, str(LOAD), str(links), str(seconds), str(log), str(undo)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Kept:
    """What a database holds of what was confirmed.

    Attributes:
        missing: confirmed, and not there. doubled: there twice. changed: with another choice, or
            taking another answer back. unasked: there, and not confirmed.
        off: whether the sums beside the log differ from it.
    """

    missing: int
    doubled: int
    changed: int
    unasked: int
    off: int

    def claims(self, name: str, when: str = "") -> list[Claim]:
        return [
            at_most(f"{name}: confirmed answers missing{when}", self.missing, 0),
            at_most(f"{name}: answers doubled{when}", self.doubled, 0),
            at_most(f"{name}: answers with another choice than was made{when}", self.changed, 0),
            at_most(f"{name}: answers that nobody confirmed{when}", self.unasked, 0),
            at_most(f"{name}: sums that differ from the log{when}", self.off, 0),
        ]


def kept_by(folder: Path) -> Kept:
    lines = [line.split() for line in (folder / "confirmed").read_text().splitlines()]
    confirmed = {id: said for id, *said in lines}
    with review.open_project(folder) as project:
        entries = list(_entries(project))
        before = review.progress(project)
        review.recount(project)
        after = review.progress(project)
    there = {entry["id"]: entry for entry in entries}
    return Kept(
        missing=sum(id not in there for id in confirmed),
        doubled=sum(times > 1 for times in Counter(entry["id"] for entry in entries).values()),
        changed=sum(said != _said(there[id]) for id, said in confirmed.items() if id in there),
        unasked=len(there.keys() - confirmed.keys()),
        off=int(
            (before.answers, before.skips, before.done) != (after.answers, after.skips, after.done)
        ),
    )


def _said(entry: dict) -> list[str]:
    """An entry as the log of the load has it."""
    if entry["kind"] == "undo":
        return ["undo", entry["target"]]
    pressed = {review.choice_of(entry["flip"], button): button for button in ("a", "b")}
    return [pressed.get(entry["choice"], entry["choice"])]


def _entries(project: review.Project) -> Iterator[dict]:
    entries = (json.loads(line) for line in review.log(project))
    return (entry for entry in entries if entry.get("kind") in ("answer", "undo"))


def under_load(
    name: str, folder: Path, seconds: float, target: float | None, undo: float = 0.0
) -> list[Claim]:
    """Fifty people for a minute."""
    port = free_port()
    with serving(folder, port) as server, load(folder, port, seconds, undo) as people:
        out = people.communicate()[0]
        cpu = _processor_s(server.pid)
    told = json.loads(out)
    rate, what = told["kept"] / seconds, f"{name}: answers a second, {PEOPLE} people"
    return [
        Claim(what, rate) if target is None else at_least(what, rate, target),
        Claim(f"{name}: answer to next item under that load, median ms", told["p50"]),
        Claim(f"{name}: the same, 95th percentile, ms", told["p95"]),
        Claim(f"{name}: processor time of the server per answer, ms", 1e3 * cpu / told["kept"]),
        Claim(f"{name}: pictures fetched", told["pictures"]),
        Claim(f"{name}: answers taken back", told["undone"]),
        at_most(
            f"{name}: requests refused, put off or broken",
            told["refusals"] + told["put_off"] + told["broken"],
            0,
        ),
        *kept_by(folder).claims(name),
    ]


def killed(name: str, folder: Path, kills: int, database: Server | None = None) -> list[Claim]:
    """The server is killed again and again while fifty people answer; or it and its database."""
    port = free_port()
    seconds = 4.0 * kills
    rng = random.Random(0)
    done = 0
    server = started(folder, port)
    with load(folder, port, seconds, UNDONE) as people:
        for k in range(kills):
            time.sleep(rng.uniform(0.2, 1.0))
            if database is not None and k % 2:
                database.kill()
                database.start()
                done += people.poll() is None
                continue
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
            done += people.poll() is None  # the load was still on
            server = started(folder, port)
        out = people.communicate()[0]
    server.kill()
    server.wait()
    told = json.loads(out)
    what = "the server" if database is None else "the server and of PostgreSQL, in turns,"
    return [
        at_least(f"{name}: kill -9 of {what} under load, times", done, kills),
        Claim(f"{name}: answers confirmed meanwhile", told["kept"]),
        Claim(f"{name}: answers taken back meanwhile", told["undone"]),
        Claim(f"{name}: connections broken, requests put off", told["broken"] + told["put_off"]),
        at_most(f"{name}: requests refused", told["refusals"], 0),
        *kept_by(folder).claims(name, " after the kills"),
    ]


def attacked(folder: Path) -> list[Claim]:
    """How long somebody waits for a page while others mean no good."""
    port = free_port()
    other = links_of(folder, port)[0]
    link = urlsplit(other).path
    with serving(folder, port):
        half = max(half_open(port, 1100, link))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as client:
            csrf = re.search(r'data-csrf="([^"]+)"', follow(client, other).text)[1]
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        head = (
            f"POST /answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
            f"Cookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        slowest = 0.0
        for part, size in (("id=12345678&task=00&", 940_000), ("%F0%9F%99%82", 60_000)):
            body = (f"csrf={csrf}&" + part * (size // len(part))).encode()
            slowest = max(slowest, *heavy(port, 70, head, body, link))
    return [
        at_most("somebody's page beside 1,100 half-open requests, slowest, s", half, 1),
        at_most("somebody's page beside 70 long forms at once, slowest, s", slowest, 1),
    ]


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def opened(folder: Path, rounds: int) -> list[float]:
    """Seconds from opening a project to its first page for somebody who answers."""
    from starlette.testclient import TestClient

    from candidly.people.web import make_app

    found = []
    for k in range(rounds):
        with review.open_project(folder) as setup:
            person = review.add_person(setup, f"opens{k}-{time.time_ns()}")
        start = time.perf_counter()
        with review.open_project(folder) as project:
            site = open_site(project)
            client = TestClient(make_app(site), base_url="http://127.0.0.1")
            page = follow(client, person_link(site, "", person))
            assert page.status_code == 200, page.text
            found.append(time.perf_counter() - start)
    return found


def organiser_ms(folder: Path, rounds: int) -> list[float]:
    """Milliseconds of the organiser's page, over a socket, more than any cache lives apart."""
    port = free_port()
    found = []
    with serving(folder, port), review.open_project(folder) as project:
        link = organiser_link(open_site(project), f"http://127.0.0.1:{port}")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            follow(client, link)
            for _ in range(rounds):
                time.sleep(6)
                start = time.perf_counter()
                page = client.get(f"http://127.0.0.1:{port}/organiser")
                found.append(1e3 * (time.perf_counter() - start))
                assert page.status_code == 200, page.text
    return found


def fill(folder: Path, n: int) -> None:
    """Five answers to every item."""
    said = np.random.default_rng(1).choice(4, (5, n), p=(0.5, 0.3, 0.1, 0.1)).tolist()
    with review.open_project(folder) as project:
        _absorb(
            project,
            (
                _entry(project, item, f"p{who}", CHOICES[said[who][item]], ms=900.0, at=float(item))
                for item in range(n)
                for who in range(5)
            ),
        )


def in_browser(folder: Path, answers: int) -> list[float]:
    """Milliseconds from a key to the next item on the screen, in Chromium."""
    from playwright.sync_api import sync_playwright

    port = free_port()
    link = links_of(folder, port)[0]
    with serving(folder, port), sync_playwright() as p:
        program = shutil.which("chromium")
        browser = p.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(link)
        page.click("#enter")
        page.wait_for_selector("body[data-ready]")
        found = []
        for k in range(answers):
            found.append(page.evaluate(PRESSED, "1234"[k % 4]))
            page.wait_for_timeout(300)  # nobody answers faster
        browser.close()
    return found


PRESSED = """key => new Promise(done => {
  const before = document.querySelector("section.card");
  const start = performance.now();
  const look = () => {
    const now = document.querySelector("section.card");
    if (now && now !== before) requestAnimationFrame(() => done(performance.now() - start));
    else setTimeout(look, 1);
  };
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  look();
})"""


def measure(quick: bool) -> list[Claim]:
    n, seconds, kills = (2_000, 5, 2) if quick else (100_000, 60, KILLS)
    claims = []
    with tempfile.TemporaryDirectory() as name, postgresql() as database:
        root = Path(name)
        folder = root / "sqlite"
        new_project(folder, n).close()
        first = statistics.median(opened(folder, 3))
        claims += [at_most(f"{n} items: open, to the first page, s", first, 2)]
        if not quick and shutil.which("chromium"):
            new_project(root / "browser", n).close()
            ms = sorted(in_browser(root / "browser", 200))
            claims += [
                at_most("in Chromium: key to next item, 95th percentile, ms", ms[190], 100),
                Claim("in Chromium: the same, median ms", ms[100]),
            ]
        claims += under_load("SQLite, text", folder, seconds, 300)
        new_project(root / "mixed", n, mixed=True).close()
        claims += under_load("SQLite, mixed", root / "mixed", seconds, None, UNDONE)
        new_project(root / "killed", n, mixed=True).close()
        claims += killed("SQLite", root / "killed", kills)
        if database is not None:
            new_project(root / "postgresql", n, database.place("text")).close()
            claims += under_load("PostgreSQL, text", root / "postgresql", seconds, 300)
            place = database.place("killed")
            new_project(root / "killed too", n, place, mixed=True).close()
            claims += killed("PostgreSQL", root / "killed too", kills, database)
        claims += attacked(folder)
        full = root / "full"
        new_project(full, n, people=6, threshold=4, gold_every=0, repeat_every=0).close()
        fill(full, n)
        page = statistics.median(organiser_ms(full, 3))
        claims += [at_most(f"organiser's page, {5 * n} answers, median ms", page, 500)]
    return claims


if __name__ == "__main__":
    main("review", __doc__ or "", measure)
