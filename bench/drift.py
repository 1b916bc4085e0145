"""Annotators who change over time: how often `crowd.drift` says so of one who does not, and of one
who does.

Eight annotators of unequal skill, four of whom answer each item of four classes. Items are all
alike; or become harder, slowly or at once; or are of mixed difficulty. Either nobody changes, or
one annotator's right answers become fewer from the middle on, by the share that is named.

* `any false`: at least one annotator who did not change is called changed. At most 5 %: beyond it
  where all of the 95 % interval of the rate is.
* `found`: the one who changed is called so.
* `told`: the share of annotators of whom the test says anything: where items become harder nobody
  can say who changed, and it says so.

    python bench/drift.py            a minute; writes bench/results/drift.json
    python bench/drift.py --quick    a few draws; writes nothing
"""

from __future__ import annotations

import numpy as np

from _bench import Claim, at_most, main
from candidly.people.crowd import Answers, drift
from candidly.stats import clopper_pearson

MANY, EACH, CLASSES = 8, 4, 4
HARDER = {  # by place from 0 to 1, how much is left of a skill
    "alike": lambda place, g: np.ones(len(place)),
    "slowly harder": lambda place, g: 1 - 0.3 * place,
    "a little harder": lambda place, g: 1 - 0.1 * place,
    "harder at once": lambda place, g: np.where(place < 0.7, 1.0, 0.7),
    "mixed": lambda place, g: 1 - 0.5 * g.random(len(place)),
}


def crowd(g: np.random.Generator, n: int, items: str, lost: float) -> Answers:
    place = np.arange(n) / n
    skill = np.append([0.85, 0.95, 0.9, 0.7], g.choice([0.1, 0.4, 0.7, 0.95], MANY - 4))
    who = np.stack([g.choice(MANY, EACH, replace=False) for _ in range(n)])
    right = HARDER[items](place, g)[:, None] * skill[who]
    right = np.where((who == 0) & (place >= 0.5)[:, None], right * (1 - lost), right)
    truth = g.integers(0, CLASSES, n)
    said = np.where(g.random(who.shape) < right, truth[:, None], g.integers(0, CLASSES, who.shape))
    return Answers.from_columns(
        np.repeat(np.arange(n), EACH), who.ravel(), said.ravel(), classes=CLASSES
    )


def rates(n: int, items: str, lost: float, draws: int) -> list[Claim]:
    g = np.random.default_rng([n, list(HARDER).index(items), int(100 * lost)])
    false = found = told = 0
    for _ in range(draws):
        answers = crowd(g, n, items, lost)
        frame = drift(answers, answers.item)
        changed = set(frame.filter("changed")["annotator"])
        false += bool(changed - ({"0"} if lost else set()))
        found += "0" in changed
        told += frame["p"].is_not_null().mean()
    about = f"{n:,} items, {items}, " + (f"one loses {lost:.0%}" if lost else "nobody changes")
    low = float(clopper_pearson(np.array(false), draws)[0])
    claims = [Claim(f"{about}: any false", false / draws)]
    claims += [at_most(f"{about}: any false: from", low, 0.05)]
    if lost:
        claims += [Claim(f"{about}: found", found / draws)]
    return [*claims, Claim(f"{about}: told", told / draws)]


def measure(quick: bool) -> list[Claim]:
    draws = 10 if quick else 400
    return [
        claim
        for n in (300, 1500)
        for items in HARDER
        for lost in (0.0, 0.4)
        for claim in rates(n, items, lost, draws)
    ]


if __name__ == "__main__":
    main("drift", __doc__ or "", measure)
