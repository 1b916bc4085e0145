"""Pages in a real browser: nothing beside the window or over other words, whole on paper."""

from __future__ import annotations

import pytest

from candidly.compare.report.document import results_document
from candidly.compare.stability.document import stability_document
from compare.report.fake_results import make_results
from compare.stability.test_document import long_named
from made_documents import DOCUMENTS

from needs import a_browser

# what reaches beyond the window, other than inside a box that scrolls
BEYOND = """() => [...document.querySelectorAll("body *")].filter((one) =>
  !one.closest(".scroll table") && one.getBoundingClientRect().right > innerWidth + 1
).map((one) => `${one.tagName} ${one.textContent.slice(0, 40)}`)"""

# boxes that scroll sideways though the window is wide
CUT = """() => [...document.querySelectorAll(".scroll")].filter(
  (one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"""

# words of a figure that leave it, or lie on other words by more than a fifth of their height
TOUCHING = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const all = svg.getBoundingClientRect();
  const words = [...svg.querySelectorAll("text")].map(
    (one) => [one.textContent, one.getBoundingClientRect()]);
  const out = words.filter(([, box]) => box.left < all.left - 1 || box.right > all.right + 1);
  const over = words.flatMap(([first, a], k) => words.slice(k + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.35 * Math.min(a.height, b.height)
  ).map(([second]) => `${first} | ${second}`));
  return [...out.map(([text]) => text), ...over];
})"""

ON_PAPER = """() => {
  const kept = (query, side) => [...document.querySelectorAll(query)].map(
    (one) => getComputedStyle(one)[side]);
  return {
    after: kept("h2, h3, caption, thead, h2 + p, h3 + p", "breakAfter"),
    inside: kept("figure, tr, .scroll", "breakInside"),
    wide: [...document.querySelectorAll("table")].filter(
      (one) => one.getBoundingClientRect().right > innerWidth + 1).length,
  };
}"""
PAPER = {"width": 680, "height": 1000}  # A4 without margins, in CSS pixels


@pytest.fixture(scope="module")
def browser():
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module", params=DOCUMENTS)
def page_text(request):
    return DOCUMENTS[request.param]().page()


@pytest.fixture
def shown(browser):
    contexts = []

    def show(text, **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_content(text)
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_nothing_reaches_beside_the_window_or_over_other_words(shown, page_text, width, scheme):
    page = shown(page_text, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(TOUCHING) == []
    if width == 1280:
        assert page.evaluate(CUT) == []


@pytest.mark.slow
def test_a_wider_table_scrolls_in_its_box_and_by_keyboard(shown):
    results = make_results([f"data set {k}" for k in range(12)], ("CC",), 1, 2, steps=1, every=1)
    page = shown(
        results_document(results, criteria=["CR"]).page(), viewport={"width": 1280, "height": 800}
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(CUT) != []
    unreached = "[...document.querySelectorAll('.scroll')].filter((one) => one.tabIndex < 0).length"
    assert page.evaluate(unreached) == 0


def test_paper_keeps_headings_with_their_matter_and_cuts_nothing_off(shown, page_text):
    page = shown(page_text, viewport=PAPER)
    page.emulate_media(media="print")
    found = page.evaluate(ON_PAPER)
    assert set(found["after"]) == {"avoid"}
    assert set(found["inside"]) == {"avoid"}
    assert found["wide"] == 0


def test_names_in_the_figures_of_many_models_do_not_touch(shown):
    page = shown(stability_document(long_named()).page(), viewport={"width": 1280, "height": 800})
    assert page.evaluate(TOUCHING) == []


def test_tables_of_results_can_be_sorted_and_filtered(shown):
    page = shown(results_document(make_results(configs=1, splits=3), criteria=["CR"]).page())
    table = page.locator("main table").first
    column = "(t) => [...t.tBodies[0].rows].map((r) => r.cells[1].textContent)"
    before = table.evaluate(column)
    heading = table.locator("thead th").nth(1)
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    numbers = [float(text.split()[0]) for text in table.evaluate(column)]
    assert numbers == sorted(numbers, reverse=True)
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert [float(text.split()[0]) for text in table.evaluate(column)] == numbers[::-1]
    assert sorted(table.evaluate(column)) == sorted(before)
    field = page.get_by_role("searchbox")
    field.fill("prod, cc")
    rows = "[...t.tBodies[0].rows].filter((r) => r.offsetHeight)"
    seen = f"(t) => {rows}.map((r) => r.cells[0].textContent)"
    assert sorted(table.evaluate(seen)) == ["CC", "PRODEN"]
    assert "2 shown" in page.locator("label.filter").inner_text()
    field.fill("")
    assert len(table.evaluate(seen)) == len(before)


def test_results_are_whole_without_scripts(shown):
    page = shown(
        results_document(make_results(configs=1, splits=3)).page(), java_script_enabled=False
    )
    assert page.locator("button").count() == 0
    assert page.locator("main table tbody tr").count() > 20
