"""Claims about label errors in test sets, by the released votes and our own rankings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from _label_errors import published
from _label_errors.models import SIZES
from candidly.report._wording import listed
from candidly.stability import Report, x_mixture, x_removed
from candidly.stats import wilson

from .judging import (
    HALF,
    LARGE,
    LEVEL,
    UNTOLD,
    Effect,
    Finding,
    above,
    below,
    counted,
    every,
    over_algorithms,
    rounding,
    shown,
    some,
    spearman,
    verdict,
)
from .shelf import Shelf

VOTES = "the released votes of ten test sets, each counted again (label-error-study.md)"
MODELS = "the published numbers of right answers of 34 models on ImageNet and 13 on CIFAR-10"
COUNT = "python -m json.tool bench/results/label_error_study.json"
TABLES = "column -s, -t bench/_label_errors/models_imagenet.csv"
CATEGORIES = {"non-error": "non_errors", **{n: n for n in ("correctable", "neither")}} | {
    "multi-label": "multi_label",
    "non-agreement": "non_agreement",
}
IMAGENET, CIFAR = "ImageNet", "CIFAR-10"
NAMES = {IMAGENET: "imagenet", CIFAR: "cifar10"}
STUDIES = {"cifar10_study": "16 networks on CIFAR-10", "mnist_study": "14 models on MNIST"}
OURS = "models trained here, and corrected labels from the released votes"
OURS_DIFFERS = (
    "16 narrow and hardly trained networks and 14 classical models in place of published ones, "
    "CIFAR-10 and MNIST in place of ImageNet and CIFAR-10"
)


def of_votes(told: str, effects: Sequence[Effect], said: str) -> Finding:
    return Finding(
        told, tuple(effects), said, VOTES, "nothing but which votes were released", COUNT
    )


def of_models(told: str, effects: Sequence[Effect], said: str) -> Finding:
    return Finding(told, tuple(effects), said, MODELS, "nothing: these are its numbers", TABLES)


def of_ours(told: str, effects: Sequence[Effect], said: str) -> Finding:
    command = " && ".join(
        f"python -m json.tool bench/results/{name}/report.json" for name in STUDIES
    )
    return Finding(told, tuple(effects), said, OURS, OURS_DIFFERS, command)


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
    away = {}
    for name, row in published.table("table1").items():
        ours = _sets(shelf)[name]["estimate"]["percent"]
        if f"{ours:.2f}" != f"{float(row['percent_error']):.2f}":
            away[name] = f"{name} ({ours:.2f} and {float(row['percent_error']):.2f} %)"
    return of_votes(
        counted(not away),
        [],
        f"{len(_sets(shelf)) - len(away)} of {len(_sets(shelf))} percentages come out again. "
        f"Others, ours and published: {listed(list(away.values()) or ['none'])}. "
        f"{_caltech(shelf)} Judged is whether all come out.",
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
    rows = published.table("table2").values()
    wrong = sum(int(row["errors"]) for row in rows)
    told = round(wrong / (wrong + sum(int(row["non_errors"]) for row in rows)), 2)
    sets = _sets(shelf)
    effects = [
        _share(f"wrong among the checked candidates{what}", [sets[n] for n in names])
        for what, names in (
            ("", list(sets)),
            (" of the sets whose checks are as many as published", _same(shelf)),
        )
    ]
    each = [one["errors"]["exact"] / one["rows"] for one in sets.values()]
    return of_votes(
        verdict(effects[0], told - rounding(2), told + rounding(2)),
        effects,
        f"Published: {100 * told:.0f} %. From set to set it is {100 * min(each):.0f} to "
        f"{100 * max(each):.0f} %. {_caltech(shelf)} Judged is the first, which is of all released "
        "votes.",
    )


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
        counted(not away),
        [],
        f"{cells} published numbers, of which all come out again but those of "
        f"{listed(away or ['none'])}. {_caltech(shelf)}",
    )


def systematic(shelf: Shelf) -> Finding:
    """L5: errors for which people agree on another label."""
    there = [one for one in _sets(shelf).values() if not one["categories"]["different set"]]
    errors = sum(one["errors"]["exact"] for one in there)
    agreed = sum(one["categories"]["correctable"] for one in there)
    both = sum(one["categories"]["multi-label"] for one in there)
    effect = Effect(
        "errors with one other label that people agree on",
        agreed / errors,
        *wilson(agreed, errors),
        share=True,
    )
    return of_votes(
        above(effect, HALF),
        [effect],
        f"{agreed:,} of {errors:,} errors of the {len(there)} sets with one label an example; "
        f"another {both:,} have the given label beside another. On the rest people do not agree, "
        'or choose neither. "Mainly" is more than half.',
    )


def cut(shelf: Shelf) -> Finding:
    """L6: what people need not check."""
    wanted = shelf.number("L6", "cut")
    saved = {n: 1 - one["flagged"] / one["size"] for n, one in _sets(shelf).items()}
    reached = [name for name, share in saved.items() if share >= wanted]
    return of_votes(
        counted(len(reached) > HALF * len(saved)),
        [],
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


# published models


def opposed(shelf: Shelf) -> Finding:
    """L10: right answers by original and by corrected labels."""
    effects = []
    for title, name in NAMES.items():
        models = published.models(name)
        pairs = np.array(
            [[m.right[f"{k}_top1"] for k in ("original", "corrected")] for m in models]
        )
        effects.append(
            over_algorithms(
                f"Spearman correlation, {len(models)} models on {title}",
                len(models),
                lambda at, pairs=pairs: spearman(pairs[at, 0], pairs[at, 1]),
                points=False,
                digits=2,
                cases=len(NAMES),
            )
        )
    told = shelf.errors["models"]["correlations"]
    small = told["ImageNet, without AlexNet and SqueezeNets"]
    return of_models(
        every(map(below, effects)),
        effects,
        f"Permutation p are {told['ImageNet, all']['p']:.2f} and {told['CIFAR-10, all']['p']:.2f}. "
        f"Without AlexNet and the SqueezeNets it is {_minus(small['spearman'])} on ImageNet "
        f"(p {small['p']:.3f}): the claim rests on which models are compared.",
    )


def _minus(value: float) -> str:
    from _reproduction.words import minus

    return minus(value, 2)


def _least(title: str, first: str, second: str, column: str) -> Effect:
    """A difference of accuracies in the pairing that leaves most to chance."""
    from scipy.stats import norm

    by = {model.label: model for model in published.models(NAMES[title])}
    a, b = (by[name].right[column] for name in (first, second))
    size = SIZES[NAMES[title]]
    half = norm.ppf((1 + LEVEL) / 2) * min(2 * size - a - b, a + b) ** 0.5 / size
    difference = (a - b) / size
    what = column.replace("_top1", " labels")
    return Effect(
        f"{first} minus {second}, {what}", difference, difference - half, difference + half
    )


def far(shelf: Shelf) -> Finding:
    """L11: ResNet-18 and NASNet."""
    pair = ("PyTorch resnet18", "Keras nasnetlarge")
    effects = [
        _least(IMAGENET, *pair, "corrected_top1"),
        _least(IMAGENET, *reversed(pair), "original_top1"),
    ]
    return of_models(
        every(above(effect, LARGE) for effect in effects),
        effects,
        f"Only totals are published; the intervals are of the pairing that tells the models apart "
        f'least. "Far" is more than {100 * LARGE:.0f} points.',
    )


def significant(shelf: Shelf) -> Finding:
    """L12: VGG-11 and VGG-19 on 18 examples."""
    found = shelf.errors["models"]["vgg"]
    effect = _least(CIFAR, "PyTorch vgg11_bn", "PyTorch vgg19_bn", "corrected_top1")
    return of_models(
        counted(found["least p"] < 1 - LEVEL),
        [effect],
        f"{found['right'][0]} and {found['right'][1]} of {found['of']} examples are right. However "
        "the two models' answers are paired, the exact test's p is at least "
        f"{found['least p']:.4f}; judged is whether it can be below {1 - LEVEL:.2f}.",
    )


def moved(shelf: Shelf) -> Finding:
    """L22: ranks."""
    by = {model.label: model for model in published.models("imagenet")}
    away, told = [], []
    for name, ranks in shelf.numbers("L22").items():
        ours = tuple(
            1 + sum(m.right[f"{k}_top1"] > by[name].right[f"{k}_top1"] for m in by.values())
            for k in ("original", "corrected")
        )
        told.append(f"{name} from {ours[0]} to {ours[1]}")
        if list(ours) != list(ranks):
            away.append(name)
    return of_models(
        counted(not away),
        [],
        f"By the published counts, equal ones sharing a rank: {listed(told)}.",
    )


# our own rankings


def _reports(shelf: Shelf) -> dict[str, Report]:
    return {title: shelf.ranking(name) for name, title in STUDIES.items() if shelf.there(name)}


def staying(shelf: Shelf) -> Finding:
    """L9: ranks on the whole test set."""
    told, still = [], True
    for title, report in _reports(shelf).items():
        went = sum(s.rank_original != s.rank_corrected for s in report.standings)
        still &= not went
        told.append(f"{went} of {title}")
    return of_ours(
        counted(still),
        [],
        f"Another rank by corrected labels, with unsettled ones removed: {listed(told)}.",
    )


def smaller(shelf: Shelf) -> Finding:
    """L13: size against right answers on the changed pictures."""
    path = shelf.folder / "cifar10_study" / "training.json"
    networks = json.loads(path.read_text(encoding="utf-8"))["networks"]
    standings = shelf.ranking("cifar10_study").standings
    right = np.array([s.top1.changed_corrected.right for s in standings])
    size = np.array([networks[s.model]["parameters"] for s in standings])
    effect = over_algorithms(
        "Spearman correlation of parameters and right answers by corrected labels",
        len(size),
        lambda at: spearman(size[at], right[at]),
        points=False,
        digits=2,
    )
    wrong = standings[0].top1.changed_corrected.of
    return of_ours(
        below(effect),
        [effect],
        f"{len(size)} networks, {wrong} changed pictures of CIFAR-10, of which they have "
        f"{right.min()} to {right.max()} right.",
    )


def crossing(shelf: Shelf) -> Finding:
    """L17: whether another model becomes the best."""
    told, verdicts = [], []
    for title, report in _reports(shelf).items():
        first = report.standings[0].model
        overtaken = [c for c in report.crossings if c.ahead == first]
        sure = [c for c in overtaken if c.established]
        verdicts.append(shown(bool(sure)))
        near = min((c.prevalence for c in overtaken), default=None)
        told.append(
            f"Of {title} the best ({first}) would be passed "
            + ("by none" if near is None else f"at {100 * near:.1f} % wrong labels at the least")
            + f", and {len(sure)} of {len(overtaken)} such crossings are beyond chance; "
            f"{100 * report.prevalence.share:.2f} % of the labels are wrong"
        )
    return of_ours(some(verdicts) if verdicts else UNTOLD, [], f"{'. '.join(told)}.")


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "L1": average,
    "L2": shares,
    "L3": candidates,
    "L4": categories,
    "L5": systematic,
    "L6": cut,
    "L9": staying,
    "L10": opposed,
    "L11": far,
    "L12": significant,
    "L13": smaller,
    "L16": enough,
    "L17": crossing,
    "L22": moved,
    "L23": thresholds,
}
