"""What several annotators say, in loops, as the definitions read. ``rows`` are (i, j, label)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def about(rows, i):
    return [(j, label) for item, j, label in rows if item == i]


def said_by(rows, j):
    return [(i, label) for i, who, label in rows if who == j]


def annotators_of(rows):
    return sorted({j for _, j, _ in rows})


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def mean_of_others(values):
    there = [v for v in values.values() if not math.isnan(v)]
    return {j: mean(there) if math.isnan(v) else v for j, v in values.items()}


def majority(rows, n, m, probs=None, draws=None):
    """Labels and the name of the rule that decided."""
    said = {i: [label for _, label in about(rows, i)] for i in range(n)}
    total = [sum(label == k for _, _, label in rows) for k in range(m)]
    top = {
        i: [k for k in range(m) if labels.count(k) == max(map(labels.count, labels))]
        for i, labels in said.items()
        if labels
    }
    untied = {i: classes[0] for i, classes in top.items() if len(classes) == 1}
    agreement = mean_of_others({
        j: mean(label == untied[i] for i, label in said_by(rows, j) if i in untied)
        for j in annotators_of(rows)
    })  # fmt: skip
    labels, rules = [], []
    for i in range(n):
        if i not in top:
            labels.append(-1)
            rules.append("no answer")
            continue
        left, rule = top[i], "untied"
        scores = {
            "model": lambda k, i=i: probs[i, k] if probs is not None else 0,
            "rarer class": lambda k: -total[k],
            "best annotator": lambda k, i=i: (
                max(agreement[j] for j, label in about(rows, i) if label == k) if untied else 0
            ),
        }
        for name, score in scores.items():
            if len(left) > 1:
                best = max(score(k) for k in left)
                left, rule = [k for k in left if score(k) == best], name
        if len(left) > 1:
            left, rule = [left[int(draws[i] * len(left))]], "drawn"
        labels.append(left[0])
        rules.append(rule)
    return labels, rules


def dawid_skene(rows, n, m, alpha, rounds, one_coin=False, probs=None):
    """Posterior, prior, error rates by annotator (the model as "model"), log-likelihoods."""
    answers = [(i, j, {label: 1.0}) for i, j, label in rows]
    if probs is not None:
        answers += [(i, "model", dict(enumerate(probs[i]))) for i in range(n)]
    asked = sorted({i for i, _, _ in answers})
    T = {}
    for i in asked:
        mine = [said for item, _, said in answers if item == i]
        T[i] = [sum(said.get(k, 0) for said in mine) / len(mine) for k in range(m)]
    likelihoods = []
    for _ in range(rounds):
        prior = [mean(T[i][k] for i in asked) for k in range(m)]
        rates = {}
        for j in {j for _, j, _ in answers}:
            mine = [(i, said) for i, who, said in answers if who == j]
            if one_coin:
                right = sum(T[i][k] * w for i, said in mine for k, w in said.items())
                accuracy = (alpha + right) / (m * alpha + len(mine))
                rates[j] = [
                    [accuracy if k == l else (1 - accuracy) / (m - 1) for l in range(m)]  # noqa: E741
                    for k in range(m)
                ]
                continue
            rates[j] = []
            for k in range(m):
                row = [alpha + sum(T[i][k] * said.get(l, 0) for i, said in mine) for l in range(m)]  # noqa: E741
                rates[j].append([x / sum(row) if sum(row) else 1 / m for x in row])
        total = 0.0
        for i in asked:
            joint = [
                prior[k]
                * math.prod(
                    rates[j][k][l] ** w  # 0 ** 0 is 1
                    for item, j, said in answers
                    if item == i
                    for l, w in said.items()  # noqa: E741
                )
                for k in range(m)
            ]
            total += math.log(sum(joint))
            T[i] = [x / sum(joint) for x in joint]
        likelihoods.append(total)
    posterior = np.array([T.get(i, prior) for i in range(n)])
    return posterior, prior, rates, likelihoods


def crowdlab(rows, n, m, first, probs=None):
    """Labels, posterior, weights by annotator, model weight, quality by annotator."""
    number = {i: len(about(rows, i)) for i in range(n)}
    several = [i for i in range(n) if number[i] > 1]
    people = annotators_of(rows)
    agreement = {}
    for j in people:
        compared = [
            label == other
            for i, label in said_by(rows, j)
            for who, other in about(rows, i)
            if who != j
        ]
        agreement[j] = mean(compared)
    agreement = mean_of_others(agreement)
    labels, result = list(first), None
    for turn in range(2):
        A = mean(mean(label == labels[i] for _, label in about(rows, i)) for i in several)
        mine = [labels[i] for i in several]
        E0 = max(min(mean(y != k for y in mine) for k in range(m)), 1e-6)
        w = {j: max(1 - (1 - agreement[j]) / E0, 1e-6) for j in people}
        w0 = 0.0
        if probs is not None:
            e0 = mean(int(np.argmax(probs[i])) != labels[i] for i in several)
            w0 = max(1 - e0 / E0, 1e-6) * math.sqrt(mean(v for v in number.values() if v))
        q = np.full((n, m), 1 / m)
        for i in range(n):
            total = w0 + sum(w[j] for j, _ in about(rows, i))
            for k in range(m):
                mass = w0 * probs[i, k] if probs is not None else 0.0
                for j, label in about(rows, i):
                    mass += w[j] * (A if label == k else (1 - A) / (m - 1))
                if total:
                    q[i, k] = mass / total
        result = q, w, w0
        if turn == 0:
            for i in range(n):
                best = [k for k in range(m) if q[i, k] > max(q[i]) - 1e-12]
                if len(best) == 1 or (not number[i] and probs is not None):
                    labels[i] = best[0]
    q, w, w0 = result
    mean_answers = mean(v for v in number.values() if v)
    v = w0 / (w0 + mean_answers / len(people) * sum(w.values()))
    agrees = mean_of_others({
        j: mean(label == labels[i] for i, label in said_by(rows, j) if number[i] > 1)
        for j in people
    })  # fmt: skip
    quality = {
        j: v * mean(q[i, label] for i, label in said_by(rows, j)) + (1 - v) * agrees[j]
        for j in people
    }
    return labels, q, w, w0, quality


def priority(i, rows, m, quality, w, w0, probs=None):
    average = mean(w.values())
    behind = w0 + sum(w[j] for j, _ in about(rows, i))
    if not about(rows, i):
        best = max(probs[i]) if probs is not None else 0
        return (w0 * best + average / m) / (w0 + average)
    return (quality * behind + average / m) / (behind + average)


def worst_class(rows, j, labels, quality):
    """(class, its agreement, its answers) with the lowest agreement, and how ties go."""
    mine = said_by(rows, j)
    cells = {}
    for k in {label for _, label in mine}:
        items = [i for i, label in mine if label == k]
        cells[k] = (mean(labels[i] == k for i in items), -len(items),
                    mean(quality[i] for i in items), k)  # fmt: skip
    agreement, count, _, k = min(cells.values())
    return k, agreement, -count


def sets_of_k(answers, k, truth, q):
    """(noise, size) of the union and of the vaguest answer, over all choices of k answers."""
    found = []
    for chosen in combinations(answers, k):
        union = set().union(*chosen)
        longest = set(max(chosen, key=len))  # the first of equally long ones
        found.append((truth not in union, len(union), truth not in longest, len(longest)))
    return np.mean(found, axis=0)
