"""What the tables show, in sentences written from the numbers.

A difference is called one only when it exceeds two standard errors of the differences paired over
splits; anything less is said to be no larger than that.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..stats import Summary, beyond, paired_difference, summarise
from ..sweep.records import Results
from ..sweep.select import METRICS, Cell, cells
from ._wording import NOTHING, algorithm_order, dataset_order, is_oracle, listed, percent

Table = dict[tuple[str, str], Cell]  # by (criterion, algorithm), of one data set


def findings(results: Results, metric: str = "top1") -> list[str]:
    """Sentences: who leads under CR, how far from the oracle, and what clean labels would add.

    >>> findings(Results((), {}))
    ['No runs are planned, so there is nothing to show.']
    """
    if not results.runs:
        return [NOTHING]
    every, sentences = cells(results), []
    algorithms = algorithm_order(results)
    for dataset in dataset_order(results):
        table = {(c.criterion, c.algorithm): c for c in every if c.dataset == dataset}
        ranked = _ranked(table, algorithms, metric)
        found = [_leader(table, ranked, metric, results.ddof)]
        if ranked:
            found.append(_oracle_gap(table, ranked[0], algorithms, metric, results.ddof))
            found += [
                _without_clean_labels(table, ranked, criterion, metric, results.ddof)
                for criterion in ("CR", "AA")
            ]
        found.append(_missing(table))
        sentences += [f"{dataset}: {sentence}" for sentence in found if sentence]
    return sentences


def _ranked(table: Table, algorithms: Sequence[str], metric: str) -> list[str]:
    """Algorithms with a value under CR, oracles aside, the highest mean first."""
    means = {
        name: table["CR", name].summary[metric].mean
        for name in algorithms
        if ("CR", name) in table and not is_oracle(name)
    }
    there = {name: mean for name, mean in means.items() if mean is not None}
    return sorted(there, key=lambda name: -there[name])


def _leader(table: Table, ranked: Sequence[str], metric: str, ddof: int) -> str:
    what = f"mean {METRICS[metric]}"
    if not ranked:
        return "no algorithm has a value yet."
    first = table["CR", ranked[0]]
    mean = percent(first.summary[metric].mean, 1)
    if len(ranked) == 1:
        return f"chosen by CR, {ranked[0]} has a {what} of {mean} %."
    second = table["CR", ranked[1]]
    lead = _difference(first, second, metric, ddof)
    return (
        f"chosen by CR, {ranked[0]} has the highest {what}, {mean} %; its lead over "
        f"{ranked[1]}, {_points(lead)}, {_verdict(lead)}."
    )


def _oracle_gap(
    table: Table, best: str, algorithms: Sequence[str], metric: str, ddof: int
) -> str | None:
    oracles = [
        table["CR", name]
        for name in algorithms
        if is_oracle(name) and ("CR", name) in table and any(table["CR", name].choices)
    ]
    if not oracles:
        return "no supervised oracle was finished, so nothing says how much is left to gain."
    gap = _difference(oracles[0], table["CR", best], metric, ddof)
    if gap.mean is None:
        return None
    return (
        f"{oracles[0].algorithm}, which learns from the true labels, is {_points(gap)} "
        f"{'above' if gap.mean >= 0 else 'below'} {best}, which {_verdict(gap)}."
    )


def _without_clean_labels(
    table: Table, ranked: Sequence[str], criterion: str, metric: str, ddof: int
) -> str | None:
    """How a criterion without clean labels compares with both that read them."""
    parts, verdicts = [], []
    for oracle in ("OA", "OA & ES"):
        summary = _mean_over_algorithms(table, ranked, criterion, oracle, metric, ddof)
        if summary.mean is None:
            return None
        side = "above" if summary.mean >= 0 else "below"
        looks = sum(table[oracle, name].oracle_labels for name in ranked)
        parts.append(
            f"{_points(summary)} {side} choosing by {oracle} ({looks:,} looks at clean labels)"
        )
        verdicts.append(_verdict(summary))
    if verdicts[0] == verdicts[1]:
        ending = verdicts[0].replace("is ", "both are ", 1).replace("has ", "both have ", 1)
        return f"choosing by {criterion} is on average {listed(parts)}; {ending}."
    judged = [f"{part}, which {verdict}" for part, verdict in zip(parts, verdicts)]
    return f"choosing by {criterion} is on average {listed(judged)}."


def _mean_over_algorithms(
    table: Table, names: Sequence[str], criterion: str, oracle: str, metric: str, ddof: int
) -> Summary:
    """Paired over splits; each split's value is the mean difference over the algorithms."""
    by_split: dict[int, list[float]] = {}
    for name in names:
        mine = _by_split(table[criterion, name], metric)
        theirs = _by_split(table[oracle, name], metric)
        for split in mine.keys() & theirs.keys():
            by_split.setdefault(split, []).append(mine[split] - theirs[split])
    return summarise([sum(by_split[s]) / len(by_split[s]) for s in sorted(by_split)], ddof)


def _difference(first: Cell, second: Cell, metric: str, ddof: int) -> Summary:
    mine, theirs = _by_split(first, metric), _by_split(second, metric)
    shared = sorted(mine.keys() & theirs.keys())
    return paired_difference([mine[s] for s in shared], [theirs[s] for s in shared], ddof)


def _by_split(cell: Cell, metric: str) -> dict[int, float]:
    values = zip(cell.splits, cell.values(metric))
    return {split: value for split, value in values if value is not None and value == value}


def _points(summary: Summary) -> str:
    if summary.mean is None:
        return "on no shared split"
    size = 100 * abs(summary.mean)
    unit = "point" if f"{size:.1f}" == "1.0" else "points"
    return f"{size:.1f} {unit}"


def _verdict(summary: Summary) -> str:
    """A clause about a difference; honest about what the number of splits can tell."""
    larger = beyond(summary)
    if larger is None:
        return "has no standard error: there are fewer than two shared splits"
    if larger:
        return "is larger than two standard errors of the paired differences"
    return "is no difference larger than two standard errors"


def _missing(table: Table) -> str | None:
    """A caution when runs are unfinished or diverged. CR stands for all: the runs are the same."""
    mine = [cell for (criterion, _), cell in table.items() if criterion == "CR"]
    unfinished = [cell.algorithm for cell in mine if cell.state == "incomplete"]
    fallen = [cell for cell in mine if cell.diverged]
    parts = []
    if unfinished:
        verb = "is" if len(unfinished) == 1 else "are"
        parts.append(f"{listed(unfinished)} {verb} not finished, so this may change")
    if fallen:
        counts = [f"{cell.diverged} of {cell.planned} of {cell.algorithm}" for cell in fallen]
        parts.append(f"runs that diverged: {listed(counts)}")
    return "; ".join(parts) + "." if parts else None
