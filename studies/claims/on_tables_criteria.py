"""PLENCH's claims about criteria and clean labels, by results on tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from candidly.show.words import listed
from candidly.stats.rank_correlation import kendall
from studies.reproduction.numbers import CRITERIA, ORACLE, Accuracies

from .judging import (
    UNTOLD,
    Effect,
    Finding,
    above,
    averaged,
    below,
    named,
    over_algorithms,
    over_splits,
    some,
    spearman,
)
from .on_tables import (
    DIFFERS,
    about,
    command,
    general,
    mean,
    on_each,
    over_tables,
    values,
    whole,
    with_tables,
)
from .shelf import Shelf, Tabular

RIVALS = tuple(criterion for criterion in CRITERIA if criterion != "OA & ES")


def selection(shelf: Shelf) -> Finding:
    """P4: what choosing is worth, and how much depends on the criterion."""
    tables = whole(shelf)
    usual = {table.name: _of_all_configurations(table) for table in tables}

    def worth(table: Tabular, criterion: str) -> float:
        return _average(
            mean(row, criterion) - float(np.mean(list(usual[table.name][name].values())))
            for name, row in table.fixed.items()
        )

    effects = [
        over_tables(
            tables,
            f"choice by {criterion} minus the average configuration's last record",
            lambda table, by=criterion: worth(table, by),
            len(CRITERIA),
        )
        for criterion in CRITERIA
    ]
    told = []
    for table in tables:
        means = [[mean(row, c) for row in table.fixed.values()] for c in CRITERIA]
        taus = [kendall(*map(np.array, pair)) for pair in itertools.combinations(means, 2)]
        told.append(f"{min(taus):.2f} to {max(taus):.2f} on {table.title}")
    return general(
        tables,
        some(map(above, effects)),
        effects,
        f"Kendall's tau between the algorithms' orders by two criteria is {listed(told)}. Judged "
        "is whether choosing matters at all: the differences are means over the algorithms.",
        " --why",
    )


def _average(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _of_all_configurations(table: Tabular) -> dict[str, Accuracies]:
    """By algorithm and split, the mean test accuracy of the configurations' last records."""
    found: dict[str, dict[int, list[float]]] = {}
    for run in table.results.runs:
        value = run.records[-1].test.get("top1") if run.records else None
        if value is not None:
            found.setdefault(run.algorithm, {}).setdefault(run.split, []).append(value)
    return {
        name: {split: float(np.mean(mine)) for split, mine in sorted(splits.items())}
        for name, splits in found.items()
    }


def covering_better(table: Tabular, tables: int) -> Finding:
    """P23: choices by CR against choices by AA."""
    rows = table.fixed
    effects = {
        name: over_splits(
            f"{table.title}, {name}, CR minus AA",
            values(row),
            values(row, "AA"),
            table.test_share,
            len(rows) * tables,
        )
        for name, row in rows.items()
    }
    return Finding(
        some(map(above, effects.values())),
        _extremes(effects),
        f"Of {len(effects)} algorithms CR gives the higher mean for "
        f"{sum(effect.mean > 0 for effect in effects.values())}, AA for "
        f"{sum(effect.mean < 0 for effect in effects.values())}; shown are the largest "
        "differences either way.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR --criterion AA"),
    )


def _extremes(effects: Mapping[str, Effect]) -> tuple[Effect, ...]:
    order = sorted(effects.values(), key=lambda effect: effect.mean)
    return (order[-1], order[0])


def improper(table: Tabular, tables: int) -> Finding:
    """P13: AA for LWS."""
    others = [name for name in table.fixed if name != "LWS"]
    lost = {
        name: [
            None if a is None or b is None else a - b
            for a, b in zip(values(row), values(row, "AA"))
        ]
        for name, row in table.fixed.items()
    }
    own = over_splits(
        f"{table.title}, LWS, CR minus AA",
        values(table.fixed["LWS"]),
        values(table.fixed["LWS"], "AA"),
        table.test_share,
        tables,
    )
    more = over_splits(
        f"{table.title}, that minus the same of the {len(others)} others",
        lost["LWS"],
        averaged(lost[name] for name in others),
        table.test_share,
        tables,
    )
    return Finding(
        above(more),
        (own, more),
        "Judged is whether LWS loses more by AA than others do.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR --criterion AA"),
    )


def inaccurate(table: Tabular, cases: int) -> Finding:
    """P14: whether AA fails where classifiers are not accurate, one of so many cases."""
    rows = list(table.fixed.values())
    lost = np.array([mean(row) - mean(row, "AA") for row in rows])
    right = np.array([mean(row, "OA & ES") for row in rows])
    effect = over_algorithms(
        f"{table.title}, Spearman correlation of accuracy (by OA & ES) and what AA loses on CR",
        len(rows),
        lambda at: spearman(right[at], lost[at]),
        points=False,
        digits=2,
        cases=cases,
    )
    return Finding(
        below(effect),
        (effect,),
        "Below 0: AA loses more where accuracy is lower. The interval is of drawing other such "
        "algorithms.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR --criterion AA"),
    )


def upper_bound(tables: Sequence[Tabular], others: Mapping[str, float]) -> list[Effect]:
    """P15: OA & ES against the other criteria, over tables and what further data sets have."""

    def above_it(table: Tabular, criterion: str) -> float:
        return _average(mean(row, "OA & ES") - mean(row, criterion) for row in table.fixed.values())

    return [
        over_tables(
            tables,
            f"OA & ES minus {criterion}, mean of the algorithms",
            lambda table, by=criterion: above_it(table, by),
            len(RIVALS),
            [others[criterion]] if others else [],
        )
        for criterion in RIVALS
    ]


def gap(table: Tabular) -> Finding:
    """P9: the covering rate's excess over accuracy."""
    names = list(table.fixed)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for run in table.results.runs:
        if run.algorithm in found and run.records:
            last = run.records[-1].validation
            if last.get("CR") is not None and last.get("OA") is not None:
                found[run.algorithm].append((last["CR"] - last["OA"], last["OA"]))
    means = np.array([np.mean(found[name], axis=0) for name in names])
    most, least = means[:, 1].argmax(), means[:, 1].argmin()
    return Finding(
        UNTOLD,
        (),
        f"On validation rows of {table.title}, last records: CR exceeds accuracy by "
        f"{100 * means[most, 0]:.1f} points for {names[most]} (accuracy "
        f"{100 * means[most, 1]:.1f} %) and by {100 * means[least, 0]:.1f} for {names[least]} "
        f"({100 * means[least, 1]:.1f} %).",
        about(table),
        "the paper proves the bound and measures nothing of it; `tests/test_theory.py` checks it "
        "by simulation",
        command(table, " --criterion CR --criterion 'OA & ES'"),
    )


def one_case(shelf: Shelf, find: Callable[[Tabular, int], Finding]) -> Finding | None:
    """That something happens, by as many cases as there are tables."""
    count = len(whole(shelf))
    return on_each(shelf, lambda table: find(table, count), some)


def clean_labels(shelf: Shelf) -> Finding | None:
    """P5, on Lost."""
    lost, trained = shelf.tabular("lost"), shelf.tabular(ORACLE)
    if lost is None or trained is None:
        return None
    names = [name for name in trained.rows if name in lost.rows]
    effects = {
        name: over_splits(
            f"Lost, {name}, trained on clean validation labels minus tuned on them",
            list(trained.rows[name].last.values()),
            values(lost.rows[name], "OA & ES"),
            lost.test_share,
            len(names),
        )
        for name in names
    }
    overall = over_splits(
        f"Lost, trained on clean validation labels minus tuned on them, mean of {len(names)}",
        averaged(list(trained.rows[name].last.values()) for name in names),
        averaged(values(lost.rows[name], "OA & ES") for name in names),
        lost.test_share,
    )
    ahead = sum(effect.mean > 0 for effect in effects.values())
    sure = named(effects, above)
    tuned = _image_part(shelf)
    return Finding(
        above(overall),
        (overall, *_extremes(effects)),
        f"Training on them gives the higher mean for {ahead} of {len(names)} algorithms, clearly "
        f"for {listed(sure) if sure else 'none'}. {tuned} Judged is the mean over algorithms.",
        f"{about(lost)}; trained: the defaults, {trained.facts.steps:,} updates",
        "Lost and small pictures in place of PLCIFAR10, which the paper's figure is of",
        f"{command(lost)} && {command(trained)}",
    )


def _image_part(shelf: Shelf) -> str:
    if not shelf.of("images").exists():
        return ""
    cases = [
        np.mean(labels.trained[name]) > np.mean(labels.tuned[name])
        for labels in shelf.pictures.values()
        for name in labels.trained
    ]
    return f"On pictures it does in {sum(cases)} of {len(cases)} cases (image-study.md)."


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P4": with_tables(selection),
    "P5": clean_labels,
    "P9": lambda shelf: on_each(shelf, gap),
    "P13": lambda shelf: one_case(shelf, improper),
    "P23": lambda shelf: one_case(shelf, covering_better),
}
