"""The committed report of Lost: what the committed results say, number by number."""

from __future__ import annotations

import math
import random
import re
import statistics
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import expect

from candidly.cli.bench.options import command_of
from candidly.compare.report.document import results_document
from candidly.compare.sweep.journal import read_results

from committed import journal_of
from needs import a_browser

ROOT = Path(__file__).parents[3]
LOST = ROOT / "studies" / "reproduction" / "results" / "lost"
PAGE = ROOT / "docs" / "studies" / "lost-report.html"
NUMBER = r"(-?[\d.]+) ± ([\d.]+)"

pytestmark = pytest.mark.slow  # 4,000 runs


class Tables(HTMLParser):
    """The tables of a page by their captions, as rows of texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._caption: list[str] | None = None
        self._cell: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self._rows = []
        elif tag == "caption":
            self._caption = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag):
        if tag == "caption":
            self.tables["".join(self._caption)] = self._rows
            self._caption = None
        elif tag in ("td", "th"):
            self._rows[-1].append("".join(self._cell).strip())
            self._cell = None

    def handle_data(self, data):
        for inside in (self._caption, self._cell):
            if inside is not None:
                inside.append(data)


@pytest.fixture(scope="module")
def tables():
    return Tables(PAGE.read_text()).tables


@pytest.fixture(scope="module")
def journal():
    """Every record of the journal by its run and step."""
    runs = journal_of(LOST)
    return {(key, step): row for key, rows in runs.items() for step, row in rows.items()}


def runs_of(tables, criterion: str) -> dict[str, list[list[str]]]:
    """The rows of the runs that a criterion chose, by algorithm."""
    rows = tables[f"lost: configurations chosen by {criterion}"]
    grouped: dict[str, list[list[str]]] = {}
    for row in rows[1:]:
        grouped.setdefault(row[0], []).append(row)
    return grouped


def words_of(page: str) -> str:
    """What is read: figures are drawn anew by each version of what draws them."""
    return re.sub(r"<svg.*?</svg>|<style>.*?</style>|<script>.*?</script>", "", page, flags=re.S)


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs").glob("*-report.html")), ids=lambda p: p.stem
)
def test_a_committed_page_is_what_the_committed_results_say(page):
    folder = f"studies/reproduction/results/{page.stem.removesuffix('-report')}"
    results = read_results(ROOT / folder)
    again = results_document(results, finish=command_of(results.settings, folder)).page()
    assert words_of(again) == words_of(page.read_text()), (
        f"write it again: candidly bench report {folder} --out docs/{page.name}"
    )


@pytest.mark.parametrize("criterion", ["CR", "AA", "OA", "OA & ES"])
def test_accuracies_come_from_the_runs_that_stand_beside_them(tables, journal, criterion):
    [head, *rows] = tables["lost: test accuracy, by what chose the model"]
    place, behind = head.index(criterion), runs_of(tables, criterion)
    for row in random.Random(criterion).sample(rows, 12):
        chosen = behind[row[0]]
        step, key = 4, -1
        values = [
            journal[one[key], int(one[step].replace(",", ""))]["test"]["top1"] for one in chosen
        ]
        assert len(values) == 5
        mean, error = re.match(NUMBER, row[place]).groups()
        assert float(mean) == pytest.approx(100 * statistics.mean(values), abs=0.0051)
        deviation = 100 * statistics.stdev(values) / math.sqrt(len(values))
        assert float(error) == pytest.approx(deviation, abs=0.0051)


def test_what_choosing_costs_comes_from_the_same_runs(tables, journal):
    behind = runs_of(tables, "CR")
    head, *rows = tables["lost: best, last, and selected by CR"]
    for row in random.Random(1).sample(rows, 12):
        best, last = [], []
        for one in behind[row[0]]:
            mine = {step: r for (key, step), r in journal.items() if key == one[-1]}
            there = {s: r["test"]["top1"] for s, r in mine.items() if r["diverged_at"] is None}
            best.append(max(value for step, value in there.items() if step or "plench" in row[0]))
            last.append(mine[max(mine)]["test"]["top1"])
        assert float(row[head.index("best (oracle)")].split()[0]) == pytest.approx(
            100 * statistics.mean(best), abs=0.0051
        )
        if all(value is not None for value in last):
            assert float(row[head.index("last")].split()[0]) == pytest.approx(
                100 * statistics.mean(last), abs=0.0051
            )


def test_pairs_that_are_apart_come_from_the_same_runs(tables, journal):
    behind = runs_of(tables, "CR")
    head, *rows = tables["lost: pairs that are clearly apart"]

    def values(name: str) -> list[float]:
        return [
            journal[one[-1], int(one[4].replace(",", ""))]["test"]["top1"] for one in behind[name]
        ]

    for row in rows:
        points = [100 * (a - b) for a, b in zip(values(row[0]), values(row[1]))]
        assert float(row[2]) == pytest.approx(statistics.mean(points), abs=0.051)
        # 909 rows of training and 113 of test in each split
        spread = statistics.stdev(points) * math.sqrt(1 / 5 + 113 / 909)
        low, high = map(float, row[3].split(" to "))
        assert (high - low) / 2 == pytest.approx(2.776 * spread, abs=0.06)
        assert float(row[head.index("p, Holm")]) < 0.05


VIEWS = [(1280, "light"), (360, "dark")]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_it_fits_and_assistive_tools_find_nothing_serious(width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with a_browser() as browser:
        tab = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = tab.new_page()
        page.goto(PAGE.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        found = axe.run(page).response["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
        sizes = page.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert sizes[0] <= sizes[1]
        # tables that are wider scroll by themselves, and can be reached by the keyboard
        wide = page.locator(".scroll").evaluate_all(
            "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.tabIndex)"
        )
        assert set(wide) <= {0}


def test_it_is_sorted_filtered_and_looked_up_by_keyboard():
    with a_browser() as browser:
        page = browser.new_context().new_page()
        page.goto(PAGE.as_uri())
        table = page.locator("table").first
        first = table.locator("tbody tr:not([hidden])").first.locator("th, td")
        heading = table.locator("thead th").nth(1).locator("button")
        heading.focus()
        page.keyboard.press("Enter")
        assert first.all_inner_texts()[:2] == ["OP-W", "75.75 ± 3.32 (5)"]
        page.keyboard.press("Enter")
        assert first.all_inner_texts()[0] == "GA"
        page.locator("label.filter input").fill("lws, iDgP")
        shown = table.locator("tbody tr:not([hidden]) th").all_inner_texts()
        assert sorted(shown) == ["IDGP", "IDGP:plench", "LWS", "LWS:plench"]
        link = page.locator('a[href^="#runs-"]').nth(1)
        link.focus()
        page.keyboard.press("Enter")
        runs = page.locator("details[open] caption").first
        assert runs.inner_text() == "lost: configurations chosen by AA"
        expect(runs).to_be_visible()


def test_it_is_whole_without_scripts_and_asks_nobody():
    asked = []
    with a_browser() as browser:
        page = browser.new_context(java_script_enabled=False).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(PAGE.as_uri())
        assert page.locator("tbody tr").count() > 900
        assert page.locator("button.sort").count() == 0
    assert asked == [PAGE.as_uri()]


def test_nothing_is_cut_off_on_paper():
    with a_browser() as browser:
        page = browser.new_context(viewport={"width": 680, "height": 1000}).new_page()
        page.goto(PAGE.as_uri())
        page.emulate_media(media="print")
        sizes = page.locator("main").evaluate(
            """main => [...main.querySelectorAll('table, figure, p')]
            .filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().right)
            .map((right) => right - main.getBoundingClientRect().right)"""
        )
        assert max(sizes) < 1
