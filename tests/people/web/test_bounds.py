"""Every field of every page takes anything: it is refused in words, and nobody else notices."""

from __future__ import annotations

import re
import time
from urllib.parse import quote

import pytest

from candidly import review
from candidly.people.web import app as apps
from candidly.people.web import make_app
from candidly.people.web._fields import card_form
from candidly.people.web._guard import Rate
from candidly.people.web._turns import Turns
from candidly.people.web._visit import Shared
from candidly.people.web.links import ORGANISER, PERSON, person_link

from web_cases import (
    HERE,
    JSON,
    Browser,
    TestClient,
    a_project,
    a_site,
    an_app,
    browser,
    fields_of,
    follow,
    said,
)

BAD = {  # as they stand in an address or a form
    "huge": "1e308",
    "endless": "9" * 5000,
    "401 digits": "1" + "0" * 400,
    "below": "-1e308",
    "minus": "-1",
    "nan": "nan",
    "inf": "Infinity",
    "beyond 64 bits": str(2**63),
    "beyond 32 bits": str(2**31),
    "full-width": quote("１２"),
    "arabic": quote("٣"),
    "superscript": quote("²"),
    "underscore": "1_000",
    "empty": "",
    "space": "+",
    "long": "x" * 3000,
    "wild": "%25" * 900 + "_" * 500,
    "code 0": "a%00b",
    "surrogate": "%ED%A0%80",
    "no utf-8": "%FF%FE",
    "half": "%",
    "letters": quote("🙂é漢" * 20),
    "quotes": quote("'\"<b>;--"),
    "control": "%01%1b%7f%0d%0a",
    "path": "..%2f..%2fetc%2fpasswd",
}
PAGES = {  # of a role, an address: the fields that it reads
    ("", "/in/{}"): [],
    (ORGANISER, "/media/{}"): [],
    (PERSON, "/shown/item/{}"): [],
    (PERSON, "/shown/{}/x"): [],
    (PERSON, "/static/{}"): [],
    (ORGANISER, "/download/{}"): [],
    (ORGANISER, "/gallery/item/{}"): [],
    (ORGANISER, "/gallery/item/"): ["number"],
    (ORGANISER, "/organiser"): ["seconds", "pay", "added"],
    (ORGANISER, "/gallery"): [
        *("given", "guessed", "asks", "least", "most", "page", "low", "high"),
        *("outcome", "person", "text", "sort", "known"),
    ],
}
FORMS = {
    ("", "/in"): {"code": "nobody", "token": ""},
    ("", "/link"): {"link": "x"},
    (PERSON, "/undo"): {"id": "12345678", "have": "t1"},
    (PERSON, "/look"): {"id": "12345678", "task": ""},
    (ORGANISER, "/organiser/person"): {"code": "zoe", "name": "Zoe"},
    (ORGANISER, "/organiser/exclude"): {"id": "12345678", "code": "bob", "back": "", "reason": ""},
    (ORGANISER, "/organiser/end"): {"code": "bob"},
    (ORGANISER, "/organiser/decide"): {
        "id": "12345678",
        "number": "0",
        "choice": "named",
        "name": "cat",
        "label": "0",
        "reason": "",
    },
    (PERSON, "/out"): {},
}
OF_CARDS = ("id", "task", "say", "named", "ms", "note", "examples", "have", "other")
INSIDE = re.compile(
    r"sqlite|psycopg|sqlalchemy|traceback|max_num|could not convert|invalid literal|codec"
    r"|pattern too|parameter|integer string|not None|object|DataError",
    re.I,
)


# on PostgreSQL the many requests take long
DATABASES = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)


@pytest.fixture
def either(tmp_path, url):
    """The app on SQLite, and on PostgreSQL."""
    with a_project(tmp_path / "either", url=url, title="Pets") as project:
        yield a_site(project)


class Asker:
    """Asks from another address each time, as guesses at the door are few from one."""

    def __init__(self, site) -> None:
        self.site, self.app, self.times = site, an_app(site), 0
        self.signed = {role: browser(site, role, "ann") for role in (PERSON, ORGANISER)}

    def of(self, role: str) -> Browser:
        self.times += 1
        client = TestClient(self.app, base_url=HERE, client=(f"10.1.{self.times // 250}.1", 1))
        if role:
            client.cookies.update(self.signed[role].client.cookies)
        return Browser(self.site, client)

    def get(self, role: str, address: str):
        return self.of(role).get(address, headers=JSON)

    def post(self, role: str, address: str, fields):
        """Fields as they are, with the token of the session."""
        one = self.of(role)
        body = "&".join(f"{name}={value}" for name, value in [*fields, ("csrf", one.csrf)])
        kind = {"content-type": "application/x-www-form-urlencoded", **JSON}
        return one.client.post(address, content=body, headers=kind, follow_redirects=False)


def fits(answer, what) -> None:
    """An answer that is fit to be read, whatever was asked."""
    assert answer.status_code < 500, (what, answer.text[:300])
    if answer.headers.get("content-type") == "application/json" and answer.status_code >= 400:
        why = answer.json()["refused"]
        assert not INSIDE.search(why), (what, why[:300])
        assert re.search(r"[.?]$", why.strip()), (what, why[:300])
        assert len(why) < 700, (what, why[:300])


def well(ask: Asker) -> None:
    """Everything goes on for everybody."""
    assert ask.get(PERSON, "/tasks").status_code == 200
    for address in ("/organiser", "/gallery", "/download/votes.csv", "/download/log.jsonl"):
        assert ask.get(ORGANISER, address).status_code == 200, address


def test_the_tables_hold_every_route():
    tried = {address.split("{")[0].rstrip("/") for _, address in [*PAGES, *FORMS]}
    shared = Shared(Rate(9, 9), Turns())
    paths = {make(None, shared).path.split("{")[0].rstrip("/") for make in apps.ROUTES}
    # these read nothing but who asks
    assert paths - tried == {"", "/page.css", "/guidelines", "/review", "/tasks", "/answer"}


@DATABASES
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_pages(either, page):
    role, address = page
    ask = Asker(either)
    for name, bad in BAD.items():
        if "{}" in address:
            fits(ask.get(role, address.format(bad)), (address, name))
        for field in PAGES[page]:
            fits(ask.get(role, f"{address}?{field}={bad}"), (address, field, name))
    for field in PAGES[page]:
        for bad in ("1", "nan", "%25"):
            query = "&".join([f"{field}={bad}"] * 300)
            fits(ask.get(role, f"{address}?{query}"), (address, field, "300 times", bad))
    well(ask)


@DATABASES
@pytest.mark.parametrize("page", FORMS, ids=str)
def test_forms(either, page):
    role, address = page
    ask = Asker(either)
    for name, bad in BAD.items():
        for field in [*FORMS[page], "csrf", "unknown"]:
            if (address, field) == ("/out", "unknown"):
                continue  # it signs out
            fields = [(n, v) for n, v in FORMS[page].items() if n != field]
            fits(ask.post(role, address, [(field, bad), *fields]), (address, field, name))
            if name in ("huge", "surrogate"):  # so many are refused before they are looked at
                fits(ask.post(role, address, [(field, bad[:50])] * 500), (address, field, name))
    well(ask)


def test_answers(either):
    project, ask = either.project, Asker(either)
    [card, *_] = ask.signed[PERSON].cards()
    usual = [*fields_of(card), (said(card), "a")]
    id = usual[0][1]
    for name, bad in BAD.items():
        for field in OF_CARDS:
            what = field if field in ("id", "task", "have", "other") else f"{field}.{id}"
            if (field, name) == ("note", "empty") or field in ("have", "other", "examples"):
                continue  # below: these may be anything
            fields = [(what, bad), *((n, v) for n, v in usual if n != what)]
            answer = ask.post(PERSON, "/answer", fields)
            fits(answer, (field, name))
            if answer.status_code == 200:
                assert field == "note" or (field, name) in TAKEN, (field, name)
                ann = review.find_person(project, "ann")
                review.undo(project, ann, f"undo-{time.time_ns()}")
                [card, *_] = ask.signed[PERSON].cards()
                usual = [*fields_of(card), (said(card), "a")]
                id = usual[0][1]
        for fields in ([(f"say.{id}", bad[:20])] * 400, [("id", id)] * 400 + [("task", "")] * 400):
            fits(ask.post(PERSON, "/answer", [*usual, *fields]), ("repeated", name))
        for field in ("have", "other", "csrf"):
            answer = ask.post(PERSON, "/undo", [("id", "12345678"), *[(field, bad[:50])] * 40])
            fits(answer, (field, name))
    well(ask)
    for one in review.votes(project, everything=True)["ms"].to_list():
        assert one is None or 0 <= one <= 86_400_000


TAKEN = {
    ("named", "empty"),
    ("ms", "empty"),
    ("ms", "beyond 32 bits"),
    ("examples", "empty"),
}  # or left open


@pytest.mark.parametrize(
    ("ms", "kept"), [("900", 900.0), ("86400000", 864e5), ("86400001", None), ("1e15", None)]
)
def test_times_of_pages_left_open_are_not_known(site, project, ms, kept):
    ask = Asker(site)
    [card, *_] = ask.signed[PERSON].cards()
    fields = [(n, ms if n.startswith("ms.") else v) for n, v in fields_of(card)]
    assert ask.post(PERSON, "/answer", [*fields, (said(card), "a")]).status_code == 200
    assert review.votes(project)["ms"].to_list() == [kept]


@pytest.mark.parametrize("number", ["1e308", "1e16", "9" * 400])
def test_times_that_cannot_be_break_no_page(site, project, number):
    ask = Asker(site)
    [card, *_] = ask.signed[PERSON].cards()
    fields = [(n, number if n.startswith("ms.") else v) for n, v in fields_of(card)]
    answer = ask.post(PERSON, "/answer", [*fields, (said(card), "a")])
    assert answer.status_code == 422
    assert "the time in milliseconds" in answer.json()["refused"]
    well(ask)


def test_a_filter_that_is_too_long_is_said_so(site):
    ask = Asker(site)
    answer = ask.get(ORGANISER, "/gallery?text=" + "x" * 60_000)
    assert answer.status_code == 414
    assert "Write a shorter filter" in answer.json()["refused"]
    answer = ask.get(ORGANISER, "/gallery?text=" + "x" * 5000)
    assert answer.status_code == 422
    assert "Write a part of the name" in answer.json()["refused"]


def test_many_fields_are_read_once(site):
    """A form with one field again and again took as long as the square of their number."""
    ask = Asker(site)
    start = time.process_time()
    large = card_form(site.project.rules) - 300
    for field in ("id=12345678", "task=00", "say.12345678=a"):
        body = "&".join([field] * (large // (len(field) + 1)))
        answer = ask.post(PERSON, "/answer", [("csrf", ask.signed[PERSON].csrf), ("x", body)])
        assert answer.status_code == 422
        assert "more fields than a page has" in answer.json()["refused"]
    assert time.process_time() - start < 5
    answer = ask.post(PERSON, "/answer", [("note", "x" * (large + 400))])
    assert answer.status_code == 413
    assert "write less" in answer.json()["refused"]


def test_a_card_has_as_many_answers_as_a_batch(site):
    ask = Asker(site)
    [card, *_] = ask.signed[PERSON].cards()
    [(_, id), (_, task), *_] = fields_of(card)
    fields = [("id", id), ("task", task)] * 2
    answer = ask.post(PERSON, "/answer", fields)
    assert answer.status_code == 422
    assert "a card has 1 at most" in answer.json()["refused"]


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("cookie", "x=" + "y" * 40_000, 431),
        ("x-many", "y" * 40_000, 431),
        ("cookie", "a=b; " * 4000, 200),
        ("cookie", "candidly-", 200),
        ("cookie", "\x01\x02", 200),
        ("accept", "application/json" * 100, 200),
        ("content-length", "١", 413),
    ],
)
def test_headers(site, header, value, status):
    headers = [(header.encode(), value.encode())]
    assert browser(site).client.get("/", headers=headers).status_code == status


def test_many_headers(site):
    headers = [(f"x-{k}", "y" * 60) for k in range(600)]
    assert browser(site).client.get("/", headers=headers).status_code == 431


@pytest.mark.parametrize("verb", ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "BREW"])
@pytest.mark.parametrize("address", ["/", "/review", "/answer", "/nowhere", "/static/review.js"])
def test_other_verbs(site, verb, address):
    ann = browser(site, PERSON, "ann")
    answer = ann.client.request(verb, address, headers=JSON, follow_redirects=False)
    assert answer.status_code in ((200, 303, 404, 405) if verb == "HEAD" else (404, 405))
    if verb != "HEAD":
        assert "go to the start of the app" in answer.json()["refused"]


def test_sign_in_guessed_ten_thousand_times(site, project):
    """From one address nothing is looked up after the first twenty; others come in."""
    app = make_app(site)
    start = time.monotonic()
    guesser = TestClient(app, base_url=HERE, client=("10.9.9.9", 1))
    statuses = [guesser.post("/in", data={"code": f"g{k}"}).status_code for k in range(300)]
    allowed = 20 + 0.5 * (time.monotonic() - start)
    assert statuses.count(403) <= allowed + 1
    assert set(statuses) == {403, 429}
    link = person_link(site, HERE, review.find_person(project, "bob"))
    assert follow(guesser, link).status_code == 303


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2:3::4", "2001:db8:1:2:ffff::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("::1", "127.0.0.1", False),
        ("somewhere:odd", "somewhere:else", False),
    ],
)
def test_who_counts_as_one_client(one, other, same):
    from candidly.people.web._guard import sender

    found = [sender({"client": (address, 1)}) for address in (one, other)]
    assert (found[0] == found[1]) is same
    assert sender({}) == ""
