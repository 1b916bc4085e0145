"""How often intervals hold, and how often a ranking is called secure that is not.

Exactly, by summing over what may be found, where that is possible; else by simulation. Designs: few
and many wrong labels in an audit and in a sample of flagged ones; answers that are missing; strata;
crossings of few changed items; few values that are resampled; a near copy of the best model.

    python bench/intervals.py            about ten minutes; writes bench/results/intervals.json
    python bench/intervals.py --quick    a few draws; writes nothing
"""

from __future__ import annotations

import numpy as np
from scipy.stats import hypergeom

from _bench import Claim, at_least, at_most, main
from candidly.compare.stability import assess, find_crossings, make_case, tie_prevalence
from candidly.people.validation import estimate, from_counts, judge, missed, sets
from candidly.stats import bootstrap_interval, stratified_total

SAMPLES = ((1000, 50), (1000, 300), (5000, 100), (44_560, 300))
LEVEL = 95


def exactly(flagged: int, checked: int) -> dict[str, float]:
    """The worst share of draws in which each interval holds, over numbers of wrong labels, in %."""
    worst = {"interval": 1.0, "missed": 1.0, "Wilson's": 1.0}
    for wrong in np.unique(np.geomspace(1, flagged / 2, 25).astype(int)).tolist():
        held = dict.fromkeys(worst, 0.0)
        for found in range(min(wrong, checked) + 1):
            chance = float(hypergeom.pmf(found, flagged, wrong, checked))
            if chance < 1e-9:
                continue
            known, audit = estimate(found, checked, flagged), missed(flagged, checked, found)
            ends = {
                "interval": known.interval,
                "missed": (audit.low, audit.high),
                "Wilson's": known.wilson,
            }
            for name, (low, high) in ends.items():
                held[name] += chance * (low <= wrong <= high)
        worst = {name: min(worst[name], held[name]) for name in worst}
    return {name: 100 * value for name, value in worst.items()}


def with_gaps(draws: int) -> float:
    """How often the prevalence of `sets` holds, of 2,000 flagged of which 40 % are answered."""
    rng = np.random.default_rng(0)
    wrong = rng.random(2000) < 0.3
    counts = np.where(wrong[:, None], [0, 3, 0, 0], [3, 0, 0, 0])
    truth = sets(judge(from_counts(counts)), 20_000).prevalence
    held = []
    for _ in range(draws):
        some = counts * (rng.random(2000) < 0.4)[:, None]
        found = sets(judge(from_counts(some)), 20_000)
        held.append(found.low <= truth <= found.high)
    return 100 * float(np.mean(held))


def by_strata(rates: tuple[float, ...], draws: int) -> float:
    """How often the total of three strata holds, of which 60, 30 and 10 rows are checked."""
    rng = np.random.default_rng(1)
    sizes, checked = np.array([8000, 1500, 500]), np.array([60, 30, 10])
    wrong = (sizes * np.array(rates)).astype(int)
    found = rng.hypergeometric(wrong, sizes - wrong, checked, (draws, 3))
    totals = [stratified_total(sizes, checked, x) for x in found]
    return 100 * float(np.mean([t.low <= wrong.sum() <= t.high for t in totals]))


def at_crossings(size: int, on_b: tuple, on_c: tuple, draws: int) -> float:
    """How often the interval of a crossing holds, among pairs that cross."""
    rng = np.random.default_rng(size)
    truth = tie_prevalence(on_b[0] - on_b[1], on_c[0] - on_c[1])
    held = []
    for _ in range(draws):
        benign, changed = (
            rng.choice(3, n, p=[*p, 1 - sum(p)]) for n, p in ((2000, on_b), (size, on_c[::-1]))
        )
        rows = [np.stack([x == 0, x == 1]) | (x == 2) for x in (benign, changed)]
        found = find_crossings(*rows)
        if len(found) == 1 and found.ahead[0] == 0:
            held.append(found.interval[0, 0] <= truth <= found.interval[0, 1])
    return 100 * float(np.mean(held))


def resampled(n: int, draws: int) -> dict[str, float]:
    """How often `bootstrap_interval` holds the mean of n values, by their distribution, in %."""
    rng = np.random.default_rng(n)
    made = {
        "normal": (lambda: rng.normal(size=n), 0),
        "exponential": (lambda: rng.exponential(size=n), 1),
        "t with 3 degrees of freedom": (lambda: rng.standard_t(3, size=n), 0),
    }
    found = {}
    for name, (draw, mean) in made.items():
        held = []
        for _ in range(draws):
            ends = bootstrap_interval(draw(), resamples=1500)
            assert ends.low is not None
            assert ends.high is not None
            held.append(ends.low <= mean <= ends.high)
        found[name] = 100 * float(np.mean(held))
    return found


def secure_by_mistake(draws: int) -> float:
    """How often the first place is secure of a model with which a third one ties, in %."""
    wrong = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 5, 2000)
        best = rng.random(2000) < 0.8
        right = {"best": best, "copy": best & (rng.random(2000) > 0.01)}
        right["other"] = rng.random(2000) < 0.8
        models = {name: np.where(r, labels, (labels + 1) % 5) for name, r in right.items()}
        found = assess(make_case(labels, None, models), resamples=0)
        wrong += found.secure >= 1 and found.standings[0].model != "copy"
    return 100 * wrong / draws


def measure(quick: bool) -> list[Claim]:
    draws = 100 if quick else 2000
    claims = []
    for flagged, checked in SAMPLES[:1] if quick else SAMPLES:
        found = exactly(flagged, checked)
        of = f"{checked} checked of {flagged:,}, at worst, %"
        claims.append(at_least(f"Estimate.interval, {of}", found["interval"], LEVEL))
        claims.append(at_least(f"missed, {of}", found["missed"], LEVEL))
        claims.append(Claim(f"Wilson's, which is not used, {of}", found["Wilson's"]))
    claims.append(at_least("sets, two in five answered, %", with_gaps(draws), 94))
    for rates in ((0.0, 0.02, 0.1), (0.001, 0.1, 0.6), (0.05, 0.2, 0.9), (0.0, 0.0, 0.02)):
        told = ", ".join(f"{rate:.1%}" for rate in rates)
        claims.append(
            at_least(f"stratified_total, {told} wrong, %", by_strata(rates, draws), LEVEL)
        )
    for size in (18, 40, 100):
        for on_b, on_c in (((0.03, 0.01), (0.3, 0.05)), ((0.05, 0.01), (0.2, 0.1))):
            value = at_crossings(size, on_b, on_c, draws)
            name = f"crossing, {size} changed items, {on_c[0]:.0%} to {on_c[1]:.0%} right alone, %"
            claims.append(at_least(name, value, 94))
    for n in (5, 10, 20, 40):  # nominally 95; the docstring of it says what is measured
        for name, value in resampled(n, draws // 4).items():
            claims.append(Claim(f"bootstrap_interval, {n} values, {name}, %", value))
    claims.append(
        at_most("secure in a tie, beside a near copy, %", secure_by_mistake(draws // 5), 5)
    )
    return claims


if __name__ == "__main__":
    main("intervals", __doc__ or "", measure)
