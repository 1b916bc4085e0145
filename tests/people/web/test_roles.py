"""Who may do what, address by address; and nobody in another's name."""

from __future__ import annotations

import pytest

from candidly import review
from candidly.people.web.app import ROUTES
from candidly.people.web.links import PERSON, ROLES

from web_cases import JSON, browser, everybody, fields_of, said

# (address of a request, then what nobody, a person, a viewer and the organiser get)
TABLE = {
    ("GET", "/"): ("/", 200, 303, 303, 303),
    ("POST", "/in"): ("/in", 403, 403, 403, 403),
    ("GET", "/in/{link}"): ("/in/forged", 410, 410, 410, 410),
    ("GET", "/link"): ("/link", 200, 200, 200, 200),
    ("POST", "/link"): ("/link", 403, 403, 403, 403),
    ("POST", "/out"): ("/out", 401, 303, 303, 303),
    ("GET", "/page.css"): ("/page.css", 200, 200, 200, 200),
    ("GET", "/guidelines"): ("/guidelines", 401, 200, 200, 200),
    ("GET", "/media/{name}"): ("/media/10.png", 401, 403, 200, 200),
    ("GET", "/shown/{what}/{seal}"): ("/shown/item/00", 401, 404, 403, 403),
    ("GET", "/review"): ("/review", 401, 200, 403, 403),
    ("GET", "/tasks"): ("/tasks", 401, 200, 403, 403),
    ("POST", "/answer"): ("/answer", 401, 422, 403, 403),
    ("POST", "/undo"): ("/undo", 401, 422, 403, 403),
    ("POST", "/look"): ("/look", 401, 422, 403, 403),
    ("GET", "/organiser"): ("/organiser", 401, 403, 200, 200),
    ("POST", "/organiser/person"): ("/organiser/person", 401, 403, 403, 303),
    ("POST", "/organiser/exclude"): ("/organiser/exclude", 401, 403, 403, 422),
    ("POST", "/organiser/decide"): ("/organiser/decide", 401, 403, 403, 422),
    ("POST", "/organiser/end"): ("/organiser/end", 401, 403, 403, 422),
    ("GET", "/download/{name}"): ("/download/votes.csv", 401, 403, 200, 200),
    ("GET", "/gallery"): ("/gallery", 401, 403, 200, 200),
    ("GET", "/gallery/item/{name:path}"): ("/gallery/item/i0", 401, 403, 200, 200),
}


@pytest.fixture
def routes(site):
    from candidly.people.web._guard import Rate
    from candidly.people.web._turns import Turns
    from candidly.people.web._visit import Shared

    made = [make(site, Shared(Rate(9, 9), Turns())) for make in ROUTES]
    return {("POST" if "POST" in route.methods else "GET", route.path) for route in made}


def test_the_table_holds_every_route(routes):
    assert routes == set(TABLE)


@pytest.mark.parametrize("place", TABLE, ids=" ".join)
def test_who_gets_what(site, place):
    address, *wanted = TABLE[place]
    found = []
    for one in everybody(site, "ann").values():
        ask = one.get if place[0] == "GET" else one.post
        found.append(ask(address, headers=JSON).status_code)
    assert found == wanted


@pytest.mark.parametrize("place", TABLE, ids=" ".join)
def test_forms_are_posted_and_pages_are_read(site, place):
    one = browser(site, PERSON, "ann")
    other, ask = ("POST", one.post) if place[0] == "GET" else ("GET", one.get)
    if (other, place[1]) in TABLE:
        return  # a row of its own
    answer = ask(TABLE[place][0])
    # GET /in is what a link without its end would be; the door is not there
    assert answer.status_code in (404, 405)


def test_pages_send_those_who_are_nobody_to_the_door(site):
    one = browser(site)
    for address in ("/review", "/guidelines", "/media/10.png", "/tasks"):
        answer = one.get(address)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_roles_are_those_of_the_table(site):
    assert ["nobody", *ROLES] == list(everybody(site, "ann"))


# ---- nobody in another's name


def test_answers_are_of_who_is_signed_in(site, project):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    fields = [*fields_of(card), (said(card), "a")]
    more = [("person", "2"), ("code", "bob"), ("role", "organiser"), ("who", "2")]
    assert ann.post("/answer", fields + more, headers=JSON).status_code == 200
    assert review.votes(project)["person"].to_list() == ["ann"]


def test_what_was_handed_to_another_cannot_be_answered(site, project):
    ann, bob = (browser(site, PERSON, code) for code in ("ann", "bob"))
    [card, *_] = ann.cards()
    answer = bob.say(card, "a")
    assert answer.status_code == 422
    assert "not of an item that was asked" in answer.json()["refused"]
    assert review.votes(project, everything=True).is_empty()


@pytest.mark.parametrize("task", ["", "0", "3", "x", "00" * 32, "é", "00" * 31, "00" * 33])
def test_made_up_items_cannot_be_answered(site, project, task):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    fields = [(n, task if n == "task" else v) for n, v in fields_of(card)]
    for address in ("/answer", "/look"):
        answer = ann.post(address, [*fields, (said(card), "a")], headers=JSON)
        assert answer.status_code == 422
        assert "load the page again" in answer.json()["refused"]
    assert review.votes(project, everything=True).is_empty()


def test_an_item_is_answered_once(site, project):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    assert ann.say(card, "a").status_code == 200
    assert ann.say(card, "a").status_code == 200  # the same again: it was not heard
    assert ann.say(card, "b").status_code == 422  # the same id, another answer
    again = card.replace(fields_of(card)[0][1], "0123456789abcdef")
    answer = ann.say(again, "b")
    assert answer.status_code == 422
    assert answer.json()["refused"] == "'ann' has answered this item already."
    assert len(review.votes(project, everything=True)) == 1


def test_what_is_not_held_cannot_be_opened(site):
    ann, bob = (browser(site, PERSON, code) for code in ("ann", "bob"))
    [card, *_] = ann.cards()
    ann.say(card, "a")
    [*_, last] = ann.cards()  # further on than what bob will be handed
    for one, what, status in ((ann, card, 403), (bob, last, 422)):
        answer = one.post("/look", fields_of(what, 1), headers=JSON)
        assert answer.status_code == status
        assert "asked" in answer.text


@pytest.mark.parametrize("value", ["c", "given", "guessed", "", "0", "a b", "1" * 6000])
def test_answers_that_the_question_does_not_have(site, project, value):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    # given and guessed are words of the log; people say which button they mean
    assert ann.say(card, value).status_code == 422
    assert review.votes(project, everything=True).is_empty()


@pytest.mark.parametrize("fields", [{}, {"id": "12345678"}, {"task": "00" * 32}])
def test_forms_that_are_not_whole(site, fields):
    assert browser(site, PERSON, "ann").post("/answer", fields, headers=JSON).status_code == 422


@pytest.mark.parametrize("ms", ["-1", "nan", "inf", "soon"])
def test_times_that_cannot_be(site, project, ms):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    fields = [(n, ms if n.startswith("ms.") else v) for n, v in fields_of(card)]
    assert ann.post("/answer", [*fields, (said(card), "a")], headers=JSON).status_code == 422
    assert review.votes(project, everything=True).is_empty()


def test_notes_that_are_too_long(site, project):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    id = fields_of(card)[0][1]
    fields = [*fields_of(card), (said(card), "a")]
    answer = ann.post("/answer", [*fields, (f"note.{id}", "x" * 2001)], headers=JSON)
    assert answer.status_code == 422
    assert ann.post("/answer", [*fields, (f"note.{id}", "é" * 2000)], headers=JSON).is_success
    assert review.votes(project)["note"].to_list() == ["é" * 2000]
