"""A table, any way to ask, answers by names, and the table with the labels that follow."""

from __future__ import annotations

import polars as pl
import pytest

from web_browser import Server, arrive

PETS = """id,colour,size,kind
a,red,5.5,cat
b,blue,9.1,dog
c,red,3.2,cat
d,green,1.0,owl
"""
FLAGGED = """index,given,proposed,margin
0,cat,dog,-0.5
1,dog,owl,-0.4
2,cat,owl,-0.3
3,owl,cat,-0.2
"""
# what two people say of a to d: they agree on a and b, differ on c, and one is silent on d
WAYS = {
    "verdict": ("dog dog cat cat dog owl owl", ("dog", "cat", "cat", "owl")),
    "single": ("dog dog cat cat dog owl owl", ("dog", "cat", "cat", "owl")),
    "yes or no": ("no no yes yes yes no yes", (None, "dog", "cat", "owl")),
    "candidates": ("dog dog|cat cat cat dog owl owl", ("cat|dog", "cat", "dog|owl", "owl")),
    "tags": ("dog dog cat cat dog owl owl", ("dog", "cat", None, "owl")),  # nobody ticks c's cat
}
FROM = {
    "verdict": ["corrected", "corrected", "undecided", "pending"],
    "single": ["corrected", "corrected", "undecided", "pending"],
    "yes or no": ["pruned", "confirmed", "undecided", "pending"],
    "candidates": ["corrected", "corrected", "corrected", "pending"],
    "tags": ["corrected", "corrected", "corrected", "pending"],
}


@pytest.mark.parametrize("preset", WAYS)
def test_every_preset_comes_back_as_labels(typed, tmp_path, preset):
    (tmp_path / "pets.csv").write_text(PETS)
    (tmp_path / "flagged.csv").write_text(FLAGGED)
    issues = "--issues flagged.csv" if preset == "verdict" else ""
    kind = "--label-kind all-of" if preset == "tags" else ""
    line = f"candidly review new desk pets.csv --label kind --id id --people 2 {issues} {kind}"
    status, _, err = typed(f"{line} --preset '{preset}'")
    assert status == 0, err
    said = WAYS[preset][0].split()
    names = [*"aabbccd"]
    rows = zip(names, [*"xyxyxyx"], said)
    frame = pl.DataFrame(list(rows), schema=["name", "person", "answer"], orient="row")
    frame.write_csv(tmp_path / "answers.csv")
    status, _, err = typed("candidly review merge desk answers.csv")
    assert status == 0, err
    status, _, err = typed(
        "candidly review export desk --as corrected --into pets.csv --out corrected.csv"
    )
    assert status == 0, err
    found = pl.read_csv(tmp_path / "corrected.csv")
    assert found.drop("kind corrected", "kind corrected by").equals(
        pl.read_csv(tmp_path / "pets.csv")
    )
    sets = [None if cell is None else sorted(cell.split("|")) for cell in found["kind corrected"]]
    assert sets == [None if cell is None else cell.split("|") for cell in WAYS[preset][1]]
    assert found["kind corrected by"].to_list() == FROM[preset]


@pytest.mark.slow
@pytest.mark.parametrize("preset", WAYS)
def test_and_where_people_answer_in_a_browser(chromium, typed, tmp_path, preset):
    """Two people say of each row what holds; whatever was asked, the table says it at the end."""
    kinds = ["cat", "dog", "owl"]
    (tmp_path / "pets.csv").write_text(PETS)
    (tmp_path / "flagged.csv").write_text(FLAGGED)
    issues = "--issues flagged.csv" if preset == "verdict" else ""
    kind = "--label-kind all-of" if preset == "tags" else ""
    line = f"candidly review new desk pets.csv --label kind --id id --people 2 {issues} {kind}"
    assert typed(f"{line} --preset '{preset}'")[0] == 0
    truth = {"red": "dog", "blue": "dog", "green": "cat"}  # by colour: of a and c, b, d
    server = Server(tmp_path / "desk", "--person", "ann", "--person", "bob")
    try:
        for who in ("ann", "bob"):
            screen = arrive(chromium, server.links[who])
            while not (card := screen.card())["nothing"]:
                items = screen.page.locator("fieldset.one").all() or [screen.page.locator("#desk")]
                for one in items:
                    colour = one.locator("tr", has_text="colour").locator("td").inner_text()
                    if preset == "verdict":
                        screen.say(truth[colour])
                    elif preset == "yes or no":
                        asked = next(k for k in kinds if f"yes, {k}" in card["buttons"].values())
                        screen.answer("1" if asked == truth[colour] else "2")
                    else:
                        one.locator(f".names label:has-text('{truth[colour]}') input").check()
                if preset not in ("verdict", "yes or no"):
                    screen.page.locator("button.send").click()
                    screen.card(after=card)
            screen.leave()
    finally:
        server.kill()
    line = "candidly review export desk --as corrected --into pets.csv --out corrected.csv"
    assert typed(line)[0] == 0
    found = pl.read_csv(tmp_path / "corrected.csv")["kind corrected"].to_list()
    wanted = ["dog", "dog", "dog", "cat"]
    if preset == "yes or no":  # who says no says no other label
        wanted = [None, "dog", None, None]
    assert found == wanted
