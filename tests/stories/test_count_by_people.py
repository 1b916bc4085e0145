"""How many labels are wrong: two people answer about 100 drawn rows in a browser, and it is so."""

from __future__ import annotations

import csv
import io
import json
import shlex

import numpy as np
import pytest

from shell import run

from web_browser import Screen, Server

N, KINDS = 2000, ("cat", "dog", "owl")


def pets() -> tuple[str, dict[tuple[str, str], str], int]:
    """Overlapping classes, of which labels are wrong; the truth of each row; how many are wrong."""
    rng = np.random.default_rng(7)
    kind = rng.integers(0, 3, N)
    at = rng.normal(size=(N, 2)) * 1.2 + np.array([[0, 0], [3, 0], [0, 3]])[kind]
    hit = rng.random(N) < 0.1
    label = np.where(hit, (kind + rng.integers(1, 3, N)) % 3, kind)
    rows = [(f"{a:.6f}", f"{b:.6f}") for a, b in at]
    truth = {row: KINDS[k] for row, k in zip(rows, kind)}
    file = io.StringIO()
    csv.writer(file).writerows([["length", "weight", "kind"]])
    csv.writer(file).writerows([*row, KINDS[k]] for row, k in zip(rows, label))
    return file.getvalue(), truth, int(hit.sum())


@pytest.mark.slow
def test_two_people_count_the_wrong_labels_in_a_browser(chromium, tmp_path):
    file, truth, wrong = pets()
    (tmp_path / "pets.csv").write_text(file)
    check = "candidly check pets.csv --label kind --classifier logistic --json"
    before = json.loads(run(check, tmp_path))
    new, serve, status = before["to count"]
    assert "100 items, 2 people each" in run(new.replace("--people 1", "--people 2"), tmp_path)

    project = shlex.split(serve)[-1]
    server = Server(tmp_path / project, "--person", "ann", "--person", "bob")
    try:
        for who in ("ann", "bob"):
            screen = Screen(chromium.new_page())
            screen.follow(server.links[who])
            screen.ready()
            while not (card := screen.card())["nothing"]:
                rows = screen.page.locator("#desk .item tr").all()
                shown = {r.locator("th").inner_text(): r.locator("td").inner_text() for r in rows}
                assert list(shown) == ["length", "weight"]  # nobody sees the label
                kind = truth[shown["length"], shown["weight"]]
                keys = {text: key for key, text in card["buttons"].items()}
                screen.answer(keys.get(kind, keys["neither"]))
            screen.leave()
        screen = Screen(chromium.new_page())
        screen.page.goto(server.links["organiser"])
        screen.page.get_by_role("button").first.click()
        told = screen.page.locator("#counted-title + p")
        told.wait_for()
        page = told.inner_text()
        screen.page.close()
    finally:
        server.kill()

    assert "of 2,000 labels are wrong (95 %)" in page
    assert page in " ".join(run(status, tmp_path).split())
    found = json.loads(run(f"{check} --checked {project}", tmp_path))
    assert found["headline"] == page
    count = found["counted"]
    assert count["checked"] == 100
    assert count["from"] <= wrong <= count["to"]
    assert count["to"] - count["from"] < 0.2 * N
    assert count["expected"] == before["wrong"]["number"]
    assert found["to count"] == []

    # the same from the answers alone, and as verdicts on the labels
    run(f"candidly review export {project} --out votes.csv", tmp_path)
    assert json.loads(run(f"{check} --checked votes.csv", tmp_path))["counted"] == count
    judged = "candidly validate --votes votes.csv --classes cat,dog,owl --json"
    assert json.loads(run(judged, tmp_path))["counted"] == count
