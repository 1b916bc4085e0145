"""A judge's scores of all items, and people's of a few: what people would have said of all.

A judge, such as a language model, errs in one direction and not equally for all models. People's
scores of some items, drawn at random, correct it: the estimate is their mean, moved by how the
judge's scores of the other items differ from those of the same (prediction-powered inference). How
far it is moved is chosen so that the variance is smallest; by a judge that tells nothing, not at
all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.numbers import count_of
from ...ground.problem import Refusal
from ._scores import Scores, make_scores

FEW = 10  # items that people have to score
LEAST = 2  # of a stratum


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """R models on n items, scored by a judge and, in part, by people.

    Attributes:
        judge: the judge's scores, of every item.
        people: float64 (R, n), people's scores; NaN where they gave none.
        stratum: int64 (n,), 0..H-1: people's items were drawn at random within each; one stratum
            where they were drawn from all.
    """

    judge: Scores
    people: np.ndarray
    stratum: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        return self.judge.names

    @property
    def n(self) -> int:
        return self.judge.n


@dataclass(frozen=True)
class JudgedMean:
    """A mean over all items, by people's scores of some and a judge's of all.

    Attributes:
        value: the estimate. error: its standard error.
        by_people: the mean of people's scores alone. people_error: its standard error.
        by_judge: the mean of the judge's scores, which may be far from the truth.
        weight: how far the judge's scores move the estimate: 0 not at all, 1 fully.
        labelled: items that people scored.
        worth: of how many items people's scores alone would be as exact.
    """

    value: float
    error: float
    by_people: float
    people_error: float
    by_judge: float
    weight: float
    labelled: int
    worth: float


@door
def make_judged(
    judge: Mapping[str, Any],
    people: Mapping[str, Any],
    *,
    ids: Sequence[Any] | np.ndarray | None = None,
    groups: Sequence[Any] | np.ndarray | None = None,
    slices: Sequence[Any] | np.ndarray | None = None,
    between: tuple[float, float] = (0.0, 1.0),
) -> JudgedScores:
    """Checked scores of a judge and of people, on the same items.

    Args:
        judge: name -> scores (n,) of every item. people: the same names -> scores (n,), NaN where
            people gave none. Which items people scored was drawn at random; a choice of the
            doubtful ones would mislead.
        ids, groups, between: as of ``make_scores``.
        slices: (n,) parts of the benchmark, such as subjects, that are strata: people's items were
            drawn at random from each, not necessarily as many as its size asks for.

    Raises:
        ValueError: what ``make_scores`` refuses, other names, or fewer than ten items of a model
            that people scored, or two of a slice.
    """
    scores = make_scores(judge, ids=ids, groups=groups, slices=slices, between=between)
    stratum = np.zeros(scores.n, np.int64) if scores.slice_of is None else scores.slice_of
    if set(map(str, people)) != set(scores.names):
        raise ValueError(
            f"`people` scored {', '.join(map(str, people))} and `judge` "
            f"{', '.join(scores.names)}; both score the same models."
        )
    found = np.full(scores.values.shape, np.nan)
    for r, name in enumerate(scores.names):
        given = as_array(people[name], f"people[{name!r}]").astype(np.float64)
        if given.shape != (scores.n,):
            raise ValueError(
                f"people's scores of {name!r} have shape {given.shape}; there are {scores.n:,} "
                "items, with NaN where people gave none."
            )
        outside = (given < between[0]) | (given > between[1])
        if outside.any():
            place = int(np.flatnonzero(outside)[0])
            raise Refusal(
                f"People's score of {name!r} on item {scores.ids[place]} is {given[place]:g}, and "
                f"scores lie between {between[0]:g} and {between[1]:g}.",
                "say what scores lie between with `between`",
            )
        count = int((~np.isnan(given)).sum())
        if count < FEW:
            raise ValueError(
                f"people scored {count} items of {name!r}; with fewer than {FEW} nothing can be "
                "said of the judge."
            )
        counts = np.bincount(stratum[~np.isnan(given)], minlength=int(stratum.max()) + 1)
        if (counts < LEAST).any():
            few = int(counts.argmin())
            items = count_of(int(counts[few]), "item")
            raise Refusal(
                f"People scored {items} of {name!r} in the slice {scores.slices[few]!r}; a "
                f"slice needs {LEAST}.",
                "put small slices together",
                "leave slices out, where items were drawn from all",
            )
        found[r] = given
    return JudgedScores(scores, found, stratum)


def judged_mean(
    people: np.ndarray, judge: np.ndarray, group: np.ndarray, stratum: np.ndarray | None = None
) -> JudgedMean:
    """The prediction-powered mean with the best weight, and an error summed over groups.

    Args:
        people: (n,), NaN where people gave none. judge: (n,). group: int (n,).
        stratum: int (n,), 0..H-1: each has its own mean, which counts by its size, and all have one
            weight of the judge, since a few items cannot tell a weight of each; without it all
            items are one.

    Source: Angelopoulos, Duchi & Zrnic, PPI++, 2023, equation 7 and Section 6, with the weight cut
    to [0, 1]; by strata Fisch et al., NeurIPS 2024, with one weight.
    """
    stratum = np.zeros(len(people), np.int64) if stratum is None else stratum
    known = ~np.isnan(people)
    parts = [
        _Stratum(people[here & known], judge[here & known], judge[here & ~known], here)
        for here in (stratum == h for h in range(int(stratum.max()) + 1))
    ]
    weight = _best_weight(parts)
    value, error = _mean_at(weight, parts, known, group)
    alone, alone_error = _mean_at(0.0, parts, known, group)
    n = int(known.sum())
    worth = n * (alone_error / error) ** 2 if error > 0 else float(n)
    return JudgedMean(value, error, alone, alone_error, float(judge.mean()), weight, n, worth)


class _Stratum(NamedTuple):
    """A stratum: people's scores, the judge's of the same items and of the others, its items."""

    y: np.ndarray
    f: np.ndarray
    rest: np.ndarray
    here: np.ndarray

    @property
    def share(self) -> float:
        return float(self.here.mean())


def _best_weight(parts: Sequence[_Stratum]) -> float:
    """The one at which the variance is smallest, in [0, 1]; 0 where the judge says nothing else."""
    covariance = spread = 0.0
    for y, f, rest, here in parts:
        if len(rest) and len(y) > 1:
            n, size = len(y), here.mean() ** 2
            covariance += size * float(np.cov(y, f)[0, 1]) / n
            spread += (
                size * float(np.var(np.concatenate([f, rest]), ddof=1)) * (1 / n + 1 / len(rest))
            )
    return min(max(covariance / spread, 0.0), 1.0) if spread > 0 else 0.0


def _mean_at(
    weight: float, parts: Sequence[_Stratum], known: np.ndarray, group: np.ndarray
) -> tuple[float, float]:
    """The mean with this weight of the judge, and its standard error."""
    value, away = 0.0, np.zeros(len(known))
    for part in parts:
        y, f, rest, here = part
        of = weight if len(rest) else 0.0  # with every item scored by people no judge is needed
        value += part.share * float(y.mean())
        # sums within a stratum are about its own mean, which costs a degree of freedom
        free = part.share * np.sqrt(len(y) / max(len(y) - 1, 1) if len(parts) > 1 else 1.0)
        away[here & known] = free * ((y - y.mean()) - of * (f - f.mean())) / len(y)
        if of:
            value += part.share * of * float(rest.mean() - f.mean())
            away[here & ~known] = part.share * of * (rest - rest.mean()) / len(rest)
    there = known | bool(weight)
    codes = np.unique(group[there], return_inverse=True)[1]
    sums = np.bincount(codes, away[there])
    many = len(sums) / max(len(sums) - 1, 1) if len(parts) == 1 else 1.0
    return value, float(np.sqrt((sums**2).sum() * many))


@dataclass(frozen=True, eq=False)
class PairedJudged:
    """As ``PairedModels``; a pair's weight is its own, and so is its error."""

    means: tuple[JudgedMean, ...]
    mean: np.ndarray
    difference: np.ndarray
    p: np.ndarray
    error: np.ndarray
    differing: np.ndarray
    units: int
    _freedom: int
    _between: tuple[float, float]

    def intervals(self, level: float) -> np.ndarray:
        most = self._between[1] - self._between[0]
        return np.clip(self._around(self.difference, self.error, level), -most, most)

    def own_intervals(self, level: float) -> np.ndarray:
        errors = np.array([one.error for one in self.means])
        return np.clip(self._around(self.mean, errors, level), *self._between)

    def _around(self, middle: np.ndarray, error: np.ndarray, level: float) -> np.ndarray:
        from scipy.special import stdtrit

        t = float(stdtrit(self._freedom, (1 + level) / 2))
        return np.stack([middle - t * error, middle + t * error], -1)


def compare_judged(judged: JudgedScores) -> PairedJudged:
    """Every pair of models: the difference of both, by people's scores and the judge's."""
    from scipy.special import stdtr

    scores, models = judged.judge, len(judged.names)
    means = tuple(
        judged_mean(people, judge, scores.group, judged.stratum)
        for people, judge in zip(judged.people, scores.values)
    )
    difference, error = np.zeros((models, models)), np.zeros((models, models))
    differing = np.zeros((models, models), np.int64)
    freedom = scores.groups
    for a in range(models):
        for b in range(a + 1, models):
            apart = judged.people[a] - judged.people[b]
            if (~np.isnan(apart)).sum() < FEW:
                raise Refusal(
                    f"People scored fewer than {FEW} items of both {judged.names[a]!r} and "
                    f"{judged.names[b]!r}.",
                    "have the same items scored for every model",
                )
            _check_slices(judged, (a, b), ~np.isnan(apart))
            one = judged_mean(
                apart, scores.values[a] - scores.values[b], scores.group, judged.stratum
            )
            difference[a, b], difference[b, a] = one.value, -one.value
            error[a, b] = error[b, a] = one.error
            differing[a, b] = differing[b, a] = int((apart[~np.isnan(apart)] != 0).sum())
            drawn = len(np.unique(scores.group[~np.isnan(apart)]))
            freedom = min(freedom, drawn - int(judged.stratum.max()))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * stdtr(freedom - 1, -np.abs(difference) / error)
    least = 2.0 ** (1.0 - np.minimum(differing, 1000))
    p = np.where(error > 0, np.minimum(1, np.maximum(p, least)), 1.0)
    value = np.array([one.value for one in means])
    ends = (scores.lowest, scores.highest)
    units = scores.groups
    return PairedJudged(means, value, difference, p, error, differing, units, freedom - 1, ends)


def _check_slices(judged: JudgedScores, pair: tuple[int, int], known: np.ndarray) -> None:
    """Raises Refusal where people scored too few items of both models in a slice."""
    counts = np.bincount(judged.stratum[known], minlength=int(judged.stratum.max()) + 1)
    if (counts < LEAST).any():
        a, b = (judged.names[k] for k in pair)
        raise Refusal(
            f"People scored {counts.min()} items of both {a!r} and {b!r} in the slice "
            f"{judged.judge.slices[int(counts.argmin())]!r}; a slice needs {LEAST}.",
            "have the same items scored for every model",
            "put small slices together",
        )


@dataclass(frozen=True)
class RoganGladen:
    """A share that is corrected for a judge's errors.

    Attributes:
        value: in [0, 1]. low, high: of its interval.
        sensitivity, specificity: how often the judge says right of what is right, and wrong of what
            is wrong, by people's scores.
    """

    value: float
    low: float
    high: float
    sensitivity: float
    specificity: float


@door
def rogan_gladen(people: np.ndarray, judge: np.ndarray, level: float = 0.95) -> RoganGladen:
    """The share of right answers by a judge of right and wrong, corrected for its errors.

    Args:
        people: (n,) 1 for right, 0 for wrong, NaN where people gave none. judge: (n,) of 0 and 1.
        level: of the interval, in (0, 1).

    Raises:
        ValueError: other numbers; people call all right or all wrong; a judge that is no better
            than one who does not look, of which nothing can be corrected.

    Source: Rogan & Gladen, American Journal of Epidemiology 107, 1978; the interval is that of Lang
    & Reiczigel, Preventive Veterinary Medicine 113, 2014.
    """
    import statistics

    y, f = np.asarray(people, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    known = ~np.isnan(y)
    if y.shape != f.shape or not np.isin(y[known], (0, 1)).all() or not np.isin(f, (0, 1)).all():
        raise ValueError("`people` and `judge` are (n,) of 0 and 1, `people` with NaN for none.")
    right, wrong = f[known & (y == 1)], f[known & (y == 0)]
    if len(right) == 0 or len(wrong) == 0:
        raise ValueError("people call every item right, or every item wrong; both are needed.")
    sensitivity, specificity = float(right.mean()), float(1 - wrong.mean())
    if sensitivity + specificity <= 1:
        raise ValueError(
            f"the judge calls {100 * sensitivity:.0f} % of right answers right, and "
            f"{100 * (1 - specificity):.0f} % of wrong ones; it tells nothing of them."
        )
    rest = f[~known]
    n, share = len(rest), float(rest.mean()) if len(rest) else float(f.mean())
    value = (share + specificity - 1) / (sensitivity + specificity - 1)
    z = statistics.NormalDist().inv_cdf((1 + level) / 2)
    many, q = n + z**2, (n * share + z**2 / 2) / (n + z**2)
    of_right, of_wrong = len(right) + 2, len(wrong) + 2
    se, sp = (right.sum() + 1) / of_right, (len(wrong) - wrong.sum() + 1) / of_wrong
    p = (q + sp - 1) / (se + sp - 1)
    shift = 2 * z**2 * (p * se * (1 - se) / of_right - (1 - p) * sp * (1 - sp) / of_wrong)
    variance = q * (1 - q) / many + p**2 * se * (1 - se) / of_right
    variance += (1 - p) ** 2 * sp * (1 - sp) / of_wrong
    half = z * np.sqrt(variance) / (se + sp - 1)
    low, high = np.clip([p + shift - half, p + shift + half], 0, 1).tolist()
    return RoganGladen(min(max(value, 0.0), 1.0), low, high, sensitivity, specificity)
