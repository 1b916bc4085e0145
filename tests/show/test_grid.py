"""Tables in every form, each read back by a reader that knows nothing of how it was written."""

from __future__ import annotations

import csv
import doctest
import io
import math
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from candidly.ground.files import raw
from candidly.ground.names import UnknownName
from candidly.show import grid as module
from candidly.show.grid import FORMS, NOTHING, Column, Datum, Grid, render

COLUMNS = (Column("model", "name"), Column("share", form=".2f"), Column("words", "text"))
# what people call things: signs of every form, other scripts, what steers a terminal
HOSTILE = st.text(
    st.one_of(
        st.sampled_from("\\`*_[]<>|&;#{}~^$%\"'=+-@.:/ \n\t\x1b\u202eé日本語😀–±"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=30,
)
ROWS = st.lists(
    st.tuples(
        HOSTILE.map(lambda text: f"x{text}"),  # a name is never empty
        st.one_of(st.none(), st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6)),
        HOSTILE,
    ),
    min_size=1,
    max_size=5,
)


def one_line(text):
    return " ".join(text.split())


def told(value):
    """What a number of the second column reads as."""
    return NOTHING if value is None else f"{value:.2f}"


class Cells(HTMLParser):
    """The cells of a page's tables, their classes, and the texts beside them."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.kinds, self.tags, self.beside, self.into = [], [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.kinds.append((tag, dict(attrs)))
            self.into = self.rows[-1]

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.into = None

    def handle_data(self, data):
        if self.into is None:
            self.beside.append(data)
        else:
            self.into[-1] += data


def test_examples_in_docstrings():
    assert doctest.testmod(module).failed == 0


@given(ROWS, HOSTILE)
def test_csv_comes_back_and_computes_nothing(rows, title):
    read = list(csv.reader(io.StringIO(Grid(title, COLUMNS, rows).csv(), newline="")))
    assert read[0] == [column.name for column in COLUMNS]
    for (name, number, words), line in zip(rows, read[1:], strict=True):
        assert raw(line[0]) == name
        assert raw(line[2]) == words
        assert not words or line[2][0] not in "=+-@\t\r\n"
        assert line[1] == ("" if number is None else f"{number:.2f}")


@given(ROWS, HOSTILE)
def test_html_comes_back_and_holds_no_element_of_a_name(rows, title):
    found = Cells(Grid(title, COLUMNS, rows, (title,)).html())
    assert found.rows[0] == [column.name for column in COLUMNS]
    for (name, number, words), line in zip(rows, found.rows[1:], strict=True):
        assert [one_line(text) for text in line] == [
            one_line(name),
            told(number),
            one_line(words),
        ]
    known = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "wbr", "p"}
    assert set(found.tags) <= known


@given(ROWS)
def test_markdown_comes_back_from_a_parser(rows):
    page = MarkdownIt("commonmark").enable("table").render(Grid("", COLUMNS, rows).markdown())
    found = Cells(page)
    for (name, number, words), line in zip(rows, found.rows[1:], strict=True):
        assert line == [shown(name), told(number), shown(words)]
    assert not {"em", "strong", "code", "a", "img", "del", "h1", "li"} & set(found.tags)


@given(HOSTILE)
def test_a_paragraph_of_markdown_stays_one(text):
    page = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .render(render([text], "markdown"))
    )
    assert set(re.findall(r"<(\w+)", page)) <= {"p"}


SIGNS = {  # what the names of LaTeX's signs stand for
    r"\textbackslash": "\\", r"\textasciitilde": "~", r"\textasciicircum": "^",
    r"\textbar": "|", r"\textquotedbl": '"', r"\textquotesingle": "'",
    r"\textasciigrave": "`", r"\ldots": "…", r"\textendash": "–",
}  # fmt: skip
MATHS = {r"\pm": "±", "-": "−", r"\times": "×", r"\le": "≤", r"\ge": "≥", r"\to": "→"}
MATHS |= {r"\kappa": "κ", r"\tau": "τ", r"\approx": "≈", "<": "<", ">": ">"}


def of_latex(text):
    """What LaTeX would set, by a small reader of the signs; bare special ones are refused."""
    found, at = "", 0
    pattern = re.compile(
        r"\\ensuremath\{(?P<maths>[^{}]*)\}|(?P<name>\\[a-zA-Z]+)\{\}|\\(?P<bare>[&%$#_{}])"
        r"|\{(?P<kept>[\[*])\}|(?P<nothing>\{\})|(?P<tie>~)|(?P<plain>[^\\{}&%$#_~^])"
    )
    while at < len(text):
        one = pattern.match(text, at)
        assert one, f"a sign of LaTeX at {text[at:]!r}"
        kind, value = one.lastgroup, one[one.lastgroup]
        found += {
            "maths": lambda v: MATHS[v],
            "name": lambda v: SIGNS[v],
            "nothing": lambda v: "",
            "tie": lambda v: "\u00a0",
        }.get(kind, lambda v: v)(value)
        at = one.end()
    return found


@given(ROWS, HOSTILE)
def test_latex_comes_back_from_a_reader_of_its_signs(rows, title):
    text = Grid(title, COLUMNS, rows).latex()
    begun = re.findall(r"\\begin\{(\w+)\}", text)
    assert begun == re.findall(r"\\end\{(\w+)\}", text)[::-1] == ["table", "tabular"]
    assert r"\begin{tabular}{lrp{0.35\linewidth}}" in text
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    for (name, number, words), line in zip(rows, body, strict=True):
        assert line.endswith(r" \\")
        cells = re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))
        assert [of_latex(cell) for cell in cells] == [shown(name), told(number), shown(words)]


def shown(text):
    """Without line ends and what steers a terminal."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", one_line(text))


@given(ROWS, st.integers(20, 120))
def test_text_keeps_to_its_width_and_loses_nothing(rows, width):
    page = Grid("title", COLUMNS, rows).text(width)
    assert all(cell_len(line) <= width for line in page.split("\n"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    letters = re.sub(r"\s", "", page)
    for _, number, _ in rows:
        assert told(number) in page  # no number is broken
    if width == 120:
        assert all(re.sub(r"\s", "", shown(name))[:8] in letters for name, _, _ in rows)


def lines(page):
    return [line for line in page.split("\n") if not set(line) <= {"─"}]


def test_numbers_end_under_one_another_and_names_begin_so_in_any_script():
    grid = Grid("", COLUMNS, [("日本語", 1.5, "a"), ("é", -10, "b"), ("abcdefgh", None, "c")])
    rows = lines(grid.text())
    ends = {cell_len(line[: line.rindex(" ")].rstrip()) for line in rows[1:]}
    assert len(ends) == 1
    begins = {cell_len(line[:-1]) for line in rows[1:]}
    assert begins == {cell_len(rows[0]) - len("words")}


def test_a_wide_table_is_several_with_the_first_column_in_each():
    columns = (Column("model", "name"), *(Column(f"data set {k}", form=".2f") for k in range(12)))
    grid = Grid("Wide", columns, [("CC", *range(12)), ("PRODEN", *range(12, 24))])
    page = grid.text(60)
    heads = [line for line in page.split("\n") if line.startswith("model")]
    assert len(heads) == 2
    assert page.count("PRODEN") == 2
    assert [f"{k}.00" for k in range(24)] == sorted(
        re.findall(r"\d+\.00", page), key=lambda text: float(text)
    )


def test_all_columns_that_name_the_rows_are_repeated():
    columns = (
        Column("model", "name"),
        Column("split"),
        *(Column(f"measure {k}") for k in range(9)),
    )
    grid = Grid("", columns, [("CC", 7, *range(100, 109))], keys=2)
    rows = [line.split() for line in grid.text(40).split("\n") if line.startswith("CC")]
    assert len(rows) > 1
    assert all(row[:2] == ["CC", "7"] for row in rows)
    assert [number for row in rows for number in row[2:]] == [str(k) for k in range(100, 109)]


def test_spread_best_soft_link_and_bars():
    columns = (Column("model", "name"), Column("mean", form=".1f"), Column("", "bar"))
    rows = [
        (Datum("CC", link="cc"), Datum(71.25, 2.5, best=True), 0.5),
        (Datum("oracle", soft=True), Datum(80.0, soft=True), None),
    ]
    grid = Grid("T", columns, rows, ("A note.",))
    assert "71.2 ± 2.5" in grid.text()
    assert "█" * 15 + "\n" in grid.text()
    assert "**71.2 ± 2.5**" in grid.markdown()
    assert r"\textbf{71.2 \ensuremath{\pm} 2.5}" in grid.latex()
    assert list(csv.reader(io.StringIO(grid.csv()))) == [
        ["model", "mean", "mean ±"],
        ["CC", "71.2", "2.5"],
        ["oracle", "80.0", ""],
    ]
    page = grid.html()
    assert "<strong>71.2 ± 2.5</strong>" in page
    assert '<a href="#cc">CC</a>' in page
    assert '<tr class="oracle">' in page
    assert "width: 50.0%" in page
    assert '<p class="soft">A note.</p>' in page
    for form in ("markdown", "latex", "text"):
        assert "A note." in render([grid], form)


def test_alignment_is_told_in_every_form():
    grid = Grid("", COLUMNS, [("a", 1, "b")])
    assert "| :-- | --: | :-- |" in grid.markdown()
    assert r"{lrp{0.35\linewidth}}" in grid.latex()
    tags = Cells(grid.html()).kinds
    assert [about.get("class", "") for _, about in tags[:3]] == ["words", "", "words"]
    assert tags[3] == ("th", {"scope": "row"})


def test_repeated_names_are_left_out_of_text_alone():
    columns = (Column("model", "name", sparse=True), Column("n"))
    grid = Grid("", columns, [("CC", 1), ("CC", 2), ("LWS", 3)])
    assert grid.text().count("CC") == 1
    assert grid.csv().count("CC") == grid.markdown().count("CC") == 2


def test_numbers_have_no_marks_in_csv_and_nothing_is_nothing():
    columns = (Column("n", form=","), Column("x", form=",.1f"))
    grid = Grid("", columns, [(1234567, 1234.56), (None, math.nan)])
    assert grid.csv() == "n,x\n1234567,1234.6\n,"
    assert "1,234,567" in grid.text()
    assert grid.texts()[1] == [NOTHING, NOTHING]


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"row 1 of the table 'T' has 1 cells; there are 3"):
        Grid("T", COLUMNS, [("a", 1, "b"), ("a",)])


def test_documents_have_every_form():
    first, second = Grid("One", COLUMNS, [("a", 1, "b")]), Grid("Two", COLUMNS, [("c", 2, "d")])
    parts = ["Before.", first, Grid("empty", COLUMNS, []), second, "", "After."]
    for form in FORMS:
        page = render(parts, form)
        assert "empty" not in page
        if form != "csv":
            assert (
                page.index("Before") < page.index("One") < page.index("Two") < page.index("After")
            )
    assert render(parts, "csv") == first.csv()
    with pytest.raises(UnknownName, match="did you mean 'markdown'"):
        render(parts, "markdwn")


def wide(columns, letters=12):
    names = (
        Column("model", "name"),
        *(Column(f"{'c' * (letters - 2)}{k:02}") for k in range(columns)),
    )
    return Grid(
        "All of it: α & more", names, [(f"m{r}", *range(columns)) for r in range(2)], ("Note.",)
    )


@pytest.mark.parametrize(("columns", "tables", "small"), [(4, 1, 0), (6, 1, 1), (16, 3, 3)])
def test_latex_is_small_or_several_tables_where_it_is_wider_than_a_page(columns, tables, small):
    text = wide(columns).latex()
    assert text.count(r"\begin{table}") == text.count(r"\usepackage{amsmath,booktabs}") == tables
    assert text.count(r"\footnotesize" + "\n") == small
    assert text.count("Note.") == 1
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert labels == [f"tab:all-of-it-more{f'-{k}' if k > 1 else ''}" for k in range(1, tables + 1)]
    heads = re.findall(r"\\toprule\n(.*) \\\\", text)
    assert all(head.startswith("model & ") for head in heads)
    shown = [name for head in heads for name in head.split(" & ")[1:]]
    assert shown == [column.name for column in wide(columns).columns[1:]]
