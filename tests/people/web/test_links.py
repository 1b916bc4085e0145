"""Links that sign in: followed by keyboard, without scripts, and by who only looks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from candidly import review
from candidly.people.web import organiser_link, person_link
from candidly.people.web.links import ORGANISER

from web_cases import HERE, browser


def secret_of(link: str) -> str:
    return link.partition("#")[2]


@pytest.fixture
def ann(serve):
    """The address of an app, and ann's link there."""
    site, address = serve(4)
    return address, person_link(site, address, review.find_person(site.project, "ann"))


def test_nothing_that_is_asked_for_holds_it_but_one_form(ann, visit):
    address, link = ann
    secret = secret_of(link)
    assert len(secret) > 40
    screen = visit()
    asked = []
    screen.page.on("request", lambda one: asked.append(one))
    screen.follow(link)
    screen.ready()
    assert screen.page.url == f"{address}/review"
    assert len(asked) > 5
    with_it = []
    for one in asked:
        assert secret not in one.url
        assert secret not in str(one.all_headers())  # such as Referer
        if secret in (one.post_data or ""):
            with_it.append((one.method, one.url))
    assert with_it == [("POST", f"{address}/link")]


def test_it_is_in_no_history_and_not_on_the_page(ann, visit):
    address, link = ann
    screen = visit()
    screen.page.goto(f"{address}/page.css")
    screen.page.goto(link)
    screen.page.locator("body[data-ready]").wait_for(state="attached")
    assert screen.page.url == f"{address}/link"
    assert secret_of(link) not in screen.page.locator("body").inner_text()
    assert screen.focus() == "button enter"
    expect(screen.page.locator("#link")).not_to_be_visible()
    screen.page.reload()  # what the address lost does not come back
    assert screen.page.locator("#link").input_value() == ""
    screen.page.go_back()
    screen.page.go_forward()
    assert screen.page.url == f"{address}/link"
    expect(screen.page.locator("#link")).to_be_visible()


def test_another_link_on_the_same_page(ann, visit):
    address, link = ann
    screen = visit()
    screen.page.goto(f"{address}/link")
    screen.page.locator("body[data-ready]").wait_for(state="attached")
    expect(screen.page.locator("#link")).to_be_visible()
    screen.follow(link)
    screen.ready()


def test_without_scripts_it_is_pasted(ann, visit):
    address, link = ann
    screen = visit(java_script_enabled=False)
    screen.page.goto(link)
    screen.page.get_by_label("The whole link that you were given").fill(f" {link} ")
    screen.page.keyboard.press("Enter")
    screen.page.wait_for_url(f"{address}/review")
    assert "0 answered" in screen.page.inner_text("#state")


def test_it_can_be_read_by_everybody(ann, visit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    _, link = ann
    for address in (link, link.partition("#")[0]):
        screen = visit(bypass_csp=True)
        screen.page.goto(address)
        screen.page.locator("body[data-ready]").wait_for(state="attached")
        found = axe.run(screen.page).response["violations"]
        assert [one["id"] for one in found] == []


def test_who_only_looks_signs_nobody_in_and_uses_nothing_up(site, project):
    link = person_link(site, HERE, review.find_person(project, "ann"))
    for address in (link, link.partition("#")[0], link.replace("#", "?link=")):
        scanner = browser(site)
        for ask in (scanner.client.get, scanner.client.head):
            answer = ask(address, follow_redirects=False)
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
        assert not scanner.client.cookies
    ann = browser(site)
    assert ann.follow(link).headers["location"] == "/review"
    assert ann.follow(link).headers["location"] == "/review"  # on another device, or pressed twice


def test_no_page_but_the_organisers_has_links_in_it(site):
    boss = browser(site, ORGANISER)
    links = re.findall(r'value="([^"]*/link#[^"]*)"', boss.get("/organiser").text)
    assert len(links) == 3
    assert not any("#" in address for address in re.findall(r'href="([^"]*)"', " ".join(links)))
    door = browser(site)
    answer = door.follow(organiser_link(site, HERE))
    assert secret_of(organiser_link(site, HERE)) not in str(answer.headers)
