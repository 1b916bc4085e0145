"""Claims about label errors in test sets, by the released votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from candidly.compare.stability import x_mixture, x_removed
from candidly.show.words import listed
from candidly.stats import summarise, wilson
from studies.label_errors import published

from .judging import (
    HALF,
    HOLDS,
    UNTOLD,
    Effect,
    Finding,
    above,
    counted,
    every,
    of_independent,
    rounding,
)
from .shelf import Shelf

VOTES = "the released votes of ten test sets, each counted again (label-error-study.md)"
COUNT = "python -m json.tool studies/label_errors/results/measured.json"
CATEGORIES = {"non-error": "non_errors", **{n: n for n in ("correctable", "neither")}} | {
    "multi-label": "multi_label",
    "non-agreement": "non_agreement",
}
IMAGENET = "ImageNet"


def of_votes(told: str, effects: Sequence[Effect], said: str, sets: int = 10) -> Finding:
    return Finding(
        told, tuple(effects), said, VOTES, "nothing but which votes were released", COUNT, sets
    )


# counts


def _sets(shelf: Shelf) -> Mapping[str, Any]:
    return shelf.errors["sets"]


def average(shelf: Shelf) -> Finding:
    """L1: wrong labels, mean over the sets."""
    told = [float(row["percent_error"]) for row in published.table("table1").values()]
    bound = round(float(np.mean(told)), 1) - rounding(1)
    estimates = [each["estimate"] for each in _sets(shelf).values()]
    middle = np.array([each["percent"] for each in estimates]) / 100
    ends = np.array([each["finite"] for each in estimates]).T / [e["size"] for e in estimates]
    off = np.sqrt(((ends - middle) ** 2).sum(1)) / len(middle)
    mean = float(middle.mean())
    effect = Effect(
        "wrong labels, mean of ten sets", mean, mean - off[0], mean + off[1], digits=2, share=True
    )
    return of_votes(
        above(effect, bound / 100),
        [effect],
        f"Of the published percentages the mean is {np.mean(told):.2f} %. Only what was flagged "
        "was looked at, so this is a lower bound; where a sample of the flagged was checked, the "
        "interval is of the sampling.",
    )


def shares(shelf: Shelf) -> Finding:
    """L2: the share of each set."""
    away, same = {}, _same(shelf)
    for name, row in published.table("table1").items():
        ours = _sets(shelf)[name]["estimate"]["percent"]
        if f"{ours:.2f}" != f"{float(row['percent_error']):.2f}":
            away[name] = f"{name} ({ours:.2f} and {float(row['percent_error']):.2f} %)"
    return of_votes(
        _where_same(shelf, not any(name in away for name in same)),
        [],
        f"{len(_sets(shelf)) - len(away)} of {len(_sets(shelf))} percentages come out again. "
        f"Others, ours and published: {listed(list(away.values()) or ['none'])}. "
        f"{_caltech(shelf)} Judged are the sets with as many checks.",
    )


def _caltech(shelf: Shelf) -> str:
    differing = [
        f"of {name} {each['rows']:,} checks were released and {row['mturk_checked']} are in the "
        "table"
        for name, row in published.table("table1").items()
        if (each := _sets(shelf)[name])["rows"] != int(row["mturk_checked"])
    ]
    return f"Where the checks differ: {listed(differing or ['nowhere'])}."


def candidates(shelf: Shelf) -> Finding:
    """L3: wrong labels among the candidates that were checked."""
    table = published.table("table2")
    wrong = {name: int(row["errors"]) for name, row in table.items()}
    checks = {name: wrong[name] + int(row["non_errors"]) for name, row in table.items()}
    told = sum(wrong.values()) / sum(checks.values())
    sets, same = _sets(shelf), _same(shelf)
    again = [name for name in same if sets[name]["errors"]["exact"] == wrong[name]]
    each = [one["errors"]["exact"] / one["rows"] for one in sets.values()]
    return of_votes(
        _where_same(shelf, again == same),
        [_share("wrong among the checked candidates of these sets", [sets[n] for n in same])],
        f"Published: {100 * told:.0f} % of all. Of the {len(same)} sets of which as many checks "
        f"were released as published, {len(again)} have the published number of errors. "
        f"{_caltech(shelf)} From set to set it is {100 * min(each):.0f} to "
        f"{100 * max(each):.0f} %.",
    )


def _where_same(shelf: Shelf, so: bool) -> str:
    """Of what is counted in sets with the published checks; others cannot be compared."""
    others = UNTOLD if len(_same(shelf)) < len(_sets(shelf)) else HOLDS
    return every([counted(so), others])


def _same(shelf: Shelf) -> list[str]:
    table = published.table("table1")
    return [n for n, one in _sets(shelf).items() if one["rows"] == int(table[n]["mturk_checked"])]


def _share(what: str, sets: Iterable[Mapping[str, Any]]) -> Effect:
    there = list(sets)
    found, of = (sum(values) for values in zip(*((s["errors"]["exact"], s["rows"]) for s in there)))
    return Effect(what, found / of, *wilson(found, of), share=True)


def categories(shelf: Shelf) -> Finding:
    """L4: Table 2."""
    away, cells = [], 0
    for name, row in published.table("table2").items():
        ours = _sets(shelf)[name]["categories"]
        pairs = [(ours[a], row[b]) for a, b in CATEGORIES.items() if row[b]]
        cells += len(pairs)
        if any(one != int(other) for one, other in pairs):
            away.append(name)
    return of_votes(
        _where_same(shelf, not any(name in away for name in _same(shelf))),
        [],
        f"{cells} published numbers, of which all come out again but those of "
        f"{listed(away or ['none'])}. {_caltech(shelf)}",
    )


def systematic(shelf: Shelf) -> Finding:
    """L5: errors for which people agree on another label."""
    there = [one for one in _sets(shelf).values() if not one["categories"]["different set"]]
    shares = [one["categories"]["correctable"] / one["errors"]["exact"] for one in there]
    effect = of_independent(
        "errors with one other label that people agree on, mean of the sets", summarise(shares)
    )
    effect = replace(effect, share=True)
    return of_votes(
        above(effect, HALF),
        [effect],
        f"Of {len(there)} sets with one label an example, from {100 * min(shares):.0f} to "
        f"{100 * max(shares):.0f} %. On the other errors people do not agree, choose both labels "
        'or neither. "Mainly" is more than half. Agreement on another label is what systematic '
        "mislabelling would leave; other reasons leave it too.",
        len(there),
    )


def cut(shelf: Shelf) -> Finding:
    """L6: what people need not check."""
    wanted = shelf.number("L6", "cut")
    saved = {n: 1 - one["flagged"] / one["size"] for n, one in _sets(shelf).items()}
    reached = [name for name, share in saved.items() if share >= wanted]
    low, high = wilson(len(reached), len(saved))
    effect = Effect(
        "sets of which so much is left out", len(reached) / len(saved), low, high, share=True
    )
    return of_votes(
        above(effect, HALF),
        [effect],
        f"Flagging leaves out {100 * wanted:.0f} % or more of {len(reached)} of {len(saved)} sets "
        f"({listed(reached)}), and {100 * min(saved.values()):.1f} to "
        f'{100 * max(saved.values()):.1f} % over all. "Often" is more than half of the sets.',
    )


def thresholds(shelf: Shelf) -> Finding:
    """L23: correctable examples by how many must agree."""
    ours = {s["level"]: s for s in _sets(shelf)[IMAGENET]["settings"] if s["reading"] == "exact"}
    pairs = [
        (int(ours[int(row["threshold"])]["corrected"]), int(row["correctable"]))
        for row in published.appendix()
    ]
    told = listed([f"{one:,} (published {other:,})" for one, other in pairs])
    return of_votes(
        counted(all(one == other for one, other in pairs)),
        [],
        f"Released votes have {told}. Table 2 of the same paper has as many as the votes.",
    )


def enough(shelf: Shelf) -> Finding:
    """L16: what must be removed for a prevalence."""
    wanted, removed = (shelf.number("L16", name) for name in ("prevalence", "removed"))
    now = next(s for s in _sets(shelf)[IMAGENET]["settings"] if s["level"] == 3)["prevalence"]
    after = now / (now + (1 - removed) * (1 - now))
    return of_votes(
        counted(after >= wanted),
        [
            Effect("prevalence after the removal", after, digits=2, share=True),
            Effect("to be removed", float(x_removed(wanted, now)), digits=1, share=True),
            Effect("weight to be mixed in", float(x_mixture(wanted, now)), digits=1, share=True),
        ],
        f"From {100 * now:.2f} % wrong labels. The printed formula mixes wrong examples in instead "
        "of removing right ones, which is another thing.",
    )


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "L1": average,
    "L2": shares,
    "L3": candidates,
    "L4": categories,
    "L5": systematic,
    "L6": cut,
    "L16": enough,
    "L23": thresholds,
}
