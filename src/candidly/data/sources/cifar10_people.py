"""What people said of CIFAR-10's test pictures: CIFAR-10S (sets of classes), CIFAR-10H (one each).

These people labelled *test* pictures. So a data set that is made of their answers trains on test
pictures, and is scored on official *training* pictures, the first 10,000 of them by default.

Sources: Collins et al., "Eliciting and learning with soft labels from every annotator", HCOMP 2022;
Peterson et al., "Human uncertainty makes classification more robust", ICCV 2019.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.arrays import objects
from ...ground.problem import why
from ...ground.seeds import draw
from ...ground.spec import word
from ..labels.labelled import Labelled
from ..labels.votes import Votes, some_answers
from ._cifar_names import CIFAR10
from ._collections import TEN
from ._from_votes import SCORED, options_of_votes, scored_option, with_sets
from ._options import NameOption
from ._parts import FilePart, read, read_array
from ._source import Expected, Source

Files = Mapping[str, Path]  # a path for each part, by the part's file

RAW = "https://raw.githubusercontent.com"
SOFT = f"{RAW}/cambridge-mlg/cifar-10s/86b114f0257ad88e36add572db3dd69dbca0fdf7/cifar10s_data"
COUNTS = f"{RAW}/jcpeterson/cifar-10h/48da312b193b82e6939ec20f23d1f09cbdd849c8/data"
TESTS = f"{RAW}/cleanlab/label-errors/6d5d6b31a13216290afc40e5c6319399c4d15c06"
TRUTH = FilePart(
    "cifar10_test_set_original_labels.npy",
    20_128,
    "8fba587d5b11011df52b2a20eb4a272eeaf20c2d162554059f714d4b78d23aed",
    f"{TESTS}/original_test_labels/cifar10_test_set_original_labels.npy",
)
TRUTH_LICENCE = "the true labels are Apache-2.0 (github.com/cleanlab/label-errors)"
NOTE = (
    "People labelled CIFAR-10's test pictures here: these are the training rows, and the test rows"
    " are official training pictures."
)
NUMBER = {name: label for label, name in enumerate(CIFAR10)}
MOST_VOTES = 1000  # of one class about a picture
NO_SECOND = "no"  # what CIFAR-10S has where nobody named a second class


def _named(answer: Mapping[str, Any]) -> list[int]:
    """The most probable class, and the second most probable one if there is one."""
    found = [answer[f"{place}ost Probable Class"].lower() for place in ("M", "Second M")]
    return list(dict.fromkeys(NUMBER[name] for name in found if name != NO_SECOND))


def _possible(answer: Mapping[str, Any]) -> list[int]:
    """The classes that were not called impossible."""
    out = {NUMBER[name.lower()] for name in answer["Impossible Class(es)"]}
    return [label for label in range(len(CIFAR10)) if label not in out]


ANSWERS = {"possible": _possible, "named": _named}


def load_cifar10s(files: Files, source: str, **values: int | str) -> Labelled:
    """1000 test pictures and 6 to 11 sets of classes about each; without pictures.

    Annotators are not told apart in the file: each answer counts as somebody else's. The inputs are
    names alone; ids are places in the test set.
    """
    path = files["human_soft_labels_data.json"]
    set_of = ANSWERS[str(values["answer"])]
    try:
        stored = json.loads(read(path).decode("utf-8"))
        ids = sorted(int(name) for name in stored)
        rows = [
            (row, f"{index}/{place}", set_of(answer))
            for row, index in enumerate(ids)
            for place, answer in enumerate(stored[str(index)])
        ]
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} does not hold the answers of CIFAR-10S{why(error)}.") from None
    return _labelled(files, np.array(ids, np.int64), Votes.from_rows(rows), source, values)


def load_cifar10h(files: Files, source: str, **values: int | str) -> Labelled:
    """10,000 test pictures and 47 to 63 answers of one class about each; without pictures.

    The file counts the answers to each class; who gave them, and in what order, it does not say. So
    those that count are drawn, and the order in which they stand is drawn, too.
    """
    path = files["cifar10h-counts.npy"]
    counts = read_array(path)
    q = len(CIFAR10)
    whole = counts.dtype.kind in "iu" or (counts.dtype.kind == "f" and (counts % 1 == 0).all())
    if counts.ndim != 2 or counts.shape[1] != q or not whole or not (counts >= 0).all():
        raise ValueError(f"{path} holds {counts.dtype} {counts.shape}, no counts (n, {q}).")
    if counts.max(initial=0) > MOST_VOTES:
        raise ValueError(f"{path} counts {counts.max()} answers of one class about a picture.")
    counts = counts.astype(np.int64)
    number = counts.sum(1)
    place = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    item = np.repeat(np.arange(len(counts)), number)
    votes = Votes(
        item=item,
        annotator=objects([f"{i}/{k}" for i, k in zip(item.tolist(), place.tolist())]),
        offsets=np.arange(len(item) + 1),
        labels=np.repeat(np.tile(np.arange(q), len(counts)), counts.reshape(-1)),
    )
    seed = int(values["seed"])
    if isinstance(values["k"], int):
        votes = some_answers(votes, values["k"], seed)
    order = np.lexsort((draw(seed, "order of answers").random(len(votes)), votes.item))
    votes = replace(votes, labels=votes.labels[order])
    return _labelled(files, np.arange(len(counts)), votes, source, {**values, "k": ""})


def _labelled(
    files: Files, ids: np.ndarray, votes: Votes, source: str, values: Mapping[str, int | str]
) -> Labelled:
    """Candidate sets and votes about the test pictures ``ids``, and the published truth."""
    labels = read_array(files[TRUTH.file])
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"{files[TRUTH.file]} holds {labels.dtype} {labels.shape}, no labels (n,)."
        )
    if len(ids) and not 0 <= ids.min() <= ids.max() < len(labels):
        raise ValueError(
            f"{files[TRUTH.file]} has {len(labels):,} labels, and the answers are about test"
            f" pictures {ids.min()} to {ids.max()}."
        )
    data = Labelled(
        inputs=np.array([f"CIFAR-10 test picture {index}" for index in ids], object),
        truth=labels[ids].astype(np.int64),
        votes=votes,
        classes=CIFAR10,
        ids=ids,
        source=source,
    )
    return with_sets(data, values)


def _source(
    name: str,
    title: str,
    part: FilePart,
    page: str,
    licence: str,
    citation: str,
    expected: Expected,
    loader,
    options: dict[str, NameOption],
) -> Source:
    return Source(
        name=name,
        title=title,
        files=(part.file, TRUTH.file),
        size_bytes=None,
        sha256=None,
        url=part.url,
        page=page,
        licence=f"{licence}; {TRUTH_LICENCE}",
        citation=citation,
        expected=expected,
        steps=10_000,
        loader=loader,
        parts=(part, TRUTH),
        pictures_of="cifar10",
        learned="test",
        options=options,
        note=NOTE,
    )


CIFAR10_PEOPLE = (
    _source(
        "cifar10s",
        "CIFAR-10S",
        FilePart(
            "human_soft_labels_data.json",
            1_618_452,
            "95149462b12839e192a1389d1f91189496b621b9391831eef5461dff9cae5ca6",
            f"{SOFT}/human_soft_labels_data.json",
        ),
        "https://github.com/cambridge-mlg/cifar-10s",
        "none stated in the source repository",
        "K. M. Collins, U. Bhatt, A. Weller. Eliciting and learning with soft labels from every"
        " annotator. HCOMP 2022.",
        Expected(1000, None, 10, 5.72, 0.0, 6723, shape=TEN.shape_of_one, n_test=SCORED),
        load_cifar10s,
        {
            "answer": NameOption(
                "which classes an answer holds: possible (all that were not called impossible), or"
                " named (the most probable and, if there is one, the second)",
                "possible",
                word(*ANSWERS),
            ),
            **options_of_votes("union", most=11),
            **scored_option("a tenth as many people-labelled ones are learned"),
        },
    ),
    _source(
        "cifar10h",
        "CIFAR-10H",
        FilePart(
            "cifar10h-counts.npy",
            800_128,
            "9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff",
            f"{COUNTS}/cifar10h-counts.npy",
        ),
        "https://github.com/jcpeterson/cifar-10h",
        "CC BY-NC-SA 4.0 (as the source repository states)",
        "J. C. Peterson, R. M. Battleday, T. L. Griffiths, O. Russakovsky. Human uncertainty makes"
        " classification more robust. ICCV 2019.",
        Expected(10_000, None, 10, 1.94, 0.0004, 511_000, shape=TEN.shape_of_one, n_test=SCORED),
        load_cifar10h,
        {
            **options_of_votes("union", most=47, seed=0),
            **scored_option("as many people-labelled ones are learned"),
        },
    ),
)
