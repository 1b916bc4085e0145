"""Saved pages as articles, those that are cut off or in another encoding among them."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.compare.corpora import make_articles, make_corpus, read_pages, write_pages
from candidly.compare.corpora.builder import BuildSettings, build

GOOD = """<html><head><meta charset="{charset}"></head><body><ul id="breadcrumb">
<li><a href="/Main-Page">Home</a></li><li><a href="/Category:Pets">Pets</a></li>
<li><a href="/Category:Dogs">Dogs &amp;
 Puppies</a></li></ul>
<div class="step"><b class="whb">Brush the <i>coat</i><script>x = "<b>";</script>
 gently<sup class="reference">[1]</sup>.</b> More.</div>
<div class="step"><b class="whb">  </b></div>
<div class="step"><b class="whb">Dry the caf\u00e9.</b></div>
</body></html>"""


def one(tmp_path, data: bytes):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_bytes(data)
    return read_pages(tmp_path / "pages")


def test_corpora_come_back_from_their_pages(tmp_path):
    made = make_corpus(40)
    write_pages(made, tmp_path / "pages")
    found = read_pages(tmp_path / "pages")
    assert sorted(found.ids) == sorted(f"{name}.html" for name in made.ids)
    at = {name: row for row, name in enumerate(found.ids)}
    for row, name in enumerate(made.ids):
        there = at[f"{name}.html"]
        mine, its = made.texts[made.article == row], found.texts[found.article == there]
        assert its.tolist() == [text.strip() for text in mine]
        assert found.categories[found.category[there]] == made.categories[made.category[row]]


def test_odd_names_and_texts_come_back(tmp_path):
    made = make_articles(["../a/b?"], [["A <b>", 'C "d"']], [["Mix & <stir>.", "It's 5 > 3"]])
    write_pages(made, tmp_path / "pages")
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]
    found = read_pages(tmp_path / "pages")
    assert found.categories == made.categories
    assert found.texts.tolist() == made.texts.tolist()


@pytest.mark.parametrize(
    ("said", "coded", "found"),
    [
        ("utf-8", "utf-8", "utf-8"),
        ("iso-8859-1", "iso-8859-1", "iso8859-1"),
        ("utf-8", "cp1252", "cp1252"),  # says what it is not
        ("cp1252", "utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-8", "utf-8"),
        ("utf-16", "utf-16", "utf-16-le"),
        ("no-such", "utf-8", "utf-8"),
        ("base64", "utf-8", "utf-8"),
    ],
)
def test_pages_are_in_any_encoding(tmp_path, said, coded, found):
    articles = one(tmp_path, GOOD.format(charset=said).encode(coded))
    assert articles.texts.tolist() == ["Brush the coat gently.", "Dry the caf\u00e9."]
    assert articles.categories == (("Pets", "Dogs & Puppies"),)
    assert articles.pages.encodings == {found: 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (GOOD[:-20], "cut off: it has no </html>"),
        ("", "the page is empty"),
        ("</html>", "the page is empty"),
        ("<p></html>", "no category"),
        (GOOD.replace("Category:", ""), "no category"),
        (GOOD.replace("whb", "x"), "no steps"),
        (GOOD.replace("Dogs &amp;\n Puppies", "Pets"), "a category above itself"),
    ],
)
def test_pages_without_an_article_are_left_out_with_the_reason(tmp_path, text, why):
    (tmp_path / "pages" / "sub").mkdir(parents=True)
    (tmp_path / "pages" / "good.HTM").write_text(GOOD.format(charset="utf-8"))
    (tmp_path / "pages" / "sub" / "bad.html").write_text(text)
    (tmp_path / "pages" / "note.txt").write_text("no page")
    articles = read_pages(tmp_path / "pages")
    assert articles.pages.left_out == (("sub/bad.html", why),)
    assert articles.ids.tolist() == ["good.HTM"]


def test_links_are_not_followed(tmp_path):
    (tmp_path / "outside.html").write_text(GOOD)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "link.html").symlink_to(tmp_path / "outside.html")
    with pytest.raises(ValueError, match="has no page in it"):
        read_pages(tmp_path / "pages")


def test_selectors_say_where_to_look(tmp_path):
    (tmp_path / "pages").mkdir()
    page = "<html><p class=c>A</p><p class=c>B</p><h3>Go there.</h3></html>"
    (tmp_path / "pages" / "a.html").write_text(page)
    found = read_pages(tmp_path / "pages", category="p.c", event="h3")
    assert (found.categories, found.texts.tolist()) == ((("A", "B"),), ["Go there."])
    with pytest.raises(ValueError, match="'p\\[' is no CSS selector"):
        read_pages(tmp_path / "pages", category="p[")
    with pytest.raises(ValueError, match=r"1 pages and no article: of 1 .*'no category'"):
        read_pages(tmp_path / "pages", event="h3")


def test_folders_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        read_pages(tmp_path / "none")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="not an empty folder"):
        write_pages(make_corpus(3), tmp_path / "full")


def test_manifests_count_pages(tmp_path):
    write_pages(make_corpus(120), tmp_path / "pages")
    (tmp_path / "pages" / "cut.html").write_text("<html><body>")
    found = read_pages(tmp_path / "pages")
    settings = BuildSettings(more_than=3, tail_at_most=6, held=1, rates=(0.1,))
    made = build(
        found, tmp_path / "out", settings, keep=lambda path: path[-1].startswith("Cleaning")
    )
    assert made.manifest["pages"] == {
        "read": 121,
        "left out": {"cut off: it has no </html>": 1},
        "encodings": {"utf-8": 120},
    }
    lines = (tmp_path / "out" / "pages.csv").read_text().splitlines()
    assert lines == ["page,reason", "cut.html,cut off: it has no </html>"]
    assert "pages.csv" in made.manifest["files"]
    assert np.array_equal(found.article, np.sort(found.article))


def test_hostile_pages_reach_nothing(tmp_path):
    (tmp_path / "secret").write_text("secret")
    links = '<ul id="breadcrumb"><li><a href="/Category:A">A</a></ul>'
    step = '<div class="step"><b class="whb">Go {} there.</b></div></html>'
    entity = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    (tmp_path / "entity.html").write_text(f"{entity}<html>{links}{step.format('&x;')}")
    (tmp_path / "deep.html").write_text(f"<html>{links}{'<div>' * 50_000}{step.format('')}")
    (tmp_path / "zero.html").write_text(f"<html>{links}{step.format(chr(0))}")
    found = read_pages(tmp_path)
    assert found.texts.tolist() == ["Go &x; there."]
    assert [name for name, _ in found.pages.left_out] == ["deep.html", "zero.html"]
