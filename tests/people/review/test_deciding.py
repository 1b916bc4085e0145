"""Every project that can be made decides: what all agree on has a verdict when all have spoken."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import candidly
from candidly import review, validation
from candidly.people.review._cards import outcome_of
from candidly.people.review.questions import QUESTIONS
from candidly.people.review.rules import Rules, settled

from review_cases import CLASSES, some_items, team, work_through

SAID = {"verdict": ("given", "guessed", "both", "neither"), "yes or no": ("yes", "no")}
MOST = 6
COMBINATIONS = [
    (question, people, threshold, adaptive)
    for question, people, adaptive in itertools.product(SAID, range(1, MOST + 1), (False, True))
    for threshold in (None, *range(1, people + 2))
]


def rules_of(question, people, threshold, adaptive):
    """The rules, or None where they are refused."""
    usual = Rules(question=question, classes=CLASSES, people=people)
    if threshold is None:
        return replace(usual, adaptive=adaptive)
    too_many = threshold > people
    tied = question == "verdict" and 2 * threshold <= people
    if too_many or tied:
        with pytest.raises(ValueError, match="threshold is"):
            replace(usual, threshold=threshold)
        return None
    return replace(usual, threshold=threshold, adaptive=adaptive)


def test_unanimous_answers_come_to_what_was_said():
    made = refused = 0
    for question, *rest in COMBINATIONS:
        rules = rules_of(question, *rest)
        if rules is None:
            refused += 1
            continue
        made += 1
        for code, said in enumerate(SAID[question]):
            key = code if question == "verdict" else 1 - code
            expected = validation.CATEGORIES[code] if question == "verdict" else said
            for number in range(1, rules.people + 1):  # one after the other
                counts = {key: number}
                if settled(counts, number, rules):  # nobody else is asked, if the rules allow it
                    assert outcome_of(rules, counts, True, False) == expected, (rules, said)
            assert settled(counts, rules.people, rules)
    assert made > refused > 20


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("adaptive", [False, True])
def test_projects_of_few_people_decide(make, people, adaptive):
    project = make(4, people=people, threshold=people // 2 + 1, adaptive=adaptive)
    said = dict(zip(("i0", "i1", "i2", "i3"), SAID["verdict"]))
    names = {task.id: task.name for task in review.browse(project, review.ItemFilter()).cards}
    for who in team(project, people):
        assert review.progress(project).verdicts["pending"] == 4 or adaptive
        work_through(project, who, lambda task: said[names[task.item]])
    found = review.progress(project)
    assert [found.verdicts[name] for name in validation.CATEGORIES] == [1, 1, 1, 1, 0, 0, 0]
    assert (found.done, found.left, found.agreement.decided) == (4, 0, 4)
    assert found.agreement.fragile == (4 if people == 1 else found.agreement.fragile)
    verdicts = review.verdicts(project)
    assert verdicts.category.tolist() == [0, 1, 2, 3]
    labels = np.zeros(14, np.int64)
    labels[10:] = [0, 1, 2, 0]
    made = review.corrected_labels(project, labels)
    assert made.labels[10:].tolist() == [0, 2, -1, -1]
    outcomes = {
        card.name: card.outcome for card in review.browse(project, review.ItemFilter()).cards
    }
    assert outcomes == dict(zip(said, validation.CATEGORIES))
    review.votes(project).write_csv(project.folder / "votes.csv")
    tally = validation.read_answers(project.folder / "votes.csv")
    again = validation.judge(tally, project.rules.needed)
    assert again.category.tolist() == verdicts.category.tolist()


def test_one_of_two_is_no_verdict(make):
    project = make(1, people=2, threshold=2)
    first, second = team(project, 2)
    work_through(project, first)
    assert review.progress(project).verdicts["pending"] == 1
    work_through(project, second, lambda task: "guessed")
    assert review.progress(project).verdicts["non-agreement"] == 1
    labels = np.zeros(14, np.int64)
    made = review.corrected_labels(project, labels)  # no cell is emptied, and it says so
    assert (made.labels.tolist(), made.sources[10]) == (labels.tolist(), "undecided")
    pruned = review.corrected_labels(project, labels, undecided="prune")
    assert (pruned.labels[10], pruned.sources[10]) == (-1, "pruned")


def test_a_threshold_where_nothing_is_decided_is_refused(tmp_path):
    for question, asked in QUESTIONS.items():
        items = [replace(item, asks=0) for item in some_items(2)]
        rules = Rules(question=question, classes=CLASSES, people=3, threshold=2)
        if asked.decides:
            review.make_project(tmp_path / question, items, rules).close()
            continue
        with pytest.raises(ValueError, match=r"threshold is 2, but .* comes to no verdict"):
            review.make_project(tmp_path / question, items, rules)
        assert not (tmp_path / question).exists()


def test_every_question_says_whether_it_decides():
    assert {name for name, asked in QUESTIONS.items() if asked.decides} == SAID.keys()


def test_nobody_asks_which_question_it_is():
    """What differs between questions is in their values: no name of one is compared."""
    found = []
    for path in Path(candidly.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                found += [path.name for one in sides if getattr(one, "attr", "") == "question"]
    assert found == []
