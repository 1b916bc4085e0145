"""Signing in and out: codes, the token, links, sessions that end, forms that cannot be forged."""

from __future__ import annotations

import json
import os
import stat
import time

import pytest

from candidly import review
from candidly.people.web import open_site, organiser_link, person_link, viewer_link
from candidly.people.web._site import KEY
from candidly.people.web.links import LINK_S, ORGANISER, PERSON, SESSION_S, VIEWER, session_text

from web_cases import HERE, JSON, TOKEN, a_site, browser


@pytest.fixture
def later(project):
    """Sets the project's clock so many seconds after now."""

    def later(seconds: float) -> None:
        object.__setattr__(project, "clock", lambda: time.time() + seconds)

    return later


def signed_in(one) -> bool:
    return one.get("/guidelines").status_code == 200


# ---- where it answers, and what it asks for


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_alone_needs_no_token(project, host):
    site = open_site(project, host)
    assert site.local
    assert len(site.token) >= 16


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "labels.lan"])
def test_other_addresses_need_a_token(project, host):
    with pytest.raises(ValueError, match=r"needs a token\. Take `token="):
        open_site(project, host)
    assert not open_site(project, host, TOKEN).local


@pytest.mark.parametrize("token", ["", "short", "x" * 15])
def test_short_tokens_are_refused(project, token):
    for host in ("127.0.0.1", "0.0.0.0"):
        with pytest.raises(ValueError, match="at least 16"):
            open_site(project, host, token)


def test_loopback_unless_told_otherwise():
    import inspect

    from candidly.cli.review.serve import serve as command
    from candidly.people.web import serve

    for function in (open_site, serve, command):
        assert inspect.signature(function).parameters["host"].default == "127.0.0.1"


def test_it_is_bound_there_and_nowhere_else():
    from candidly.people.web.serve import _bound

    with _bound("127.0.0.1", 0) as door:
        host, port = door.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(OSError, match=r"cannot be used .* `port`"):
            _bound("127.0.0.1", port)


@pytest.mark.parametrize(
    "name", ["labels.lan:8765", "a b", "*", "", "ftp://labels.lan", "http://a/b"]
)
def test_names_that_are_none_are_refused(project, name):
    with pytest.raises(ValueError, match="no name of a machine"):
        open_site(project, token=TOKEN, names=[name])


@pytest.mark.parametrize("name", ["labels.lan", "https://labels.example.org"])
def test_a_name_lets_others_in_and_needs_a_token(project, name):
    # something may stand in front of it
    with pytest.raises(ValueError, match=f"`names={name!r}` lets other machines in"):
        open_site(project, names=[name])
    site = open_site(project, token=TOKEN, names=[name])
    assert not site.local
    answer = browser(site).client.post("/in", data={"code": "ann"})
    assert answer.status_code == 403


def test_what_stands_in_front(project):
    site = open_site(project, token=TOKEN, names=["https://Labels.example.org:8443/", "::2"])
    assert site.address == "https://Labels.example.org:8443"
    assert {"labels.example.org", "::2", "127.0.0.1"} <= set(site.hosts)
    # whatever it says of itself, the cookie is for TLS alone
    one = browser(site, base="http://labels.example.org")
    answer = one.client.post("/in", data={"token": TOKEN}, follow_redirects=False)
    assert "; secure" in answer.headers["set-cookie"].lower()


def test_links_lead_to_a_name_of_the_machine(project):
    from candidly.people.web.serve import _name

    assert _name(open_site(project), "127.0.0.1") == "127.0.0.1"
    assert _name(open_site(project, "::1"), "::1") == "[::1]"
    assert _name(open_site(project, "0.0.0.0", TOKEN), "0.0.0.0") == "127.0.0.1"
    assert _name(open_site(project, "0.0.0.0", TOKEN, ["labels.lan"]), "0.0.0.0") == "labels.lan"


# ---- codes and the token


def test_a_code_signs_in_on_this_machine(site):
    one = browser(site)
    answer = one.client.post("/in", data={"code": " ann "}, follow_redirects=True)
    assert answer.url.path == "/review"
    assert ">ann<" in answer.text


def test_a_wrong_code_does_not(site):
    one = browser(site)
    answer = one.client.post("/in", data={"code": "<b>zoe</b>"})
    assert answer.status_code == 403
    assert "Nobody has the code" in answer.text
    assert "<b>" not in answer.text
    assert not one.client.cookies
    assert one.client.post("/in", data={}).status_code == 403


def test_on_other_addresses_a_code_alone_signs_nobody_in(project):
    site = a_site(project, host="0.0.0.0")
    one = browser(site)
    answer = one.client.post("/in", data={"code": "ann"})
    assert answer.status_code == 403
    assert "use the link" in answer.text
    assert not one.client.cookies
    wrong = one.client.post("/in", data={"code": "ann", "token": TOKEN + "x"})
    assert wrong.status_code == 403
    assert not one.client.cookies
    one.client.post("/in", data={"code": "ann", "token": TOKEN})
    assert signed_in(one)


def test_the_token_signs_the_organiser_in(site):
    one = browser(site)
    answer = one.client.post("/in", data={"token": TOKEN}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/organiser"
    assert one.get("/review").status_code == 403  # not a person
    other = browser(site)
    for token in ("", TOKEN[:-1], TOKEN + "x", "ÿ" * 20):
        assert other.client.post("/in", data={"token": token}).status_code == 403
    assert not other.client.cookies


# ---- sessions


@pytest.mark.parametrize(("base", "secure"), [(HERE, False), ("https://127.0.0.1", True)])
def test_flags_of_the_cookie(site, base, secure):
    one = browser(site, base=base)
    answer = one.client.post("/in", data={"code": "ann"}, follow_redirects=False)
    flags = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", f"max-age={SESSION_S}"} <= flags
    assert ("secure" in flags) is secure


def test_links_set_the_same_cookie(site, project):
    link = person_link(site, "https://127.0.0.1", review.find_person(project, "ann"))
    answer = browser(site, base="https://127.0.0.1").follow(link)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" in cookie


def altered(text: str) -> list[str]:
    body, when, mark = text.split(".")
    other = session_like(body)
    return [
        f"{other}.{when}.{mark}",
        f"{body}.{when}.{'A' if mark[0] != 'A' else 'B'}{mark[1:]}",  # the last holds spare bits
        f"{body}.{when[:-1]}{'A' if when[-1] != 'A' else 'B'}.{mark}",
        f"{body}.{when}",
        body,
        text[:-1],
        "",
        '["organiser"]',
    ]


def session_like(body: str) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(b'["organiser"]').decode().rstrip("=")


def test_forged_and_altered_sessions_are_nobody(site, project):
    good = session_text(site, PERSON, review.find_person(project, "ann"))
    one = browser(site)
    one.client.cookies.set(site.cookie, good)
    assert signed_in(one)
    for text in altered(good):
        one.client.cookies.set(site.cookie, text)
        assert not signed_in(one), text


def test_a_link_is_no_session_and_a_session_no_link(site, project):
    ann = review.find_person(project, "ann")
    link = person_link(site, HERE, ann).partition("#")[2]
    one = browser(site)
    one.client.cookies.set(site.cookie, link)
    assert not signed_in(one)
    assert one.follow(f"/link#{session_text(site, PERSON, ann)}").status_code == 403


def test_sessions_expire(site, later):
    ann = browser(site, PERSON, "ann")
    later(SESSION_S - 60)
    assert signed_in(ann)
    later(SESSION_S + 60)
    assert not signed_in(ann)
    answer = ann.get("/review")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert ann.get("/tasks", headers=JSON).status_code == 401


def test_sessions_and_links_outlive_a_restart(project):
    first = open_site(project)
    ann = browser(first, PERSON, "ann")
    link = viewer_link(first, HERE)
    with review.open_project(project.folder) as again:
        second = open_site(again)
        other = browser(second)
        other.client.cookies.update(ann.client.cookies)
        assert signed_in(other)
        assert other.csrf == ann.csrf
        assert browser(second).follow(link).status_code == 303


def test_they_end_when_the_token_changes(project):
    first = a_site(project)
    ann = browser(first, PERSON, "ann")
    link = organiser_link(first, HERE)
    second = open_site(project, token="another-token-of-the-organiser")
    other = browser(second)
    other.client.cookies.update(ann.client.cookies)
    assert not signed_in(other)
    assert other.follow(link).status_code == 403


def test_those_of_another_project_count_for_nothing(site, tmp_path):
    from web_cases import a_project

    with a_project(tmp_path / "other") as other:
        elsewhere = a_site(other)
        text = session_text(elsewhere, ORGANISER)
        link = organiser_link(elsewhere, HERE)
    one = browser(site)
    one.client.cookies.set(site.cookie, text)
    assert not signed_in(one)
    assert one.follow(link).status_code == 403


def test_the_key_is_its_owners_alone(project):
    before = os.umask(0)
    try:
        open_site(project)
    finally:
        os.umask(before)
    place = project.folder / KEY
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    kept = json.loads(place.read_text())
    assert min(len(kept["key"]) * 6 // 8, len(kept["token"])) >= 24
    assert kept["key"] not in repr(open_site(project))
    assert kept["token"] not in repr(open_site(project))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": "x"}'])
def test_a_damaged_key_is_named(project, text):
    (project.folder / KEY).write_text(text)
    with pytest.raises(ValueError, match=r"review\.key is damaged; remove it"):
        open_site(project)


def test_signing_out(site):
    one = browser(site)
    one.client.post("/in", data={"code": "ann"})
    assert signed_in(one)
    assert one.post("/out").headers["location"] == "/"
    assert not one.client.cookies
    assert not signed_in(one)


def test_the_door_leads_those_who_are_in_to_their_page(site):
    assert browser(site).get("/").status_code == 200
    assert browser(site, PERSON, "ann").get("/").headers["location"] == "/review"
    for role in (VIEWER, ORGANISER):
        assert browser(site, role).get("/").headers["location"] == "/organiser"


# ---- links


def test_links_sign_in_by_role(site, project):
    ann = review.find_person(project, "ann")
    for link, home in (
        (person_link(site, HERE, ann), "/review"),
        (viewer_link(site, HERE + "/"), "/organiser"),
        (organiser_link(site, HERE), "/organiser"),
    ):
        one = browser(site)
        assert one.follow(link).headers["location"] == home
        assert signed_in(one)


def test_forged_and_altered_links_sign_nobody_in(site, project):
    good = person_link(site, HERE, review.find_person(project, "ann")).partition("#")[2]
    for text in altered(good):
        one = browser(site)
        assert one.follow(f"/link#{text}").status_code == 403, text
        assert not one.client.cookies


def test_links_expire(site, later):
    link = organiser_link(site, HERE)
    later(LINK_S + 60)
    one = browser(site)
    answer = one.follow(link)
    assert answer.status_code == 403
    assert "too old" in answer.text
    assert not one.client.cookies
    later(LINK_S - 60)
    assert browser(site).follow(link).status_code == 303


# ---- forged forms

FORMS = ("/out", "/answer", "/undo", "/look")


@pytest.mark.parametrize("address", FORMS)
def test_forms_need_the_token_of_their_session(site, address):
    app_ann, bob = browser(site, PERSON, "ann"), browser(site, PERSON, "bob")
    for csrf in ("", bob.csrf, app_ann.csrf[:-1], app_ann.csrf + "0", "é"):
        answer = app_ann.post(address, {"id": "12345678"}, csrf=csrf)
        assert answer.status_code == 403, csrf
        assert "another session" in answer.text
    assert "another session" not in app_ann.post(address, {"id": "12345678"}).text


def test_the_token_of_an_earlier_session_does_not_do(site, later):
    ann = browser(site, PERSON, "ann")
    old = ann.csrf
    later(5)
    again = browser(site, PERSON, "ann")
    assert again.csrf != old
    assert again.post("/undo", {"id": "12345678"}, csrf=old).status_code == 403


def test_pages_hold_the_token_of_who_reads_them(site):
    ann, bob = browser(site, PERSON, "ann"), browser(site, PERSON, "bob")
    text = ann.get("/review").text
    assert ann.csrf in text
    assert bob.csrf not in text
