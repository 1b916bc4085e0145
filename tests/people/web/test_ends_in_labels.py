"""In Chromium: another label behind neither, and the organiser's word, by keyboard and without
scripts."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from candidly import review
from candidly.people.web import organiser_link

from review_cases import an_id, reply
from web_browser import until
from web_cases import browser, fields_of

FOUR = ("cat", "dog", "owl", "red fox")


def others_of(page) -> list[str]:
    return page.locator(".others .names button:visible").all_inner_texts()


def test_another_label_is_searched_and_sent_by_keyboard(serve, visit):
    site, address = serve(3, classes=FOUR)
    screen = visit()
    screen.sign_in(address, "ann")
    card = screen.card()
    shown = [card["buttons"][key] for key in "12"]
    screen.press("/")
    assert screen.focus() == "input  find"
    assert others_of(screen.page) == [name for name in FOUR if name not in shown]
    screen.page.keyboard.type("FO")
    assert others_of(screen.page) == ["red fox"]
    screen.press("Escape")  # closed, and nothing was sent
    assert others_of(screen.page) == []
    assert screen.state().startswith("0 answered")
    screen.press("/")
    screen.page.keyboard.type("x")
    screen.press("Enter")
    card = screen.card(after=card)
    screen.saved()
    screen.press("z")  # taken back as any other answer
    card = screen.card(after=card)
    screen.press("/")
    screen.page.keyboard.type("nothing like it")
    screen.press("Enter")
    assert screen.card()["id"] == card["id"]
    screen.press("Escape", "/")
    screen.page.locator(".others button", has_text="red fox").click()
    screen.card(after=card)
    screen.saved()
    [row] = review.votes(site.project).rows(named=True)
    assert (row["answer"], row["named"]) == ("neither", 3)
    found = Axe().run(screen.page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_and_without_its_script(serve, visit):
    site, address = serve(2, classes=FOUR)
    screen = visit(java_script_enabled=False)
    page = screen.page
    page.goto(address)
    page.fill("input#code", "ann")
    page.keyboard.press("Enter")
    page.click(".others summary")
    page.click(".others button:has-text('red fox')")
    until(lambda: "1 answered" in page.inner_text("#state"))
    assert review.votes(site.project)["named"].to_list() == [3]


def test_a_form_that_says_two_things_or_a_class_that_is_not_there_is_refused(serve):
    site, _ = serve(2, classes=FOUR)
    ann = browser(site, "person", "ann")
    [card, *_] = ann.cards()
    fields = fields_of(card)
    id = dict(fields)["id"]
    shown = re.findall(r'data-key="[12]"><kbd[^>]*>\d</kbd> (\w+)</button>', card)
    for more in (
        [(f"say.{id}", "a"), (f"named.{id}", "3")],
        [(f"named.{id}", "4")],
        [(f"named.{id}", "-1")],
        [(f"named.{id}", "fox")],
        [(f"named.{id}", str(FOUR.index(shown[0])))],
    ):
        answer = ann.post("/answer", [*fields, *more])
        assert answer.status_code == 422, more
    assert not len(review.votes(site.project))


# ---- the organiser


def test_the_organiser_decides_by_keyboard_and_takes_it_back(serve, visit):
    site, address = serve(4, classes=FOUR, people=("ann", "bob", "cy"))
    project = site.project
    for code, say in (("ann", "given"), ("bob", "guessed"), ("cy", "both")):
        who = review.find_person(project, code)
        while tasks := review.next_tasks(project, who):
            review.answer(project, who, [reply(task, say) for task in tasks])
    screen = visit()
    screen.follow(organiser_link(site, address))
    page = screen.page
    page.locator("a", has_text="you decide").click()
    page.locator(".grid a").first.click()
    seen = []
    for choice in ("owl", "red fox", "remove"):
        name = page.inner_text("h1")
        seen.append(name)
        if choice == "owl":
            page.fill("#decide-reason", "seen from the side")
            page.focus("#decide-name")
            page.keyboard.type("owl")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        elif choice == "remove":
            page.click("text=Remove the row")
        else:
            page.fill("#decide-name", "red wolf")
            page.click("#decide button[value=named]")
            assert "there is no class 'red wolf'" in page.inner_text("main")
            page.go_back()
            page.fill("#decide-name", choice)
            page.click("#decide button[value=named]")
        until(lambda: "Decided:" in page.inner_text("#decide"))
        assert page.inner_text("h1") == name
        page.click("text=Next item on which people differ")
        until(lambda: page.inner_text("h1") not in seen)
    left = page.inner_text("h1")
    decided = {review.find_item(project, name).decided.words for name in seen}
    assert decided == {"owl", "red fox", "removed"}
    first = review.find_item(project, seen[0]).decided
    assert (first.by.split()[0], first.note) == ("organiser", "seen from the side")
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    near = page.locator("#decide p.go button").first
    near.click()  # the given class, in one click
    until(lambda: "Decided:" in page.inner_text("#decide"))
    page.click("text=Take it back")
    until(lambda: "Decided:" not in page.inner_text("#decide"))
    assert review.find_item(project, left).decided is None
    page.goto(f"{address}/gallery?decided=1")
    assert sorted(page.locator(".grid h2").all_inner_texts()) == sorted(seen)
    page.goto(f"{address}/organiser")
    assert "took a decision back" in page.inner_text("#events")
    assert "Decided by the organiser: 3 items" in page.inner_text("main")


def test_who_only_looks_sees_the_word_and_has_no_button(serve):
    site, _ = serve(3, classes=FOUR)
    card = review.find_item(site.project, "i0")
    review.decide(site.project, card.id, "3", an_id())
    html = browser(site, "viewer").get("/gallery/item/i0").text
    assert "Decided by the organiser: <strong>red fox</strong>" in html
    assert "/organiser/decide" not in html
    assert "red fox" in browser(site, "viewer").get("/gallery?decided=1").text


@pytest.mark.parametrize(
    ("chosen", "words"), [(("0", "3"), "cat, red fox"), ((), "none"), (None, "removed")]
)
def test_all_labels_that_hold_are_decided_together(serve, chosen, words):
    site, _ = serve(2, classes=FOUR, question="all labels", threshold=None)
    card = review.find_item(site.project, "i0")
    organiser = browser(site, "organiser")
    choice = "remove" if chosen is None else "labels"
    fields = [("id", an_id()), ("number", str(card.id)), ("choice", choice)]
    answer = organiser.post(
        "/organiser/decide", [*fields, *(("label", label) for label in chosen or ())]
    )
    assert answer.status_code == 303
    assert review.find_item(site.project, "i0").decided.words == words
