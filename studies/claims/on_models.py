"""Claims about models and label errors: by published counts, and by our own rankings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from candidly.compare.stability import Report
from candidly.show.words import listed
from studies.kit.words import minus
from studies.label_errors import published
from studies.label_errors.models import SIZES

from .judging import (
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
    shown,
    some,
    spearman,
)
from .shelf import Shelf

MODELS = "the published numbers of right answers of 34 models on ImageNet and 13 on CIFAR-10"
TABLES = "candidly bench published label-errors-s1"
IMAGENET, CIFAR = "ImageNet", "CIFAR-10"
NAMES = {IMAGENET: "imagenet", CIFAR: "cifar10"}
STUDIES = {"cifar10": "16 networks on CIFAR-10", "mnist": "14 models on MNIST"}
OURS = "models trained here, and corrected labels from the released votes"
OURS_DIFFERS = (
    "16 narrow and hardly trained networks and 14 classical models in place of published ones, "
    "CIFAR-10 and MNIST in place of ImageNet and CIFAR-10"
)


def of_models(told: str, effects: Sequence[Effect], said: str) -> Finding:
    numbers = "nothing: these are its numbers"
    return Finding(told, tuple(effects), said, MODELS, numbers, TABLES, len(NAMES))


def of_ours(told: str, effects: Sequence[Effect], said: str) -> Finding:
    command = " && ".join(
        f"python -m json.tool studies/{name}/results/report.json" for name in STUDIES
    )
    return Finding(told, tuple(effects), said, OURS, OURS_DIFFERS, command, len(STUDIES))


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
        f"Without AlexNet and the SqueezeNets it is {minus(small['spearman'], 2)} on ImageNet "
        f"(p {small['p']:.3f}): the claim rests on which models are compared.",
    )


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
    return {
        title: shelf.ranking(name) for name, title in STUDIES.items() if shelf.of(name).exists()
    }


def staying(shelf: Shelf) -> Finding:
    """L9: ranks on the whole test set."""
    told = []
    for title, report in _reports(shelf).items():
        went = sum(s.rank_original != s.rank_corrected for s in report.standings)
        changed = report.standings[0].top1.changed_corrected.of
        told.append(f"{went} of {title}, where {changed} examples were corrected")
    return of_ours(
        UNTOLD,
        [],
        f"Another rank by corrected labels, with unsettled ones removed: {listed(told)}.",
    )


def smaller(shelf: Shelf) -> Finding:
    """L13: size against right answers on the changed pictures."""
    path = shelf.of("cifar10") / "training.json"
    networks = json.loads(path.read_text(encoding="utf-8"))["networks"]
    standings = shelf.ranking("cifar10").standings
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
    return of_ours(some(verdicts), [], f"{'. '.join(told)}.")


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "L9": staying,
    "L10": opposed,
    "L11": far,
    "L12": significant,
    "L13": smaller,
    "L17": crossing,
    "L22": moved,
}
