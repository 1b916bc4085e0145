"""What a plan keeps of data sets and algorithms, so that a directory can be read without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...data.inputs.tokens import Words
from ...learn.written.seen import LANGUAGE

Drawn = tuple[tuple[Mapping[str, float | int], ...], ...]
Wanted = tuple[tuple[int, ...], int, Words | None, tuple[str, ...]]  # ``nets.network`` takes them


@dataclass(frozen=True)
class Facts:
    """What planning and reading need to know of a data set, so that neither needs its files.

    The flip rate is that of wrong labels into candidate sets, with its standard error and why it
    may be no constant; None without candidate sets, and in plans from before it was kept.
    """

    fingerprint: str
    seed_name: str  # the benchmark's own spelling, or the fingerprint
    n: int
    d: int
    q: int
    n_validation: int
    n_test: int
    steps: int
    flip_rate: float | None = None
    flip_rate_error: float | None = None
    flip_doubt: str = ""
    kind: str = "table"  # of inputs, as ``seen_as`` says; plans of before did not keep it
    shape: tuple[int, ...] = ()  # of a picture, (C, H, W), or a text, (L,); () of d numbers
    net: str = ""  # what trials have (``pinned``); '' in plans from before it was kept
    track: str = ""  # what was given besides labels and plain inputs (``describe.track_of``)
    tokens: int = 0  # of texts that are seen as tokens: ``Words.size``, and its other two
    unknown: int = 0
    special: tuple[int, ...] = ()
    length: int = 0  # that a batch of these texts usually has
    names: tuple[str, ...] = ()  # of their classes, which a language model may read
    tested: int = 0  # rows whose truth is known, where it is of some alone

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Of one input, (d,), (C, H, W) or (L,)."""
        return self.shape or (self.d,)

    @property
    def pictures(self) -> bool:
        """Whether the inputs are pictures."""
        return len(self.shape) == 3

    @property
    def words(self) -> Words | None:
        """Of texts that are seen as tokens, what is known of their numbers."""
        return Words(self.tokens, self.unknown, self.special) if self.tokens else None

    @property
    def wanted(self) -> Wanted:
        """What a network is to take and to say."""
        return self.input_shape, self.q, self.words, self.names


@dataclass(frozen=True)
class PlannedMethod:
    """What planning and reading need to know of an algorithm, so that reading loads none.

    Attributes:
        version: the version of the algorithm, for what is released.
        seed_name: what its training seeds are made of.
        reads: labels that it learns from.
        networks: that are trained side by side.
        hyper: its hyper-parameters, by configuration and by split.
        of_pictures, of_language: the same for data sets of pictures, and of texts that a language
            model learns; empty where there is none.
        plugin: the file that registered it and its source, ``my.py@0123456789abcdef``; '' for
            candidly's own.
        place: where it is defined, ``proden:PRODEN``; '' where that is not candidly.
        code: what ``code_of``, or ``plugins.code`` if it is not candidly's, said of it whenever its
            runs were trained, the last one last; empty where that is not known.
    """

    version: int
    seed_name: str
    reads: tuple[str, ...]
    networks: int
    hyper: Drawn
    place: str = ""
    code: tuple[str, ...] = ()
    of_pictures: Drawn = ()
    of_language: Drawn = ()
    plugin: str = ""

    def hyper_for(self, kind: str) -> Drawn:
        """Its hyper-parameters for inputs of this kind, as ``Facts.kind`` names it."""
        return {"images": self.of_pictures, LANGUAGE: self.of_language}.get(kind, self.hyper)


def kept_in(out: Path, plugin: str) -> Path:
    """Where a results directory keeps its copy of a plug-in, ``my.py@0123456789abcdef``."""
    name, _, digest = plugin.rpartition("@")
    return out / "plugins" / digest / name
