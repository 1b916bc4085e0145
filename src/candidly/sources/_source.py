"""What is known about a data set before it is loaded, and whether what was loaded agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ..labelled import Labelled
from ._parts import FilePart


@dataclass(frozen=True)
class Expected:
    """Published characteristics; averages to two decimals, rates to two decimals of a percent.

    ``d`` is None where the inputs are no table, and ``shape`` is that of one picture, (C, H, W),
    where all have the same. ``n`` counts the ``n_test`` rows of the official test set, too.
    """

    n: int
    d: int | None
    q: int
    avg_candidates: float | None = None
    noise_rate: float | None = None
    shape: tuple[int, ...] = ()
    n_test: int = 0


@dataclass(frozen=True)
class Source:
    """One entry of ``SOURCES``.

    Args:
        name: what people type.
        title: the benchmark's own spelling, which its training seeds are made of.
        files: file names it goes by, without folder; compared without case and punctuation. Behind
            the first come conversions of it, which need not have its checksum.
        size_bytes: of the file, or None where unknown.
        sha256: of the file, or None where unknown.
        url: where a fixed version of the file can be had, or None.
        page: where people can read about it.
        licence: as its source states it.
        citation: the paper it comes from.
        expected: published characteristics.
        steps: updates that the benchmark trains for.
        loader: (path, source) -> Labelled for files; () -> Labelled where there are none; of
            several parts ({file: path}, source) -> Labelled.
        pictures: file names of the images that the labels are about, the first one first; data
            without them has names of images as its inputs.
        pictures_of: the collection of pictures whose training part does as well.
        parts: the files of a data set that is several; ``files`` then lists them.
        finds: whether the loader looks for files of several forms itself, of which ``files`` names
            some: (name, root, watch) -> Labelled.
    """

    name: str
    title: str
    files: tuple[str, ...]
    size_bytes: int | None
    sha256: str | None
    url: str | None
    page: str
    licence: str
    citation: str
    expected: Expected
    steps: int
    loader: Callable[..., Labelled]
    pictures: tuple[str, ...] = ()
    pictures_of: str = ""
    parts: tuple[FilePart, ...] = ()
    finds: bool = False


class Comparison(NamedTuple):
    """One published number beside the measured one; they agree when the rounding is the same."""

    what: str
    expected: float
    measured: float | None
    agrees: bool


HALF_A_DIGIT = {"avg_candidates": 0.005, "noise_rate": 0.00005}


def compare(data: Labelled, source: Source) -> list[Comparison]:
    """Published characteristics of ``source`` beside those of ``data``. Reads the truth.

    Counts must be equal; ``avg_candidates`` and ``noise_rate`` (share of examples whose truth is
    no candidate or, without candidate sets, not the given label) must round to what was published.
    What was not published is left out.
    """
    truth, candidates, given = data.truth, data.candidates, data.given
    measured: dict[str, float | None] = {
        "n": data.n,
        "d": data.inputs.shape[1] if data.kind == "table" else None,
        "q": data.q,
        "avg_candidates": None if candidates is None else float(candidates.sum() / data.n),
        "noise_rate": None,
    }
    if candidates is not None and truth is not None and (truth >= 0).any():
        known = truth >= 0
        measured["noise_rate"] = float((~candidates[known, truth[known]]).mean())
    elif given is not None and truth is not None and (truth >= 0).any():
        measured["noise_rate"] = float((given != truth)[truth >= 0].mean())
    rows = []
    for what, value in measured.items():
        expected = getattr(source.expected, what)
        if expected is not None:
            margin = HALF_A_DIGIT.get(what, 0) * (1 + 1e-9)
            agrees = value is not None and abs(value - expected) <= margin
            rows.append(Comparison(what, expected, value, agrees))
    return rows
