"""PLENCH's claims about programs and published numbers, by results on tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from candidly.data.sources import SOURCES
from candidly.ground import seeds
from candidly.show.words import listed
from candidly.stats import summarise
from candidly.stats.rank_correlation import kendall
from studies.reproduction.numbers import CHOSEN_BY, LIMIT, Comparison, rank

from .judging import (
    LEVEL,
    UNTOLD,
    Effect,
    Finding,
    above,
    below,
    counted,
    every,
    named,
    over_splits,
    shown,
    some,
)
from .on_tables import about, command, mean, on_each, values
from .shelf import Shelf, Tabular


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
        f"On {table.title} {len(crossed)} of {count} pairs stand the other way round, "
        f"{len(clear)} of them with a lead of {LIMIT} standard errors on both sides; the orders "
        "differ, but no more than standard errors make two runs of one program differ."
        if tau >= low
        else f"On {table.title} {len(crossed)} of {count} pairs stand the other way round, more "
        "than standard errors make.",
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
        f"On {table.title} details of the program (scaling, record times, defects) change the "
        "accuracy of "
        f"{listed(sure) if sure else 'no algorithm'} clearly. Kendall's tau between the two orders "
        f"is {order.tau:.2f}; of {len(order.swapped)} pairs that change places "
        f"{len(order.sure)} do so clearly, which is what is judged.",
        about(table),
        "the paper supposes it of other papers' programs; here it is one program and its repair",
        command(table, " --criterion CR"),
    )


def published_again(table: Tabular) -> Finding:
    """P31 to P33: how far the published numbers come out again."""
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
    all_there = len(found) == len(table.published)
    verdict = UNTOLD if not found else counted(agree / len(found) >= LEVEL)
    verdict = verdict if all_there else every([verdict, UNTOLD])
    return Finding(
        verdict,
        tuple(
            Effect(f"{table.title}, ours minus published, mean", value)
            for value in [float(np.mean([one.difference for one in found]))]
        )
        if found
        else (),
        f"{agree} of {len(found)} numbers are within {LIMIT} combined standard errors "
        f"({len(table.published)} are published); the "
        f"root mean square of the distances is {np.sqrt((away**2).mean()):.2f}. Further away: "
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
        every([counted(theirs == ours), UNTOLD]),
        (),
        f"{table.title} has {ours[0]:,} examples, {ours[1]} features and {ours[2]} classes "
        f"(published: {theirs[0]:,}, {theirs[1]} and {theirs[2]}). Labels a set and the other "
        f"tables are not in the results: `candidly data describe {table.name}` compares them.",
        "the plans of the results directories",
        "nothing; the other tables are not among the results",
        f"candidly bench status studies/reproduction/results/{table.name}",
    )


def _of(shelf: Shelf, name: str) -> Finding | None:
    table = shelf.tabular(name)
    return None if table is None else published_again(table)


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P6": lambda shelf: on_each(shelf, two_programs, some, whole=False),
    "P7": lambda shelf: on_each(shelf, small_things, some, whole=False),
    "P20": lambda shelf: on_each(shelf, described, whole=False),
    "P31": lambda shelf: _of(shelf, "lost"),
    "P32": lambda shelf: _of(shelf, "msrcv2"),
    "P33": lambda shelf: _of(shelf, "birdsong"),
}
