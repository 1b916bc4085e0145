"""Pages in a real browser: nothing beside the window or over other words, whole on paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from candidly import crowd, validation
from candidly.compare.corpora.built_document import built_document
from candidly.compare.corpora.files import ReplacedEvent
from candidly.compare.corpora.read import BuiltBenchmark
from candidly.compare.report.results_document import results_document
from candidly.compare.stability import assess, make_case
from candidly.compare.stability.document import stability_document
from candidly.data.labels.labelled import from_arrays
from candidly.data.labels.votes import Votes, union
from candidly.errors.confident.issues_document import issues_document
from candidly.errors.detectors import DETECTORS
from candidly.errors.detectors.comparison_document import MEASURES, comparison_document
from candidly.people.crowd.consensus_document import crowd_document
from candidly.people.crowd.labels_document import labels_document
from candidly.people.validation.verdicts_document import summarise, verdicts_document
from compare.report.fake_results import SKILL, make_results
from compare.stability.test_document import LONG, long_named
from people.validation.test_verdicts_document import COUNTS

from made_issues import issues_of
from needs import a_browser
from stability_cases import arrays, probabilities

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


def results_made(datasets=2):
    names = (*SKILL, "decoupling-lws:a-variant-with-a-long-name", "an_algorithm_with_a_long_name")
    places = ("Lost", "tabular-benchmark-2024/flights", "Birdsong", "YahooNews")
    return results_document(
        make_results(places[:datasets], names, splits=3, configs=1), criteria=["CR", "OA"]
    ).page()


def stability_made():
    original, corrected, predictions = arrays(models=5, n=600, wrong=60, seed=3)
    models = {name: probabilities(p) for name, p in zip(LONG, predictions.values())}
    stricter = np.where(corrected == original, original, -1)
    return stability_document(
        assess(make_case(original, corrected, models), resamples=50, corrections={"T=5": stricter})
    ).page()


CLASSES = (
    "black-capped_chickadee/Poecile_atricapillus",
    "great grey owl, Strix nebulosa, adult in flight",
    "n01530575",
    "a-class-with-a-name-that-never-ends-and-has-only-hyphens",
    "Saxicola_rubicola_juvenile_female_2019",
)


def issues_made():
    return issues_document(issues_of(300, 5), classes=CLASSES).page()


def crowd_made():
    rows = [
        (f"images/2024/batch-0001/frame_{i:06d}_left_camera.png", f"annotator-{j}@example", i % 5)
        for i in range(12)
        for j in range(3)
    ]
    answers = crowd.Answers.from_columns(*zip(*rows), classes=CLASSES)
    return crowd_document(crowd.consensus(answers, "majority"), by="majority").page()


def verdicts_made():
    answers = validation.from_counts(COUNTS, given=[0] * 6, guessed=[1] * 6, classes=CLASSES[:2])
    found = validation.judge(answers)
    return verdicts_document(
        found, about=summarise(found, size=50), read={"answers": "a.csv"}
    ).page()


def comparison_made():
    """Every number as long as it gets: three digits, and an interval of two."""
    rng = np.random.default_rng(0)
    about = {"noise": "symmetric:rate=0.2", "n": 1797, "wrong": 359}
    names = [column.name for column in MEASURES]
    return comparison_document(
        [
            {"detector": name, "seed": seed, **about}
            | {n: (1.0 if seed else 0.7) * rng.uniform(0.9, 1) for n in names}
            for name in (*DETECTORS, "flag everything")
            for seed in (0, 1, 2)
        ]
    ).page()


def labels_made():
    rng = np.random.default_rng(0)
    rows = [(i, "a", rng.choice(5, 2, replace=False)) for i in range(60) for _ in range(4)]
    votes = Votes.from_rows(rows)
    data = from_arrays(np.zeros((60, 1)), truth=np.arange(60) % 4, classes=list(CLASSES))
    sets = union(votes, 60, 5)
    return labels_document(replace(data, votes=votes, candidates=sets, source="set-" * 40)).page()


def built_made():
    """Three sources, with names as long as wikiHow's, and a million events."""
    names = ("sub-categories", "beyond common sense", "tail")
    stages = ("articles", "length", "format", "copies", "keywords", "sample size", "categories")
    told = {
        "articles": 100_623,
        "events": 1_407_306,
        "categories": 3_334,
        "stages": [{"name": one, "classes": 3_334, "events": 1_407_306} for one in stages],
        "dropped": dict.fromkeys(("no keyword of its article", "in several categories"), 100_000),
        "pages": {"read": 100_623, "left out": {"cut off: it has no </html>": 1_000}},
        "votes": {"hard to tell apart": dict.fromkeys(KAPPA, 0.88)},
        "sources": [
            {"source": one, **dict.fromkeys(("classes", "train", "val", "test", "events"), 73_343)}
            for one in names
        ],
        "embedding": {"name": "sentences", "dimensions": 384},
        "settings": {"rates": [0.1, 0.6], "seed": 0},
        "corpus": "0" * 64,
        "candidly": "0.1.0",
    }
    event = "then slowly and carefully " + "take the small window out of its frame " * 5 + "."
    one = ReplacedEvent(0, event, "Maintaining and Repairing Bicycles", event, "Knitting " * 5)
    moved = [replace(one, chosen=k) for k in range(30)]
    hard = np.linspace(0.2, 1, 30)
    return built_document(
        BuiltBenchmark(told, CLASSES, np.arange(30), np.arange(30) % 3, hard, {0.6: moved}),
        make_results(configs=1, splits=3),
    ).page()


KAPPA = ("questions", "answers", "kappa", "low", "high")

DOCUMENTS = {
    "built": built_made,
    "labels": labels_made,
    "comparison": comparison_made,
    "results": results_made,
    "stability": stability_made,
    "issues": issues_made,
    "crowd": crowd_made,
    "verdicts": verdicts_made,
}


@pytest.fixture(scope="module", params=DOCUMENTS)
def page_text(request):
    return DOCUMENTS[request.param]()


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
