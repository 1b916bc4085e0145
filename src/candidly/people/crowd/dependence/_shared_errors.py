"""What answers tell of errors that annotators share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.arrays import door
from ....ground.progress import OnProgress
from .._answers import Answers, check_answers
from .._probs import checked_probs
from ._chance import Chance, against_chance
from ._fit import FittedRates, fit
from ._pairs import AnnotatorPairs, pairs_of
from ._voices import few_together, joined

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedErrors:
    """Whether annotators err independently, and which of them seem to repeat each other.

    Attributes:
        annotators: names of the J annotators.
        pairs: what was found of each pair with five items or more in common.
        chance: all pairs together beside simulated answers; None where a pair tells already, or
            where no item has three answers.
        voices: names of annotators that count as one voice, a tuple for each voice of several.
        per_item: mean number of answers of items with answers.
        effective: how many independent answers are worth as much, by Kish's design effect.
    """

    annotators: tuple[str, ...]
    pairs: AnnotatorPairs
    chance: Chance | None
    voices: tuple[tuple[str, ...], ...]
    per_item: float
    effective: float

    @property
    def dependent(self) -> bool | None:
        """Whether errors depend: True, False, or None where nothing could be tested."""
        if self.pairs.dependent.any() or self.pairs.copies.any():
            return True
        return None if self.chance is None else self.chance.dependent

    def as_dict(self, pairs: int) -> dict[str, Any]:
        """As JSON can hold it, with the most excessive pairs."""
        return {
            "dependent": self.dependent,
            "effective": self.effective,
            "per_item": self.per_item,
            "chance": None if self.chance is None else self.chance._asdict(),
            "voices": [list(voice) for voice in self.voices],
            "pairs": self.table().head(pairs).rows(named=True),
        }

    def table(self) -> pl.DataFrame:
        """A row per pair, the most excessive beside what is common to all first.

        Columns: annotator, other; items that both answered; shared wrong answers; expected, if
        the two erred independently; p of it; common, expected with what is common to all pairs;
        common p; repeats, whether one seems to repeat the other. Both p are adjusted for all pairs.
        """
        import polars as pl

        pairs = self.pairs
        names = np.array(self.annotators, object)
        order = np.argsort(-pairs.found / np.maximum(pairs.common, 1e-12), kind="stable")
        return pl.DataFrame(
            {
                "annotator": pl.Series(names[pairs.first[order]].tolist(), dtype=pl.String),
                "other": pl.Series(names[pairs.second[order]].tolist(), dtype=pl.String),
                "items": pairs.items[order],
                "shared wrong": pairs.found[order],
                "expected": pairs.expected[order],
                "p": pairs.p[order],
                "common": pairs.common[order],
                "common p": pairs.p_common[order],
                "repeats": pairs.copies[order],
            }
        )


@door
def shared_errors(
    answers: Answers,
    probs: Any = None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> SharedErrors:
    """Test whether annotators share more wrong answers than their error rates bring about.

    What is right is judged by the answers of all others, so an item needs three answers to take
    part. Items that are difficult for everyone make errors depend, too: that errors depend says
    nothing of why. Only pairs that share far more than what is common to all are said to repeat
    each other. Nothing here can see an error that nearly all share.

    Args:
        answers: the answers of people, or of models.
        probs: (n, m), a model's probabilities, or None.
        seed: the seed of simulated answers.
        watch: called with simulated sets done and in all.
        workers: threads; their number changes no bit of the result.

    Raises:
        ValueError: unsound probabilities.

    >>> rng = np.random.default_rng(0)
    >>> truth, right = rng.integers(0, 3, 600), rng.random((600, 5)) < 0.8
    >>> said = np.where(right, truth[:, None], rng.integers(0, 3, (600, 5)))
    >>> said[:, 4] = said[:, 3]
    >>> shared_errors(Answers.from_matrix(said)).voices
    (('3', '4'),)
    """
    check_answers(answers)
    if probs is not None:
        probs = checked_probs(probs, answers)
    return look_at(answers, probs, seed, watch, workers).shared


@dataclass(frozen=True, eq=False)
class Looked:
    """What was found, and the fits at temperature 1 that it was found with.

    Attributes:
        shared: what was found.
        alone: the fit of all annotators, but those of few answers in one.
        voices: the fit of the voices that are left.
        of: int64 (J,), the number that the voice of each annotator has in ``voices``.
    """

    shared: SharedErrors
    alone: FittedRates
    voices: FittedRates
    of: np.ndarray


def look_at(
    answers: Answers,
    probs: np.ndarray | None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> Looked:
    """See ``shared_errors``."""
    together, codes, others = few_together(answers)
    alone = fit(together, probs, others=others, workers=workers)
    pairs = pairs_of(alone)
    fitted, voices = joined(alone, pairs, probs, workers)
    chance = None
    if not (pairs.dependent.any() or pairs.copies.any()):
        bare = alone if probs is None else fit(together, others=others, workers=workers)
        chance = against_chance(bare, seed, watch)
    there = np.flatnonzero(codes < len(together.annotators) - others)
    numbers = np.full(len(together.annotators), -1)
    numbers[codes[there]] = there
    told = pairs._replace(first=numbers[pairs.first], second=numbers[pairs.second])
    of = voices[codes]
    groups = [np.flatnonzero(of[there] == k) for k in np.unique(of[there]).tolist()]
    shared = SharedErrors(
        annotators=answers.annotators,
        pairs=told,
        chance=chance,
        voices=tuple(
            tuple(answers.annotators[j] for j in there[group].tolist())
            for group in groups
            if len(group) > 1
        ),
        per_item=float(answers.per_item[answers.per_item > 0].mean()),
        effective=_effective(alone, 1.0 if chance is None else chance.usual),
    )
    return Looked(shared, alone, fitted, of)


def _effective(fitted: FittedRates, usual: float) -> float:
    """Answers of an item over the design effect, 1 + (answers - 1) x correlation of errors.

    The correlation is the mean excess of shared wrong answers over the variance of an error.

    Args:
        usual: shared wrong answers over their expected number where errors are independent.

    Source: Kish, "Survey sampling", 1965.
    """
    from ._kernels import shared_in_all

    answers = fitted.answers
    number = answers.per_item[answers.per_item > 0]
    mean = float(number.mean())
    found, expected = shared_in_all(fitted.said, fitted.known, fitted.logs, fitted.rates)
    wrong = 1 - float(fitted.posterior[answers.item, answers.label].mean())
    pairs = float((number * (number - 1) / 2)[number > 2].sum())
    variance = pairs * wrong * (1 - wrong)
    correlation = min(max((found - usual * expected) / variance, 0.0), 1.0) if variance > 0 else 0.0
    return mean / (1 + (mean - 1) * correlation)
