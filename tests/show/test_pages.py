"""Every kind of page in a real browser: as long, wide and legible as people can read."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import made_documents as made
from candidly import crowd, errors
from candidly.data.ingest.previews import Field, Preview
from candidly.errors.confident.issues_document import issues_document
from candidly.people.crowd.consensus_document import crowd_document

from needs import a_browser
from simulated_crowd import matrices, simulated

SCREENS = 12  # that a page may be long
SIZES = {"desktop": (1280, 900, "light"), "telephone": (390, 844, "dark")}
NAMES = [f"class {k} <b>" for k in range(8)]


def many_issues(look=None):
    """2,000 rows of eight classes, 300 of them to look at."""
    rng = np.random.default_rng(0)
    truth = np.arange(2000) % 8
    given = truth.copy()
    wrong = rng.choice(2000, 300, replace=False)
    given[wrong] = (given[wrong] + rng.integers(1, 8, 300)) % 8
    logits = rng.normal(size=(2000, 8)) + 4 * np.eye(8)[truth]
    probs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    found = errors.find(given, probs, by="margin", count=300)
    return issues_document(found, classes=NAMES, media=look)


def of_rows(row):
    fields = [Field(f"column {k}", f"{row * k}", "1 to 9", "20 to 30", False) for k in range(9)]
    return Preview(fields=tuple(fields))


def of_texts(row):
    return Preview(text=f"Message {row}: " + "the parcel has not arrived yet, please help. " * 6)


def many_annotators():
    _, answers = simulated(2000, matrices(250, 6, 1), 5)
    return crowd_document(crowd.majority(answers), by="majority")


PAGES = {
    "check of rows": lambda: many_issues(of_rows),
    "check of texts": lambda: many_issues(of_texts),
    "crowd of many": many_annotators,
    "bench report": lambda: made.results_made(2),
    "rank": made.ranking_made,
    "stability": made.stability_made,
    "crowd": made.crowd_made,
    "validate": made.verdicts_made,
    "errors compare": made.comparison_made,
    "labels describe": made.labels_made,
    "build report": made.built_made,
    "bench compare": made.changes_made,
    "tags": made.tags_made,
}


@cache
def html(name):
    return PAGES[name]().page()


@pytest.fixture(scope="module")
def chromium():
    with a_browser() as browser:
        yield browser


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens a page as a file, as people do; (its page in the browser, the height of a screen)."""
    contexts = []

    def open_page(name, size="desktop", **options):
        width, height, scheme = SIZES[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        contexts.append(context)
        path = tmp_path / "page.html"
        path.write_text(html(name))
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


QUICK = ("check of rows", "crowd of many")


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PAGES],
)
def test_a_page_is_short_fits_and_can_be_read_by_everybody(opened, name, size):
    page = opened(name, size)
    width, height, _ = SIZES[size]
    whole = page.evaluate("[document.documentElement.scrollWidth, document.body.scrollHeight]")
    assert whole[0] <= width
    assert whole[1] <= SCREENS * height
    found = Axe().run(page).response["violations"]
    serious = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert serious == []


@pytest.mark.parametrize("name", ["check of rows", "check of texts"])
def test_cards_are_turned_over_chosen_and_found(opened, name):
    page = opened(name)
    cards = page.locator("ol.gallery > li:visible")
    said = page.get_by_role("navigation", name="Pages of examples").get_by_role("status")
    size = {"check of rows": 10, "check of texts": 24}[name]
    everyone = page.locator("ol.gallery > li").count()
    assert (cards.count(), everyone) == (size, 200)
    assert said.inner_text() == f"1 to {size} of {everyone}"
    first = cards.first.get_attribute("id")
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    assert said.inner_text() == f"{size + 1} to {2 * size} of {everyone}"
    assert cards.first.get_attribute("id") != first
    chosen = page.get_by_role("combobox", name="given")
    chosen.select_option(NAMES[3])
    assert set(cards.evaluate_all("all => all.map(card => card.dataset.given)")) == {NAMES[3]}
    chosen.select_option("")
    number = first.removeprefix("example-")
    page.get_by_label("with the words").fill(
        f"message {number}:" if name == "check of texts" else f"example {number}"
    )
    assert first in cards.evaluate_all("all => all.map(card => card.id)")
    page.get_by_label("with the words").fill("no such words")
    assert (cards.count(), said.inner_text()) == (0, "none of them")


def test_a_link_of_the_list_leads_to_a_card_on_another_page(opened):
    page = opened("check of rows")
    page.get_by_label("with the words").fill("no such words")
    page.get_by_text("rows", exact=False).locator("xpath=ancestor-or-self::summary").last.click()
    link = page.locator("details[open] tbody a").nth(150)
    target = link.get_attribute("href").removeprefix("#")
    link.click()
    expect(page.locator(f"#{target}")).to_be_visible()
    expect(page.get_by_label("with the words")).to_have_value("")


def test_without_scripts_all_cards_are_there(opened):
    page = opened("check of rows", java_script_enabled=False)
    assert page.locator("ol.gallery > li:visible").count() == 200
