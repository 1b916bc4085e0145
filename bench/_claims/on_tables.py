"""PLENCH's claims, by results on tables with candidate sets: Lost, and others once they are there.

Where several tables are there, a claim holds if it holds on each, and does not if it does not on
any; each finding is of ``fixed``, the methods as meant, but where the released program is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from _reproduction.numbers import CHOSEN_BY, CRITERIA, LIMIT, ORACLE, Accuracies, Row, rank
from _reproduction.words import minus
from candidly import seeds
from candidly.algorithms import algorithm
from candidly.report._wording import listed
from candidly.sources import SOURCES
from candidly.stability._ranks import competition_ranks, correlation, kendall
from candidly.stats import compare_all

from .judging import (
    LEVEL,
    MARGIN,
    UNTOLD,
    Effect,
    Finding,
    above,
    averaged,
    below,
    counted,
    every,
    named,
    over_algorithms,
    over_splits,
    shown,
    some,
)
from .shelf import Shelf, Tabular

POOR = ("NN", "GA")  # which the paper leaves out of its figure
EARLY = ("Forward", "SCL-EXP", "OP-W")  # of complementary labels, which the paper names
COMPLEMENTARY = ("PC", "Forward", "NN", "GA", "SCL-EXP", "SCL-NL", "L-W", "OP-W")
HOLISTIC = ("VALEN",)  # of those that were run on tables
UNTIL = 2020  # "early"
DIFFERS = (
    "nothing but initial weights, the order of batches, and the methods as meant (`fixed`) in "
    "place of the released program's"
)


def values(row: Row, criterion: str = "CR") -> list[float | None]:
    """Test accuracies of the chosen models, split by split."""
    return list(row.chosen[criterion].values())


def mean(row: Row, criterion: str = "CR") -> float:
    return float(np.mean([np.nan if v is None else v for v in values(row, criterion)]))


def command(table: Tabular, more: str = "") -> str:
    return f"candidly bench table bench/results/{table.name}{more}"


def about(table: Tabular) -> str:
    facts, settings = table.facts, table.results.settings
    return (
        f"{table.title}: {len(table.fixed)} algorithms, {settings['configs']} configurations, "
        f"{settings['splits']} splits of {facts.n_test} test rows, {facts.steps:,} updates"
    )


def on_each(
    shelf: Shelf, one: Callable[[Tabular], Finding | None], join: Callable = every
) -> Finding | None:
    """What every table that is there says, joined."""
    found = [finding for table in shelf.tables if (finding := one(table)) is not None]
    if len(found) < 2:
        return found[0] if found else None
    return Finding(
        join(finding.verdict for finding in found),
        tuple(effect for finding in found for effect in finding.effects),
        " ".join(finding.said for finding in found),
        "; ".join(finding.data for finding in found),
        found[0].differs,
        " && ".join(dict.fromkeys(finding.command for finding in found)),
    )


# which algorithm


def early(table: Tabular) -> Finding:
    """P2, and the part of P1 that tables can speak to."""
    year = {name: _year(name) for name in table.fixed if name not in POOR}
    names = list(year)
    late = [name for name in names if year[name] > UNTIL]
    against = averaged(values(table.fixed[name]) for name in late)
    first = [name for name in names if year[name] <= UNTIL]
    effects = {
        name: over_splits(
            f"{table.title}, {name} ({year[name]}) minus the mean of the {len(late)} later ones",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(first),
        )
        for name in first
    }
    ahead = {
        name: sum(mean(table.fixed[name]) > mean(table.fixed[other]) for other in late)
        for name in first
    }
    most = max(ahead, key=lambda name: ahead[name])
    linked = correlation(
        np.array([float(year[name]) for name in names]),
        np.array([mean(table.fixed[name]) for name in names]),
    )
    return Finding(
        some(above(effect) for effect in effects.values()),
        tuple(effects[name] for name in sorted(first, key=lambda n: -effects[n].mean)[:3]),
        f"By means {most} is ahead of {ahead[most]} of the {len(late)} algorithms from after "
        f"{UNTIL}; the year and the accuracy go together with a Spearman correlation of "
        f"{minus(linked.value, 2)} (p {linked.p:.2f}). {listed(POOR)} are left out, as in the paper's "
        "figure.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


def _year(name: str) -> int:
    words = algorithm(name).paper.replace(",", " ").replace(".", " ").split()
    return int(next(w for w in reversed(words) if w.isdigit() and len(w) == 4))


def best_everywhere(table: Tabular) -> Finding:
    """P3: whether each algorithm is clearly behind another by some criterion."""
    names = list(table.fixed)
    firsts, clear = {}, {}
    for criterion in CRITERIA:
        columns = [values(table.fixed[name], criterion) for name in names]
        means = [mean(table.fixed[name], criterion) for name in names]
        firsts[criterion] = names[int(np.argmax(means))]
        pairs = compare_all(list(map(list, zip(*columns))), names, table.test_share)
        for name in names:
            clear[name] = clear.get(name, 0) + pairs.counts(name)["loss"]
    unbeaten = [name for name in names if not clear[name]]
    told = ", ".join(f"{name} by {criterion}" for criterion, name in firsts.items())
    return Finding(
        shown(not unbeaten),
        (),
        f"{table.title}: first by mean are {told}; {len(unbeaten)} of {len(names)} algorithms are "
        f"clearly behind no other by any criterion (corrected t test, Holm over all "
        f"{len(names) * (len(names) - 1) // 2} pairs, 5 %), so one of these may be the best "
        "always.",
        about(table),
        DIFFERS,
        command(table),
    )


def strong(table: Tabular) -> Finding:
    """P24: PRODEN."""
    others = [name for name in table.fixed if name not in (*POOR, "PRODEN")]
    effects = {
        criterion: over_splits(
            f"{table.title}, PRODEN minus the mean of the {len(others)} others, by {criterion}",
            values(table.fixed["PRODEN"], criterion),
            averaged(values(table.fixed[name], criterion) for name in others),
            table.test_share,
            len(CRITERIA),
        )
        for criterion in CRITERIA
    }
    names = list(table.fixed)
    places = [
        f"{competition_ranks(np.array([mean(table.fixed[n], c) for n in names]))[at]} by {c}"
        for at in [names.index("PRODEN")]
        for c in CRITERIA
    ]
    return Finding(
        every(above(effect) for effect in effects.values()),
        tuple(effects.values()),
        f"Of {len(names)} algorithms PRODEN has the places {listed(places)}. {listed(POOR)} are "
        "not among the others, so that these do not flatter it.",
        about(table),
        DIFFERS,
        command(table),
    )


def complementary(table: Tabular) -> Finding:
    """P25: Forward, SCL-EXP and OP-W against methods for partial labels."""
    rivals = [name for name in table.fixed if name not in COMPLEMENTARY]
    against = averaged(values(table.fixed[name]) for name in rivals)
    effects = {
        name: over_splits(
            f"{table.title}, {name} minus the mean of the {len(rivals)} for partial labels",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(EARLY),
        )
        for name in EARLY
    }
    return Finding(
        every(above(effect, -MARGIN) for effect in effects.values()),
        tuple(effects.values()),
        'Judged is whether each is above that mean, or less than a point below it, by CR: "well".',
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


def poor(table: Tabular) -> Finding:
    """P21: NN and GA."""
    others = [name for name in table.fixed if name not in POOR]
    against = averaged(values(table.fixed[name]) for name in others)
    effects = [
        over_splits(
            f"{table.title}, {name} minus the mean of the {len(others)} others",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(POOR),
        )
        for name in POOR
    ]
    return Finding(
        every(below(effect) for effect in effects),
        tuple(effects),
        "By CR.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


# criteria


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
        lambda at: _spearman(right[at], lost[at]),
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


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    from scipy.stats import rankdata

    a, b = rankdata(x), rankdata(y)
    if a.std() == 0 or b.std() == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


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
        lambda at: _spearman(means[at, 1], means[at, 0]),
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


# programs and their tables


def two_programs(table: Tabular) -> Finding | None:
    """P6: the published order beside that of the released program's methods, run here."""
    pairs = {
        name: (table.published[name, "CR"], table.rows[f"{name}:plench"])
        for name, criterion in table.published
        if criterion == "CR" and f"{name}:plench" in table.rows
    }
    if len(pairs) < 3:
        return None
    ours = np.array([mean(row) for _, row in pairs.values()])
    theirs = np.array([published.mean for published, _ in pairs.values()])
    errors = np.array(
        [
            (published.error, float(np.std(values(row))) / len(values(row)) ** 0.5)
            for published, row in pairs.values()
        ]
    )
    tau = kendall(ours, theirs)
    rng, middle = seeds.draw(0, "claims: two programs"), (ours + theirs) / 2
    chance = []
    for _ in range(2000):
        one, other = (middle + rng.normal(0, errors[:, side]) for side in (0, 1))
        chance.append(kendall(one, other))
    low, high = np.quantile(chance, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    crossed = [
        (a, b)
        for a, b in itertools.combinations(range(len(ours)), 2)
        if (ours[a] - ours[b]) * (theirs[a] - theirs[b]) < 0
    ]
    clear = [
        (a, b)
        for a, b in crossed
        if all(
            abs(means[a] - means[b]) > LIMIT * np.hypot(errors[a, side], errors[b, side])
            for side, means in ((0, theirs), (1, ours))
        )
    ]
    count = len(ours) * (len(ours) - 1) // 2
    return Finding(
        shown(bool(tau < low)),
        (
            Effect(f"{table.title}, Kendall's tau, published and ours", tau, None, None, False, 2),
            Effect(
                "what standard errors alone would make of one true order",
                float(np.mean(chance)),
                float(low),
                float(high),
                False,
                2,
            ),
        ),
        f"{len(crossed)} of {count} pairs stand the other way round, {len(clear)} of them with a "
        f"lead of {LIMIT} standard errors on both sides. The orders differ, but no more than "
        "standard errors make two runs of one program differ"
        if tau >= low
        else f"{len(crossed)} of {count} pairs stand the other way round, more than standard "
        "errors make",
        f"{table.title}: {len(ours)} algorithms of the released program (`plench`) by CR, beside "
        "the published table",
        "not the two papers' tables of Soccer Player and Yahoo! News, but PLENCH's own and ours "
        "on the same splits",
        command(table, " --criterion CR"),
    )


def small_things(table: Tabular) -> Finding | None:
    """P7: the released program's details against the methods as meant."""
    both = [name for name in table.fixed if f"{name}:plench" in table.rows]
    if len(both) < 3:
        return None
    effects = {
        name: over_splits(
            f"{table.title}, {name}, `fixed` minus `plench`",
            values(table.fixed[name]),
            values(table.rows[f"{name}:plench"]),
            table.test_share,
            len(both),
        )
        for name in both
    }
    sure = [*named(effects, above), *named(effects, below)]
    order = rank(
        {name: table.rows[f"{name}:plench"].chosen["CR"] for name in both},
        {name: table.fixed[name].chosen["CR"] for name in both},
    )
    largest = sorted(both, key=lambda name: -abs(effects[name].mean))[:3]
    return Finding(
        shown(bool(order.sure)),
        tuple(effects[name] for name in largest),
        f"Details of the program (scaling, record times, defects) change the accuracy of "
        f"{listed(sure) if sure else 'no algorithm'} clearly. Kendall's tau between the two orders "
        f"is {order.tau:.2f}; of {len(order.swapped)} pairs that change places "
        f"{len(order.sure)} do so clearly, which is what is judged.",
        about(table),
        "the paper supposes it of other papers' programs; here it is one program and its repair",
        command(table, " --criterion CR"),
    )


def published_again(table: Tabular) -> Finding:
    """P31 to P33: how far the published numbers come out again."""
    from _reproduction.numbers import Comparison
    from candidly.stats import summarise

    found = []
    for (name, criterion), published in table.published.items():
        row = table.rows.get(f"{name}:plench")
        if row is not None:
            chosen = values(row, CHOSEN_BY.get(criterion, criterion))
            ours = summarise(chosen, ddof=0)
            if ours.count:
                found.append(Comparison(name, criterion, published, ours, len(chosen)))
    agree = sum(one.agrees for one in found)
    away = np.array([one.away for one in found])
    far = [f"{one.algorithm} by {one.criterion}" for one in found if not one.agrees]
    verdict = UNTOLD if not found else counted(agree / len(found) >= LEVEL)
    return Finding(
        verdict,
        tuple(
            Effect(f"{table.title}, ours minus published, mean", value)
            for value in [float(np.mean([one.difference for one in found]))]
        )
        if found
        else (),
        f"{agree} of {len(found)} numbers are within {LIMIT} combined standard errors; the root "
        f"mean square of the distances is {np.sqrt((away**2).mean()):.2f}. Further away: "
        f"{listed(far) if far else 'none'}. Judged is whether {100 * LEVEL:.0f} % agree."
        if found
        else "No algorithm of the released program is complete yet.",
        f"{table.title}: the released program's algorithms (`plench`), its splits and "
        "hyper-parameters",
        "initial weights and the order of batches",
        command(table),
    )


def described(table: Tabular) -> Finding:
    """P20: sizes."""
    expected, facts = SOURCES[table.name].expected, table.facts
    theirs = (expected.n, expected.d, expected.q)
    ours = (facts.n, facts.d, facts.q)
    return Finding(
        counted(theirs == ours),
        (),
        f"{table.title} has {ours[0]:,} examples, {ours[1]} features and {ours[2]} classes "
        f"(published: {theirs[0]:,}, {theirs[1]} and {theirs[2]}). Labels a set are in the data "
        f"and not in the results: `candidly data describe {table.name}` compares them.",
        "the plans of the results directories",
        "nothing; the other tables are not among the results",
        f"candidly bench status bench/results/{table.name}",
    )


# clean validation labels


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
    "P2": lambda shelf: on_each(shelf, early),
    "P3": lambda shelf: on_each(shelf, best_everywhere),
    "P4": lambda shelf: on_each(shelf, selection),
    "P5": clean_labels,
    "P6": lambda shelf: on_each(shelf, two_programs, some),
    "P7": lambda shelf: on_each(shelf, small_things, some),
    "P9": lambda shelf: on_each(shelf, gap),
    "P13": lambda shelf: on_each(shelf, improper),
    "P14": lambda shelf: on_each(shelf, inaccurate, some),
    "P15": lambda shelf: on_each(shelf, upper_bound),
    "P20": lambda shelf: on_each(shelf, described),
    "P21": lambda shelf: on_each(shelf, poor),
    "P23": lambda shelf: on_each(shelf, covering_better, some),
    "P24": lambda shelf: on_each(shelf, strong),
    "P25": lambda shelf: on_each(shelf, complementary),
    "P31": lambda shelf: _of(shelf, "lost"),
    "P32": lambda shelf: _of(shelf, "msrcv2"),
    "P33": lambda shelf: _of(shelf, "birdsong"),
}


def _of(shelf: Shelf, name: str) -> Finding | None:
    table = shelf.tabular(name)
    return None if table is None else published_again(table)
