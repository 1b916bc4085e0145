"""Which hyper-parameters mattered: how much of the spread of configurations each one explains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from ...show.grid import Column, Grid, Value
from ...show.words import in_percent
from ..sweep.results import Results
from ..sweep.select import Criterion
from ._wording import algorithm_order, is_oracle

FEWEST = 6  # configurations, below which nothing can be said
GROUPS = 4  # that the values of a hyper-parameter are put into, where there are more of them


def importances(
    results: Results, dataset: str, criterion: Criterion, metric: str = "top1"
) -> dict[str, dict[str, float]]:
    """By algorithm and hyper-parameter, the share of variance over configurations, from 0 to 1.

    Of each configuration the mean test accuracy over splits is taken, of the record that the
    criterion chooses; the share is between groups of configurations with the same value of the
    hyper-parameter, or in the same quarter of its values where there are many. It is omega squared,
    which is 0 on average where a hyper-parameter does nothing; below 0 counts as 0.

    Source: Hays, "Statistics for psychologists", 1963.
    """
    runs = _by_configuration(results, dataset, criterion, metric)
    found = {}
    for algorithm in algorithm_order(results):
        means, hypers = _means(runs[algorithm])
        if len(means) >= FEWEST:
            found[algorithm] = {
                name: omega_squared(np.array(means), groups_of([one[name] for one in hypers]))
                for name in hypers[0]
                if all(name in one for one in hypers) and len({one[name] for one in hypers}) > 1
            }
    return {name: shares for name, shares in found.items() if shares}


def omega_squared(values: np.ndarray, groups: np.ndarray) -> float:
    """The share of variance that lies between groups, corrected for chance, from 0 to 1.

    Args:
        values: float (n,). groups: int (n,).

    >>> omega_squared(np.array([1.0, 1.1, 5.0, 5.1]), np.array([0, 0, 1, 1])) > 0.99
    True
    """
    total = float(((values - values.mean()) ** 2).sum())
    names = np.unique(groups)
    inside = sum(
        float(((values[groups == k] - values[groups == k].mean()) ** 2).sum()) for k in names
    )
    free = len(values) - len(names)
    if total <= 0 or free <= 0:
        return 0.0
    noise = inside / free
    return float(np.clip((total - inside - (len(names) - 1) * noise) / (total + noise), 0, 1))


def groups_of(values: Sequence[float]) -> np.ndarray:
    """A number for each value: the same for equal ones, or for those in the same quarter."""
    _, number = np.unique(np.array(values, np.float64), return_inverse=True)
    if number.max() < GROUPS:
        return number
    return number * GROUPS // (int(number.max()) + 1)


def importance_grid(shares: Mapping[str, Mapping[str, float]], dataset: str) -> Grid:
    """A row for each algorithm, a column for each hyper-parameter that several have, in percent."""
    names = sorted(
        {name for mine in shares.values() for name in mine},
        key=lambda name: (-sum(name in mine for mine in shares.values()), name),
    )
    rows: list[tuple[Value, ...]] = [
        (algorithm, *(in_percent(mine.get(name)) for name in names))
        for algorithm, mine in shares.items()
    ]
    columns = (Column("algorithm", "name"), *(Column(name, form=".0f") for name in names))
    return Grid(f"{dataset}: variance over configurations that each explains (%)", columns, rows)


Scored = tuple[float | None, Mapping[str, float | int]]  # of a run
ByConfiguration = Mapping[str, Mapping[int, Sequence[Scored]]]


def _by_configuration(
    results: Results, dataset: str, criterion: Criterion, metric: str
) -> ByConfiguration:
    """Test accuracies of the complete runs by algorithm and configuration, oracles aside."""
    found: dict[str, dict[int, list[Scored]]] = defaultdict(lambda: defaultdict(list))
    complete = results.runs.reached.complete
    values = results.runs.chosen(criterion).metric(metric)
    for group in results.runs.groups:
        name = group.first.algorithm
        if group.first.dataset == dataset and not is_oracle(group.first.reads):
            for number in np.flatnonzero(complete[group.places]).tolist():
                value = float(values[group.start + number])
                own = (None if value != value else value), group.hyper[number]
                found[name][int(group.configs[number])].append(own)
    return found


def _means(
    runs: Mapping[int, Sequence[Scored]],
) -> tuple[list[float], list[Mapping[str, float | int]]]:
    """Mean accuracy of each configuration that has the most splits, and its hyper-parameters."""
    most = max((len(mine) for mine in runs.values()), default=0)
    means, hypers = [], []
    for _, mine in sorted(runs.items()):
        there = [value for value, _ in mine if value is not None]
        if len(there) == most:
            means.append(float(np.mean(there)))
            hypers.append(mine[0][1])
    return means, hypers
