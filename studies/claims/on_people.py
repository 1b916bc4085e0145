"""Claims about people's labels of pictures, by the studies cifarn and noisy_labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from candidly.compare.sweep.select import cells
from candidly.show.words import listed
from candidly.stats import summarise
from studies.cifarn.numbers import BASE, Table, mean, spread
from studies.cifarn.runs import LABEL_SETS
from studies.detectors.data import STUDIES as DETECTED
from studies.detectors.page import RANKED
from studies.detectors.study import ANCHOR
from studies.texts.numbers import CLEAN

from .judging import (
    MARGIN,
    TIMES,
    Effect,
    Finding,
    above,
    apart,
    below,
    counted,
    every,
    named,
    of_independent,
    over_algorithms,
    some,
    widened,
)
from .on_texts import MADE, MIDDLE
from .shelf import Shelf

WORST, FEWEST = LABEL_SETS[0], LABEL_SETS[-1]  # by wrong labels
RECIPES = {"views": ("", "-synthetic"), "no views": ("-plain", "-synthetic-plain")}
ORACLE = "supervised-oracle"
PROBS = "probabilities"  # what detectors are given
CORRECTING = ("dividemix", "promix", "disc", "seal")
DIGITS = ("symmetric-20", "symmetric-60")
DIFFERS = (
    "a tenth of the pictures, a small network and twelve epochs, one run of most algorithms (two "
    "under the worst labels)"
)
ALL = "for d in studies/cifarn/results/*/; do candidly bench table $d{}; done"


def finding(
    shelf: Shelf, told: str, effects: Sequence[Effect], said: str, command: str = ""
) -> Finding:
    sizes = shelf.people.about
    data = f"CIFAR-10N: {sizes['train']:,} pictures to learn from, {sizes['test']:,} to test on"
    return Finding(told, tuple(effects), said, data, DIFFERS, command or ALL.format(""))


def _pairs(shelf: Shelf) -> dict[str, tuple[Table, Table, list[str]]]:
    """By recipe, tables of people's and of drawn labels, and the algorithms of both."""
    tables, found = shelf.people.tables, {}
    for recipe, (own, made) in RECIPES.items():
        one, other = tables[WORST + own], tables[WORST + made]
        both = [n for n in other if n in one and not np.isnan(mean(one[n].selected))]
        found[recipe] = (one, other, both)
    return found


def departing(shelf: Shelf) -> Finding:
    """C1: people's labels against labels drawn from their transition matrix."""
    effects = []
    for recipe, (one, other, both) in _pairs(shelf).items():
        gaps = np.array([mean(other[n].selected) - mean(one[n].selected) for n in both])
        effects.append(
            over_algorithms(
                f"drawn labels minus people's, mean of {len(both)} algorithms, {recipe}",
                len(gaps),
                lambda at, gaps=gaps: float(gaps[at].mean()),
                cases=len(RECIPES),
            )
        )
    return finding(
        shelf,
        some(map(apart, effects)),
        effects,
        "Accuracy at as many wrong labels of the same classes. Judged is whether the same methods "
        "do better or worse; algorithms are drawn again.",
    )


def challenging(shelf: Shelf) -> Finding:
    """C2: gains on cross-entropy under drawn and under people's labels."""
    effects, clear = [], []
    error = spread(shelf.people.tables[WORST])
    for recipe, (one, other, both) in _pairs(shelf).items():
        names = [name for name in both if name != BASE]
        gaps = np.array([_gain(other, name) - _gain(one, name) for name in names])
        runs = 1 / len(one[BASE].selected) + 1 / len(other[BASE].selected)
        effects.append(
            widened(
                over_algorithms(
                    f"gain on cross-entropy, drawn labels minus people's, mean of {len(names)}, "
                    f"{recipe}",
                    len(gaps),
                    lambda at, gaps=gaps: float(gaps[at].mean()),
                    cases=len(RECIPES),
                ),
                error * runs**0.5,
                len(RECIPES),
            )
        )
        lost = [n for n in names if _gain(other, n) > 0 > _gain(one, n)]
        clear.append(f"{listed([f'`{n}`' for n in lost] or ['none'])} ({recipe})")
    return finding(
        shelf,
        every(map(above, effects)),
        effects,
        f"Above cross-entropy under drawn labels and below it under people's are "
        f"{listed(clear)}, by single runs. The intervals hold the chance of cross-entropy's own "
        f"runs, whose standard deviation is {100 * error:.1f} points.",
    )


def _gain(table: Table, name: str) -> float:
    return mean(table[name].selected) - mean(table[BASE].selected)


def impairing(shelf: Shelf) -> Finding:
    """C3: fewer wrong labels against more, on three data sets."""
    fewest, worst = (shelf.people.tables[name] for name in (FEWEST, WORST))
    both = [name for name in worst if name in fewest and name != ORACLE]
    gaps = [mean(fewest[name].selected) - mean(worst[name].selected) for name in both]
    lost = {f"CIFAR-10N, `{FEWEST}` minus `{WORST}`": float(np.nanmean(gaps))}
    runs = [run for run in shelf.noisy.runs if run.algorithm == BASE and run.dataset in DIGITS]
    found = {
        cell.dataset: cell.values("top1")
        for cell in cells(replace(shelf.noisy, runs=runs), ["NVA"])
    }
    less, more = (float(np.mean(found[name])) for name in DIGITS)
    lost[f"digits, `{DIGITS[0]}` minus `{DIGITS[1]}`"] = less - more
    texts = shelf.texts.main
    clean, noisy = (mean(texts[noise][BASE].selected) for noise in (CLEAN, (MADE, MIDDLE)))
    lost[f"texts, no noise minus {MIDDLE} % symmetric"] = clean - noisy
    effect = of_independent("accuracy lost, mean of the data sets", summarise(lost.values()))
    wrong = {
        one["labels"]: one["wrong"] / one["n"]
        for one in shelf.people.labels
        if not one["synthetic"]
    }
    told = listed([f"{what} {100 * value:.1f}" for what, value in lost.items()])
    whole = finding(
        shelf,
        above(effect),
        [effect],
        f"In points: {told}. Of CIFAR-10N it is the mean of {len(both)} algorithms, of the others "
        f"cross-entropy; {100 * wrong[FEWEST]:.0f} % of the labels of `{FEWEST}` are wrong and "
        f"{100 * wrong[WORST]:.0f} % of `{WORST}`.",
        f"{ALL.format('')} && candidly bench table studies/noisy_labels/results && "
        "python -m studies.texts page",
    )
    data = f"{whole.data}; digits and texts (noisy-labels.md, text.md)"
    return replace(whole, data=data, sets=len(lost))


def detecting(shelf: Shelf) -> Finding:
    """C4: detectors on people's labels against flagging everything, and methods that correct."""
    sets, effects = shelf.people.detection, []
    for name, found in sets.items():
        rows = [r for r in found["rows"] if r["features"] == PROBS and r["detector"] != ANCHOR]
        gains = np.array([row["average_precision"] for row in rows]) - found["wrong"] / found["n"]
        effects.append(
            over_algorithms(
                f"`{name}`, average precision minus the share of wrong labels, mean of "
                f"{len(gains)} detectors",
                len(gains),
                lambda at, gains=gains: float(gains[at].mean()),
                cases=len(sets) + 1,
            )
        )
    table = shelf.people.tables[WORST]
    there = [name for name in CORRECTING if name in table]
    over = np.array([_gain(table, name) for name in there])
    learned = widened(
        over_algorithms(
            f"`{WORST}`, accuracy of {listed([f'`{name}`' for name in there])}, which find wrong "
            f"labels and correct them as they learn, minus `{BASE}`, mean",
            len(over),
            lambda at: float(over[at].mean()),
            cases=len(sets) + 1,
        ),
        spread(table) * len(table[BASE].selected) ** -0.5,
        len(sets) + 1,
    )
    return finding(
        shelf,
        every(map(above, [*effects, learned])),
        [*effects, learned],
        "What flagging everything reaches is the share of wrong labels; detectors and methods are "
        "drawn again. Finding and correcting both have to help.",
        "for f in studies/cifarn/results/*.json; do python -m json.tool $f; done && "
        + ALL.format(""),
    )


def choosing(shelf: Shelf) -> Finding:
    """C6: choosing the epoch by noisy validation labels."""
    effects, gained = [], []
    for name in LABEL_SETS:
        rows = [row for key, row in shelf.people.tables[name].items() if key != ORACLE]
        lost = np.array([row.lost.mean for row in rows if row.lost.mean is not None])
        effects.append(
            over_algorithms(
                f"`{name}`, best epoch minus the chosen one, mean of {len(lost)} algorithms",
                len(lost),
                lambda at, lost=lost: float(lost[at].mean()),
                cases=len(LABEL_SETS),
            )
        )
        values = summarise([row.gained.mean for row in rows])
        gained.append(f"{100 * (values.mean or 0):.1f} on `{name}`")
    return finding(
        shelf,
        every(below(effect, MARGIN) for effect in effects),
        effects,
        f"On the last epoch choosing gains, in points, {listed(gained)}. The best epoch is that "
        f"of the test rows, which nobody can choose. Judged is whether less than "
        f"{100 * MARGIN:.0f} point is lost.",
        ALL.format(" --gap"),
    )


def quick(shelf: Shelf) -> Finding:
    """C7: processor time over that of cross-entropy."""
    ratios = {
        f"`{name}` on `{labels}`": row.seconds / shelf.people.tables[labels][BASE].seconds
        for labels in LABEL_SETS
        for name, row in shelf.people.tables[labels].items()
    }
    order = sorted(ratios, key=lambda key: -ratios[key])
    over = [name for name in order if ratios[name] > TIMES]
    return finding(
        shelf,
        counted(not over),
        [
            Effect(f"{name}, times cross-entropy", ratios[name], points=False, signed=False)
            for name in order[:3]
        ],
        f"Processor time of a run with as many epochs; single runs on a machine that was not "
        f"always idle. {len(over)} of {len(ratios)} take more than {TIMES:.0f} times. Methods "
        "whose papers train longer would take more.",
    )


def confident(shelf: Shelf) -> Finding:
    """L8: confident learning's order against every other detector's."""
    lines = [
        row
        for row in shelf.detections
        if row["average_precision"] is not None and not DETECTED[row["data"]].rows_of
    ]
    by: dict[str, dict[str, dict[tuple, list[float]]]] = {}
    for row in lines:
        of, case = by.setdefault(row["detector"], {}), (row["noise"], row["rate"])
        cases = of.setdefault(row["data"], {})
        cases.setdefault(case, []).append(row["average_precision"])
    scores = {
        name: {data: _of_cases(cases) for data, cases in of.items()} for name, of in by.items()
    }
    own = scores[RANKED]
    rivals = [n for n in scores if n not in (RANKED, ANCHOR) and not n.startswith("cl-")]
    effects = {}
    for name in rivals:
        both = [data for data in own if data in scores[name]]
        gaps = [own[data] - scores[name][data] for data in both]
        effects[name] = of_independent(
            f"confident learning's order (`{RANKED}`) minus `{name}`",
            summarise(gaps),
            len(rivals),
        )
    order = sorted(effects.values(), key=lambda effect: effect.mean)
    told = [f"`{name}`" for name in named(effects, above)]
    behind = [f"`{name}`" for name in named(effects, below)]
    return Finding(
        every(map(above, effects.values())),
        (order[0], order[-1]),
        f"Average precision, of which a data set's sets of labels have their mean; shown are the "
        f"least and the most favourable of {len(rivals)}. It is clearly ahead of "
        f"{listed(told or ['none'])} and clearly behind {listed(behind or ['none'])}, over "
        f"{len(own)} data sets.",
        "digits with five kinds of drawn wrong labels, LabelMe, CIFAR-10N (detectors.md)",
        "the paper compares no methods itself and refers to others' results; here detectors share "
        "probabilities, and those that watch a training watch a small network",
        "cat studies/detectors/results/*.jsonl",
        len(own),
    )


def _of_cases(cases: Mapping[tuple, Sequence[float]]) -> float:
    """Of a data set: the mean over its sets of labels, of each over its runs."""
    return float(np.mean([np.mean(values) for values in cases.values()]))


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "C1": departing,
    "C2": challenging,
    "C3": impairing,
    "C4": detecting,
    "C6": choosing,
    "C7": quick,
    "L8": confident,
}
