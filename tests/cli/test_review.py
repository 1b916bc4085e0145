"""``candidly review``, through the same door as a user."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from candidly.ground.extras import install

review = pytest.importorskip("candidly.people.review")


@pytest.fixture
def check(candidly, tmp_path):
    """A project of three issues, of which two people have said something."""
    pl.DataFrame(
        {
            "index": [1, 4, 6],
            "given": ["cat", "dog", "cat"],
            "proposed": ["dog", "cat", "dog"],
            "margin": [-0.9, -0.5, -0.1],
        }
    ).write_csv("issues.csv")
    (tmp_path / "texts.txt").write_text("\n".join("abcdefgh"))
    status, out, err = candidly(
        *("review", "new", "check", "--issues", "issues.csv", "--classes", "cat,dog"),
        *("--media", "texts.txt", "--people", 3, "--goal", "quality"),
    )
    assert status == 0, err
    assert "3 items, 3 people each" in out
    with review.open_project("check") as project:
        assert len(project.rules.seed) == 32  # 128 bits, drawn
        for code, said in (("ann", "guessed"), ("bob", "guessed"), ("cy", "both")):
            who = review.add_person(project, code)
            while tasks := review.next_tasks(project, who):
                reply = review.Reply(f"{code}-{tasks[0].item:08}", tasks[0].item, said, ms=900)
                review.answer(project, who, [reply])
                assert tasks[0].shown.payload in "beg"
    return candidly


def test_status(check):
    status, out, err = check("review", "status", "check")
    assert status == 0, err
    assert "3 items, 3 done; 9 of 9 answers, 0 skips" in out
    assert "verdicts: 3 correctable" in out
    assert "ann" in out
    status, out, _ = check("review", "status", "check", "--json")
    found = json.loads(out)
    assert found["verdicts"]["correctable"] == 3
    assert found["people"][0]["seconds"] == 0.9
    assert {(p["given"], p["guessed"]) for p in found["pairs"]} == {("cat", "dog"), ("dog", "cat")}


def test_export_and_merge(check):
    labels = np.array([1, 0, 1, 0, 1, 1, 0, 0])
    np.save("labels.npy", labels)
    outs = {
        "votes": "votes.csv",
        "all": "all.parquet",
        "totals": "totals.json",
        "pay": "pay.csv",
        "label-studio": "tasks.json",
        "argilla": "records.json",
        "log": "log.jsonl",
    }
    for what, out in outs.items():
        status, _, err = check("review", "export", "check", "--as", what, "--out", out)
        assert status == 0, err
        assert "rows" in err
    status, out, _ = check(
        *("review", "export", "check", "--as", "corrected", "--labels", "labels.npy"),
        *("--out", "corrected.npy", "--json"),
    )
    assert status == 0
    assert json.loads(out)["rows"] == 8
    assert np.load("corrected.npy").tolist() == [1, 1, 1, 0, 0, 1, 1, 0]
    status, out, err = check("validate", "--votes", "totals.json", "--json")
    assert json.loads(out)["categories"]["correctable"] == 3
    status, out, err = check(
        "review", "merge", "check", "log.jsonl", "votes.csv", "check", "--json"
    )
    assert status == 0, err
    assert set(json.loads(out)["added"].values()) == {0}


def test_export_of_a_gallery(check, tmp_path):
    status, out, err = check("review", "export", "check", "--as", "gallery", "--out", "pages")
    assert status == 0, err
    assert "wrote pages: 3 items" in err
    assert "ann" not in (tmp_path / "pages" / "index.html").read_text()
    arguments = ("review", "export", "check", "--as", "gallery", "--out", "named", "--codes")
    status, out, _ = check(*arguments, "--json")
    assert json.loads(out)["rows"] == 3
    assert "ann: " in (tmp_path / "named" / "index.html").read_text()
    for arguments, match in (
        (("--as", "gallery", "--out", "pages"), "holds something already"),
        (("--as", "votes", "--out", "votes.csv", "--codes"), "--codes is for --as gallery"),
    ):
        status, _, err = check("review", "export", "check", *arguments)
        assert status == 2
        assert match in err


def test_a_data_set_and_released_votes(candidly):
    status, out, err = candidly(
        *("review", "new", "sets", "--data", "digits", "--preset", "candidates", "--sample", 20),
        "--json",
    )
    assert status == 0, err
    assert json.loads(out) == {
        "folder": "sets",
        "question": "several labels",
        "items": 20,
        "gold": 0,
        "people": 10,
        "answers": 0,
        "wanted": 200,
        "verdicts": False,
    }
    rows = [
        {
            "id": k,
            "url": "",
            "given_original_label": 0,
            "our_guessed_label": 1,
            "mturk": {"given": k, "guessed": 5 - k, "both": 0, "neither": 0},
        }
        for k in range(6)
    ]
    with open("votes.json", "w") as file:
        json.dump(rows, file)
    status, out, err = candidly("review", "new", "study", "--votes", "votes.json")
    assert status == 0, err
    status, out, _ = candidly("review", "status", "study", "--json")
    found = json.loads(out)
    assert (found["answers"], found["verdicts"]["non-error"]) == (30, 3)


def write_issues(n):
    columns = {"index": range(n), "given": [0] * n, "proposed": [1] * n, "margin": [-0.5] * n}
    pl.DataFrame(columns).write_csv("issues.csv")


def test_what_is_wanted_is_about_items_that_are_there(candidly):
    write_issues(165)
    new = ("review", "new", "check", "--issues", "issues.csv")
    status, out, err = candidly(*new)
    assert status == 0, err
    # 5 people and 165 items: no known item is there, and each person repeats one in 30
    assert "825 answers are wanted; about 27 more go to known and repeated items" in out
    _, out, _ = candidly("review", "status", "check", "--json")
    assert json.loads(out)["wanted"] == 825
    pl.DataFrame({"name": ["3", "4"], "answer": ["given"] * 2}).write_csv("gold.csv")
    new = ("review", "new", "gold", "--issues", "issues.csv", "--gold", "gold.csv", "--json")
    status, out, err = candidly(*new)
    found = json.loads(out)
    assert (found["items"], found["gold"], found["wanted"]) == (163, 2, 815)
    write_issues(2)
    status, out, _ = candidly("review", "new", "few", "--issues", "issues.csv")
    assert "10 answers are wanted\n" in out


@pytest.mark.parametrize("people", [1, 2])
def test_few_people_come_to_verdicts(candidly, people):
    write_issues(3)
    new = ("review", "new", "check", "--issues", "issues.csv", "--people", people)
    status, _, err = candidly(*new, "--threshold", people)
    assert status == 0, err
    with review.open_project("check") as project:
        for code in ("ann", "bob")[:people]:
            who = review.add_person(project, code)
            while tasks := review.next_tasks(project, who):
                reply = review.Reply(f"{code}-{tasks[0].item:08}", tasks[0].item, "guessed")
                review.answer(project, who, [reply])
    _, out, _ = candidly("review", "status", "check")
    assert "verdicts: 3 correctable" in out
    candidly("review", "export", "check", "--out", "votes.csv")
    validate = ("validate", "--votes", "votes.csv", "--threshold", people, "--json")
    status, out, err = candidly(*validate)
    assert json.loads(out)["categories"]["correctable"] == 3, err


def test_labels_say_at_the_start_that_they_decide_nothing(candidly):
    new = ("review", "new", "check", "--data", "digits", "--preset", "single", "--sample", 5)
    status, out, err = candidly(*new)
    assert status == 0, err
    assert "'one label' collects labels and comes to no verdicts" in out
    assert "candidly review export check --as crowd" in out
    with review.open_project("check") as project:
        rows = [card.row for card in review.browse(project, review.ItemFilter()).cards]
        for code, said in (("ann", "3"), ("bob", "3"), ("cy", "-"), ("dee", "8")):
            who = review.add_person(project, code)
            while tasks := review.next_tasks(project, who):
                said = "skip" if said == "-" else said
                replies = [review.Reply(f"{code}-{t.item:08}", t.item, said) for t in tasks]
                review.answer(project, who, replies)
    export = ("review", "export", "check", "--as", "crowd", "--out", "said.csv")
    status, _, err = candidly(*export)
    assert (status, "15 rows" in err) == (0, True), err
    status, _, err = candidly("crowd", "consensus", "said.csv", "--out", "decided.csv")
    assert status == 0, err
    decided = pl.read_csv("decided.csv")
    assert sorted(decided["item"]) == sorted(rows)
    assert decided["consensus"].to_list() == [3] * 5
    status, _, err = candidly(*export[:2], "none", *export[3:])
    assert status == 2
    new = ("review", "new", "other", *new[3:], "--threshold", 2)
    status, _, err = candidly(*new)
    assert status == 2
    assert "threshold is 2, but the question 'one label' comes to no verdict" in err


def test_media_that_do_not_fit_are_refused_at_the_door(candidly, tmp_path):
    from PIL import Image

    write_issues(3)
    (tmp_path / "in").mkdir()
    for row in range(3):
        Image.new("L", (2, 2)).save(tmp_path / "in" / f"{row}.png")
    new = ("review", "new", "check", "--issues", "issues.csv", "--media", "in")
    for content, match in ((b"", "1.png is empty"), (b"<html>", "1.png cannot be read")):
        (tmp_path / "in" / "1.png").write_bytes(content)
        status, _, err = candidly(*new)
        assert (status, match in err) == (2, True), err
        assert not (tmp_path / "check" / "review.db").exists()
    (tmp_path / "in" / "1.png").unlink()
    status, _, err = candidly(*new)
    assert (status, "has nothing of row 1" in err) == (2, True), err
    Image.new("L", (2, 2)).save(tmp_path / "in" / "1.png")
    assert candidly(*new)[0] == 0


def test_a_second_project_leaves_the_media_of_the_first_alone(candidly, tmp_path):
    from PIL import Image

    write_issues(1)
    for shade, name in enumerate(("one", "two")):
        (tmp_path / name).mkdir()
        Image.new("L", (2, 2), shade).save(tmp_path / name / "0.png")
    new = ("review", "new", "check", "--issues", "issues.csv", "--media")
    assert candidly(*new, "one")[0] == 0
    status, _, err = candidly(*new, "two")
    assert (status, "holds a project already" in err) == (2, True)
    copied = tmp_path / "check" / "media" / "0.png"
    assert copied.read_bytes() == (tmp_path / "one" / "0.png").read_bytes()


def test_media_of_a_data_set_go_by_its_ids(candidly, tmp_path):
    from PIL import Image

    pl.DataFrame({"id": ["b", "a"], "x": [0.0, 1.0], "given": ["cat", "dog"]}).write_csv("d.csv")
    (tmp_path / "in").mkdir()
    for shade, name in enumerate("ab"):
        Image.new("L", (2, 2), shade).save(tmp_path / "in" / f"{name}.png")
    new = ("review", "new", "check", "--data", "d.csv", "--preset", "single", "--media", "in")
    status, _, err = candidly(*new)
    assert status == 0, err
    with review.open_project("check") as project:
        for card in review.browse(project, review.ItemFilter()).cards:
            with Image.open(tmp_path / "check" / "media" / card.shown.payload) as image:
                assert image.getpixel((0, 0)) == "ab".index(card.name)


def test_formulas_in_names_and_notes_go_out_inert_and_come_back(candidly):
    name = "=cmd|' /C calc'!A0"
    items = [review.Item(0, name, 0, 1), review.Item(1, "-1", 0, 1), review.Item(2, "007", 0, 1)]
    rules = review.Rules(classes=("cat", "dog"), people=3, gold_every=0, repeat_every=0)
    for folder in ("one", "two"):
        review.make_project(folder, items, rules).close()
    with review.open_project("one") as project:
        who = review.add_person(project, "-ann")
        while tasks := review.next_tasks(project, who):
            reply = review.Reply(f"test-{tasks[0].item:08}", tasks[0].item, "both")
            review.answer(project, who, [reply])
            review.note(project, who, f"note-{tasks[0].item:08}", tasks[0].item, "@note")
        sent = review.votes(project)
    candidly("review", "export", "one", "--out", "votes.csv")
    with open("votes.csv") as file:
        assert "'=cmd|" in (text := file.read())
        assert "'-ann" in text
        assert ",=cmd" not in text
    status, _, err = candidly("review", "merge", "two", "votes.csv")
    assert status == 0, err
    with review.open_project("two") as project:
        back = review.votes(project)
    columns = ["item", "name", "person", "answer", "note", "id"]
    assert back.select(columns).equals(sent.select(columns))


def test_names_that_look_like_numbers_stay_names(candidly):
    items = [review.Item(k, name, 0, 1) for k, name in enumerate(("7", "007", "1e3", "8"))]
    rules = review.Rules(classes=("cat", "dog"), people=3, gold_every=0, repeat_every=0)
    for folder in ("one", "two"):
        review.make_project(folder, items, rules).close()
    with review.open_project("one") as project:
        for code, said in (("007", "given"), ("7", "both")):
            who = review.add_person(project, code)
            while tasks := review.next_tasks(project, who):
                reply = review.Reply(f"{code}-{tasks[0].item:08}", tasks[0].item, said)
                review.answer(project, who, [reply])
        sent = review.votes(project)
    candidly("review", "export", "one", "--out", "votes.csv")
    status, _, err = candidly("review", "merge", "two", "votes.csv")
    assert status == 0, err
    with review.open_project("two") as project:
        assert review.votes(project).drop("batch").equals(sent.drop("batch"))
    pl.DataFrame({"index": [7], "given": [0], "proposed": [1]}).write_csv("issues.csv")
    pl.DataFrame({"name": ["007"], "answer": ["given"]}).write_csv("gold.csv")
    new = ("review", "new", "p", "--issues", "issues.csv", "--gold", "gold.csv")
    status, _, err = candidly(*new)
    assert (status, "gold item '007' is not among" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("new", "p", "--votes", "v.json", "--media", "x"), "--media does nothing with --votes"),
        (("new", "p"), "nothing to ask about"),
        (("new", "p", "--data", "digits", "--votes", "x.json"), "digits and --votes to ask"),
        (("new", "p", "--data", "digits"), "verdicts need guesses"),
        (("new", "p", "--issues", "none.csv"), "there is no file none.csv"),
        (("new", "p", "--data", "digits", "--preset", "singel"), "did you mean 'single'"),
        (("status", "none"), "holds no project"),
        (("export", "none", "--out", "x.txt"), "must end in .csv"),
        (("export", "none", "--as", "corrected", "--out", "x.npz"), "--as corrected needs --into"),
        (("export", "none", "--out", "x.csv", "--undecided", "prune"), "are for --as corrected"),
        (("merge", "none", "x.jsonl"), "holds no project"),
    ],
)
def test_what_is_refused(candidly, arguments, match):
    status, _, err = candidly("review", *arguments)
    assert status == 2
    assert match in err


@pytest.mark.parametrize("command", ["new", "status", "export", "merge"])
def test_help_has_examples(candidly, command):
    status, out, _ = candidly("review", command, "--help")
    assert status == 0
    assert f"candidly review {command} " in out


def test_what_is_not_installed_is_named(candidly, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    status, _, err = candidly("review", "status", "check")
    assert status == 2
    assert f"candidly review needs sqlalchemy; {install('review')}" in err


def test_tags_need_the_rows_that_they_are_of(candidly, tmp_path):
    (tmp_path / "issues.csv").write_text("index,given\n0,a|b\n")
    status, _, err = candidly("review", "new", "p", "--issues", "issues.csv", "--preset", "tags")
    assert status == 2
    assert "name the table, too" in err
    (tmp_path / "t.csv").write_text("x,tags\n0.5,a|b\n2.5,b\n1.5,a\n")
    asked = ("review", "new", "p", "t.csv", "--label", "tags")
    status, _, err = candidly(*asked, "--issues", "issues.csv")
    assert status == 2
    assert "--label-kind all-of" in err
    asked = (*asked, "--label-kind", "all-of", "--issues", "issues.csv")
    status, _, err = candidly(*asked, "--preset", "verdict")
    assert status == 2
    assert "Ask which hold with --preset tags" in err
    status, out, err = candidly(*asked)
    assert (status, err) == (0, "")
    assert "p: 1 item, 3 people each, all labels" in out
    assert "export p --as corrected" in out
