"""What was done beside answering, and by whom, from every place where it is done."""

from __future__ import annotations

import json
import stat

import pytest

from candidly import review
from candidly.people import web
from candidly.people.web.links import ORGANISER, PERSON, VIEWER

from review_cases import an_id, team
from web_cases import HERE, TOKEN, a_project, a_site, browser


def told(project) -> list[tuple[str, str, str]]:
    """By whom, what, about what."""
    return review.events(project).select("by", "what", "about").rows()


def more(project, what: str) -> dict:
    [found] = [row for row in review.events(project).rows(named=True) if row["what"] == what]
    return json.loads(found["more"])


def test_who_left_whom_out_and_why(tmp_path):
    with a_project(tmp_path / "check") as project:
        boss = browser(a_site(project), ORGANISER)
        fields = {"code": "ann", "id": "12345678", "reason": "asleep"}
        for _ in range(2):  # heard twice, done once
            assert boss.post("/organiser/exclude", fields).status_code == 303
        back = {"code": "ann", "id": "87654321", "back": "1"}
        assert boss.post("/organiser/exclude", back).status_code == 303
        [(by, *first), (same, *second)] = told(project)[-2:]
        assert (first, second) == (["left out", "ann"], ["taken in again", "ann"])
        assert by == same
        assert by.startswith("organiser ")
        assert more(project, "left out") == {"reason": "asleep"}
        # another sign-in is another mark, so that two organisers can be told apart
        other = browser(a_site(project), ORGANISER)
        other.post("/organiser/exclude", {"code": "bob", "id": "12345679"})
        assert told(project)[-1][0] not in (by, "organiser")
        page = boss.get("/organiser").text
        assert "left out" in page
        assert "ann: asleep" in page
        assert "What was done" not in browser(a_site(project), VIEWER).get("/organiser").text


def test_sign_ins_and_outs(tmp_path):
    with a_project(tmp_path / "check") as project:
        site = a_site(project)
        ann = review.find_person(project, "ann")
        browser(site).client.post("/in", data={"token": TOKEN})
        browser(site).follow(web.viewer_link(site, HERE))
        one = browser(site)
        one.follow(web.person_link(site, HERE, ann))
        one.post("/out")
        browser(site).client.post("/in", data={"token": "x" * 20})
        browser(site).client.post("/in", data={"code": "nobody"})
        found = told(project)[3:]  # behind what made the project
        assert found == [
            ("organiser", "signed in", ""),
            ("viewer", "signed in", ""),
            ("person ann", "signed in", ""),
            ("person ann", "signed out", ""),
        ]
        rows = review.events(project).rows(named=True)
        marks = [json.loads(row["more"])["session"] for row in rows[-2:]]
        assert marks[0] == marks[1]  # of one session
        boss = browser(site, ORGANISER)
        boss.post("/organiser/end", {"code": "ann"})
        by, what, about = told(project)[-1]
        assert (by.split()[0], what, about) == ("organiser", "signed out everywhere", "ann")


def test_exports_and_settings_from_the_page(tmp_path):
    with a_project(tmp_path / "check") as project:
        assert told(project) == [
            ("a program", "made", ""),
            ("a program", "added", "ann"),
            ("a program", "added", "bob"),
        ]
        assert more(project, "made")["rules"]["people"] == project.rules.people
        site = a_site(project)
        viewer, boss = browser(site, VIEWER), browser(site, ORGANISER)
        for name in ("votes.csv", "log.jsonl", "events.csv"):
            assert viewer.get(f"/download/{name}").status_code == 200
        assert viewer.get("/download/none.csv").status_code == 404
        assert boss.post("/organiser/person", {"code": "zoe"}).status_code == 303
        found = [(by.split()[0], what, about) for by, what, about in told(project)[-4:]]
        assert found == [
            ("viewer", "exported", "votes.csv"),
            ("viewer", "exported", "log.jsonl"),
            ("viewer", "exported", "events.csv"),
            ("organiser", "added", "zoe"),
        ]


def test_nothing_that_signs_in_is_in_it(tmp_path):
    with a_project(tmp_path / "check") as project:
        site = a_site(project)
        ann = browser(site)
        link = web.person_link(site, HERE, review.find_person(project, "ann"))
        ann.follow(link)
        ann.get("/review")
        text = str(review.events(project).rows())
        for secret in (TOKEN, site.key, link.partition("#")[2], ann.client.cookies[site.cookie]):
            assert secret not in text
        with project.store.read() as connection:
            from candidly.people.review import _schema as t

            [number] = connection.execute(t.session.select()).scalars()
        assert number not in text
        assert "127.0.0.1" not in text
        assert "testclient" not in text


def test_reviewers_learn_nothing_of_it(tmp_path):
    with a_project(tmp_path / "check") as project:
        one = browser(a_site(project), PERSON, "ann")
        assert one.get("/download/events.csv").status_code == 403
        review.exclude(project, review.find_person(project, "bob"), an_id(), reason="asleep")
        assert "asleep" not in one.get("/review").text


def test_what_is_refused_is_not_in_it(make):
    project = make(3)
    [who] = team(project, 1)
    before = told(project)
    with pytest.raises(ValueError, match="already"):
        review.add_person(project, who.code)
    with pytest.raises(ValueError, match="must be 8 to 80"):
        review.exclude(project, who, "x")
    review.end_session(project, "none")
    assert told(project) == before
    review.exclude(project, who, id := an_id())
    review.exclude(project, who, id)
    assert told(project) == [*before, ("a program", "left out", who.code)]
    review.recount(project)
    assert len(told(project)) == len(before) + 1


def test_from_the_command_line(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from candidly.cli import app

    monkeypatch.setattr("getpass.getuser", lambda: "jo")
    monkeypatch.chdir(tmp_path)
    with a_project(tmp_path / "check"):
        pass
    out = tmp_path / "votes.csv"
    for words in (
        ["review", "export", "check", "--out", str(out)],
        ["review", "export", "check", "--as", "log", "--out", "log.jsonl"],
        ["review", "merge", "check", "log.jsonl"],
        ["review", "export", "check", "--as", "events", "--out", "events.csv"],
    ):
        result = CliRunner().invoke(app, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
    with review.open_project(tmp_path / "check") as project:
        jo = "command line (jo)"
        assert told(project)[3:] == [
            (jo, "exported", f"votes: {out}"),
            (jo, "exported", "log: log.jsonl"),
            (jo, "merged", "log.jsonl"),
            (jo, "exported", "events: events.csv"),
        ]
        assert stat.S_IMODE((project.folder / "review.db").stat().st_mode) & 0o077 == 0
    assert (tmp_path / "events.csv").read_text().startswith("at,by,what,about,more")
