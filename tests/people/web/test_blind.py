"""What people who answer can find out: not which label is given, nor which items are known ones."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from dataclasses import replace

import pytest

from candidly import review
from candidly.people.review.assign import is_gold_turn, is_repeat_turn
from candidly.people.web._seal import CARD, ITEM, TASK, opened, sealed
from candidly.people.web.links import PERSON

from review_cases import CLASSES, work_through
from web_cases import (
    JSON,
    NUMBERED,
    a_project,
    a_site,
    browser,
    buttons,
    fields_of,
    picture,
    plain,
)

N = 30
OPEN_REVIEW = "Show label and guess (the answer will not count)"


def secret_items():
    """Items whose name, truth and score would show in a page that told."""
    return [
        review.Item(
            row=100 + k,
            name=f"secret-name-{k}",
            given=k % 3,
            guessed=(k + 1) % 3,
            truth=(k + 1) % 3,
            score=-0.123456 - k,
            shown=review.Shown("image", f"{100 + k}.png"),
        )
        for k in range(N)
    ]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A project with known items and repetitions, which others have answered, gone through by a
    person: the site, and all that it sent them."""
    gold = {f"secret-name-{k}": "given" for k in range(0, N, 5)}
    turns = {"gold_every": 4, "repeat_every": 5}
    folder = tmp_path_factory.mktemp("blind") / "check"
    with a_project(folder, items=secret_items(), gold=gold, **turns) as project:
        work_through(project, review.find_person(project, "bob"))
        site = a_site(project)
        ann = browser(site, PERSON, "ann")
        said, cards = [], []
        while True:
            answers = [ann.get("/review"), ann.get("/tasks", headers=JSON)]
            found = answers[1].json()["cards"]
            if not found:
                break
            html = found[0]["html"]
            source = re.search(r'src="(/shown/[^"]*)"', html).group(1)
            answers += [ann.get(source), ann.say(html, "a"), ann.get("/guidelines")]
            said += [f"{answer.headers}\n{answer.text}" for answer in answers]
            cards.append(html)
        yield site, said, cards


def test_the_person_met_known_items_and_repetitions(told):
    site, _, cards = told
    ann = review.find_person(site.project, "ann").id
    kinds = [opened(site, TASK, ann, dict(fields_of(card))["task"]) for card in cards]
    golds = [item in site.project.golds for item, _ in kinds]
    again = [repeat for _, repeat in kinds]
    rules = site.project.rules
    assert sum(golds) >= 4
    assert sum(again) >= 3
    for turn in range(len(cards)):
        assert not golds[turn] or is_gold_turn(rules, "ann", turn)
        assert not again[turn] or is_repeat_turn(rules, "ann", turn)


def test_nothing_tells(told):
    _, said, _ = told
    for text in said:
        text = text.replace(OPEN_REVIEW, "").replace("show label and guess", "")
        for word in (
            "given",
            "guess",
            "truth",
            "gold",
            "repeat",
            "flip",
            "score",
            "blind",
            "known",
        ):
            assert not re.search(word, text, re.IGNORECASE), (word, text)
        assert "secret-name" not in text
        assert "0.123456" not in text
        assert "bob" not in text


def test_all_cards_are_alike(told):
    # known items, repetitions, and either label on the first button
    site, _, cards = told
    assert len({plain(card) for card in cards}) == 1
    answers = review.votes(site.project, everything=True)
    mine = answers.filter(answers["person"] == "ann")
    assert set(mine["answer"]) == {"given", "guessed"}
    assert set(mine["gold"]) == set(map(bool, mine["repeat"])) == {True, False}


def test_other_classes_follow_from_those_shown(told):
    site, _, cards = told
    classes = site.project.rules.classes
    for card in cards:
        shown = re.findall(r'data-key="[12]"><kbd[^>]*>\d</kbd> (\w+)</button>', card)
        others = re.findall(r'name="named\.\w+" value="(\d+)">(\w+)<', card)
        assert others == [(str(k), name) for k, name in enumerate(classes) if name not in shown]
        assert others


def test_no_number_of_an_item_is_on_a_page(told):
    _, said, cards = told
    for card in cards:
        numbers = Counter(re.findall(r'="(\d+)"', NUMBERED.sub("", card)))
        assert set(numbers) <= {"384", "2000"}  # pixels, longest note
    for text in said:
        for key in re.findall(r'"key":"([^"]*)"', text):
            assert re.fullmatch(r"[0-9a-f]{64}", key)


def test_sealed_numbers(site):
    places = [(what, who) for what in (TASK, CARD, ITEM) for who in (1, 2)]
    texts = {
        sealed(site, *place, item, repeat)
        for place in places
        for item in range(50)
        for repeat in (0, 1)
    }
    assert len(texts) == 600
    assert len({len(text) for text in texts}) == 1
    for item, repeat in ((0, 0), (0, 1), (7, 1), (10**12, 0)):
        text = sealed(site, TASK, 1, item, repeat)
        assert opened(site, TASK, 1, text) == (item, repeat)
        assert text == sealed(site, TASK, 1, item, repeat)
        for what, who in places[1:]:
            with pytest.raises(ValueError, match="load the page again"):
                opened(site, what, who, text)
        for k in range(len(text)):
            wrong = text[:k] + ("0" if text[k] != "0" else "1") + text[k + 1 :]
            with pytest.raises(ValueError, match="load the page again"):
                opened(site, TASK, 1, wrong)
    other = replace(site, key="another")
    with pytest.raises(ValueError, match="load the page again"):
        opened(other, TASK, 1, sealed(site, TASK, 1, 3, 0))


def test_sealed_bytes_look_random(site):
    # neighbours share no more bytes than chance has it: 32 x 99 / 256 = 12.4 +- 3.5
    texts = [bytes.fromhex(sealed(site, TASK, 1, item)) for item in range(100)]
    same = sum(a == b for x, y in itertools.pairwise(texts) for a, b in zip(x, y))
    assert same < 12.4 + 5 * 3.6


def test_refusals_have_no_numbers_of_items(told):
    site, _, cards = told
    ann = browser(site, PERSON, "ann")
    for card in cards[:6]:
        again = card.replace(fields_of(card)[0][1], "0123456789abcdef")
        answer = ann.say(again, "b")
        assert answer.status_code == 422
        assert not re.search(r"\d", answer.json()["refused"])


def test_opening_an_item_tells_and_is_written_down(site, project):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    assert "given label" not in card
    shown = ann.post("/look", fields_of(card, 1), headers=JSON).json()["html"]
    assert "<dt>given label</dt>" in shown
    assert "<dt>guess</dt>" in shown
    assert OPEN_REVIEW not in shown
    assert ann.say(shown, "a").status_code == 200
    assert review.votes(project).is_empty()
    assert review.votes(project, everything=True)["blind"].to_list() == [False]


def test_an_opened_item_taken_back_comes_again_as_it_was(site):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    shown = ann.post("/look", fields_of(card, 1), headers=JSON).json()["html"]
    ann.say(shown, "a")
    told = ann.post("/undo", {"id": "undo-number-1"}, headers=JSON).json()
    assert "<dt>given label</dt>" in told["cards"][0]["html"]
    assert "<dt>given label</dt>" in ann.get("/review").text
    assert "<dt>given label</dt>" not in "".join(card["html"] for card in told["cards"][1:])


def test_without_the_script_too(site):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    page = ann.post("/look", fields_of(card, 1)).text
    assert "<!doctype html>" in page
    assert "<dt>given label</dt>" in page


def test_examples_say_of_which_class_they_are_and_not_which_is_given(tmp_path):
    import numpy as np

    from candidly import from_arrays

    data = from_arrays(
        np.zeros((12, 4, 4), np.uint8),
        given=np.arange(12) % 3,
        classes=CLASSES,
    )
    folder = tmp_path / "check"
    items = secret_items()[:6]
    for item in items:
        picture(folder / "media" / item.shown.payload)
    from review_cases import some_rules

    rules = some_rules(examples=2)
    with review.make_project(folder, items, rules, examples=data) as project:
        review.add_person(project, "ann")
        site = a_site(project)
        for card in browser(site, PERSON, "ann").cards():
            first, second = re.findall(r'aria-label="Examples of (\w+)"', card)
            shown = buttons(card)
            assert (shown["a"], shown["b"]) == (first, second)
            sources = re.findall(r'src="/shown/(\w+)/[0-9a-f]{64}"', card)
            assert sources == ["item", *["example"] * 4]
            numbers = json.loads(dict(fields_of(card))[f"examples.{dict(fields_of(card))['id']}"])
            assert len(numbers) == 2


@pytest.mark.parametrize(
    ("offered", "wanted"),
    [
        (("given", "guessed", "both", "neither"), {"a", "b", "both", "neither", "skip"}),
        (("given", "guessed"), {"a", "b", "skip"}),
        (("given", "guessed", "neither"), {"a", "b", "neither", "skip"}),
    ],
)
def test_answers_offered(tmp_path, offered, wanted):
    with a_project(tmp_path / "check", offered=offered) as project:
        for card in browser(a_site(project), PERSON, "ann").cards():
            assert set(buttons(card)) == wanted


@pytest.mark.parametrize("only", ["given", "guessed"])
def test_one_class_alone_can_be_offered(tmp_path, only):
    # whichever place it has, it can be answered
    with a_project(tmp_path / "check", 8, offered=(only, "neither")) as project:
        site = a_site(project)
        ann = browser(site, PERSON, "ann")
        places = set()
        while cards := ann.cards():
            shown = buttons(cards[0])
            place = next(value for value in shown if value in "ab")
            places.add(place)
            assert set(shown) == {place, "neither", "skip"}
            assert ann.say(cards[0], place).status_code == 200
        assert places == {"a", "b"}
        assert set(review.votes(project)["answer"]) == {only}


def test_a_guess_that_is_the_label_is_one_button(tmp_path):
    items = [replace(item, guessed=item.given) for item in secret_items()[:4]]
    with a_project(tmp_path / "check", items=items) as project:
        for card in browser(a_site(project), PERSON, "ann").cards():
            assert set(buttons(card)) == {"a", "neither", "skip"}
