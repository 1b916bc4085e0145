"""Small review projects, and people who answer in them."""

from __future__ import annotations

import itertools
from dataclasses import replace

from candidly import review

CLASSES = ("cat", "dog", "owl")
_number = itertools.count()


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def some_items(n: int) -> list[review.Item]:
    return [
        review.Item(row=10 + k, name=f"i{k}", given=k % 3, guessed=(k + 1) % 3, score=float(-k))
        for k in range(n)
    ]


def some_rules(**changes) -> review.Rules:
    """Verdicts of five people, without known or repeated items, in the same order each time."""
    usual = {"classes": CLASSES, "gold_every": 0, "repeat_every": 0, "examples": 0, "seed": 0}
    return replace(review.PRESETS["verdict"], **(usual | changes))


def an_id() -> str:
    return f"test-{next(_number):08}"


def reply(task: review.Task, choice: str = "given", **more) -> review.Reply:
    return review.Reply(an_id(), task.item, choice, repeat=task.repeat, **more)


def take(project: review.Project, person: review.Person, choice: str = "given", **more):
    """The person's next item, answered; its task, or None."""
    tasks = review.next_tasks(project, person)
    if not tasks:
        return None
    review.answer(project, person, [reply(tasks[0], choice, **more)])
    return tasks[0]


def work_through(project: review.Project, person: review.Person, say=lambda task: "given"):
    """Answers everything there is for the person; the tasks."""
    done = []
    while tasks := review.next_tasks(project, person):
        review.answer(project, person, [reply(task, say(task)) for task in tasks])
        done += tasks
    return done


def team(project: review.Project, n: int) -> list[review.Person]:
    return [review.add_person(project, f"p{k}") for k in range(n)]
