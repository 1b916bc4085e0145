"""A report's accuracies, ranks and comparisons of pairs; models in order of rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...stats import holm, share_interval
from ...stats.pairs import discordant, mcnemar, tango
from ...stats.places import competition_ranks, rank_intervals, surely_better
from ._bootstrap import percentile_interval
from ._case import Case
from ._report import Accuracies, Accuracy, ModelPair, RankedModel


def share_of(right: int, of: int, alpha: float) -> Accuracy:
    if of == 0:
        return Accuracy(right, of, None, None, None)
    low, high = share_interval(np.array(right), of, 1 - alpha).tolist()
    return Accuracy(right, of, right / of, low, high)


def standings_of(case: Case, wins: np.ndarray, alpha: float) -> tuple[RankedModel, ...]:
    of_original = discordant(case.right_original)
    ranges = [rank_intervals(better_of(counts, alpha)).tolist() for counts in (of_original, wins)]
    sets = {
        "original": (case.right_original, np.ones(case.n, bool)),
        "corrected": (case.right_corrected, case.kept),
        "kept_original": (case.right_original, case.kept),
        "benign": (case.right_original, case.benign),
        "changed_original": (case.right_original, case.changed),
        "changed_corrected": (case.right_corrected, case.changed),
    }
    counts = {name: rows[:, where].sum(1) for name, (rows, where) in sets.items()}
    of = {name: int(where.sum()) for name, (_, where) in sets.items()}
    ranks = {name: competition_ranks(count).tolist() for name, count in counts.items()}
    top5 = [_top5(case, name, sets, alpha) for name in case.names]
    fives = [
        competition_ranks(np.array([getattr(t, name).right for t in top5])).tolist()
        if all(top5)
        else [None] * len(top5)
        for name in ("changed_original", "changed_corrected")
    ]
    return tuple(
        RankedModel(
            model=name,
            top1=Accuracies(**{s: share_of(int(counts[s][r]), of[s], alpha) for s in sets}),
            top5=top5[r],
            rank_original=ranks["original"][r],
            rank_corrected=ranks["corrected"][r],
            range_original=tuple(ranges[0][r]),
            range_corrected=tuple(ranges[1][r]),
            rank_benign=ranks["benign"][r],
            ranks_changed=(
                ranks["changed_original"][r],
                ranks["changed_corrected"][r],
                fives[0][r],
                fives[1][r],
            ),
        )
        for r, name in enumerate(case.names)
    )


def _top5(
    case: Case, name: str, sets: Mapping[str, tuple[np.ndarray, np.ndarray]], alpha: float
) -> Accuracies | None:
    hits = case.top5.get(name)
    if hits is None:
        return None
    of_labels = {True: hits[1], False: hits[0]}
    return Accuracies(
        **{
            s: share_of(
                int(of_labels[rows is case.right_corrected][where].sum()), int(where.sum()), alpha
            )
            for s, (rows, where) in sets.items()
        }
    )


def better_of(wins: np.ndarray, alpha: float) -> np.ndarray:
    """Which model is surely better than which, over all pairs together: bool (R, R).

    By McNemar's exact p after Holm: the chance that any is said wrongly is at most alpha.
    """
    return surely_better(wins > wins.T, mcnemar(wins, wins.T), alpha)


def pairs_of(
    case: Case,
    wins: np.ndarray,
    which: str,
    level: float,
    mid: bool,
    on_b: np.ndarray | None,
    on_c: np.ndarray | None,
) -> tuple[ModelPair, ...]:
    models, n = len(wins), int(case.kept.sum())
    i, j = np.triu_indices(models, 1)
    listed = {"adjacent": j == i + 1, "all": np.ones(len(i), bool)}[which]
    i, j = i[listed], j[listed]
    b, c = wins[i, j], wins[j, i]
    p = mcnemar(b, c, mid)
    adjusted, bounds = holm(p), tango(b, c, n, level)
    rows = []
    for k, (x, y) in enumerate(zip(i.tolist(), j.tolist())):
        sampled = None
        if on_b is not None and on_c is not None:
            right = on_b[:, [x, y]] + on_c[:, [x, y]]
            low, high = percentile_interval((right[:, 0] - right[:, 1]) / n, level).tolist()
            sampled = (low, high)
        rows.append(
            ModelPair(
                first=case.names[x],
                second=case.names[y],
                difference=float(b[k] - c[k]) / n,
                low=float(bounds[k, 0]),
                high=float(bounds[k, 1]),
                bootstrap=sampled,
                only_first=int(b[k]),
                only_second=int(c[k]),
                p=float(p[k]),
                adjusted=float(adjusted[k]),
            )
        )
    return tuple(rows)
