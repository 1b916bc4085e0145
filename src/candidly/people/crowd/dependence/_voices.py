"""Who counts as one voice: those of too few answers to be told apart, and near-copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .._answers import Answers
from ._fit import FittedRates, fit
from ._pairs import LEAST_SHARED, AnnotatorPairs, pairs_of

OTHERS = "annotators of few answers"


def few_together(answers: Answers) -> tuple[Answers, np.ndarray, bool]:
    """The answers with one annotator in place of all those who gave fewer than five.

    Their error rates would be next to those of all annotators anyway (``_fit``), and of no use
    where pairs are tested.

    Returns:
        (the answers, in which that annotator is the last and may answer an item several times;
        int64 (J,), the number that each annotator has in them; whether there are such annotators).
    """
    few = answers.per_annotator < LEAST_SHARED
    if few.sum() < 2:
        return answers, np.arange(len(few)), False
    kept = np.flatnonzero(~few)
    codes = np.full(len(few), len(kept))
    codes[kept] = np.arange(len(kept))
    names = (*(answers.annotators[j] for j in kept.tolist()), OTHERS)
    return _renamed(answers, codes[answers.annotator], names), codes, True


def joined(
    first: FittedRates, pairs: AnnotatorPairs, probs: np.ndarray | None, workers: int = 1
) -> tuple[FittedRates, np.ndarray]:
    """Join pairs that repeat each other, the most excessive first, and look again until none is.

    At one look each annotator is joined once at most.

    Args:
        first: the fit at temperature 1. pairs: what was found of its pairs.

    Returns:
        (the fit, at temperature 1, of the answers that are left; int64 (J,), the number that the
        voice of each annotator has in them).
    """
    fitted = first
    codes = np.arange(len(first.answers.annotators))
    while pairs.copies.any():
        left, number = fitted.answers, np.arange(len(fitted.answers.annotators))
        for one, other in _apart(pairs):
            if fitted.answers.per_annotator[other] > fitted.answers.per_annotator[one]:
                one, other = other, one
            keep, join = int(number[one]), int(number[other])
            left = _with_one_voice(left, keep, join)
            number[other] = keep
            number -= number > join
        codes = number[codes]
        fitted = fit(left, probs, others=first.others, workers=workers)
        pairs = pairs_of(fitted)
    return fitted, codes


def _apart(pairs: AnnotatorPairs) -> Iterator[tuple[int, int]]:
    """Pairs that repeat each other, the most excessive first, without those of one met before."""
    among = np.flatnonzero(pairs.copies)
    met: set[int] = set()
    for k in among[np.argsort(-pairs.found[among] / pairs.common[among], kind="stable")].tolist():
        pair = int(pairs.first[k]), int(pairs.second[k])
        if met.isdisjoint(pair):
            met.update(pair)
            yield pair


def _with_one_voice(answers: Answers, keep: int, join: int) -> Answers:
    """The answers where ``keep`` also gives those of ``join`` about items it did not answer."""
    answered = np.zeros(answers.n, bool)
    answered[answers.item[answers.annotator == keep]] = True
    kept = (answers.annotator != join) | ~answered[answers.item]
    who = np.where(answers.annotator == join, keep, answers.annotator)[kept]
    who -= who > join
    names = tuple(name for j, name in enumerate(answers.annotators) if j != join)
    left = replace(answers, item=answers.item[kept], label=answers.label[kept])
    return _renamed(left, who, names)


def _renamed(answers: Answers, who: np.ndarray, names: tuple[str, ...]) -> Answers:
    """The answers with other annotators, in order of item and annotator."""
    order = np.lexsort((who, answers.item))
    return replace(
        answers,
        item=answers.item[order],
        annotator=who[order].astype(np.int32),
        label=answers.label[order],
        annotators=names,
    )
