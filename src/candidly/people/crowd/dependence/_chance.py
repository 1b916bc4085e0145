"""Whether answers as a whole depend: shared wrong answers beside those of simulated answers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....ground.progress import OnProgress
from ....ground.seeds import draw
from .._answers import Answers
from .._probs import drawn_classes
from ._fit import FittedRates, fit
from ._pairs import ALPHA

DRAWS = 79  # sets of answers that are simulated: more than all of them is p = 1 / 80
ENOUGH = 200_000  # answers that are looked at


class Chance(NamedTuple):
    """Wrong answers that pairs share, over their expected number, beside simulated answers.

    Attributes:
        ratio: of the answers; about 1 where annotators err independently.
        usual, largest: of the simulated sets, in which they do: the mean, and the largest.
        p: of the ratio, one-sided: one over the number of the first simulated set that has as
            large a ratio (Besag and Clifford, Biometrika 1991); 1/80 where none of 79 has.
    """

    ratio: float
    usual: float
    largest: float
    p: float

    @property
    def dependent(self) -> bool:
        """Whether the answers share more wrong answers than all simulated sets.

        They are simulated from error rates that the answers themselves have given, which makes them
        a little more alike than they should be. So p is no exact one, and half of the usual level
        is asked for; of independent crowds 2 to 5 % are still said to depend.
        """
        return self.p < ALPHA / 2


def against_chance(
    fitted: FittedRates, seed: int = 0, watch: OnProgress | None = None
) -> Chance | None:
    """Compare with answers drawn from the fitted model, in which annotators err independently.

    Each simulated set has the same annotators at the same items and is fitted anew, so that what
    the fit makes of few answers is in both. Of more than 200,000 answers the items are sampled.

    Args:
        fitted: at temperature 1, without a model.

    Returns:
        None where no item has three answers.
    """
    rng = draw(seed, "crowd dependence")
    if len(fitted.answers) > ENOUGH:
        some = np.flatnonzero(rng.random(fitted.answers.n) < ENOUGH / len(fitted.answers))
        fitted = fit(_only(fitted.answers, some), others=fitted.others)
    ratio = ratio_of(fitted)
    if ratio is None:
        return None
    drawn: list[float] = []
    for k in range(DRAWS):
        made = ratio_of(fit(_simulated(fitted, rng), others=fitted.others))
        drawn.append(1.0 if made is None else made)
        if watch is not None:
            watch(k + 1, DRAWS)
        if drawn[-1] >= ratio:
            break
    none_as_large = drawn[-1] < ratio
    p = 1 / (DRAWS + 1) if none_as_large else 1 / len(drawn)
    return Chance(ratio, float(np.mean(drawn)), max(drawn), p)


def ratio_of(fitted: FittedRates) -> float | None:
    """Wrong answers that pairs share over their expected number; None where none is expected."""
    from ._kernels import shared_in_all

    found, expected = shared_in_all(fitted.said, fitted.known, fitted.logs, fitted.rates)
    return found / expected if expected > 0 else None


def _simulated(fitted: FittedRates, rng: np.random.Generator) -> Answers:
    """Answers of the same annotators about the same items, independent given the true class."""
    answers = fitted.answers
    truth = drawn_classes(fitted.posterior, rng)
    rates = fitted.rates[answers.annotator, :, truth[answers.item]]
    return replace(answers, label=drawn_classes(rates, rng).astype(np.int32))


def _only(answers: Answers, items: np.ndarray) -> Answers:
    """The answers about some items, by all annotators in their order."""
    kept = np.isin(answers.item, items)
    return replace(
        answers,
        item=np.searchsorted(items, answers.item[kept]).astype(np.int32),
        annotator=answers.annotator[kept],
        label=answers.label[kept],
        items=answers.items[items],
    )
