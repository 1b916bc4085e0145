"""Rows of a table on a person's page: their own columns, escaped, and nothing that tells."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

from candidly import review
from candidly.people.web import write_gallery

from review_cases import CLASSES, some_items, work_through
from web_cases import JSON, NUMBERED, a_project, a_site, browser, plain

HOSTILE = '<script>document.title="broken"</script>'
FRAME = pl.DataFrame(
    {
        "breed": ["Maine Coon", None, HOSTILE, "a,b", "Ünïcode 猫", "x"],
        "price in €": ["1.10", "007", "", "2.00", "1e-9", "-"],
        "remarks": ["long " * 60, "unbroken" * 40, "two\nlines", "&amp;", '"quoted"', "'"],
        "": ["no name", "b", "c", "d", "e", "f"],
        HOSTILE: ["1", "2", "3", "4", "5", "6"],
    }
)


def row_items(n: int = 6, frame: pl.DataFrame = FRAME) -> list[review.Item]:
    look = review.looks_of_rows(frame)
    return [replace(item, shown=look(k)) for k, item in enumerate(some_items(n))]


def cells_of(page) -> list[tuple[str, str]]:
    rows = page.locator("#desk .item table tr")
    return [
        (row.locator("th").text_content(), row.locator("td").text_content()) for row in rows.all()
    ]


def test_a_row_is_a_table_of_its_columns(serve, visit):
    site, address = serve(items=row_items(), goal="quality")
    screen = visit()
    screen.sign_in(address, "ann")
    for _ in range(6):
        found = cells_of(screen.page)
        row = next(k for k in range(6) if FRAME[HOSTILE][k] == found[-1][1])
        wanted = [(name, FRAME[name][row] or "–") for name in FRAME.columns]
        assert found == wanted
        assert screen.page.title() != "broken"
        screen.answer("3")
    screen.saved()
    assert set(review.votes(site.project)["answer"]) == {"both"}


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.slow
def test_a_row_fits_the_window(serve, visit, width):
    many = {f"column {k}": [str(k)] * 6 for k in range(40)}
    for frame in (FRAME, pl.DataFrame(many)):
        _, address = serve(items=row_items(frame=frame), goal="quality")
        screen = visit(viewport={"width": width, "height": 700})
        screen.sign_in(address, "ann")
        page = screen.page
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
        answers = page.locator(".answers").bounding_box()
        assert answers["y"] + answers["height"] <= 700 + 1  # the buttons are in view
        assert page.locator("#desk .cells").bounding_box()["height"] <= 0.62 * 700
        if frame is FRAME:
            screen.press("Space")
            large = page.locator("#large[open] table")
            large.wait_for()
            assert large.bounding_box()["width"] <= width


def test_nothing_of_a_row_tells(tmp_path):
    """As for pictures: known items, repetitions and either order look alike, and no numbers."""
    n = 30
    frame = pl.DataFrame({"size": ["big"] * n, "price": ["1.10"] * n})
    items = [
        replace(item, row=100 + k, name=f"secret-{k}", truth=item.guessed, score=-0.1234 - k)
        for k, item in enumerate(row_items(n, frame))
    ]
    gold = {f"secret-{k}": "given" for k in range(0, n, 5)}
    turns = {"gold_every": 4, "repeat_every": 5}
    with a_project(tmp_path / "check", items=items, gold=gold, **turns) as project:
        work_through(project, review.find_person(project, "bob"))
        ann = browser(a_site(project), "person", "ann")
        cards = []
        while found := ann.get("/tasks", headers=JSON).json()["cards"]:
            cards.append(found[0]["html"])
            ann.say(cards[-1], "a")
        mine = review.votes(project, everything=True).filter(pl.col("person") == "ann")
    assert set(mine["gold"]) == set(map(bool, mine["repeat"])) == {True, False}
    assert len({plain(card) for card in cards}) == 1
    for card in cards:
        assert "secret" not in card
        assert "0.1234" not in card
        numbers = Counter(re.findall(r'="(\d+)"', NUMBERED.sub("", card)))
        assert set(numbers) <= {"0", "2000"}  # of the tab order; longest note
        bare = re.sub("|".join(CLASSES), "", card)
        assert not re.search("given|truth|gold|score|blind", bare.replace("guess (the", ""))


def test_examples_that_look_like_an_item_are_not_shown(tmp_path):
    from candidly import from_arrays

    frame = pl.DataFrame({"x": ["1.10", "2", "3", "4"], "y": ["a", "b", "c", "d"]})
    data = from_arrays([[1.1], [2], [3], [4]], given=[0, 0, 1, 1], classes=CLASSES)
    look = review.looks_of_rows(frame)
    items = [review.Item(0, "i0", 0, 1, shown=look(0))]
    rules = review.Rules(classes=CLASSES, gold_every=0, repeat_every=0)
    project = review.make_project(tmp_path / "p", items, rules, examples=data, example_looks=look)
    with project:
        numbers = [n for ids in project.examples.values() for n in ids]
        shown = [one.payload for one in review.shown_examples(project, numbers)]
    assert sorted(shown) == sorted(look(k).payload for k in (1, 2, 3))


def test_rows_in_the_gallery(tmp_path):
    with a_project(tmp_path / "check", items=row_items()) as project:
        everyone = browser(a_site(project), "organiser")
        grid = everyone.get("/gallery").text
        assert HOSTILE not in grid
        assert "Maine Coon" in grid
        assert "&lt;script&gt;" in grid
        write_gallery(project, tmp_path / "pages")
    assert HOSTILE not in (tmp_path / "pages" / "index.html").read_text()
