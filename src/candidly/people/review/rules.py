"""What a project states once and for all: its question, its people, its limits; and presets."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from ...ground.names import lookup, nearest
from ..validation.rule import fewest, majority
from ..validation.tally import ANSWERS
from .questions import QUESTIONS, SKIP, Question

INFINITE = float("inf")
SECRET_BITS = 128  # of a seed that is drawn
_SECRET = re.compile(rf"[0-9a-f]{{{SECRET_BITS // 4}}}")
APART = 10  # turns between an item and its repetition, at least
GOALS = {
    "random": "estimate how many labels are wrong",
    "quality": "clean: the most suspicious first",
    "order": "in the order given, such as that of a plan that makes a ranking safe",
}


@dataclass(frozen=True)
class Rules:
    """How a project asks.

    Attributes:
        question: a name among ``QUESTIONS``.
        classes: their names; a class is its place among them.
        title: the title of the project. guidelines: what people should know, in Markdown.
        people: different people asked about each item, W.
        threshold: people that make a verdict, or that say yes; None: more than half.
        offered: for a verdict, the answers to choose from.
        batch: items handed out at once. whole_batch: all of them must be answered together.
        most_labels: on one item. most_per_label: items of a batch with the same label.
        adaptive: stop asking about an item when what it comes to cannot change.
        goal: a name among ``GOALS``: what the order of items is good for.
        gold_every: one turn in so many is an item whose answer is known; 0: none.
        repeat_every: one turn in so many repeats an item of the same person; 0: none.
        fast_ms: answers given faster are flagged.
        lease_s: how long an item is kept for the person it was handed to.
        limit: items that one person may answer, or None.
        examples: examples of each class shown beside an item.
        shown_px: size at which an image is shown, or None for what fits.
        seed: of every order; whoever knows it can work out which items are known ones, and which
            class of an item is its label. None: ``make_project`` draws 128 bits, and keeps them as
            text. A whole number gives the same orders each time, for tests and demonstrations.

    Raises:
        ValueError: what cannot be; the message names the field.
    """

    question: str = "verdict"
    classes: tuple[str, ...] = ()
    title: str = ""
    guidelines: str = ""
    people: int = 5
    threshold: int | None = None
    offered: tuple[str, ...] = ("given", "guessed", "both", "neither")
    batch: int = 1
    whole_batch: bool = False
    most_labels: int | None = None
    most_per_label: int | None = None
    adaptive: bool = False
    goal: str = "random"
    gold_every: int = 20
    repeat_every: int = 30
    fast_ms: float = 600.0
    lease_s: float = 1800.0
    limit: int | None = None
    examples: int = 0
    shown_px: int | None = None
    seed: int | str | None = None

    def __post_init__(self) -> None:
        for name in ("classes", "offered"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        lookup(QUESTIONS, self.question, "question")
        lookup(GOALS, self.goal, "goal")
        _check_numbers(self)
        for name in self.offered:
            if name not in ANSWERS:
                raise ValueError(
                    f"offered has {name!r}; the answers are {', '.join(ANSWERS)}"
                    f"{nearest(name, ANSWERS)}"
                )
        if len(set(self.classes)) < len(self.classes):
            raise ValueError("classes has a name twice.")
        _check_threshold(self)
        _check_seed(self.seed)
        if self.adaptive and self.several:
            raise ValueError("adaptive stopping is for answers that decide; sets only grow.")

    @property
    def asked(self) -> Question:
        """What its question is."""
        return QUESTIONS[self.question]

    @property
    def needed(self) -> int:
        """People that make a verdict, or that must say yes."""
        return self.threshold or majority(self.people)

    @property
    def fewest(self) -> int:
        """Answers about an item, below which nothing is decided: three, or all who are asked."""
        return fewest(self.people)

    @property
    def several(self) -> bool:
        """Whether an answer may name several classes."""
        return self.asked.several

    @property
    def decides(self) -> bool:
        """Whether answers come to verdicts; labels are collected, and whoever uses them decides."""
        return self.asked.decides

    def to_json(self) -> str:
        """Text that ``from_json`` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Rules:
        """Fields that are not known here are left out: they are of a newer version."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in json.loads(text).items() if name in known})


def _check_numbers(rules: Rules) -> None:
    least: Mapping[str, float] = {
        "people": 1,
        "batch": 1,
        "gold_every": 0,
        "repeat_every": 0,
        "fast_ms": 0,
        "lease_s": 1,
        "examples": 0,
        "threshold": 1,
        "most_labels": 1,
        "most_per_label": 1,
        "limit": 1,
        "shown_px": 1,
    }
    for name, lowest in least.items():
        value = getattr(rules, name)
        if value is not None and not value >= lowest:
            raise ValueError(f"{name} is {value}; it must be at least {lowest:g}.")
    for name in ("gold_every", "repeat_every"):
        if getattr(rules, name) == 1:
            raise ValueError(f"{name} is 1, which leaves no other items; take 2 or more, or 0.")


def _check_seed(seed: object) -> None:
    number = isinstance(seed, int) and 0 <= seed < 2**64
    if not (seed is None or number or (isinstance(seed, str) and _SECRET.fullmatch(seed))):
        raise ValueError(
            f"seed is {seed!r}; leave it out, and {SECRET_BITS} bits are drawn, or give a whole"
            " number from 0 to 2**64 - 1."
        )


def _check_threshold(rules: Rules) -> None:
    if rules.threshold is None:
        return
    if rules.threshold > rules.people:
        raise ValueError(
            f"threshold is {rules.threshold} and people is {rules.people}: no item would get as"
            f" many equal answers. Use a threshold of at most {rules.people}."
        )
    if rules.asked.exclusive and 2 * rules.threshold <= rules.people:
        raise ValueError(
            f"threshold is {rules.threshold} of {rules.people} people: two answers could reach it."
            f" Take at least {majority(rules.people)}."
        )


def check_new(rules: Rules) -> None:
    """Raises ValueError for what a new project cannot have, though one that is there may."""
    if rules.threshold is not None and not rules.decides:
        raise ValueError(
            f"threshold is {rules.threshold}, but the question {rules.question!r} comes to no"
            " verdict: its answers are kept as votes. Leave the threshold out."
        )


PRESETS: dict[str, Rules] = {
    "verdict": Rules(threshold=3, adaptive=False, examples=5),
    "candidates": Rules(
        question="several labels",
        people=10,
        batch=10,
        whole_batch=True,
        most_labels=6,
        most_per_label=6,
        shown_px=256,
        gold_every=0,
        repeat_every=0,
    ),
    "tags": Rules(
        question="all labels",
        people=3,
        batch=5,
        whole_batch=True,
        gold_every=0,
        repeat_every=0,
    ),
    "single": Rules(
        question="one label",
        people=3,
        batch=10,
        whole_batch=True,
        gold_every=0,
        repeat_every=0,
    ),
    "yes or no": Rules(question="yes or no", threshold=3),
}


@dataclass(frozen=True)
class Cost:
    """What collecting answers takes: numbers of answers and batches, hours of work, money."""

    answers: int
    batches: int
    hours: float
    money: float


def plan_cost(
    items: int,
    rules: Rules,
    *,
    seconds_per_batch: float,
    pay_per_hour: float = 0.0,
    said: int = 0,
    golds: int = 0,
) -> Cost:
    """What it takes to ask everyone about ``items`` items, known and repeated ones included.

    Planned for as few people as can answer everything; each of them is asked about each known item
    once at most, and nothing is repeated before there is something to repeat.

    Args:
        items: to ask about, known ones aside.
        said: answers that are there already, or not needed any more.
        golds: known items that there are.

    >>> plan_cost(10_000, PRESETS["candidates"], seconds_per_batch=60, pay_per_hour=12)
    Cost(answers=100000, batches=10000, hours=166.66666666666666, money=2000.0)
    """
    if not (items >= 1 and 0 < seconds_per_batch < INFINITE and 0 <= pay_per_hour < INFINITE):
        raise ValueError(
            f"items is {items}, seconds_per_batch {seconds_per_batch}, pay_per_hour {pay_per_hour};"
            " the first two must be positive, the last not negative."
        )
    if not 0 <= said <= items * rules.people:
        raise ValueError(f"said is {said} of {items * rules.people} answers, which cannot be.")
    if not golds >= 0:
        raise ValueError(f"golds is {golds}; it is a number of known items, 0 or more.")
    turns = [_turns(each, rules, golds) for each in (items, said / rules.people)]
    answers = round(rules.people * (turns[0] - turns[1]))
    batches = -(-answers // rules.batch)
    hours = batches * seconds_per_batch / 3600
    return Cost(answers, batches, hours, hours * pay_per_hour)


def most_turns(items: int, rules: Rules, golds: int) -> int:
    """Answers that one person gives at most, known and repeated items included, and not beyond
    ``limit``. It depends on nothing that anybody has answered.

    >>> most_turns(100, Rules(gold_every=0, repeat_every=0), 0)
    100
    """
    most = math.ceil(round(_turns(items, rules, golds), 6))
    return most if rules.limit is None else min(most, rules.limit)


def _turns(answers: float, rules: Rules, golds: int) -> float:
    """Turns that one person takes for so many answers that count, on average."""
    known = 1 / rules.gold_every if rules.gold_every and golds else 0.0
    again = 1 / rules.repeat_every if rules.repeat_every else 0.0
    if known + again >= 1:
        raise ValueError("gold_every and repeat_every leave no turn for other items.")

    def total(of_known: float, share: float) -> float:
        """With so many known items, and a share of the turns for more of them."""
        early = (answers + of_known) / (1 - share)
        if early <= APART:
            return early
        return (answers + of_known - APART * again) / (1 - share - again)

    found = total(0, known)
    return found if found * known <= golds else total(golds, 0)


def codes_of(choice: str, rules: Rules) -> tuple[int, ...]:
    """The codes of a choice; none for ``skip``.

    Raises:
        ValueError: an answer that the question does not have.
    """
    return () if choice == SKIP else rules.asked.codes(choice, rules)


def settled(counts: Mapping[int, int], said: int, rules: Rules, same: bool = False) -> bool:
    """Whether the answers that are still to come cannot change what the item comes to.

    ``same``: its two classes are one.

    >>> from candidly.people.review import PRESETS
    >>> settled({0: 3}, 3, PRESETS["verdict"]), settled({0: 2, 1: 1}, 3, PRESETS["verdict"])
    (True, False)
    """
    left = rules.people - said
    return left <= 0 or rules.asked.settled(counts, left, rules, same)
