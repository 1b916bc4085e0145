"""Does `candidly rank` hold what it says? By simulation, where the truth is known exactly.

A model is right on an item where skill + ease of the item + luck > 0, all normal, so its true score
is known. Designs: scores that are right or wrong; graded (0, 0.5, 1), which tie often; items in
groups of five, of which each model finds some easier than others; three runs of each model; and
groups of one to fifteen items of several weights. Models are all equal, or spread evenly.

* `any wrong ahead`: how often at least one model is said to be ahead of one that is as good or
  better. At most 5 %: beyond it where all of the 95 % interval of the rate is.
* `places hold`: how often the possible places of all models together hold the true ones.
* `intervals hold`: how often the corrected intervals of all pairs hold their true differences.
* `power`: of a pair, how often it is found by the units that `units_needed` names for 80 %.
* slices: how often the test says that slices disagree where they do not.
* a judge: as the first three, where people scored some items and a judge who likes some models
  all; people's items are drawn from all, or from slices, a third of the easy and a tenth of the
  hard one.
* keys: how often an order of neighbours is called secure or reversed and is not, where a tenth of
  the keys is wrong and people look after each tenth of a plan.

    python bench/ranking.py            twenty minutes; writes bench/results/ranking.json
    python bench/ranking.py --quick    a few draws; writes nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from _bench import Claim, at_least, at_most, main
from candidly.compare.ranking import (
    Scores,
    keys_to_check,
    make_checked,
    make_judged,
    make_scores,
    make_wins,
    rank,
    units_needed,
)
from candidly.compare.ranking._compared import compare
from candidly.compare.ranking._slices import heterogeneity
from candidly.stats import clopper_pearson

MODELS, ITEMS = (3, 10, 50), (50, 500, 5000)
SPREAD = 0.8  # of skills, from the best to the worst
GROUP = 5  # items of a group
WITHIN = 0.7  # standard deviation of what a group adds to a model


@dataclass(frozen=True)
class Design:
    """How scores come about: ``draw`` (skills, items, generator) and the true mean of a skill."""

    name: str
    draw: Callable[[np.ndarray, int, np.random.Generator], Scores]
    mean: Callable[[np.ndarray], np.ndarray]


def names_of(values: np.ndarray) -> dict[str, np.ndarray]:
    return {str(k): one for k, one in enumerate(values)}


def plain(skill: np.ndarray, n: int, g: np.random.Generator) -> Scores:
    latent = skill[:, None] + g.normal(size=n) + g.normal(size=(len(skill), n))
    return make_scores(names_of(latent > 0))


def graded(skill: np.ndarray, n: int, g: np.random.Generator) -> Scores:
    latent = skill[:, None] + g.normal(size=n) + g.normal(size=(len(skill), n))
    return make_scores(names_of((latent > -0.5) * 0.5 + (latent > 0.5) * 0.5))


def grouped(skill: np.ndarray, n: int, g: np.random.Generator) -> Scores:
    group = np.arange(n) // GROUP
    more = WITHIN * g.normal(size=(len(skill), group[-1] + 1))
    latent = skill[:, None] + g.normal(size=n) + more[:, group] + g.normal(size=(len(skill), n))
    return make_scores(names_of(latent > 0), groups=group)


def runs(skill: np.ndarray, n: int, g: np.random.Generator) -> Scores:
    ease = skill[:, None] + g.normal(size=n)
    latent = ease[..., None] + g.normal(size=(len(skill), n, 3))
    return make_scores(names_of(latent > 0))


def uneven(skill: np.ndarray, n: int, g: np.random.Generator) -> Scores:
    """Groups of 1 to 15 items, and weights that are drawn, too."""
    sizes = g.choice([1, 1, 1, 2, 3, 8, 15], size=n)
    group = np.repeat(np.arange(n), sizes)[:n]
    more = WITHIN * g.normal(size=(len(skill), group[-1] + 1))
    latent = skill[:, None] + g.normal(size=n) + more[:, group] + g.normal(size=(len(skill), n))
    return make_scores(names_of(latent > 0), groups=group, weights=g.choice([0.5, 1.0, 3.0], n))


def share(extra: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
    return lambda skill: ndtr(skill / np.sqrt(2 + extra))


def half(skill: np.ndarray) -> np.ndarray:
    return (ndtr((skill + 0.5) / np.sqrt(2)) + ndtr((skill - 0.5) / np.sqrt(2))) / 2


DESIGNS = (
    Design("right or wrong", plain, share()),
    Design("graded", graded, half),
    Design("groups of 5", grouped, share(WITHIN**2)),
    Design("3 runs", runs, share()),
    Design("uneven groups and weights", uneven, share(WITHIN**2)),
)


def rated(name: str, count: int, draws: int, target: float, most: bool) -> Iterator[Claim]:
    """A rate, and the end of its interval that decides whether it is beyond the target."""
    low, high = clopper_pearson(np.array(count), draws).tolist()
    yield Claim(name, count / draws)
    if most:
        yield at_most(f"{name}: from", low, target)
    else:
        yield at_least(f"{name}: to", high, target)


def coverage(design: Design, models: int, n: int, equal: bool, draws: int) -> Iterator[Claim]:
    g = np.random.default_rng([models, n, int(equal), DESIGNS.index(design)])
    skill = np.zeros(models) if equal else np.linspace(SPREAD / 2, -SPREAD / 2, models)
    truth = design.mean(skill)
    best, worst = (truth > truth[:, None]).sum(1) + 1, models - (truth < truth[:, None]).sum(1)
    apart = np.subtract.outer(truth, truth)
    i, j = np.triu_indices(models, 1)
    wrong = places = held = 0
    for _ in range(draws):
        found = rank(design.draw(skill, n, g))
        said = {one.model: one.possible for one in found.models}
        low, high = np.array([said[str(k)] for k in range(models)]).T
        places += bool(((low <= best) & (high >= worst)).all())
        ahead = [one for one in found.pairs if one.adjusted <= found.alpha]
        wrong += any(truth[int(one.first)] <= truth[int(one.second)] for one in ahead)
        bounds = np.full((models, models, 2), np.nan)
        for one in found.pairs:
            a, b = int(one.first), int(one.second)
            bounds[a, b], bounds[b, a] = (one.low, one.high), (-one.high, -one.low)
        held += bool(
            (
                (bounds[i, j, 0] <= apart[i, j] + 1e-12) & (bounds[i, j, 1] >= apart[i, j] - 1e-12)
            ).all()
        )
    about = f"{design.name}, {models} models {'equal' if equal else 'spread'}, {n:,} items"
    yield from rated(f"{about}: any wrong ahead", wrong, draws, 0.05, True)
    yield from rated(f"{about}: places hold", places, draws, 0.95, False)
    yield from rated(f"{about}: intervals hold", held, draws, 0.95, False)


def found_power(design: Design, difference: float, models: int, draws: int) -> Iterator[Claim]:
    """Of two models that differ so much, by the units that are said to be needed for 80 %."""
    g = np.random.default_rng([models, int(1000 * difference), DESIGNS.index(design)])
    skill = np.array([difference, 0.0])
    known = compare(design.draw(skill, 40_000, g))
    truth = float(np.subtract(*design.mean(skill)))
    level = 1 - 0.05 / (models * (models - 1) / 2)
    units = units_needed(truth, float(known.error[0, 1]), known.units, level)
    assert units is not None
    per = known.scores.n / known.units
    n = round(units * per)
    count = 0
    for _ in range(draws):
        one = compare(design.draw(skill, n, g))
        count += bool(one.p[0, 1] <= 1 - level and one.difference[0, 1] > 0)
    about = f"{design.name}, skills {difference:g} apart, a pair of {models} models, {n:,} items"
    yield at_least(f"{about}: power", count / draws, 0.75)
    yield at_most(f"{about}: power at most", count / draws, 0.85)


def slices(models: int, parts: int, per: int, draws: int) -> Iterator[Claim]:
    """Slices of several difficulties in which models differ alike."""
    g = np.random.default_rng([6, models, parts, per])
    part = np.repeat(np.arange(parts), per)
    count = 0
    for _ in range(draws):
        ease = g.normal(size=len(part))
        right = g.random((models, len(part))) < 0.35 + 0.1 * np.tanh(ease)
        scores = make_scores(names_of(right), slices=part)
        p, _ = heterogeneity(scores)
        count += p is not None and p <= 0.05
    about = f"{models} models alike in {parts} slices of {per} items: slices disagree"
    yield from rated(about, count, draws, 0.05, True)


def wins(models: int, n: int, draws: int) -> Iterator[Claim]:
    """Strengths by wins, questions as groups: comparisons of one question have luck in common."""
    g, wrong, held = np.random.default_rng([7, models, n]), 0, 0
    i, j = np.triu_indices(models, 1)
    for _ in range(draws):
        first = np.tile(i, n // len(i) + 1)[:n]
        second = np.tile(j, n // len(j) + 1)[:n]
        won = g.random(n) < 0.5
        found = rank(make_wins(first.astype(str), second.astype(str), won, np.arange(n) // 3))
        wrong += any(one.adjusted <= 0.05 for one in found.pairs)
        held += all(one.low <= 0 <= one.high for one in found.pairs)
    about = f"wins, {models} models equal, {n:,} comparisons"
    yield from rated(f"{about}: any wrong ahead", wrong, draws, 0.05, True)
    yield from rated(f"{about}: intervals hold", held, draws, 0.95, False)


def judged(models: int, n: int, by_slice: bool, draws: int) -> Iterator[Claim]:
    g = np.random.default_rng([8, models, n, int(by_slice)])
    hard = np.arange(n) < 0.7 * n
    level = np.where(hard, -0.5, 0.9)
    skill = np.repeat([0.2, -0.2], [models // 2, models - models // 2])
    truth = share()(skill[:, None] + level).mean(1)
    liked = np.linspace(0.0, 0.2, models)[:, None]
    wrong = held = 0
    for _ in range(draws):
        ease = g.normal(size=n) + level
        right = skill[:, None] + ease + g.normal(size=(models, n)) > 0
        judge = np.clip(0.1 + 0.5 * right + liked + 0.15 * g.normal(size=(models, n)), 0, 1)
        known = g.random(n) < (np.where(hard, 0.1, 0.33) if by_slice else 0.2)
        people = np.where(known, right, np.nan)
        slices_of = hard.astype(int) if by_slice else None
        found = rank(make_judged(names_of(judge), names_of(people), slices=slices_of))
        for one in found.pairs:
            if one.adjusted <= 0.05 and truth[int(one.first)] <= truth[int(one.second)] + 1e-12:
                wrong += 1
                break
        held += all(
            one.low - 1e-12 <= truth[int(one.first)] - truth[int(one.second)] <= one.high + 1e-12
            for one in found.pairs
        )
    drawn = "from slices" if by_slice else "from all"
    about = f"a judge, {models} models, {n:,} items, people's drawn {drawn}"
    yield from rated(f"{about}: any wrong ahead", wrong, draws, 0.05, True)
    yield from rated(f"{about}: intervals hold", held, draws, 0.95, False)


def keys(models: int, n: int, graded_scores: bool, draws: int) -> Iterator[Claim]:
    """The order on these very items by the right keys, called after some checks."""
    g = np.random.default_rng([9, models, n, int(graded_scores)])
    wrong = early = 0
    for seed in range(draws):
        truth = g.integers(0, 4, n)
        key = np.where(g.random(n) < 0.1, (truth + g.integers(1, 4, n)) % 4, truth)
        void = g.random(n) < 0.03
        skill = np.linspace(0.7, 0.5, models)[:, None]
        said = np.where(g.random((models, n)) < skill, truth, g.integers(0, 4, (models, n)))
        style = 0.3 * g.random((models, n)).round(1) * graded_scores
        most = 1 - 0.3 * graded_scores
        scores = make_scores(names_of(most * (said == key) + style))
        now = most * (said == truth) + style
        answers = None if graded_scores else names_of(said)
        lead = now[:, ~void].sum(1)
        nothing = np.full((models, n), np.nan)
        start = make_checked(scores, names_of(nothing), answers=answers, seed=seed)
        items = keys_to_check(start).items
        mistaken, settled = False, dict[int, int]()
        for count in range(len(items) // 10, len(items), max(1, len(items) // 10)):
            seen = np.isin(np.arange(n), items[:count])
            checked = make_checked(
                scores, names_of(np.where(seen, now, np.nan)), void=seen & void,
                answers=answers, drawn=items[:count], seed=seed,
            )  # fmt: skip
            for pair in keys_to_check(checked).neighbours:
                apart = lead[pair.first] - lead[pair.second]
                mistaken |= pair.status == "secure" and apart <= 1e-9
                mistaken |= pair.status == "reversed" and apart >= -1e-9
                settled[count] = settled.get(count, 0) + (pair.status != "open")
        wrong += mistaken
        early += settled[min(settled, key=lambda count: abs(count - len(items) / 2))]
    kind = "graded scores" if graded_scores else "answers"
    about = f"keys of {kind}, {models} models, {n:,} items: an order called wrongly"
    yield from rated(about, wrong, draws, 0.05, True)
    yield Claim(
        f"{about.partition(':')[0]}: orders called at half of the checks, of {models - 1}",
        early / draws,
    )


def measure(quick: bool) -> list[Claim]:
    draws = 20 if quick else 1000
    claims: list[Claim] = []
    for design in DESIGNS:
        for models in MODELS:
            for n in ITEMS[:2] if quick else ITEMS:
                few = max(10, draws // 3) if models == 50 and n == 5000 else draws
                for equal in (True, False):
                    claims += coverage(design, models, n, equal, few)
    for design in DESIGNS:
        for difference in (0.2, 0.5):
            for models in (2, 14):
                claims += found_power(design, difference, models, draws)
    for models, parts, per in ((3, 5, 20), (14, 57, 10), (14, 10, 100)):
        claims += slices(models, parts, per, draws)
    for models, n in ((4, 200), (10, 2000)):
        claims += wins(models, n, draws)
    for models, n in ((3, 500), (10, 2000)):
        for by_slice in (False, True):
            claims += judged(models, n, by_slice, draws)
    for models, n in ((3, 200), (6, 400)):
        for graded_scores in (False, True):
            claims += keys(models, n, graded_scores, max(10, draws // 5))
    return claims


if __name__ == "__main__":
    main("ranking", __doc__ or "", measure)
