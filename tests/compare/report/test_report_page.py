"""The page and its figures: self-contained, escaped, the same bytes every time."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from candidly.compare.report import results_figures as figures
from candidly.compare.report._wording import cell_text
from candidly.compare.report.cost import costs
from candidly.compare.report.document import results_document
from candidly.compare.report.findings import findings_by_dataset
from candidly.compare.report.tables import make_tables
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells
from compare.report.fake_results import change, diverged, make_results, unfinished

NAMES = ("CC", "supervised-oracle", "PRODEN")
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Outline(HTMLParser):
    """Collects ids, tags and links, and checks that elements are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.whole = False
        self.ids, self.tags, self.links, self.open, self.texts = [], [], [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs, closed=False):
        self.whole = tag == "wbr"
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [v for k, v in attrs if k in ("href", "src", "xlink:href")]
        if not closed and tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs, closed=True)

    def handle_endtag(self, tag):
        self.whole = False
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.tags[-1:] == ["wbr"] and self.whole:  # a word goes on where it may be broken
            data = self.texts.pop() + data
        self.texts.append(data)
        self.whole = True


@pytest.fixture(scope="module")
def results():
    base = make_results(("Lost", "MSRCv2"), NAMES, configs=2, splits=3, notes=("line 3 is torn",))
    return change(base, lambda r: unfinished(r) if r.key.startswith("MSRCv2-CC-1") else r)


@pytest.fixture(scope="module")
def page(results):
    return results_document(results).page()


def test_everything_is_on_the_page(results, page):
    outline = Outline(page)
    texts = {text.strip() for text in outline.texts}
    for cell in cells(results):
        assert cell_text(cell, "top1") in texts
    for sentences in findings_by_dataset(results).values():
        assert texts.issuperset(sentences)
    assert texts.issuperset({"line 3 is torn", "configs", "Settings"})
    assert "33 of 36 planned runs are finished; none diverged." in texts
    # per data set: accuracies, four box plots, two curves, what choosing costs, two of cost
    assert outline.tags.count("svg") == 2 * (1 + 4 + 2 + 1 + 2)
    # two data sets and four criteria: two tables of accuracies
    assert outline.tags.count("caption") == 2 + 2 * (1 + 1 + 1 + 4) + 1


def test_the_page_needs_nothing_else(page):
    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert all(link.startswith("#") for link in outline.links)
    assert not {"link", "img", "iframe", "object"} & set(outline.tags)
    assert outline.tags.count("script") == 1
    outside = set(re.findall(r"https?://[^\s\"']+", page))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) <= {"#"}


def test_the_same_results_give_the_same_bytes(results, page, tmp_path):
    results_document(results).write(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == page.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_that_cannot_be_written_leaves_nothing(results, tmp_path):
    with pytest.raises(OSError, match="no-such"):
        results_document(results).write(tmp_path / "no-such" / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_stay_text():
    evil = "<script>alert('1')</script> & $x^2$ \""
    page = results_document(
        make_results((evil,), (evil, "CC"), configs=1, splits=2, notes=(evil,))
    ).page()
    assert page.count("<script") == 1  # its own
    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert sum(evil in text for text in outline.texts) > 10


@pytest.mark.parametrize(
    "results",
    [
        Results((), {}),
        make_results(configs=1, splits=1, algorithms=("CC",)),
        change(make_results(configs=1, splits=2, algorithms=NAMES), diverged),
        change(make_results(configs=1, splits=2, algorithms=NAMES), unfinished),
        change(make_results(configs=1, splits=2, algorithms=NAMES), lambda r: unfinished(r, 0)),
        change(make_results(configs=2, algorithms=("CC",)), lambda r: diverged(r, 4000)),
        make_results(configs=1, splits=1, steps=1, every=1, algorithms=("CC",)),
        pytest.param(
            make_results(configs=1, splits=2, algorithms=tuple(f"A{i}" for i in range(20))),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["empty", "one", "diverged", "torn", "planned", "fell", "short", "many"],
)
@pytest.mark.filterwarnings("error")
def test_odd_results_make_a_page(results):
    page = results_document(results).page()
    Outline(page)  # which is well formed
    assert page.count("<h1>") == 1
    assert page.endswith("</html>\n")


# figures


def test_figures_are_readable_xml_with_words():
    results = make_results(algorithms=NAMES, configs=1, splits=3)
    table = make_tables(results)[0]
    svg = figures.split_plot([table.cells[a, "Lost"] for a in table.algorithms])
    root = ElementTree.fromstring(svg)
    title, about = root[0].text, root[1].text
    assert title == "Lost, chosen by CR: test accuracy per split"
    for name in NAMES:
        assert name in about
        assert f">{name}<" in svg
    assert "test accuracy (%)" in svg
    assert "metadata" not in svg
    assert figures.INK not in svg


@pytest.mark.parametrize("splits", [1, 3, 9, 10])
def test_few_splits_are_points_and_only_many_get_a_box(splits):
    results = make_results(algorithms=NAMES, configs=1, splits=splits)
    table = make_tables(results)[0]
    cells = [table.cells[a, "Lost"] for a in table.algorithms]
    svg = figures.split_plot(cells)
    assert svg.count("<use") >= 3 * splits  # points
    page = results_document(results).page()
    assert ("fill-opacity" in svg) == ("The box spans" in page) == (splits >= 10)
    assert ("thick line at their mean" in page) == (splits < 10)


def test_colours_follow_the_algorithm_not_the_figure():
    names = [f"A{i}" for i in range(14)]
    colours = figures.make_colours([*names, "supervised-oracle"], ["supervised-oracle"])
    assert len(set(map(str, colours.values()))) == 15
    assert colours["supervised-oracle"][0] == figures.INK


def test_a_curve_stops_where_a_run_has_no_value():
    results = make_results(algorithms=("CC",), configs=1, splits=2)
    fell = change(results, lambda r: diverged(r, 4000) if r.split else r)

    def value(record):
        return record.test["top1"]

    steps, means, errors = figures._curve(fell.runs, value)
    # the record before the first update would hide what the others say
    assert steps == [1000, 2000, 3000]
    both = [100 * run.records[3].test["top1"] for run in fell.runs]
    assert means[2] == pytest.approx(sum(both) / 2)
    assert errors[2] == pytest.approx(abs(both[0] - both[1]) / 2)
    short = change(fell, lambda r: replace(r, records=r.records[:3]))
    assert figures._curve(short.runs, value)[0] == [0, 1000, 2000]
    # points where records were chosen; one that diverged has none
    x, y = figures._marked(fell.runs, [3000, 5000], value)
    assert (x, y) == ([3000], [100 * fell.runs[0].records[3].test["top1"]])


def test_costs_are_per_update():
    results = make_results(algorithms=("CC", "LWS"), configs=2, splits=2)
    first, second = costs(results, "Lost")
    last = results.runs[0].records[-1]
    assert first.ms_per_update == pytest.approx(1000 * last.seconds / last.step)
    assert first.peak_mib == last.memory_bytes / 2**20
    assert (first.runs, second.algorithm) == (4, "LWS")
    none = costs(change(results, unfinished), "Lost")[0]
    assert (none.runs, none.ms_per_update, none.peak_mib) == (0, None, None)
