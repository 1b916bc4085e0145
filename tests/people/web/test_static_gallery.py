"""The gallery as a folder: read as files, and in a browser, from disk."""

from __future__ import annotations

import html as parser
import json
import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from candidly import review
from candidly.people.review import ItemFilter
from candidly.people.web import write_gallery
from candidly.people.web.gallery import address_of

from needs import a_browser
from review_cases import some_items, some_rules
from review_pages import HOSTILE, a_tab, copied_project, shows


@pytest.fixture
def project(tmp_path):
    with copied_project(tmp_path / "project", n=80) as project:
        yield project


def pages(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.html")}


def records(folder: Path) -> dict:
    text = (folder / "items.js").read_text()
    return json.loads(text.removeprefix("const gallery = ").removesuffix(";\n"))


def all_cards(project):
    return [card for page in (1, 2) for card in review.browse(project, ItemFilter(page=page)).cards]


def test_every_item_stands_on_a_page(project, tmp_path):
    seen = []
    out = tmp_path / "pages"
    number = write_gallery(project, out, watch=lambda done, total: seen.append((done, total)))
    cards = all_cards(project)
    assert number == len(cards) == 78
    assert seen == [(60, 78), (78, 78)]
    found = pages(out)
    assert set(found) == {"index.html", "page-2.html"}
    ids = re.findall(r'<li id="item-(\d+)"', found["index.html"] + found["page-2.html"])
    assert ids == [str(card.id) for card in cards]
    for record, card in zip(records(out)["items"], cards, strict=True):
        assert (record["id"], record["name"]) == (card.id, card.name)
        page, _, anchor = record["at"].partition("#")
        assert f'<li id="{anchor}"' in found[page]
        assert record["answers"] == [list(one) for one in review.answers_of(project, card)]
        assert record.get("score") == card.score
        assert record["outcome"] == card.outcome


def test_links_lead_to_files_of_the_folder(project, tmp_path):
    out = tmp_path / "pages"
    write_gallery(project, out)
    for html in pages(out).values():
        for link in re.findall(r'(?:src|href)="([^"]*)"', html):
            place, _, anchor = parser.unescape(link).partition("#")
            assert not place.startswith("/")
            assert ":" not in place
            assert (out / unquote(place)).is_file() if place else anchor
    media = {path.name for path in (out / "media").iterdir()}
    assert media == {
        card.shown.payload for card in all_cards(project) if card.shown.kind == "image"
    }


def test_numbers_title_and_maker(project, tmp_path):
    write_gallery(project, tmp_path / "pages")
    html = pages(tmp_path / "pages")["index.html"]
    text = parser.unescape(" ".join(re.sub(r"<[^>]*>", " ", html).split()))
    found = review.progress(project)
    assert f"{found.items} items, {found.done} done, {found.answers} answers" in text
    for name, items in found.verdicts.items():
        assert not items or f"{items} {name}" in text
    assert f"Check {HOSTILE}" in text
    assert "Made by candidly" in text


def test_nobody_is_named_unless_asked(project, tmp_path):
    write_gallery(project, tmp_path / "plain")
    write_gallery(project, tmp_path / "named", codes=True)
    plain = "".join(path.read_text() for path in (tmp_path / "plain").glob("*.[hj]*"))
    named = "".join(pages(tmp_path / "named").values())
    for one in review.people(project):
        assert not re.search(rf"\b{one.code}\b", plain)
        assert parser.escape(one.name).replace("&#x27;", "&#39;") not in plain or one.code == "p0"
        assert (f"<li>{one.code}:" in named) != one.excluded
    assert "Name 1" not in plain + named
    assert 'id="f-person"' in named
    assert 'id="f-person"' not in plain
    table = review.votes(project)
    assert named.count("<li>p0:") == len(table.filter(table["person"] == "p0"))


def test_what_people_wrote_is_text(project, tmp_path):
    write_gallery(project, tmp_path / "pages", codes=True)
    for name, html in pages(tmp_path / "pages").items():
        assert "<script>alert" not in html, name
        assert "&lt;script&gt;alert" in html
        assert "style=" not in html
    (tmp_path / "pages" / "items.js").read_bytes().decode("ascii")


def test_a_folder_with_something_in_it_is_left_alone(project, tmp_path):
    out = tmp_path / "pages"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds something already"):
        write_gallery(project, out)
    assert [path.name for path in out.iterdir()] == ["mine.txt"]
    with pytest.raises(ValueError, match="holds something already"):
        write_gallery(project, out / "mine.txt")
    with pytest.raises(ValueError, match="no folder"):
        write_gallery(project, tmp_path / "nowhere" / "pages")
    (tmp_path / "empty").mkdir()
    write_gallery(project, tmp_path / "empty")
    assert (tmp_path / "empty" / "index.html").is_file()


def test_nothing_stays_of_a_gallery_that_failed(project, tmp_path):
    out = tmp_path / "pages"

    def stop(done, total):
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_gallery(project, out, watch=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


def test_media_from_elsewhere_stay_there(project, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    image = next(card for card in all_cards(project) if card.shown.kind == "image")
    place = project.folder / "media" / image.shown.payload
    place.unlink()
    os.symlink(secret, place)
    write_gallery(project, tmp_path / "pages")
    assert not (tmp_path / "pages" / "media" / place.name).exists()
    record = next(r for r in records(tmp_path / "pages")["items"] if r["id"] == image.id)
    assert record["kind"] == "none"


def test_a_small_project_and_classes(tmp_path):
    import candidly

    data = candidly.from_arrays(
        [f"example {k} {HOSTILE}" for k in range(9)], given=[k % 3 for k in range(9)], classes=3
    )
    rules = some_rules(classes=data.classes)
    with review.make_project(tmp_path / "p", some_items(1), rules, examples=data) as project:
        assert write_gallery(project, tmp_path / "pages") == 1
        html = pages(tmp_path / "pages")
        assert html["classes.html"].count(">example ") == 9
        assert html["classes.html"].count("<h2>") == 3
        assert "<script>alert" not in html["classes.html"]
        assert "classes.html" in html["index.html"]


# ---- in a browser


@pytest.fixture(scope="module")
def browser():
    with a_browser() as one:
        yield one


@pytest.fixture
def folder(project, tmp_path):
    write_gallery(project, tmp_path / "a folder", codes=True)
    return tmp_path / "a folder"


def opened(browser, folder, address="index.html", **options):
    return a_tab(browser, f"{folder.as_uri()}/{address}", **options)


def names(tab) -> list[str]:
    return tab.locator("#grid h2").all_inner_texts()


def shows_cards(tab, cards) -> None:
    shows(tab.locator("#grid h2"), [plain(card.name) for card in cards])


def plain(name: str) -> str:
    return " ".join(name.split())


def test_filters_and_orders_work_from_disk(browser, folder, project):
    tab = opened(browser, folder)
    cards = all_cards(project)
    shows_cards(tab, cards[:60])
    tab.select_option("#f-given", "owl")
    tab.fill("#f-least", "1")
    tab.select_option("#f-sort", "disagreement")
    tab.click("#filters button")
    wanted = review.browse(project, ItemFilter(given=2, least=1, sort="disagreement"))
    shows_cards(tab, wanted.cards)
    assert tab.inner_text("#count") == f"{wanted.total} items"
    assert len(wanted.cards) > 5
    tab.reload()  # the address holds the view
    shows_cards(tab, wanted.cards)
    assert tab.input_value("#f-given") == "owl"
    tab.click("#all")
    shows_cards(tab, cards[:60])
    tab.go_back()
    shows_cards(tab, wanted.cards)
    assert tab.errors == []
    assert all(url.startswith(folder.as_uri()) for url in tab.asked)


VIEWS = (
    ItemFilter(outcome="pending"),
    ItemFilter(guessed=0, given=1),
    ItemFilter(low=0.5, high=5, sort="score"),
    ItemFilter(high=2.5, sort="highest score"),
    ItemFilter(most=1, sort="votes"),
    ItemFilter(text="<script", sort="name"),
    ItemFilter(person="p2", sort="disagreement"),
    ItemFilter(text="no such name"),
)


def test_the_script_finds_what_the_server_finds(browser, folder, project):
    tab = opened(browser, folder)
    for view in VIEWS:
        query = address_of(view, project.rules).partition("?")[2]
        tab.goto(f"{folder.as_uri()}/index.html#{query}")
        wanted = review.browse(project, view)
        shows_cards(tab, wanted.cards)
        tab.wait_for_selector(f"#count:has-text('{wanted.total} item')")
    assert tab.errors == []


def test_pages_of_what_was_found(browser, folder, project):
    tab = opened(browser, folder, "index.html#sort=name")
    wanted = sorted(card.name for card in all_cards(project))
    assert "page 1 of 2" in tab.inner_text("#count")
    shows(tab.locator("#grid h2"), [plain(name) for name in wanted[:60]])
    tab.click("#steps a")
    tab.wait_for_selector("#count:has-text('page 2 of 2')")
    shows(tab.locator("#grid h2"), [plain(name) for name in wanted[60:]])
    tab.click("#more-steps a[href*='page=1']")
    tab.wait_for_selector("#count:has-text('page 1 of 2')")
    shows(tab.locator("#grid h2"), [plain(name) for name in wanted[:60]])


def test_an_item_is_found_by_its_address(browser, folder, project):
    card = all_cards(project)[70]
    tab = opened(browser, folder, f"page-2.html#item-{card.id}")
    target = tab.locator("li:target h2")
    assert target.inner_text() == plain(card.name)
    first = all_cards(project)[3]
    tab = opened(browser, folder, f"index.html#item-{first.id}")
    assert tab.locator("li:target h2").inner_text() == plain(first.name)
    assert len(names(tab)) == 60


def test_it_reads_without_its_script(browser, folder, project):
    tab = opened(browser, folder, java_script_enabled=False)
    assert tab.locator("#filters").is_hidden()
    seen = names(tab)
    tab.click("#steps a")
    tab.wait_for_selector("#count:has-text('page 2 of 2')")
    seen += names(tab)
    assert seen == [plain(card.name) for card in all_cards(project)]
    images = tab.locator("#grid img").count()
    assert images > 0


def test_nothing_serious_is_wrong_for_assistive_tools(browser, folder):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for address, width in (("index.html#given=owl", 1280), ("page-2.html", 360)):
        tab = opened(browser, folder, address, viewport={"width": width, "height": 800})
        found = axe.run(tab).response["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
        sizes = tab.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert sizes[0] <= sizes[1]
