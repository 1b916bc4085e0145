"""``candidly review gallery``, through the same door as a user."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest

pytest.importorskip("candidly.people.review")

from voted_sets import FILES, numbered, write_votes

from needs import real_files

DIGITS = tuple("0123456789")
REAL = os.environ.get("CANDIDLY_DATA", "")


@pytest.fixture
def votes(tmp_path):
    return write_votes(tmp_path / "votes")


def test_files_one_by_one_and_a_folder(candidly, votes, tmp_path):
    named = [word for path in votes.values() for word in ("--votes", path)]
    status, _, err = candidly("review", "gallery", *named, "--out", "one", "--title", "Mine")
    assert (status, "wrote one: 210 items of 3 sets" in err) == (0, True), err
    assert "<h1>Mine</h1>" in (tmp_path / "one/index.html").read_text()
    status, out, err = candidly(
        *("review", "gallery", "--votes", tmp_path / "votes", "--out", "two", "--json")
    )
    assert status == 0, err
    about = json.loads(out)
    assert (about["items"], set(about["sets"])) == (210, set(FILES))
    errors = {name: one["count"] for name, one in about["sets"].items()}
    assert errors == {"pets": 4, "films": 2, "sounds": 1}
    assert (tmp_path / "two/films/page-1.html").is_file()


def test_a_released_set_is_known(candidly, tmp_path):
    folder = tmp_path / "copy/mturk"
    folder.mkdir(parents=True)
    rows = [numbered(k, 1, 7, (1, 4, 0), DIGITS) for k in range(15)]
    rows += [numbered(15 + k, 1, 7, (5, 0, 0), DIGITS) for k in range(85)]
    (folder / "mnist_mturk.json").write_text(json.dumps(rows))
    (folder / "others_mturk.json").write_text(json.dumps(rows))
    (folder / "quickdraw_mturk.json").write_text(json.dumps(rows))
    status, _, err = candidly("review", "gallery", "--votes", "copy", "--out", "pages")
    assert status == 0, err
    html = (tmp_path / "pages/mnist/index.html").read_text()
    assert "of 10,000 examples, of which 100 were flagged" in html
    assert "0.15 % of all labels" in html
    assert "2-conv CNN" in html
    sample = (tmp_path / "pages/quickdraw/index.html").read_text()
    assert f"{100 * 0.15 * 6_825_383 / 50_426_266:.2f} % of all labels" in sample
    assert "By the exact reading" not in (tmp_path / "pages/others/index.html").read_text()
    assert re.search(r">MNIST<.*>others<", (tmp_path / "pages/index.html").read_text(), re.DOTALL)


def test_pictures_are_taken_in(candidly, votes, tmp_path):
    np.save("pixels.npy", np.zeros((300, 4, 4), np.uint8))
    status, _, err = candidly(
        *("review", "gallery", "--votes", votes["pets"], "--votes", votes["films"]),
        *("--media", "pets=pixels.npy", "--out", "pages"),
    )
    assert status == 0, err
    media = {path.name for path in (tmp_path / "pages/pets/media").iterdir()}
    assert media == {f"{row['id']}.png" for row in FILES["pets"]}
    assert not (tmp_path / "pages/films/media").exists()


def test_a_known_data_set_must_be_the_one_voted_on(candidly, tmp_path):
    from candidly import load

    truth = load("digits").truth
    assert truth is not None
    right = [
        numbered(k, int(truth[k]), (int(truth[k]) + 1) % 10, (5, 0, 0), DIGITS) for k in (3, 9)
    ]
    wrong = [numbered(4, (int(truth[4]) + 1) % 10, 0, (5, 0, 0), DIGITS)]
    beyond = [numbered(99_999, 1, 0, (5, 0, 0), DIGITS)]
    command = ("review", "gallery", "--votes", "digits_mturk.json", "--media", "digits", "--out")
    path = tmp_path / "digits_mturk.json"
    for rows, said in ((wrong, "row 4 of digits has another label"), (beyond, "row 99,999")):
        path.write_text(json.dumps(rows))
        status, _, err = candidly(*command, "pages")
        assert (status, "digits_mturk.json" in err, said in err) == (2, True, True), err
    path.write_text(json.dumps(right))
    status, _, err = candidly(*command, "pages")
    assert status == 0, err
    assert "All items are shown" in (tmp_path / "pages/digits/index.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--votes", "none.json"), "none.json"),
        (("--votes", "bad.json"), "bad.json"),
        (("--votes", "list.json"), "list.json holds no list of rows"),
        (("--votes", "odd.json"), "odd.json has votes for x"),
        (("--votes", "empty"), "empty holds no .json file of votes"),
        (("--votes", "votes", "--votes", "votes/pets_mturk.json"), "where 'pets' is"),
        (("--votes", "votes", "--media", "pest=a.npy"), "there are no votes on 'pest'"),
        (("--votes", "votes", "--media", "pets=a.npy"), "a.npy does not exist"),
        (("--votes", "votes", "--media", "pets"), "pets"),
        (("--votes", "votes", "--media", "films=a.txt"), "rows of films the votes are about"),
    ],
)
def test_what_is_wrong_is_named(candidly, votes, tmp_path, words, said):
    (tmp_path / "bad.json").write_text("[{")
    (tmp_path / "list.json").write_text("{}")
    (tmp_path / "odd.json").write_text('[{"id": 1, "mturk": {"x": 1}}]')
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("one")
    before = sorted(path.name for path in tmp_path.iterdir())
    status, _, err = candidly("review", "gallery", *words, "--out", "pages")
    assert (status, said in err, "Traceback" in err) == (2, True, False), err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.slow
@real_files
def test_the_ten_released_sets(candidly, tmp_path, monkeypatch):
    from candidly.people.validation.label_errors import CARDS

    monkeypatch.setenv("CANDIDLY_DATA", REAL)
    status, out, err = candidly(
        *("review", "gallery", "--votes", REAL, "--media", "mnist"),
        *("--media", "cifar10", "--out", "pages", "--json"),
    )
    assert status == 0, err
    found = json.loads(out)
    assert found["items"] == 15_620
    assert list(found["sets"]) == list(CARDS)
    errors = {name: one["count"] for name, one in found["sets"].items()}
    assert errors == {
        "mnist": 15,
        "cifar10": 54,
        "cifar100": 585,
        "caltech256": 458,
        "imagenet": 2916,
        "quickdraw": 1870,
        "20news": 82,
        "imdb": 725,
        "amazon": 732,
        "audioset": 275,
    }
    for name, pictures in (("mnist", 100), ("cifar10", 275)):
        assert len(list((tmp_path / "pages" / name / "media").iterdir())) == pictures
    size = sum(path.stat().st_size for path in (tmp_path / "pages").rglob("*"))
    assert size < 25e6
