"""Somebody who answers, has the program and the whole data set, and wants to know more.

Mallory has all pictures and all given labels, reads every byte that the app sends her, notices
every picture that comes twice, and may ask for what she likes. With the labels she knows which
button is the label; which items are known ones, which turns check her, and what else is asked about
she does not.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

from candidly import from_arrays, review
from candidly.people.review import _orders
from candidly.people.web._seal import TASK, opened
from candidly.people.web.links import PERSON

from review_cases import CLASSES, some_rules
from web_cases import JSON, a_site, browser, buttons, fields_of

ROWS, ASKED, GOLDS = 400, 70, 14
RULES = {"gold_every": 4, "repeat_every": 5, "examples": 2, "seed": None}
SEALED = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture(scope="module")
def data():
    """Noise, each picture another; the label of a picture follows from its row."""
    pixels = np.random.default_rng(7).integers(0, 256, (ROWS, 8, 8), dtype=np.uint8)
    return from_arrays(pixels, given=np.arange(ROWS) % 3, classes=CLASSES)


def make(folder, data, known="given", **changes):
    """A project about the first rows, of which the last are known; copied one after the other."""
    looks = review.looks_of(data, folder / "media")
    guessed = (data.given + 1) % 3
    items = review.items_of_data(data, range(ASKED), guessed=guessed, looks=looks)
    gold = {items[k].name: known for k in range(ASKED - GOLDS, ASKED)}
    rules = some_rules(**(RULES | changes))
    project = review.make_project(folder, items, rules, gold=gold, examples=data)
    for row, item in enumerate(items):
        os.utime(folder / "media" / item.shown.payload, (1e9 + 60 * row,) * 2)
    for code in ("mallory", "bob"):
        review.add_person(project, code)
    return project


@dataclass(frozen=True)
class Turn:
    """What came at one turn, and what was so in truth."""

    html: str
    headers: dict[str, str]
    picture: bytes
    first: str
    item: int
    gold: bool
    repeat: bool

    @property
    def address(self) -> str:
        return re.search(r'src="(/shown/item/[^"]*)"', self.html).group(1)

    @property
    def examples(self) -> list[str]:
        return re.findall(r'src="(/shown/example/[^"]*)"', self.html)

    @property
    def skeleton(self) -> str:
        """The card without sealed texts, ids, numbers of examples and names of classes."""
        text = re.sub(r"\b[0-9a-f]{32}\b", "ID", SEALED.sub("SEALED", self.html))
        text = re.sub(r"\[\[[\d, \[\]]*\]\]", "SHOWN", re.sub("|".join(CLASSES), "CLASS", text))
        return re.sub(r'value="\d+">CLASS', 'value="K">CLASS', text)  # those that are not shown


def walk(site, code: str, most: int = 10**6) -> list[Turn]:
    """Answers all there is, or so much."""
    one, person = browser(site, PERSON, code), review.find_person(site.project, code)
    turns: list[Turn] = []
    while len(turns) < most:
        found = one.get("/tasks", headers=JSON).json()["cards"]
        if not found:
            break
        html = found[0]["html"]
        answer = one.get(re.search(r'src="(/shown/item/[^"]*)"', html).group(1))
        assert answer.status_code == 200
        item, repeat = opened(site, TASK, person.id, dict(fields_of(html))["task"])
        turns.append(
            Turn(
                html,
                dict(answer.headers),
                answer.content,
                buttons(html)["a"],
                item,
                item in site.project.golds,
                bool(repeat),
            )
        )
        assert one.say(html, "a").status_code == 200
    return turns


@pytest.fixture(scope="module")
def case(tmp_path_factory, data):
    """A project that mallory has gone through: the site, and her turns."""
    with make(tmp_path_factory.mktemp("attacked") / "check", data) as project:
        site = a_site(project)
        turns = walk(site, "mallory")
        assert sum(turn.gold for turn in turns) == GOLDS
        assert sum(turn.repeat for turn in turns) >= 8
        yield site, turns


def noticed(turns: list[Turn]) -> list[int]:
    """Turns at which a picture came again, as mallory sees by comparing files."""
    seen: set[bytes] = set()
    again = []
    for k, turn in enumerate(turns):
        if turn.picture in seen:
            again.append(k)
        seen.add(turn.picture)
    return again


# ---- what the pages and files say


def test_cards_of_known_items_and_repetitions_are_like_others(case):
    _, turns = case
    kinds = {(turn.gold, turn.repeat) for turn in turns}
    assert kinds == {(True, False), (False, True), (False, False)}
    assert len({turn.skeleton for turn in turns}) == 1


def test_no_sealed_text_comes_twice(case):
    # so that a repetition cannot be told by its address, its form or its key
    _, turns = case
    cards = [re.sub(r'name="csrf" value="[^"]*"', "", turn.html) for turn in turns]
    told = Counter(text for card in cards for text in set(SEALED.findall(card)))
    examples = {address.rsplit("/", 1)[1] for turn in turns for address in turn.examples}
    assert noticed(turns) == [k for k, turn in enumerate(turns) if turn.repeat]
    assert {text for text, times in told.items() if times > 1} <= examples


def test_keys_of_cards_tell_nothing(tmp_path, data):
    with make(tmp_path / "check", data) as project:
        site = a_site(project)
        one, other = (browser(site, PERSON, code) for code in ("mallory", "bob"))
        keys = []
        for _ in range(12):
            held = one.get("/tasks", headers=JSON).json()["cards"]
            keys.append([card["key"] for card in held])
            one.say(held[0]["html"], "skip")
        theirs = [card["key"] for card in other.get("/tasks", headers=JSON).json()["cards"]]
        flat = {key for some in keys for key in some}
        assert all(SEALED.fullmatch(key) for key in flat)
        assert len(flat) == 12 + 2  # a card keeps its key
        assert not flat & set(theirs)  # of the same turns


def test_batches_of_labels_tell_nothing(tmp_path, data):
    more = {"question": "several labels", "threshold": None, "batch": 5, "whole_batch": True}
    with make(tmp_path / "check", data, known="0", **more) as project:
        one = browser(a_site(project), PERSON, "mallory")
        [card] = one.get("/tasks", headers=JSON).json()["cards"]
        assert SEALED.fullmatch(card["key"])
        sources = re.findall(r'src="/shown/item/([^"]*)"', card["html"])
        tasks = [value for name, value in fields_of(card["html"]) if name == "task"]
        assert len({*sources, *tasks, card["key"]}) == 11
        assert "/media/" not in card["html"]
        assert one.get(f"/shown/item/{sources[4]}").status_code == 200


def test_files_say_nothing_but_what_is_in_them(case):
    _, turns = case
    for turn in turns:
        assert turn.headers["content-length"] == str(len(turn.picture))
        assert turn.headers["etag"] == f'"{turn.address.rsplit("/", 1)[1]}"'
        assert "content-disposition" not in turn.headers
    others = [
        {k: v for k, v in turn.headers.items() if k not in ("content-length", "etag")}
        for turn in turns
    ]
    assert all(other == others[0] for other in others)
    assert "immutable" in others[0]["cache-control"]


def test_parts_of_files_say_no_more(case):
    site, turns = case
    mallory = browser(site, PERSON, "mallory")
    for turn in turns[:3]:
        etag = turn.headers["etag"]
        part = mallory.get(turn.address, headers={"range": "bytes=2-5", "if-range": etag})
        assert (part.status_code, part.content) == (206, turn.picture[2:6])
        assert part.headers["last-modified"] == turn.headers["last-modified"]


def test_no_example_looks_like_an_item(case, data):
    # it would stand under the item's label
    site, turns = case
    mallory = browser(site, PERSON, "mallory")
    media = site.project.folder / "media"
    asked = {(media / f"{row}.png").read_bytes() for row in range(ASKED)}
    assert {turn.picture for turn in turns} <= asked
    files = [path.read_bytes() for path in media.glob("example-*.png")]
    assert len(files) == 3 * 50
    assert not asked & set(files)
    shown = {address for turn in turns for address in turn.examples}
    assert {mallory.get(address).content for address in shown} <= set(files)


# ---- what can be asked for


def made_up(turn: Turn):
    """Addresses that mallory makes from what she knows."""
    own = turn.address.rsplit("/", 1)[1]
    task = dict(fields_of(turn.html))["task"]
    for row in range(0, ROWS, 9):
        yield f"/media/{row}.png"
        yield f"/media/example-{row}.png"
    for number in range(0, ASKED, 3):
        yield f"/shown/item/{number}"
        yield f"/shown/item/{number:064x}"
        yield f"/shown/item/{hashlib.sha256(str(number).encode()).hexdigest()}"
        xored = bytes.fromhex(own)[:-9] + bytes([bytes.fromhex(own)[-9] ^ number])
        if number:
            yield f"/shown/item/{(xored + bytes.fromhex(own)[-8:]).hex()}"  # another number
    yield f"/shown/item/{own[:-1]}{'0' if own[-1] != '0' else '1'}"  # another time
    yield f"/shown/example/{own}"
    yield f"/shown/item/{task}"
    yield f"/shown/item/{turn.examples[0].rsplit('/', 1)[1]}"
    yield f"/shown/task/{task}"
    yield f"/shown/media/{own}"
    yield f"/shown/item/{own}/"
    yield "/shown/item/10.png"
    yield "/shown/item/..%2f..%2freview.db"


def test_no_address_can_be_made_up(case):
    site, turns = case
    mallory = browser(site, PERSON, "mallory")
    assert mallory.get(turns[0].address).status_code == 200
    for address in made_up(turns[0]):
        answer = mallory.get(address)
        assert answer.status_code in (307, 403, 404), address
        assert b"PNG" not in answer.content
    assert mallory.get(turns[0].address.upper()).status_code == 404


def test_what_is_another_persons_is_refused(case):
    site, turns = case
    bob, mallory = (browser(site, PERSON, code) for code in ("bob", "mallory"))
    theirs = walk(site, "bob", 12)
    pictures = {turn.picture: turn.address for turn in turns}
    met = [turn for turn in theirs if turn.picture in pictures]
    assert len(met) > 5
    for turn in met:
        # the same picture, and nothing that could be compared
        assert turn.address != pictures[turn.picture]
        for address in (turn.address, *turn.examples):
            assert bob.get(address).status_code == 200
            assert mallory.get(address).status_code == 404
            assert browser(site).get(address).status_code == 303
    card = bob.cards()[0]
    assert mallory.say(card, "a").status_code == 422
    assert mallory.post("/look", fields_of(card, 1), headers=JSON).status_code == 422


def test_addresses_are_of_one_project(case, tmp_path, data):
    _, turns = case
    with make(tmp_path / "other", data) as project:
        mallory = browser(a_site(project), PERSON, "mallory")
        assert mallory.get(turns[0].address).status_code == 404


# ---- which turns check her: the seed


def searched(turns: list[Turn], rules: review.Rules, seeds) -> list[int]:
    """Seeds by which a repetition is due at every turn at which mallory noticed one."""
    again = noticed(turns)
    return [
        seed
        for seed in seeds
        if all(_orders.is_repeat_turn(replace(rules, seed=seed), "mallory", k) for k in again)
    ]


def guessed_right(turns: list[Turn], rules: review.Rules) -> float:
    """Share of known items at the turns at which these rules have them."""
    due = [_orders.is_gold_turn(rules, "mallory", k) for k in range(len(turns))]
    return sum(turn.gold for turn, is_due in zip(turns, due) if is_due) / sum(due)


@pytest.mark.slow
def test_a_small_seed_is_found_by_trying_and_tells_all(tmp_path, data):
    # why seeds are drawn; the program tries 2**31 of these in hours
    with make(tmp_path / "check", data, seed=1234) as project:
        turns = walk(a_site(project), "mallory")
        found = searched(turns, project.rules, range(1200, 1300))
        assert found == [1234]
        assert guessed_right(turns[: 4 * GOLDS], replace(project.rules, seed=found[0])) == 1


def test_a_drawn_seed_is_not_found(case):
    site, turns = case
    rules = site.project.rules
    assert re.fullmatch(r"[0-9a-f]{32}", rules.seed)
    assert searched(turns, rules, range(200)) == []
    # whatever mallory takes for it, she guesses a quarter, as anybody does: 14 of 56 +- 3.3
    chances = [guessed_right(turns[:56], replace(rules, seed=seed)) for seed in range(60)]
    assert 0.15 < np.mean(chances) < 0.35
    assert max(chances) < 0.8


def test_what_is_seen_of_one_draw_tells_nothing_of_another(case):
    # the same seed but for one bit, one purpose, or one time: no more alike than by chance
    site, _ = case
    seed = site.project.rules.seed
    other = f"{int(seed, 16) ^ 1:032x}"

    def bits(*what):
        return _orders.drawn(*what).integers(2, size=4000)

    one = bits(seed, "order mallory", 0)
    np.testing.assert_array_equal(one, bits(seed, "order mallory", 0))
    for same in (
        bits(seed, "order mallory", 1),
        bits(seed, "order bob", 0),
        bits(other, "order mallory", 0),
    ):
        assert abs((one == same).mean() - 0.5) < 5 * 0.5 / 4000**0.5


def test_the_label_is_as_often_first_as_not_and_the_queue_follows_no_row(case, data):
    site, turns = case
    media = site.project.folder / "media"
    rows = {(media / f"{row}.png").read_bytes(): row for row in range(ASKED)}
    fresh = [turn for turn in turns if not turn.repeat]
    labels = [CLASSES[data.given[rows[turn.picture]]] for turn in fresh]
    first = [turn.first == label for turn, label in zip(fresh, labels)]
    assert abs(np.mean(first) - 0.5) < 5 * 0.5 / len(first) ** 0.5
    asked = [rows[turn.picture] for turn in fresh if not turn.gold]
    assert abs(np.corrcoef(asked, np.arange(len(asked)))[0, 1]) < 5 / len(asked) ** 0.5


def test_projects_alike_have_orders_of_their_own(tmp_path, data):
    seeds, orders, names = set(), set(), set()
    for k in range(3):
        with make(tmp_path / f"check{k}", data) as project:
            seeds.add(project.rules.seed)
            names.add(
                a_site(project).cookie
            )  # a digest of rules and items; the rules have the seed
            orders.add(tuple(turn.picture for turn in walk(a_site(project), "mallory", 8)))
            with review.open_project(project.folder) as again:
                assert again.rules == project.rules
    assert len(seeds) == len(orders) == len(names) == 3
    with pytest.raises(ValueError, match="no seed"):
        _orders.is_gold_turn(some_rules(seed=None, gold_every=4), "mallory", 0)
