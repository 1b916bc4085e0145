"""Kinds of labels and inputs, and the label sets of committed studies that belong to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from candidly.learn.algorithms.costs import cost_of
from candidly.stats import OneTestSet, RandomSplits
from studies.cifarn.numbers import trained
from studies.claims.shelf import Shelf
from studies.frozen.runs import PEOPLES
from studies.frozen_sets.runs import LABEL_SETS as SETS
from studies.images.page import TITLES as PICTURES
from studies.kit.by_rows import right_of
from studies.kit.rows import Rows
from studies.noisy_labels.page import TITLES as DATA
from studies.noisy_labels.page import run_seconds, table_of
from studies.noisy_labels.study import LABELS, SETTINGS
from studies.texts.numbers import CLEAN, Noise, called
from studies.votes.cases import CASES, OF_VOTES, TRUTH
from studies.votes.page import BASE as MAJORITY
from studies.votes.page import scored

from .rule import LabelSet, pooled

LEADS = "studies/noisy-labels.md#who-beats-cross-entropy"
DRAWS = "studies/texts.md#over-10-draws-of-the-noise"
TAILS = "studies/texts.md#long-tails"
ORACLE = "supervised-oracle"  # the baseline, trained on the true labels


@dataclass(frozen=True)
class Kind:
    """Label sets from which one recommendation is made.

    Attributes:
        title: labels and inputs, in the reader's words.
        criterion: what selects the record, and the configuration, without clean labels.
        baseline: the simple algorithm to compare with.
        pages: where the numbers stand: pages in docs/ with their sections, by what links to them.
        sets: at least two.
        by_data: leave out a data set at a time, not a label set.
    """

    title: str
    criterion: str
    baseline: str
    pages: Mapping[str, str]
    sets: tuple[LabelSet, ...]
    by_data: bool = False

    @property
    def groups(self) -> dict[str, list[LabelSet]]:
        """What is left out together."""
        found: dict[str, list[LabelSet]] = {}
        for one in self.sets:
            found.setdefault(one.data if self.by_data else one.name, []).append(one)
        return found


def read_kinds(shelf: Shelf) -> dict[str, Kind]:
    """All of them, in the order of the page."""
    noisy, pictures = of_noisy(shelf), of_people(shelf)
    people = [name for name, labels in LABELS.items() if labels.data == "labelme"]
    symmetric = [name for name in LABELS if name.startswith("symmetric")]
    confused = [name for name in LABELS if name not in (*people, *symmetric)]
    flipped, replaced = (of_draws(shelf, kind) for kind in ("symmetric", "replaced"))
    tails = of_tails(shelf.texts.tails)
    on_digits, on_people, on_texts = {"Digits": LEADS}, {"LabelMe": LEADS}, {"texts": DRAWS}
    cifarn = {"CIFAR-10N": "studies/cifarn.md#best-selected-and-last-epoch"}
    ce = ("NVA", "ce")
    return {
        "sets-tables": Kind(
            *("candidate sets, tables", "CR", "CC"),
            {
                "Lost": "studies/reproduction.md#lost-as-meant-and-as-released",
                "MSRCv2": "studies/reproduction.md#msrcv2-as-meant-and-as-released",
                "BirdSong": "studies/reproduction.md#birdsong-as-meant-and-as-released",
            },
            of_tables(shelf),
            by_data=True,
        ),
        "sets-pictures": Kind(
            *("candidate sets, pictures", "CR", "CC"),
            {"CIFAR-10": "studies/images.md#ranks"},
            of_pictures(shelf),
        ),
        "encoded-sets": Kind(
            *("candidate sets, pictures by an encoder", "CR", "CC"),
            {"CIFAR-10, encoded": "studies/frozen-sets.md#each-algorithm-against-cc"},
            of_encoded({name: shelf.encoded_sets[name] for name in SETS}, "CIFAR-10", "CC"),
        ),
        "symmetric-tables": Kind(
            "symmetric noise, tables", *ce, on_digits, _picked(noisy, symmetric)
        ),
        "confused-tables": Kind(
            "pair or instance noise, tables", *ce, on_digits, _picked(noisy, confused)
        ),
        "people-tables": Kind("people's labels, tables", *ce, on_people, _picked(noisy, people)),
        "people-pictures": Kind("people's labels, pictures", *ce, cifarn, pictures),
        "encoded-pictures": Kind(
            "people's labels, pictures by an encoder",
            *ce,
            {"CIFAR-10N, encoded": "studies/frozen.md#each-algorithm-against-cross-entropy"},
            of_encoded({name: shelf.encoded[name] for name in PEOPLES}, "CIFAR-10N", "ce"),
        ),
        "votes": Kind(
            *("answers of several people", *ce),
            {"LabelMe, sentiment and CIFAR-10N": "studies/votes.md#accuracy-and-log-loss"},
            of_votes(shelf),
        ),
        "symmetric-texts": Kind("symmetric noise, texts", *ce, on_texts, flipped),
        "replaced-texts": Kind("texts of no class", *ce, on_texts, replaced),
        "unknown": Kind(
            "one noisy label, noise unknown",
            *ce,
            {"Digits and LabelMe": LEADS, **cifarn, **on_texts},
            (*noisy.values(), *pictures, *flipped, *replaced),
            by_data=True,
        ),
        "tails": Kind("unequal classes, texts", *ce, {"long tails": TAILS}, tails),
    }


def of_tables(shelf: Shelf) -> tuple[LabelSet, ...]:
    """Tables with candidate sets: the algorithms as meant whose runs are all complete."""
    found = []
    for table in shelf.tables:
        rows = table.fixed.items()
        accuracy = {name: [v for _, v in sorted(row.chosen["CR"].items())] for name, row in rows}
        seconds = {name: row.seconds / row.planned for name, row in rows}
        design = RandomSplits(table.test_share)
        found.append(LabelSet(table.title, table.title, accuracy, seconds, design))
    return pooled(found, "CC")


def of_pictures(shelf: Shelf) -> tuple[LabelSet, ...]:
    """Pictures with candidate sets."""
    found = []
    for key, labels in shelf.pictures.items():
        accuracy = {name: row.accuracy["CR"] for name, row in labels.rows.items()}
        seconds = {name: row.seconds for name, row in labels.rows.items()}
        design = OneTestSet(int(labels.about["test"]))
        found.append(LabelSet(PICTURES[key].lower(), "CIFAR-10", accuracy, seconds, design))
    return pooled(found, "CC")


def of_noisy(shelf: Shelf) -> dict[str, LabelSet]:
    """Tables with one label, by name of the label set."""
    cells, seconds = table_of(shelf.noisy), run_seconds(shelf.noisy)
    found = [
        LabelSet(
            labels.title,
            DATA[labels.data],
            {of: cell.values("top1") for (one, of), cell in cells.items() if one == name},
            {of: value for (one, of), value in seconds.items() if one == name},
            RandomSplits(SETTINGS["test_share"]),
        )
        for name, labels in LABELS.items()
    ]
    return dict(zip(LABELS, pooled(found, "ce")))


def of_people(shelf: Shelf) -> tuple[LabelSet, ...]:
    """Pictures with one label from people."""
    found, design = [], OneTestSet(shelf.people.about["test"])
    for name in trained(shelf.people):
        rows = shelf.people.tables[name].items()
        accuracy = {of: row.selected for of, row in rows}
        found.append(
            LabelSet(name, "CIFAR-10N", accuracy, {of: row.seconds for of, row in rows}, design),
        )
    return pooled(found, "ce")


def of_draws(shelf: Shelf, kind: str) -> tuple[LabelSet, ...]:
    """Texts with one label, by draw of the noise.

    Cross-entropy without noise stands for the oracle, which was not trained.
    """
    (noise,) = (one for one in shelf.texts.crossed if one[0] == kind)
    crossed, rows = shelf.texts.crossed[noise], shelf.texts.main[noise]
    clean = shelf.texts.main[CLEAN]["ce"]
    seconds = {name: rows[name].seconds for name in crossed.names}
    found = []
    for number, right in enumerate(crossed.right):
        accuracy = dict(zip(crossed.names, right.mean(-1).T.tolist())) | {ORACLE: clean.selected}
        known = np.ones((len(right), len(accuracy)), bool)
        known[:, -1] = False  # of cross-entropy without noise it was not recorded
        right = np.pad(right, ((0, 0), (0, 1), (0, 0)))
        design = OneTestSet(right.shape[-1], right, known)
        title = f"{called(noise)}, draw {number + 1}"
        found.append(LabelSet(title, "wikiHow", accuracy, seconds, design))
    return pooled(found, "ce")


def of_tails(study: Mapping[Noise, Rows]) -> tuple[LabelSet, ...]:
    """Texts of unequal classes, by noise."""
    found = []
    for noise, rows in study.items():
        names = list(rows)
        accuracy = {name: rows[name].selected for name in names}
        known = [rows[name].right.get("selected") for name in names]
        assert all(one is not None for one in known)
        seconds = {name: row.seconds for name, row in rows.items()}
        design = OneTestSet(rows[names[0]].rows, np.stack(known, 1))
        found.append(LabelSet(called(noise), "wikiHow", accuracy, seconds, design))
    return pooled(found, "ce")


def of_encoded(study: Mapping[str, Rows], data: str, baseline: str) -> tuple[LabelSet, ...]:
    """Pictures seen by an encoder: what was trained on all of the label sets."""
    names = [
        name
        for name in next(iter(study.values()))
        if all(name in rows for rows in study.values())
        and "," not in name  # settings that are not an algorithm's own
    ]
    found = []
    for label_set, rows in study.items():
        accuracy = {name: rows[name].selected for name in names}
        right = np.stack([rows[name].right["selected"] for name in names], 1)
        seconds = {name: rows[name].seconds for name in names}
        design = OneTestSet(rows[names[0]].rows, right)
        found.append(LabelSet(label_set, data, accuracy, seconds, design))
    return pooled(found, baseline)


def of_votes(shelf: Shelf) -> tuple[LabelSet, ...]:
    """Answers of several annotators whose names are known; ``ce`` learns the majority's labels.

    Training times are those of updates (``algorithms.costs``), as no times were kept.
    """
    ways = {"ce": MAJORITY, **{name: name for name in OF_VOTES}, ORACLE: TRUTH}
    found = []
    for case, about in CASES.items():
        if not set(OF_VOTES) <= set(about.ways):
            continue
        runs = [
            sorted(shelf.votes[case, way], key=lambda one: one["seed"]) for way in ways.values()
        ]
        accuracy = {name: [one["right"] for one in of] for name, of in zip(ways, runs)}
        right = np.stack([right_of(of, scored(case)) for of in runs], 1)
        seconds = {name: cost_of(name, pictures=False) for name in ways}
        design = OneTestSet(scored(case), right)
        found.append(LabelSet(case, case, accuracy, seconds, design))
    return pooled(found, "ce")


def _picked(sets: Mapping, names: Iterable) -> tuple[LabelSet, ...]:
    return tuple(sets[name] for name in names)
