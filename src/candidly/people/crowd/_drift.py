"""Whether annotators change over time: fatigue, practice, an instruction that is read otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.problem import Refusal
from ...stats import holm
from ._answers import Answers, check_answers

if TYPE_CHECKING:
    import polars as pl

FEWEST = 20  # answers of an annotator that a test needs
STEADY = 0.3  # p of the others' agreement, above which an annotator can be held against them
Z = 1.959963984540054
COLUMNS = (
    *("annotator", "answers", "early", "late", "change", "change from", "change to", "others"),
    *("p", "adjusted", "changed", "since"),
)


@door
def drift(answers: Answers, when: Any, alpha: float = 0.05) -> pl.DataFrame:
    """A row per annotator, the surest change first.

    An answer agrees with as many of the others about its item as say the same. This share, less the
    share of pairs of those others that agree, comes in any order where nothing changes over time:
    the test asks how far its running sum strays (Kolmogorov's distribution). Items that become
    harder lower a careful annotator's share and leave a guesser's, so an annotator is tested only
    where the agreement of all others, by the same test, is steady; else nobody can say who changed,
    and the row has no p. Only answers about items with two or more others count.

    Columns: annotator; answers, those that count; early and late, the share in the first and in the
    last third of them; change, late minus early of the differences, and the ends of its interval
    (95 %); others, p of the agreement of the others; p, and adjusted (Holm's, over all annotators
    with 20 answers); changed, whether that is at most alpha; since, the value of ``when`` from
    which on, if so. An annotator with fewer than 20 answers has no test.

    Args:
        answers: the answers of people.
        when: (answers,) numbers, datetimes, or texts that sort by time, in the order of
            ``answers``; equal ones have no order.
        alpha: in (0, 1), the chance that any annotator is called changed and is not.

    Raises:
        ValueError: another length, a time that is missing.

    Source: Page, Biometrika 41, 1954, for sums of differences. The rule on the others is ours; see
    ``bench/drift.py`` for its false alarms and what it finds.
    """
    import polars as pl

    check_answers(answers)
    times = as_array(when, "when")
    if times.shape != (len(answers),):
        raise ValueError(f"`when` has shape {times.shape}; there are {len(answers):,} answers.")
    order = _order(times)
    agreed, theirs, counted = _agreement(answers)
    steady = _others(answers, order)
    grouped = np.lexsort((order, answers.annotator))
    edges = np.searchsorted(answers.annotator[grouped], np.arange(len(answers.annotators) + 1))
    rows = []
    for j, name in enumerate(answers.annotators):
        mine = grouped[edges[j] : edges[j + 1]]
        mine = mine[counted[mine]]
        own = _of_one(agreed[mine], agreed[mine] - theirs[mine], times[mine], order[mine])
        if own["p"] is not None:
            own["others"] = steady[j]
            own["p"] = own["p"] if steady[j] > STEADY else None
        rows.append({"annotator": name, **own})
    frame = pl.DataFrame(rows, schema=_schema())
    tested = frame["p"].is_not_null().to_numpy()
    # over all who could be tested: whether the others are steady depends on the same answers
    could = frame["others"].is_not_null().to_numpy()
    adjusted = np.full(len(frame), np.nan)
    adjusted[could] = holm(frame["p"].fill_null(1.0).to_numpy()[could])
    adjusted[~tested] = np.nan
    return (
        frame.with_columns(adjusted=pl.Series(adjusted).fill_nan(None))
        .with_columns(changed=pl.col("adjusted") <= alpha)
        .with_columns(since=pl.when("changed").then("since"))
        .select(*COLUMNS)
        .sort("adjusted", "p", "annotator", nulls_last=True)
    )


def _schema() -> dict[str, Any]:
    import polars as pl

    kinds = {"annotator": pl.String, "answers": pl.Int64, "since": pl.String}
    names = [name for name in COLUMNS if name not in ("adjusted", "changed")]
    return {name: kinds.get(name, pl.Float64) for name in names}


def _order(times: np.ndarray) -> np.ndarray:
    """Places in time, equal where times are: int64 (answers,)."""
    for place, one in enumerate(times.tolist()):
        if one is None or one != one or one == "":
            raise Refusal(f"`when` is missing at answer {place}.", "leave such answers out")
    return np.unique(times, return_inverse=True)[1]


def _agreement(answers: Answers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each answer: the share of others about its item that say the same, the share of pairs of
    these others that agree, and whether there are two; (answers,) each."""
    counts = answers.counts.astype(np.float64)
    same = counts[answers.item, answers.label] - 1
    others = answers.per_item[answers.item] - 1.0
    squares = (counts**2).sum(1)[answers.item] - 2 * same - 1  # without this answer
    with np.errstate(invalid="ignore", divide="ignore"):
        return same / others, (squares - others) / (others * (others - 1)), others >= 2


def _others(answers: Answers, order: np.ndarray) -> np.ndarray:
    """For each annotator, p that the agreement of all others is steady over time: (J,)."""
    counts, number = answers.counts.astype(np.float64), answers.per_item.astype(np.float64)
    squares = (counts**2).sum(1)
    place = np.argsort(np.bincount(answers.item, order, answers.n) / np.maximum(number, 1))
    found = np.ones(len(answers.annotators))
    grouped = np.argsort(answers.annotator, kind="stable")
    edges = np.searchsorted(answers.annotator[grouped], np.arange(len(found) + 1))
    for j in range(len(found)):
        mine = grouped[edges[j] : edges[j + 1]]
        item, label = answers.item[mine], answers.label[mine]
        left, pairs = number.copy(), squares.copy()
        np.subtract.at(left, item, 1)
        np.subtract.at(pairs, item, 2 * counts[item, label] - 1)
        kept = place[left[place] >= 2]
        share = (pairs[kept] - left[kept]) / (left[kept] * (left[kept] - 1))
        found[j] = _strays(share, np.ones(len(share), bool))[0]
    return found


def _strays(values: np.ndarray, ends: np.ndarray) -> tuple[float, int]:
    """p that values come in any order, and the first of those that come behind the farthest point.

    Args:
        values: (n,), in order of time. ends: bool (n,), where the order is known behind a value.
    """
    from scipy.special import kolmogorov

    spread = float(values.std()) if len(values) else 0.0
    if len(values) < FEWEST or not spread > 0:
        return 1.0, 0
    path = np.where(ends, np.abs(np.cumsum(values - values.mean())), 0)[:-1]
    place = int(path.argmax())
    return float(kolmogorov(path[place] / (spread * np.sqrt(len(values))))), place + 1


def _of_one(
    agreed: np.ndarray, apart: np.ndarray, times: np.ndarray, order: np.ndarray
) -> dict[str, Any]:
    """The row of an annotator, whose answers are in order of time."""
    n = len(agreed)
    row: dict[str, Any] = {"answers": n, "p": None}
    if n < FEWEST:
        return row
    third = n // 3
    first, last = apart[:third], apart[-third:]
    change = float(last.mean() - first.mean())
    error = float(np.sqrt((first.var(ddof=1) + last.var(ddof=1)) / third))
    p, place = _strays(apart, np.append(order[1:] != order[:-1], True))
    ends = {"change from": change - Z * error, "change to": change + Z * error}
    shares = {"early": float(agreed[:third].mean()), "late": float(agreed[-third:].mean())}
    return {**row, **shares, "change": change, **ends, "p": p, "since": str(times[place])}
