"""What is known about a data set before it is loaded, and whether what was loaded agrees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ...ground.spec import Spec, written
from ..inputs.tokens import TextSize
from ..labels.describe import labelled_rows
from ..labels.labelled import Labelled
from ._options import NameOption, Values, changed, read_options
from ._parts import FilePart


@dataclass(frozen=True)
class Expected:
    """Published characteristics; averages to two decimals, rates to two decimals of a percent.

    ``n`` is None where it depends on options, ``d`` where the inputs are no table; ``answers`` are
    those of people, ``labels`` all that these name. ``shape`` is that of one picture, (C, H, W),
    where all have the same. ``n`` counts the ``n_test`` rows of the official test set, too, unless
    people's labels are about the other part alone (``Source.learned``). ``texts`` is there where
    the inputs are some.
    """

    n: int | None
    d: int | None
    q: int
    avg_candidates: float | None = None
    noise_rate: float | None = None
    answers: int | None = None
    labels: int | None = None
    shape: tuple[int, ...] = ()
    n_test: int | None = None
    texts: TextSize | None = None


@dataclass(frozen=True)
class Source:
    """One entry of ``SOURCES``.

    Args:
        name: what people type.
        title: the benchmark's own spelling, which its training seeds are made of.
        files: file names it goes by, without folder; compared without case and punctuation. Behind
            the first come conversions of it, which need not have its checksum.
        size_bytes: the size, in bytes, of the file, or None where unknown.
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
        truth_agrees: the least share of these pictures whose published label is the truth; below 1
            where a file is known to be faulty.
        parts: the files of a data set that is several; ``files`` then lists them.
        finds: whether the loader looks for files of several forms itself, of which ``files`` names
            some: (name, root, watch) -> Labelled.
        learned: the part, ``train`` or ``test``, of ``pictures_of`` that people's labels are about;
            pictures of the other part are then the test rows. '' where there is none.
        test_rows: of the official test part of ``pictures_of``, which ``load(..., tested=True)``
            puts behind the labelled pictures; 0 where nothing is put there.
        options: what may stand behind its name; the loader is given ``values`` by keyword.
        values: of these options, as asked for.
        note: what must be known of it wherever it is described.
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
    truth_agrees: float = 1.0
    parts: tuple[FilePart, ...] = ()
    finds: bool = False
    learned: str = ""
    test_rows: int = 0
    options: Mapping[str, NameOption] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    note: str = ""

    def with_options(self, asked: Spec) -> Source:
        """The same with the options that stand behind its name.

        Its name, and the title that its training seeds are made of, say the options that are not as
        usual; what was published is not said of it where there is one.

        Raises:
            SpecError: no such option, or no such value.
        """
        values = read_options(self.options, asked)
        said = changed(self.options, values)
        if not said:
            return self
        was = self.expected
        bare = Expected(None, was.d, was.q, texts=was.texts)
        if not any(self.options[key].resizes for key in said):
            bare = replace(bare, n=was.n, n_test=was.n_test)
        return replace(
            self,
            name=written(self.name, said),
            title=written(self.title, said),
            expected=bare,
            values=values,
        )

    def asked(self) -> dict[str, int | str]:
        """The values of all options."""
        return {key: self.values.get(key, one.default) for key, one in self.options.items()}


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
    Official test rows that nobody labelled do not count. Left out is what was not published, and
    the noise rate where no truth is known.
    """
    rows = labelled_rows(data)
    n = int(rows.sum())
    truth = None if data.truth is None else np.where(rows, data.truth, -1)
    candidates, given, votes = data.candidates, data.given, data.votes
    measured: dict[str, float | None] = {
        "n": n,
        "d": data.inputs.shape[1] if data.kind == "table" else None,
        "q": data.q,
        "avg_candidates": None if candidates is None else float(candidates[rows].sum() / n),
        "noise_rate": None,
        "answers": None if votes is None else len(votes),
        "labels": None if votes is None else len(votes.labels),
    }
    if candidates is not None and truth is not None and (truth >= 0).any():
        known = truth >= 0
        measured["noise_rate"] = float((~candidates[known, truth[known]]).mean())
    elif given is not None and truth is not None and (truth >= 0).any():
        measured["noise_rate"] = float((given != truth)[truth >= 0].mean())
    found = []
    unknown = {"noise_rate"} if truth is None else set()
    for what, value in measured.items():
        expected = getattr(source.expected, what)
        if expected is not None and what not in unknown:
            margin = HALF_A_DIGIT.get(what, 0) * (1 + 1e-9)
            agrees = value is not None and abs(value - expected) <= margin
            found.append(Comparison(what, expected, value, agrees))
    return found
