"""A CSV of mixed columns: checked, looked at in a browser by one person, and back with labels."""

from __future__ import annotations

import csv
import io
import json
import random
import shlex

import pytest

from shell import run

from web_browser import Screen, Server

N, WRONG = 240, range(7, 240, 23)
COLUMNS = ["id", "breed", "weight", "kind", "born", "remark", "price"]


def truth(row: int) -> str:
    return ("cat", "dog")[row % 3 == 0]


def pets() -> str:
    """Numbers with gaps, dates, quotes, lines within cells, leading zeros; eleven labels wrong."""
    draw = random.Random(0)
    breeds = {"cat": ["Maine Coon", "Birman, blue"], "dog": ["Beagle", 'Poodle "Toy"']}
    rows = []
    for row in range(N):
        kind = truth(row)
        said = {"cat": "dog", "dog": "cat"}[kind] if row in WRONG else kind
        weight = draw.gauss(4 if kind == "cat" else 16, 1.5)
        rows.append(
            [
                f"{row:05}",
                draw.choice(breeds[kind]),
                "" if draw.random() < 0.1 else f"{weight:.2f}",
                said,
                f"20{draw.randint(10, 23)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}",
                draw.choice(["", "calm", "two\nlines", "=1+1"]),
                f"{draw.randint(1, 9)}.{draw.randint(1, 9)}0",
            ]
        )
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";", lineterminator="\r\n").writerows([COLUMNS, *rows])
    return "\ufeff" + file.getvalue()


@pytest.mark.slow
def test_csv_to_check_to_one_person_to_the_same_csv_with_corrected_labels(chromium, tmp_path):
    before = pets()
    (tmp_path / "pets.csv").write_bytes(before.encode())
    check = "candidly check pets.csv --label kind --classifier logistic --json"
    found = json.loads(run(check, tmp_path))
    new, serve, export = found["next"]  # what it says to do next is what is done
    assert "items, 1 person each" in run(new, tmp_path)

    project = tmp_path / shlex.split(serve)[-1]
    server = Server(project, "--person", "ann")
    screen = Screen(chromium.new_page())
    seen = []
    try:
        screen.follow(server.links["ann"])
        screen.ready()
        for _ in range(N):
            card = screen.card()
            if card["nothing"]:
                break
            rows = screen.page.locator("#desk .item tr").all()
            shown = {one.locator("th").inner_text(): one.locator("td").inner_text() for one in rows}
            assert list(shown) == ["breed", "weight", "born", "remark", "price"]  # no label, no id
            kind = "cat" if shown["breed"] in ("Maine Coon", "Birman, blue") else "dog"
            (key,) = (key for key, text in card["buttons"].items() if text == kind)
            seen.append(kind)
            screen.answer(key)
        screen.saved()
    finally:
        screen.page.close()
        server.kill()
    assert len(seen) >= found["flagged"]

    run(export, tmp_path)
    out = (tmp_path / shlex.split(export)[-1]).read_bytes().decode()
    old, new = (
        list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";"))
        for text in (before, out)
    )
    at = COLUMNS.index("kind") + 1
    assert new[0][at : at + 2] == ["kind corrected", "kind corrected by"]
    assert [row[:at] + row[at + 2 :] for row in new] == old
    taken, behind = before, []
    for row in new:  # cell for cell taken out again, it is the file that went in
        more = f";{row[at]};{row[at + 1]}"
        place = out.index(more)
        behind.append(out[:place])
        out = out[place + len(more) :]
    assert "".join([*behind, out]) == taken
    by = [row[at + 1] for row in new[1:]]
    right = [row[at] == truth(k) for k, row in enumerate(new[1:])]
    assert by.count("corrected") >= 9
    assert set(by) <= {"unflagged", "confirmed", "corrected"}
    assert sum(right) >= N - 2  # eleven were wrong
    assert all(ok for ok, how in zip(right, by) if how != "unflagged")
