"""A document is the same in every form, and a page is written whole or not at all."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from candidly.ground.names import UnknownName
from candidly.show.document import Document
from candidly.show.grid import FORMS, Column, Grid
from candidly.show.pieces import (
    Bullets,
    Command,
    Figure,
    Figures,
    Folded,
    Heading,
    Links,
    Markup,
    Paragraph,
    Pieces,
    Section,
    SideBySide,
    Tiles,
    parts_of,
)
from made_documents import DOCUMENTS, TABLES

EVIL = "<script>alert(1)</script>"
ALL_MADE = DOCUMENTS | TABLES
TABLE = Grid("Birds", (Column("name", "name"), Column("seen")), [("wren", 3), (EVIL, 4)])
ALL = (
    Tiles([("birds", "7", "that were seen")]),
    Paragraph("A paragraph.", "note"),
    Heading("A heading"),
    Bullets(["First.", "Second."]),
    Pieces([Command("candidly check birds.csv")], "box"),
    SideBySide([TABLE, "beside it"]),
    Folded("More", ["folded"], id="more"),
    Markup("<b>only on a page</b>", ["in its place"]),
    Links("See", [("more", "more")]),
    "A soft text.",
)


def document(**options):
    return Document("Birds of the garden", [Section("Seen", ALL), Section("None", [""])], **options)


def words(text):
    """Letters and digits alone: forms break lines and mark words in their own ways."""
    return re.sub(r"[^A-Za-z0-9]+", "", re.sub(r"\\[A-Za-z]+", "", text))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "csv"])
@pytest.mark.parametrize("name", ALL_MADE)
def test_every_form_says_every_sentence_and_every_table(name, form):
    made = ALL_MADE[name]()
    text = words(unescape(re.sub(r"<wbr>", "", made.render(form, 10_000))))
    for part in made.parts():
        if isinstance(part, Grid):
            first = part.rows[0]
            assert words(part.title) in text, part.title
            assert all(words(cell) in text for cell in part.texts()[0]), first
        else:
            assert words(part if isinstance(part, str) else part.text) in text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_page_has_what_other_forms_have(name):
    made = DOCUMENTS[name]()
    page = words(unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", "", made.page(), flags=re.S)))
    titles = [part.title if isinstance(part, Grid) else part for part in made.parts()]
    said = [one if isinstance(one, str) else one.text for one in titles]
    missing = [one for one in said if words(one) not in page]
    # of a tile and of a bar's key the page says the same words in another order
    assert all(re.search(r": [\d,.]+ ?%?( \(|$)", one) for one in missing), missing


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_same_input_gives_the_same_bytes(name):
    one, other = DOCUMENTS[name](), DOCUMENTS[name]()
    assert one.page() == other.page()
    assert all(one.render(form) == other.render(form) for form in FORMS)


def test_pieces_in_text_stand_in_their_order():
    text = document().render("text")
    said = ["Birds of the garden", "Seen", "────", "birds: 7 (that were seen)", "A paragraph.",
            "A heading", "First.", "candidly check birds.csv", "wren", "beside it", "folded",
            "in its place", "A soft text."]  # fmt: skip
    places = [text.index(one) for one in said]
    assert places == sorted(places)
    assert "None" not in text  # a section without anything
    assert "only on a page" not in text
    assert "See" not in text.split("Seen")[1]


def test_headings_are_those_of_the_form():
    assert "# Birds of the garden\n\n## Seen\n" in document().render("markdown")
    assert "### A heading" in document().render("markdown")
    latex = document().render("latex")
    assert r"\section*{Birds of the garden}" in latex
    assert r"\subsection*{Seen}" in latex
    assert "<h2>Seen</h2>" in document().render("html")


def test_what_people_wrote_is_escaped_wherever_html_is_made():
    evil = document(over=EVIL, lead=EVIL, facts={EVIL: EVIL}, notes=[EVIL], made_of=EVIL, kind="a")
    assert "<script" not in evil.page()
    assert "<script" not in evil.render("html")
    pieces = [Heading(EVIL), Command(EVIL), Bullets([EVIL]), Tiles([(EVIL, EVIL, EVIL)]),
              Figures([Figure(EVIL, EVIL, "<svg></svg>")]), Folded(EVIL, [EVIL], id=EVIL),
              Links(EVIL, [(EVIL, EVIL)], EVIL), Section(EVIL, [EVIL], label=EVIL)]  # fmt: skip
    assert all("<script" not in piece.html() for piece in pieces)


def test_csv_is_the_first_table_or_the_one_that_is_named():
    assert document().render("csv").splitlines()[1] == "wren,3"
    other = Grid("", (Column("a"),), [(1,)])
    assert document(table=other).render("csv") == "a\n1"


def test_json_is_a_form_of_documents_that_have_data():
    assert json.loads(document(data=lambda: {"seen": 7}).render("json")) == {"seen": 7}
    with pytest.raises(UnknownName, match="json"):
        document().render("json")
    with pytest.raises(UnknownName, match="markdown"):
        document().render("markdwn")


def test_figures_are_drawn_for_a_page_alone():
    drawn = []
    made = Document("", [Figures([Figure("a", "b", lambda: drawn.append(1) or "<svg></svg>")])])
    assert made.render() == ""
    assert not drawn
    assert "<figure><figcaption>a<span>b</span></figcaption><svg></svg></figure>" in made.page()
    assert drawn == [1]
    assert list(parts_of([Figures([Figure("a", "", "")])])) == []
    assert Figures([Figure("a", "", "")]).html() == ""


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    document().write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == document().page()

    def fail():
        raise RuntimeError("no")

    broken = Document("x", [Figures([Figure("", "", fail)])])
    with pytest.raises(RuntimeError):
        broken.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == document().page()
    with pytest.raises(OSError, match="nowhere"):
        document().write(tmp_path / "nowhere" / "page.html")


def test_bold_is_explained_where_it_can_be_seen():
    table = Grid("t", (Column("a"),), [(1,)], bold="Bold: the best.")
    seen = {form: "Bold: the best." in Document("", [table]).render(form) for form in FORMS}
    assert seen == {"text": False, "markdown": True, "csv": False, "latex": True, "html": True}


def test_a_notebook_shows_markdown():
    assert document()._repr_markdown_() == document().render("markdown")
    assert str(document()) == document().render("text")


@pytest.mark.parametrize("name", ["issues", "tags"])
def test_csv_of_doubts_is_the_ranked_list(name):
    lines = DOCUMENTS[name]().render("csv").splitlines()
    assert lines[0].startswith("rank,")
    assert [line.split(",")[0] for line in lines[1:4]] == ["1", "2", "3"]
