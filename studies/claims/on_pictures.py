"""PLENCH's claims, by the committed study of pictures with candidate sets (docs/studies/images.md).

The three sets of labels share the pictures, their two splits and the test pictures, so that a split
counts once, with the mean over the sets of labels, and intervals have a part of the test pictures;
algorithms are drawn again where a claim is about algorithms.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from candidly.show.words import listed
from candidly.stats import wilson
from candidly.stats.rank_correlation import kendall
from studies.images.numbers import OnLabels
from studies.images.runs import CONTRASTIVE, GROUPS, ROWS, SPLITS

from .judging import (
    HALF,
    MANY,
    MARGIN,
    SAME,
    Effect,
    Finding,
    above,
    averaged,
    every,
    named,
    on_one_test_set,
    over_algorithms,
    some,
    spearman,
)
from .shelf import Shelf

HEAVY = (*CONTRASTIVE, "CRDPLL", "VALEN")  # second views, contrast, several networks
POOR = ("NN", "GA")
VARIANTS = ("PRODEN", "RC", "POP")  # which the paper says are in PRODEN's form or based on it
TITLES = {
    "flip": "uniform sets",
    "instance": "look-alike sets",
    "people": "people's sets",
}
DATA = (
    f"CIFAR-10 pictures, {ROWS:,} to learn from, with sets of three kinds: uniform, look-alike and "
    f"people's (CIFAR-10H); {SPLITS} splits, 29 algorithms"
)
DIFFERS = (
    "a tenth of the pictures, a narrow network and eight epochs in place of a DenseNet or ResNet "
    "trained long; people's sets are CIFAR-10H's and not PLCIFAR10's; one configuration each"
)
COMMAND = (
    f"for l in {' '.join(TITLES)}; do for g in {' '.join(GROUPS)}; do candidly bench table "
    "studies/images/results/$l-$g; done; done"
)


def finding(told: str, effects: Sequence[Effect], said: str, more: str = "") -> Finding:
    return Finding(told, tuple(effects), said, DATA, DIFFERS, COMMAND + more)


def accuracy(shelf: Shelf, name: str, criterion: str = "CR") -> list[float | None]:
    """Split by split, the mean over the sets of labels."""
    return averaged(on.rows[name].accuracy[criterion] for on in shelf.pictures.values())


def names(shelf: Shelf) -> list[str]:
    """Algorithms that are on all sets of labels, all runs of them with a value."""
    tables = [labels.rows for labels in shelf.pictures.values()]
    return [
        name
        for name in tables[0]
        if all(name in rows and not np.isnan(rows[name].mean("CR")) for rows in tables)
    ]


def against(shelf: Shelf, name: str, rivals: Sequence[str], what: str, cases: int) -> Effect:
    """An algorithm minus the mean of others."""
    return on_one_test_set(
        f"{name} minus the mean of {what}",
        accuracy(shelf, name),
        averaged(accuracy(shelf, rival) for rival in rivals),
        tested(shelf),
        cases,
    )


def tested(shelf: Shelf) -> int:
    """Test pictures, which all splits and sets of labels share."""
    return int(next(iter(shelf.pictures.values())).about["test"])


# which algorithm


def concise(shelf: Shelf) -> Finding:
    """P1: light algorithms against heavy ones."""
    every_one = names(shelf)
    heavy = [name for name in every_one if name in HEAVY]
    light = [name for name in every_one if name not in HEAVY]
    means = {name: float(np.mean([v for v in accuracy(shelf, name) if v])) for name in every_one}
    middle = float(np.mean([means[name] for name in heavy]))
    found = [name for name in light if means[name] > middle - MARGIN]
    low, high = wilson(len(found), len(light))
    share = Effect(
        f"light algorithms at most {100 * MARGIN:.0f} point below the heavy ones' mean",
        len(found) / len(light),
        low,
        high,
        share=True,
    )
    best = max(light, key=lambda name: means[name])
    lead = against(shelf, best, heavy, "the heavy ones", len(light))
    return finding(
        above(share, MANY),
        [share, lead],
        f"{len(found)} of {len(light)} light algorithms, chosen by CR, means over the sets. Heavy "
        f"are {listed(heavy)}. {best} is the best light one; its interval allows for the choice "
        f"among {len(light)}.",
    )


def order_moves(shelf: Shelf) -> Finding:
    """P8: orders on generated and on people's sets."""
    there = names(shelf)
    table = {
        key: np.array([labels.rows[name].accuracy["CR"] for name in there], dtype=float)
        for key, labels in shelf.pictures.items()
    }

    def less(at: np.ndarray) -> float:
        made, own = table["flip"][at], table["people"][at]
        across = np.mean(
            [kendall(made[:, a], own[:, b]) for a, b in itertools.product(range(SPLITS), repeat=2)]
        )
        within = np.mean([kendall(one[:, 0], one[:, 1]) for one in (made, own)])
        return float(within - across)

    effect = over_algorithms(
        "Kendall's tau between two splits of one set minus that between uniform and people's sets",
        len(there),
        less,
        points=False,
        digits=2,
    )
    moved = _moved(shelf, there)
    return finding(
        above(effect),
        [effect],
        f"{len(there)} algorithms, chosen by CR. Above 0: the order changes with the kind of sets "
        f"more than with the split. The furthest in rank: {moved}.",
    )


def _moved(shelf: Shelf, there: Sequence[str]) -> str:
    made, own = (shelf.pictures[key].ranks("CR") for key in ("flip", "people"))
    far = sorted(there, key=lambda name: -abs(made[name] - own[name]))[:3]
    return listed([f"{name} ({made[name]} on uniform, {own[name]} on people's)" for name in far])


def strong(shelf: Shelf) -> Finding:
    """P28: PRODEN and what follows it."""
    there = names(shelf)
    own = [name for name in VARIANTS if name in there]
    others = [name for name in there if name not in (*own, *POOR)]
    together = on_one_test_set(
        f"mean of {listed(own)} minus that of the {len(others)} others",
        averaged(accuracy(shelf, name) for name in own),
        averaged(accuracy(shelf, name) for name in others),
        tested(shelf),
    )
    each = [against(shelf, name, others, "the others", len(own)) for name in own]
    ranks = [str(labels.ranks("CR")["PRODEN"]) for labels in shelf.pictures.values()]
    return finding(
        above(together),
        (together, *each),
        f"By CR; {listed(POOR)} are not among the others. PRODEN's places of {len(there)} on the "
        f"three sets of labels are {listed(ranks)}. Judged is whether their mean is above "
        'the others\', which is a weak reading of "strong".',
    )


def dear(shelf: Shelf) -> Finding:
    """P30: what the heavy ones reach, and what they cost."""
    there = [name for name in names(shelf) if name in shelf.memory]
    heavy = [name for name in there if name in HEAVY]
    light = [name for name in there if name not in HEAVY]
    gain = {name: against(shelf, name, light, "the light ones", len(heavy)) for name in heavy}
    seconds = {
        name: np.mean([labels.cost(name) for labels in shelf.pictures.values()]) for name in there
    }
    ratios = [
        _ratio(what, by, heavy, light)
        for what, by in (("processor time", seconds), ("peak memory", shelf.memory))
    ]
    best = max(gain.values(), key=lambda effect: -np.inf if effect.low is None else effect.low)
    return finding(
        every([some(map(above, gain.values())), *(above(ratio, 1.0) for ratio in ratios)]),
        [best, *ratios],
        f"Heavy are {listed(heavy)}; light are {len(light)}. Clearly above the light ones' mean: "
        f"{listed(named(gain, above) or ['none'])}. Time and memory are ratios of means, with "
        "algorithms drawn again; memory is that of training a DenseNet-22.",
        " && python -m json.tool bench/results/picture_costs.json",
    )


def _ratio(what: str, by: Mapping, heavy: Sequence[str], light: Sequence[str]) -> Effect:
    values = np.array([by[name] for name in (*heavy, *light)], dtype=float)
    first = len(heavy)

    def of(at: np.ndarray) -> float:
        return float(values[at[at < first]].mean() / values[at[at >= first]].mean())

    groups = [range(first), range(first, len(values))]
    return over_algorithms(
        f"{what}, heavy over light", len(values), of, groups, False, 2, signed=False
    )


# criteria


def loss(shelf: Shelf, labels: OnLabels, criterion: str) -> np.ndarray:
    """By algorithm, test accuracy by OA & ES minus that by another criterion."""
    rows = [labels.rows[name] for name in names(shelf)]
    return np.array([row.mean("OA & ES") - row.mean(criterion) for row in rows])


def nearly(shelf: Shelf) -> Finding:
    """P26: CR against clean labels with early stopping."""
    lost = np.array([loss(shelf, labels, "CR") for labels in shelf.pictures.values()])
    effect = over_algorithms(
        f"cases in which CR is at most {100 * MARGIN:.0f} point below OA & ES",
        lost.shape[1],
        lambda at: float(np.nanmean(lost[:, at] < MARGIN)),
        share=True,
    )
    mean = _mean_loss(lost, "CR")
    return finding(
        above(effect, HALF),
        [effect, mean],
        f"Cases are algorithms on sets of labels, {lost.size} in all; algorithms are drawn again. "
        'Judged is whether these are most ("in most cases nearly as good").',
    )


def worse(shelf: Shelf) -> Finding:
    """P27: AA against clean labels with early stopping."""
    effects = []
    for key, labels in shelf.pictures.items():
        lost = loss(shelf, labels, "AA")[None]
        effects.append(_mean_loss(lost, f"AA, {TITLES[key]}", len(TITLES)))
    largest = max(
        (row.mean("OA & ES") - row.mean("AA"), f"{row.algorithm} on {TITLES[key]}")
        for key, labels in shelf.pictures.items()
        for row in labels.rows.values()
        if not np.isnan(row.mean("AA"))
    )
    return finding(
        some(map(above, effects)),
        effects,
        f"Means over the algorithms, which are drawn again. Most is lost by {largest[1]}, "
        f"{100 * largest[0]:.1f} points.",
    )


def _mean_loss(lost: np.ndarray, what: str, cases: int = 1) -> Effect:
    return over_algorithms(
        f"OA & ES minus {what}, mean",
        lost.shape[1],
        lambda at: float(np.nanmean(lost[:, at])),
        cases=cases,
    )


# what the covering rate orders


def orders(shelf: Shelf) -> Finding | None:
    """P10: covering rate and accuracy on uniform sets."""
    effect = _alike(shelf, "flip")
    return finding(
        above(effect, SAME),
        [effect],
        f"Over algorithms, on the same validation rows, means of the last records of {SPLITS} "
        f"splits. Judged is whether it is above {SAME}; a theorem holds for expectations, and a "
        "finite number of validation rows leaves chance.",
    )


def disorders(shelf: Shelf) -> Finding | None:
    """P11: the same where wrong labels enter in another way."""
    effects = []
    for key in ("instance", "people"):
        first, other = shelf.last_validation("flip"), shelf.last_validation(key)
        there = [name for name in first if name in other]
        one, two = (np.array([by[name] for name in there]) for by in (first, other))
        effects.append(
            over_algorithms(
                f"the correlation on uniform sets minus that on {TITLES[key]}",
                len(there),
                lambda at, one=one, two=two: spearman(*one[at].T) - spearman(*two[at].T),
                points=False,
                digits=2,
                cases=2,
            )
        )
    return finding(
        some(map(above, effects)),
        [*effects, *(_alike(shelf, key) for key in ("instance", "people"))],
        "Judged is whether the covering rate orders algorithms less like accuracy there than on "
        "uniform sets.",
    )


def _alike(shelf: Shelf, key: str) -> Effect:
    by = shelf.last_validation(key)
    values = np.array(list(by.values()))
    return over_algorithms(
        f"Spearman correlation of covering rate and accuracy, {TITLES[key]}",
        len(values),
        lambda at: spearman(*values[at].T),
        points=False,
        digits=2,
    )


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P1": concise,
    "P8": order_moves,
    "P10": orders,
    "P11": disorders,
    "P26": nearly,
    "P27": worse,
    "P28": strong,
    "P30": dear,
}
