"""Label sets of a challenge, read from a line of text each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...ground.names import same
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.spec import first_step, halves, titled

if TYPE_CHECKING:
    from ...data.labels.labelled import Labelled
    from . import Given


@dataclass(frozen=True)
class SetText:
    """A label set as somebody wrote it.

    Attributes:
        name: the name of the label set.
        data_set: whose inputs it has.
        data: a known name or a file.
        process: how labels are made wrong; '' where they are as they are.
    """

    name: str
    data_set: str
    data: str
    process: str


def read_set(text: str) -> SetText:
    """``[[DATA_SET/]NAME=]DATA[+PROCESS]``; without names, they follow from the data's.

    >>> read_set("cifar10n-worst")
    SetText(name='worst', data_set='cifar10n', data='cifar10n-worst', process='')
    >>> read_set("mine/hard=pets.csv+pair:rate=0.4")
    SetText(name='hard', data_set='mine', data='pets.csv', process='pair:rate=0.4')
    """
    names, rest = titled(text)
    data_set, _, name = names.rpartition("/")
    data, process = first_step(rest)
    if not data:
        raise ValueError("`set` needs data: [[DATA_SET/]NAME=]DATA[+PROCESS].")
    base = halves(Path(data).stem)[0].lower()
    first, _, last = base.partition("-")
    own = halves(process)[0] if process else last
    return SetText(name or own or f"{base}-given", data_set or first, data, process)


def _check_side(side: str, one: SetText) -> None:
    """Refuse side information about other pictures than those of a label set.

    Raises:
        Refusal: the label set is none of CIFAR-N's, or one of the other pictures.
    """
    from ...data.sources.cifar_n import SETS

    name, about = same(SETS, halves(one.data)[0]), same(SETS, side)
    if name is None or about is None or SETS[name].family is not SETS[about].family:
        raise Refusal(
            f"`side` {side} says who labelled the pictures of {side}, and {one.data} is of others.",
            "leave `side` out",
            "make a challenge of its own of the label sets that it is about",
        )


def _in_order(features: Path) -> np.ndarray:
    """Features whose rows stand as those of the data.

    Raises:
        Refusal: they have ids, by which nobody looks here.
    """
    from ...data.ingest.joined import read_features

    table, ids = read_features(features)
    if ids is not None:
        raise Refusal(
            f"{features} has ids of its rows, and features go row by row here.",
            "put its rows in the order of the data, and leave the ids out",
        )
    return np.asarray(table)


def given_sets(
    texts: Sequence[str],
    test: str | None,
    votes: str | None,
    features: Path | None,
    test_features: Path | None,
    root: Path | None,
    watch: OnProgress,
    side: str | None = None,
) -> list[Given]:
    """Label sets as ``make_challenge`` takes them.

    Raises:
        ValueError: ``features`` without ``test_features`` or the other way; ``side`` of other
            pictures; what reading raises.
    """
    from ...data.sources import load
    from ...data.sources.cifar_n import side_information
    from . import Given

    if (features is None) != (test_features is None):
        raise ValueError("`features` and `test_features` go together.")
    numbers = None
    if features is not None and test_features is not None:
        numbers = _in_order(features), _in_order(test_features)
    tested = None if test is None else load(test, root, watch=watch)
    answers = None if votes is None else load(votes, root, watch=watch)
    beside = None if side is None else side_information(side, root)
    known: dict[str, Labelled] = {}
    found = []
    for one in map(read_set, texts):
        data = known.get(one.data)
        if data is None:
            data = known[one.data] = load(one.data, root, watch=watch)
        if one.process:
            from ...data import imperfect

            data = imperfect.apply(data, one.process)
        if side is not None:
            _check_side(side, one)
        found.append(Given(one.name, one.data_set, data, tested, answers, numbers, beside))
    return found
