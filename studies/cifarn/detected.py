"""The section of docs/studies/cifarn.md on detectors of wrong labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from candidly.errors.detectors import DETECTORS
from candidly.errors.detectors.comparison_document import ANCHOR
from candidly.show.words import listed, percent
from studies.kit.words import grid, prose

from .detection import EPOCHS, FOLD_EPOCHS, FOLDS, NEAR
from .labels import SETS
from .numbers import Study
from .runs import BATCH, NET

MEASURES = {
    "f1": "F1 of the own cut",
    "roc_auc": "AUROC of the scores",
    "average_precision": "Average precision of the scores",
    "precision_at_wrong": "Precision at the true number of wrong labels",
}
OWN = "probabilities"  # the features of most rows
FEATURES = {
    OWN: "log-probabilities out of fold",
    "pixels": "pixels",
    "patches": "patch features, learned without labels",
}
Line = Mapping[str, Any]


def detection(study: Study) -> list[str]:
    there = [name for name in SETS if name in study.detection]
    absent = [name for name in SETS if name not in there]
    return [
        prose(_what(study, there)),
        *([f"Not run, for lack of time: {listed(absent)}."] if absent else []),
        prose(_answer(study, there)),
        *(
            part
            for measure, title in MEASURES.items()
            for part in (f"**{title}**, in percent:", _table(study, there, measure))
        ),
        "### Where neighbours are looked for",
        *_neighbours(study, there),
        "### With the answers of several annotators",
        *_rules(study, there),
    ]


def line_of(study: Study, labels: str, detector: str, features: str = OWN) -> Line:
    """One detector's line on a set of labels."""
    return next(
        row
        for row in study.detection[labels]["rows"]
        if (row["detector"], row["features"]) == (detector, features)
    )


def best(study: Study, labels: str, measure: str) -> tuple[str, float]:
    """The detector with the highest value, and the value."""
    values = {name: line_of(study, labels, name)[measure] for name in DETECTORS}
    name = max((n for n, value in values.items() if value is not None), key=values.__getitem__)
    return name, values[name]


def anchor(wrong: int, n: int) -> float:
    """F1 of flagging everything: 2 e / (1 + e).

    >>> anchor(1, 4)
    0.4
    """
    return 2 * wrong / (n + wrong)


def _what(study: Study, there: Sequence[str]) -> str:
    some = study.detection[there[0]]
    wrong = listed([f"{name} {study.detection[name]['wrong']:,}" for name in there])
    right = [study.detection[name]["right_probs"] for name in there]
    return f"""All {len(DETECTORS)} detectors of [detectors.md](../detectors.md) on the
    {some["n"]:,} pictures that the trainings above learned or selected from, one seed; wrong
    labels: {wrong}. Probabilities are of `{NET}` trained with `ce` on the noisy labels of the other
    {FOLDS - 1} of {FOLDS} folds ({FOLD_EPOCHS} epochs, batches of {BATCH}, weak views);
    their most probable class is the true one in {percent(min(right), 0)} to
    {percent(max(right), 0)} % of the pictures. Watched trainings are of the same network,
    {EPOCHS} epochs. Features for nearest neighbours are these out-of-fold log-probabilities;
    others are further below."""


def _answer(study: Study, there: Sequence[str]) -> str:
    cuts, orders = [], []
    for name in there:
        cut, f1 = best(study, name, "f1")
        order, auc = best(study, name, "roc_auc")
        some = study.detection[name]
        trivial = anchor(some["wrong"], some["n"])
        cuts.append(f"{name} {percent(f1, 1)} (`{cut}`; flagging everything {percent(trivial, 1)})")
        orders.append(f"{name} {percent(auc, 1)} (`{order}`)")
    return f"""The highest F1 is on {listed(cuts)}. The highest AUROC is on {listed(orders)}. The
    highest of {len(DETECTORS)} values is a little too high, and neighbours in a table are not told
    apart by one seed."""


def _table(study: Study, there: Sequence[str], measure: str) -> str:
    rows = []
    for name in (*DETECTORS, ANCHOR):
        values = [line_of(study, labels, name)[measure] for labels in there]
        if any(value is not None for value in values):
            named = f"`{name}`" if name in DETECTORS else f"*{name}*"
            rows.append([named, *(percent(value, 1) for value in values)])
    return grid(["detector", *there], rows)


def _neighbours(study: Study, there: Sequence[str]) -> list[str]:
    rows = [
        [f"`{detector}`", words]
        + [
            " / ".join(
                percent(line_of(study, labels, detector, features)[measure], 1)
                for measure in ("f1", "roc_auc")
            )
            for labels in there
        ]
        for detector in NEAR
        for features, words in FEATURES.items()
    ]
    return [
        prose(
            """The ten nearest by cosine, in the log-probabilities of the networks out of fold, in
            standardised pixels, or in features that no label went into (whitened patches, k-means,
            256 principal components, as in [detectors.md](../detectors.md)). F1 / AUROC in
            percent:"""
        ),
        grid(["detector", "neighbours in", *there], rows, numbers=False),
    ]


def _rules(study: Study, there: Sequence[str]) -> list[str]:
    rows = []
    for line in study.rules:
        name = line["labels"]
        numbers = (line["precision"], line["recall"], line["f1"])
        found = percent(best(study, name, "f1")[1], 1) if name in there else "–"
        trivial = percent(anchor(line["wrong"], line["n"]), 1)
        rows.append([name, line["rule"], *(percent(each, 1) for each in numbers), found, trivial])
    header = ["label set", "flagged where", "precision", "recall", "F1"]
    return [
        prose(
            """A track of its own: the three random label columns, as if they were annotators, say
            much about a set's labels without any picture. `worst` was made with the true label at
            hand, so that any other answer proves it wrong. A run that is handed its own labels
            alone cannot do this, which is why candidly hands over no more. All 50,000 labels:"""
        ),
        grid([*header, "best detector above", "flag everything"], rows, numbers=False),
    ]
