"""A column of texts, and a folder of pictures: one command each, and the wrong labels come out."""

from __future__ import annotations

import csv
import json
import random
import shlex
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from needs import a_browser

THINGS = ("the parcel", "this lamp", "the coffee", "my order", "the jacket", "the book")
GOOD = ("arrived early", "works perfectly", "was a lovely surprise", "is worth every cent")
BAD = ("never came", "broke within a day", "was a waste of money", "smells terrible")
MORE = ("and I ordered in May", "said my sister", "as I told the shop", "for the second time", "")


def run(command: str, folder) -> str:
    words = shlex.split(command)
    assert words[0] == "candidly"
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def found_of(page) -> list[str]:
    """What a page shows in a real browser: the texts of its cards."""
    with a_browser() as browser:
        tab = browser.new_page()
        tab.goto(page.as_uri())
        return [card.inner_text() for card in tab.locator(".gallery > li").all()]


@pytest.mark.slow
def test_a_column_of_texts_to_the_reviews_with_the_wrong_mood(tmp_path):
    draw, wrong = random.Random(1), set(range(5, 300, 29))
    rows = []
    for row in range(300):
        good = draw.random() < 0.5
        said = f"{draw.choice(THINGS)} {draw.choice(GOOD if good else BAD)}, {draw.choice(MORE)}"
        rows.append((f"r{row}", said, ("bad", "good")[good ^ (row in wrong)]))
    with (tmp_path / "reviews.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "review", "mood"), *rows])
    command = "candidly check reviews.csv --label mood --text review --json --top 300"
    about = json.loads(run(command, tmp_path))
    flagged = {issue["index"] for issue in about["issues"]}
    assert len(flagged & wrong) >= 0.9 * len(wrong)
    assert len(flagged) <= 2 * len(wrong)
    cards = found_of(tmp_path / "reviews-check.html")
    assert len(cards) == len(flagged)
    first = about["issues"][0]
    assert rows[first["index"]][1].strip() in " ".join(cards[0].split()) + " "
    assert first["id"] in cards[0]
    new, _serve, export = about["next"]
    assert "items, 1 person each" in run(new, tmp_path)
    run(export, tmp_path)
    assert (tmp_path / "reviews-corrected.csv").exists()


@pytest.mark.slow
def test_a_folder_of_pictures_to_those_in_the_wrong_subfolder(tmp_path):
    digits = load_digits()
    some = [k for k in range(len(digits.target)) if digits.target[k] in (0, 1, 4)][:240]
    wrong = set(some[7::31])
    names = {0: "zero", 1: "one", 4: "four"}
    for k in some:
        other = {0: 1, 1: 4, 4: 0}[int(digits.target[k])] if k in wrong else digits.target[k]
        folder = tmp_path / "photos" / names[int(other)]
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.kron((digits.images[k] * 15).astype(np.uint8), np.ones((3, 3), np.uint8))
        Image.fromarray(pixels).save(folder / f"p{k}.png")
    about = json.loads(run("candidly check photos --json --top 240", tmp_path))
    assert about["rows"] == len(some)
    assert sorted(about["classes"]) == ["four", "one", "zero"]
    flagged = {int(issue["id"].split("/p")[1].partition(".")[0]) for issue in about["issues"]}
    assert len(flagged & wrong) >= 0.8 * len(wrong)
    assert len(flagged) <= 2 * len(wrong)
    page = (tmp_path / "photos-check.html").read_text()
    assert page.count('src="data:image/png;base64,') == len(flagged)
    new, _serve, export = about["next"]
    assert "items, 1 person each" in run(new, tmp_path)
    run(export, tmp_path)
