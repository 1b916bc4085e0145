"""What stands before every page: names, sizes, rates, origins, headers."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest

from candidly.people.web import _guard, make_app
from candidly.people.web import app as apps
from candidly.people.web._guard import HEADERS, LARGEST, Rate
from candidly.people.web._turns import AT_ONCE, Turns
from candidly.people.web.links import ORGANISER, PERSON, VIEWER

from web_cases import HERE, JSON, TestClient, browser

SMALL = 32 * 1024  # bytes of most forms
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]:8765", "labels.lan"]
)
def test_it_answers_under_its_own_names(project, host):
    from web_cases import a_site

    client = browser(a_site(project, names=["Labels.lan"])).client
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.evil"),
        *("localhost:80@evil.com", "localhost:80:80", "localhost:", "localhost:x", "me@localhost"),
        *("[::1", "::1", "[::1]x", "localhost/evil.com", "localhost?x", " localhost ,evil.com"),
    ],
)
def test_another_name_is_refused(site, host):
    # a page elsewhere whose name was made to lead here (DNS rebinding)
    answer = browser(site).client.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert "Pets" not in answer.text


def test_two_names_are_refused(site):
    headers = [("host", "127.0.0.1"), ("host", "evil.example")]
    for pair in (headers, headers[::-1]):
        answer = browser(site).client.get("/", headers=pair)
        assert answer.status_code == 400


ADDRESSES = ["/", "/nowhere", "/page.css", "/static/review.js", "/review", "/media/10.png"]


@pytest.mark.parametrize("address", [*ADDRESSES, "/tasks", "/guidelines", "/in/forged"])
@pytest.mark.parametrize("role", ["", PERSON])
def test_every_answer_has_every_header(site, address, role):
    answer = browser(site, role, "ann").get(address)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value, (address, name)
    assert "cache-control" in answer.headers
    assert "server" not in answer.headers


def test_refusals_of_the_guard_have_the_headers_too(site):
    answer = browser(site).client.get("/", headers={"host": "evil.example"})
    assert HEADERS.items() <= dict(answer.headers).items()


def test_pages_are_not_kept_by_browsers(site):
    assert browser(site, PERSON, "ann").get("/review").headers["cache-control"] == "no-store"


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline():
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert set(policy.values()) == {"'none'", "'self'"}


def test_a_long_form_is_refused_before_it_is_read(site):
    answer = browser(site).client.post("/in", content=b"code=" + b"x" * LARGEST, headers=FORM)
    assert answer.status_code == 413


def test_a_form_that_does_not_say_its_length_is_cut_off(site):
    sent = []

    def chunks():
        for _ in range(2 * LARGEST // 65536 + 2):
            sent.append(1)
            yield b"x" * 65536

    answer = browser(site).client.post("/in", content=chunks(), headers=FORM)
    assert answer.status_code == 411
    assert HEADERS.items() <= dict(answer.headers).items()


@pytest.mark.parametrize("length", ["-1", "x", "9" * 5000, str(LARGEST + 1)])
def test_lengths_are_read_before_anything_else(site, length):
    answer = browser(site).client.post("/in", headers={**FORM, "content-length": length})
    assert answer.status_code == 413


def test_a_long_form_below_the_limit_is_read(site):
    code = b"x" * (SMALL - 100)
    answer = browser(site).client.post("/in", content=b"code=ann&token=" + code, headers=FORM)
    assert answer.status_code == 403


def test_only_who_may_send_a_long_form_is_listened_to(site):
    for role, status in (("", 401), (VIEWER, 403)):
        form = b"x" * (LARGEST - 100)
        answer = browser(site, role).client.post("/answer", content=form, headers=FORM | JSON)
        assert answer.status_code == status
    answer = browser(site).client.post("/in", content=b"x" * (SMALL + 1), headers=FORM | JSON)
    assert answer.status_code == 413
    assert "write less" in answer.json()["refused"]


def test_rates_fill_and_drain():
    now = [0.0]
    rate = Rate(3, 0.5, clock=lambda: now[0])
    assert [rate.take("a") for _ in range(4)] == [0, 0, 0, 2.0]
    assert rate.take("b") == 0
    now[0] = 1.0
    assert rate.take("a") == 1.0
    now[0] = 2.0
    assert rate.take("a") == 0
    assert rate.take("a") == 2.0
    now[0] = 1000.0
    assert [rate.take("a") for _ in range(4)] == [0, 0, 0, 2.0]


def test_rates_forget_those_who_came_first(monkeypatch):
    monkeypatch.setattr(_guard, "KNOWN", 5)
    rate = Rate(1, 0.001)
    for k in range(9):
        rate.take(str(k))
    assert list(rate.left) == list("45678")


def test_guessing_codes_is_slow(site):
    client = browser(site).client
    answers = [client.post("/in", data={"code": f"guess{k}"}) for k in range(21)]
    assert [answer.status_code for answer in answers] == [403] * 20 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 3
    # right ones wait as well; links, which nobody can guess, and other pages do not
    assert client.post("/in", data={"code": "ann"}).status_code == 429
    assert client.post("/link", data={"link": "some"}).status_code == 403
    assert client.get("/").status_code == 200


def test_addresses_have_their_own_rates(site):
    app = make_app(site)
    one, other = (TestClient(app, base_url=HERE, client=(f"10.0.0.{k}", 1)) for k in (1, 2))
    statuses = []
    while 429 not in statuses and len(statuses) < 500:  # tries come back meanwhile
        statuses.append(one.post("/in", data={"code": "x"}).status_code)
    assert set(statuses) == {403, 429}
    assert other.post("/in", data={"code": "x"}).status_code == 403


@pytest.mark.parametrize("headers", [{}, JSON])
def test_forms_of_a_session_are_bounded(site, monkeypatch, headers):
    monkeypatch.setattr(apps, "SAID_AT_ONCE", 3.0)
    monkeypatch.setattr(apps, "SAID_A_SECOND", 0.01)
    ann = browser(site, PERSON, "ann")
    answers = [ann.post("/undo", {"id": "12345678"}, headers=headers) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [422] * 3 + [429]
    assert 90 <= int(answers[-1].headers["retry-after"]) <= 101


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "http://127.0.0.1:9", "http://localhost:8765"),
        *("ftp://127.0.0.1:8765", "https://evil.example//127.0.0.1:8765", "127.0.0.1:8765"),
    ],
)
def test_forms_of_other_sites_are_refused(site, origin):
    ann = browser(site, PERSON, "ann")
    answer = ann.post("/undo", {"id": "12345678"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert ann.client.post("/in", data={"code": "bob"}, headers={"origin": origin}).is_error


def test_forms_of_its_own_pages_are_taken(site):
    ann = browser(site, PERSON, "ann")
    answer = ann.post("/undo", {"id": "12345678"}, headers={"origin": HERE})
    assert "nothing to take back" in answer.text


def test_a_fault_of_the_program_says_nothing_of_it(site, monkeypatch):
    def broken(visit):
        raise RuntimeError("secret of the inside")

    broken_route = apps.route("/", broken, open=True)
    monkeypatch.setattr(apps, "ROUTES", (broken_route,))
    client = TestClient(make_app(site), base_url=HERE, raise_server_exceptions=False)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert HEADERS.items() <= dict(answer.headers).items()


def test_a_character_that_databases_refuse_is_refused_at_the_door(site):
    ann = browser(site, PERSON, "ann")
    assert ann.post("/undo", {"id": "1234567\0"}).status_code == 422
    answer = ann.client.post("/in", data={"code": "a\0"})
    assert answer.status_code == 422
    assert re.search("character of code 0", answer.text)


def test_everybody_has_a_rate_of_their_own(site, monkeypatch):
    monkeypatch.setattr(apps, "SAID_AT_ONCE", 1.0)
    monkeypatch.setattr(apps, "SAID_A_SECOND", 0.01)
    app = make_app(site)
    ann, bob = (browser(site, PERSON, code, app=app) for code in ("ann", "bob"))
    boss = browser(site, ORGANISER, app=app)
    assert [one.post("/out").status_code for one in (ann, bob, boss)] == [303] * 3
    assert browser(site, PERSON, "ann", app=app).post("/out").status_code == 429


def test_requests_of_one_client_take_turns():
    """Four of one at once, the rest after them; another's does not wait for these."""
    turns, go = Turns(), threading.Event()
    at_work, most = [], []

    def slow():
        at_work.append(1)
        most.append(len(at_work))
        go.wait(10)
        at_work.pop()

    def other():
        assert len(at_work) == AT_ONCE
        go.set()
        return "served"

    async def everybody():
        slow_ones = [asyncio.create_task(turns.run("ann", slow)) for _ in range(3 * AT_ONCE)]
        while len(at_work) < AT_ONCE:
            await asyncio.sleep(0.01)
        assert await turns.run("bob", other) == "served"
        await asyncio.gather(*slow_ones)

    TestClient.portal.call(everybody)
    assert max(most) == AT_ONCE
    assert not turns._clients


def test_a_turn_ends_with_what_it_raises():
    turns = Turns(1)

    def broken():
        raise ValueError("no")

    async def thrice():
        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                await turns.run("ann", broken)

    TestClient.portal.call(thrice)
    assert not turns._clients
