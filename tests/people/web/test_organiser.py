"""The organiser's page, through the whole app: its numbers, its forms, its files, who may."""

from __future__ import annotations

import csv
import io
import json
import re

import polars as pl
import pytest

from candidly import review
from candidly.people import web
from candidly.people.review import Item
from candidly.people.review.files import FILES
from candidly.people.web import open_site, organiser
from candidly.people.web._recent import FOLD, Recent

from needs import a_browser
from review_cases import reply, some_items, some_rules, work_through
from review_pages import HOSTILE, Looker, a_tab, cells, copied_project, looker, served, shows

PAGES = ("/organiser", "/gallery", "/gallery/item/i1", "/download/votes.csv")


@pytest.fixture
def project(tmp_path):
    with copied_project(tmp_path / "project") as project:
        yield project


def row(html: str, first: str) -> list[str]:
    return next(row for row in cells(html) if row and row[0] == first)


def tile(html: str, name: str) -> str:
    found = re.search(rf"<dt>{name}</dt><dd>(.*?)</dd>", html, re.DOTALL)[1]
    return " ".join(re.sub(r"<[^>]*>", " ", found).split())


def test_the_numbers_are_those_of_progress(project):
    html = looker(project).text("/organiser")
    found = review.progress(project)
    assert tile(html, "Items done") == f"{found.done} of {found.items}"
    assert tile(html, "Answers") == f"{found.answers} of {found.wanted}"
    assert tile(html, "Skips") == str(found.skips)
    agreed = found.agreement
    kappa = agreed.kappa
    assert tile(html, "Fleiss’ kappa") == f"{kappa.value:.2f} {kappa.low:.2f} to {kappa.high:.2f}"
    ac1 = agreed.ac1
    assert tile(html, "AC1") == f"{ac1.value:.2f} {ac1.low:.2f} to {ac1.high:.2f}"
    assert tile(html, "Pairs of answers alike") == f"{100 * kappa.observed:.0f} %"
    share = f"{100 * agreed.decided / found.items:.0f} %"
    assert tile(html, "Decided") == f"{share} {agreed.decided} of {found.items}"
    assert tile(html, "Decided by one vote").endswith(f"{agreed.split} of {agreed.decided}")
    for name, items in found.verdicts.items():
        if name != "different set":
            assert row(html, name)[1:3] == [str(items), f"{100 * items / found.items:.1f} %"]
    assert "Saved" not in html
    assert found.done > 0 < agreed.decided


def test_people_are_the_standings(project):
    html = looker(project).text("/organiser")
    people = review.standings(project)
    table = {found[0]: found for found in cells(html) if found and re.match(r"p\d ", found[0])}
    assert len(table) == len(people) == 4
    for one in people:
        found = table[f"{one.code} {one.name}"]
        assert found[1:5] == [
            str(one.answers),
            str(one.skips),
            str(one.fast),
            f"{one.seconds:.1f}",
        ]
        assert found[5] == f"{one.gold_right} of {one.gold}"
        if one.gold:
            assert found[6] == f"{100 * one.low:.0f} % to {100 * one.high:.0f} %"
        assert found[7] == f"{one.repeats_same} of {one.repeats}"
        state = f"left out: why {HOSTILE}" if one.excluded else "check" if one.warn else ""
        assert found[8] == state
    assert sum(one.gold for one in people) > 0


def test_pairs_are_those_people_disagree_about(project):
    html = looker(project).text("/organiser")
    classes = project.rules.classes
    wanted = [
        [classes[p.given], classes[p.guessed], str(p.items), str(p.answers)]
        for p in review.pairs(project)
    ]
    found = [found[:4] for found in cells(html) if len(found) == 6 and found[4].endswith("%")]
    assert found == wanted
    assert len(wanted) > 2


def test_what_people_wrote_is_text(project):
    one = looker(project)
    for address in ("/organiser", "/gallery", "/gallery/item/i1", "/organiser?added=p0"):
        html = one.text(address)
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert" in html
        assert not re.search(r"<[^>]* on\w+=", html)
        assert "style=" not in html
        assert "<style" not in html
        assert "javascript:" not in html


@pytest.mark.parametrize("address", PAGES)
def test_who_may_look(project, address):
    looker(project, "viewer").get(address)
    looker(project, "person").get(address, 403)
    one = looker(project, "nobody")
    found = one.client.get(address, follow_redirects=False)
    assert (found.status_code, found.headers["location"]) == (303, "/")


@pytest.mark.parametrize("address", ["/organiser/person", "/organiser/exclude"])
def test_who_may_change_something(project, address):
    fields = {"code": "p0", "id": "an-id-of-eight"}
    before = review.people(project)
    for role, page in (("viewer", "/organiser"), ("person", "/review")):
        one = looker(project, role)
        csrf = one.csrf(page)
        assert one.client.post(address, data={"csrf": csrf, **fields}).status_code == 403
    one = looker(project)
    assert one.client.post(address, data=fields).status_code == 403  # no token
    assert one.client.post(address, data={**fields, "csrf": "0" * 64}).status_code == 403
    assert one.client.get(address).status_code == 405
    assert review.people(project) == before


def test_viewers_see_no_links_and_no_forms(project):
    html = looker(project, "viewer").text("/organiser?added=p0")
    assert "/link#" not in html
    assert "/organiser/" not in html
    assert "p0" in html
    assert looker(project).text("/organiser").count("http://localhost/link#") == 5


def test_adding_people(project):
    one = looker(project)
    found = one.post("/organiser/person", code="new-one", name="  Ann  ")
    assert review.find_person(project, "new-one").name == "Ann"
    link = re.search(r'Link of new-one" value="(.*?)"', found.text)[1]
    theirs = Looker(open_site(project), link)
    assert "new-one" in theirs.get("/review").text
    one.post("/organiser/person", code="", name="")
    made = review.people(project)[-1]
    assert len(made.code) >= 12
    assert made.name is None
    assert "already" in one.post("/organiser/person", 422, code="new-one").text
    assert "letters, digits" in one.post("/organiser/person", 422, code="a b").text


def test_leaving_somebody_out_and_taking_them_back(project):
    one = looker(project)
    before = review.progress(project).answers
    html = one.post("/organiser/exclude", code="p2", id="exclude-p2", reason="asleep").text
    after = review.progress(project).answers
    assert after < before
    assert tile(html, "Answers").startswith(f"{after} of")
    assert row(html, "p2 Name 2")[8] == "left out: asleep"
    one.post("/organiser/exclude", code="p2", id="exclude-p2", reason="asleep")  # sent twice
    html = one.post("/organiser/exclude", code="p2", id="include-p2", back="1").text
    assert review.progress(project).answers == before
    assert row(html, "p2 Name 2")[8] != "left out: asleep"
    one.post("/organiser/exclude", 422, code="zoe", id="exclude-zoe")
    one.post("/organiser/exclude", 422, code="p2", id="!")
    one.post("/organiser/exclude", 422, code="p2", id="a-good-one", reason="x" * 2001)


def test_the_plan_of_what_is_left(project):
    one = looker(project)
    found = review.progress(project)
    planned = review.plan_cost(
        found.items,
        project.rules,
        seconds_per_batch=12.5,
        pay_per_hour=9,
        said=found.wanted - found.left,
    )
    html = one.text("/organiser?seconds=12.5&pay=9")
    section = html[html.index('id="cost"') :]
    assert f"{found.left} answers are still to come" in section
    assert f"<dt>Answers</dt><dd>{planned.answers}</dd>" in section
    assert f"<dt>Hours of work</dt><dd>{planned.hours:.1f}</dd>" in section
    assert f"<dt>Pay</dt><dd>{planned.money:.2f}</dd>" in section
    measured = review.pace(review.standings(project), project.rules)
    assert f"So far it was {measured:.1f} seconds" in one.text("/organiser")
    for wrong in ("seconds=x", "seconds=-1", "seconds=nan", "seconds=0", "pay=-2", "pay=inf"):
        one.get(f"/organiser?{wrong}", 422)


def test_nobody_and_nothing_yet(tmp_path):
    items = [Item(0, "x", given=0, guessed=1)]
    with review.make_project(tmp_path / "p", items, some_rules()) as project:
        html = looker(project).text("/organiser")
        assert tile(html, "Fleiss’ kappa") == "– – to –"
        assert "Nobody can answer yet" in html
        assert "give the seconds" in html
        work_through(project, review.add_person(project, "ann"))
        one = looker(project)
        assert row(one.text("/organiser"), "ann")[1] == "1"
        for who in ("b", "c", "d", "e"):
            work_through(project, review.add_person(project, who))
        assert "Nothing is left." in looker(project).text("/organiser")


def test_the_page_of_labels(tmp_path, monkeypatch):
    classes = ("cat", "dog", HOSTILE)
    rules = some_rules(question="several labels", threshold=None, people=2, classes=classes)
    items = [Item(k, f"i{k}", truth=k % 3) for k in range(6)]
    with review.make_project(tmp_path / "p", items, rules) as project:
        for code, said in (("ann", "0 1"), ("bob", "0")):
            work_through(project, review.add_person(project, code), lambda task, s=said: s)
        one = looker(project)
        html = one.text("/organiser")
        found = review.progress(project).labels
        assert tile(html, "Labels per item") == f"{found.size:.2f}" == "2.00"
        assert tile(html, "Labels per answer") == f"{found.per_answer:.2f}" == "1.50"
        assert tile(html, "Hold the truth") == f"{100 * found.coverage:.1f} %" == "66.7 %"
        assert row(html, "dog")[1:] == ["100 %", "50 %", "0 %"]
        assert "Verdicts" not in html
        assert "totals.json" not in html
        one.get("/download/totals.json", 404)
        assert "<script>alert" not in html
        monkeypatch.setattr(organiser, "MOST_CLASSES", 2)
        rows = cells(one.text("/organiser"))
        assert ["cat", "dog", "50.0 %"] in rows
        assert ["dog", "cat", "100.0 %"] in rows


def test_the_page_of_yes_and_no(tmp_path):
    rules = some_rules(question="yes or no", people=3)
    items = [Item(k, f"i{k}", asks=k % 3) for k in range(5)]
    with review.make_project(tmp_path / "p", items, rules) as project:
        for code in "abc":
            who = review.add_person(project, code)
            for _ in range(4):
                task = review.next_tasks(project, who)[0]
                said = "yes" if task.item < 1 else "no"
                review.answer(project, who, [reply(task, said)])
        html = looker(project).text("/organiser")
        counts = [int(row(html, name)[1]) for name in ("yes", "no", "pending")]
        yes, no = review.progress(project).yes
        assert counts == [yes, no, 1]
        assert (yes, no) == (1, 3)


def test_the_script_gets_the_part_that_changes(project):
    one = looker(project)
    told = one.get("/organiser", headers={"accept": "application/json"}).json()
    assert set(told) == {"html"}
    assert "<h2" in told["html"]
    assert "<html" not in told["html"]
    assert tile(told["html"], "Skips") == str(review.progress(project).skips)
    found = looker(project, "nobody").client.get(
        "/organiser", headers={"accept": "application/json"}
    )
    assert found.status_code == 401


def test_tables_to_take(project):
    one = looker(project)
    votes = review.votes(project)
    found = one.get("/download/votes.csv")
    name = re.fullmatch(
        r'attachment; filename="([a-z0-9.-]+)"', found.headers["content-disposition"]
    )
    assert name[1] == "check-script-alert-x-script-votes.csv"
    rows = list(csv.DictReader(io.StringIO(found.text)))
    assert [row["id"] for row in rows] == votes["id"].to_list()
    table = pl.read_parquet(io.BytesIO(one.get("/download/votes.parquet").content))
    assert table.equals(votes)
    assert one.get("/download/votes.json").json() == votes.rows(named=True)
    everything = review.votes(project, everything=True)
    assert one.get("/download/all.csv").text.count("\n") >= len(everything) + 1
    assert len(everything) > len(votes)


def test_other_files_to_take(project, tmp_path):
    one = looker(project)
    assert one.get("/download/totals.json").json() == review.released(project)
    assert one.get("/download/argilla.json").json() == review.argilla(project)
    tasks, setup = review.label_studio(project)
    assert one.get("/download/label-studio.json").json() == tasks
    assert one.get("/download/label-studio.xml").text == setup
    found = one.get("/download/log.jsonl")
    assert "attachment" in found.headers["content-disposition"]
    lines = found.text.splitlines()
    assert lines == list(review.log(project))
    assert json.loads(lines[0])["fingerprint"] == project.fingerprint
    for name in ("votes.exe", "votes", "..%2Freview.db", "review.key", "all.parquet"):
        one.get(f"/download/{name}", 404)


def test_a_log_is_sent_in_pieces_and_whole(project, monkeypatch):
    wanted = "".join(line + "\n" for line in review.log(project))
    for size in (1, 7, 10_000):
        monkeypatch.setattr(organiser, "CHUNK", size)
        pieces = list(organiser._log(project))
        assert "".join(pieces) == wanted
    assert looker(project).get("/download/log.jsonl").text == wanted


def test_one_person_decides_on_every_page(tmp_path):
    rules = some_rules(people=1, threshold=1)
    with review.make_project(tmp_path / "solo", some_items(3), rules) as solo:
        work_through(solo, review.add_person(solo, "ann"))
        seen = looker(solo)
        html = seen.text("/organiser")
        assert tile(html, "Decided") == "100 % 3 of 3"
        assert row(html, "non-error")[1:3] == ["3", "100.0 %"]
        assert len(re.findall("non-error", seen.text("/gallery?outcome=non-error"))) > 3


def test_every_kind_of_file_is_offered():
    assert {one.kind for one in organiser.DOWNLOADS} == set(FILES)


def test_a_recent_value_is_kept_for_as_long_as_it_is_worth():
    now, made = [0.0], []

    def make():
        now[0] += 2.0
        made.append(now[0])
        return len(made)

    state = [0]
    recent = Recent(make, lambda: state[0], clock=lambda: now[0])
    assert [recent.get(), recent.get()] == [1, 1]
    now[0] = 2.0 + 2.0 * FOLD - 0.01
    assert recent.get() == 1
    now[0] += 0.02
    assert recent.get() == 2
    state[0] = 1  # somebody was added, perhaps by another process
    assert recent.get() == 3


# ---- in a browser


@pytest.mark.slow
def test_in_a_browser(project):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with served(project) as (site, base), a_browser() as browser:
        tab = a_tab(browser, web.organiser_link(site, base), bypass_csp=True)
        tab.wait_for_selector("#people")
        _refreshes(tab, site, project)
        for width, address in ((1280, "/organiser"), (360, "/gallery"), (640, "/gallery/item/i1")):
            tab.set_viewport_size({"width": width, "height": 800})
            tab.goto(base + address)
            found = axe.run(tab).response["violations"]
            assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == [], address
            for at in ("/organiser", "/gallery", "/gallery/item/i1"):
                tab.goto(base + at)
                sizes = tab.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
                assert sizes[0] <= sizes[1], (width, at)
        # a name that a browser would take for a folder, and one with signs of addresses
        for name in ("..", "a/../b c?d#e%"):
            tab.goto(f"{base}/gallery")
            tab.click(f'h2 a:text-is("{name}")')
            shows(tab.locator("h1"), name)
        assert tab.errors == []
        assert all(url.startswith(base) for url in tab.asked)


def _refreshes(tab, site, project):
    """The numbers change while one looks, and not under one's hands."""
    answers = '.tiles div:has(dt:text-is("Answers")) dd >> nth=0'
    before = tab.inner_text(answers)
    review.exclude(project, review.find_person(project, "p2"), "exclude-in-browser")
    again = "document.dispatchEvent(new Event('visibilitychange'))"
    tab.click("#person-p0 summary")
    tab.evaluate(again)
    tab.wait_for_selector("#live-state:not([hidden])")
    assert tab.inner_text(answers) == before
    tab.click("#person-p0 summary")
    tab.click("h1")
    tab.evaluate(again)
    tab.wait_for_selector('#live[data-times="1"]')
    after = review.progress(project)
    assert tab.inner_text(answers) == f"{after.answers} of {after.wanted}" != before
