"""Sessions end on the server: by signing out, by the organiser, in time; and not by a clock."""

from __future__ import annotations

import re

import pytest

from candidly import review
from candidly.people.web.links import (
    LINK_S,
    ORGANISER,
    PERSON,
    SESSION_S,
    VIEWER,
    person_link,
    viewer_link,
)

from review_cases import Clock
from web_cases import HERE, JSON, browser


@pytest.fixture
def clock(project):
    object.__setattr__(project, "clock", Clock())
    return project.clock


def copied(site, one):
    """Another browser with the same cookie."""
    other = browser(site)
    other.client.cookies.update(one.client.cookies)
    return other


def signed_in(one) -> bool:
    return one.get("/guidelines", headers=JSON).status_code == 200


@pytest.mark.parametrize("role", [PERSON, VIEWER, ORGANISER])
def test_signing_out_ends_the_session_on_the_server(site, role):
    one, elsewhere = browser(site, role, "ann"), browser(site, role, "ann")
    copy, csrf = copied(site, one), one.csrf
    assert signed_in(copy)
    one.post("/out")
    assert not signed_in(copy)
    assert copy.post("/undo", {"id": "12345678"}, csrf=csrf, headers=JSON).status_code == 401
    assert copy.get("/").status_code == 200  # the door
    assert signed_in(elsewhere)  # a session of its own


def test_signing_in_anew_ends_the_session_before(site):
    one = browser(site, PERSON, "ann")
    copy = copied(site, one)
    one.client.post("/in", data={"code": "bob"})
    assert not signed_in(copy)
    assert signed_in(one)


def ended(site, code: str) -> str:
    """The organiser's page, once somebody was signed out everywhere."""
    boss = browser(site, ORGANISER)
    answer = boss.post("/organiser/end", {"code": code})
    assert (answer.status_code, answer.headers["location"]) == (303, "/organiser#people")
    return boss.get("/organiser").text


def test_the_organiser_ends_a_persons_sessions_and_links(site, project):
    ann, bob = browser(site, PERSON, "ann"), browser(site, PERSON, "bob")
    link = person_link(site, HERE, review.find_person(project, "ann"))
    assert browser(site).follow(link).status_code == 303
    html = ended(site, "ann")
    assert not signed_in(ann)
    assert signed_in(bob)
    answer = browser(site).follow(link)
    assert answer.status_code == 403
    assert "This link was ended" in answer.text
    [new] = re.findall(r'id="link-ann"[^>]*value="([^"]*)"', html)
    again = browser(site)
    assert again.follow(new).headers["location"] == "/review"
    assert signed_in(again)


def test_its_page_has_a_button_for_it(site):
    html = browser(site, ORGANISER).get("/organiser").text
    assert "Sign ann out everywhere" in html
    assert html.count('action="/organiser/end"') == 2
    assert 'action="/organiser/end"' not in browser(site, VIEWER).get("/organiser").text


def test_nobody_else_ends_sessions(site):
    for role in (PERSON, VIEWER):
        one = browser(site, role, "ann")
        assert one.post("/organiser/end", {"code": "bob"}, headers=JSON).status_code == 403
        assert one.post("/organiser/end", {"code": "ann"}, headers=JSON).status_code == 403


@pytest.mark.parametrize("hours", [2, 24 * 365])
def test_a_clock_that_goes_back_locks_nobody_out(site, project, clock, hours):
    clock.now += 2 * 3600 * 24 * 365
    ann, boss = browser(site, PERSON, "ann"), browser(site, ORGANISER)
    link, looks = (
        person_link(site, HERE, review.find_person(project, "ann")),
        viewer_link(site, HERE),
    )
    clock.now -= hours * 3600
    assert signed_in(ann)
    assert signed_in(boss)
    assert len(ann.cards()) > 0
    for address in (link, looks):
        assert browser(site).follow(address).status_code == 303
    clock.now += hours * 3600
    assert signed_in(ann)


def test_they_end_in_time_all_the_same(site, project, clock):
    ann = browser(site, PERSON, "ann")
    link = person_link(site, HERE, review.find_person(project, "ann"))
    clock.now += SESSION_S - 1
    assert signed_in(ann)
    clock.now += 2
    assert not signed_in(ann)
    clock.now += LINK_S - SESSION_S
    assert browser(site).follow(link).status_code == 403


def test_what_another_process_ends_ends_within_seconds(site, project, monkeypatch):
    from candidly.people.web import _sessions

    ann = browser(site, PERSON, "ann")
    assert signed_in(ann)
    review.end_sessions(project, review.find_person(project, "ann"))
    monkeypatch.setattr(_sessions, "KEPT_S", 0.0)
    assert not signed_in(ann)


def test_a_cookie_of_a_session_that_never_began_is_nobodys(site, project):
    from candidly.people.web.links import SESSION, _signer

    one = browser(site)
    for said in (["made-up", PERSON, 1, "ann"], ["", ORGANISER]):
        one.client.cookies.set(site.cookie, _signer(site, SESSION).dumps(said))
        assert not signed_in(one)


def test_a_link_of_before_which_may_be_in_a_log_signs_nobody_in(site, project):
    from candidly.people.web.links import _signer

    ann = review.find_person(project, "ann")
    text = _signer(site, "link").dumps([PERSON, ann.id, ann.code, ann.revoked])
    one = browser(site)
    assert one.get(f"/in/{text}").status_code == 410
    assert one.follow(f"{HERE}/link#{text}").status_code == 403
    assert not one.client.cookies
