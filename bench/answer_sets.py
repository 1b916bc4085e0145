"""Candidate sets from answers that are sets: those of a consensus beside simpler rules.

Of CIFAR-10S, whose annotators named the classes that a picture may show, k random answers a picture
count; and of simulated annotators, who err independently or see the same ambiguity.

    python bench/answer_sets.py            two minutes; writes bench/results/answer_sets.json
    python bench/answer_sets.py --quick    one order of the answers; writes nothing
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

from _bench import Claim, main
from candidly import load
from candidly.data.labels.votes import Votes, at_least, majority, some_answers, union, vaguest
from candidly.people.crowd import SetConsensus, set_consensus

ANSWERS = (1, 2, 3, 4, 6)
MASSES = (0.9, 0.95, 0.99)
RULES: dict[str, Callable[[Votes, int, int], np.ndarray]] = {
    "union": lambda votes, n, q: union(votes, n, q, "all"),
    "vaguest": lambda votes, n, q: vaguest(votes, n, q, "all"),
    "at least 2": lambda votes, n, q: at_least(votes, n, q, 2, "all"),
    "majority": lambda votes, n, q: majority(votes, n, q, "all"),
}


def simulated(seed: int, shared: bool) -> tuple[np.ndarray, Votes, int]:
    """1,000 items, 10 classes, six answers of 40 people, each of whom leaves out the truth in 2 to
    15 % of cases. Other classes come in by 0.19 each; if shared, those that look alike by 0.6."""
    rng = np.random.default_rng([seed, shared])
    n, q, people = 1000, 10, 40
    truth = rng.integers(0, q, n)
    misses = rng.uniform(0.02, 0.15, people)
    alike = rng.random((n, q)) < 0.2  # in the eyes of everybody
    rows = []
    for i, true in enumerate(truth.tolist()):
        chance = np.where(alike[i], 0.6, 0.0875) if shared else np.full(q, 0.19)
        for who in rng.choice(people, 6, replace=False).tolist():
            holds = rng.random(q) < chance
            holds[true] = rng.random() > misses[who]
            if not holds.any():
                holds[rng.integers(q)] = True
            rows.append((i, str(who), np.flatnonzero(holds).tolist()))
    return truth, Votes.from_rows(rows), q


def sides(name: str, truth: np.ndarray, votes: Votes, q: int, orders: int) -> Iterator[Claim]:
    n = len(truth)
    for k in ANSWERS:
        found: dict[str, list[tuple[float, float]]] = {}
        right = []
        for seed in range(orders):
            some = some_answers(votes, k, seed)
            consensus = set_consensus(some, n, q)
            right.append((consensus.labels == truth).mean())
            ways = {rule: made(some, n, q) for rule, made in RULES.items()}
            for rule, sets in (ways | of_masses(consensus)).items():
                lacks = 1 - sets[np.arange(n), truth].mean()
                found.setdefault(rule, []).append((lacks, sets.sum(1).mean()))
        about = f"{name}, {k} answers"
        yield Claim(f"{about}: right, percent", 100 * float(np.mean(right)))
        for rule, pairs in found.items():
            lacks, size = np.mean(pairs, 0).tolist()
            yield Claim(f"{about}: {rule} lacks the truth, percent", 100 * lacks)
            yield Claim(f"{about}: {rule} labels", size)


def of_masses(consensus: SetConsensus) -> dict[str, np.ndarray]:
    return {f"{100 * mass:g} %": consensus.candidates(mass) for mass in MASSES}


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")  # answers that leave no class
    data = load("cifar10s")
    assert data.official_test is not None
    data = data[~data.official_test]
    assert data.votes is not None
    orders = 1 if quick else 10
    claims = list(sides("CIFAR-10S", np.asarray(data.truth), data.votes, data.q, orders))
    for name, shared in (("independent", False), ("shared ambiguity", True)):
        truth, votes, q = simulated(0, shared)
        claims += sides(name, truth, votes, q, orders)
    return claims


if __name__ == "__main__":
    main("answer_sets", __doc__ or "", measure)
