"""PLCIFAR10: sets of labels that people gave to CIFAR-10's training pictures, about ten a picture.

The file is a pickle of a dict {training picture: list of answers, each a list of class numbers}. It
is read by its steps, of which nothing is run and which are counted (``_pickled``).

Source: Wang et al., "Realistic Evaluation of Deep Partial-Label Learning Algorithms", ICLR 2025.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.arrays import objects
from ...ground.problem import why
from ..labels.labelled import Labelled
from ..labels.votes import Votes
from ._cifar_names import CIFAR10
from ._collections import TEN
from ._from_votes import NO_SETS, TRAINING, options_of_votes, with_sets
from ._options import NameOption
from ._pickled import PickleLimits, read_pickled
from ._source import Expected, Source

# the published file has 552,191 lists and dicts, and by protocol 2.7 million steps in 4 to 8 MB
MOST_BYTES = 32 << 20
LIMITS = PickleLimits(steps=8_000_000, objects=2_000_000)
MOST_LABELS = 8_000_000
ANSWERS, LABELS = 502_190, 712_109  # as published, labels with their repetitions


def load_plcifar10(path: Path, source: str, **values: int | str) -> Labelled:
    """Every answer as a vote, in stored order, and the candidate sets that they make.

    Annotators are not told apart in the file: each answer counts as somebody else's. Inputs are
    names alone and the truth is not known, as both come with the pictures; ids are places in the
    training part.

    Args:
        path: the path of the pickle.
        values: of ``options_of_votes``.

    Raises:
        ValueError: another file, one that is too large, or labels or pictures that there are not.

    Warns:
        UserWarning: pictures without a candidate are left out.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(
            f"{path} has {size:,} bytes, and the answers of PLCIFAR10 take less than"
            f" {MOST_BYTES:,}: it is another file."
        )
    try:
        stored = read_pickled(path.read_bytes(), LIMITS)
        ids, votes = _votes_in(stored)
    except ValueError as error:
        raise ValueError(
            f"{path} does not hold the answers of PLCIFAR10{why(error, ': {}')}."
        ) from None
    data = Labelled(
        inputs=objects([f"CIFAR-10 training picture {image}" for image in ids.tolist()]),
        votes=votes,
        classes=CIFAR10,
        ids=ids,
        source=source,
    )
    return with_sets(data, values)


def _votes_in(stored: Any) -> tuple[np.ndarray, Votes]:
    """The pictures that there are answers about, int64 (n,), rising, and the answers.

    Raises:
        ValueError: what is stored is something else; the message has no full stop.
    """
    if not isinstance(stored, dict) or not stored:
        raise ValueError(f"it holds a {type(stored).__name__} and no dict of answers by picture")
    for image, answers in stored.items():
        if type(image) is not int or not 0 <= image < TRAINING:
            raise ValueError(f"{image!r} is no training picture, 0 to {TRAINING - 1}")
        if type(answers) is not list:
            raise ValueError(f"picture {image} has a {type(answers).__name__} and no answers")
    ids = sorted(stored)
    number = [len(stored[image]) for image in ids]
    if sum(number) > LIMITS.objects:  # one list may stand at many places
        raise ValueError("it has more answers than there are")
    answers = [answer for image in ids for answer in stored[image]]
    item = np.repeat(np.arange(len(ids)), number)
    for place, answer in enumerate(answers):
        if type(answer) is not list:
            image = ids[item[place]]
            raise ValueError(f"picture {image} has a {type(answer).__name__} as an answer, no list")
    lengths = np.array([len(answer) for answer in answers], np.int64)
    if lengths.sum() > MOST_LABELS:
        raise ValueError("it has more labels than there are")
    labels = [label for answer in answers for label in answer]
    for place, label in enumerate(labels):
        if type(label) is not int or not 0 <= label < len(CIFAR10):
            image = ids[item[np.searchsorted(np.cumsum(lengths), place, side="right")]]
            what = f"{label}" if type(label) is int else f"a {type(label).__name__}"
            raise ValueError(
                f"picture {image} has {what} as a label, and classes are 0 to {len(CIFAR10) - 1}"
            )
    places = (place for count in number for place in range(count))
    return np.array(ids, np.int64), Votes(
        item=item,
        annotator=objects([f"{ids[row]}/{place}" for row, place in zip(item.tolist(), places)]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        labels=np.array(labels, np.int64),
    )


def _source(
    name: str, title: str, sets: str, expected: Expected, options: dict[str, NameOption]
) -> Source:
    return Source(
        name=name,
        title=title,
        files=("plcifar10.pkl",),
        size_bytes=None,
        sha256=None,
        url=None,
        page="https://github.com/wwangwitsel/PLCIFAR10",
        licence="not known here; see the page",
        citation="W. Wang, D.-D. Wu, J. Wang, G. Niu, M.-L. Zhang, M. Sugiyama. Realistic"
        " evaluation of deep partial-label learning algorithms. ICLR 2025.",
        expected=expected,
        steps=60_000,
        loader=load_plcifar10 if options else partial(load_plcifar10, sets=sets, k=""),
        pictures_of="cifar10",
        learned="train",
        options=options,
        note="The training rows are CIFAR-10's training pictures, and the test rows its test"
        " pictures, which nobody labelled.",
    )


def _expected(avg_candidates: float | None = None, noise_rate: float | None = None) -> Expected:
    return Expected(
        TRAINING,
        None,
        len(CIFAR10),
        avg_candidates,
        noise_rate,
        ANSWERS,
        LABELS,
        shape=TEN.shape_of_one,
        n_test=sum(TEN.counts[1]),
    )


PLCIFAR10 = (
    _source("plcifar10-aggregate", "PLCIFAR10_Aggregate", "union", _expected(4.87, 0.00132), {}),
    _source("plcifar10-vaguest", "PLCIFAR10_Vaguest", "vaguest", _expected(3.49, 0.17556), {}),
    _source("plcifar10", "PLCIFAR10", NO_SETS, _expected(), options_of_votes(NO_SETS, most=100)),
)
