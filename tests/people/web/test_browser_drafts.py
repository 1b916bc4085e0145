"""What is chosen and not sent yet, in Chromium; very long texts there; answers taken back."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import expect

from candidly import review

from review_cases import some_items, take, team
from web_browser import LABELS, answers_of, until

BATCH = {**LABELS, "batch": 3, "most_per_label": 2}
CHOSEN = """() => [...document.querySelectorAll("#desk fieldset.one")].map((one) =>
  [...one.querySelectorAll(".names input:checked")].map((box) => box.value).join(" "))"""
NOTES = """() => [...document.querySelectorAll("#desk textarea")].map((area) => area.value)"""
DRAFTS = (
    """() => Object.keys(localStorage).filter((key) => key.startsWith("candidly-draft ")).length"""
)


def names(card: dict) -> list[str]:
    return [text.split()[-1] for text in card["items"]]


def half_done(screen) -> dict:
    """A batch of which the first two items have labels, and the second a note."""
    card = screen.card()
    screen.press("1", "3", "ArrowDown", "2", "n")
    screen.page.keyboard.type("blurred")
    screen.press("Escape")
    assert screen.page.evaluate(CHOSEN) == ["0 2", "1", ""]
    return card


def test_a_batch_half_done_is_there_after_a_reload(serve, visit):
    site, address = serve(6, **BATCH)
    screen = visit()
    screen.sign_in(address, "ann")
    first = half_done(screen)
    screen.page.reload()
    again = screen.ready()
    assert (again["items"], again["id"] != first["id"]) == (first["items"], True)
    assert screen.page.evaluate(CHOSEN) == ["0 2", "1", ""]
    assert screen.page.evaluate(NOTES) == ["", "blurred", ""]
    screen.press("3", "ArrowDown", "ArrowDown", "s")  # one label less, the last one skipped
    screen.page.close()
    other = type(screen)(screen.page.context.new_page())
    other.page.goto(f"{address}/review")
    again = other.ready()
    assert other.page.evaluate(CHOSEN) == ["0", "1", "skip"]
    assert other.page.evaluate(DRAFTS) == 1
    other.press("Enter")
    other.card(after=again)
    other.saved()
    assert other.page.evaluate(DRAFTS) == 0
    assert answers_of(site.project) == dict(zip(names(first), ["0", "1", "skip"]))
    votes = review.votes(site.project, everything=True)
    assert dict(zip(votes["name"], votes["note"]))[names(first)[1]] == "blurred"
    other.page.reload()
    other.ready()
    assert other.page.evaluate(CHOSEN) == ["", "", ""]


def test_taking_back_leaves_what_is_chosen(serve, visit):
    site, address = serve(6, **BATCH)
    screen = visit()
    screen.sign_in(address, "ann")
    first = screen.card()
    screen.press("1", "ArrowDown", "2", "ArrowDown", "3", "Enter")
    second = screen.card(after=first)
    screen.saved()
    half_done(screen)
    screen.press("z")
    back = screen.card(after=second)
    assert back["items"] == first["items"][2:]
    assert screen.page.evaluate(CHOSEN) == [""]
    screen.press("2", "Enter")
    again = screen.card(after=back)
    assert again["items"] == second["items"]
    assert screen.page.evaluate(CHOSEN) == ["0 2", "1", ""]
    assert screen.page.evaluate(NOTES) == ["", "blurred", ""]
    screen.saved()
    assert answers_of(site.project) == dict(zip(names(first), ["0", "1", "1"]))


def test_a_refused_batch_comes_back_as_it_was(serve, visit):
    site, address = serve(6, **BATCH)
    screen = visit()
    screen.sign_in(address, "ann")
    first = screen.card()
    screen.press("1", "ArrowDown", "1", "ArrowDown", "3", "Enter")
    second = screen.card(after=first)
    screen.press("z")
    back = screen.card(after=second)
    screen.press("1", "2", "Enter")  # cat would be on three items of the batch
    assert "'cat' is on 3 items of the batch, those answered before included" in screen.wrong()
    next_one = screen.card(after=back)  # which was shown meanwhile
    assert next_one["items"] == second["items"]
    screen.press("s", "ArrowDown", "s", "ArrowDown", "s", "Enter")
    again = screen.card(after=next_one)
    assert again["items"] == back["items"]
    assert screen.page.evaluate(CHOSEN) == ["0 1"]
    screen.press("1", "Enter")
    screen.card(after=again)
    screen.saved()
    told = answers_of(site.project)
    assert [told[name] for name in names(first)] == ["0", "0", "1"]


def test_drafts_are_of_one_person(serve, visit):
    _, address = serve(6, **BATCH)
    screen = visit()
    screen.sign_in(address, "ann")
    half_done(screen)
    screen.page.get_by_role("button", name="Sign out").click()
    screen.sign_in(address, "bob")
    assert screen.page.evaluate(CHOSEN) == ["", "", ""]
    screen.page.get_by_role("button", name="Sign out").click()
    screen.sign_in(address, "ann")
    assert screen.page.evaluate(CHOSEN) == ["0 2", "1", ""]


def test_a_note_and_the_time_taken_outlive_a_reload(serve, visit):
    site, address = serve(3)
    screen = visit()
    screen.sign_in(address, "ann")
    screen.press("n")
    screen.page.wait_for_timeout(700)
    screen.page.keyboard.type("a tail")
    screen.page.reload()
    screen.ready()
    assert screen.page.evaluate(NOTES) == ["a tail"]
    screen.answer("3")
    screen.saved()
    [row] = review.votes(site.project, everything=True).rows(named=True)
    assert row["note"] == "a tail"
    assert row["ms"] > 700
    assert screen.page.evaluate(DRAFTS) == 0


def test_an_opened_item_that_is_taken_back_comes_again(serve, visit):
    site, address = serve(4)
    screen = visit()
    screen.sign_in(address, "ann")
    first = screen.card()
    screen.press("n")
    screen.page.keyboard.type("why?")
    screen.press("Escape", "o")
    until(lambda: "given label" in screen.page.locator("#desk").inner_text())
    assert screen.page.evaluate(NOTES) == ["why?"]
    opened = screen.card()
    screen.press("3")
    second = screen.card(after=opened)
    screen.press("z")
    again = screen.card(after=second)
    assert again["item"] == first["item"]
    assert "given label" in screen.page.locator("#desk").inner_text()
    screen.page.reload()
    assert screen.ready()["item"] == first["item"]
    screen.answer("4")
    screen.saved()
    assert list(answers_of(site.project).values()) == ["neither"]
    assert review.votes(site.project).is_empty()


def test_an_answer_that_came_too_late_comes_again_as_any(serve, visit):
    site, address = serve(1)
    screen = visit()
    screen.sign_in(address, "ann")
    first = screen.card()
    later = replace(site.project, clock=lambda: 1e12)
    for who in team(later, 5):
        take(later, who)
    screen.press("3")
    screen.card(after=first)
    screen.saved()
    screen.press("z")
    assert screen.ready()["item"] == first["item"]
    expect(screen.page.locator("#wrong")).not_to_be_visible()
    screen.answer("4")
    screen.saved()
    assert review.progress(site.project).answers == 5


LAID_OUT = """() => { const [one] = document.querySelectorAll("#desk .item .text");
  const room = one.getBoundingClientRect();
  return [room.width, room.height, document.documentElement.scrollWidth]; }"""


def test_a_text_without_a_space_is_wrapped_at_once(serve, visit):
    # capital As are kerned: wrapping them one line after the other took 19 s
    items = [replace(i, shown=review.Shown("text", "A" * 200_000)) for i in some_items(1)]
    _, address = serve(items=items)
    screen = visit()
    screen.page.set_default_timeout(6_000)  # it takes 0.3 s
    screen.sign_in(address, "ann")
    width, height, page = screen.page.evaluate(LAID_OUT)
    assert width < 800
    assert height > 20_000
    assert page <= 1280
