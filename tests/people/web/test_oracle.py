"""Whatever is asked, in whatever form: what comes back is the same whatever the truth is.

Mallory sends every form that she can think of about every item that she is handed. Items differ in
which label is given, which is guessed, what is true, whether the answer is known, whether she has
answered them before, and what others have said. Status, headers, length and words are one.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from candidly import review
from candidly.people.web._seal import TASK, opened
from candidly.people.web.links import PERSON

from review_cases import CLASSES, reply, some_items, team
from web_cases import JSON, a_project, a_site, browser, fields_of, said

N = 24
SECRET = {k: (k % 3, (k // 3) % 3) for k in range(N)}  # given and guessed; they may be one
WORDS = ("a", "b", "both", "neither", "skip", "given", "guessed", "", "0", "A", "a b")
RANDOM = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b")  # sealed, or an id
ALIKE = re.compile("|".join(CLASSES))  # each of three letters


def items():
    """Of two classes each; of every pair some."""
    return [
        replace(
            item,
            given=given,
            guessed=(given + 1 + other % 2) % 3,
            truth=other,
            shown=review.Shown("image", f"{item.row}.png"),
        )
        for item, (given, other) in zip(some_items(N), SECRET.values())
    ]


def forms(card: str):
    """Forms about a card: a name, where to, and fields; none of them is an answer."""
    fields, say = fields_of(card), said(card)
    id = dict(fields)["id"]
    for one in WORDS:
        for other in WORDS[:6]:
            yield f"{one} and {other}", "/answer", [*fields, (say, one), (say, other)]
        if one not in ("a", "b", "both", "neither", "skip"):
            yield f"{one} alone", "/answer", [*fields, (say, one)]
    yield "no answer", "/answer", fields
    yield "three", "/answer", [*fields, (say, "a"), (say, "a"), (say, "b")]
    for name in ("ms", "note", "examples"):
        twice = [(f"{name}.{id}", "1"), (f"{name}.{id}", "1")]
        kept = [pair for pair in fields if pair[0] != twice[0][0]]
        yield f"{name} twice", "/answer", [*kept, *twice, (say, "a")]
    yield "an id twice", "/answer", [*fields, ("id", id), (say, "a")]
    yield "a task twice", "/answer", [*fields, ("task", dict(fields)["task"]), (say, "a")]
    yield "all twice", "/answer", [*fields, *fields, (say, "a")]
    yield "another id", "/answer", [("id", "x"), *fields[1:], (say, "a")]
    yield "a long note", "/answer", [*fields, (f"note.{id}", "x" * 2001), (say, "a")]
    yield "no time", "/answer", [(n, "soon" if n.startswith("ms") else v) for n, v in fields]
    look = fields_of(card, 1)
    yield "a look with two ids", "/look", [*look, ("id", "12345678")]
    yield "a look with a short id", "/look", [("id", "x"), *look[1:]]
    yield "an undo with two ids", "/undo", [("id", "12345678"), ("id", "87654321")]


def told(answer) -> tuple:
    """All that there is of an answer, without what is random for everybody."""
    headers = {k: RANDOM.sub("R", v) for k, v in answer.headers.items() if k != "content-length"}
    text = ALIKE.sub("CLASS", RANDOM.sub("R", answer.text))
    return answer.status_code, len(answer.content), tuple(sorted(headers.items())), text


GOLD = {f"i{k}": "given" if k % 2 else "guessed" for k in range(0, N, 4)}


@pytest.fixture(params=[JSON, {}], ids=["script", "page"])
def how(request):
    return request.param


def test_no_refusal_tells_one_item_from_another(tmp_path, how):
    rules = {"gold_every": 3, "repeat_every": 4}
    with a_project(tmp_path / "check", items=items(), gold=GOLD, **rules) as project:
        bob = review.find_person(project, "bob")
        for _ in range(N // 2):  # others have said something of some, and nothing of others
            [task] = review.next_tasks(project, bob)
            review.answer(project, bob, [reply(task, "both")])
        site = a_site(project)
        mallory = browser(site, PERSON, "ann")
        found: dict[str, set] = {}
        turns = 0
        while cards := mallory.cards():
            for name, address, fields in forms(cards[0]):
                found.setdefault(name, set()).add(told(mallory.post(address, fields, headers=how)))
            assert mallory.say(cards[0], "a").status_code == 200
            turns += 1
        rows = review.votes(project, everything=True)
        mine = rows.filter(rows["person"] == "ann")
        kinds = set(mine.select("answer", "gold", "repeat").rows())
        # every kind was there: a is the label, a is the guess; known, repeated, usual
        assert {(a, g) for a, g, _ in kinds} == {
            (a, g) for a in ("given", "guessed") for g in (0, 1)
        }
        assert turns == len(mine) > N
        for name, seen in found.items():
            assert len(seen) == 1, (name, seen)
            [(status, _, _, text)] = seen
            assert status == 422, (name, status, text)


def test_every_word_of_a_refusal_was_sent(site):
    mallory = browser(site, PERSON, "ann")
    [card, *_] = mallory.cards()
    for name, address, fields in forms(card):
        why = mallory.post(address, fields, headers=JSON).json()["refused"]
        sent = " ".join(value for _, value in fields)
        for word in ("given", "guessed"):
            assert (word in why) <= (word in sent), (name, why)


def other_words(folder, heard: bool):
    """What mallory hears of an item whose lease has ended, with and without answers of others."""
    with a_project(folder, n=1, people=("ann",)) as project:
        mallory = browser(a_site(project), PERSON, "ann")
        [card] = mallory.cards()
        later = replace(project, clock=lambda: 1e12)
        if heard:
            for who in team(later, 5):
                [task] = review.next_tasks(later, who)
                review.answer(later, who, [reply(task)])
        answers = [mallory.say(card, "a")]
        for k in range(2):
            answers.append(mallory.post("/undo", {"id": f"undo-{k}-of-two"}, headers=JSON))
            answers += [mallory.get("/tasks", headers=JSON), mallory.get("/review")]
            [card] = mallory.cards()
            answers.append(mallory.say(card, "b"))
        return [told(answer) for answer in answers], review.progress(project).answers


def test_an_undo_does_not_say_that_others_have_answered(tmp_path):
    (alone, one), (beside, five) = (
        other_words(tmp_path / str(heard), heard) for heard in (False, True)
    )
    assert alone == beside
    assert (one, five) == (1, 5)  # what comes too late counts in none of them


def test_looking_at_a_repetition_is_looking_at_an_item(tmp_path):
    rules = {"repeat_every": 2, "gold_every": 0}
    with a_project(tmp_path / "check", items=items(), **rules) as project:
        mallory = browser(a_site(project), PERSON, "ann")
        site, after, turn = a_site(project), {0: set(), 1: set()}, 0
        ann = review.find_person(project, "ann")
        while cards := mallory.cards():
            _, repeat = opened(site, TASK, ann.id, dict(fields_of(cards[0]))["task"])
            card = cards[0]
            if repeat or turn % 5 == 4:
                form = fields_of(card, 1)
                card = mallory.post("/look", form, headers=JSON).json()["html"]
                again = mallory.post("/look", form, headers=JSON)
                still = dict(form)["task"] in "".join(mallory.cards())
                after[repeat].add((again.status_code, still))
            assert mallory.say(card, "a").status_code == 200
            turn += 1
        rows = review.votes(project, everything=True)
        assert rows["repeat"].sum() > 2
        assert after[0] == after[1] == {(403, False)}
        assert not rows.filter(rows["repeat"] == 1)["blind"].any()
        assert review.standings(project)[0].repeats == 0
        before = list(review.log(project)), review.votes(project, everything=True)
        review.recount(project)
        assert review.votes(project, everything=True).equals(before[1])
