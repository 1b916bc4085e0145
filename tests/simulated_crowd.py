"""Answers made from known error rates, and a model that mostly knows."""

from __future__ import annotations

import numpy as np

from candidly.people.crowd import Answers


def simulated(n, rates, each, seed=0, prior=None):
    """Truth, and answers of ``each`` random annotators per item with these error rates."""
    rng = np.random.default_rng(seed)
    number, m, _ = rates.shape
    truth = rng.choice(m, n, p=prior)
    who = rng.random((n, number)).argsort(1)[:, :each].ravel()
    item = np.repeat(np.arange(n), each)
    cumulated = rates.cumsum(2)[who, truth[item]]
    label = (rng.random(len(item))[:, None] > cumulated).sum(1).clip(0, m - 1)
    return truth, Answers.from_columns(item, who, label, items=n, classes=m)


def matrices(number, m, seed=0, right=(0.5, 0.9)):
    rng = np.random.default_rng(seed)
    rates = rng.dirichlet(np.ones(m), (number, m))
    accuracy = rng.uniform(*right, (number, 1, 1))
    return (1 - accuracy) * rates + accuracy * np.eye(m)


def as_rows(answers):
    return [
        (i, answers.annotators[j], label)
        for i, j, label in zip(answers.item.tolist(), answers.annotator.tolist(), answers.label)
    ]


def probs_for(truth, m, seed=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(len(truth), m)) + 2 * np.eye(m)[truth]
    return np.exp(logits) / np.exp(logits).sum(1, keepdims=True)


def crowd(seed, n=1500, number=8, copies=0.0, difficulty=0.0, m=4):
    """Truth and answers of all about all: items may be as difficult for everyone, and the second
    annotator may give the first one's answers."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, m, n)
    logit = rng.uniform(1, 2.5, number) + difficulty * rng.normal(size=(n, 1))
    right = rng.random((n, number)) < 1 / (1 + np.exp(-logit))
    said = np.where(right, truth[:, None], rng.integers(0, m, (n, number)))
    said[:, 1] = np.where(rng.random(n) < copies, said[:, 0], said[:, 1])
    return truth, Answers.from_matrix(said, classes=m)
