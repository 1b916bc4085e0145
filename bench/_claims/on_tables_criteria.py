"""PLENCH's claims about criteria and clean labels, by results on tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from _reproduction.numbers import CRITERIA, ORACLE, Accuracies
from candidly.compare.stability._ranks import kendall
from candidly.show.words import listed

from .judging import (
    Effect,
    Finding,
    above,
    averaged,
    below,
    every,
    named,
    over_algorithms,
    over_splits,
    some,
    spearman,
)
from .on_tables import DIFFERS, about, command, mean, on_each, values
from .shelf import Shelf, Tabular


def selection(table: Tabular) -> Finding:
    """P4: what choosing is worth, and how much depends on the criterion."""
    usual = _of_all_configurations(table)
    rows = table.fixed
    effects = [
        over_splits(
            f"{table.title}, choice by {criterion} minus the average configuration's last record",
            averaged(values(row, criterion) for row in rows.values()),
            averaged(list(usual[name].values()) for name in rows),
            table.test_share,
            len(CRITERIA),
        )
        for criterion in CRITERIA
    ]
    means = {c: np.array([mean(row, c) for row in rows.values()]) for c in CRITERIA}
    taus = [
        f"{kendall(means[a], means[b]):.2f} between {a} and {b}"
        for a, b in itertools.combinations(CRITERIA, 2)
    ]
    widest = np.array(list(means.values()))
    apart = float((widest.max(0) - widest.min(0)).max())
    return Finding(
        some(above(effect) for effect in effects),
        tuple(effects),
        f"Kendall's tau between the orders of the {len(rows)} algorithms is {listed(taus)}; one "
        f"algorithm's means under the four criteria are up to {100 * apart:.1f} points apart. "
        "Judged is whether choosing matters at all: the differences are means over the "
        "algorithms.",
        about(table),
        DIFFERS,
        command(table, " --why"),
    )


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


def covering_better(table: Tabular) -> Finding:
    """P23: choices by CR against choices by AA."""
    effects = _differences(table, "CR", "AA")
    return Finding(
        some(above(effect) for effect in effects.values()),
        _extremes(effects),
        f"Of {len(effects)} algorithms CR gives the higher mean for "
        f"{sum(effect.mean > 0 for effect in effects.values())}, AA for "
        f"{sum(effect.mean < 0 for effect in effects.values())}; shown are the largest "
        "differences either way.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR --criterion AA"),
    )


def _differences(table: Tabular, one: str, other: str) -> dict[str, Effect]:
    """By algorithm; the intervals hold together."""
    rows = table.fixed
    return {
        name: over_splits(
            f"{table.title}, {name}, {one} minus {other}",
            values(row, one),
            values(row, other),
            table.test_share,
            len(rows),
        )
        for name, row in rows.items()
    }


def _extremes(effects: Mapping[str, Effect]) -> tuple[Effect, ...]:
    order = sorted(effects.values(), key=lambda effect: effect.mean)
    return (order[-1], order[0])


def improper(table: Tabular) -> Finding:
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
    )
    more = over_splits(
        f"{table.title}, that minus the same of the {len(others)} others",
        lost["LWS"],
        averaged(lost[name] for name in others),
        table.test_share,
    )
    return Finding(
        above(more),
        (own, more),
        "Judged is whether LWS loses more by AA than others do.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR --criterion AA"),
    )


def inaccurate(table: Tabular) -> Finding:
    """P14: whether AA fails where classifiers are not accurate."""
    rows = list(table.fixed.values())
    lost = np.array([mean(row) - mean(row, "AA") for row in rows])
    right = np.array([mean(row, "OA & ES") for row in rows])
    effect = over_algorithms(
        f"{table.title}, Spearman correlation of accuracy (by OA & ES) and what AA loses on CR",
        len(rows),
        lambda at: spearman(right[at], lost[at]),
        points=False,
        digits=2,
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


def upper_bound(table: Tabular) -> Finding:
    """P15: OA & ES against the other criteria."""
    rivals = [criterion for criterion in CRITERIA if criterion != "OA & ES"]
    rows = table.fixed.values()
    effects = [
        over_splits(
            f"{table.title}, OA & ES minus {criterion}, mean of the algorithms",
            averaged(values(row, "OA & ES") for row in rows),
            averaged(values(row, criterion) for row in rows),
            table.test_share,
            len(rivals),
        )
        for criterion in rivals
    ]
    higher = [
        f"{criterion} for {sum(mean(row, criterion) > mean(row, 'OA & ES') for row in rows)}"
        for criterion in rivals
    ]
    return Finding(
        every(above(effect) for effect in effects),
        tuple(effects),
        f"Of {len(rows)} algorithms, above OA & ES by means are {listed(higher)}: with "
        f"{table.facts.n_validation} validation rows it is no bound of a single row.",
        about(table),
        DIFFERS,
        command(table),
    )


def gap(table: Tabular) -> Finding:
    """P9: the covering rate's excess over accuracy, against accuracy."""
    names = list(table.fixed)
    found = {name: [] for name in names}
    for run in table.results.runs:
        if run.algorithm in found and run.records:
            last = run.records[-1].validation
            if last.get("CR") is not None and last.get("OA") is not None:
                found[run.algorithm].append((last["CR"] - last["OA"], last["OA"]))
    means = np.array([np.mean(found[name], axis=0) for name in names])
    effect = over_algorithms(
        f"{table.title}, Spearman correlation of accuracy and CR minus accuracy",
        len(names),
        lambda at: spearman(means[at, 1], means[at, 0]),
        points=False,
        digits=2,
    )
    most, least = means[:, 1].argmax(), means[:, 1].argmin()
    return Finding(
        below(effect),
        (effect,),
        f"On validation rows, last records: CR exceeds accuracy by "
        f"{100 * means[most, 0]:.1f} points for {names[most]} (accuracy "
        f"{100 * means[most, 1]:.1f} %) and by {100 * means[least, 0]:.1f} for {names[least]} "
        f"({100 * means[least, 1]:.1f} %). The bound itself is a theorem and is checked by "
        "simulation in `tests/test_theory.py`.",
        about(table),
        "the paper proves the bound and measures nothing of it",
        command(table, " --criterion CR --criterion 'OA & ES'"),
    )


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
    if not shelf.there("image_study"):
        return ""
    cases = [
        np.mean(labels.trained[name]) > np.mean(labels.tuned[name])
        for labels in shelf.pictures.values()
        for name in labels.trained
    ]
    return f"On pictures it does in {sum(cases)} of {len(cases)} cases (image-study.md)."


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P4": lambda shelf: on_each(shelf, selection),
    "P5": clean_labels,
    "P9": lambda shelf: on_each(shelf, gap),
    "P13": lambda shelf: on_each(shelf, improper),
    "P23": lambda shelf: on_each(shelf, covering_better, some),
}
