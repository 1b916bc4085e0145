"""Candidate sets from what people answered, and the pictures that are learned and scored."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

import numpy as np

from ...ground.names import shortened
from ...ground.progress import OnProgress
from ...ground.spec import integer
from ..labels.labelled import Labelled
from ..labels.votes import SETS, first_answers, some_answers, way_of_sets
from ._options import NameOption, Values
from ._source import Source
from .official import read_official
from .pictures import Official

NO_SETS = "none"
TRAINING = 50_000  # pictures of CIFAR-10's training part
SCORED = 10_000  # official training pictures that test pictures are scored on, by default


def _way(text: str, name: str) -> str:
    way = text.lower().replace("_", "-")
    if way != NO_SETS:
        try:
            way_of_sets(way)
        except ValueError:
            ways = ", ".join((*SETS, "at-least-2", NO_SETS))
            raise ValueError(f"{name} is {shortened(text)}; choose from {ways}.") from None
    return way


def options_of_votes(sets: str, most: int, seed: int | str = "") -> dict[str, NameOption]:
    """How candidate sets are made of the answers about each picture.

    Args:
        sets: how, unless it is said.
        most: answers that there are about a picture.
        seed: what chooses among answers unless it is said; '' for their stored order.
    """
    drawn = "" if seed != "" else "; without it the first ones count"
    return {
        "sets": NameOption(
            "how answers become a candidate set: union, vaguest (the longest answer, the first of"
            " equally long ones), majority (classes that more than half of the answers name),"
            f" at-least-2 (or another number of answers), or {NO_SETS} for the votes alone",
            sets,
            _way,
        ),
        "k": NameOption(f"how many answers of a picture count, 1 to {most}", "", integer(1, most)),
        "seed": NameOption(f"draws the k answers at random{drawn}", seed, integer(0, 2**31), "k"),
    }


def scored_option(of_them: str) -> dict[str, NameOption]:
    """How many official training pictures are the test rows, of data that has test pictures."""
    return {
        "scored": NameOption(
            f"how many official training pictures, the first ones, are scored on; {of_them}",
            SCORED,
            integer(1, TRAINING),
        )
    }


def with_sets(data: Labelled, values: Values) -> Labelled:
    """``data`` with the votes that count, and with the candidate sets that they make.

    Items without a candidate are left out, with a warning that counts them.

    Args:
        values: of ``options_of_votes``.

    Raises:
        ValueError: no item has a candidate.
    """
    votes, k, seed = data.votes, values["k"], values.get("seed")
    assert votes is not None
    if isinstance(k, int):
        votes = some_answers(votes, k, seed) if isinstance(seed, int) else first_answers(votes, k)
    data = replace(data, votes=votes)
    way = str(values["sets"])
    if way == NO_SETS:
        return data
    candidates = way_of_sets(way)(votes, data.n, data.q, "none")
    kept = candidates.any(1)
    if not kept.any():
        raise ValueError(f"{data.source}: no picture has a candidate by {way}.")
    if kept.all():
        return replace(data, candidates=candidates)
    warnings.warn(
        f"{data.source}: {int((~kept).sum()):,} of {data.n:,} pictures have no candidate by {way}"
        f" and are left out; the first is {data.inputs[kept.argmin()]}. With sets={NO_SETS} all of"
        " them are there, with their votes.",
        stacklevel=4,
    )
    return replace(data[kept], candidates=candidates[kept])


def with_scored(
    data: Labelled,
    source: Source,
    root: str | os.PathLike[str] | None,
    watch: OnProgress,
) -> Labelled:
    """``data`` with its pictures, and those of the other official part as its test rows.

    The test rows have a truth, no votes, and every class as a candidate: nothing is known of them.

    Args:
        data: whose ids are places in the part that it is about, and whose inputs are names.
        source: says by ``learned`` which part the labels are about, and by its option ``scored``
            how many pictures of the other part are test rows.
        root: where to look first, as for ``load``; of a file, its folder.

    Returns:
        ``data`` whose ids are places in ``source.pictures_of``, its training pictures first.

    Raises:
        ValueError: other pictures than the labels are about.

    Warns:
        UserWarning: there are no pictures.
    """
    if root is not None and os.path.isfile(os.path.expanduser(root)):
        root = os.path.dirname(os.path.expanduser(root))
    try:
        official, found, _ = read_official(source.pictures_of, root, watch)
        if official.test.all() or not official.test.any():
            raise FileNotFoundError
    except FileNotFoundError:
        warnings.warn(
            f"{source.name}: labels alone, as there is no whole form of {source.pictures_of} where"
            " data is looked for; the inputs are names of pictures, from which nothing can be"
            " learned.",
            stacklevel=3,
        )
        return data
    learned = np.flatnonzero(official.test == (source.learned == "test"))
    scored = np.flatnonzero(official.test != (source.learned == "test"))
    scored = scored[: source.asked().get("scored")]
    mine = _places(data, official, str(found.paths[0]), learned)
    rows = np.concatenate([mine, scored])
    test = np.arange(len(rows)) >= data.n
    pictures = official.pictures
    if not np.array_equal(rows, np.arange(len(pictures))):  # else it stays the mapped file
        pictures = pictures[rows]
    sets = data.candidates
    if sets is not None:
        sets = np.concatenate([sets, np.ones((len(scored), data.q), bool)])
    return replace(
        data,
        inputs=pictures,
        candidates=sets,
        truth=official.truth(data.classes)[rows],
        ids=rows,
        official_test=test,
    )


def _places(data: Labelled, official: Official, path: str, learned: np.ndarray) -> np.ndarray:
    """Where the pictures are that the labels are about: int64 (n,)."""
    beyond = data.ids >= len(learned)
    if beyond.any():
        raise ValueError(
            f"{path} has no {data.inputs[int(beyond.argmax())]}, which the labels are about."
        )
    places = learned[data.ids]
    if data.truth is not None:
        different = official.truth(data.classes)[places] != data.truth
        if different.any():
            raise ValueError(
                f"{path} has another class than the labels for"
                f" {data.inputs[int(different.argmax())]} ({int(different.sum())} such pictures):"
                " they are in another order."
            )
    return places
