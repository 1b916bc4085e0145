"""One gallery over many sets: read as files, and in a browser, from disk."""

from __future__ import annotations

import html as parser
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from candidly.people.review import looks_of_files
from candidly.people.validation import from_counts, judge, read_released
from candidly.people.validation.checked_sets import checked_set
from candidly.people.web import write_sets_gallery
from candidly.people.web.sets_gallery import verdict_page
from voted_sets import FILES, FILMS, HOSTILE, PETS, write_votes

from needs import a_browser
from review_pages import a_tab, cells, shows

ERRORS = ("correctable", "multi-label", "neither", "non-agreement", "different set")


def of_media(path):
    return lambda folder: looks_of_files(path, folder, gaps=True)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    paths = write_votes(tmp_path_factory.mktemp("votes"))
    sizes = {"pets": {"size": 1000, "flagged": 410, "number": 9}, "sounds": {"size": 40}}
    return [
        checked_set(
            judge(read_released(path)),
            name,
            title=f"The {name} {HOSTILE}" if name == "films" else f"The {name}",
            facts=[f"A fact {HOSTILE}"],
            **sizes.get(name, {}),
        )
        for name, path in paths.items()
    ]


@pytest.fixture(scope="module")
def folder(sets, tmp_path_factory):
    """Pictures of some pets, texts of all sounds, nothing of the films."""
    place = tmp_path_factory.mktemp("gallery")
    (place / "pictures").mkdir()
    for row in (0, 2, 3, 150):
        pixels = np.random.default_rng(row).integers(0, 255, (8, 8, 3), np.uint8)
        Image.fromarray(pixels).save(place / "pictures" / f"{row}.png")
    (place / "texts.txt").write_text("\n".join(f"sound {k} {HOSTILE}" for k in range(10)))
    looks = {"pets": of_media(place / "pictures"), "sounds": of_media(place / "texts.txt")}
    out = place / "a folder"
    assert write_sets_gallery(sets, out, title=f"All {HOSTILE}", looks=looks) == 210
    return out


def pages(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.html")
    }


def test_every_item_has_one_address(folder):
    found = pages(folder)
    for name, rows in FILES.items():
        ids = [
            parser.unescape(link)
            for k in (1, 2, 3)
            for link in re.findall(
                r'<li id="[^"]*">.*?<h2><a href="[^"]*">(.*?)</a>',
                found.get(f"{name}/page-{k}.html", ""),
                re.DOTALL,
            )
        ]
        assert ids == [str(row["id"]) for row in rows]
    assert found["pets/page-1.html"].count("<li id=") == 100
    assert found["pets/page-3.html"].count("<li id=") == 5
    assert '<li id="item-107"' in found["pets/page-2.html"]


def test_all_links_lead_to_something_in_the_folder(folder):
    found = pages(folder)
    seen = 0
    for name, html in found.items():
        for link in re.findall(r'(?:src|href)="([^"]*)"', html):
            place, _, anchor = parser.unescape(link).partition("#")
            assert ":" not in place
            target = (folder / name).parent / unquote(place) if place else folder / name
            assert target.is_file(), (name, link)
            if anchor:
                inside = found[target.resolve().relative_to(folder.resolve()).as_posix()]
                assert f'id="{parser.escape(anchor)}"' in inside, (name, link)
                seen += 1
    assert seen > 3 * 210  # each item from its page, a verdict and a class
    assert "http" not in "".join(found.values())


def test_the_front_page_says_the_numbers_of_each_set(folder, sets):
    rows = [row for row in cells(pages(folder)["index.html"]) if row]
    heads = dict(enumerate(rows[0]))
    table = {row[0].split()[1]: dict(zip(heads.values(), row)) for row in rows[1:]}
    assert list(table) == ["pets", "films", "sounds"]
    pets, films, sounds = table.values()
    assert pets["items"].endswith(" 205")
    assert (pets["classes"], films["classes"], sounds["classes"]) == ("9", "2", "3")
    assert pets["non-error"].endswith(" 201")
    for verdict in ERRORS[:4]:
        assert pets[verdict].endswith(" 1"), verdict
    assert pets["errors, %"] == "0.80"  # 4 of 205 checked of 410 flagged of 1000
    assert " to " in pets["95 %"]
    assert (films["errors, %"], films["95 %"]) == ("–", "–")  # nobody said how many there are
    assert (sounds["errors, %"], sounds["95 %"]) == ("2.50", "all checked")  # 1 of 40
    assert sounds["different set"].endswith(" 1")
    for row, one in zip(table.values(), sets):
        kappa = (one.about["agreement"]["kappa"] or {}).get("value")
        assert row["Fleiss’ κ"].split()[0] == ("–" if kappa is None else f"{kappa:,.2f}")
    bars = re.findall(r'aria-label="(non-error[^"]*)"', pages(folder)["index.html"])
    assert bars[0] == (
        "non-error 98 %, correctable 0 %, multi-label 0 %, neither 0 %, non-agreement 0 %"
    )


def test_lists_by_verdict_and_by_class_hold_every_item(folder, sets):
    found = pages(folder)
    for one in sets:
        listed = []
        for verdict, number in one.about["categories"].items():
            if not number:
                assert f"{one.name}/{verdict_page(verdict)}" not in found
                continue
            html = found[f"{one.name}/{verdict_page(verdict)}"]
            rows = [row for row in cells(html) if row][1:]
            assert len(rows) == number
            listed += [row[0] for row in rows]
        assert sorted(listed) == sorted(" ".join(item.id.split()) for item in one.items)
    html = found["pets/classes.html"]
    assert summaries(html) == [  # two of cat, one of each other, and 50 of each that are right
        f"{HOSTILE}: 51 items, 1 error",
        "cat: 52 items, 1 error",
        "caterpillar: 51 items, 1 error",
        "dog: 51 items, 1 error",
    ]
    assert len(re.findall(r"<li>", html)) == 205
    assert summaries(found["sounds/classes.html"]) == [  # most errors first
        "Zither: 2 items, 1 error",
        "Bird: 1 item, 0 errors",
    ]


def summaries(html: str) -> list[str]:
    return [parser.unescape(text) for text in re.findall(r"<summary>(.*?)</summary>", html)]


def test_pages_say_what_is_not_shown(folder):
    found = pages(folder)
    assert "Nothing is shown of the items" in found["films/index.html"]
    assert "Nothing is shown of them" in found["films/page-1.html"]
    assert "201 items have nothing to look at" in found["pets/index.html"]
    assert "All items are shown" in found["sounds/index.html"]
    assert sorted(path.name for path in (folder / "pets/media").iterdir()) == [
        *("0.png", "150.png", "2.png", "3.png")
    ]
    assert found["index.html"].count("nothing to look at") == 1


def test_what_people_wrote_is_text(folder):
    for name, html in pages(folder).items():
        assert "<script>alert" not in html, name
        assert "style=" not in html, name
    (folder / "items.js").read_bytes().decode("ascii")


def test_the_same_input_gives_the_same_files(sets, tmp_path):
    for name in ("one", "two"):
        write_sets_gallery(sets, tmp_path / name)
    files = sorted(path for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) > 15
    for path in files:
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes()


def test_progress_and_odd_sets(tmp_path):
    seen = []
    nobody = checked_set(judge(from_counts(np.zeros((1, 4), int))), "some/odd name")
    empty = checked_set(judge(from_counts(np.zeros((0, 4), int))), "..empty")
    number = write_sets_gallery(
        [nobody, empty], tmp_path / "out", watch=lambda done, total: seen.append((done, total))
    )
    assert (number, seen) == (1, [(1, 1)])
    found = pages(tmp_path / "out")
    assert "no answers" in found["some-odd-name/page-1.html"]
    assert "holds no item" in found["empty/index.html"]
    assert "empty/page-1.html" not in found["index.html"]


def test_what_cannot_be_written_is_refused(sets, tmp_path):
    with pytest.raises(ValueError, match="no votes"):
        write_sets_gallery([], tmp_path / "out")
    twin, style = (
        checked_set(judge(from_counts([[5, 0, 0, 0]])), name) for name in ("PETS", "sets.css")
    )
    with pytest.raises(ValueError, match="'PETS' would be at PETS, where 'pets' is"):
        write_sets_gallery([*sets, twin], tmp_path / "out")
    with pytest.raises(ValueError, match="Rename one"):
        write_sets_gallery([style], tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds something already"):
        write_sets_gallery(sets, tmp_path / "full")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


def test_nothing_stays_of_a_gallery_that_failed(sets, tmp_path):
    def look(row):
        raise ValueError("a picture is broken")

    with pytest.raises(ValueError, match="is broken"):
        write_sets_gallery(sets, tmp_path / "out", looks={"pets": lambda folder: look})
    assert list(tmp_path.iterdir()) == []


KILLED = """
import sys, time
from candidly.people.validation.checked_sets import checked_set
from candidly.people.validation import from_counts, judge
from candidly.people.web import write_sets_gallery

def watch(done, total):
    print(done, flush=True)
    time.sleep(60)

one = checked_set(judge(from_counts([[5, 0, 0, 0]] * 300)), "a")
write_sets_gallery([one], sys.argv[1], watch=watch)
"""


def test_a_kill_leaves_nothing_under_the_name(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-c", KILLED, str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "100"
        assert not out.exists()
        os.kill(process.pid, signal.SIGKILL)
    assert [path.name for path in tmp_path.iterdir()] == [f".out.{process.pid}.part"]


# ---- in a browser


@pytest.fixture(scope="module")
def browser():
    with a_browser() as one:
        yield one


def opened(browser, folder, address="index.html", **options):
    return a_tab(browser, f"{folder.as_uri()}/{address}", **options)


def names(tab) -> list[str]:
    return tab.locator("#grid h3").all_inner_texts()


def ids(rows) -> list[str]:
    return [" ".join(str(row["id"]).split()) for row in rows]


def test_filters_work_across_sets_from_disk(browser, folder):
    tab = opened(browser, folder)
    shows(tab.locator("#grid h3"), [])
    tab.select_option("#f-verdict", "error")
    tab.click("#filters button")
    tab.wait_for_selector("#count:has-text('7 items')")
    shows(tab.locator("#grid h3"), [*("2", "3", "5", "7"), *ids(FILMS[:2]), "9"])
    tab.select_option("#f-set", "pets")
    tab.fill("#f-given", "CAT")
    tab.click("#filters button")
    tab.wait_for_selector("#count:has-text('1 item')")
    shows(tab.locator("#grid h3"), ["2"])  # the class, not the caterpillar
    tab.reload()  # the address holds the view
    shows(tab.locator("#grid h3"), ["2"])
    assert tab.input_value("#f-given") == "CAT"
    tab.click("#clear")
    tab.wait_for_selector("#lists:visible")
    shows(tab.locator("#grid h3"), [])
    tab.go_back()
    tab.wait_for_selector("#grid h3")
    shows(tab.locator("#grid h3"), ["2"])
    assert tab.errors == []
    assert all(url.startswith(folder.as_uri()) for url in tab.asked)


VIEWS = {
    "verdict=different+set": ["9"],
    "given=cater&verdict=error": ["7"],
    "guessed=wind": ["4", "9"],
    "guessed=win": ["4", "9"],
    "alike=0": ["0"],
    "alike=2": [*("3", "7"), *ids(FILMS)],
    "name=TEST/neg&sort=split": ids(FILMS[:2]),
    "set=pets&verdict=error&sort=split": ["7", "3", "2", "5"],
    "set=pets&verdict=error&sort=agreed": ["2", "5", "3", "7"],
    "set=nowhere": [],
    "given=no+such": [],
}


def test_the_script_finds_what_was_asked_for(browser, folder):
    tab = opened(browser, folder)
    for view, expected in VIEWS.items():
        tab.goto(f"{folder.as_uri()}/index.html#{view}")
        shows(tab.locator("#grid h3"), expected)
        tab.wait_for_selector(f"#count:has-text('{len(expected)} item')")
    assert tab.errors == []


@pytest.mark.slow
def test_pages_of_what_was_found(browser, folder):
    tab = opened(browser, folder, "index.html#set=pets")
    assert tab.inner_text("#count") == "205 items, page 1 of 3"
    seen = names(tab)
    for page in (2, 3):
        tab.click("#steps a:last-child")
        tab.wait_for_selector(f"#count:has-text('page {page} of 3')")
        seen += names(tab)
    assert seen == ids(PETS)


@pytest.mark.slow
def test_what_was_found_leads_to_its_place_and_shows_its_look(browser, folder):
    tab = opened(browser, folder, "index.html#set=films")
    for k, name in enumerate(ids(FILMS)):
        tab.locator("#grid h3 a").nth(k).click()
        shows(tab.locator("li:target h2"), name)
        tab.go_back()
        tab.wait_for_selector("#grid h3")
    assert tab.locator("#grid .thumb").count() == 0
    tab.goto(f"{folder.as_uri()}/index.html#name=150&set=pets")
    image = tab.locator("#grid img")
    image.wait_for()
    assert image.evaluate("e => e.decode().then(() => e.naturalWidth)") == 8
    tab.goto(f"{folder.as_uri()}/index.html#set=sounds")
    assert tab.locator("#grid .words").first.inner_text() == f"sound 4 {HOSTILE}"
    assert tab.errors == []


def test_an_address_shows_its_item(browser, folder):
    tab = opened(browser, folder, "pets/page-2.html#item-150")
    shows(tab.locator("li:target h2"), "150")
    assert tab.locator("li:target img").evaluate("e => e.decode().then(() => 1)") == 1


@pytest.mark.slow
def test_it_is_complete_without_its_script(browser, folder):
    tab = opened(browser, folder, java_script_enabled=False)
    assert tab.locator("#filters").is_hidden()
    tab.click("table a[href='pets/verdict-correctable.html']")
    tab.click("tbody a")
    shows(tab.locator("li:target h2"), "2")
    tab.click("nav a:has-text('By class')")
    tab.locator("summary", has_text="caterpillar").click()
    tab.locator("details[open] a").first.click()
    shows(tab.locator("li:target h2"), "7")
    tab.click("nav a:has-text('Items')")
    wanted = ids(PETS)
    shows(tab.locator(".grid h2"), wanted[:100])
    for start in (100, 200):
        tab.locator("a[rel=next]").first.click()
        shows(tab.locator(".grid h2"), wanted[start : start + 100])
    assert tab.locator("a[rel=next]").count() == 0


def serious_faults(browser, folder, addresses, width, scheme) -> list[str]:
    """What axe finds on these pages, and those that are wider than the window."""
    axe, found = pytest.importorskip("axe_playwright_python.sync_playwright").Axe(), []
    tab = opened(browser, folder, viewport={"width": width, "height": 800}, color_scheme=scheme)
    for address in addresses:
        tab.goto(f"{folder.as_uri()}/{address}")
        for fault in axe.run(tab).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found.append(f"{address}: {fault['id']}")
        sizes = tab.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
        found += [f"{address}: too wide"] * (sizes[0] > sizes[1])
    return found


def test_nothing_serious_is_wrong_for_assistive_tools(browser, folder):
    addresses = ("index.html#verdict=error", "films/page-1.html")
    assert serious_faults(browser, folder, addresses, 360, "dark") == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_nor_on_any_other_kind_of_page(browser, folder, width, scheme):
    addresses = (
        *("index.html", "index.html#set=pets", "pets/index.html", "pets/page-1.html"),
        *("sounds/index.html", "films/verdict-correctable.html", "pets/classes.html"),
    )
    assert serious_faults(browser, folder, addresses, width, scheme) == []
