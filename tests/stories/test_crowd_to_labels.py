"""Answers of a crowd with a careless worker: a consensus, the doubtful looked at, the table."""

from __future__ import annotations

import csv
import json
import random

import polars as pl
import pytest

from shell import run

from web_browser import Server, arrive

BIRDS = ("wren", "robin", "tit", "owl")
N, WORKERS = 240, [f"W{k:02}" for k in range(9)]
CARELESS = "W04"


def made(folder) -> dict[str, str]:
    """``sightings.csv`` and ``answers.csv`` with four answers to each; the truth."""
    draw = random.Random(2)
    truth, rows, answers = {}, [], []
    for k in range(N):
        bird = BIRDS[k % 4] if k % 5 else "wren"
        name = f"sighting-{k:03}"
        truth[name] = bird
        rows.append(
            [name, f"{draw.choice('abcde')} {bird[0]}{k}", f"2026-0{draw.randint(1, 9)}-11"]
        )
        for who in draw.sample(WORKERS, 4):
            right = 0.25 if who == CARELESS else 0.8
            others = [other for other in BIRDS if other != bird]
            answers.append([name, who, bird if draw.random() < right else draw.choice(others)])
    draw.shuffle(answers)
    with (folder / "sightings.csv").open("w", newline="") as file:
        csv.writer(file, delimiter="\t").writerows([["sighting", "remark", "day"], *rows])
    with (folder / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["sighting", "worker", "bird"], *answers])
    return truth


@pytest.mark.slow
def test_a_crowd_comes_to_a_labelled_table(chromium, tmp_path):
    truth = made(tmp_path)
    columns = "--item sighting --annotator worker --label bird"
    said = "--annotators people.csv --out consensus.csv --json"
    about = json.loads(run(f"candidly crowd consensus answers.csv {columns} {said}", tmp_path))
    assert about["items"] == N
    people = pl.read_csv(tmp_path / "people.csv")
    assert people.sort("quality")["annotator"][0] == CARELESS
    into = "--into sightings.csv --out labelled.csv"
    run(f"candidly crowd consensus answers.csv {columns} {into}", tmp_path)
    before = pl.read_csv(tmp_path / "labelled.csv", separator="\t")
    assert before.columns[:1] == ["sighting"]
    hit = [truth[name] == bird for name, bird in before.select("sighting", "consensus").rows()]
    assert sum(hit) > 0.85 * N

    # two experts look at the thirty that the crowd is least sure of
    doubtful = pl.read_csv(tmp_path / "consensus.csv")["item"][:30].to_list()
    place = {name: row for row, name in enumerate(before["sighting"])}
    (tmp_path / "doubtful.txt").write_text("\n".join(str(place[name]) for name in doubtful))
    new = (
        "candidly review new desk labelled.csv --label consensus --id sighting --rows doubtful.txt"
    )
    assert "30 items, 2 people each" in run(f"{new} --preset single --people 2", tmp_path)
    by_remark = dict(zip(before["remark"], before["sighting"]))
    server = Server(tmp_path / "desk", "--person", "dr.a", "--person", "dr.b")
    try:
        for who in ("dr.a", "dr.b"):
            screen = arrive(chromium, server.links[who])
            while not (card := screen.card())["nothing"]:
                for one in screen.page.locator("fieldset.one").all():
                    cells = one.locator("tr", has_text="remark").locator("td").inner_text()
                    bird = truth[by_remark[cells]]
                    one.locator(f".names label:has-text('{bird}') input").check()
                screen.page.locator("button.send").click()
                screen.card(after=card)
            screen.leave()
    finally:
        server.kill()
    export = "candidly review export desk --as corrected --into labelled.csv --out final.csv"
    run(export, tmp_path)
    after = pl.read_csv(tmp_path / "final.csv", separator="\t")
    assert after.drop("consensus corrected", "consensus corrected by").equals(before)
    final = dict(zip(after["sighting"], after["consensus corrected"]))
    assert all(final[name] == truth[name] for name in doubtful)
    assert sum(final[name] == bird for name, bird in truth.items()) > sum(hit)
    by = dict(zip(after["sighting"], after["consensus corrected by"]))
    assert {by[name] for name in doubtful} <= {"confirmed", "corrected"}
    assert {by[name] for name in truth if name not in doubtful} == {"unflagged"}


def test_items_may_be_called_alike_in_both_tables(typed, tmp_path):
    """The column of items names the rows of the table that is written, said so or not."""
    made(tmp_path)
    line = "candidly crowd consensus answers.csv --item sighting --annotator worker --label bird"
    for more, out in (("", "a.csv"), ("--id sighting", "b.csv")):
        status, _, err = typed(f"{line} --into sightings.csv {more} --out {out}")
        assert status == 0, err
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    status, _, err = typed(f"{line} --into sightings.csv --id worker --out c.csv")
    assert status == 2
    assert "named twice" in err
