"""Tickets of a help desk: checked, answered by two people in a browser, corrected, learned from."""

from __future__ import annotations

import csv
import io
import json
import random

import polars as pl
import pytest

from shell import run

from web_browser import Server, arrive, decide_all

WORDS = {
    "billing": "invoice refund charged twice payment card receipt vat bill price euro",
    "network": "wifi vpn router offline connection drops slow cable ping dns",
    "account": "password login locked reset user name email two factor code sign",
    "hardware": "printer screen keyboard battery broken dock noise fan mouse paper",
}
OFTEN = "please help again today since yesterday team thanks urgent hello my the is not and"


def ticket(draw: random.Random, team: str) -> str:
    own, other = WORDS[team].split(), WORDS[draw.choice(list(WORDS))].split()
    words = [*draw.sample(own, 4), draw.choice(other), *draw.sample(OFTEN.split(), 5)]
    draw.shuffle(words)
    text = " ".join(words)
    return text + draw.choice(["", "!", "\nregards, J.", ' "asap"', " ; see above"])


def tickets(n: int, wrong: bool) -> tuple[list[list[str]], dict[str, str]]:
    """Rows of number, text, team and date; and the truth of each text."""
    draw, rows, truth = random.Random(n), [], {}
    while len(rows) < n:
        team = draw.choice(list(WORDS))
        text = ticket(draw, team)
        if text in truth:
            continue
        truth[text] = team
        at = len(rows)
        if wrong and at % 11 == 4:
            team = draw.choice([other for other in WORDS if other != team])
        rows.append([f"T-{at:05}", text, team, f"0{draw.randint(1, 9)}/11/26"])
    return rows, truth


def as_exported(rows: list[list[str]]) -> bytes:
    """As a help desk writes it: semicolons, quotes, Windows' line ends and a byte order mark."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
    writer.writerows([["Ticket", "Text", "Team", "Date"], *rows])
    return ("\ufeff" + file.getvalue()).encode()


@pytest.mark.slow
def test_tickets_come_back_corrected_and_a_model_learns_from_them(chromium, tmp_path):
    rows, truth = tickets(500, wrong=True)
    (tmp_path / "tickets.csv").write_bytes(as_exported(rows))
    wrong = {number for number, text, team, _ in rows if truth[text] != team}
    columns = "--label Team --text Text --id Ticket"
    found = json.loads(run(f"candidly check tickets.csv {columns} --out odd.csv --json", tmp_path))
    assert "of 500 labels are wrong" in found["headline"]
    made = f"candidly review new desk tickets.csv {columns} --issues odd.csv --people 2"
    assert "2 people each" in run(made, tmp_path)

    server = Server(tmp_path / "desk", "--person", "ann", "--person", "bob")
    said: dict[str, set[str]] = {}
    try:
        for who in ("ann", "bob"):
            screen = arrive(chromium, server.links[who])
            seen: list[str] = []
            while not screen.card()["nothing"]:
                text = screen.page.locator("#desk .item .text").text_content()
                team = truth[text]
                if text not in seen:  # of what is asked a second time the first answer counts
                    if who == "bob" and len(seen) % 10 == 7:
                        team = next(other for other in WORDS if other != team)
                    said.setdefault(text, set()).add(team)
                screen.say(team)
                seen.append(text)
            screen.leave()
        page = chromium.new_context().new_page()
        right = {number: truth[text] for number, text, _, _ in rows}
        done = decide_all(
            page, server.links["organiser"], lambda page: right[page.inner_text("h1")]
        )
    finally:
        server.kill()
    assert len(done) == sum(len(teams) > 1 for teams in said.values()) > 2

    told = run("candidly review status desk", tmp_path)
    assert f"{len(done)} items decided by the organiser" in told
    assert "People agree on" in told
    into = "--into tickets.csv --out corrected.csv"
    run(f"candidly review export desk --as corrected {into}", tmp_path)
    old = list(
        csv.reader(
            io.StringIO((tmp_path / "tickets.csv").read_bytes().decode("utf-8-sig"), newline=""),
            delimiter=";",
        )
    )
    text = (tmp_path / "corrected.csv").read_bytes().decode("utf-8-sig")
    new = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))
    assert [row[:3] + row[5:] for row in new] == old
    assert new[0][3:5] == ["Team corrected", "Team corrected by"]
    looked_at = {row[0] for row in new[1:] if row[4] in ("confirmed", "corrected", "decided")}
    for number, said, _, corrected, by, _ in new[1:]:
        assert corrected == (truth[said] if number in looked_at else right_or(rows, number)), by
    assert len(looked_at & wrong) > 0.8 * len(wrong)

    later, truth_later = tickets(301, wrong=False)
    (tmp_path / "new.csv").write_bytes(as_exported([[*row[:2], "", row[3]] for row in later]))
    run(
        "candidly train corrected.csv --label 'Team corrected' --text Text --id Ticket"
        " --out model.safetensors",
        tmp_path,
    )
    run("candidly predict model.safetensors new.csv --out said.csv", tmp_path)
    said = pl.read_csv(tmp_path / "said.csv")
    assert said["Ticket"].to_list() == [row[0] for row in later]  # the desk's own numbers
    hit = [
        team == truth_later[text]
        for text, team in zip([row[1] for row in later], said["prediction"])
    ]
    assert sum(hit) > 0.9 * len(hit)


def right_or(rows: list[list[str]], number: str) -> str:
    """The label that was there, of a ticket that nobody looked at."""
    return rows[int(number.removeprefix("T-"))][2]
