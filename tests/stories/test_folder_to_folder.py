"""A messy folder of pictures, two people in a browser, and a folder in which each is right."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from shell import run

from web_browser import Screen, Server, arrive, decide_all

NAMES = ("zero", "one", "four", "seven")
DIGITS = load_digits()


def photos(folder) -> tuple[dict[str, str], set[str]]:
    """The truth of each place of a picture, and the places of those in a wrong folder."""
    rng = np.random.default_rng(4)
    kept = {0: "zero", 1: "one", 4: "four", 7: "seven"}
    rows = [k for k in range(900) if int(DIGITS.target[k]) in kept]
    truth, wrong = {}, set()
    for k, row in enumerate(rows):
        name = kept[int(DIGITS.target[row])]
        at = name
        if k % 15 == 3:
            at = str(rng.choice([other for other in NAMES if other != name]))
            wrong.add(f"{at}/img_{k:03}.png")
        (folder / at).mkdir(parents=True, exist_ok=True)
        pixels = np.kron((DIGITS.images[row] * 15).astype(np.uint8), np.ones((5, 5), np.uint8))
        Image.fromarray(pixels).save(folder / at / f"img_{k:03}.png")
        truth[f"{at}/img_{k:03}.png"] = name
    for junk in ("Thumbs.db", "one/.DS_Store", "notes.txt"):
        (folder / junk).write_text("x")
    (folder / "one" / "half.png").write_bytes(b"\x89PNG\r\n\x1a\n half")
    return truth, wrong


@pytest.mark.slow
def test_a_folder_comes_back_corrected(chromium, tmp_path):
    truth, wrong = photos(tmp_path / "photos")
    about = json.loads(run("candidly check photos --json --out flagged.csv --top 60", tmp_path))
    assert about["rows"] == len(truth)
    made = "candidly review new desk photos --issues flagged.csv --people 2"
    assert "items, 2 people each" in run(made, tmp_path)

    # the picture that a person sees, by its pixels: nobody is shown its name or its label
    names = {}
    for place, name in truth.items():
        with Image.open(tmp_path / "photos" / place) as picture:
            names[picture.convert("L").tobytes()] = (place, name)
    server = Server(tmp_path / "desk", "--person", "ann", "--person", "bob")
    said: dict[str, set[str]] = {}
    try:
        for who in ("ann", "bob"):
            screen = arrive(chromium, server.links[who])
            seen: list[str] = []
            while not (card := screen.card())["nothing"]:
                place, name = names[pixels_shown(screen)]
                assert place not in screen.page.inner_text("main")
                shown = card["buttons"].values()
                if place not in seen:  # of what is asked a second time the first answer counts
                    if who == "bob" and len(seen) % 9 == 4:  # a slip
                        name = next(text for text in NAMES if text != name and text in shown)
                    said.setdefault(place, set()).add(name)
                screen.say(name)
                seen.append(place)
            screen.leave()
        differ = {place for place, names_said in said.items() if len(names_said) > 1}
        assert differ
        page = chromium.new_context().new_page()
        done = decide_all(
            page, server.links["organiser"], lambda page: truth[page.inner_text("h1")]
        )
        page.close()
    finally:
        server.kill()
    assert {*done} == differ

    command = "candidly review export desk --as corrected --into photos --out corrected --json"
    assert json.loads(run(command, tmp_path))["rows"] == len(truth)
    out = tmp_path / "corrected"
    assert sorted(path.name for path in out.iterdir()) == ["moves.csv", "pictures"]
    moves = list(csv.DictReader((out / "moves.csv").open()))
    moved = {row["picture"]: row["label corrected"] for row in moves}
    assert moved == {place: truth[place] for place in said if place in wrong}
    assert {row["label corrected by"] for row in moves} <= {"corrected", "decided"}
    assert all(re.fullmatch(r"pictures/\w+/img_\d+\.png", row["now"]) for row in moves)
    assert len(moved) > 0.8 * len(wrong)
    for place, name in truth.items():  # the folder that was read is as it was
        assert (tmp_path / "photos" / place).exists()
        at = f"{name if place in moved else place.split('/')[0]}/{place.split('/')[1]}"
        assert (out / "pictures" / at).read_bytes() == (tmp_path / "photos" / place).read_bytes()
    again = json.loads(run("candidly check corrected/pictures --json --top 60", tmp_path))
    assert again["rows"] == len(truth)
    assert again["flagged"] < about["flagged"]


def pixels_shown(screen: Screen) -> bytes:
    """The picture of the card, as the browser has it, in grey at its own size."""
    import io

    source = screen.page.locator("#desk .item img").get_attribute("src")
    found = screen.page.context.request.get(screen.page.url.rsplit("/", 1)[0] + source)
    with Image.open(io.BytesIO(found.body())) as picture:
        return picture.convert("L").tobytes()
