"""How far a choice by CR or AA can be trusted, from what the validation rows without truth say.

The choice is remade on resampled validation rows, and its accuracy is estimated from CR and the
flip rate. Plan and journal are enough: a record's ``outcomes`` hold what each validation row adds
to AA, and is positive where the prediction is a candidate. Nothing here reads a true label.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...stats.criteria import FlipRate, accuracy_from_covering_rate
from .records import Record, Run, unpack_outcomes
from .results import Results
from .select import CRITERIA, Cell, Choice, cells, eligible, trained_on_validation, value_of

JUDGED = ("CR", "AA")
RESAMPLES = 1000
REPEATS = 0.98  # above this share of CR, AA only repeats it
ERRORS = 2  # standard errors by which Eq. 8 must contradict AA


@dataclass(frozen=True)
class SplitTrust:
    """One split's choice. What is not known is None: outcomes not recorded, Eq. 8 not applicable.

    Attributes:
        split, config, step, ties: of the choice.
        value, standard_error: of the criterion on the validation rows: binomial for CR, from the
            spread over rows for AA.
        covering_rate: CR of the chosen record, whichever criterion chose it.
        accuracy, accuracy_error: Eq. 8's estimate from that CR, and its standard error.
        excess, excess_error: AA of the chosen record minus that estimate, and the standard error
            of the difference: both come from the same rows.
        overconfident: :func:`is_overconfident`, for AA's choices.
        other: share of resamples of the validation rows that choose another configuration.
    """

    split: int
    config: int
    step: int
    ties: int
    value: float
    standard_error: float | None
    covering_rate: float
    accuracy: float | None
    accuracy_error: float | None
    excess: float | None
    excess_error: float | None
    overconfident: bool | None
    other: float | None


@dataclass(frozen=True)
class Trust:
    """What can be said of one criterion's choices for an algorithm on a data set.

    Numbers are means over the splits that have them, None where none has; standard errors are
    root mean squares over splits, so they are those of a single validation set.

    Attributes:
        n_validation: rows in each split's validation set.
        splits: one entry per split, None where there was nothing to choose.
        ties: configurations that share the best value, the chosen one included.
        overconfident: number of splits in which AA is; None where unknown, and for CR.
        doubt: why Eq. 8 is not applied; "" where it is.
    """

    dataset: str
    algorithm: str
    criterion: str
    n_validation: int
    splits: tuple[SplitTrust | None, ...]
    value: float | None
    standard_error: float | None
    accuracy: float | None
    accuracy_error: float | None
    ties: float | None
    other: float | None
    overconfident: int | None
    doubt: str


def trust(results: Results, resamples: int = RESAMPLES) -> list[Trust]:
    """What can be said of the choices by CR and AA: data sets and algorithms as planned.

    Args:
        resamples: of the validation rows, per split; the same seeded ones for every algorithm.

    Raises:
        ValueError: the validation rows were trained on, so that nothing was chosen by them.
    """
    if trained_on_validation(results):
        raise ValueError(
            "these runs trained on their validation rows (train-oracle), so nothing was chosen by "
            "CR or AA. Ask of a directory whose validation was tune."
        )
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        groups.setdefault((run.dataset, run.algorithm), []).append(run)
    found = {(c.dataset, c.algorithm, c.criterion): c for c in cells(results, JUDGED)}
    judged = []
    for (dataset, algorithm), runs in groups.items():
        flip = results.flip_rates.get(dataset)
        elsewhere = {
            split: resampled_choices(_competing(runs, split), resamples, split)
            for split in {run.split for run in runs}
        }
        for name in JUDGED:
            judged.append(_judge(found[dataset, algorithm, name], runs, flip, elsewhere))
    return judged


def is_overconfident(aa: float, cr: float, excess: float, error: float) -> bool:
    """Whether a model's probabilities inside the candidate sets are too near one-hot for AA.

    AA then repeats CR and takes for right what CR cannot see to be wrong: it is above 0.98 CR, and
    above Eq. 8's estimate from the same CR by more than two standard errors of the difference.

    Args:
        excess, error: AA minus that estimate, and the standard error of the difference.
    """
    return aa > REPEATS * cr and excess > ERRORS * error


def resample_counts(m: int, resamples: int, seed: int) -> np.ndarray:
    """How often each of m rows is drawn in each resample of m rows: int (resamples, m)."""
    drawn = np.random.default_rng(seed).integers(0, m, (resamples, m))
    return np.stack([np.bincount(rows, minlength=m) for rows in drawn])


def resampled_choices(
    runs: Sequence[Run], resamples: int = RESAMPLES, seed: int = 0
) -> Mapping[str, np.ndarray] | None:
    """The configuration that CR and AA choose in each bootstrap resample of the validation rows.

    In every resample the best record of each run is found anew, then the best run; among equals
    the last run wins, as in selection.

    Args:
        runs: the complete runs of an algorithm on one split, in order of configurations.

    Returns:
        by criterion, int (resamples,): positions in ``runs``. None where a record that may be
        chosen has no outcomes, or no record may be chosen.
    """
    candidates = [(place, record) for place, run in enumerate(runs) for record in _choosable(run)]
    if not candidates or any(record.outcomes is None for _, record in candidates):
        return None
    owners = np.array([place for place, _ in candidates])
    shares = np.stack([unpack_outcomes(record.outcomes or b"") for _, record in candidates], 1)
    levels = np.rint(255 * shares)  # whole numbers, so that equal sums are equal
    m, records = levels.shape
    counts = resample_counts(m, resamples, seed).astype(float)
    inside, summed = np.split(counts @ np.hstack([levels > 0, levels]), [records], 1)
    # shares are kept in steps of 1/255: what that took from a record's sum is put back, rounded so
    # that the last bits of a mean part no equals
    exact = np.array([record.validation["AA"] for _, record in candidates], dtype=float)
    values = {"CR": inside, "AA": summed + np.round(255 * m * exact - levels.sum(0), 6)}
    return {name: _last_best(value, owners, len(runs)) for name, value in values.items()}


def _last_best(values: np.ndarray, owners: np.ndarray, runs: int) -> np.ndarray:
    """The last run among those whose best record is highest: (resamples, records) -> (resamples)"""
    best = np.full((len(values), runs), -np.inf)
    for place in np.unique(owners):
        best[:, place] = values[:, owners == place].max(1)
    return runs - 1 - best[:, ::-1].argmax(1)


def _judge(
    cell: Cell,
    runs: Sequence[Run],
    flip: FlipRate | None,
    elsewhere: Mapping[int, Mapping[str, np.ndarray] | None],
) -> Trust:
    doubt = _doubt(flip)
    splits: list[SplitTrust | None] = []
    for split, choice in zip(cell.splits, cell.choices):
        if choice is None:
            splits.append(None)
            continue
        competing = _competing(runs, split)
        place = next(i for i, run in enumerate(competing) if run.key == choice.key)
        record = next(r for r in competing[place].records if r.step == choice.step)
        remade = elsewhere[split]
        other = None if remade is None else float((remade[cell.criterion] != place).mean())
        m = competing[place].n_validation
        applied = None if doubt else flip
        splits.append(_judge_split(cell.criterion, choice, record, applied, m, other))
    there = [one for one in splits if one is not None]
    return Trust(
        dataset=cell.dataset,
        algorithm=cell.algorithm,
        criterion=cell.criterion,
        n_validation=runs[0].n_validation,
        splits=tuple(splits),
        value=_mean([one.value for one in there]),
        standard_error=_root_mean_square([one.standard_error for one in there]),
        accuracy=_mean([one.accuracy for one in there]),
        accuracy_error=_root_mean_square([one.accuracy_error for one in there]),
        ties=_mean([one.ties for one in there]),
        other=_mean([one.other for one in there]),
        overconfident=_count([one.overconfident for one in there]),
        doubt=doubt,
    )


def _doubt(flip: FlipRate | None) -> str:
    """Why Eq. 8 does not apply; '' where it does."""
    if flip is None:
        return "no flip rate is recorded"
    return "every class is always a candidate" if flip.rate >= 1 else flip.doubt


def _judge_split(
    criterion: str,
    choice: Choice,
    record: Record,
    flip: FlipRate | None,
    m: int,
    other: float | None,
) -> SplitTrust:
    covering, approximated = record.validation["CR"], record.validation["AA"]
    assert choice.value is not None
    assert covering is not None
    assert approximated is not None
    shares = None if record.outcomes is None or m < 2 else unpack_outcomes(record.outcomes)
    error: float | None = math.sqrt(covering * (1 - covering) / m)
    if criterion == "AA":
        error = None if shares is None else _error_of_mean(shares)
    accuracy = accuracy_error = excess = excess_error = overconfident = None
    if flip is not None:
        estimate = accuracy_from_covering_rate(covering, flip, m)
        accuracy, accuracy_error = float(estimate.accuracy), float(estimate.error)
        excess = approximated - accuracy
        if shares is not None:
            rest = 1 - flip.rate
            of_rows = _error_of_mean(shares - ((shares > 0) - flip.rate) / rest)
            excess_error = math.hypot(of_rows, (1 - covering) / rest**2 * flip.error)
            if criterion == "AA":
                overconfident = is_overconfident(approximated, covering, excess, excess_error)
    return SplitTrust(
        split=choice.split,
        config=choice.config,
        step=choice.step,
        ties=choice.ties,
        value=choice.value,
        standard_error=error,
        covering_rate=covering,
        accuracy=accuracy,
        accuracy_error=accuracy_error,
        excess=excess,
        excess_error=excess_error,
        overconfident=overconfident,
        other=other,
    )


def _competing(runs: Sequence[Run], split: int) -> list[Run]:
    """The runs of a split that selection looks at, in order of configurations."""
    return sorted((r for r in runs if r.split == split and r.complete), key=lambda r: r.config)


def _choosable(run: Run) -> list[Record]:
    """Records that CR and AA compare; both look at the same."""
    values = (
        (record, value_of(record, CRITERIA["CR"])) for record in eligible(run, CRITERIA["CR"])
    )
    return [record for record, value in values if value is not None and not math.isnan(value)]


def _error_of_mean(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return statistics.fmean(there) if there else None


def _count(values: Sequence[bool | None]) -> int | None:
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def _root_mean_square(values: Sequence[float | None]) -> float | None:
    mean = _mean([None if value is None else value**2 for value in values])
    return None if mean is None else math.sqrt(mean)
