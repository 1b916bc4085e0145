"""A review project with everything that an organiser may look at, and its app."""

from __future__ import annotations

import atexit
import html as parser
import re
import shutil
import socket
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from PIL import Image
from starlette.testclient import TestClient

from candidly import review
from candidly.people import web
from candidly.people.review import MEDIA_FOLDER
from candidly.people.web import open_site

from review_cases import an_id, reply, some_rules
from web_cases import an_app, follow

HOSTILE = "<script>alert('x')</script>&\"'"
CHOICES = ("given", "guessed", "both", "neither", "skip")


def picture(folder: Path, name: str, seed: int) -> review.Shown:
    """A small picture below the project's media."""
    place = folder / MEDIA_FOLDER
    place.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), np.uint8)
    Image.fromarray(pixels).save(place / name)
    return review.Shown("image", name)


def items_with_looks(folder: Path, n: int, q: int = 3) -> list[review.Item]:
    """Pictures and texts in turn; names, some of them hostile."""
    looks = (
        lambda k: picture(folder, f"{k}.png", k),
        lambda k: review.Shown("text", f"text {k} {HOSTILE}"),
        lambda k: review.Shown("table", f"[{k}.5, 2.25, -1e-9]"),
        lambda k: review.Shown("none", ""),
    )
    names = {5: HOSTILE, 6: "a/../b c?d#e%", 7: ".."}
    return [
        review.Item(
            row=100 + k,
            name=names.get(k, f"i{k}"),
            given=k % q,
            guessed=(k + 1 + k // q % (q - 1)) % q,
            score=None if k == 8 else k / 7 - 1,
            shown=looks[k % 4](k),
        )
        for k in range(n)
    ]


def answered_project(folder: Path, n: int = 24, people: int = 4, **changes) -> review.Project:
    """Verdicts of several people with known items, skips, notes, one of them left out."""
    rules = some_rules(
        **{"classes": ("cat", HOSTILE, "owl"), "title": f"Check {HOSTILE}", "people": 3}
        | {"threshold": 2, "gold_every": 5, "repeat_every": 0}
        | changes
    )
    project = review.make_project(
        folder, items_with_looks(folder, n), rules, gold={"i3": "given", "i4": "guessed"}
    )
    rng = np.random.default_rng(0)
    for k in range(people):
        who = review.add_person(project, f"p{k}", f"Name {k}" if k else HOSTILE)
        for turn in range(n // 2 + 2):
            tasks = review.next_tasks(project, who)
            if not tasks:
                break
            choice = str(rng.choice(CHOICES, p=[0.4, 0.3, 0.1, 0.1, 0.1]))
            note = f"note {HOSTILE}" if turn == 2 else None
            review.answer(project, who, [reply(tasks[0], choice, ms=300.0 + 90 * turn, note=note)])
    review.exclude(project, review.find_person(project, "p1"), an_id(), reason=f"why {HOSTILE}")
    return project


@cache
def _kept(n: int) -> Path:
    """A project that is made once: waiting for the disk takes its time."""
    folder = Path(mkdtemp(prefix="candidly-pages-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    answered_project(folder / "project", n).close()
    return folder / "project"


def copied_project(folder: Path, n: int = 24) -> review.Project:
    """``answered_project``, a copy that may be changed."""
    shutil.copytree(_kept(n), folder)
    return review.open_project(folder)


class Looker:
    """Somebody who is signed in, through the whole app."""

    def __init__(self, site: web.Site, link: str) -> None:
        self.client = TestClient(an_app(site), base_url="http://localhost")
        if link:
            assert follow(self.client, link).status_code == 303

    def get(self, address: str, status: int = 200, **more):
        found = self.client.get(address, **more)
        assert found.status_code == status, found.text
        return found

    def text(self, address: str) -> str:
        return self.get(address).text

    def csrf(self, address: str = "/organiser") -> str:
        return re.search(r'name="csrf" value="(\w+)"', self.text(address))[1]

    def post(self, address: str, status: int = 200, **fields):
        found = self.client.post(address, data={"csrf": self.csrf(), **fields})
        assert found.status_code == status, found.text
        return found


def looker(project: review.Project, role: str = "organiser") -> Looker:
    site = open_site(project)
    base = "http://localhost"
    links = {
        "organiser": lambda: web.organiser_link(site, base),
        "viewer": lambda: web.viewer_link(site, base),
        "person": lambda: web.person_link(site, base, review.people(project)[0]),
        "nobody": lambda: "",
    }
    return Looker(site, links[role]())


def cells(html: str) -> list[list[str]]:
    """Rows of all tables of a page, as a reader sees them."""
    rows = re.findall(r"<tr.*?>(.*?)</tr>", html, re.DOTALL)
    return [
        [
            " ".join(parser.unescape(re.sub(r"<[^>]*>", " ", cell)).split())
            for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def a_tab(browser, address: str, **options):
    """A page; what it asked for is in ``asked``, what went wrong in ``errors``."""
    tab = browser.new_context(**options).new_page()
    tab.asked, tab.errors = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("dialog", lambda dialog: tab.errors.append("a script of the data ran"))
    tab.goto(address)
    if "#" in address:  # a link that signs in
        tab.keyboard.press("Enter")
    return tab


def shows(found, texts: str | list[str]) -> None:
    """The elements read so, once the browser has made the change last asked for."""
    from playwright.sync_api import expect

    expect(found).to_have_text(texts)


@contextmanager
def served(project: review.Project):
    """The app on a free port: its site and address."""
    import uvicorn

    site = open_site(project)
    server = uvicorn.Server(uvicorn.Config(an_app(site), log_level="warning", access_log=False))
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        try:
            yield site, f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)
