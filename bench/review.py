"""The review app under load: 50 people at once over loopback, and a server that is killed.

A load generator (``_review/load.py``) and ``candidly review serve`` share this machine. Every
answer is synced to disk before it is confirmed; afterwards the database holds each confirmed
answer once. PostgreSQL is measured where it is installed, with its own settings (fsync on).

    python bench/review.py            about seven minutes; writes bench/results/review.json
    python bench/review.py --quick    5 seconds of load each, a small project; no browser
"""

from __future__ import annotations

import json
import os
import random
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
from dataclasses import replace
from pathlib import Path

import numpy as np

from _bench import Claim, at_least, at_most, main
from candidly import review
from candidly.review.load import _absorb, _entry
from candidly.web import open_site, organiser_link, person_link

PEOPLE = 50
KILLS = 20
LOAD = Path(__file__).parent / "_review" / "load.py"
CHOICES = ("given", "guessed", "both", "neither")


def new_project(folder: Path, n: int, url: str | None = None, **changes) -> review.Project:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 10, n), rng.integers(1, 10, n)
    items = [
        review.Item(
            row=k,
            name=str(k),
            given=int(g),
            guessed=int((g + d) % 10),
            score=float(k),
            shown=review.Shown("text", f"The text of item {k}."),
        )
        for k, (g, d) in enumerate(zip(*pairs))
    ]
    rules = replace(review.PRESETS["verdict"], classes=tuple("abcdefghij"), **changes)
    return review.make_project(folder, items, rules, url=url)


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


@contextmanager
def load(folder: Path, port: int, seconds: float) -> Iterator[subprocess.Popen]:
    """The load generator at work."""
    links, log = folder / "links", folder / "confirmed"
    links.write_text("\n".join(links_of(folder, port)))
    command = [sys.executable, str(LOAD), str(links), str(seconds), str(log)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def kept_by(folder: Path) -> tuple[int, int, int, int]:
    """Confirmed answers that are missing or doubled, answers in all, items whose sums are off."""
    confirmed = Counter((folder / "confirmed").read_text().split())
    with review.open_project(folder) as project:
        there = Counter(row["id"] for row in _answers(project))
        before = review.progress(project)
        review.recount(project)
        after = review.progress(project)
    missing = sum(id not in there for id in confirmed)
    doubled = sum(times > 1 for times in there.values())
    same = (before.answers, before.skips, before.done) == (after.answers, after.skips, after.done)
    return missing, doubled, len(there), int(not same)


def _answers(project: review.Project) -> Iterator[dict]:
    entries = (json.loads(line) for line in review.log(project))
    return (entry for entry in entries if entry.get("kind") == "answer")


def under_load(name: str, folder: Path, seconds: float, target: float) -> list[Claim]:
    """Fifty people for a minute."""
    port = free_port()
    with serving(folder, port) as server, load(folder, port, seconds) as people:
        out = people.communicate()[0]
        cpu = _processor_s(server.pid)
    told = json.loads(out)
    missing, doubled, in_all, off = kept_by(folder)
    return [
        at_least(f"{name}: answers a second, {PEOPLE} people", told["kept"] / seconds, target),
        Claim(f"{name}: answer to next item under that load, median ms", told["p50"]),
        Claim(f"{name}: the same, 95th percentile, ms", told["p95"]),
        Claim(f"{name}: processor time of the server per answer, ms", 1e3 * cpu / told["kept"]),
        at_most(f"{name}: requests refused or broken", told["refusals"] + told["broken"], 0),
        at_most(f"{name}: confirmed answers missing", missing, 0),
        at_most(f"{name}: answers doubled", doubled, 0),
        at_most(f"{name}: answers that nobody confirmed", in_all - told["kept"], 0),
        at_most(f"{name}: sums that differ from the log", off, 0),
    ]


def killed(name: str, folder: Path, kills: int) -> list[Claim]:
    """The server is killed again and again while fifty people answer."""
    port = free_port()
    seconds = 4.0 * kills
    rng = random.Random(0)
    done = 0
    server = started(folder, port)
    with load(folder, port, seconds) as people:
        for _ in range(kills):
            time.sleep(rng.uniform(0.2, 1.0))
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
            done += people.poll() is None  # the load was still on
            server = started(folder, port)
        out = people.communicate()[0]
    server.kill()
    server.wait()
    told = json.loads(out)
    missing, doubled, in_all, off = kept_by(folder)
    return [
        at_least(f"{name}: kill -9 of the server under load, times", done, kills),
        Claim(f"{name}: answers confirmed meanwhile", told["kept"]),
        Claim(f"{name}: connections broken", told["broken"]),
        at_most(f"{name}: requests refused", told["refusals"], 0),
        at_most(f"{name}: confirmed answers missing after the kills", missing, 0),
        at_most(f"{name}: answers doubled after the kills", doubled, 0),
        at_most(f"{name}: answers that nobody confirmed after the kills", in_all - told["kept"], 0),
        at_most(f"{name}: sums that differ from the log after the kills", off, 0),
    ]


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def postgresql() -> Iterator[str | None]:
    """The address of a private server with Debian's settings; None where there is none."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        yield None
        return
    initdb, pg_ctl = programs[-1], programs[-1].with_name("pg_ctl")
    folder = Path(tempfile.mkdtemp(prefix="candidly-pg-"))
    user = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        user = {"user": "postgres", "cwd": folder}
    data, quiet = folder / "data", {"check": True, "stdout": subprocess.DEVNULL}
    try:
        subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "postgres"], **quiet, **user)
        options = f"-k {folder} -c listen_addresses="
        start = [pg_ctl, "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
        subprocess.run(start, **quiet, **user)
        yield f"postgresql://postgres@/postgres?host={folder}"
        subprocess.run([pg_ctl, "-D", data, "-m", "immediate", "stop"], **quiet, **user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def opened(folder: Path, rounds: int) -> list[float]:
    """Seconds from opening a project to its first page for somebody who answers."""
    import httpx
    from starlette.testclient import TestClient

    from candidly.web import make_app

    assert httpx
    found = []
    for k in range(rounds):
        with review.open_project(folder) as setup:
            person = review.add_person(setup, f"opens{k}-{time.time_ns()}")
        start = time.perf_counter()
        with review.open_project(folder) as project:
            site = open_site(project)
            client = TestClient(make_app(site), base_url="http://127.0.0.1")
            page = client.get(person_link(site, "", person))
            assert page.status_code == 200, page.text
            found.append(time.perf_counter() - start)
    return found


def organiser_ms(folder: Path, rounds: int) -> list[float]:
    """Milliseconds of the organiser's page, over a socket, more than any cache lives apart."""
    import httpx

    port = free_port()
    found = []
    with serving(folder, port), review.open_project(folder) as project:
        link = organiser_link(open_site(project), f"http://127.0.0.1:{port}")
        with httpx.Client(follow_redirects=True, timeout=60) as client:
            client.get(link)
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
    with tempfile.TemporaryDirectory() as name, postgresql() as address:
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
        claims += under_load("SQLite", folder, seconds, 300)
        new_project(root / "killed", n).close()
        claims += killed("SQLite", root / "killed", kills)
        if address is not None:
            new_project(root / "postgresql", n, address).close()
            claims += under_load("PostgreSQL", root / "postgresql", seconds, 300)
        full = root / "full"
        new_project(full, n, people=6, threshold=4, gold_every=0, repeat_every=0).close()
        fill(full, n)
        page = statistics.median(organiser_ms(full, 3))
        claims += [at_most(f"organiser's page, {5 * n} answers, median ms", page, 500)]
    return claims


if __name__ == "__main__":
    main("review", __doc__ or "", measure)
