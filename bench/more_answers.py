"""How many labels are right, and how many more answers it takes: what is told, and what is so.

Crowds are simulated, a few answers an item, and Dawid and Skene's model is fitted. What
``crowd.more_answers`` then tells is held against what it takes: the crowd is asked on, always about
the items of the lowest priority, and the model is fitted again, until so many labels are right.

    python bench/more_answers.py            ten minutes; writes bench/results/more_answers.json
    python bench/more_answers.py --quick    a few crowds; writes nothing

Annotators err independently, as what is told says that it takes for granted.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from _bench import Claim, at_least, at_most, main
from candidly.people.crowd import Answers, DawidSkene, dawid_skene, more_answers, priorities

CROWDS, ITEMS, ANNOTATORS = 40, 400, 15
RIGHT = (0.6, 0.9)  # accuracies of annotators
GIVE_UP = 30  # answers an item


@dataclass(frozen=True)
class Kind:
    """Crowds of a kind: answers an item, classes, the share that is wanted, what is fitted.

    Attributes:
        even: whether an annotator is wrong evenly over the other classes.
    """

    each: int
    classes: int
    share: float
    one_coin: bool
    even: bool

    @property
    def name(self) -> str:
        model = "one-coin" if self.one_coin else "dawid-skene"
        errors = "even errors" if self.even else "uneven errors"
        return f"{model}, {errors}, {self.each} answers an item, {self.classes} classes"


KINDS = (
    Kind(2, 3, 0.95, one_coin=True, even=True),
    Kind(5, 5, 0.97, one_coin=True, even=True),
    Kind(2, 3, 0.95, one_coin=False, even=True),
    Kind(3, 3, 0.97, one_coin=False, even=True),
    Kind(2, 3, 0.95, one_coin=False, even=False),
    Kind(4, 3, 0.97, one_coin=False, even=False),
)


class Crowd:
    """People who answer at random by rates of their own."""

    def __init__(self, kind: Kind, seed: int):
        self.kind, self.g = kind, np.random.default_rng([7, KINDS.index(kind), seed])
        m = kind.classes
        self.truth = self.g.integers(0, m, ITEMS)
        accuracy = self.g.uniform(*RIGHT, ANNOTATORS)[:, None, None]
        if kind.even:
            self.rates = np.where(np.eye(m, dtype=bool), accuracy, (1 - accuracy) / (m - 1))
        else:
            spread = self.g.dirichlet(np.ones(m), (ANNOTATORS, m))
            self.rates = (1 - accuracy) * spread + accuracy * np.eye(m)
        who = self.g.random((ITEMS, ANNOTATORS)).argsort(1)[:, : kind.each]
        self.rows = [self.asked(i, int(j)) for i in range(ITEMS) for j in who[i]]

    def asked(self, item: int, who: int) -> tuple[int, str, int]:
        rates = self.rates[who, self.truth[item]]
        return item, f"{who}", int(self.g.choice(self.kind.classes, p=rates))

    def fitted(self) -> DawidSkene:
        said = Answers.from_columns(
            *zip(*self.rows), items=ITEMS, classes=self.kind.classes, repeats=True
        )
        return dawid_skene(said, one_coin=self.kind.one_coin)

    def right(self, found: DawidSkene) -> float:
        return float((found.labels == self.truth).mean())

    def taken(self, found: DawidSkene) -> int:
        """How many more answers it takes."""
        count, step = 0, ITEMS // 100
        while self.right(found) < self.kind.share and count < GIVE_UP * ITEMS:
            for item in np.argsort(priorities(found), kind="stable")[:step].tolist():
                self.rows.append(self.asked(item, int(self.g.integers(ANNOTATORS))))
            count += step
            found = self.fitted()
        return count


def of_kind(kind: Kind, crowds: int) -> Iterator[Claim]:
    inside, now_inside, off, claimed = 0, 0, [], []
    for seed in range(crowds):
        crowd = Crowd(kind, seed)
        found = crowd.fitted()
        told = more_answers(found, kind.share, seed=seed)
        right, took = crowd.right(found), crowd.taken(found)
        low, high = (np.inf if end is None else end for end in (told.low, told.high))
        inside += low <= took <= high
        now_inside += told.now_low <= right <= told.now_high
        off.append(told.now - right)
        claimed.append(float(found.quality.mean()) - right)
    yield at_least(f"{kind.name}: intervals that hold what it takes", inside / crowds, 0.9)
    yield Claim(f"{kind.name}: intervals that hold what is right", now_inside / crowds)
    yield at_most(f"{kind.name}: told minus right", abs(float(np.mean(off))), 0.02)
    yield Claim(f"{kind.name}: mean posterior minus right", float(np.mean(claimed)))


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")  # of labels that nobody gave
    return [one for kind in KINDS for one in of_kind(kind, 2 if quick else CROWDS)]


if __name__ == "__main__":
    main("more_answers", __doc__ or "", measure)
